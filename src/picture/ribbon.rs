//! Boxes of a ribbon: one per kernel, ink is bytes, a fused one in double lines.

use super::svg::{Anchor, Svg};
use course::present::{Boxed, Ribbon};
use course::ribbon::{SLOTS, WIDTHS};
use plan::cost::Bound;

/// Width of a column of the ribbon.
const COLUMN: f64 = 11.0;
/// Between walls of neighbours.
const GAP: f64 = 2.0;
/// Height of a box with a number, and of one with names only.
const HIGH: f64 = 58.0;
const LOW: f64 = 30.0;
/// Above a row, for what its walls cost.
const PRICES: f64 = 18.0;
/// Below the rows, for what the colours mean.
const LEGEND: f64 = 26.0;
/// Columns of the longest bar of V1.
const LONGEST: f64 = 5.0;

/// The whole ribbon in two rows.
pub(super) fn ribbon(ribbon: &Ribbon) -> String {
    let mut svg = Svg::default();
    let head = if ribbon.walls.is_empty() { 2.0 } else { PRICES };
    let top = |row: u16| f64::from(row) * (HIGH + head + 6.0) + head;
    let place = |column: u16| f64::from(column) * COLUMN + GAP;
    for boxed in &ribbon.boxes {
        for (half, part) in boxed.group.segments().enumerate() {
            let corner = (place(part.x), top(part.row));
            let width = f64::from(part.end - part.x) * COLUMN - GAP;
            let open = (part.open_left, part.open_right);
            frame(&mut svg, corner, (width, HIGH), boxed.group.fused(), open);
            let middle = |slot: usize| {
                let slot = SLOTS.get(slot)?;
                let at = place(slot.x) + f64::from(slot.inner() + 2) * COLUMN / 2.0;
                Some((slot.label.trim(), at - GAP / 2.0))
            };
            let slots: Vec<(&str, f64)> = (part.first..=part.last).filter_map(middle).collect();
            names(&mut svg, &slots, corner.1 + 18.0);
            if boxed.group.rope_twice && (part.first..=part.last).contains(&4) {
                let at = (place(SLOTS[4].x) + 6.0 * COLUMN, corner.1 + 10.0);
                svg.text(at, Anchor::End, "dim", "×2");
            }
            // Number and bar stand once.
            if half == 0 {
                content(&mut svg, boxed, ribbon.scale, corner, width);
            }
        }
    }
    for wall in &ribbon.walls {
        let Some(slot) = SLOTS.iter().find(|slot| slot.label.trim() == wall.left) else {
            continue;
        };
        // A wall at the end of a row stands over its last box.
        let y = top(slot.row) - 4.0;
        let number = wall.said.split(' ').next().unwrap_or_default();
        svg.text((place(slot.end()), y), Anchor::Middle, "small", number);
    }
    let bottom = top(1) + HIGH;
    legend(&mut svg, ribbon, bottom + 18.0);
    let size = (f64::from(WIDTHS[1]) * COLUMN + 2.0 * GAP, bottom + LEGEND);
    let walls = match ribbon.walls.is_empty() {
        true => "",
        false => " Above a wall stand the bytes that go with it.",
    };
    let about = format!("One box per kernel in the order of the launches: {ribbon}.{walls}");
    svg.finish(size, "The kernels of a block", &about)
}

/// A few slots beside each other, names only.
pub(super) fn strip(ribbon: &Ribbon) -> String {
    let mut svg = Svg::default();
    let mut x = GAP;
    for boxed in &ribbon.boxes {
        let (first, last) = boxed.slots;
        let slots = SLOTS.get(first..=last).unwrap_or_default();
        let mut at = x;
        let mut placed = Vec::new();
        for slot in slots {
            let width = f64::from(slot.inner() + 2) * COLUMN;
            placed.push((slot.label.trim(), at + width / 2.0));
            at += width;
        }
        let (corner, size) = ((x, 2.0), (at - x - GAP, LOW));
        frame(&mut svg, corner, size, boxed.group.fused(), (false, false));
        names(&mut svg, &placed, 21.0);
        x = at + GAP;
    }
    let about = format!("One box per kernel: {ribbon}.");
    svg.finish((x, LOW + 4.0), "Kernels beside each other", &about)
}

/// The walls: single lines around one op, double lines around a fused kernel.
fn frame(
    svg: &mut Svg,
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    fused: bool,
    (open_left, open_right): (bool, bool),
) {
    let class = if fused { "wall fused" } else { "wall" };
    let lines: &[f64] = if fused { &[0.0, 3.0] } else { &[0.0] };
    for inset in lines {
        let (top, bottom) = (y + inset, y + height - inset);
        let (left, right) = (x + inset, x + width - inset);
        let left = if open_left { x - GAP } else { left };
        let right = if open_right { x + width + GAP } else { right };
        let (a, b) = (
            [(left, top), (right, top)],
            [(right, bottom), (left, bottom)],
        );
        let mut points = vec![a[0], a[1], b[0], b[1]];
        match (open_left, open_right) {
            (false, false) => points.push(a[0]),
            // The side that is open has no wall.
            (true, false) => {}
            (false, true) => points = vec![a[1], a[0], b[1], b[0]],
            (true, true) => {
                svg.line(&a, class);
                points = b.to_vec();
            }
        }
        svg.line(&points, class);
    }
    if open_left {
        svg.tip((x + 6.0, y + height / 2.0), "wall fused tip");
    }
    if open_right {
        svg.tip((x + width + 1.0, y + height / 2.0), "wall fused tip");
    }
}

/// Names at their slots; two dots between those of one kernel.
fn names(svg: &mut Svg, slots: &[(&str, f64)], y: f64) {
    let mut before: Option<f64> = None;
    for (name, at) in slots {
        svg.text((*at, y), Anchor::Middle, "", name);
        if let Some(before) = before {
            svg.text(((before + at) / 2.0, y), Anchor::Middle, "fused", "··");
        }
        before = Some(*at);
    }
}

fn content(svg: &mut Svg, boxed: &Boxed, scale: u64, (x, y): (f64, f64), width: f64) {
    let middle = x + width / 2.0;
    let Some(bytes) = boxed.bytes else {
        svg.text((middle, y + 35.0), Anchor::Middle, "dim", &boxed.number);
        return;
    };
    svg.text((middle, y + 35.0), Anchor::Middle, "number", &boxed.number);
    let room = width - 2.0 * 6.0;
    let length = bytes as f64 / scale as f64 * LONGEST * COLUMN;
    let class = match boxed.bound {
        Some(Bound::Memory) => "bar memory",
        Some(Bound::Compute) => "bar compute",
        None => "bar",
    };
    svg.rect((x + 6.0, y + 42.0), (length.min(room).max(1.0), 9.0), class);
    if length > room {
        svg.tip((x + width, y + 46.5), class);
    }
}

/// What filled and hollow bars mean, where both sides of a roof are known.
fn legend(svg: &mut Svg, ribbon: &Ribbon, y: f64) {
    let mut x = GAP;
    for (bound, class) in [
        (Bound::Memory, "bar memory"),
        (Bound::Compute, "bar compute"),
    ] {
        if ribbon.boxes.iter().any(|boxed| boxed.bound == Some(bound)) {
            svg.rect((x, y - 8.0), (22.0, 9.0), class);
            let text = format!("{}-bound", bound.name());
            svg.text((x + 28.0, y), Anchor::Start, "dim", &text);
            x += 130.0;
        }
    }
    let fused = ribbon.boxes.iter().any(|boxed| boxed.group.fused());
    if fused {
        frame(svg, (x, y - 11.0), (22.0, 14.0), true, (false, false));
        svg.text(
            (x + 28.0, y),
            Anchor::Start,
            "dim",
            "one kernel of several ops",
        );
    }
}
