//! The copy engine: `cp.async.bulk`, boxes of a tensor or bytes in a row.
//!
//! A copy takes its place in shared memory when it is asked for, reads its source and
//! arrives at some time after: nobody may look before the mbarrier's phase has ended.

use super::arrival;
use super::lanes::handlers;
use super::shared::within;
use super::turn::{Inst, Turn, lanes_of};
use crate::block::BlockState;
use crate::causal::{Causal, Clock, Space, Touch};
use crate::fault::{Access, Memory, Problem};
use crate::memory::{Global, Located, PARAM_WINDOW};
use crate::tensor::{Swizzle, TensorMap, WORDS};

/// What is copied at once, and swizzled as one.
pub(crate) const PIECE: u32 = 16;

/// A copy under way.
#[derive(Clone, Debug)]
pub(crate) struct Flight {
    barrier: u32,
    /// Where each piece goes, and whence: zeros where that is nowhere.
    pieces: Vec<(u32, Option<Located>)>,
    /// What its mbarrier's waiters know when it has come.
    clock: Clock,
}

/// A copy comes to its end.
pub(crate) fn land(block: &mut BlockState, global: &Global, at: usize) {
    if at >= block.flights.len() {
        return;
    }
    let flight = block.flights.remove(at);
    for &(to, from) in &flight.pieces {
        let first = to as usize / 4;
        let place = block.shared.get_mut(first..first + PIECE as usize / 4);
        let buffer = from.and_then(|from| global.buffers.get(from.buffer));
        for (k, word) in place.unwrap_or_default().iter_mut().enumerate() {
            let source = from.map_or(0, |from| from.offset as usize / 4 + k);
            *word = buffer.map_or(0, |buffer| buffer.load(source));
        }
    }
    let bytes = flight.pieces.len() as u32 * PIECE;
    if let Some(arrival) = arrival::at(block, flight.barrier) {
        arrival.landed(bytes, &flight.clock);
    }
    block.moves += 1;
}

/// Where the pieces of a box go and whence they come; `None` where the machine cannot.
fn boxed(
    turn: &Turn<'_>,
    map: &TensorMap,
    to: u32,
    at: [i64; 3],
) -> Option<Vec<(u32, Option<Located>)>> {
    let row_bytes = map.boxes[0] * map.element;
    if !row_bytes.is_multiple_of(PIECE) {
        return None;
    }
    let mut pieces = Vec::new();
    let mut offset = 0;
    for z in 0..i64::from(map.boxes[2]) {
        for y in 0..i64::from(map.boxes[1]) {
            for piece in 0..row_bytes / PIECE {
                let x = at[0] + i64::from(piece * PIECE / map.element);
                let place = [x, at[1] + y, at[2] + z];
                let inside = place
                    .iter()
                    .zip(map.sizes)
                    .all(|(&at, size)| at >= 0 && (at as u64) < size);
                let address = map.address
                    + x as u64 * u64::from(map.element)
                    + place[1] as u64 * map.strides[0]
                    + place[2] as u64 * map.strides[1];
                let from = match inside {
                    true => Some(turn.global.locate(address)?),
                    false => None,
                };
                pieces.push((map.swizzle.place(to + offset), from));
                offset += PIECE;
            }
        }
    }
    Some(pieces)
}

/// The map at an address of global memory or of the parameters.
fn map_at(turn: &Turn<'_>, address: u64) -> Option<TensorMap> {
    let mut words = [0; WORDS];
    for (k, word) in words.iter_mut().enumerate() {
        let address = address + 8 * k as u64;
        let half = |address: u64| match turn.global.locate(address) {
            Some(at) => turn
                .global
                .buffers
                .get(at.buffer)
                .map(|b| b.load(at.offset as usize / 4)),
            None => turn
                .params
                .get((address.checked_sub(PARAM_WINDOW)? / 4) as usize)
                .copied(),
        };
        *word = u64::from(half(address + 4)?) << 32 | u64::from(half(address)?);
    }
    TensorMap::decode(&words)
}

/// # Safety
/// As for `Handler`. Listed: destination, source and mbarrier, each with its offset, then
/// x coordinates of a box; or, where x is 0, the bytes.
unsafe fn ask(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    let address = |turn: &mut Turn<'_>, k: u32, lane: usize| {
        let (base, offset) = (turn.listed(inst, 2 * k), turn.listed(inst, 2 * k + 1));
        // SAFETY: registers of these widths (`Handler`).
        let (base, offset) = unsafe { (turn.lanes::<u64>(base), turn.lanes::<u32>(offset)) };
        base[lane].wrapping_add(i64::from(offset[lane] as i32) as u64)
    };
    for lane in lanes_of(turn.mask) {
        let to = within(address(turn, 0, lane));
        let source = address(turn, 1, lane);
        let barrier = within(address(turn, 2, lane));
        let number = |turn: &mut Turn<'_>, k: u32| {
            let row = turn.listed(inst, 6 + k);
            // SAFETY: a register of 32 bits (`Handler`).
            let lanes = unsafe { turn.lanes::<u32>(row) };
            lanes[lane]
        };
        let pieces = if inst.x == 0 {
            let bytes = number(turn, 0);
            let from = |k: u64| turn.global.locate(source + k * u64::from(PIECE));
            let all = (0..bytes / PIECE).map(|k| Some((to + k * PIECE, Some(from(u64::from(k))?))));
            match bytes.is_multiple_of(PIECE) {
                true => all.collect::<Option<Vec<_>>>(),
                false => None,
            }
        } else {
            let mut at = [0; 3];
            for k in 0..inst.x as u32 {
                at[k as usize] = i64::from(number(turn, k) as i32);
            }
            map_at(turn, source).and_then(|map| boxed(turn, &map, to, at))
        };
        let Some(pieces) = pieces else {
            let what = "a bulk copy whose source it does not know, or of parts of 16 bytes";
            return turn.fail(inst, lane as u32, Problem::Unsupported { what });
        };
        if !start(turn, inst, lane as u32, barrier, pieces) {
            return false;
        }
    }
    true
}

/// Checks a copy and lets it begin.
fn start(
    turn: &mut Turn<'_>,
    inst: &Inst,
    lane: u32,
    barrier: u32,
    pieces: Vec<(u32, Option<Located>)>,
) -> bool {
    let shared = u64::from(turn.block.shared_bytes);
    let Some((engine, time)) = arrival::at(turn.block, barrier).map(|a| (a.engine, a.phase + 1))
    else {
        return arrival::unknown(turn, inst, lane, barrier);
    };
    let (agent, block) = (turn.agent(), turn.block.view.block);
    for &(to, from) in &pieces {
        if u64::from(to) + u64::from(PIECE) > shared || !to.is_multiple_of(PIECE) {
            let inside = u64::from(to) + u64::from(PIECE) <= shared;
            let memory = Memory::Shared { bytes: shared };
            let kind = Problem::refused_access(
                inside,
                Access::Write,
                u64::from(to),
                PIECE,
                memory,
                i64::from(to),
            );
            return turn.fail(inst, lane, kind);
        }
        let mut touched = vec![(Space::Shared(block), u64::from(to), Access::Write)];
        if let Some(from) = from {
            let Some(buffer) = turn.global.buffers.get(from.buffer) else {
                return false;
            };
            let (first, bytes) = (from.offset, u64::from(PIECE));
            let inside = first >= 0 && first as u64 + bytes <= buffer.bytes;
            let memory = Memory::Buffer {
                name: buffer.name.clone(),
                bytes: buffer.bytes,
            };
            let address = Global::address(from.buffer).wrapping_add(first as u64);
            if !inside {
                let kind =
                    Problem::refused_access(false, Access::Read, address, PIECE, memory, first);
                return turn.fail(inst, lane, kind);
            }
            if turn.check && !buffer.is_written(first as u64, bytes) {
                let kind = Problem::NeverWritten {
                    address,
                    bytes: PIECE,
                    memory,
                    offset: first,
                };
                return turn.fail(inst, lane, kind);
            }
            touched.push((Space::Buffer(from.buffer), first as u64, Access::Read));
        }
        for (space, offset, access) in touched {
            let touch = Touch {
                space,
                offset,
                bytes: u64::from(PIECE),
                access,
                atomic: 0,
                at: inst.at,
            };
            let met = turn
                .global
                .causal(|causal| causal.copies((engine, time), agent, touch));
            if let Some(Err(met)) = met {
                return turn.unordered(inst, lane, touch, true, met);
            }
        }
    }
    let mut clock = Clock::default();
    Causal::landed(&mut clock, engine, time);
    turn.block.flights.push(Flight {
        barrier,
        pieces,
        clock,
    });
    turn.block.moves += 1;
    true
}

/// Whether a descriptor's rows are swizzled as the copy engine writes them.
pub(crate) fn swizzle_of(descriptor: u64) -> Swizzle {
    match descriptor >> 62 {
        1 => Swizzle::Bytes128,
        2 => Swizzle::Bytes64,
        3 => Swizzle::Bytes32,
        _ => Swizzle::None,
    }
}

handlers! {
    /// `cp.async.bulk`, from global to shared memory.
    pub(crate) fn copy = ask
}
