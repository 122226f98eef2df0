//! The studies, each a value that implements [`Study`](crate::catalogue::Study).

pub mod ablate;
pub mod batch;
pub mod bench;
mod fit;
pub mod hierarchy;
pub mod host_memory;
#[cfg(test)]
mod noise;
mod notes;
pub mod occupancy;
pub mod planner;
pub mod precision;
pub mod predict;
pub mod regress;
pub mod roofline;
pub mod scale;
pub mod sick;
mod sweep;
pub mod timeline;
pub mod tune;
pub mod validate;
