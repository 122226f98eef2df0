//! How the forward is cut into kernels: named fusions, versions, the plan.
//!
//! A [`Cut`] says which fusion boundaries between neighbouring ops are removed;
//! learners see walls come down. A [`Plan`] is the cut applied to a forward: the ordered kernels, each with what it reads,
//! uses, writes and keeps inside. The cost model prices a plan, a backend runs
//! it, the ribbon draws it.

mod cut;
mod error;
mod groups;
mod named;
mod phases;
mod plan;

pub use cut::{Boundary, Cut, Switch};
pub use error::FusionError;
pub use named::{Fusion, Version};
pub use plan::{Kernel, Plan};
