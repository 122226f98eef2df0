//! Cooperative grids: all blocks are resident and may wait for each other.
//!
//! They advance in rounds. In the first half of a round every block runs until
//! each of its warps waits: at a barrier, or before an instruction that talks to
//! other blocks (an atomic, an acquire, a volatile access). In the second half
//! those instructions are executed, block after block. Nothing depends on the
//! number of threads: results and counts are the same every time.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher};

use super::Stop;
use super::setup::Setup;
use super::worker::{Stopped, Worker};
use crate::block::State;
use crate::fault::{Fault, FaultKind};
use crate::run::{self, Turned};
use crate::tally::Tally;

/// Quiet rounds after which the states of warps are compared.
const PATIENCE: u32 = 16;
/// States that are remembered: a spin loop comes back to one of them.
const REMEMBERED: usize = 8;

/// Runs a cooperative grid on one thread or several.
pub(super) fn run(setup: &Setup<'_>, threads: usize, stop: Stop<'_>) -> Result<Tally, Stopped> {
    let count = setup.blocks();
    let threads = threads.clamp(1, count.max(1) as usize);
    let mut workers: Vec<Worker<'_>> = (0..count)
        .map(|number| {
            let mut worker = Worker::new(setup);
            worker.begin(setup.index(number));
            worker
        })
        .collect();
    let mut tallies: Vec<Tally> = (0..threads).map(|_| setup.tally()).collect();
    let share = workers.len().div_ceil(threads).max(1);
    let mut quiet = 0;
    let mut states = VecDeque::new();
    loop {
        let moved = half(&mut workers, &mut tallies, share)?;
        let Some(tally) = tallies.first_mut() else {
            break;
        };
        let spoke = talk(setup, &mut workers, tally)?;
        if workers.iter().all(done) || stop() {
            break;
        }
        quiet = if moved || spoke { 0 } else { quiet + 1 };
        if quiet <= PATIENCE {
            states.clear();
            continue;
        }
        // Memory stays as it is; if the warps do too, they always will.
        let mut hasher = DefaultHasher::new();
        workers.iter().for_each(|worker| worker.hash(&mut hasher));
        let state = hasher.finish();
        if states.contains(&state) {
            return Err(stuck(&workers, Vec::new(), 0));
        }
        states.push_back(state);
        if states.len() > REMEMBERED {
            states.pop_front();
        }
    }
    let mut all = tallies.into_iter();
    let mut tally = all.next().unwrap_or_default();
    all.for_each(|other| tally.merge(other));
    Ok(tally)
}

pub(super) fn done(worker: &Worker<'_>) -> bool {
    worker.warps.iter().all(|warp| warp.state == State::Done)
}

/// Every block runs until its warps wait; whether one came to its end or through a barrier.
fn half(workers: &mut [Worker<'_>], tallies: &mut [Tally], share: usize) -> Result<bool, Stopped> {
    let run = |workers: &mut [Worker<'_>], tally: &mut Tally| -> Result<bool, Stopped> {
        let mut moved = false;
        for worker in workers {
            moved |= worker.settle(tally)?;
        }
        Ok(moved)
    };
    if tallies.len() == 1 {
        let Some(tally) = tallies.first_mut() else {
            return Ok(false);
        };
        return run(workers, tally);
    }
    let results: Vec<Result<bool, Stopped>> = std::thread::scope(|scope| {
        let spawned: Vec<_> = workers
            .chunks_mut(share)
            .zip(tallies)
            .map(|(workers, tally)| scope.spawn(|| run(workers, tally)))
            .collect();
        spawned
            .into_iter()
            .filter_map(|thread| thread.join().ok())
            .collect()
    });
    let mut moved = false;
    for result in results {
        moved |= result?;
    }
    Ok(moved)
}

/// Executes what the blocks say to each other; whether memory changed.
fn talk(setup: &Setup<'_>, workers: &mut [Worker<'_>], tally: &mut Tally) -> Result<bool, Stopped> {
    let mut changed = false;
    for worker in workers {
        for warp in &mut worker.warps {
            let State::Communicating { at } = warp.state else {
                continue;
            };
            let before = setup.launch.global.changes();
            changed |= setup.stores(at);
            let turned = run::communicate(setup.launch, warp, &mut worker.state, tally);
            if let Turned::Stopped(fault) = turned {
                return Err(Stopped {
                    block: worker.state.index,
                    fault: *fault,
                });
            }
            changed |= setup.launch.global.changes() != before;
        }
    }
    Ok(changed)
}

/// Nobody can go on: all who wait, beside those who `returned` before, and how many
/// blocks are outside.
pub(super) fn stuck(workers: &[Worker<'_>], mut returned: Vec<[u32; 3]>, outside: u64) -> Stopped {
    let waiting: Vec<_> = workers.iter().flat_map(Worker::waiting).collect();
    let gone = workers.iter().filter(|worker| done(worker));
    returned.extend(gone.map(|worker| worker.state.index));
    let (block, at, thread) = waiting.first().map_or(([0; 3], 0, 0), |first| {
        (first.block, first.at, first.warp * 32)
    });
    Stopped {
        block,
        fault: Fault {
            kind: FaultKind::Deadlock {
                waiting,
                returned,
                outside,
            },
            at,
            thread,
        },
    }
}
