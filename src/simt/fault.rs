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

/// Who else touched a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// A warp of a block, by their numbers.
    Warp {
        /// Number of the block, x fastest.
        block: u32,
        /// Number of the warp in it.
        warp: u32,
    },
    /// A product of a warp's group that nobody has waited for.
    Product {
        /// Number of the block, x fastest.
        block: u32,
        /// Number of the warp in it.
        warp: u32,
    },
    /// The copy engine.
    Copies,
}

/// An earlier access that nothing orders before this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Met {
    pub party: Party,
    pub earlier: Access,
    /// Its instruction.
    pub at: u32,
    /// Bytes from the beginning of the memory.
    pub offset: u64,
    /// Threads know of it, the copy engine does not.
    pub proxy: bool,
}

/// A phase of an mbarrier that a warp waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// Where the mbarrier lies in shared memory.
    pub offset: u32,
    /// The parity of the phase that has to end.
    pub parity: u32,
    /// Arrivals that are missing.
    pub missing: u32,
    /// Arrivals of a phase.
    pub count: u32,
    /// Bytes that were announced and have not come.
    pub bytes: i64,
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
    /// The mbarrier at which it waits.
    pub awaits: Option<Awaited>,
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
    /// As [`FaultKind::BlocksRace`] and [`FaultKind::Race`], by exact clocks.
    Unordered {
        memory: Memory,
        now: Access,
        /// Who does it: the copy engine, or the warp.
        copies: bool,
        met: Met,
    },
    /// More arrivals at an mbarrier than its phase has.
    Overcounted {
        offset: u32,
        count: u32,
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
    },
    Deadlock {
        waiting: Vec<Waiting>,
        /// Blocks that have returned.
        returned: Vec<[u32; 3]>,
        /// Blocks that found no room.
        outside: u64,
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
