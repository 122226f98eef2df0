//! The CPU backend: one interpreter over row tiles that runs any plan.
//!
//! What a kernel of the plan reads and writes is memory. What stays inside it
//! is a tile of 24 to 64 rows in a worker's arena, which fits its cache. Every
//! plan uses the same matrix micro-kernel, the same vector loops, the same
//! tiles and the same order of sums, so two plans differ in nothing but what
//! travels through memory.
//!
//! Attention computes all `S × T` pairs of every head in every plan and masks
//! the future, which is what the cost model counts by default: no plan gains
//! by skipping what another computes. Fused attention keeps a running softmax
//! over blocks of 128 keys, so its last bits differ from those of a plan that
//! writes the probabilities; everything else is the same to the bit in fp32,
//! whatever the cut and the number of threads. In bf16 mode tensors in memory
//! and weights are bf16, sums are fp32, and what stays in a tile stays fp32.
//!
//! | file | idea |
//! |---|---|
//! | `simd` | one vector type per instruction set, chosen at run time |
//! | `micro` | the matrix micro-kernel; `panels`: weights packed for it |
//! | `rows`, `math`, `softmax` | the other ops, vectorised |
//! | `pool` | threads with cheap dispatch |
//! | `dims`, `place`, `slots`, `memory` | sizes, and who lives where |
//! | `step`, `compile` | plan to passes of steps |
//! | `bound`, `attend` | running a step on a tile |
//! | `exec` | launches, passes, tiles |
//! | `setup`, `ready` | a plan with its memory, ready to run |
//! | `backend` | requests, one after another |

mod attend;
mod backend;
mod bound;
mod ceilings;
mod compile;
mod dims;
mod errors;
mod exec;
mod math;
mod memory;
mod micro;
mod packed;
mod panels;
mod place;
mod pool;
mod ready;
mod rows;
mod setup;
mod simd;
mod slots;
mod softmax;
mod step;
mod tap;

pub use backend::Cpu;
pub use ceilings::Rates;
pub use memory::{Allocation, Role, available_bytes, total_bytes};
pub use packed::PackedModel;
pub use ready::{Ran, ReadyPlan, Tapped, Threads};
pub use setup::affordable;
pub use simd::Isa;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vector_tests;
