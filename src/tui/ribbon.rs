//! The kernel ribbon: one box per kernel, ink is bytes.
//!
//! An op keeps its slot in every version; only walls vanish. Alone: single
//! lines. Fused: double lines, and `··` where a tensor no longer leaves the
//! chip. A box has five rows: wall, names, number, bar, wall.

use super::pen::Pen;
use super::theme::Role;
use app::merge::Picture;
use app::mouse::Target;
use app::ribbon::{Group, SLOTS, Segment};

/// Rows of the whole ribbon.
pub const HEIGHT: u16 = 10;
/// Rows of one box.
const BOX: u16 = 5;

/// What a box shows besides its walls.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// The number, at most five characters; empty where there is none.
    pub number: String,
    /// Role of the number: modelled, issued or measured.
    pub kind: Role,
    /// Length of the bar in eighths of a cell.
    pub eighths: u64,
    /// Role of the bar: memory or compute.
    pub bound: Role,
}

/// A box: its geometry, its content, and whether the cursor is on it.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its slots.
    pub group: Group,
    /// Number and bar.
    pub content: Content,
    /// `▼` stands in its upper wall.
    pub selected: bool,
    /// The slot whose right wall the cursor is at, where walls are moved.
    pub wall: Option<usize>,
}

/// Draws the boxes with the upper left corner of the ribbon at (0, 0).
pub fn draw(kernels: &[Kernel], pen: &mut Pen<'_>) {
    for kernel in kernels {
        draw_box(kernel, pen);
    }
}

/// What is seen of walls that fell to the right of slots, where nothing else stands.
pub fn falling(picture: Picture, slots: &[usize], pen: &mut Pen<'_>) {
    let wall = match picture {
        Picture::Standing => "││",
        Picture::Broken => "┊┊",
    };
    for slot in slots.iter().filter_map(|slot| SLOTS.get(*slot)) {
        let (x, top) = (slot.end() - 1, slot.row * BOX);
        // The names row has the joint; number and bar stay where they are.
        pen.put(x, top + 1, wall, Role::Dim);
        for y in top + 2..top + BOX - 1 {
            if pen.is_blank_at(x, y, 2) {
                pen.put(x, y, wall, Role::Dim);
            }
        }
    }
}

fn draw_box(kernel: &Kernel, pen: &mut Pen<'_>) {
    let group = kernel.group;
    for (half, segment) in group.segments().enumerate() {
        walls(kernel, segment, half == 0, pen);
        names(kernel, segment, pen);
        for y in 0..BOX {
            let y = segment.row * BOX + y;
            let width = segment.end - segment.x;
            pen.spot(segment.x, y, width, Target::Slot(segment.first));
        }
        // Number and bar stand once: in the first half of a box that fills two
        // rows, and where a kernel that crosses the block's edge begins.
        if half == 0 {
            content(kernel, segment, pen);
        }
    }
}

fn walls(kernel: &Kernel, s: Segment, first_half: bool, pen: &mut Pen<'_>) {
    let fused = kernel.group.fused();
    let role = if fused { Role::Fused } else { Role::Dim };
    let [line, upright, corners] = if fused {
        ["═", "║", "╔╗╚╝"]
    } else {
        ["─", "│", "┌┐└┘"]
    };
    let corner: Vec<String> = corners.chars().map(String::from).collect();
    let top = s.row * BOX;
    let bottom = top + BOX - 1;
    for x in s.x..s.end {
        pen.put(x, top, line, role);
        pen.put(x, bottom, line, role);
    }
    let last = s.end - 1;
    if !s.open_left {
        for y in top + 1..bottom {
            pen.put(s.x, y, upright, role);
        }
        pen.put(s.x, top, &corner[0], role);
        pen.put(s.x, bottom, &corner[2], role);
    } else {
        pen.put(s.x, top + 1, "►", role);
    }
    if !s.open_right {
        for y in top + 1..bottom {
            pen.put(last, y, upright, role);
        }
        pen.put(last, top, &corner[1], role);
        pen.put(last, bottom, &corner[3], role);
    } else {
        pen.put(last, top + 1, "►", role);
    }
    if kernel.group.rope_twice && s.first <= 4 && 4 <= s.last {
        pen.put(SLOTS[4].x + 4, top, "×2", role);
    }
    let here = match kernel.wall.and_then(|slot| SLOTS.get(slot)) {
        Some(slot) => slot.row == s.row,
        None => first_half,
    };
    if kernel.selected && here {
        // Over the middle of the box, or over the slot whose wall is meant.
        let (x, inner) = match kernel.wall.and_then(|slot| SLOTS.get(slot)) {
            Some(slot) if slot.row == s.row => (slot.x, slot.inner()),
            _ => (s.x, s.end - s.x - 2),
        };
        pen.put(x + 1 + inner / 2, top, "▼", Role::Accent);
    }
}

fn names(kernel: &Kernel, s: Segment, pen: &mut Pen<'_>) {
    let y = s.row * BOX + 1;
    let joint = pen.either("··", "..").to_owned();
    let role = if kernel.selected {
        Role::Accent
    } else {
        Role::Text
    };
    for slot in s.first..=s.last {
        let Some(here) = SLOTS.get(slot) else {
            continue;
        };
        pen.put(here.x + 1, y, here.label, role);
        if kernel.wall == Some(slot) {
            pen.reverse(here.x + 1, y, here.inner());
        }
        if slot < s.last {
            pen.put(here.end() - 1, y, &joint, Role::Fused);
        }
    }
}

fn content(kernel: &Kernel, s: Segment, pen: &mut Pen<'_>) {
    let y = s.row * BOX + 2;
    let inner = s.end - s.x - 2;
    if kernel.group.is_echo() {
        pen.middle(s.x + 1, y, inner, "prev.", Role::Dim);
        return;
    }
    let c = &kernel.content;
    pen.middle(s.x + 1, y, inner, &c.number, c.kind);
    let bar = bar(c.eighths, u64::from(inner), pen.ascii());
    pen.put(s.x + 1, y + 1, &bar, c.bound);
}

/// A bar of `eighths` eighths of a cell. One that is longer than `room` cells
/// ends in `►`; one that is not zero shows at least the least sign there is.
pub fn bar(eighths: u64, room: u64, ascii: bool) -> String {
    const PART: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if eighths > room * 8 {
        let full = "█".repeat(room.saturating_sub(1) as usize);
        return full + "►";
    }
    let full = (eighths / 8) as usize;
    let mut out = "█".repeat(full);
    let rest = eighths % 8;
    // In ASCII a cell is whole or half; the least sign is the half.
    if ascii {
        if rest >= 4 || full == 0 && rest > 0 {
            out.push('-');
        }
    } else {
        out.push_str(PART[rest as usize]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_eighths_of_a_cell() {
        // V1 of workshop B1: 0.263 MB on 1.049 MB = 5 cells is
        // 10.04 eighths, drawn `█▎`; 0.918 MB is 35, drawn `████▍`.
        assert_eq!(bar(10, 5, false), "█▎");
        assert_eq!(bar(35, 5, false), "████▍");
        assert_eq!(bar(0, 5, false), "");
        assert_eq!(bar(1, 5, false), "▏");
        assert_eq!(bar(41, 5, false), "████►");
        assert_eq!(bar(1, 5, true), "-");
        assert_eq!(bar(10, 5, true), "█");
    }
}
