//! What a kernel can do wrong, and what stopped a launch: numbers, not yet words.

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

/// A line of source in which something happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// CUDA source file; empty where the PTX has no `.loc` lines.
    pub file: String,
    /// Line in it, from 1.
    pub line: u32,
    /// The lines into which it was inlined, innermost first.
    pub inlined_at: Vec<(String, u32)>,
    /// Line of the PTX text.
    pub ptx_line: u32,
    /// The PTX instruction.
    pub instruction: String,
}

/// A warp that waits, in a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// Block of the grid.
    pub block: [u32; 3],
    /// Warp of the block.
    pub warp: u32,
    /// Where it stands.
    pub location: Location,
    /// At a block barrier, rather than reading memory again and again.
    pub at_barrier: bool,
    /// What it reads again and again, where that is known.
    pub polls: Option<Polled>,
    /// The mbarrier at which it waits, if it is one.
    pub awaits: Option<Awaited>,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// An access outside of every buffer.
    OutOfBounds {
        /// Load, store or atomic.
        access: Access,
        /// The address.
        address: u64,
        /// Bytes of the access.
        bytes: u32,
        /// The nearest memory.
        memory: Memory,
        /// Bytes from its beginning; negative before it.
        offset: i64,
    },
    /// An address that is no multiple of the access's size.
    Misaligned {
        /// Load, store or atomic.
        access: Access,
        /// The address.
        address: u64,
        /// Bytes of the access.
        bytes: u32,
        /// The memory.
        memory: Memory,
        /// Bytes from its beginning.
        offset: i64,
    },
    /// A read of memory that nobody wrote.
    NeverWritten {
        /// The address.
        address: u64,
        /// Bytes of the access.
        bytes: u32,
        /// The memory.
        memory: Memory,
        /// Bytes from its beginning.
        offset: i64,
    },
    /// Two threads use one place of shared memory with nothing between them.
    Race {
        /// Offset in shared memory.
        address: u64,
        /// What this thread does.
        now: Access,
        /// What the other did.
        earlier: RaceSide,
        /// Both belong to one warp: `__syncwarp` is missing.
        same_warp: bool,
    },
    /// Two blocks use one place of global memory with nothing between them.
    BlocksRace {
        /// The buffer.
        memory: Memory,
        /// Bytes from its beginning.
        offset: u64,
        /// What this block does.
        now: Access,
        /// What the other did.
        earlier: Access,
        /// Number of the other block, x fastest.
        other: u32,
    },
    /// Two accesses to one place that no release and acquire, no barrier and no
    /// mbarrier order.
    Unordered {
        /// A buffer, or shared memory.
        memory: Memory,
        /// Bytes from its beginning.
        offset: u64,
        /// What is done now.
        now: Access,
        /// By the copy engine, not by the thread itself.
        copies: bool,
        /// Who did what before.
        other: Party,
        /// What that was.
        earlier: Access,
        /// With which instruction.
        there: Box<Location>,
        /// It is ordered for threads, and not for the copy engine.
        proxy: bool,
    },
    /// More arrivals at an mbarrier than its phase has.
    Overcounted {
        /// Where it lies in shared memory.
        offset: u32,
        /// Arrivals of a phase.
        count: u32,
    },
    /// Lanes of one instruction write different values to one place.
    LanesCollide {
        /// Offset in shared memory.
        address: u64,
        /// The other thread of the block.
        other: u32,
    },
    /// Some threads of a warp are elsewhere when the others reach a barrier.
    BarrierSkipped {
        /// One thread that did not come.
        missing: u32,
    },
    /// A thread of the block has returned and comes to no barrier any more.
    BarrierMissed {
        /// That thread.
        missing: u32,
    },
    /// Warps of one block wait at different barriers.
    BarriersDiffer {
        /// A warp that waits elsewhere.
        other_warp: u32,
        /// Where it waits.
        elsewhere: Location,
    },
    /// A warp-wide instruction without the lanes that it names.
    LanesMissing {
        /// The lanes that it names, one bit each.
        wanted: u32,
        /// The lanes that execute it.
        active: u32,
    },
    /// A shuffle reads a lane that does not take part.
    InactiveSource {
        /// That lane.
        lane: u32,
    },
    /// The kernel executed `trap`.
    Trap,
    /// One block runs beyond the step limit.
    NeverEnds {
        /// Warp instructions so far.
        steps: u64,
        /// The loop: its file, first and last line; none where the PTX has no lines.
        lines: Option<(String, u32, u32)>,
    },
    /// Everybody waits.
    Deadlock {
        /// Who, and where.
        waiting: Vec<Waiter>,
        /// Blocks that have returned and wait for nobody.
        returned: Vec<[u32; 3]>,
        /// Blocks of the grid that found no room while these wait.
        outside: u64,
    },
    /// Something that the machine does not do.
    Unsupported {
        /// What.
        what: &'static str,
    },
}

/// Which of the checks of NVIDIA's compute-sanitizer looks for the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Accesses outside of memory, or misaligned.
    Memcheck,
    /// Accesses that nothing orders.
    Racecheck,
    /// Reads of memory that nobody wrote.
    Initcheck,
    /// Barriers and warp-wide instructions that not all reach.
    Synccheck,
}

impl Check {
    /// `memcheck`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memcheck => "memcheck",
            Self::Racecheck => "racecheck",
            Self::Initcheck => "initcheck",
            Self::Synccheck => "synccheck",
        }
    }
}

impl Problem {
    /// The check that finds it; none where the kernel was merely stopped.
    pub const fn check(&self) -> Option<Check> {
        match self {
            Self::OutOfBounds { .. } | Self::Misaligned { .. } => Some(Check::Memcheck),
            Self::NeverWritten { .. } => Some(Check::Initcheck),
            Self::Race { .. }
            | Self::BlocksRace { .. }
            | Self::Unordered { .. }
            | Self::LanesCollide { .. } => Some(Check::Racecheck),
            Self::BarrierSkipped { .. }
            | Self::BarrierMissed { .. }
            | Self::BarriersDiffer { .. }
            | Self::LanesMissing { .. }
            | Self::InactiveSource { .. }
            | Self::Overcounted { .. }
            | Self::Deadlock { .. } => Some(Check::Synccheck),
            Self::Trap | Self::NeverEnds { .. } | Self::Unsupported { .. } => None,
        }
    }

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

/// A problem as the machine sees it: places are numbers of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    Told(Problem),
    /// [`Problem::BarriersDiffer`].
    SplitBarrier {
        other_warp: u32,
        other_at: u32,
    },
    /// [`Problem::NeverEnds`], with the instructions that are executed again and again.
    NeverEnds {
        steps: u64,
        round: Vec<u32>,
    },
    /// [`Problem::Deadlock`].
    Deadlock {
        waiting: Vec<Waiting>,
        returned: Vec<[u32; 3]>,
        outside: u64,
    },
    /// [`Problem::Unordered`].
    Unordered {
        memory: Memory,
        now: Access,
        copies: bool,
        met: Met,
    },
}

impl From<Problem> for FaultKind {
    fn from(problem: Problem) -> Self {
        Self::Told(problem)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub kind: FaultKind,
    pub at: u32,
    /// Thread number within the block.
    pub thread: u32,
}
