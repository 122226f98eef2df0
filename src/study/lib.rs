//! What runs and profilers said, beside the plan. Pure.
//!
//! | module | holds |
//! |---|---|
//! | [`lab`] | experiments over reports: comparisons, counts |
//! | [`profile`] | what a vendor's profiler wrote, read and set beside the plan; samples of it |

pub mod lab;
pub mod profile;
