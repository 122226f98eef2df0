//! A plan as lines: boxes, what can be flipped, what it costs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::piece::origin;
use super::{Place, trips};
use crate::tui::lab::{bound_role, switched};
use crate::tui::pen::{Pen, width};
use crate::tui::ribbon;
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;
use app::State;
use app::merge::Picture;
use app::mouse::Target;
use app::ribbon::{SLOTS, WIDTHS};
use course::present::{Boxed, Lab, Ribbon, Sum, Toggle, Trips};

/// Walls that are falling, by the slot to their left.
pub type Fallen<'m> = Option<(Picture, &'m [usize])>;

/// Columns at which the cells of a sum begin.
const CELLS: [usize; 4] = [8, 24, 39, 57];

/// A plan and what can be flipped in it; `cursor`: the toggle that has the keys.
pub fn rows(
    lab: &Lab,
    cursor: Option<usize>,
    fallen: Fallen<'_>,
    ascii: bool,
    columns: usize,
) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(boxes) = &lab.strip {
        rows.extend(strip(boxes, fallen, ascii, columns));
    }
    rows.extend(toggles(&lab.toggles, cursor, columns));
    if !rows.is_empty() {
        rows.push(Row::default());
    }
    if !lab.title.is_empty() {
        rows.push(Row::of(lab.title.clone(), Role::Strong));
    }
    rows.extend(lab.sums.iter().chain(&lab.ran).map(|s| sum(s, columns)));
    rows
}

/// What travels in a stretch of a plan, what that costs, and what can be flipped.
pub fn trips(place: Place<'_>, trips: &Trips, columns: usize) -> Vec<Row> {
    let block = place.block();
    let reached = (block.steps > 0).then_some(block.steps.min(trips.kernels.len()));
    let title = Row::of(trips.title.clone(), Role::Strong);
    let mut rows = vec![match reached {
        Some(reached) => {
            let text = format!("so far {}", trips.walked(reached - 1));
            title.right(columns, &text, Role::Modelled)
        }
        None => title,
    }];
    // The box, title, sums and the rows around the text; a fusion a row.
    let around = 9 + trips.toggles.len();
    let height = usize::from(place.state.shared.size.1).saturating_sub(around);
    rows.extend(trips::picture(trips, reached, columns, height));
    rows.extend(trips.sums.iter().map(|s| sum(s, columns)));
    let cursor = place.keys.then_some(block.cursor);
    rows.extend(toggles(&trips.toggles, cursor, columns));
    rows
}

/// Fusions to flip, one a row; `cursor`: the one that has the keys.
fn toggles(toggles: &[Toggle], cursor: Option<usize>, columns: usize) -> Vec<Row> {
    let row = |(i, fusion): (usize, &Toggle)| {
        let row = toggle(fusion, cursor == Some(i), columns);
        let width = row.width();
        row.clicked(width, Target::Switch(i))
    };
    toggles.iter().enumerate().map(row).collect()
}

/// A name and its cells, as many as there is room for.
fn sum(sum: &Sum, columns: usize) -> Row {
    let mut row = Row::of(sum.name, Role::Dim);
    for (at, (text, from)) in CELLS.into_iter().zip(&sum.cells) {
        if columns < at + width(text) {
            break;
        }
        row = row.at(at, text.clone(), from.map_or(Role::Text, origin));
    }
    row
}

fn toggle(toggle: &Toggle, here: bool, columns: usize) -> Row {
    let text = format!("{} {}", toggle.switch.sign(), toggle.fusion.name());
    let row = Row::of(if here { "►" } else { " " }, Role::Accent);
    let row = row.and(text, switched(toggle.switch));
    let summary = toggle.fusion.summary();
    if 20 + width(summary) <= columns {
        row.at(20, summary, Role::Dim)
    } else {
        row
    }
}

/// Boxes of a few slots: walls, names, walls; the names alone where there is no room.
fn strip(ribbon: &Ribbon, fallen: Fallen<'_>, ascii: bool, columns: usize) -> Vec<Row> {
    let mut lines = [Row::default(), Row::default(), Row::default()];
    for boxed in &ribbon.boxes {
        let fused = boxed.group.fused();
        let role = if fused { Role::Fused } else { Role::Dim };
        let (first, last) = boxed.slots;
        let slots = SLOTS.get(first..=last).unwrap_or_default();
        let labels: Vec<&str> = slots.iter().map(|slot| slot.label).collect();
        let joint = |slot: usize| match fallen {
            Some((Picture::Standing, slots)) if slots.contains(&slot) => "││",
            Some((Picture::Broken, slots)) if slots.contains(&slot) => "┊┊",
            _ if ascii => "..",
            _ => "··",
        };
        let mut name = String::new();
        for (slot, label) in (first..).zip(&labels) {
            name.push_str(label);
            if slot < last {
                name.push_str(joint(slot));
            }
        }
        let wall = (if fused { "═" } else { "─" }).repeat(width(&name));
        let [top, middle, bottom] = if fused {
            [["╔", "╗"], ["║", "║"], ["╚", "╝"]]
        } else {
            [["┌", "┐"], ["│", "│"], ["└", "┘"]]
        };
        let [a, b, c] = lines;
        lines = [
            a.and(format!("{}{wall}{}", top[0], top[1]), role),
            b.and(middle[0], role)
                .and(name, Role::Text)
                .and(middle[1], role),
            c.and(format!("{}{wall}{}", bottom[0], bottom[1]), role),
        ];
    }
    if lines.iter().any(|line| line.width() > columns) {
        return words(&ribbon.to_string(), columns, Role::Text);
    }
    lines.into()
}

/// The ribbon itself where it fits, else its boxes as text; what its walls cost.
pub fn ribbon(state: &State, ribbon: &Ribbon, columns: usize) -> Vec<Row> {
    let mut rows = match columns >= usize::from(WIDTHS[1]) {
        true => drawn(state, ribbon),
        false => {
            // Texts speak of boxes and bars.
            let how = "Too narrow for boxes: | parts them, without their bars.";
            let mut rows = words(how, columns, Role::Dim);
            rows.extend(words(&ribbon.to_string(), columns, Role::Text));
            rows
        }
    };
    if !ribbon.walls.is_empty() {
        rows.push(Row::default());
        rows.push(Row::of(Ribbon::WALLS, Role::Dim));
        let walls = ribbon.walls.iter();
        let walls: Vec<String> = walls
            .map(|wall| wall.to_string().replace(' ', "\u{a0}"))
            .collect();
        rows.extend(words(&walls.join("   "), columns, Role::Modelled));
    }
    rows
}

/// The ribbon, drawn into cells.
fn drawn(state: &State, ribbon: &Ribbon) -> Vec<Row> {
    let scale = u128::from(ribbon.scale);
    let kernel = |boxed: &Boxed| {
        let bytes = u128::from(boxed.bytes.unwrap_or(0));
        ribbon::Kernel {
            group: boxed.group,
            content: ribbon::Content {
                number: boxed.number.clone(),
                kind: Role::Modelled,
                // Five cells are V1's largest kernel.
                eighths: ((bytes * 80 + scale) / (2 * scale)) as u64,
                bound: bound_role(boxed.bound),
            },
            selected: false,
            wall: None,
        }
    };
    let kernels: Vec<ribbon::Kernel> = ribbon.boxes.iter().map(kernel).collect();
    let area = Rect::new(0, 0, WIDTHS[1], ribbon::HEIGHT);
    let mut buffer = Buffer::empty(area);
    ribbon::draw(
        &kernels,
        &mut Pen::new(&mut buffer, area, state.shared.look),
    );
    buffer
        .content
        .chunks(usize::from(WIDTHS[1]))
        .map(|cells| Row {
            spans: Vec::new(),
            cells: cells.to_vec(),
            ..Row::default()
        })
        .collect()
}
