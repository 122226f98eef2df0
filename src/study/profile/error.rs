//! Why a file cannot be read: the place, what is wrong, the way out; and what a
//! profile, once read, cannot tell.

use std::fmt;

use super::Tool;
use plan::fusion::Cut;

/// One sentence with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileError {
    /// Line, from 1; 0 where the whole file is meant.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong, and the way out.
    pub message: String,
}

impl ProfileError {
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self {
            line: 0,
            column: 0,
            message: message.into(),
        }
    }

    pub(super) fn at(line: usize, column: usize, message: impl Into<String>) -> Self {
        Self {
            line,
            column,
            message: message.into(),
        }
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "{line}:{}: {}", self.column, self.message),
        }
    }
}

impl std::error::Error for ProfileError {}

/// A name that is no profiler's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSuchTool(pub(super) String);

impl fmt::Display for NoSuchTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Tool::names();
        write!(f, "there is no profiler “{}”", self.0)?;
        if let Some(nearest) = plan::nearest(&self.0, names) {
            write!(f, "; did you mean {nearest}?")?;
        } else {
            f.write_str(".")?;
        }
        write!(f, " There are: {}", names.join(", "))
    }
}

impl std::error::Error for NoSuchTool {}

/// A column that a tool's file does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSuchColumn {
    pub(super) tool: Tool,
    pub(super) name: String,
    /// Those that it has.
    pub(super) has: Vec<String>,
}

impl fmt::Display for NoSuchColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tool, has) = (self.tool.title(), self.has.join(", "));
        write!(f, "{tool} has no column “{}”; it has {has}", self.name)
    }
}

impl std::error::Error for NoSuchColumn {}

/// Calls that no plan explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unexplained {
    /// None of this model's plans that have a name.
    ByAny,
    /// Not the one that was asked about.
    By(Cut),
    /// They are a framework's, which is explained by other means.
    Framework,
    /// They are regions of the host.
    Host,
}

impl fmt::Display for Unexplained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByAny => f.write_str("no plan of this model explains these calls"),
            Self::By(cut) => write!(f, "the calls are not those of {}", cut.title()),
            Self::Framework => f.write_str("the kernels are a framework's, not a plan's"),
            Self::Host => f.write_str(
                "these are regions of the host, which hold one another: their times do not add up; a trace of the GPU has kernels",
            ),
        }
    }
}

impl std::error::Error for Unexplained {}
