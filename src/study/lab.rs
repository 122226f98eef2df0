//! Experiments over reports: plans side by side, one fusion more at a time, and what was
//! counted of them.

mod comparison;
pub mod counted;
pub mod staircase;

pub use comparison::{Column, Comparison, Scope};
