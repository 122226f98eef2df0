//! The staircase: a row per step, what the steps come to below.

use super::super::pen::{Pen, width, wrap};
use super::super::theme::Role;
use app::State;
use app::compare::Stairs;
use app::mouse::Target;
use plan::units::figure::{Clock, of_run};
use study::timing;

/// Right edges of the figures of the model, further right where a head is wider.
const EDGES: [u16; 6] = [23, 32, 41, 50, 58, 66];
/// Columns between two heads, at least.
const GAP: u16 = 2;
/// Right edge of the times.
const TIMES: u16 = 79;

/// Draws the steps.
pub fn draw(state: &State, stairs: &Stairs, pen: &mut Pen<'_>) {
    let Some(priced) = stairs.priced() else {
        pen.put(1, 2, "No plan of this setup can be priced.", Role::Warn);
        return;
    };
    let shared = &state.shared;
    let scope = state.compare.scope.heading();
    let findings = priced.findings();
    pen.put(1, 0, scope, Role::Strong);
    let id = shared.study.course.gpu();
    let sheet = shared.study.gpus.as_ref().and_then(|all| all.get(id).ok());
    let name = sheet.map_or(id, |gpu| &gpu.short);
    let roof = format!("floors: {name}, data sheet");
    pen.right(TIMES, 0, &roof, Role::Dim);
    let Some(sheet) = findings.sheets.first() else {
        return;
    };
    let times: Vec<_> = (0..sheet.rows.len())
        .map(|row| stairs.time(row, shared))
        .collect();
    let slowest = times
        .iter()
        .flatten()
        .flatten()
        .map(|t| t.median)
        .fold(0.0, f64::max);
    let clock = Clock::of(slowest * 1e-6);
    let heads: Vec<(&str, String)> = sheet
        .columns
        .iter()
        .skip(1)
        .map(|column| (column.name.as_str(), format!("{} =", column.unit)))
        .collect();
    let mut end = 0;
    let edges: Vec<u16> = heads
        .iter()
        .zip(EDGES)
        .map(|((name, unit), edge)| {
            let words = width(name).max(width(unit.trim_start())) as u16;
            end = edge.max(end + GAP + words);
            end
        })
        .collect();
    // The columns that times have beside the floors.
    let room = usize::from(TIMES.saturating_sub(end + 1));
    pen.put(1, 2, "step", Role::Strong);
    for ((name, unit), edge) in heads.iter().zip(&edges) {
        pen.right(*edge, 2, name, Role::Strong);
        pen.right(*edge, 3, unit.trim_start(), Role::Dim);
    }
    pen.right(TIMES, 2, "forward", Role::Strong);
    pen.right(TIMES, 3, &format!("{} @", clock.unit), Role::Dim);
    let mut y = 4;
    for (at, row) in sheet.rows.iter().enumerate() {
        let here = at == stairs.row;
        let cells = sheet.shown(row);
        let mut cells = cells.iter();
        let name = cells.next().map_or("", String::as_str);
        pen.spot(0, y, TIMES, Target::Row(at));
        if here {
            pen.put(0, y, "►", Role::Accent);
        }
        pen.put(1, y, name, if here { Role::Accent } else { Role::Text });
        for (cell, edge) in cells.zip(&edges) {
            pen.right(*edge, y, cell, Role::Modelled);
        }
        let time = times.get(at).copied().flatten();
        let time = of_run(time, |t| {
            let whole = timing::median(t, clock);
            // Where both do not fit, the spread goes: two numbers must not run together.
            match width(&whole) <= room {
                true => whole,
                false => clock.rounded(t.median * 1e-6),
            }
        });
        pen.right(TIMES, y, &time, Role::Measured);
        y += 1;
    }
    y += 1;
    for said in &findings.sentences {
        let lines = wrap(said, usize::from(TIMES) - 1);
        // Half a sentence would say something else.
        if usize::from(y) + lines.len() > usize::from(pen.height()) {
            break;
        }
        for line in lines {
            pen.put(1, y, &line, Role::Text);
            y += 1;
        }
    }
}
