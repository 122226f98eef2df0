//! Why a run did not give a report.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What kind of failure it was; the command line's exit code follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RunErrorKind {
    /// The request cannot be: a size, a file, a token (exit code 2).
    BadRequest,
    /// This machine lacks the backend, the memory or the kernel (exit code 3).
    Missing,
    /// Somebody stopped it (exit code 130).
    Cancelled,
    /// It began and went wrong (exit code 1).
    Failed,
}

/// One sentence: what, where, and the way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    /// What kind of failure it was.
    pub kind: RunErrorKind,
    message: String,
}

impl RunError {
    /// A request that cannot be.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(RunErrorKind::BadRequest, message)
    }

    /// Something that this machine lacks.
    pub fn missing(message: impl Into<String>) -> Self {
        Self::new(RunErrorKind::Missing, message)
    }

    /// A run that was stopped after `done` of `of` timed runs.
    pub fn cancelled(done: u32, of: u32) -> Self {
        Self::new(
            RunErrorKind::Cancelled,
            format!("Stopped after {done} of {of} runs. Nothing recorded."),
        )
    }

    /// The same; a stop says how many timed runs were done.
    #[must_use]
    pub fn after(self, done: u32, of: u32) -> Self {
        match self.kind {
            RunErrorKind::Cancelled => Self::cancelled(done, of),
            _ => self,
        }
    }

    /// A run that went wrong.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(RunErrorKind::Failed, message)
    }

    fn new(kind: RunErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RunError {}

impl From<crate::cost::CostError> for RunError {
    fn from(e: crate::cost::CostError) -> Self {
        Self::bad_request(e.to_string())
    }
}

impl From<crate::model::ModelError> for RunError {
    fn from(e: crate::model::ModelError) -> Self {
        Self::bad_request(e.to_string())
    }
}
