//! A warp's turn: basic block after basic block, splitting where lanes disagree
//! and meeting again at the branch's immediate post-dominator.

use super::block::{BlockState, Frame, State, Warp};
use super::causal::Sem;
use super::exec::Turn;
use super::fault::{Fault, Problem};
use super::memory::Global;
use super::program::{Block, Class, End, Kernel, NEVER};
use super::tally::Tally;

/// Everything that stays the same while blocks of one launch execute.
pub(crate) struct Launch<'a> {
    pub kernel: &'a Kernel,
    pub global: &'a Global,
    /// The parameters as words.
    pub params: &'a [u32],
    pub count: bool,
    pub check: bool,
    /// Blocks are resident together and talk to each other in rounds.
    pub cooperative: bool,
    /// Warp instructions after which a block counts as endless.
    pub limit: u64,
    /// Threads that have returned are missed at barriers.
    pub strict_barriers: bool,
}

/// Warp instructions after which other warps get a turn.
pub(crate) const SLICE: u64 = 20_000;

/// Why a warp's turn is over; its state says the rest.
pub(crate) enum Turned {
    Waits,
    Stopped(Box<Fault>),
}

/// Runs a ready warp until it waits, returns, or its time slice is over.
pub(crate) fn turn(
    launch: &Launch<'_>,
    warp: &mut Warp,
    block: &mut BlockState,
    tally: &mut Tally,
    slice: u64,
) -> Turned {
    let kernel = launch.kernel;
    let started = tally.steps;
    let mut turn = Turn {
        rows: &mut warp.rows,
        preds: &mut warp.preds,
        mask: 0,
        live: warp.live,
        warp: warp.number,
        lists: &kernel.lists,
        params: launch.params,
        block,
        global: launch.global,
        tally,
        count: launch.count,
        check: launch.check,
        collective: false,
        arrives_later: false,
        talks: false,
        sem: Sem::default(),
        fault: None,
    };
    let mut stack = Stack {
        frames: &mut warp.stack,
    };
    let state = loop {
        let Some((at, mask)) = stack.settle(turn.live) else {
            break State::Done;
        };
        turn.mask = mask;
        let Some(block) = kernel.blocks.get(at as usize) else {
            break State::Done;
        };
        if let Some(tally) = turn.tally.blocks.get_mut(at as usize) {
            tally.runs += 1;
            tally.lanes += u64::from(mask.count_ones());
        }
        turn.tally.steps += u64::from(block.end - block.start) + 1;
        for inst in kernel
            .code
            .get(block.start as usize..block.end as usize)
            .unwrap_or_default()
        {
            // SAFETY: lowering chose the handler for this processor and gave it
            // registers of this kernel, of which the warp has all.
            if !unsafe { (inst.run)(&mut turn, inst) } {
                return stopped(&mut turn);
            }
        }
        if let Some(state) = finish(launch, block, at, &mut turn, &mut stack) {
            break state;
        }
        if turn.tally.steps - started > slice {
            break State::Ready;
        }
    };
    if turn.fault.is_some() {
        return stopped(&mut turn);
    }
    warp.live = turn.live;
    warp.state = state;
    Turned::Waits
}

fn stopped(turn: &mut Turn<'_>) -> Turned {
    let unknown = || {
        let kind = Problem::Unsupported {
            what: "an instruction",
        }
        .into();
        Box::new(Fault {
            kind,
            at: 0,
            thread: turn.warp * 32,
        })
    };
    Turned::Stopped(turn.fault.take().unwrap_or_else(unknown))
}

/// Follows the end of a block; a state where the warp's turn ends with it.
#[inline(always)]
fn finish(
    launch: &Launch<'_>,
    block: &Block,
    number: u32,
    turn: &mut Turn<'_>,
    stack: &mut Stack<'_>,
) -> Option<State> {
    match block.end_kind {
        End::Jump(next) => stack.go(next),
        End::Branch {
            pred,
            negated,
            taken,
            other,
            join,
            predicated,
            ..
        } => {
            let pred = turn.preds.get(pred as usize).copied().unwrap_or_default();
            let yes = turn.mask & if negated { !pred } else { pred };
            if yes == turn.mask {
                stack.go(taken);
            } else if yes == 0 {
                stack.go(other);
            } else {
                if !predicated && let Some(tally) = turn.tally.blocks.get_mut(number as usize) {
                    tally.divergent += 1;
                }
                let (yes, no) = ((taken, yes), (other, turn.mask & !yes));
                // Who returns goes first: nobody has to wait for it any more. So does who
                // traps, which ends the launch while the others may wait for ever.
                let end = launch.kernel.blocks.get(other as usize).map(|b| b.end_kind);
                if matches!(end, Some(End::Exit | End::Trap { .. })) {
                    stack.split(no, yes, join);
                } else {
                    stack.split(yes, no, join);
                }
            }
        }
        End::Exit => {
            turn.live &= !turn.mask;
            stack.frames.pop();
        }
        End::Barrier {
            id,
            threads,
            wait,
            next,
            at,
        } => {
            if turn.mask != turn.live && stack.others_first(launch.kernel) {
                // It has not been executed yet, and will be counted then.
                if let Some(tally) = turn.tally.blocks.get_mut(number as usize) {
                    tally.runs -= 1;
                    tally.lanes -= u64::from(turn.mask.count_ones());
                }
                return None;
            }
            stack.go(next);
            return barrier(turn, id, threads, wait, at);
        }
        End::Yield(next) => {
            stack.go(next);
            return Some(State::Ready);
        }
        End::Communicate { inst, next } => {
            if launch.cooperative {
                return Some(State::Communicating { at: inst });
            }
            stack.go(next);
            if !perform(launch.kernel, inst, turn) {
                return Some(State::Done);
            }
        }
        End::Trap { at } => {
            let lane = turn.mask.trailing_zeros();
            turn.fault = Some(Box::new(Fault {
                kind: Problem::Trap.into(),
                at,
                thread: turn.warp * 32 + lane,
            }));
            return Some(State::Done);
        }
    }
    None
}

/// Executes one instruction that talks to other blocks, by number.
fn perform(kernel: &Kernel, inst: u32, turn: &mut Turn<'_>) -> bool {
    let Some(inst) = kernel.code.get(inst as usize) else {
        return true;
    };
    if turn.check {
        let info = kernel.info.get(inst.at as usize);
        if turn.global.is_exact() {
            turn.sem = info.map_or_else(Sem::default, |info| Sem::of(&info.name));
        }
        let class = info.map(|info| info.class);
        let (loads, stores) = (Some(Class::GlobalLoad), Some(Class::GlobalStore));
        let view = &mut turn.block.view;
        turn.global
            .order
            .talk(view, class != loads, class != stores);
    }
    turn.talks = true;
    // SAFETY: as in `turn`.
    let going = unsafe { (inst.run)(turn, inst) };
    turn.talks = false;
    going
}

/// What a warp that arrives at a barrier does next.
fn barrier(
    turn: &mut Turn<'_>,
    id: u32,
    threads: Option<u32>,
    wait: bool,
    at: u32,
) -> Option<State> {
    if turn.mask != turn.live {
        let missing = (turn.live & !turn.mask).trailing_zeros();
        turn.fault = Some(Box::new(Fault {
            kind: Problem::BarrierSkipped {
                missing: turn.warp * 32 + missing,
            }
            .into(),
            at,
            thread: turn.warp * 32 + turn.mask.trailing_zeros(),
        }));
        return Some(State::Done);
    }
    // SAFETY: lowering gave rows of the kernel.
    let uniform = |turn: &mut Turn<'_>, row: u32| unsafe { turn.lanes::<u32>(row) }[turn.first()];
    let id = uniform(turn, id);
    let threads = threads.map_or(0, |row| uniform(turn, row));
    if !wait {
        let here = turn.live.count_ones();
        if let Some(arrived) = turn.block.arrived.get_mut(id as usize) {
            *arrived += here;
        }
        let (block, warp) = (turn.block.view.block, turn.warp);
        turn.global.causal(|causal| causal.arrive(block, id, warp));
        return None;
    }
    Some(State::Barrier { id, threads, at })
}

/// Executes the instruction before which a warp paused.
pub(crate) fn communicate(
    launch: &Launch<'_>,
    warp: &mut Warp,
    block: &mut BlockState,
    tally: &mut Tally,
) -> Turned {
    let kernel = launch.kernel;
    let Some(&Frame {
        block: at, mask, ..
    }) = warp.stack.last()
    else {
        warp.state = State::Done;
        return Turned::Waits;
    };
    let Some(Block {
        end_kind: End::Communicate { inst, next },
        ..
    }) = kernel.blocks.get(at as usize).copied()
    else {
        warp.state = State::Ready;
        return Turned::Waits;
    };
    let mut turn = Turn {
        rows: &mut warp.rows,
        preds: &mut warp.preds,
        mask: mask & warp.live,
        live: warp.live,
        warp: warp.number,
        lists: &kernel.lists,
        params: launch.params,
        block,
        global: launch.global,
        tally,
        count: launch.count,
        check: launch.check,
        collective: false,
        arrives_later: false,
        talks: false,
        sem: Sem::default(),
        fault: None,
    };
    if !perform(kernel, inst, &mut turn) {
        return stopped(&mut turn);
    }
    Stack {
        frames: &mut warp.stack,
    }
    .go(next);
    warp.state = State::Ready;
    Turned::Waits
}

/// The lanes of a warp, split by where they are.
struct Stack<'a> {
    frames: &'a mut Vec<Frame>,
}

impl Stack<'_> {
    /// The block and the lanes that run next; `None` when all have returned.
    #[inline(always)]
    fn settle(&mut self, live: u32) -> Option<(u32, u32)> {
        loop {
            let frame = *self.frames.last()?;
            if frame.block == frame.join || frame.mask & live == 0 {
                self.frames.pop();
                continue;
            }
            return Some((frame.block, frame.mask & live));
        }
    }

    #[inline(always)]
    fn go(&mut self, block: u32) {
        if let Some(frame) = self.frames.last_mut() {
            frame.block = block;
        }
    }

    /// Lanes on their own way may still return or come to the same barrier: they
    /// go first. False where all others wait, or are to meet these lanes later.
    fn others_first(&mut self, kernel: &Kernel) -> bool {
        let Some(top) = self.frames.last().copied() else {
            return false;
        };
        let at_barrier = |frame: &Frame| {
            let block = kernel.blocks.get(frame.block as usize);
            block.is_some_and(|block| matches!(block.end_kind, End::Barrier { .. }))
        };
        let beside = self
            .frames
            .iter()
            .rev()
            .skip(1)
            .take_while(|f| f.join == top.join);
        let Some(below) = beside
            .enumerate()
            .find(|(_, f)| f.mask & top.mask == 0 && !at_barrier(f))
            .map(|(below, _)| below)
        else {
            return false;
        };
        let other = self.frames.remove(self.frames.len() - 2 - below);
        self.frames.push(other);
        true
    }

    /// Two ways from here, which meet at `join`.
    fn split(&mut self, taken: (u32, u32), other: (u32, u32), join: u32) {
        let Some(top) = self.frames.last_mut() else {
            return;
        };
        let outer = top.join;
        let inner = if join == NEVER || join == outer {
            // The frame below already waits where they meet.
            self.frames.pop();
            outer
        } else {
            top.block = join;
            join
        };
        for (block, mask) in [other, taken] {
            if block != inner || inner == NEVER {
                self.frames.push(Frame {
                    block,
                    join: inner,
                    mask,
                });
            }
        }
    }
}
