//! Why a command did not do what was asked: one sentence and an exit code.

use std::process::ExitCode;

use course::Fault;
use host::Trouble;
use plan::cost::CostError;
use plan::fusion::FusionError;
use plan::model::ModelError;
use plan::run::{RunError, RunErrorKind};

/// One sentence for standard error, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    fn new(code: u8, message: impl Into<String>) -> Self {
        Self {
            code,
            message: super::out::readable(&without_numbers(message.into())),
        }
    }

    /// Wrong usage: exit code 2.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::new(2, message)
    }

    /// This machine lacks what was asked for: exit code 3.
    pub(super) fn lacking(message: impl Into<String>) -> Self {
        Self::new(3, message)
    }

    /// Course content is invalid: exit code 4.
    pub(super) fn content(message: impl Into<String>) -> Self {
        Self::new(4, message)
    }

    /// The sentence.
    pub(super) fn sentence(&self) -> &str {
        &self.message
    }

    /// Prints the sentence to standard error, and gives the code.
    pub(super) fn report(&self, json: bool) -> ExitCode {
        if json {
            let document =
                serde_json::json!({ "schema": 1, "error": self.message, "exit": self.code });
            super::out::tell(&format!("{}\n", super::out::escaped(&document.to_string())));
        } else {
            super::out::complain(&self.message);
        }
        ExitCode::from(self.code)
    }
}

/// The system's own number of an error says nothing to the person who reads it.
fn without_numbers(message: String) -> String {
    let Some((before, after)) = message.split_once(" (os error ") else {
        return message;
    };
    match after.split_once(')') {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{before}{rest}")
        }
        _ => message,
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

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::usage(fault.to_string())
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Usage(say) => Self::usage(say),
            Trouble::Lacking(say) => Self::lacking(say),
            Trouble::Content(say) => Self::content(say),
            Trouble::Run(error) => error.into(),
        }
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
        Self::new(code, e.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_numbers_are_left_out() {
        let failure = Failure::usage("cannot read x: No such file or directory (os error 2)");
        assert_eq!(failure.message, "cannot read x: No such file or directory");
        assert_eq!(Failure::usage("as is (os").message, "as is (os");
    }
}
