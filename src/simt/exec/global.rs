//! Loads and stores of global memory.

mod observe;

use super::element::{Count, Element};
use super::lanes::handlers;
use super::pattern::{Cost, Deltas, Pattern, deltas};
use super::shared::{Stored, keep};
use super::turn::{Inst, Turn, WARP, lanes_of};
use crate::fault::{Access, Memory, Problem};
use crate::memory::{Buffer, Located, SECTOR};

pub(crate) type Addresses = [u64; WARP];

/// Where an access goes.
pub(crate) enum Place {
    /// Into one buffer: the first active lane's place, and the pattern of all.
    One(Located, Box<Pattern>),
    /// Lanes in several buffers.
    Several,
}

/// Checks and counts an access of `bytes` per lane; `None` stops the launch.
#[inline(always)]
pub(crate) fn resolve(
    turn: &mut Turn<'_>,
    inst: &Inst,
    addresses: &Addresses,
    bytes: u32,
    access: Access,
) -> Option<Place> {
    let mask = turn.mask;
    let base = addresses[turn.first()];
    let mut differences: Deltas = [0; WARP];
    let near = deltas(mask, addresses, &mut differences);
    let phase = (base % SECTOR) as u32;
    if near && let Some(at) = turn.global.locate(base) {
        let site = turn.tally.sites.get_mut(inst.at as usize)?;
        let pattern = match site.known(mask, phase, &differences) {
            Some(pattern) => pattern,
            None => fresh(mask, phase, &differences, bytes, turn.count),
        };
        let buffer = turn.global.buffers.get(at.buffer)?;
        let first = at.offset + i64::from(pattern.low);
        let end = at.offset + i64::from(pattern.end);
        let inside = first >= 0 && end as u64 <= buffer.bytes;
        if inside && pattern.aligned && base.is_multiple_of(u64::from(bytes)) {
            if turn.count {
                observe::count(turn, inst, at, &pattern, bytes, access);
            }
            if turn.check
                && !(observe::written(turn, inst, at, &pattern, bytes, access)
                    && observe::apart(turn, inst, at, &pattern, bytes, access))
            {
                return None;
            }
            return Some(Place::One(at, pattern));
        }
    }
    several(turn, inst, addresses, bytes, access)
}

#[cold]
fn fresh(mask: u32, phase: u32, deltas: &Deltas, bytes: u32, count: bool) -> Box<Pattern> {
    let pattern = Pattern::new(mask, phase, deltas, bytes);
    Box::new(if count {
        pattern.with_sectors()
    } else {
        pattern
    })
}

/// Lanes in several buffers, one at a time; or the first that is nowhere.
#[cold]
fn several(
    turn: &mut Turn<'_>,
    inst: &Inst,
    addresses: &Addresses,
    bytes: u32,
    access: Access,
) -> Option<Place> {
    let mask = turn.mask;
    if let Some(lane) = lanes_of(mask).find(|&lane| fits(turn, addresses[lane], bytes).is_none()) {
        let kind = blame(turn, addresses[lane], bytes, access);
        turn.fail(inst, lane as u32, kind);
        return None;
    }
    let mut going = true;
    for lane in lanes_of(mask) {
        let Some(at) = fits(turn, addresses[lane], bytes) else {
            continue;
        };
        let phase = (addresses[lane] % SECTOR) as u32;
        let pattern = fresh(1 << lane, phase, &[0; WARP], bytes, true);
        turn.mask = 1 << lane;
        if turn.count {
            observe::count(turn, inst, at, &pattern, bytes, access);
        }
        going &= !turn.check
            || observe::written(turn, inst, at, &pattern, bytes, access)
                && observe::apart(turn, inst, at, &pattern, bytes, access);
    }
    turn.mask = mask;
    going.then_some(Place::Several)
}

/// Where one lane's access lies, if inside of a buffer and aligned.
fn fits(turn: &Turn<'_>, address: u64, bytes: u32) -> Option<Located> {
    let wide = u64::from(bytes);
    let at = turn.global.locate(address)?;
    let buffer = turn.global.buffers.get(at.buffer)?;
    let inside = at.offset >= 0
        && at.offset as u64 + wide <= buffer.bytes
        && (at.offset as u64).is_multiple_of(wide);
    inside.then_some(at)
}

/// What is wrong with an address.
fn blame(turn: &Turn<'_>, address: u64, bytes: u32, access: Access) -> Problem {
    let located = turn.global.locate(address);
    let buffer = located.and_then(|at| turn.global.buffers.get(at.buffer));
    let memory = buffer.map_or(Memory::Nowhere, name);
    let offset = located.map_or(0, |at| at.offset);
    let end = offset.saturating_add(i64::from(bytes));
    let inside = buffer.is_some_and(|buffer| offset >= 0 && end as u64 <= buffer.bytes);
    Problem::refused_access(inside, access, address, bytes, memory, offset)
}

fn name(buffer: &Buffer) -> Memory {
    Memory::Buffer {
        name: buffer.name.clone(),
        bytes: buffer.bytes,
    }
}

/// The addresses of the lanes: a register and an offset.
///
/// # Safety
/// `inst.a` is a register of 64 bits.
#[inline(always)]
pub(crate) unsafe fn addresses(turn: &mut Turn<'_>, inst: &Inst) -> Addresses {
    // SAFETY: the caller's promise.
    let mut lanes = unsafe { turn.lanes::<u64>(inst.a) };
    let offset = i64::from(inst.x) as u64;
    for lane in &mut lanes {
        *lane = lane.wrapping_add(offset);
    }
    lanes
}

/// Register number `k` of a load's results or a store's values.
#[inline(always)]
pub(crate) fn part<N: Count>(turn: &Turn<'_>, inst: &Inst, k: u32, single: u32) -> u32 {
    if N::N == 1 {
        single
    } else {
        turn.listed(inst, k)
    }
}

/// # Safety
/// As for `Handler`: a is 64 bits wide, the results as wide as `E::Lane`.
#[inline(always)]
unsafe fn load_lanes<E: Element, N: Count>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on.
    let lanes = unsafe { addresses(turn, inst) };
    // SAFETY: passed on.
    unsafe { load_at::<E, N>(turn, inst, &lanes) }
}

/// # Safety
/// As for `load_lanes`.
#[inline(always)]
pub(crate) unsafe fn load_at<E: Element, N: Count>(
    turn: &mut Turn<'_>,
    inst: &Inst,
    lanes: &Addresses,
) -> bool {
    let Some(place) = resolve(turn, inst, lanes, E::BYTES * N::N, Access::Read) else {
        return false;
    };
    let (global, mask) = (turn.global, turn.mask);
    for k in 0..N::N {
        let row = part::<N>(turn, inst, k, inst.d);
        // SAFETY: a result register (`Handler`).
        let d = unsafe { turn.row::<E::Lane>(row) };
        match &place {
            Place::One(at, pattern) => {
                let Some(buffer) = global.buffers.get(at.buffer) else {
                    return false;
                };
                // SAFETY: `resolve` found every lane inside of the buffer.
                unsafe { pattern.load::<E, N>(&buffer, at.offset, k, d) };
            }
            Place::Several => {
                for lane in lanes_of(mask) {
                    let Some(at) = global.locate(lanes[lane]) else {
                        return false;
                    };
                    let Some(buffer) = global.buffers.get(at.buffer) else {
                        return false;
                    };
                    let value = E::load(&buffer, at.offset as usize + (k * E::BYTES) as usize);
                    // SAFETY: a register has 32 lanes.
                    unsafe { d.add(lane).write(value) };
                }
            }
        }
    }
    if let Place::One(_, pattern) = place {
        keep(turn, inst, pattern);
    }
    true
}

/// # Safety
/// As for `Handler`: a is 64 bits wide, the values as wide as `E::Lane`.
#[inline(always)]
unsafe fn store_lanes<E: Element, N: Count>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on.
    let lanes = unsafe { addresses(turn, inst) };
    // SAFETY: passed on.
    unsafe { store_at::<E, N>(turn, inst, &lanes) }
}

/// # Safety
/// As for `store_lanes`.
#[inline(always)]
pub(crate) unsafe fn store_at<E: Element, N: Count>(
    turn: &mut Turn<'_>,
    inst: &Inst,
    lanes: &Addresses,
) -> bool {
    let Some(place) = resolve(turn, inst, lanes, E::BYTES * N::N, Access::Write) else {
        return false;
    };
    if let Place::One(_, pattern) = place {
        keep(turn, inst, pattern);
    }
    let (global, mask) = (turn.global, turn.mask);
    for k in 0..N::N {
        let inner = (k * E::BYTES) as usize;
        let row = part::<N>(turn, inst, k, inst.b);
        // SAFETY: a value register (`Handler`).
        let values = unsafe { turn.lanes::<E::Lane>(row) };
        for lane in lanes_of(mask) {
            let Some(at) = global.locate(lanes[lane]) else {
                return false;
            };
            let Some(mut buffer) = global.buffers.get(at.buffer) else {
                return false;
            };
            E::store(&mut buffer, at.offset as usize + inner, values[lane]);
        }
    }
    true
}

handlers! {
    /// `ld.global`: a is the address register, x the offset.
    pub(crate) fn load<E: Element, N: Count> = load_lanes::<E, N>
}

handlers! {
    /// `st.global`: b the value.
    pub(crate) fn store<E: Stored, N: Count> = store_lanes::<E, N>
}

/// What a pattern costs in sectors.
fn sectors(pattern: &Pattern) -> &[i32] {
    match &pattern.cost {
        Cost::Sectors(sectors) => sectors,
        _ => &[],
    }
}
