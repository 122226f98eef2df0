//! Kernels of exercises on the SIMT machine: a learner's kernel is judged, a
//! defective one shows what it yields. No GPU takes part, and nothing that a
//! learner's file says reaches the machine outside of this emulation.
//!
//! | file | idea |
//! |---|---|
//! | `bench` | one kernel with its buffers: write, launch, read |
//! | `compiled` | from a text or a known mistake to a program of the machine |
//! | `text` | what may not stand in a learner's file |
//! | `task` | what each kernel is to compute, and where: arguments, shapes, fp64 |
//! | `judge` | the criteria in order |
//! | `device` | the same cases on a GPU, and their times |
//! | `values` | are the values right, and how the first that is not is told |
//! | `known` | does a known mistake do exactly the same? |
//! | `mutant` | the values of defective kernels |

mod bench;
mod compiled;
mod device;
mod judge;
mod known;
mod mutant;
mod task;
mod text;
mod values;

pub use device::judge_on;
pub use judge::judge;
pub use mutant::{MutantError, mutant};

use super::gpu::CompileUnit;
use plan::run::listing::{Listing, listings};

/// Limits this process to what a submission needs, so that a text that keeps the
/// compiler busy, or makes it grow, ends the process and not the machine. A GPU's runtime
/// takes more addresses than there is memory, so that with one only the time is limited.
pub fn confine(on_a_gpu: bool) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    const SECONDS: u64 = 50;
    const BYTES: u64 = 4 << 30;
    let limits = [
        (Resource::Cpu, SECONDS),
        (Resource::Core, 0),
        (Resource::As, BYTES),
    ];
    for (resource, most) in limits.into_iter().take(if on_a_gpu { 2 } else { 3 }) {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        // A system that does not know a limit still has the parent's deadline.
        let _ = setrlimit(resource, limit);
    }
}

/// What is compiled ahead: every kernel with each of its known mistakes, every
/// defective kernel and its repair.
pub fn units() -> Vec<CompileUnit> {
    listings()
        .into_iter()
        .filter_map(|name| Listing::named(&format!("exercises/{name}")).ok())
        .flat_map(|listing| {
            let gaps = listing.mistakes().count() as u32;
            match gaps {
                0 => vec![unit(&listing, "FIXED", 0), unit(&listing, "FIXED", 1)],
                _ => (0..=gaps).map(|n| unit(&listing, "WRONG", n)).collect(),
            }
        })
        .flatten()
        .collect()
}

/// A source of this program with one definition. `None` where the source or its
/// entry is not embedded under the kernels.
fn unit(listing: &Listing, define: &'static str, value: u32) -> Option<CompileUnit> {
    let (path, text) = super::gpu::kernel_sources()
        .into_iter()
        .find(|(path, _)| *path == listing.path)?;
    let at = text.find(&format!("KERNEL void {}(", listing.entry))?;
    let entry = text.get(at + "KERNEL void ".len()..)?.split('(').next()?;
    Some(CompileUnit::new(entry, &["prefix/grid.cu", path]).define(define, value))
}
