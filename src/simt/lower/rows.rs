//! Rows for registers: those that never live at the same time share one.
//!
//! A register lives from its first to its last position in the text, stretched
//! over every block that it lives through (linear scan). Lanes off the path keep
//! their values because every write is masked, so the liveness of one thread is
//! enough. Registers of 32 and 64 bits never share rows: then no instruction
//! overwrites half of an operand that it still has to read.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::draft::{Draft, Ending, Extra, Kind, Slot};
use super::flow::Raw;
use crate::program::Constant;
use crate::ptx::RegId;

/// Where everything lies in a warp's rows.
#[derive(Default)]
pub(super) struct Rows {
    registers: HashMap<RegId, u32>,
    preds: HashMap<RegId, u32>,
    constants: HashMap<Constant, u32>,
    pub filled: Vec<(u32, Constant)>,
    pub cleared: Vec<u32>,
    pub count: u32,
    pub pred_count: u32,
}

impl Rows {
    pub fn slot(&self, slot: Slot) -> u32 {
        match slot {
            Slot::None => 0,
            Slot::Reg(reg) => self.register(reg),
            Slot::Const(constant) => self.constants.get(&constant).copied().unwrap_or_default(),
        }
    }

    /// The row of a register, or the number of a predicate.
    pub fn register(&self, reg: RegId) -> u32 {
        let row = self.registers.get(&reg).or_else(|| self.preds.get(&reg));
        row.copied().unwrap_or_default()
    }

    pub fn extra(&self, extra: Extra) -> i32 {
        match extra {
            Extra::Value(value) => value,
            Extra::Pred(reg) => self.register(reg) as i32,
        }
    }
}

/// Registers that a draft writes.
fn defs(draft: &Draft) -> impl Iterator<Item = RegId> {
    let extra = match draft.extra {
        Extra::Pred(reg) => Some(reg),
        Extra::Value(_) => None,
    };
    draft
        .def
        .into_iter()
        .chain(draft.list_defs.iter().copied())
        .chain(extra)
}

/// Operands that a draft reads.
fn uses(draft: &Draft) -> impl Iterator<Item = Slot> {
    draft
        .uses
        .into_iter()
        .chain(draft.list_uses.iter().copied())
}

/// Operands of a block's ending.
fn ending_uses(ending: &Ending) -> Vec<Slot> {
    match ending {
        Ending::Branch {
            guard: Some((reg, _)),
            ..
        } => vec![Slot::Reg(*reg)],
        Ending::Barrier { id, threads, .. } => {
            [Some(*id), *threads].into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// Every draft of a block, the one that ends it included.
fn drafts(block: &Raw) -> impl Iterator<Item = &Draft> {
    let last = match &block.ending {
        Some((Ending::Communicate(draft), _)) => Some(draft.as_ref()),
        _ => None,
    };
    block.drafts.iter().chain(last)
}

/// A set of registers.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn new(registers: usize) -> Set {
        Set(vec![0; registers.div_ceil(64)])
    }
    fn insert(&mut self, reg: RegId) {
        if let Some(word) = self.0.get_mut(reg.0 as usize / 64) {
            *word |= 1 << (reg.0 % 64);
        }
    }
    fn has(&self, reg: RegId) -> bool {
        self.0
            .get(reg.0 as usize / 64)
            .is_some_and(|word| word >> (reg.0 % 64) & 1 != 0)
    }
    fn iter(&self) -> impl Iterator<Item = RegId> {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 != 0)
                .map(move |bit| RegId(at as u32 * 64 + bit))
        })
    }
}

/// Registers alive at the beginning of each block.
fn live_in(blocks: &[Raw], registers: usize) -> Vec<Set> {
    let mut exposed = Vec::new();
    let mut written = Vec::new();
    for block in blocks {
        let (mut read, mut wrote) = (Set::new(registers), Set::new(registers));
        let mut note = |slot: Slot, wrote: &Set| {
            if let Slot::Reg(reg) = slot
                && !wrote.has(reg)
            {
                read.insert(reg);
            }
        };
        for draft in drafts(block) {
            uses(draft).for_each(|slot| note(slot, &wrote));
            defs(draft).for_each(|reg| wrote.insert(reg));
        }
        if let Some((ending, _)) = &block.ending {
            ending_uses(ending)
                .into_iter()
                .for_each(|slot| note(slot, &wrote));
        }
        exposed.push(read);
        written.push(wrote);
    }
    let mut live = exposed.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..blocks.len()).rev() {
            for &next in blocks.get(at).map_or(&[][..], |block| &block.next) {
                let Some(after) = live.get(next as usize).cloned() else {
                    continue;
                };
                let (Some(mine), Some(wrote)) = (live.get_mut(at), written.get(at)) else {
                    continue;
                };
                for ((mine, after), wrote) in mine.0.iter_mut().zip(&after.0).zip(&wrote.0) {
                    let grown = *mine | after & !wrote;
                    changed |= grown != *mine;
                    *mine = grown;
                }
            }
        }
    }
    live
}

/// First and last position at which a register lives.
fn intervals(blocks: &[Raw], registers: usize) -> (Vec<Option<(u32, u32)>>, Set) {
    let live = live_in(blocks, registers);
    let mut intervals: Vec<Option<(u32, u32)>> = vec![None; registers];
    let mut stretch = |reg: RegId, at: u32| {
        if let Some(interval) = intervals.get_mut(reg.0 as usize) {
            let (first, last) = interval.unwrap_or((at, at));
            *interval = Some((first.min(at), last.max(at)));
        }
    };
    let mut at = 0;
    for (number, block) in blocks.iter().enumerate() {
        if let Some(live) = live.get(number) {
            live.iter().for_each(|reg| stretch(reg, at));
        }
        for draft in drafts(block) {
            at += 2;
            for slot in uses(draft) {
                if let Slot::Reg(reg) = slot {
                    stretch(reg, at);
                }
            }
            // Several results are written one after the other, while operands are read.
            let several = !draft.list_defs.is_empty();
            defs(draft).for_each(|reg| {
                stretch(reg, if several { at } else { at + 1 });
                stretch(reg, at + 1);
            });
        }
        at += 2;
        if let Some((ending, _)) = &block.ending {
            for slot in ending_uses(ending) {
                if let Slot::Reg(reg) = slot {
                    stretch(reg, at);
                }
            }
        }
        for &next in &block.next {
            if let Some(live) = live.get(next as usize) {
                live.iter().for_each(|reg| stretch(reg, at));
            }
        }
        at += 2;
    }
    let entry = live
        .into_iter()
        .next()
        .unwrap_or_else(|| Set::new(registers));
    (intervals, entry)
}

/// Gives every register and constant of the blocks its place.
pub(super) fn assign(blocks: &[Raw], kinds: &[Kind]) -> Rows {
    let mut rows = Rows {
        count: 1,
        ..Rows::default()
    };
    rows.constants.insert(Constant::Bits32(0), 0);
    rows.filled.push((0, Constant::Bits32(0)));
    place_constants(&mut rows, blocks, false);
    let (intervals, entry) = intervals(blocks, kinds.len());
    let of_kind = |rows: &mut Rows, kind: Kind, width: u32| {
        let mut wanted: Vec<(u32, u32, RegId)> = intervals
            .iter()
            .enumerate()
            .filter(|(reg, _)| kinds.get(*reg) == Some(&kind))
            .filter_map(|(reg, interval)| {
                interval.map(|(first, last)| (first, last, RegId(reg as u32)))
            })
            .collect();
        wanted.sort_unstable_by_key(|(first, _, reg)| (*first, *reg));
        let mut busy = BinaryHeap::new();
        let mut free = Vec::new();
        for (first, last, reg) in wanted {
            while let Some(Reverse((end, row))) = busy.peek().copied() {
                if end >= first {
                    break;
                }
                busy.pop();
                free.push(row);
            }
            let row = free.pop().unwrap_or_else(|| {
                rows.count += width;
                rows.count - width
            });
            busy.push(Reverse((last, row)));
            rows.registers.insert(reg, row);
            if entry.has(reg) {
                rows.cleared.extend(row..row + width);
            }
        }
    };
    of_kind(&mut rows, Kind::B32, 1);
    place_constants(&mut rows, blocks, true);
    of_kind(&mut rows, Kind::B64, 2);
    // An absent operand is read as row 0, perhaps 64 bits wide.
    rows.count = rows.count.max(2);
    for (reg, _) in kinds
        .iter()
        .enumerate()
        .filter(|(_, kind)| **kind == Kind::Pred)
    {
        if intervals.get(reg).is_some_and(Option::is_some) {
            rows.preds.insert(RegId(reg as u32), rows.pred_count);
            rows.pred_count += 1;
        }
    }
    rows
}

fn place_constants(rows: &mut Rows, blocks: &[Raw], wide: bool) {
    let slots = blocks.iter().flat_map(|block| {
        let ending = block.ending.as_ref().map(|(ending, _)| ending_uses(ending));
        drafts(block)
            .flat_map(uses)
            .chain(ending.into_iter().flatten())
    });
    for slot in slots {
        let Slot::Const(constant) = slot else {
            continue;
        };
        let is_wide = match constant {
            Constant::Bits32(_) => false,
            Constant::Bits64(_) | Constant::Global { .. } => true,
            Constant::Param { wide, .. } | Constant::Special { wide, .. } => wide,
        };
        if is_wide != wide || rows.constants.contains_key(&constant) {
            continue;
        }
        rows.constants.insert(constant, rows.count);
        rows.filled.push((rows.count, constant));
        rows.count += if wide { 2 } else { 1 };
    }
}
