//! Experiments over reports: plans side by side, and what was counted of them.

mod comparison;
pub mod counted;

pub use comparison::{Column, Comparison, Scope};
