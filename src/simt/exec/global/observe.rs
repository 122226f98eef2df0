//! What is noted of an access of global memory: its cost, and what was written.

use super::{Pattern, name, sectors};
use crate::causal::{Space, Touch};
use crate::exec::turn::{Inst, Turn, lanes_of};
use crate::fault::{Access, Problem};
use crate::memory::{Located, SECTOR};
use crate::tally::{READ, WRITTEN};

/// Adds a request to the tally.
pub(super) fn count(
    turn: &mut Turn<'_>,
    inst: &Inst,
    at: Located,
    pattern: &Pattern,
    bytes: u32,
    access: Access,
) {
    let lanes = u64::from(turn.mask.count_ones());
    let asked = lanes * u64::from(bytes);
    let (reads, writes) = (access != Access::Write, access != Access::Read);
    let how = if reads { READ } else { 0 } | if writes { WRITTEN } else { 0 };
    let Some(buffer) = turn.global.buffers.get(at.buffer) else {
        return;
    };
    let first = buffer.first_sector as i64 + at.offset.div_euclid(SECTOR as i64);
    let touched = sectors(pattern);
    for sector in touched {
        turn.tally.touch((first + i64::from(*sector)) as u64, how);
    }
    let parts = touched.len() as u64;
    if let Some(tally) = turn.tally.buffers.get_mut(at.buffer) {
        if reads {
            tally.read += asked;
            tally.read_sectors += parts;
        }
        if writes {
            tally.written += asked;
            tally.written_sectors += parts;
        }
    }
    if let Some(site) = turn.tally.sites.get_mut(inst.at as usize) {
        site.requests += 1;
        site.lanes += lanes;
        site.parts += parts;
        site.ideal += asked.div_ceil(SECTOR);
    }
}

/// Marks what is written, and refuses to read what never was.
pub(super) fn written(
    turn: &mut Turn<'_>,
    inst: &Inst,
    at: Located,
    pattern: &Pattern,
    bytes: u32,
    access: Access,
) -> bool {
    let Some(buffer) = turn.global.buffers.get(at.buffer) else {
        return false;
    };
    let wide = u64::from(bytes);
    let (low, end) = (
        at.offset + i64::from(pattern.low),
        at.offset + i64::from(pattern.end),
    );
    let dense = (end - low) as u64 == u64::from(turn.mask.count_ones()) * wide;
    if access == Access::Read && buffer.is_written(low as u64, (end - low) as u64) {
        return true;
    }
    if access == Access::Write && dense && distinct(pattern, turn.mask) {
        buffer.mark(low as u64, (end - low) as u64);
        return true;
    }
    for lane in lanes_of(turn.mask) {
        let offset = at.offset + pattern.delta(lane);
        if access != Access::Write && !buffer.is_written(offset as u64, wide) {
            let address = crate::memory::Global::address(at.buffer) + offset as u64;
            let kind = Problem::NeverWritten {
                address,
                bytes,
                memory: name(buffer),
                offset,
            };
            return turn.fail(inst, lane as u32, kind);
        }
        if access != Access::Read {
            buffer.mark(offset as u64, wide);
        }
    }
    true
}

/// Notes who touches the places, and refuses what races with another block.
pub(super) fn apart(
    turn: &mut Turn<'_>,
    inst: &Inst,
    at: Located,
    pattern: &Pattern,
    bytes: u32,
    access: Access,
) -> bool {
    if turn.global.is_exact() {
        return clocked(turn, inst, at, pattern, bytes, access);
    }
    let order = &turn.global.order;
    let low = (at.offset + i64::from(pattern.low)) as u64;
    if turn.talks && access != Access::Write {
        turn.block.view.polls = Some((turn.warp, at.buffer, low));
    }
    if !order.watches() || turn.talks || access == Access::Atomic {
        return true;
    }
    let wide = u64::from(bytes);
    let span = (pattern.end - pattern.low) as u64;
    let lanes = u64::from(turn.mask.count_ones());
    // All lanes at one place, or side by side: one stretch.
    let whole = span == wide || span == lanes * wide && distinct(pattern, turn.mask);
    let met = if whole {
        order.note(&mut turn.block.view, at.buffer, low, span, access)
    } else {
        lanes_of(turn.mask).try_for_each(|lane| {
            let offset = (at.offset + pattern.delta(lane)) as u64;
            order.note(&mut turn.block.view, at.buffer, offset, wide, access)
        })
    };
    let Err(met) = met else {
        return true;
    };
    let covers = |lane: &usize| {
        let first = (at.offset + pattern.delta(*lane)) as u64;
        (first..first + wide).contains(&met.offset) || (met.offset..met.offset + 4).contains(&first)
    };
    let lane = lanes_of(turn.mask).find(covers).unwrap_or(turn.first());
    let Some(buffer) = turn.global.buffers.get(at.buffer) else {
        return true;
    };
    let kind = Problem::BlocksRace {
        memory: name(buffer),
        offset: met.offset,
        now: access,
        earlier: met.earlier,
        other: met.block,
    };
    turn.fail(inst, lane as u32, kind)
}

/// The same by exact clocks, lane by lane.
fn clocked(
    turn: &mut Turn<'_>,
    inst: &Inst,
    at: Located,
    pattern: &Pattern,
    bytes: u32,
    access: Access,
) -> bool {
    let low = (at.offset + i64::from(pattern.low)) as u64;
    if turn.talks && access != Access::Write {
        turn.block.view.polls = Some((turn.warp, at.buffer, low));
    }
    lanes_of(turn.mask).all(|lane| {
        let touch = Touch {
            space: Space::Buffer(at.buffer),
            offset: (at.offset + pattern.delta(lane)) as u64,
            bytes: u64::from(bytes),
            access,
            atomic: 0,
            at: inst.at,
        };
        turn.ordered(inst, lane as u32, touch)
    })
}

/// Whether the lanes' addresses rise: then none is met twice.
fn distinct(pattern: &Pattern, mask: u32) -> bool {
    lanes_of(mask)
        .zip(lanes_of(mask).skip(1))
        .all(|(a, b)| pattern.delta(a) < pattern.delta(b))
}
