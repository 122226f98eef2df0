//! `cp.async`: copies from global to shared memory that arrive later.
//!
//! The source is read when the copy is issued; the bytes reach shared memory as
//! late as the program permits, when the thread waits for their group. A kernel
//! that forgets to wait, or waits for too few groups, reads old bytes here.

use std::collections::VecDeque;

use super::global;
use super::lanes::handlers;
use super::shared;
use super::turn::{Inst, Turn, WARP, lanes_of};
use crate::causal::{Space, Touch};
use crate::fault::Access;

/// One warp's copies under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    groups: VecDeque<Vec<Piece>>,
    open: Vec<Piece>,
}

impl Copies {
    pub fn clear(&mut self) {
        self.groups.clear();
        self.open.clear();
    }
}

/// One lane's copy.
#[derive(Clone, Copy, Debug)]
struct Piece {
    lane: u32,
    offset: u32,
    bytes: u32,
    words: [u32; 4],
}

/// # Safety
/// As for `Handler`. Listed: destination and its offset, source and its offset,
/// bytes of the source; x is the size, and above bit 8 the number under which the
/// reading half is counted.
unsafe fn issue(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    let (bytes, source) = (inst.x as u32 & 0xff, inst.x as u32 >> 8);
    let [to, to_offset, from, from_offset, taken] = [0, 1, 2, 3, 4].map(|k| turn.listed(inst, k));
    // SAFETY: registers of these widths (`Handler`).
    let (to, to_offset, from, from_offset, taken) = unsafe {
        (
            turn.lanes::<u64>(to),
            turn.lanes::<u32>(to_offset),
            turn.lanes::<u64>(from),
            turn.lanes::<u32>(from_offset),
            turn.lanes::<u32>(taken),
        )
    };
    let offsets: [u32; WARP] = std::array::from_fn(|lane| {
        let address = to[lane].wrapping_add(i64::from(to_offset[lane] as i32) as u64);
        shared::within(address)
    });
    let sources: [u64; WARP] = std::array::from_fn(|lane| {
        from[lane].wrapping_add(i64::from(from_offset[lane] as i32) as u64)
    });
    let all = turn.mask;
    // The place is taken from now on: nobody else may be using it.
    turn.arrives_later = true;
    let pattern = shared::resolve(turn, inst, &offsets, bytes, Access::Write);
    turn.arrives_later = false;
    let Some(pattern) = pattern else { return false };
    shared::keep(turn, inst, pattern);
    let reading = lanes_of(all)
        .filter(|&lane| taken[lane] > 0)
        .fold(0, |m, lane| m | 1 << lane);
    if reading != 0 {
        turn.mask = reading;
        // The reading half is counted apart from the writing half.
        let inst = Inst {
            at: source,
            ..*inst
        };
        let place = global::resolve(turn, &inst, &sources, bytes, Access::Read);
        turn.mask = all;
        match place {
            Some(global::Place::One(_, pattern)) => shared::keep(turn, &inst, pattern),
            Some(global::Place::Several) => {}
            None => return false,
        }
    }
    let memory = turn.global;
    for lane in lanes_of(all) {
        let mut words = [0; 4];
        let here = memory.locate(sources[lane]).filter(|_| taken[lane] > 0);
        if let Some(at) = here
            && let Some(buffer) = memory.buffers.get(at.buffer)
        {
            let length = taken[lane].min(bytes);
            for (k, word) in words
                .iter_mut()
                .take(length.div_ceil(4) as usize)
                .enumerate()
            {
                let left = length - 4 * k as u32;
                let kept = if left >= 4 {
                    u32::MAX
                } else {
                    (1 << (8 * left)) - 1
                };
                *word = buffer.load(at.offset as usize / 4 + k) & kept;
            }
        }
        let piece = Piece {
            lane: lane as u32,
            offset: offsets[lane],
            bytes,
            words,
        };
        if let Some(copies) = turn.block.copies.get_mut(turn.warp as usize) {
            copies.open.push(piece);
        }
    }
    true
}

/// # Safety
/// None needed; the signature is a handler's.
unsafe fn close_group(turn: &mut Turn<'_>, _: &Inst) -> bool {
    if let Some(copies) = turn.block.copies.get_mut(turn.warp as usize) {
        let group = std::mem::take(&mut copies.open);
        copies.groups.push_back(group);
    }
    true
}

/// # Safety
/// None needed; the signature is a handler's.
unsafe fn arrive(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    let warp = turn.warp as usize;
    let Some(mut copies) = turn.block.copies.get_mut(warp).map(std::mem::take) else {
        return true;
    };
    // -1 is `wait_all`, which waits for uncommitted copies too.
    let keep = usize::try_from(inst.x).unwrap_or(0);
    if inst.x < 0 {
        let open = std::mem::take(&mut copies.open);
        copies.groups.push_back(open);
    }
    let mut going = true;
    while copies.groups.len() > keep && going {
        for piece in copies.groups.pop_front().unwrap_or_default() {
            going &= land(turn, inst, &piece);
        }
    }
    if let Some(place) = turn.block.copies.get_mut(warp) {
        *place = copies;
    }
    going
}

/// Puts one piece into shared memory.
fn land(turn: &mut Turn<'_>, inst: &Inst, piece: &Piece) -> bool {
    if turn.global.is_exact() {
        let touch = Touch {
            space: Space::Shared(turn.block.view.block),
            offset: u64::from(piece.offset),
            bytes: u64::from(piece.bytes),
            access: Access::Write,
            atomic: 0,
            at: inst.at,
        };
        if !turn.ordered(inst, piece.lane, touch) {
            return false;
        }
    } else if turn.check {
        let Piece {
            lane,
            offset,
            bytes,
            ..
        } = *piece;
        let (who, watch) = ((turn.warp, lane), &mut turn.block.watch);
        let stamp = watch.stamp(who.0);
        if let Err(kind) = watch.check(stamp, who, offset, bytes, Access::Write) {
            return turn.fail(inst, lane, *kind);
        }
        watch.wrote(stamp, who, offset, bytes, false, true);
    }
    let first = piece.offset as usize / 4;
    let place = turn
        .block
        .shared
        .get_mut(first..first + piece.bytes as usize / 4);
    for (to, from) in place.unwrap_or_default().iter_mut().zip(piece.words) {
        *to = from;
    }
    true
}

handlers! {
    /// `cp.async`: x as [`issue`] has it.
    pub(crate) fn copy = issue
}
handlers! {
    /// `cp.async.commit_group`
    pub(crate) fn commit = close_group
}
handlers! {
    /// `cp.async.wait_group`: x groups may still be under way; −1 for none at all.
    pub(crate) fn wait = arrive
}
