//! What can go wrong when a machine is asked to compute.

use std::fmt;

/// Which kind of failure: it decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// What was asked for does not fit together (exit code 2).
    Input,
    /// This machine lacks something, memory for instance (exit code 3).
    Machine,
    /// It was stopped on request (exit code 130).
    Cancelled,
    /// A defect of this program.
    Defect,
}

/// One sentence: what, where, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendError {
    kind: ErrorKind,
    message: String,
}

impl BackendError {
    /// A request that does not fit together.
    pub fn input(message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Input,
            message: message.into(),
        }
    }

    /// Something that this machine lacks.
    pub fn machine(message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Machine,
            message: message.into(),
        }
    }

    /// The run was stopped on request.
    pub fn cancelled() -> Self {
        Self {
            kind: ErrorKind::Cancelled,
            message: "the run was stopped before it was done".to_owned(),
        }
    }

    /// A defect of this program: what was found that must not be.
    pub fn defect(what: impl fmt::Display) -> Self {
        Self {
            kind: ErrorKind::Defect,
            message: format!("a defect of this program: {what}"),
        }
    }

    /// The operating system refused `bytes` for `what`.
    pub(crate) fn memory_refused(what: &str, bytes: u64) -> Self {
        Self::machine(format!(
            "the system refused {bytes} B of memory for {what}; choose a smaller model, batch or seq, or bf16"
        ))
    }

    /// Which kind of failure.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BackendError {}
