//! Why a command did not do what was asked: one sentence and an exit code.

use std::process::ExitCode;

use crate::cost::CostError;
use crate::fusion::FusionError;
use crate::model::ModelError;
use crate::run::{RunError, RunErrorKind};

/// One sentence for standard error, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// Wrong usage: exit code 2.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self {
            code: 2,
            message: message.into(),
        }
    }

    /// This machine lacks what was asked for: exit code 3.
    pub(super) fn missing(message: impl Into<String>) -> Self {
        Self {
            code: 3,
            message: message.into(),
        }
    }

    /// Course content is invalid: exit code 4.
    pub(super) fn content(message: impl Into<String>) -> Self {
        Self {
            code: 4,
            message: message.into(),
        }
    }

    /// Prints the sentence to standard error, and gives the code.
    pub(super) fn report(&self, json: bool) -> ExitCode {
        let text = if json {
            serde_json::json!({ "schema": 1, "error": self.message, "exit": self.code }).to_string()
        } else {
            format!("tinyllama-tutor: {}", self.message)
        };
        super::out::complain(&text);
        ExitCode::from(self.code)
    }
}

impl From<CostError> for Failure {
    fn from(e: CostError) -> Self {
        Self::usage(e.to_string())
    }
}

impl From<ModelError> for Failure {
    fn from(e: ModelError) -> Self {
        Self::usage(e.to_string())
    }
}

impl From<FusionError> for Failure {
    fn from(e: FusionError) -> Self {
        Self::usage(e.to_string())
    }
}

impl From<RunError> for Failure {
    fn from(e: RunError) -> Self {
        let code = match e.kind {
            RunErrorKind::BadRequest => 2,
            RunErrorKind::Missing => 3,
            RunErrorKind::Cancelled => 130,
            RunErrorKind::Failed => 1,
        };
        Self {
            code,
            message: e.to_string(),
        }
    }
}
