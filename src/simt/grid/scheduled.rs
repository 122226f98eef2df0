//! Grids in an order that a number chooses: which block and which warp goes next, and
//! how far; when a bulk copy arrives; how many blocks are resident at once.
//!
//! Where nothing has changed for a while, every warp gets its turn until something
//! does. If the warps then come back to a state they were in, they wait for ever.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher};

use super::Stop;
use super::setup::Setup;
use super::together::{done, stuck};
use super::worker::{Stopped, Worker};
use crate::block::State;
use crate::exec::bulk;
use crate::run::SLICE;
use crate::tally::Tally;

/// Quiet rounds after which everybody gets a turn.
const PATIENCE: u32 = 16;
/// States that are remembered then.
const REMEMBERED: usize = 8;
/// How many instructions a warp gets at once.
const SLICES: [u64; 4] = [1, 16, 256, SLICE];

/// Throws that a number decides.
struct Dice(Option<u64>);

impl Dice {
    /// A number below `sides`; 0 where no order was chosen.
    fn below(&mut self, sides: usize) -> usize {
        let Some(state) = &mut self.0 else { return 0 };
        // SplitMix64 (Steele, Lea, Flood 2014).
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % sides.max(1) as u64) as usize
    }

    /// True once in so many times; never where no order was chosen.
    fn one_in(&mut self, times: usize) -> bool {
        self.0.is_some() && self.below(times) == 0
    }

    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..count).collect();
        if self.0.is_some() {
            for left in (1..count).rev() {
                let other = self.below(left + 1);
                all.swap(left, other);
            }
        }
        all
    }
}

/// Runs a grid of which `resident` blocks (0: all) have room at once.
pub(super) fn run(
    setup: &Setup<'_>,
    order: Option<u64>,
    resident: u32,
    stop: Stop<'_>,
) -> Result<Tally, Stopped> {
    let mut dice = Dice(order);
    let blocks = setup.blocks();
    let mut waiting: VecDeque<usize> = dice.shuffled(blocks as usize).into();
    let room = match resident {
        0 => blocks as usize,
        some => (some as usize).min(blocks as usize),
    };
    let mut workers: Vec<Worker<'_>> = waiting
        .drain(..room)
        .map(|block| {
            let mut worker = Worker::new(setup);
            worker.begin(setup.index(block as u64));
            worker
        })
        .collect();
    // Some blocks are slower than others.
    let slow: Vec<bool> = (0..room).map(|_| dice.one_in(3)).collect();
    let mut tally = setup.tally();
    let mut returned = Vec::new();
    let (mut quiet, mut states) = (0, VecDeque::new());
    loop {
        let everybody = quiet > PATIENCE;
        let before = (setup.launch.global.changes(), returned.len());
        let mut moved = false;
        for at in dice.shuffled(room) {
            let late = slow.get(at).is_some_and(|slow| *slow) && !dice.one_in(4);
            let Some(worker) = workers.get_mut(at).filter(|_| everybody || !late) else {
                continue;
            };
            moved |= round(setup, worker, everybody, &mut dice, &mut tally)?;
            if done(worker)
                && let Some(next) = waiting.pop_front()
            {
                returned.push(worker.state.index);
                worker.begin(setup.index(next as u64));
            }
        }
        moved |= before != (setup.launch.global.changes(), returned.len());
        if stop() || workers.iter().all(done) && waiting.is_empty() {
            return Ok(tally);
        }
        quiet = if moved { 0 } else { quiet + 1 };
        if !everybody || moved {
            states.clear();
            continue;
        }
        let mut hasher = DefaultHasher::new();
        workers.iter().for_each(|worker| worker.hash(&mut hasher));
        let state = hasher.finish();
        if states.contains(&state) {
            return Err(stuck(&workers, returned, waiting.len() as u64));
        }
        states.push_back(state);
        if states.len() > REMEMBERED {
            states.pop_front();
        }
    }
}

/// Some of a block's warps go on, some of its copies arrive; whether that changed what
/// others may wait for.
fn round(
    setup: &Setup<'_>,
    worker: &mut Worker<'_>,
    everybody: bool,
    dice: &mut Dice,
    tally: &mut Tally,
) -> Result<bool, Stopped> {
    let before = (worker.state.moves, worker.living());
    let mut moved = false;
    for at in dice.shuffled(worker.warps.len()) {
        if !everybody && dice.one_in(3) {
            continue;
        }
        let slice = match everybody || dice.0.is_none() {
            true => SLICE,
            false => SLICES
                .get(dice.below(SLICES.len()))
                .copied()
                .unwrap_or(SLICE),
        };
        match worker.warps.get(at).map(|warp| warp.state) {
            Some(State::Ready) => worker.turn(at, slice, tally)?,
            Some(State::Communicating { at: instruction }) => {
                worker.speak(at, tally)?;
                moved |= setup.stores(instruction);
            }
            _ => {}
        }
        // Copies arrive in any order, and at any time.
        while !worker.state.flights.is_empty() && (everybody || dice.0.is_none() || dice.one_in(3))
        {
            let which = dice.below(worker.state.flights.len());
            bulk::land(&mut worker.state, setup.launch.global, which);
        }
    }
    moved |= worker.open_barriers(tally)?;
    Ok(moved || before != (worker.state.moves, worker.living()))
}
