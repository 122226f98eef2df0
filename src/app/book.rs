//! The kernels of a plan as they were looked up outside: launches, sources,
//! what the compiler made of them.

use std::sync::Arc;

use super::source::Source;
use plan::cost::{Config, Gpu};
use plan::model::OpKind;

/// Which kernels are looked up: those of a plan, for a GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The plan, model, shape and dtype.
    pub config: Config,
    /// Id of the GPU in the database.
    pub gpu: String,
}

/// The kernels of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Book {
    /// The GPU that they are for.
    pub gpu: Gpu,
    /// As its compiler calls it: `sm_90a`.
    pub arch: String,
    /// Every file that a kernel of the plan is made of, once.
    pub sources: Vec<Source>,
    /// A launch per kernel of the plan, in order.
    pub kernels: Vec<Kernel>,
}

/// One launch: what is compiled, and how it is launched.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// What it computes.
    pub ops: Vec<OpKind>,
    /// Its entry point.
    pub entry: String,
    /// What is defined for it: `BF16=1 HEAD=64`.
    pub defines: String,
    /// Its files, indices of [`Book::sources`]: its own first, then those that
    /// it shares with others.
    pub files: Vec<usize>,
    /// Blocks as a person writes them: `16 × 8`, `all that are resident`.
    pub blocks: String,
    /// Threads of a block.
    pub threads: u64,
    /// Shared memory of a block in bytes, known when it is launched.
    pub shared: u64,
    /// Whether blocks wait for one another.
    pub cooperative: bool,
    /// What the compiler made of it, where that is recorded.
    pub compiled: Option<Compiled>,
    /// The text of PTX, where it is known.
    pub ptx: Option<Arc<str>>,
    /// The same in PyTorch.
    pub torch: Option<Torch>,
}

/// The function of PyTorch that computes what a kernel does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torch {
    /// Its name.
    pub function: String,
    /// Where it begins in its file, an index of [`Source::lines`].
    pub line: usize,
    /// Operations that its lines make, as counted there.
    pub ops: u64,
    /// Its file, then those whose functions it calls.
    pub sources: Vec<Source>,
}

/// What a compiler said of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// Whose word it is: `NVRTC 12.9`.
    pub compiler: String,
    /// Registers per thread.
    pub registers: u64,
    /// Shared memory of a block in bytes, known when it is compiled.
    pub shared: u64,
    /// Bytes per thread that are kept in memory for want of registers.
    pub spilled: u64,
}

impl Kernel {
    /// Shared memory of a block in bytes, all of it.
    pub fn shared_per_block(&self) -> u64 {
        self.shared + self.compiled.as_ref().map_or(0, |c| c.shared)
    }
}
