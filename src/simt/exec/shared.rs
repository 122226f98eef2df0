//! Loads and stores of shared memory.

use super::element::{Count, Element};
use super::global::part;
use super::lanes::handlers;
use super::pattern::{Cost, Deltas, Pattern};
use super::turn::{Inst, Turn, WARP, lanes_of};
use crate::causal::{Space, Touch};
use crate::fault::{Access, Memory, Problem};
use crate::watch::Readers;

pub(crate) type Offsets = [u32; WARP];

/// Checks and counts an access of `bytes` per lane and gives its pattern, which
/// [`keep`] takes back; `None` stops the launch.
#[inline(always)]
pub(crate) fn resolve(
    turn: &mut Turn<'_>,
    inst: &Inst,
    offsets: &Offsets,
    bytes: u32,
    access: Access,
) -> Option<Box<Pattern>> {
    let mask = turn.mask;
    let base = offsets[turn.first()];
    let mut deltas: Deltas = [0; WARP];
    for (lane, delta) in deltas.iter_mut().enumerate() {
        let active = (mask >> lane & 1).wrapping_neg();
        *delta = (offsets[lane].wrapping_sub(base) & active) as i32;
    }
    let site = turn.tally.sites.get_mut(inst.at as usize)?;
    let pattern = match site.known(mask, 0, &deltas) {
        Some(pattern) => pattern,
        None => fresh(mask, &deltas, bytes, turn.count),
    };
    let (first, end) = (
        i64::from(base) + i64::from(pattern.low),
        i64::from(base) + i64::from(pattern.end),
    );
    let inside = first >= 0 && end <= i64::from(turn.block.shared_bytes);
    if !inside || !pattern.aligned || base & (bytes - 1) != 0 {
        blame(turn, inst, offsets, bytes, access);
        return None;
    }
    if let Cost::Banks { passes, ideal } = pattern.cost {
        let site = turn.tally.sites.get_mut(inst.at as usize)?;
        site.requests += 1;
        site.lanes += u64::from(mask.count_ones());
        site.parts += u64::from(passes);
        site.ideal += u64::from(ideal);
    }
    if turn.check && !observe(turn, inst, &pattern, offsets, bytes, access) {
        return None;
    }
    Some(pattern)
}

/// Keeps a pattern for the instruction's next time.
#[inline(always)]
pub(crate) fn keep(turn: &mut Turn<'_>, inst: &Inst, pattern: Box<Pattern>) {
    if let Some(site) = turn.tally.sites.get_mut(inst.at as usize) {
        site.pattern = Some(pattern);
    }
}

#[cold]
fn fresh(mask: u32, deltas: &Deltas, bytes: u32, count: bool) -> Box<Pattern> {
    let pattern = Pattern::new(mask, 0, deltas, bytes);
    Box::new(if count {
        pattern.with_banks(bytes)
    } else {
        pattern
    })
}

/// Names the first lane whose access is wrong.
#[cold]
fn blame(turn: &mut Turn<'_>, inst: &Inst, offsets: &Offsets, bytes: u32, access: Access) {
    let size = turn.block.shared_bytes;
    for lane in lanes_of(turn.mask) {
        let offset = offsets[lane];
        let inside = u64::from(offset) + u64::from(bytes) <= u64::from(size);
        if inside && offset.is_multiple_of(bytes) {
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
        let kind = Problem::refused_access(inside, access, address, bytes, memory, offset);
        turn.fail(inst, lane as u32, kind);
        return;
    }
}

/// Looks for races and reads of what was never written.
#[inline(always)]
fn observe(
    turn: &mut Turn<'_>,
    inst: &Inst,
    pattern: &Pattern,
    offsets: &Offsets,
    bytes: u32,
    access: Access,
) -> bool {
    if turn.global.is_exact() {
        return clocked(turn, inst, offsets, bytes, access);
    }
    let (mask, warp) = (turn.mask, turn.warp);
    let (collective, arrived) = (turn.collective, !turn.arrives_later);
    let watch = &mut turn.block.watch;
    let stamp = watch.stamp(warp);
    let mut caught = None;
    if access == Access::Read {
        // Lanes that read the same place are one reader.
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let crowd = pattern.crowd(lane);
            rest &= !(crowd | 1 << lane);
            let with = match (collective, crowd) {
                (true, _) => Readers::Warp,
                (false, 0) => Readers::Lane,
                (false, _) => Readers::Crowd,
            };
            let place = offsets[lane as usize];
            if let Err(kind) = watch.read(stamp, (warp, lane), place, bytes, with) {
                let readers = match with {
                    Readers::Lane => 1 << lane,
                    Readers::Crowd => crowd & mask | 1 << lane,
                    Readers::Warp => mask,
                };
                caught = Some((racing(&kind, warp, readers).unwrap_or(lane), kind));
                break;
            }
        }
    } else {
        // All lanes first: those of one instruction do not race with each other.
        for lane in lanes_of(mask) {
            let place = offsets[lane];
            if let Err(kind) = watch.check(stamp, (warp, lane as u32), place, bytes, access) {
                caught = Some((lane as u32, kind));
                break;
            }
        }
        for lane in lanes_of(mask) {
            let place = offsets[lane];
            let how = access == Access::Atomic;
            watch.wrote(stamp, (warp, lane as u32), place, bytes, how, arrived);
        }
    }
    match caught {
        Some((lane, kind)) => turn.fail(inst, lane, *kind),
        None => true,
    }
}

/// Of lanes that read a place together the one that is named: the writer's own read is
/// ordered behind its write, its neighbour's is not.
#[cold]
fn racing(problem: &Problem, warp: u32, readers: u32) -> Option<u32> {
    let writer = match problem {
        Problem::Race { earlier, .. } => earlier.thread,
        _ => None,
    };
    let mut lanes = lanes_of(readers).map(|lane| lane as u32);
    lanes.find(|lane| Some(warp * WARP as u32 + lane) != writer)
}

/// The same by exact clocks. What `cp.async` will write is noted when it arrives.
fn clocked(
    turn: &mut Turn<'_>,
    inst: &Inst,
    offsets: &Offsets,
    bytes: u32,
    access: Access,
) -> bool {
    if turn.arrives_later {
        return true;
    }
    let block = turn.block.view.block;
    for lane in lanes_of(turn.mask) {
        let touch = Touch {
            space: Space::Shared(block),
            offset: u64::from(offsets[lane]),
            bytes: u64::from(bytes),
            access,
            atomic: if access == Access::Atomic {
                bytes as u8
            } else {
                0
            },
            at: inst.at,
        };
        if !turn.ordered(inst, lane as u32, touch) {
            return false;
        }
        let written = turn
            .global
            .causal(|causal| causal.is_written(touch.space, touch.offset, touch.bytes));
        if written == Some(false) {
            let memory = Memory::Shared {
                bytes: u64::from(turn.block.shared_bytes),
            };
            let kind = Problem::NeverWritten {
                address: touch.offset,
                bytes,
                memory,
                offset: touch.offset as i64,
            };
            return turn.fail(inst, lane as u32, kind);
        }
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
    let mask = turn.mask;
    // Rising addresses, the usual case, cannot meet.
    let rising = lanes_of(mask)
        .zip(lanes_of(mask).skip(1))
        .all(|(a, b)| offsets[a] < offsets[b]);
    if rising {
        return true;
    }
    for lane in lanes_of(mask) {
        let before = mask & ((1 << lane) - 1);
        let meets =
            |&other: &usize| offsets[other] == offsets[lane] && values[other] != values[lane];
        if let Some(other) = lanes_of(before).find(meets) {
            let address = u64::from(offsets[lane]);
            let other = turn.warp * WARP as u32 + other as u32;
            return turn.fail(inst, lane as u32, Problem::LanesCollide { address, other });
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
        let mut lanes = unsafe { turn.lanes::<u32>(row) };
        for lane in &mut lanes {
            *lane = lane.wrapping_add(offset as u32);
        }
        lanes
    }
}

impl Pointer for Long {
    #[inline(always)]
    unsafe fn offsets(turn: &mut Turn<'_>, row: u32, offset: i32) -> Offsets {
        // SAFETY: the caller's promise.
        let lanes = unsafe { turn.lanes::<u64>(row) };
        let mut offsets = [0; WARP];
        for (to, from) in offsets.iter_mut().zip(&lanes) {
            *to = within(from.wrapping_add(i64::from(offset) as u64));
        }
        offsets
    }
}

/// An address as an offset; beyond 4 GiB nothing is in bounds.
#[inline(always)]
pub(crate) fn within(address: u64) -> u32 {
    if address >> 32 == 0 {
        address as u32
    } else {
        u32::MAX - 63
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
    let Some(pattern) = resolve(turn, inst, offsets, E::BYTES * N::N, Access::Read) else {
        return false;
    };
    let base = i64::from(offsets[turn.first()]);
    for k in 0..N::N {
        let row = part::<N>(turn, inst, k, inst.d);
        // SAFETY: a result register (`Handler`).
        let d = unsafe { turn.row::<E::Lane>(row) };
        let words: &[u32] = &turn.block.shared;
        // SAFETY: `resolve` found every lane inside of shared memory.
        unsafe { pattern.load::<E, N>(&words, base, k, d) };
    }
    keep(turn, inst, pattern);
    true
}

/// # Safety
/// As for `Handler`.
#[inline(always)]
unsafe fn store_lanes<P: Pointer, E: Stored, N: Count>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on.
    let offsets = unsafe { P::offsets(turn, inst.a, inst.x) };
    // SAFETY: passed on.
    unsafe { store_at::<E, N>(turn, inst, &offsets) }
}

/// # Safety
/// As for `Handler`: the values are registers as wide as `E::Lane`.
#[inline(always)]
pub(crate) unsafe fn store_at<E: Stored, N: Count>(
    turn: &mut Turn<'_>,
    inst: &Inst,
    offsets: &Offsets,
) -> bool {
    let Some(pattern) = resolve(turn, inst, offsets, E::BYTES * N::N, Access::Write) else {
        return false;
    };
    keep(turn, inst, pattern);
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
