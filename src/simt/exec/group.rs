//! Products by a warpgroup: `wgmma`. Each of the four warps has 16 rows of the 64.
//!
//! The sums are there at once; the tiles are being read until the wait that ends the
//! product's group, and who writes them before that is found.

use std::collections::VecDeque;

use super::bulk::{PIECE, swizzle_of};
use super::lanes::handlers;
use super::turn::{FULL, Inst, Turn};
use crate::causal::{Space, Touch};
use crate::fault::{Access, Problem};

/// Depth of one product.
const DEPTH: usize = 16;
/// Rows of a warp.
const ROWS: u32 = 16;

/// One warp's products under way: the pieces that they read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Products {
    groups: VecDeque<Vec<u32>>,
    open: Vec<u32>,
}

/// A row of 16 bf16 of a tile whose rows run along k, as fp32; `None` where the machine
/// cannot read it, with the reason in the fault.
fn row(turn: &mut Turn<'_>, inst: &Inst, descriptor: u64, row: u32) -> Option<[f32; DEPTH]> {
    let swizzle = swizzle_of(descriptor);
    let field = |shift: u32| ((descriptor >> shift) as u32 & 0x3fff) << 4;
    let (start, group) = (field(0), field(32));
    let first = start + row / 8 * group + row % 8 * swizzle.row();
    let mut values = [0.0; DEPTH];
    for (half, values) in values.chunks_mut(8).enumerate() {
        let offset = swizzle.place(first + PIECE * half as u32);
        if u64::from(offset) + u64::from(PIECE) > u64::from(turn.block.shared_bytes) {
            let what = "a product of a tile outside of shared memory";
            turn.fail(inst, 0, Problem::Unsupported { what });
            return None;
        }
        let touch = Touch {
            space: Space::Shared(turn.block.view.block),
            offset: u64::from(offset),
            bytes: u64::from(PIECE),
            access: Access::Read,
            atomic: 0,
            at: inst.at,
        };
        let agent = turn.agent();
        if let Some(Err(met)) = turn.global.causal(|causal| causal.hold(agent, touch)) {
            turn.unordered(inst, 0, touch, false, met);
            return None;
        }
        if let Some(products) = turn.block.products.get_mut(turn.warp as usize) {
            products.open.push(offset);
        }
        let words = turn
            .block
            .shared
            .get(offset as usize / 4..offset as usize / 4 + 4);
        for (pair, word) in values.chunks_mut(2).zip(words.unwrap_or_default()) {
            pair.copy_from_slice(&[
                f32::from_bits(word << 16),
                f32::from_bits(word & 0xffff_0000),
            ]);
        }
    }
    Some(values)
}

/// # Safety
/// As for `Handler`. Listed: the sums, the sums again, the two descriptors; a the
/// predicate without which the sums begin anew; x their number.
unsafe fn multiply(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    if turn.mask != FULL {
        let kind = Problem::LanesMissing {
            wanted: FULL,
            active: turn.mask,
        };
        return turn.fail(inst, (!turn.mask).trailing_zeros(), kind);
    }
    let sums = inst.x as u32;
    let columns = 2 * sums;
    let (left, right) = (turn.listed(inst, 2 * sums), turn.listed(inst, 2 * sums + 1));
    // SAFETY: registers of 64 bits (`Handler`).
    let (left, right) = unsafe { (turn.lanes::<u64>(left)[0], turn.lanes::<u64>(right)[0]) };
    let keep = super::pred::get(turn, inst.a) & 1 != 0;
    let mut a = [[0.0; DEPTH]; ROWS as usize];
    for (number, values) in a.iter_mut().enumerate() {
        let Some(read) = row(turn, inst, left, turn.warp % 4 * ROWS + number as u32) else {
            return false;
        };
        *values = read;
    }
    let mut b = Vec::with_capacity(columns as usize);
    for column in 0..columns {
        let Some(read) = row(turn, inst, right, column) else {
            return false;
        };
        b.push(read);
    }
    for number in 0..sums {
        let place = turn.listed(inst, number);
        // SAFETY: a sum's register (`Handler`).
        let place = unsafe { turn.row::<f32>(place) };
        for lane in 0..32_usize {
            let row = lane / 4 + 8 * (number as usize / 2 % 2);
            let column = number as usize / 4 * 8 + lane % 4 * 2 + number as usize % 2;
            let (Some(x), Some(y)) = (a.get(row), b.get(column)) else {
                continue;
            };
            let product: f32 = x.iter().zip(y).map(|(x, y)| x * y).sum();
            // SAFETY: a register has 32 lanes.
            unsafe {
                let old = if keep { place.add(lane).read() } else { 0.0 };
                place.add(lane).write(old + product);
            }
        }
    }
    true
}

/// # Safety
/// None needed; the signature is a handler's.
unsafe fn close(turn: &mut Turn<'_>, _: &Inst) -> bool {
    if let Some(products) = turn.block.products.get_mut(turn.warp as usize) {
        let group = std::mem::take(&mut products.open);
        products.groups.push_back(group);
    }
    true
}

/// # Safety
/// None needed; the signature is a handler's.
unsafe fn end(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    let (agent, block) = (turn.agent(), turn.block.view.block);
    let Some(products) = turn.block.products.get_mut(turn.warp as usize) else {
        return true;
    };
    while products.groups.len() > inst.x as usize {
        for offset in products.groups.pop_front().unwrap_or_default() {
            turn.global.causal(|causal| {
                causal.let_go(agent, block, u64::from(offset), u64::from(PIECE));
            });
        }
    }
    true
}

handlers! {
    /// `wgmma.mma_async`, both tiles in shared memory, their rows along k.
    pub(crate) fn product = multiply
}
handlers! {
    /// `wgmma.commit_group`
    pub(crate) fn commit = close
}
handlers! {
    /// `wgmma.wait_group`: x groups may still be under way.
    pub(crate) fn wait = end
}
