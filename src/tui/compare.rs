//! Versions side by side: a row per quantity, bars on one scale per row.

mod staircase;

use super::merit::Plans;
use super::pen::{Pen, width};
use super::ribbon::bar;
use super::theme::Role;
use super::{cards, frame, kernels};
use app::State;
use app::compare::{Row, hint, rows};
use app::figure::Origin;
use app::machine::Source;
use app::merit::{Pane, before};
use app::mouse::Target;
use plan::model::Dtype;

/// Right edges of the columns.
const EDGES: [u16; 4] = [33, 46, 59, 72];
/// Left edges of the bars.
const BARS: [u16; 4] = [23, 36, 49, 62];
/// Rows below the costs from which on the figures of merit stand there, too.
const ROOM_FOR_FIGURES: u16 = 19;
/// Columns that a table of hotspots takes.
const HOTSPOTS: u16 = 80;
/// Columns of one of them, and of the sign beside its head.
const WIDE: u16 = 11;
/// Cells of the longest bar.
const LONGEST: u64 = 10;

/// Draws the page.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height() - 1;
    let before = before(&state.shared, "R runs V1 to V4 in turns:");
    let plans = plans(state, &before);
    if state.shared.two_panes() {
        let bottom = last - 2;
        frame::panes(pen, frame::LEFT + 1, bottom);
        let merits = body(state, &plans, &mut pen.part(0, 3, frame::LEFT, bottom - 3));
        let right = pen.width() - frame::LEFT - 2;
        beside(
            state,
            (&plans, merits),
            &mut pen.part(frame::LEFT + 2, 3, right, bottom - 3),
        );
    } else {
        body(state, &plans, &mut pen.part(0, 1, frame::LEFT, last - 2));
    }
    let rows = rows(
        &state.compare,
        &state.shared.bench,
        &state.shared.machine,
        &state.shared.runs,
    );
    frame::message(
        state,
        &hint(&state.compare, &state.shared, &rows),
        "",
        pen,
        last - 1,
    );
    cards::draw(state, pen);
}

/// A row takes clicks, and each of its cells.
fn clicked(pen: &mut Pen<'_>, y: u16, row: usize) {
    pen.spot(0, y, frame::LEFT, Target::Row(row));
    for (column, left) in BARS.into_iter().enumerate() {
        pen.spot(left, y, WIDE, Target::Cell(row * BARS.len() + column));
    }
}

/// The columns with their figures of merit.
fn plans<'s>(state: &State, before: &'s [String]) -> Plans<'s> {
    let titles = state.compare.cuts().into_iter().map(|cut| cut.title());
    Plans {
        titles: titles.collect(),
        merits: state.compare.merits(&state.shared),
        at: state.compare.column,
        before,
    }
}

/// Draws the versions, or what stands in their place; whether their figures of merit stand
/// below them.
fn body(state: &State, plans: &Plans<'_>, pen: &mut Pen<'_>) -> bool {
    if state.compare.climbing {
        staircase::draw(state, &state.compare.stairs, pen);
        return false;
    }
    if state.compare.pane != Pane::Off {
        plans.draw(state.compare.pane, pen);
        return false;
    }
    let scope = state.compare.scope.heading();
    pen.put(1, 0, scope, Role::Strong);
    let roof = roof(state);
    let from = (frame::LEFT.saturating_sub(width(&roof) as u16 + 1)).min(25);
    pen.put(from.max(12), 0, &roof, Role::Dim);
    for (i, cut) in state.compare.cuts().iter().enumerate() {
        let role = if i == state.compare.column {
            Role::Accent
        } else {
            Role::Text
        };
        let title = cut.title();
        let title = super::pen::clip(&title, 12);
        let long = width(&title) as u16;
        let end = pen.put(EDGES[i] - long, 2, &title, role);
        pen.spot(BARS[i], 2, WIDE, Target::Column(i));
        if i == state.compare.column {
            pen.put(end, 2, "▼", Role::Accent);
        }
    }
    let rows = rows(
        &state.compare,
        &state.shared.bench,
        &state.shared.machine,
        &state.shared.runs,
    );
    // Where the rows need every line there is no gap.
    let needed = |row: &Row| 1 + u16::from(row.bars.is_some());
    let gaps = 3 + rows.iter().map(needed).sum::<u16>() < pen.height();
    let mut y = 3;
    for (i, row) in rows.iter().enumerate() {
        if row.gap && gaps {
            y += 1;
        }
        draw_row(state, row, i == state.compare.row, pen, y);
        clicked(pen, y, i);
        y += 1;
        if let Some(bars) = &row.bars {
            clicked(pen, y, i);
            draw_bars(bars, pen, y);
            y += 1;
        }
    }
    let some = plans.merits.iter().any(Option::is_some);
    let room = some && pen.height() > y + ROOM_FOR_FIGURES;
    if room {
        plans.figures(&mut pen.part(0, y + 1, frame::LEFT, pen.height() - y - 1));
    }
    room
}

fn draw_row(state: &State, row: &Row, here: bool, pen: &mut Pen<'_>, y: u16) {
    let role = match row.origin {
        Origin::Modelled => Role::Modelled,
        Origin::Issued => Role::Issued,
        Origin::Measured => Role::Measured,
    };
    if here {
        pen.put(0, y, "►", Role::Accent);
    }
    let label_role = if here { Role::Accent } else { Role::Text };
    pen.put(1, y, &row.label, label_role);
    for (i, cell) in row.cells.iter().enumerate().take(EDGES.len()) {
        pen.right(EDGES[i], y, cell, role);
        if here && i == state.compare.column {
            let width = cell.chars().count() as u16;
            pen.reverse(EDGES[i] - width, y, width);
        }
    }
}

fn draw_bars(values: &[f64], pen: &mut Pen<'_>, y: u16) {
    let longest = values.iter().copied().fold(0.0, f64::max);
    for (i, value) in values.iter().enumerate().take(BARS.len()) {
        let eighths = if longest > 0.0 {
            (value / longest * (LONGEST * 8) as f64).round() as u64
        } else {
            0
        };
        let eighths = eighths.max(u64::from(*value > 0.0));
        let drawn = bar(eighths, LONGEST, pen.ascii());
        pen.put(BARS[i], y, &drawn, Role::Memory);
    }
}

/// Which roof the floors are priced under, and where it comes from.
fn roof(state: &State) -> String {
    let Some(c) = &state.shared.machine.ceilings else {
        return "roof: none known".to_owned();
    };
    if c.source == Source::Measured {
        return format!("roof: this machine @ {}", c.spoken());
    }
    let (copy, fp32) = (c.bandwidth / 1e9, c.fp32 / 1e12);
    // The matrix unit counts where it is used: products of 16-bit data.
    let matrix = c
        .matrix16
        .filter(|_| state.shared.bench.setup().dtype == Dtype::Bf16);
    let peak = match matrix {
        Some(m) => format!("bf16 {:.0}, fp32 {fp32:.0} TFLOP/s", m / 1e12),
        None => format!("fp32 {fp32:.1} TFLOP/s"),
    };
    format!("roof: {} data sheet, {copy:.0} GB/s, {peak}", c.of)
}

/// The kernels of the column under the cursor, and below them its figures of merit, or its
/// hotspots where those stand on the page already (`merits`).
fn beside(state: &State, (plans, merits): (&Plans<'_>, bool), pen: &mut Pen<'_>) {
    let page = &state.compare;
    let cost = match page.climbing {
        true => page.stairs.cost(),
        false => page.prices().get(page.column),
    };
    if let Some(cost) = cost {
        let title = format!("{}, kernels of a block", cost.config.cut.title());
        let room = usize::from(pen.width()).saturating_sub(2);
        pen.put(1, 0, &super::pen::clip(&title, room), Role::Strong);
        let report = state
            .shared
            .runs
            .of(state.shared.bench.setup(), cost.config.cut);
        let kernels = &cost.block.kernels;
        kernels::short(state, kernels, report, &mut pen.part(0, 2, 38, 30));
        let y = 4 + kernels.len() as u16;
        let counted = report.is_some_and(|report| !report.kernels.is_empty());
        if page.climbing || page.pane != Pane::Off {
            return;
        }
        let room = pen.height().saturating_sub(y);
        match merits {
            true if pen.width() >= HOTSPOTS => {
                plans.hotspots(&mut pen.part(0, y, HOTSPOTS, room), false);
            }
            false if !counted => plans.narrow(&mut pen.part(0, y, 38, room)),
            true | false => {}
        }
    }
}
