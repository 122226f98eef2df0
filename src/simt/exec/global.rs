//! Loads and stores of global memory.

use super::element::{Count, Element};
use super::lanes::handlers;
use super::turn::{FULL, Inst, Turn, WARP, lanes_of};
use crate::simt::fault::{Access, FaultKind, Memory};
use crate::simt::memory::{Buffer, Located, SECTOR};
use crate::simt::tally::{READ, WRITTEN};

/// How the addresses of a warp lie.
#[derive(Clone, Copy)]
pub(crate) enum Span {
    /// Lane after lane without a gap, all lanes active.
    Contiguous(Located),
    /// Every active lane the same.
    Uniform(Located),
    /// In one buffer.
    Scattered,
    /// In several buffers.
    Mixed,
}

pub(crate) type Addresses = [u64; WARP];

/// Checks and counts an access of `bytes` per lane; `None` stops the launch.
#[inline(always)]
pub(crate) fn resolve(
    turn: &mut Turn<'_>,
    inst: &Inst,
    addresses: &Addresses,
    bytes: u32,
    access: Access,
) -> Option<Span> {
    let span = classify(turn, addresses, bytes);
    let Some(span) = span else {
        blame(turn, inst, addresses, bytes, access);
        return None;
    };
    if turn.count {
        count(turn, inst, span, addresses, bytes, access);
    }
    if turn.check && !observe(turn, inst, span, addresses, bytes, access) {
        return None;
    }
    Some(span)
}

/// The span, if every lane lies inside of a buffer and is aligned.
#[inline(always)]
fn classify(turn: &Turn<'_>, addresses: &Addresses, bytes: u32) -> Option<Span> {
    let wide = u64::from(bytes);
    let base = addresses[turn.first()];
    let at = turn.global.locate(base)?;
    let buffer = turn.global.buffers.get(at.buffer)?;
    let inside = |offset: i64, length: u64| {
        offset >= 0 && offset as u64 + length <= buffer.bytes && offset as u64 % wide == 0
    };
    let (mut gap, mut spread) = (0, 0);
    if turn.mask == FULL {
        for (lane, &address) in addresses.iter().enumerate() {
            let delta = address.wrapping_sub(base);
            spread |= delta;
            gap |= delta ^ (lane as u64 * wide);
        }
        if gap == 0 {
            return inside(at.offset, 32 * wide).then_some(Span::Contiguous(at));
        }
    } else {
        for lane in lanes_of(turn.mask) {
            spread |= addresses[lane] ^ base;
        }
    }
    if spread == 0 {
        return inside(at.offset, wide).then_some(Span::Uniform(at));
    }
    let (mut low, mut high, mut bits) = (u64::MAX, 0, 0);
    if turn.mask == FULL {
        for &address in addresses {
            (low, high, bits) = (low.min(address), high.max(address), bits | address);
        }
    } else {
        for lane in lanes_of(turn.mask) {
            let address = addresses[lane];
            (low, high, bits) = (low.min(address), high.max(address), bits | address);
        }
    }
    let offset = at.offset - base.wrapping_sub(low) as i64;
    if offset >= 0 && offset as u64 + (high - low) + wide <= buffer.bytes && bits % wide == 0 {
        return Some(Span::Scattered);
    }
    let lanes_inside = lanes_of(turn.mask).all(|lane| fits(turn, addresses[lane], wide).is_some());
    lanes_inside.then_some(Span::Mixed)
}

/// Where one lane's access lies, if inside of a buffer and aligned.
fn fits(turn: &Turn<'_>, address: u64, wide: u64) -> Option<Located> {
    let at = turn.global.locate(address)?;
    let buffer = turn.global.buffers.get(at.buffer)?;
    let inside = at.offset >= 0
        && at.offset as u64 + wide <= buffer.bytes
        && (at.offset as u64).is_multiple_of(wide);
    inside.then_some(at)
}

/// Names the first lane whose access is wrong.
#[cold]
fn blame(turn: &mut Turn<'_>, inst: &Inst, addresses: &Addresses, bytes: u32, access: Access) {
    let wide = u64::from(bytes);
    for lane in lanes_of(turn.mask) {
        let address = addresses[lane];
        if fits(turn, address, wide).is_some() {
            continue;
        }
        let located = turn.global.locate(address);
        let buffer = located.and_then(|at| turn.global.buffers.get(at.buffer));
        let memory = buffer.map_or(Memory::Nowhere, name);
        let offset = located.map_or(0, |at| at.offset);
        let inside = buffer.is_some_and(|b| offset >= 0 && offset as u64 + wide <= b.bytes);
        let kind = if inside {
            FaultKind::Misaligned {
                access,
                address,
                bytes,
                memory,
                offset,
            }
        } else {
            FaultKind::OutOfBounds {
                access,
                address,
                bytes,
                memory,
                offset,
            }
        };
        turn.fail(inst, lane as u32, kind);
        return;
    }
}

fn name(buffer: &Buffer) -> Memory {
    Memory::Buffer {
        name: buffer.name.clone(),
        bytes: buffer.bytes,
    }
}

/// Adds the request to the tally.
fn count(
    turn: &mut Turn<'_>,
    inst: &Inst,
    span: Span,
    addresses: &Addresses,
    bytes: u32,
    access: Access,
) {
    let lanes = u64::from(turn.mask.count_ones());
    let wide = u64::from(bytes);
    let how = match access {
        Access::Read => READ,
        Access::Write => WRITTEN,
        Access::Atomic => READ | WRITTEN,
    };
    let global = turn.global;
    let sectors = match span {
        Span::Contiguous(at) | Span::Uniform(at) => {
            let length = if matches!(span, Span::Uniform(_)) {
                wide
            } else {
                32 * wide
            };
            let first = at.offset as u64 / SECTOR;
            let last = (at.offset as u64 + length - 1) / SECTOR;
            let base = global.buffers.get(at.buffer).map_or(0, |b| b.first_sector);
            for sector in first..=last {
                turn.tally.touch(base + sector, how);
            }
            add(turn, at.buffer, access, lanes * wide, last - first + 1);
            last - first + 1
        }
        Span::Scattered | Span::Mixed => {
            // A lane lies in one sector; lanes of one sector are one part.
            let mut seen = [u64::MAX; WARP];
            let mut parts = 0;
            for lane in lanes_of(turn.mask) {
                let sector = addresses[lane] / SECTOR;
                let known = seen.get(..parts).unwrap_or_default();
                let fresh = !known.iter().rev().any(|&s| s == sector);
                let at = global.locate(addresses[lane]);
                let Some(at) = at else { continue };
                if fresh {
                    seen[parts] = sector;
                    parts += 1;
                    let base = global.buffers.get(at.buffer).map_or(0, |b| b.first_sector);
                    turn.tally.touch(base + at.offset as u64 / SECTOR, how);
                }
                add(turn, at.buffer, access, wide, u64::from(fresh));
            }
            parts as u64
        }
    };
    if let Some(site) = turn.tally.sites.get_mut(inst.at as usize) {
        site.requests += 1;
        site.lanes += lanes;
        site.parts += sectors;
        site.ideal += (lanes * wide).div_ceil(SECTOR);
    }
}

fn add(turn: &mut Turn<'_>, buffer: usize, access: Access, bytes: u64, sectors: u64) {
    if let Some(tally) = turn.tally.buffers.get_mut(buffer) {
        if access != Access::Write {
            tally.read += bytes;
            tally.read_sectors += sectors;
        }
        if access != Access::Read {
            tally.written += bytes;
            tally.written_sectors += sectors;
        }
    }
}

/// Marks what is written, and refuses to read what never was.
fn observe(
    turn: &mut Turn<'_>,
    inst: &Inst,
    span: Span,
    addresses: &Addresses,
    bytes: u32,
    access: Access,
) -> bool {
    let wide = u64::from(bytes);
    let global = turn.global;
    if let Span::Contiguous(at) = span
        && let Some(buffer) = global.buffers.get(at.buffer)
    {
        let first = at.offset as u64;
        if access == Access::Write {
            buffer.mark(first, 32 * wide);
            return true;
        }
        if buffer.is_written(first, 32 * wide) {
            return true;
        }
    }
    for lane in lanes_of(turn.mask) {
        let address = addresses[lane];
        let Some(at) = global.locate(address) else {
            continue;
        };
        let Some(buffer) = global.buffers.get(at.buffer) else {
            continue;
        };
        if access != Access::Write && !buffer.is_written(at.offset as u64, wide) {
            let kind = FaultKind::NeverWritten {
                address,
                bytes,
                memory: name(buffer),
                offset: at.offset,
            };
            return turn.fail(inst, lane as u32, kind);
        }
        if access != Access::Read {
            buffer.mark(at.offset as u64, wide);
        }
    }
    true
}

/// The addresses of the active lanes: a register and an offset.
///
/// # Safety
/// `inst.a` is a register of 64 bits.
#[inline(always)]
pub(crate) unsafe fn addresses(turn: &mut Turn<'_>, inst: &Inst) -> Addresses {
    // SAFETY: the caller's promise.
    let lanes = unsafe { turn.lanes::<u64>(inst.a) };
    let offset = i64::from(inst.x) as u64;
    lanes.map(|address| address.wrapping_add(offset))
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
    let wide = E::BYTES * N::N;
    let Some(span) = resolve(turn, inst, lanes, wide, Access::Read) else {
        return false;
    };
    let (global, mask) = (turn.global, turn.mask);
    for k in 0..N::N {
        let inner = (k * E::BYTES) as usize;
        let row = part::<N>(turn, inst, k, inst.d);
        // SAFETY: a result register (`Handler`); lanes below 32.
        let d = unsafe { turn.row::<E::Lane>(row) };
        match span {
            Span::Contiguous(at) => {
                let Some(buffer) = global.buffers.get(at.buffer) else {
                    return false;
                };
                let first = at.offset as usize + inner;
                for lane in 0..WARP {
                    let value = E::load(&buffer, first + lane * wide as usize);
                    // SAFETY: as above.
                    unsafe { d.add(lane).write(value) };
                }
            }
            Span::Uniform(at) => {
                let Some(buffer) = global.buffers.get(at.buffer) else {
                    return false;
                };
                let value = E::load(&buffer, at.offset as usize + inner);
                for lane in 0..WARP {
                    if mask >> lane & 1 != 0 {
                        // SAFETY: as above.
                        unsafe { d.add(lane).write(value) };
                    }
                }
            }
            Span::Scattered | Span::Mixed => {
                for lane in lanes_of(mask) {
                    let Some(at) = global.locate(lanes[lane]) else {
                        return false;
                    };
                    let Some(buffer) = global.buffers.get(at.buffer) else {
                        return false;
                    };
                    let value = E::load(&buffer, at.offset as usize + inner);
                    // SAFETY: as above.
                    unsafe { d.add(lane).write(value) };
                }
            }
        }
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
    let wide = E::BYTES * N::N;
    if resolve(turn, inst, lanes, wide, Access::Write).is_none() {
        return false;
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
    pub(crate) fn store<E: Element, N: Count> = store_lanes::<E, N>
}
