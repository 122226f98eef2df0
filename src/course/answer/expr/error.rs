//! What is wrong with an expression, and where.

use std::fmt;

/// A fault of an expression: the column (characters, from 1) and one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprError {
    /// Column in the expression's text, from 1.
    pub column: usize,
    /// What is wrong there and what would be right.
    pub message: String,
}

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.message)
    }
}

impl std::error::Error for ExprError {}
