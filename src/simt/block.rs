//! One block: its shared and local memory, its barriers, its warps.

use super::exec::Row;
use super::order::View;
use super::watch::Watch;

/// Barriers of a block.
pub(crate) const BARRIERS: usize = 16;

/// What the warps of a block share.
pub(crate) struct BlockState {
    pub index: [u32; 3],
    /// What the block knows of the others.
    pub view: View,
    pub shared: Vec<u32>,
    pub shared_bytes: u32,
    /// Each warp's local memory, lanes interleaved.
    pub local: Vec<Vec<u32>>,
    pub local_bytes: u64,
    /// Shadow of shared memory, where races are looked for.
    pub watch: Watch,
    /// Copies under way (`cp.async`), by warp.
    pub copies: Vec<super::exec::pipeline::Copies>,
    /// Its mbarriers, the bulk copies under way, each warp's products.
    pub arrivals: Vec<super::exec::arrival::Arrival>,
    pub flights: Vec<super::exec::bulk::Flight>,
    pub products: Vec<super::exec::group::Products>,
    /// The phase that each warp asks for again and again.
    pub awaits: Vec<Option<super::fault::Awaited>>,
    /// Arrivals and copies so far: what shared memory's waits depend on.
    pub moves: u64,
    /// Threads that came to each barrier and went on (`bar.arrive`).
    pub arrived: [u32; BARRIERS],
    /// Results of the reductions that `bar.red` made.
    pub reductions: [Reduction; BARRIERS],
}

/// What the threads of a barrier brought to it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reduction {
    pub any: bool,
    pub missing: bool,
    pub count: u32,
    /// The result of the last time that all came.
    pub result: (bool, bool, u32),
}

impl Reduction {
    /// Keeps what was gathered and begins anew.
    pub fn close(&mut self) {
        self.result = (self.any, !self.missing, self.count);
        (self.any, self.missing, self.count) = (false, false, 0);
    }
}

/// Why a warp does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Ready,
    /// At a barrier: its number, how many threads it wants, the instruction.
    Barrier {
        id: u32,
        threads: u32,
        at: u32,
    },
    /// Before an instruction that talks to other blocks.
    Communicating {
        at: u32,
    },
    Done,
}

/// Lanes that go on at a block of instructions, until they meet the others at `join`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub block: u32,
    pub join: u32,
    pub mask: u32,
}

/// A warp of a block.
pub(crate) struct Warp {
    pub number: u32,
    pub rows: Vec<Row>,
    pub preds: Vec<u32>,
    pub stack: Vec<Frame>,
    /// Lanes that exist and have not returned.
    pub live: u32,
    pub state: State,
}
