//! What stopped a launch, as the machine sees it: numbers, not yet words.

/// Read, write or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An atomic operation.
    Atomic,
}

/// The memory in which something went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Memory {
    /// A buffer of global memory, by name, with its size.
    Buffer {
        /// The name given at allocation.
        name: String,
        /// Its length in bytes.
        bytes: u64,
    },
    /// The block's shared memory.
    Shared {
        /// Its length in bytes, static and dynamic.
        bytes: u64,
    },
    /// A thread's own memory.
    Local {
        /// Its length in bytes.
        bytes: u64,
    },
    /// Kernel parameters.
    Param {
        /// Their length in bytes.
        bytes: u64,
    },
    /// No buffer is anywhere near: a null or wild pointer.
    Nowhere,
}

/// One side of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaceSide {
    /// Thread number within the block; `None` where several threads read.
    pub thread: Option<u32>,
    /// What it did.
    pub access: Access,
}

/// Where a warp waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub block: [u32; 3],
    pub warp: u32,
    /// The instruction at which it stands.
    pub at: u32,
    pub how: How,
    /// What it reads again and again.
    pub polls: Option<Polled>,
}

/// A word that a warp waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polled {
    /// Name of the buffer.
    pub buffer: String,
    /// Bytes from its beginning.
    pub offset: u64,
    /// What stands there.
    pub holds: u32,
}

/// Why a warp does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Barrier,
    /// Reading the same memory again and again.
    Polling,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    OutOfBounds {
        access: Access,
        address: u64,
        bytes: u32,
        memory: Memory,
        offset: i64,
    },
    Misaligned {
        access: Access,
        address: u64,
        bytes: u32,
        memory: Memory,
        offset: i64,
    },
    NeverWritten {
        address: u64,
        bytes: u32,
        memory: Memory,
        offset: i64,
    },
    Race {
        address: u64,
        now: Access,
        earlier: RaceSide,
        same_warp: bool,
    },
    /// Two blocks touch a place of global memory and nothing orders them.
    BlocksRace {
        memory: Memory,
        offset: u64,
        now: Access,
        earlier: Access,
        /// Number of the other block.
        other: u32,
    },
    /// Lanes of one warp wrote different values to one place with one instruction.
    LanesCollide {
        address: u64,
        other: u32,
    },
    /// Some lanes of the warp are elsewhere at a barrier.
    PartialBarrier {
        missing: u32,
    },
    /// Warps of a block wait at different barriers.
    SplitBarrier {
        other_warp: u32,
        other_at: u32,
    },
    /// A shuffle or vote names lanes that are not there, or lacks lanes that are.
    MissingLanes {
        wanted: u32,
        active: u32,
    },
    InactiveSource {
        lane: u32,
    },
    Trap,
    NeverEnds {
        steps: u64,
        /// The instructions that are executed again and again.
        round: Vec<u32>,
    },
    Deadlock {
        waiting: Vec<Waiting>,
        /// Blocks that have returned.
        returned: Vec<[u32; 3]>,
    },
    Unsupported {
        what: &'static str,
    },
}

impl FaultKind {
    /// Why an access is refused: one that lies inside of its memory is
    /// misaligned, any other is out of bounds.
    pub(crate) const fn refused_access(
        inside: bool,
        access: Access,
        address: u64,
        bytes: u32,
        memory: Memory,
        offset: i64,
    ) -> Self {
        if inside {
            Self::Misaligned {
                access,
                address,
                bytes,
                memory,
                offset,
            }
        } else {
            Self::OutOfBounds {
                access,
                address,
                bytes,
                memory,
                offset,
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub kind: FaultKind,
    pub at: u32,
    /// Thread number within the block.
    pub thread: u32,
}
