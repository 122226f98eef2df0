//! What a kernel did wrong, told like a compiler tells it.

mod text;

use std::error::Error;

pub use super::fault::{Access, Awaited, Memory, Party, Polled, RaceSide};
use super::fault::{Fault, FaultKind, Waiting};
use super::grid::Stopped;
use super::memory::Global;
use super::program::{Kernel, Program};

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
        there: Location,
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
        what: String,
    },
}

/// A mistake of a kernel: what, where, by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of the kernel.
    pub kernel: String,
    /// The instruction and its line.
    pub location: Location,
    /// Block of the grid.
    pub block: [u32; 3],
    /// Thread of the block.
    pub thread: [u32; 3],
    /// What happened.
    pub problem: Problem,
}

impl Error for Finding {}

impl Finding {
    pub(crate) fn new(
        program: &Program,
        kernel: &Kernel,
        _: &Global,
        stopped: &Stopped,
        extent: [u32; 3],
    ) -> Finding {
        let Stopped {
            block,
            fault: Fault { kind, at, thread },
        } = stopped;
        let [x, y, _] = extent.map(|n| n.max(1));
        Finding {
            kernel: kernel.name.clone(),
            location: locate(program, kernel, *at),
            block: *block,
            thread: [thread % x, thread / x % y, thread / (x * y)],
            problem: problem(program, kernel, kind.clone()),
        }
    }
}

/// The line of an instruction.
pub(crate) fn locate(program: &Program, kernel: &Kernel, at: u32) -> Location {
    let Some(info) = kernel.info.get(at as usize) else {
        return Location::default();
    };
    let mut location = Location {
        ptx_line: info.line,
        instruction: info.name.clone(),
        ..Location::default()
    };
    let place = |id: u32| {
        program
            .places
            .get(id as usize)
            .filter(|place| place.line > 0)
    };
    if let Some(first) = place(info.place) {
        (location.file, location.line) = (program.file(first.file).to_owned(), first.line);
        let mut outer = first.inlined_at;
        while let Some(next) = outer.and_then(place) {
            location
                .inlined_at
                .push((program.file(next.file).to_owned(), next.line));
            outer = next.inlined_at;
        }
    }
    location
}

fn problem(program: &Program, kernel: &Kernel, kind: FaultKind) -> Problem {
    match kind {
        FaultKind::OutOfBounds {
            access,
            address,
            bytes,
            memory,
            offset,
        } => Problem::OutOfBounds {
            access,
            address,
            bytes,
            memory,
            offset,
        },
        FaultKind::Misaligned {
            access,
            address,
            bytes,
            memory,
            offset,
        } => Problem::Misaligned {
            access,
            address,
            bytes,
            memory,
            offset,
        },
        FaultKind::NeverWritten {
            address,
            bytes,
            memory,
            offset,
        } => Problem::NeverWritten {
            address,
            bytes,
            memory,
            offset,
        },
        FaultKind::Race {
            address,
            now,
            earlier,
            same_warp,
        } => Problem::Race {
            address,
            now,
            earlier,
            same_warp,
        },
        FaultKind::BlocksRace {
            memory,
            offset,
            now,
            earlier,
            other,
        } => Problem::BlocksRace {
            memory,
            offset,
            now,
            earlier,
            other,
        },
        FaultKind::Unordered {
            memory,
            now,
            copies,
            met,
        } => Problem::Unordered {
            memory,
            offset: met.offset,
            now,
            copies,
            other: met.party,
            earlier: met.earlier,
            there: locate(program, kernel, met.at),
            proxy: met.proxy,
        },
        FaultKind::Overcounted { offset, count } => Problem::Overcounted { offset, count },
        FaultKind::LanesCollide { address, other } => Problem::LanesCollide { address, other },
        FaultKind::PartialBarrier { missing } => Problem::BarrierSkipped { missing },
        FaultKind::SplitBarrier {
            other_warp,
            other_at,
        } => Problem::BarriersDiffer {
            other_warp,
            elsewhere: locate(program, kernel, other_at),
        },
        FaultKind::MissingLanes { wanted, active } => Problem::LanesMissing { wanted, active },
        FaultKind::InactiveSource { lane } => Problem::InactiveSource { lane },
        FaultKind::Trap => Problem::Trap,
        FaultKind::NeverEnds { steps } => Problem::NeverEnds { steps },
        FaultKind::Deadlock {
            waiting,
            returned,
            outside,
        } => {
            let waiter = |waiting: Waiting| Waiter {
                block: waiting.block,
                warp: waiting.warp,
                location: locate(program, kernel, waiting.at),
                at_barrier: waiting.how == super::fault::How::Barrier,
                polls: waiting.polls,
                awaits: waiting.awaits,
            };
            Problem::Deadlock {
                waiting: waiting.into_iter().map(waiter).collect(),
                returned,
                outside,
            }
        }
        FaultKind::Unsupported { what } => Problem::Unsupported {
            what: what.to_owned(),
        },
    }
}
