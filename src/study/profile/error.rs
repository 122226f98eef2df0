//! Why a file cannot be read: the place, what is wrong, the way out.

use std::fmt;

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
