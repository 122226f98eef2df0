//! The studies, each a value that implements [`Study`](crate::catalogue::Study).

pub mod ablate;
pub mod batch;
mod fit;
mod notes;
pub mod planner;
pub mod precision;
pub mod predict;
pub mod scale;
mod sweep;
pub mod tune;
pub mod validate;
