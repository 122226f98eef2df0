//! Loads and stores of shared memory, and its banks.

use super::element::{Count, Element};
use super::global::part;
use super::lanes::handlers;
use super::turn::{FULL, Inst, Turn, WARP, lanes_of};
use crate::simt::fault::{Access, FaultKind, Memory};
use crate::simt::tally::BankPattern;

/// Banks of shared memory, each 4 bytes wide.
const BANKS: u32 = 32;

pub(crate) type Offsets = [u32; WARP];

/// Checks and counts an access of `bytes` per lane; false stops the launch.
#[inline(always)]
pub(crate) fn resolve(
    turn: &mut Turn<'_>,
    inst: &Inst,
    offsets: &Offsets,
    bytes: u32,
    access: Access,
) -> bool {
    let size = turn.block.shared_bytes;
    let limit = size.wrapping_sub(bytes);
    let mut wrong = size < bytes;
    if turn.mask == FULL {
        for &offset in offsets {
            wrong |= offset > limit || offset & (bytes - 1) != 0;
        }
    } else {
        for lane in lanes_of(turn.mask) {
            wrong |= offsets[lane] > limit || offsets[lane] & (bytes - 1) != 0;
        }
    }
    if wrong {
        return blame(turn, inst, offsets, bytes, access);
    }
    if turn.count {
        count(turn, inst, offsets, bytes);
    }
    !turn.check || observe(turn, inst, offsets, bytes, access)
}

#[cold]
fn blame(turn: &mut Turn<'_>, inst: &Inst, offsets: &Offsets, bytes: u32, access: Access) -> bool {
    let size = turn.block.shared_bytes;
    for lane in lanes_of(turn.mask) {
        let offset = offsets[lane];
        let inside = u64::from(offset) + u64::from(bytes) <= u64::from(size);
        if inside && offset % bytes == 0 {
            continue;
        }
        let (address, memory) = (
            u64::from(offset),
            Memory::Shared {
                bytes: u64::from(size),
            },
        );
        // Just below 2³² is a negative index rather than a far one.
        let offset = i64::from(offset as i32);
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
        return turn.fail(inst, lane as u32, kind);
    }
    true
}

/// Adds the request, and how many passes its banks need.
fn count(turn: &mut Turn<'_>, inst: &Inst, offsets: &Offsets, bytes: u32) {
    let (mask, first) = (turn.mask, offsets[turn.first()]);
    let Some(site) = turn.tally.sites.get_mut(inst.at as usize) else {
        return;
    };
    let deltas = offsets.map(|offset| offset.wrapping_sub(first));
    let known = site.pattern.as_deref().is_some_and(|pattern| {
        let changed = deltas
            .iter()
            .zip(&pattern.deltas)
            .fold(0, |all, (a, b)| all | (a ^ b));
        pattern.mask == mask && (changed == 0 || mask != FULL && same(mask, &deltas, pattern))
    });
    if !known {
        let (passes, ideal) = passes(mask, offsets, bytes);
        site.pattern = Some(Box::new(BankPattern {
            mask,
            deltas,
            passes,
            ideal,
        }));
    }
    let Some(pattern) = &site.pattern else { return };
    site.requests += 1;
    site.lanes += u64::from(mask.count_ones());
    site.parts += u64::from(pattern.passes);
    site.ideal += u64::from(pattern.ideal);
}

fn same(mask: u32, deltas: &Offsets, pattern: &BankPattern) -> bool {
    lanes_of(mask).all(|lane| deltas[lane] == pattern.deltas[lane])
}

/// Passes through the banks, and the fewest that this width needs.
///
/// A pass serves each bank with one word, to any number of lanes. Accesses of 8
/// bytes are served by half-warps, of 16 bytes by quarter-warps. A whole shift of
/// all addresses changes no conflict, so patterns are kept relative.
pub(crate) fn passes(mask: u32, offsets: &Offsets, bytes: u32) -> (u32, u32) {
    let group = match bytes {
        8 => WARP / 2,
        16 => WARP / 4,
        _ => WARP,
    };
    let words = bytes.div_ceil(4);
    let (mut total, mut ideal) = (0, 0);
    for first in (0..WARP).step_by(group) {
        let mut used: Vec<u32> = lanes_of(mask)
            .filter(|lane| (first..first + group).contains(lane))
            .flat_map(|lane| (0..words).map(move |word| offsets[lane] / 4 + word))
            .collect();
        used.sort_unstable();
        used.dedup();
        let mut banks = [0_u32; BANKS as usize];
        for word in &used {
            banks[(word % BANKS) as usize] += 1;
        }
        let busiest = banks.iter().copied().max().unwrap_or(0);
        total += busiest;
        ideal += u32::from(busiest > 0);
    }
    (total, ideal)
}

/// Looks for races and reads of what was never written.
fn observe(
    turn: &mut Turn<'_>,
    inst: &Inst,
    offsets: &Offsets,
    bytes: u32,
    access: Access,
) -> bool {
    let (mask, warp) = (turn.mask, turn.warp);
    for lane in lanes_of(mask) {
        let checked = turn
            .block
            .watch
            .check(warp, lane as u32, offsets[lane], bytes, access);
        if let Err(kind) = checked {
            return turn.fail(inst, lane as u32, kind);
        }
    }
    // Only now: lanes of one instruction do not race with each other.
    for lane in lanes_of(mask) {
        turn.block
            .watch
            .note(warp, lane as u32, offsets[lane], bytes, access);
    }
    true
}

/// Refuses two lanes that write different values to one place at once.
fn collide<T: PartialEq + Copy>(
    turn: &mut Turn<'_>,
    inst: &Inst,
    offsets: &Offsets,
    values: &[T; WARP],
) -> bool {
    let mut order: Vec<usize> = lanes_of(turn.mask).collect();
    order.sort_unstable_by_key(|&lane| offsets[lane]);
    for pair in order.windows(2) {
        let (Some(&a), Some(&b)) = (pair.first(), pair.last()) else {
            continue;
        };
        if offsets[a] == offsets[b] && values[a] != values[b] {
            let address = u64::from(offsets[a]);
            let kind = FaultKind::LanesCollide {
                address,
                other: a.min(b) as u32,
            };
            return turn.fail(inst, a.max(b) as u32, kind);
        }
    }
    true
}

/// A register that holds shared addresses: 32 or 64 bits.
pub(crate) trait Pointer {
    /// # Safety
    /// `row` is a register of this width.
    unsafe fn offsets(turn: &mut Turn<'_>, row: u32, offset: i32) -> Offsets;
}

pub(crate) struct Short;
pub(crate) struct Long;

impl Pointer for Short {
    #[inline(always)]
    unsafe fn offsets(turn: &mut Turn<'_>, row: u32, offset: i32) -> Offsets {
        // SAFETY: the caller's promise.
        let lanes = unsafe { turn.lanes::<u32>(row) };
        lanes.map(|address| address.wrapping_add(offset as u32))
    }
}

impl Pointer for Long {
    #[inline(always)]
    unsafe fn offsets(turn: &mut Turn<'_>, row: u32, offset: i32) -> Offsets {
        // SAFETY: the caller's promise.
        let lanes = unsafe { turn.lanes::<u64>(row) };
        lanes.map(|address| {
            let address = address.wrapping_add(i64::from(offset) as u64);
            // Beyond the window nothing is in bounds.
            if address >> 32 == 0 {
                address as u32
            } else {
                u32::MAX - 63
            }
        })
    }
}

/// # Safety
/// As for `Handler`.
#[inline(always)]
unsafe fn load_lanes<P: Pointer, E: Element, N: Count>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on.
    let offsets = unsafe { P::offsets(turn, inst.a, inst.x) };
    // SAFETY: passed on.
    unsafe { load_at::<E, N>(turn, inst, &offsets) }
}

/// # Safety
/// As for `Handler`: the results are registers as wide as `E::Lane`.
#[inline(always)]
pub(crate) unsafe fn load_at<E: Element, N: Count>(
    turn: &mut Turn<'_>,
    inst: &Inst,
    offsets: &Offsets,
) -> bool {
    if !resolve(turn, inst, offsets, E::BYTES * N::N, Access::Read) {
        return false;
    }
    let mask = turn.mask;
    for k in 0..N::N {
        let row = part::<N>(turn, inst, k, inst.d);
        // SAFETY: a result register (`Handler`).
        let d = unsafe { turn.row::<E::Lane>(row) };
        let words: &mut [u32] = &mut turn.block.shared;
        if mask == FULL {
            for lane in 0..WARP {
                let value = E::load(&words, (offsets[lane] + k * E::BYTES) as usize);
                // SAFETY: a register has 32 lanes.
                unsafe { d.add(lane).write(value) };
            }
        } else {
            for lane in lanes_of(mask) {
                let value = E::load(&words, (offsets[lane] + k * E::BYTES) as usize);
                // SAFETY: a register has 32 lanes.
                unsafe { d.add(lane).write(value) };
            }
        }
    }
    true
}

/// # Safety
/// As for `Handler`.
#[inline(always)]
unsafe fn store_lanes<P: Pointer, E: Element, N: Count>(turn: &mut Turn<'_>, inst: &Inst) -> bool
where
    E::Lane: PartialEq,
{
    // SAFETY: passed on.
    let offsets = unsafe { P::offsets(turn, inst.a, inst.x) };
    // SAFETY: passed on.
    unsafe { store_at::<E, N>(turn, inst, &offsets) }
}

/// # Safety
/// As for `Handler`: the values are registers as wide as `E::Lane`.
#[inline(always)]
pub(crate) unsafe fn store_at<E: Element, N: Count>(
    turn: &mut Turn<'_>,
    inst: &Inst,
    offsets: &Offsets,
) -> bool
where
    E::Lane: PartialEq,
{
    if !resolve(turn, inst, offsets, E::BYTES * N::N, Access::Write) {
        return false;
    }
    let mask = turn.mask;
    for k in 0..N::N {
        let row = part::<N>(turn, inst, k, inst.b);
        // SAFETY: a value register (`Handler`).
        let values = unsafe { turn.lanes::<E::Lane>(row) };
        if turn.check && !collide(turn, inst, offsets, &values) {
            return false;
        }
        let mut words: &mut [u32] = &mut turn.block.shared;
        for lane in lanes_of(mask) {
            E::store(
                &mut words,
                (offsets[lane] + k * E::BYTES) as usize,
                values[lane],
            );
        }
    }
    true
}

handlers! {
    /// `ld.shared`: a is the address register, x the offset.
    pub(crate) fn load<P: Pointer, E: Element, N: Count> = load_lanes::<P, E, N>
}

/// An element whose values can be compared.
pub(crate) trait Stored: Element<Lane: PartialEq> {}
impl<E: Element<Lane: PartialEq>> Stored for E {}

handlers! {
    /// `st.shared`: b the value.
    pub(crate) fn store<P: Pointer, E: Stored, N: Count> = store_lanes::<P, E, N>
}
