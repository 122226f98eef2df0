//! Why something could not be done, by what is at fault.

use std::fmt;

use course::Fault;
use plan::cost::CostError;
use plan::run::RunError;

/// A sentence, and what is at fault.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// What was asked for, or a file of the learner's.
    Usage(String),
    /// This machine lacks something.
    Lacking(String),
    /// A text of the course.
    Content(String),
    /// A run, which has kinds of its own.
    Run(RunError),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(say) | Self::Lacking(say) | Self::Content(say) => f.write_str(say),
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Trouble {}

impl From<RunError> for Trouble {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Usage(fault.to_string())
    }
}

impl From<CostError> for Trouble {
    fn from(error: CostError) -> Self {
        Self::Usage(error.to_string())
    }
}
