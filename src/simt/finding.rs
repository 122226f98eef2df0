//! What a kernel did wrong, told like a compiler tells it.

mod text;

use std::error::Error;

pub use super::fault::{
    Access, Awaited, Check, Location, Memory, Party, Polled, Problem, RaceSide, Waiter,
};
use super::fault::{Fault, FaultKind, Waiting};
use super::grid::Stopped;
use super::memory::Global;
use super::program::{Kernel, Program};

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

/// The lines of a loop, in the file of its first instruction that has one: where
/// functions were inlined, the lines of their calls.
fn span(program: &Program, kernel: &Kernel, round: &[u32]) -> Option<(String, u32, u32)> {
    let places = round.iter().filter_map(|at| {
        let at = locate(program, kernel, *at);
        let place = at.inlined_at.last().cloned().unwrap_or((at.file, at.line));
        (!place.0.is_empty()).then_some(place)
    });
    let places: Vec<(String, u32)> = places.collect();
    let (file, _) = places.first()?;
    let lines = || {
        places
            .iter()
            .filter(|(f, _)| f == file)
            .map(|(_, line)| *line)
    };
    Some((file.clone(), lines().min()?, lines().max()?))
}

fn problem(program: &Program, kernel: &Kernel, kind: FaultKind) -> Problem {
    match kind {
        FaultKind::Told(problem) => problem,
        FaultKind::SplitBarrier {
            other_warp,
            other_at,
        } => Problem::BarriersDiffer {
            other_warp,
            elsewhere: locate(program, kernel, other_at),
        },
        FaultKind::NeverEnds { steps, round } => Problem::NeverEnds {
            steps,
            lines: span(program, kernel, &round),
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
            there: Box::new(locate(program, kernel, met.at)),
            proxy: met.proxy,
        },
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
    }
}
