//! What a plan should cost: FLOPs, bytes, liveness, roofline, occupancy.
//!
//! Everything is derived from the forward's graph, a plan and the sizes of a
//! model and shape. Each figure keeps the terms that made it
//! ([`KernelCost::flop_terms`], [`KernelCost::moved`]), so that [`why`](fn@why) explains
//! a number from the very values that were summed.

mod config;
mod gpu;
mod host;
mod json;
mod kernel;
mod liveness;
mod occupancy;
mod price;
mod roofline;
mod why;

pub use config::{Config, Conventions, CostError, KeepKv, Workload};
pub use gpu::{Gpu, GpuDatabase, Vendor, Words};
pub use host::HostLink;
pub use json::{CostJson, cost_json};
pub use kernel::{Direction, FlopCost, Inside, KernelCost, Moved};
pub use liveness::{Live, Peak};
pub use occupancy::{Occupancy, OccupancyLimit, occupancy};
pub use price::{Cost, Planned, Priced, price, price_piece};
pub use roofline::{Bound, Roof, bound, floor_seconds, kernel_floor_seconds, ridge};
pub use why::{Figure, Made, Why, WhyUnit, why, why_floor, why_priced};
