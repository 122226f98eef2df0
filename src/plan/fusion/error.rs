//! What can be wrong with a fusion, a version or a cut.

use std::fmt;

use crate::nearest;

/// One sentence: what could not be read, and the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FusionError {
    message: String,
}

impl FusionError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }

    /// “There is no `what` called `name`”, with the nearest of `known`.
    pub(super) fn unknown(what: &str, name: &str, known: &[&str]) -> Self {
        let all = known.join(", ");
        Self::new(match nearest(name, known.iter().copied()) {
            Some(k) => {
                format!("there is no {what} “{name}”; did you mean {k}? There are: {all}")
            }
            None => format!("there is no {what} “{name}”; there are: {all}"),
        })
    }
}

impl fmt::Display for FusionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FusionError {}
