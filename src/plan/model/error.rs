//! What can be wrong with a model or a shape.

sentence! {
    /// A model, shape or model file that cannot be used: one sentence that says
    /// what is wrong, where, and the way out.
    ModelError
}

impl ModelError {
    /// A size that does not fit 64 bits.
    pub(crate) fn too_large(what: &str) -> Self {
        Self::new(format!(
            "{what} does not fit in 64 bits: no machine holds a model of this size; choose smaller sizes"
        ))
    }
}
