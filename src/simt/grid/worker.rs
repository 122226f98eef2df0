//! One block under execution: its warps take turns until all have returned.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::setup::Setup;
use crate::block::{BARRIERS, BlockState, Frame, State, Warp};
use crate::exec::turn::FULL;
use crate::fault::{Fault, FaultKind, How, Polled, Problem, Waiting};
use crate::memory::POISON;
use crate::program::{Constant, NEVER, Special};
use crate::run::{self, Turned};
use crate::tally::Tally;

/// Warp instructions after the limit in which an endless loop shows itself.
const ROUND: u64 = 200_000;

/// Warp instructions after which a block is watched for standing still.
const LONG: u64 = 50_000_000;
/// States that are remembered: a spin loop comes back to one of them.
const REMEMBERED: usize = 8;

/// A block in which something went wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stopped {
    pub block: [u32; 3],
    pub fault: Fault,
}

/// Memory and warps that are used for one block after the other.
pub(crate) struct Worker<'a> {
    setup: &'a Setup<'a>,
    pub state: BlockState,
    pub warps: Vec<Warp>,
    /// Warp instructions of this block so far.
    steps: u64,
}

impl<'a> Worker<'a> {
    pub fn new(setup: &'a Setup<'a>) -> Worker<'a> {
        Worker {
            setup,
            state: setup.state(),
            warps: setup.new_warps(),
            steps: 0,
        }
    }

    /// Makes ready for the block at `index`.
    pub fn begin(&mut self, index: [u32; 3]) {
        let (setup, kernel) = (self.setup, self.setup.launch.kernel);
        self.state.index = index;
        self.state.view.restart(setup.number(index) as u32);
        self.state.shared.fill(POISON);
        self.state
            .local
            .iter_mut()
            .for_each(|local| local.fill(POISON));
        self.state
            .copies
            .iter_mut()
            .for_each(|copies| copies.clear());
        if setup.launch.check {
            self.state.watch.restart();
        }
        self.state.arrivals.clear();
        self.state.flights.clear();
        self.state.products.fill_with(Default::default);
        self.state.awaits.fill(None);
        self.state.arrived = [0; BARRIERS];
        self.steps = 0;
        for warp in &mut self.warps {
            for (row, constant) in &kernel.constants {
                if let Constant::Special {
                    which: Special::Block(_),
                    ..
                } = constant
                {
                    setup.fill(&mut warp.rows, *row, *constant, warp.number, index);
                }
            }
            for row in &kernel.cleared {
                if let Some(row) = warp.rows.get_mut(*row as usize) {
                    row.0.fill(0);
                }
            }
            warp.preds.fill(0);
            let left = setup.threads() - warp.number * 32;
            warp.live = if left >= 32 { FULL } else { (1 << left) - 1 };
            warp.stack.clear();
            warp.stack.push(Frame {
                block: 0,
                join: NEVER,
                mask: warp.live,
            });
            warp.state = State::Ready;
        }
    }

    /// Runs the block to its end.
    pub fn finish(&mut self, tally: &mut Tally) -> Result<(), Stopped> {
        let mut states = VecDeque::new();
        while self.advance(tally)? {
            if self.warps.iter().all(|warp| warp.state == State::Done) {
                return Ok(());
            }
            if self.steps > LONG {
                // A block that comes back to a state it was in waits for another block.
                let mut hasher = DefaultHasher::new();
                self.hash(&mut hasher);
                let state = hasher.finish();
                if states.contains(&state) {
                    return Err(self.deadlock());
                }
                states.push_back(state);
                if states.len() > REMEMBERED {
                    states.pop_front();
                }
            }
        }
        Err(self.deadlock())
    }

    /// Runs until every warp waits or has returned; whether one came to its end or
    /// through a barrier.
    pub fn settle(&mut self, tally: &mut Tally) -> Result<bool, Stopped> {
        let living = |warps: &[Warp]| warps.iter().filter(|w| w.state != State::Done).count();
        let (before, barriers) = (living(&self.warps), tally.barriers);
        while self.warps.iter().any(|warp| warp.state == State::Ready) {
            self.advance(tally)?;
        }
        Ok(living(&self.warps) != before || tally.barriers != barriers)
    }

    /// Warps that have not returned.
    pub fn living(&self) -> usize {
        let living = |warp: &&Warp| warp.state != State::Done;
        self.warps.iter().filter(living).count()
    }

    /// Gives one warp a turn of about `slice` instructions.
    pub fn turn(&mut self, at: usize, slice: u64, tally: &mut Tally) -> Result<(), Stopped> {
        let before = tally.steps;
        let Some(warp) = self.warps.get_mut(at) else {
            return Ok(());
        };
        let turned = run::turn(self.setup.launch, warp, &mut self.state, tally, slice);
        self.steps += tally.steps - before;
        self.took(turned, tally)
    }

    /// Lets one warp execute the instruction that talks to others.
    pub fn speak(&mut self, at: usize, tally: &mut Tally) -> Result<(), Stopped> {
        let Some(warp) = self.warps.get_mut(at) else {
            return Ok(());
        };
        let turned = run::communicate(self.setup.launch, warp, &mut self.state, tally);
        self.took(turned, tally)
    }

    fn took(&mut self, turned: Turned, tally: &mut Tally) -> Result<(), Stopped> {
        match turned {
            Turned::Stopped(fault) => Err(Stopped {
                block: self.state.index,
                fault: *fault,
            }),
            Turned::Waits if self.steps > self.setup.launch.limit => Err(self.endless(tally)),
            Turned::Waits => Ok(()),
        }
    }

    /// Everything that decides how the warps go on, memory aside.
    pub fn hash(&self, hasher: &mut DefaultHasher) {
        for warp in self.warps.iter().filter(|warp| warp.state != State::Done) {
            warp.rows.iter().for_each(|row| row.0.hash(hasher));
            warp.preds.hash(hasher);
            for frame in &warp.stack {
                [frame.block, frame.join, frame.mask].hash(hasher);
            }
        }
    }

    /// Gives each ready warp a turn and opens barriers; whether anything moved.
    pub fn advance(&mut self, tally: &mut Tally) -> Result<bool, Stopped> {
        let mut moved = false;
        let before = tally.steps;
        for warp in &mut self.warps {
            if warp.state != State::Ready {
                continue;
            }
            moved = true;
            let turned = run::turn(self.setup.launch, warp, &mut self.state, tally, run::SLICE);
            if let Turned::Stopped(fault) = turned {
                return Err(Stopped {
                    block: self.state.index,
                    fault: *fault,
                });
            }
        }
        self.steps += tally.steps - before;
        if self.steps > self.setup.launch.limit {
            return Err(self.endless(tally));
        }
        Ok(self.open_barriers(tally)? || moved)
    }

    /// The block goes on for a while: what it executes then is the loop that does
    /// not end.
    fn endless(&mut self, tally: &mut Tally) -> Stopped {
        let before: Vec<u64> = tally.blocks.iter().map(|block| block.runs).collect();
        let until = tally.steps + ROUND;
        let mut goes_on = true;
        while goes_on && tally.steps < until {
            // All may stand at a barrier of the loop.
            goes_on = self.open_barriers(tally).unwrap_or(false);
            for warp in self.warps.iter_mut().filter(|w| w.state == State::Ready) {
                goes_on |= matches!(
                    run::turn(self.setup.launch, warp, &mut self.state, tally, run::SLICE),
                    Turned::Waits
                );
            }
        }
        let kernel = self.setup.launch.kernel;
        let runs = kernel.blocks.iter().zip(&tally.blocks).zip(before);
        let round = runs
            .filter(|((_, now), before)| now.runs > *before)
            .flat_map(|((block, _), _)| {
                let code = kernel.code.get(block.start as usize..block.end as usize);
                let code = code.unwrap_or_default().iter().map(|inst| inst.at);
                code.chain(Some(block.last).filter(|last| *last != NEVER))
            })
            .collect();
        let ready = self.warps.iter().find(|warp| warp.state == State::Ready);
        let goes_on = || self.warps.iter().find(|warp| warp.state != State::Done);
        let warp = ready.or_else(goes_on);
        let at = warp.and_then(|warp| self.position(warp)).unwrap_or(0);
        let thread = warp.map_or(0, |warp| warp.number * 32);
        let kind = FaultKind::NeverEnds {
            steps: self.steps,
            round,
        };
        Stopped {
            block: self.state.index,
            fault: Fault { kind, at, thread },
        }
    }

    /// The instruction before which a warp stands.
    pub fn position(&self, warp: &Warp) -> Option<u32> {
        match warp.state {
            State::Barrier { at, .. } => Some(at),
            State::Communicating { at } => {
                self.setup.launch.kernel.code.get(at as usize).map(|i| i.at)
            }
            _ => {
                let block = warp.stack.last()?.block;
                let kernel = self.setup.launch.kernel;
                let block = kernel.blocks.get(block as usize)?;
                match block.start == block.end && block.last != NEVER {
                    true => Some(block.last),
                    false => kernel.code.get(block.start as usize).map(|inst| inst.at),
                }
            }
        }
    }

    /// Lets go the warps of every barrier at which enough threads have arrived.
    pub fn open_barriers(&mut self, tally: &mut Tally) -> Result<bool, Stopped> {
        let mut opened = false;
        for id in 0..BARRIERS as u32 {
            let arrived = self.warps.iter().filter_map(|warp| match warp.state {
                State::Barrier {
                    id: at_id,
                    threads,
                    at,
                } if at_id == id => Some((warp.number, warp.live.count_ones(), threads, at)),
                _ => None,
            });
            let arrived: Vec<_> = arrived.collect();
            let Some(&(_, _, wanted, first_at)) = arrived.first() else {
                continue;
            };
            let waiting: u32 = arrived.iter().map(|(_, threads, ..)| threads).sum();
            let here = waiting + self.state.arrived.get(id as usize).copied().unwrap_or(0);
            let living: u32 = self
                .warps
                .iter()
                .filter(|warp| warp.state != State::Done)
                .map(|warp| warp.live.count_ones())
                .sum();
            let needed = if wanted == 0 { living } else { wanted };
            if here < needed {
                continue;
            }
            if wanted == 0
                && self.setup.launch.strict_barriers
                && let Some(missing) = self.returned()
            {
                let first = arrived.first().map_or(0, |(warp, ..)| *warp);
                let live = self.warps.get(first as usize).map_or(1, |warp| warp.live);
                let problem = Problem::BarrierMissed { missing };
                let fault = Fault {
                    kind: problem.into(),
                    at: first_at,
                    thread: first * 32 + (live.trailing_zeros() & 31),
                };
                return Err(Stopped {
                    block: self.state.index,
                    fault,
                });
            }
            if wanted == 0
                && let Some((warp, _, _, at)) = arrived
                    .iter()
                    .find(|(.., at)| !self.same_place(*at, first_at))
            {
                let first = arrived.first().map_or(0, |(warp, ..)| *warp);
                let kind = FaultKind::SplitBarrier {
                    other_warp: *warp,
                    other_at: *at,
                };
                let fault = Fault {
                    kind,
                    at: first_at,
                    thread: first * 32,
                };
                return Err(Stopped {
                    block: self.state.index,
                    fault,
                });
            }
            if let Some(arrived) = self.state.arrived.get_mut(id as usize) {
                *arrived = 0;
            }
            for warp in &mut self.warps {
                if matches!(warp.state, State::Barrier { id: at, .. } if at == id) {
                    warp.state = State::Ready;
                }
            }
            if let Some(reduction) = self.state.reductions.get_mut(id as usize) {
                reduction.close();
            }
            self.state.watch.barrier();
            let warps: Vec<u32> = arrived.iter().map(|(warp, ..)| *warp).collect();
            let block = self.state.view.block;
            let global = self.setup.launch.global;
            global.causal(|causal| causal.barrier(block, id, &warps));
            tally.barriers += 1;
            opened = true;
        }
        Ok(opened)
    }

    /// Whether two barriers are the same in the source: the compiler may have
    /// copied one into several branches.
    fn same_place(&self, a: u32, b: u32) -> bool {
        let info = |at: u32| self.setup.launch.kernel.info.get(at as usize);
        match (info(a), info(b)) {
            (Some(x), Some(y)) => a == b || x.place == y.place,
            _ => true,
        }
    }

    /// The first thread of the block that has returned.
    fn returned(&self) -> Option<u32> {
        let threads = self.setup.threads();
        self.warps.iter().find_map(|warp| {
            let live = match warp.state {
                State::Done => 0,
                _ => warp.live,
            };
            let thread = warp.number * 32 + (!live).trailing_zeros();
            (live != FULL && thread < threads).then_some(thread)
        })
    }

    /// Nobody can go on: who waits where.
    pub fn deadlock(&self) -> Stopped {
        let waiting = self.waiting();
        let (at, thread) = waiting
            .first()
            .map_or((0, 0), |first| (first.at, first.warp * 32));
        let fault = Fault {
            kind: FaultKind::Deadlock {
                waiting,
                returned: Vec::new(),
                outside: 0,
            },
            at,
            thread,
        };
        Stopped {
            block: self.state.index,
            fault,
        }
    }

    /// What a warp reads again and again, where that was watched.
    fn polled(&self, warp: &Warp) -> Option<Polled> {
        let (by, buffer, offset) = self.state.view.polls?;
        let found = self.setup.launch.global.buffers.get(buffer)?;
        (by == warp.number).then(|| Polled {
            buffer: found.name.clone(),
            offset,
            holds: found.load(offset as usize / 4),
        })
    }

    /// Every warp that has not returned, and where it stands.
    pub fn waiting(&self) -> Vec<Waiting> {
        let waits = self.warps.iter().filter(|warp| warp.state != State::Done);
        waits
            .map(|warp| {
                let barrier = matches!(warp.state, State::Barrier { .. });
                Waiting {
                    block: self.state.index,
                    warp: warp.number,
                    at: self.position(warp).unwrap_or(0),
                    how: if barrier { How::Barrier } else { How::Polling },
                    polls: (!barrier).then(|| self.polled(warp)).flatten(),
                    awaits: self
                        .state
                        .awaits
                        .get(warp.number as usize)
                        .copied()
                        .flatten()
                        .filter(|_| !barrier),
                }
            })
            .collect()
    }
}
