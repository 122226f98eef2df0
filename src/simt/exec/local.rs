//! A thread's own memory, and the generic address space over all three.

use super::element::{Count, Element, Words};
use super::global;
use super::lanes::handlers;
use super::shared::{self, Stored};
use super::turn::{Inst, Turn, WARP, lanes_of};
use crate::fault::{Access, Memory, Problem};
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW};

/// Local memory of a warp: word `w` of lane `l` is word `w · 32 + l`, so that
/// lanes at the same offset lie side by side.
struct Lane<'m> {
    words: &'m mut [u32],
    lane: usize,
}

impl Words for Lane<'_> {
    fn get(&self, word: usize) -> u32 {
        <[u32]>::get(self.words, word * WARP + self.lane)
            .copied()
            .unwrap_or_default()
    }
    unsafe fn get_unchecked(&self, word: usize) -> u32 {
        Words::get(self, word)
    }
    fn put(&mut self, word: usize, bits: u32, mask: u32) {
        if let Some(word) = self.words.get_mut(word * WARP + self.lane) {
            *word = *word & !mask | bits & mask;
        }
    }
}

/// Whether each lane's access lies in its local memory.
fn resolve(
    turn: &mut Turn<'_>,
    inst: &Inst,
    addresses: &[u64; WARP],
    bytes: u32,
    access: Access,
) -> bool {
    let size = turn.block.local_bytes;
    for lane in lanes_of(turn.mask) {
        let address = addresses[lane];
        let inside = address
            .checked_add(u64::from(bytes))
            .is_some_and(|end| end <= size);
        if inside && address.is_multiple_of(u64::from(bytes)) {
            continue;
        }
        let memory = Memory::Local { bytes: size };
        let offset = address as i64;
        let kind = Problem::refused_access(inside, access, address, bytes, memory, offset);
        return turn.fail(inst, lane as u32, kind);
    }
    if turn.count
        && let Some(site) = turn.tally.sites.get_mut(inst.at as usize)
    {
        site.requests += 1;
        site.lanes += u64::from(turn.mask.count_ones());
    }
    true
}

/// # Safety
/// As for `Handler`: the results are registers as wide as `E::Lane`.
unsafe fn load_at<E: Element, N: Count>(
    turn: &mut Turn<'_>,
    inst: &Inst,
    addresses: &[u64; WARP],
) -> bool {
    if !resolve(turn, inst, addresses, E::BYTES * N::N, Access::Read) {
        return false;
    }
    for k in 0..N::N {
        let row = global::part::<N>(turn, inst, k, inst.d);
        // SAFETY: a result register (`Handler`).
        let d = unsafe { turn.row::<E::Lane>(row) };
        let warp = turn.warp as usize;
        let Some(words) = turn.block.local.get_mut(warp) else {
            return false;
        };
        for lane in lanes_of(turn.mask) {
            let offset = addresses[lane] as usize + (k * E::BYTES) as usize;
            let value = E::load(&Lane { words, lane }, offset);
            // SAFETY: a register has 32 lanes.
            unsafe { d.add(lane).write(value) };
        }
    }
    true
}

/// # Safety
/// As for `Handler`: the values are registers as wide as `E::Lane`.
unsafe fn store_at<E: Element, N: Count>(
    turn: &mut Turn<'_>,
    inst: &Inst,
    addresses: &[u64; WARP],
) -> bool {
    if !resolve(turn, inst, addresses, E::BYTES * N::N, Access::Write) {
        return false;
    }
    for k in 0..N::N {
        let row = global::part::<N>(turn, inst, k, inst.b);
        // SAFETY: a value register (`Handler`).
        let values = unsafe { turn.lanes::<E::Lane>(row) };
        let warp = turn.warp as usize;
        let Some(words) = turn.block.local.get_mut(warp) else {
            return false;
        };
        for lane in lanes_of(turn.mask) {
            let offset = addresses[lane] as usize + (k * E::BYTES) as usize;
            E::store(&mut Lane { words, lane }, offset, values[lane]);
        }
    }
    true
}

/// # Safety
/// As for `Handler`: a is 64 bits wide.
#[inline(always)]
unsafe fn load_lanes<E: Element, N: Count>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on.
    unsafe {
        let addresses = global::addresses(turn, inst);
        load_at::<E, N>(turn, inst, &addresses)
    }
}

/// # Safety
/// As for `Handler`: a is 64 bits wide.
#[inline(always)]
unsafe fn store_lanes<E: Element, N: Count>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on.
    unsafe {
        let addresses = global::addresses(turn, inst);
        store_at::<E, N>(turn, inst, &addresses)
    }
}

/// Lanes whose address lies in the window of shared and of local memory.
pub(crate) fn windows(mask: u32, addresses: &[u64; WARP]) -> (u32, u32) {
    let (mut shared, mut local) = (0, 0);
    for lane in lanes_of(mask) {
        // A little below a window is an index below zero, not a global address.
        let near = addresses[lane].wrapping_add(1 << 40);
        shared |= u32::from((SHARED_WINDOW..LOCAL_WINDOW).contains(&near)) << lane;
        local |= u32::from(near >= LOCAL_WINDOW && near >> 62 == 0) << lane;
    }
    (shared, local)
}

/// An address of the shared window as an offset; what is far outside stays outside.
pub(crate) fn shared_offset(address: u64) -> u32 {
    let offset = address.wrapping_sub(SHARED_WINDOW) as i64;
    if i64::from(offset as i32) == offset {
        offset as u32
    } else {
        u32::MAX - 63
    }
}

/// Runs `act` for each of the three memories with the lanes that address it.
///
/// # Safety
/// As for `Handler`: a is 64 bits wide; the registers suit the three functions.
#[inline(always)]
unsafe fn by_window(
    turn: &mut Turn<'_>,
    inst: &Inst,
    in_global: unsafe fn(&mut Turn<'_>, &Inst, &[u64; WARP]) -> bool,
    in_shared: unsafe fn(&mut Turn<'_>, &Inst, &[u32; WARP]) -> bool,
    in_local: unsafe fn(&mut Turn<'_>, &Inst, &[u64; WARP]) -> bool,
) -> bool {
    // SAFETY: passed on.
    let addresses = unsafe { global::addresses(turn, inst) };
    let all = turn.mask;
    let (shared, local) = windows(all, &addresses);
    let mut going = true;
    for (lanes, which) in [(all & !shared & !local, 0), (shared, 1), (local, 2)] {
        if lanes == 0 || !going {
            continue;
        }
        turn.mask = lanes;
        // SAFETY: the caller's promise.
        going = unsafe {
            match which {
                0 => in_global(turn, inst, &addresses),
                1 => in_shared(turn, inst, &addresses.map(shared_offset)),
                _ => in_local(turn, inst, &addresses.map(|a| a.wrapping_sub(LOCAL_WINDOW))),
            }
        };
    }
    turn.mask = all;
    going
}

/// # Safety
/// As for `Handler`.
#[inline(always)]
unsafe fn load_generic<E: Element, N: Count>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on.
    unsafe {
        by_window(
            turn,
            inst,
            global::load_at::<E, N>,
            shared::load_at::<E, N>,
            load_at::<E, N>,
        )
    }
}

/// # Safety
/// As for `Handler`.
#[inline(always)]
unsafe fn store_generic<E: Stored, N: Count>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on.
    unsafe {
        by_window(
            turn,
            inst,
            global::store_at::<E, N>,
            shared::store_at::<E, N>,
            store_at::<E, N>,
        )
    }
}

/// # Safety
/// As for `Handler`: the address has 64 bits.
unsafe fn load_param_lanes<E: Element, N: Count>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on.
    let addresses = unsafe { global::addresses(turn, inst) };
    let bytes = turn.params.len() as u64 * 4;
    // SAFETY: the destination (`Handler`).
    let d = unsafe { turn.row::<E::Lane>(inst.d) };
    let params = turn.params;
    for lane in lanes_of(turn.mask) {
        let offset = addresses[lane].wrapping_sub(PARAM_WINDOW);
        let inside = offset
            .checked_add(u64::from(E::BYTES * N::N))
            .is_some_and(|end| end <= bytes);
        if !inside || !offset.is_multiple_of(u64::from(E::BYTES)) {
            let kind = Problem::OutOfBounds {
                access: Access::Read,
                address: addresses[lane],
                bytes: E::BYTES,
                memory: Memory::Param { bytes },
                offset: offset as i64,
            };
            return turn.fail(inst, lane as u32, kind);
        }
        // SAFETY: a register has 32 lanes.
        unsafe { d.add(lane).write(E::load(&params, offset as usize)) };
    }
    true
}

handlers! {
    /// `ld.param` through a register.
    pub(crate) fn load_param<E: Element, N: Count> = load_param_lanes::<E, N>
}
handlers! {
    /// `ld.local`
    pub(crate) fn load<E: Element, N: Count> = load_lanes::<E, N>
}
handlers! {
    /// `st.local`
    pub(crate) fn store<E: Element, N: Count> = store_lanes::<E, N>
}
handlers! {
    /// `ld` without a space.
    pub(crate) fn load_any<E: Element, N: Count> = load_generic::<E, N>
}
handlers! {
    /// `st` without a space.
    pub(crate) fn store_any<E: Stored, N: Count> = store_generic::<E, N>
}
