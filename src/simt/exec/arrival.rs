//! Barriers in shared memory that count arrivals and bytes: `mbarrier`.
//!
//! A phase ends when `count` arrivals and all announced bytes have come; then the next
//! begins. `try_wait` says whether the phase of a parity has ended, and never waits: the
//! loop round it does.

use super::lanes::handlers;
use super::shared::within;
use super::turn::{Inst, Turn, lanes_of};
use crate::block::BlockState;
use crate::causal::{Clock, Space, Touch};
use crate::fault::{Access, Awaited, Memory, Problem};

/// Bytes of an mbarrier.
const BYTES: u32 = 8;

/// One mbarrier.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrival {
    pub offset: u32,
    count: u32,
    missing: u32,
    bytes: i64,
    /// Phases that have ended.
    pub phase: u32,
    /// Its copies, as an agent of the clocks.
    pub engine: u32,
    /// What those brought who came in this phase, and in all before.
    coming: Clock,
    done: Clock,
}

impl Arrival {
    fn close(&mut self) {
        if self.missing == 0 && self.bytes == 0 {
            self.phase += 1;
            self.missing = self.count;
            self.done.join(&std::mem::take(&mut self.coming));
        }
    }

    /// Bytes of a copy have come.
    pub fn landed(&mut self, bytes: u32, clock: &Clock) {
        self.bytes -= i64::from(bytes);
        self.coming.join(clock);
        self.close();
    }
}

/// The mbarrier at an offset.
pub(crate) fn at(block: &mut BlockState, offset: u32) -> Option<&mut Arrival> {
    block.arrivals.iter_mut().find(|a| a.offset == offset)
}

/// Stops a launch that uses an mbarrier which nobody initialised.
pub(crate) fn unknown(turn: &mut Turn<'_>, inst: &Inst, lane: u32, offset: u32) -> bool {
    let memory = Memory::Shared {
        bytes: u64::from(turn.block.shared_bytes),
    };
    let kind = Problem::NeverWritten {
        address: u64::from(offset),
        bytes: BYTES,
        memory,
        offset: i64::from(offset),
    };
    turn.fail(inst, lane, kind)
}

/// Notes that this warp uses the mbarrier's word.
fn used(turn: &mut Turn<'_>, inst: &Inst, lane: u32, offset: u32, first: bool) -> bool {
    let touch = Touch {
        space: Space::Shared(turn.block.view.block),
        offset: u64::from(offset),
        bytes: u64::from(BYTES),
        access: if first { Access::Write } else { Access::Atomic },
        atomic: if first { 0 } else { BYTES as u8 },
        at: inst.at,
    };
    turn.ordered(inst, lane, touch)
}

/// The mbarrier of each lane.
///
/// # Safety
/// As for `Handler`: a is 64 bits wide.
unsafe fn offsets(turn: &mut Turn<'_>, inst: &Inst) -> [u32; 32] {
    let offset = i64::from(inst.x) as u64;
    // SAFETY: the caller's promise.
    unsafe { turn.lanes::<u64>(inst.a) }.map(|address| within(address.wrapping_add(offset)))
}

/// # Safety
/// As for `Handler`: a the address, b the count.
unsafe fn begin(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on.
    let (offsets, counts) = unsafe { (offsets(turn, inst), turn.lanes::<u32>(inst.b)) };
    for lane in lanes_of(turn.mask) {
        let (offset, count) = (offsets[lane], counts[lane]);
        if u64::from(offset) + u64::from(BYTES) > u64::from(turn.block.shared_bytes)
            || !offset.is_multiple_of(BYTES)
        {
            return unknown(turn, inst, lane as u32, offset);
        }
        if !used(turn, inst, lane as u32, offset, true) {
            return false;
        }
        turn.block
            .arrivals
            .retain(|arrival| arrival.offset != offset);
        turn.block.arrivals.push(Arrival {
            offset,
            count,
            missing: count,
            engine: turn.global.causal(|causal| causal.engine()).unwrap_or(0),
            ..Arrival::default()
        });
    }
    true
}

/// # Safety
/// As for `Handler`: a the address, b arrivals, c bytes that are announced.
unsafe fn come(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on.
    let (offsets, counts, bytes) = unsafe {
        (
            offsets(turn, inst),
            turn.lanes::<u32>(inst.b),
            turn.lanes::<u32>(inst.c),
        )
    };
    let agent = turn.agent();
    for lane in lanes_of(turn.mask) {
        let offset = offsets[lane];
        if !used(turn, inst, lane as u32, offset, false) {
            return false;
        }
        let given = turn.global.causal(|causal| causal.give(agent));
        let Some(arrival) = at(turn.block, offset) else {
            return unknown(turn, inst, lane as u32, offset);
        };
        let Some(missing) = arrival.missing.checked_sub(counts[lane]) else {
            let count = arrival.count;
            return turn.fail(inst, lane as u32, Problem::Overcounted { offset, count });
        };
        arrival.missing = missing;
        arrival.bytes += i64::from(bytes[lane]);
        arrival.coming.join(&given.unwrap_or_default());
        arrival.close();
        turn.block.moves += 1;
    }
    true
}

/// # Safety
/// As for `Handler`: a the address, b the parity; d a predicate.
unsafe fn ended(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on.
    let (offsets, parities) = unsafe { (offsets(turn, inst), turn.lanes::<u32>(inst.b)) };
    let first = turn.first();
    let (offset, parity) = (offsets[first], parities[first] & 1);
    if lanes_of(turn.mask).any(|lane| offsets[lane] != offset || parities[lane] & 1 != parity) {
        let what = "lanes of one warp that wait for different mbarriers";
        return turn.fail(inst, first as u32, Problem::Unsupported { what });
    }
    if !used(turn, inst, first as u32, offset, false) {
        return false;
    }
    let (agent, warp) = (turn.agent(), turn.warp as usize);
    let Some(arrival) = at(turn.block, offset) else {
        return unknown(turn, inst, first as u32, offset);
    };
    let yes = arrival.phase & 1 != parity;
    let awaited = (!yes).then_some(Awaited {
        offset,
        parity,
        missing: arrival.missing,
        count: arrival.count,
        bytes: arrival.bytes,
    });
    if yes {
        let done = arrival.done.clone();
        turn.global.causal(|causal| causal.take(agent, &done));
    }
    if let Some(place) = turn.block.awaits.get_mut(warp) {
        *place = awaited;
    }
    super::pred::set(turn, inst.d, u32::from(yes).wrapping_neg());
    true
}

/// # Safety
/// None needed; the signature is a handler's.
unsafe fn order(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    let (agent, proxy) = (turn.agent(), inst.x != 0);
    turn.global.causal(|causal| match proxy {
        true => causal.fence_proxy(agent),
        false => causal.fence(agent),
    });
    true
}

handlers! {
    /// `mbarrier.init`
    pub(crate) fn init = begin
}
handlers! {
    /// `mbarrier.arrive`, with `expect_tx` too.
    pub(crate) fn arrive = come
}
handlers! {
    /// `mbarrier.try_wait.parity`
    pub(crate) fn try_wait = ended
}
handlers! {
    /// `fence.acq_rel`, `membar`; with x, `fence.proxy.async`.
    pub(crate) fn fence = order
}
