//! Sentences for what goes wrong in this room.

use std::fmt::Display;

use super::memory::readable;
use plan::run::RunError;

/// A defect of this program: what was found that must not be.
pub(super) fn defect(what: impl Display) -> RunError {
    RunError::failed(format!("a defect of this program: {what}"))
}

/// The operating system refused `bytes` for `what`.
pub(super) fn memory_refused(what: &str, bytes: u64) -> RunError {
    RunError::missing(format!(
        "the system refused {} of memory for {what}; choose a smaller model, batch or seq, or bf16",
        readable(bytes)
    ))
}
