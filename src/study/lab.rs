//! Experiments over reports: plans side by side, one fusion more at a time, what was
//! counted of them, and their figures of merit.

mod comparison;
pub mod counted;
pub mod merit;
pub mod staircase;

pub use comparison::{Column, Comparison, Scope};
