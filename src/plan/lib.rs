//! What is computed, how it is cut into kernels, what that should cost, and what is
//! asked of a machine. Pure: no terminal, GPU, file, clock or thread.
//!
//! | module | holds | may import |
//! |---|---|---|
//! | [`units`] | numbers with units, as people type and read them | nothing |
//! | [`model`] | WHAT is computed: presets, shapes, the forward as a graph of ops and tensors | units |
//! | [`fusion`] | HOW it is cut: named fusions, versions, the plan | model and below |
//! | [`cost`] | WHAT IT SHOULD COST: flops, bytes, liveness, roofline, occupancy, GPU database | fusion and below |
//! | [`kernels`] | the table of GPU kernels: ops, entry point, file (data only) | model |
//! | [`run`] | what is asked of a machine and what it answers (data only) | cost and below |

#[macro_use]
mod sentence;

pub mod cost;
pub mod fusion;
pub mod kernels;
pub mod model;
mod near;
pub mod run;
pub mod units;

pub use near::nearest;
