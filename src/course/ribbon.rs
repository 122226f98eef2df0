//! The kernel ribbon as geometry: slots that never move, and the boxes that a
//! cut makes of them; `boxes` prices them.

mod boxes;

use plan::fusion::{Boundary, Cut};
use plan::model::{BLOCK_OPS, OpKind};

pub use boxes::{BoxCost, kernel_of, kernels_of};

/// The place of an op on the ribbon, for ever: RoPE of q and of k share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The op's name, set in the slot's inner width.
    pub label: &'static str,
    /// Column of the left wall.
    pub x: u16,
    /// 0 for the row of norm1 … pv, 1 for o … res2.
    pub row: u16,
    /// The first op in the slot.
    pub op: OpKind,
    /// Index of the slot's last op in [`BLOCK_OPS`].
    last_op: usize,
}

impl Slot {
    /// Columns between the walls.
    pub const fn inner(&self) -> u16 {
        self.label.len() as u16
    }

    /// The column behind the right wall.
    pub const fn end(&self) -> u16 {
        self.x + self.inner() + 2
    }
}

/// Number of slots.
pub const COUNT: usize = 17;
/// The last slot of the upper row; only `block` and `forward` cross it.
pub const ROW_END: usize = 7;
/// Width of the upper and of the lower row.
pub const WIDTHS: [u16; 2] = [58, 63];

const fn slot(label: &'static str, x: u16, row: u16, op: OpKind, last_op: usize) -> Slot {
    Slot {
        label,
        x,
        row,
        op,
        last_op,
    }
}

/// The slots in the order of the ops.
pub const SLOTS: [Slot; COUNT] = [
    slot("norm1", 0, 0, OpKind::Norm1, 0),
    slot("  q  ", 7, 0, OpKind::Q, 1),
    slot("  k  ", 14, 0, OpKind::K, 2),
    slot("  v  ", 21, 0, OpKind::V, 3),
    slot(" rope", 28, 0, OpKind::RopeQ, 5),
    slot("  qk ", 35, 0, OpKind::Qk, 6),
    slot("softmax", 42, 0, OpKind::Softmax, 7),
    slot("  pv ", 51, 0, OpKind::Pv, 8),
    slot("  o  ", 0, 1, OpKind::O, 9),
    slot(" res1", 7, 1, OpKind::Res1, 10),
    slot("norm2", 14, 1, OpKind::Norm2, 11),
    slot(" gate", 21, 1, OpKind::Gate, 12),
    slot("  up ", 28, 1, OpKind::Up, 13),
    slot(" silu", 35, 1, OpKind::Silu, 14),
    slot(" mul ", 42, 1, OpKind::Mul, 15),
    slot(" down", 49, 1, OpKind::Down, 16),
    slot(" res2", 56, 1, OpKind::Res2, 17),
];

/// The wall right of a slot; behind the last one lies the next block.
pub fn wall_after(slot: usize) -> Option<Boundary> {
    Boundary::after(SLOTS.get(slot)?.last_op)
}

/// The slot of an op; the ops outside the block have none.
pub fn slot_of(op: OpKind) -> Option<usize> {
    let at = BLOCK_OPS.iter().position(|o| *o == op)?;
    SLOTS.iter().position(|s| at <= s.last_op)
}

/// A box on the ribbon: slots that one kernel holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// First slot.
    pub first: usize,
    /// Last slot.
    pub last: usize,
    /// It goes on from the block before: its number stands there.
    pub from_before: bool,
    /// It goes on into the next block.
    pub into_next: bool,
    /// RoPE of q and of k are two launches although they share the slot.
    pub rope_twice: bool,
}

impl Group {
    /// More than one op, or part of a kernel of the block before.
    pub const fn fused(&self) -> bool {
        self.first != self.last || self.from_before || self.into_next
    }

    /// Whether the slot is one of the group's.
    pub const fn holds(&self, slot: usize) -> bool {
        self.first <= slot && slot <= self.last
    }

    /// Its parts: one, or two where it goes from the upper row to the lower.
    pub fn segments(&self) -> impl Iterator<Item = Segment> + use<> {
        let group = *self;
        let part = move |first: usize, last: usize| {
            let (a, b) = (SLOTS.get(first)?, SLOTS.get(last)?);
            Some(Segment {
                first,
                last,
                row: a.row,
                x: a.x,
                end: b.end(),
                open_left: first != group.first || group.from_before,
                open_right: last != group.last || group.into_next,
            })
        };
        let parts = if group.first <= ROW_END && group.last > ROW_END {
            [part(group.first, ROW_END), part(ROW_END + 1, group.last)]
        } else {
            [part(group.first, group.last), None]
        };
        parts.into_iter().flatten()
    }

    /// It is drawn a second time at the end of the ribbon, where its number
    /// stands.
    pub const fn is_echo(&self) -> bool {
        self.from_before && !self.into_next
    }
}

/// A box's part in one row of the ribbon, in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First slot.
    pub first: usize,
    /// Last slot.
    pub last: usize,
    /// 0 or 1.
    pub row: u16,
    /// Column of the left wall.
    pub x: u16,
    /// The column behind the right wall.
    pub end: u16,
    /// It goes on to the left.
    pub open_left: bool,
    /// It goes on to the right.
    pub open_right: bool,
}

/// The boxes that a cut makes, in order.
pub fn groups(cut: Cut) -> Vec<Group> {
    let joined = |slot: usize| wall_after(slot).is_some_and(|wall| cut.is_joined(wall));
    let cross = cut.is_joined(Boundary::CROSS);
    let rope_split =
        Boundary::between(OpKind::RopeQ, OpKind::RopeK).is_some_and(|wall| !cut.is_joined(wall));
    let mut groups = Vec::new();
    let mut first = 0;
    for last in 0..COUNT {
        if last + 1 < COUNT && joined(last) {
            continue;
        }
        groups.push(Group {
            first,
            last,
            from_before: first == 0 && cross,
            into_next: last + 1 == COUNT && cross,
            rope_twice: rope_split && first <= 4 && 4 <= last,
        });
        first = last + 1;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::fusion::{Fusion, Version};

    #[test]
    fn slots_fill_both_rows_without_gaps() {
        for row in [0, 1] {
            let mut x = 0;
            for s in SLOTS.iter().filter(|s| s.row == row) {
                assert_eq!(s.x, x);
                x = s.end();
            }
            assert_eq!(x, WIDTHS[row as usize]);
        }
    }

    #[test]
    fn boxes_that_carry_a_number_are_the_launches_of_a_block() {
        // docs/cost-model.md: V1 17, V2 11, V3 8, V4 1; qkv alone 15, with flash 13.
        let count = |cut| groups(cut).iter().filter(|g| !g.is_echo()).count();
        assert_eq!(count(Version::V1.cut()), 17);
        assert_eq!(count(Cut::v1().fuse(Fusion::Qkv)), 15);
        assert_eq!(count(Cut::v1().fuse(Fusion::Qkv).fuse(Fusion::Flash)), 13);
        assert_eq!(count(Version::V2.cut()), 11);
        assert_eq!(count(Version::V3.cut()), 8);
        assert_eq!(count(Version::V4.cut()), 1);
        assert_eq!(count(Version::Forward.cut()), 1);
    }

    #[test]
    fn every_op_of_the_block_has_a_slot() {
        assert_eq!(slot_of(OpKind::RopeQ), slot_of(OpKind::RopeK));
        assert_eq!(slot_of(OpKind::Res2), Some(16));
        assert_eq!(slot_of(OpKind::Embed), None);
    }
}
