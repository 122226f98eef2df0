//! What can be wrong with a model or a shape.

use std::fmt;

/// A model, shape or model file that cannot be used: one sentence that says
/// what is wrong, where, and the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    message: String,
}

impl ModelError {
    /// An error with its sentence.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }

    /// A size that does not fit 64 bits.
    pub(crate) fn too_large(what: &str) -> Self {
        Self::new(format!(
            "{what} does not fit in 64 bits: no machine holds a model of this size; choose smaller sizes"
        ))
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ModelError {}
