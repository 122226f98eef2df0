//! The kernel ribbon on this machine: which box the cursor is on, which side of the
//! roof a kernel meets.

pub use course::ribbon::*;

use super::bench::Bench;
use super::machine::Machine;
use plan::cost::{Bound, KernelCost};
use plan::model::Dtype;

/// The group under `▼`.
pub fn selected(bench: &Bench, slot: usize) -> Option<Group> {
    groups(bench.effective_cut())
        .into_iter()
        .find(|g| g.holds(slot))
}

/// Which side of the roof a kernel meets, on the machine's ceilings.
pub fn bound(machine: &Machine, kernel: &KernelCost, dtype: Dtype) -> Option<Bound> {
    machine.ceilings.as_ref()?.bound(kernel, dtype)
}
