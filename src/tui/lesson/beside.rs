//! The lab in the right pane of a lesson: ribbon, toggles, this plan against V1.

use crate::tui::pen::{Pen, clip, width, wrap};
use crate::tui::theme::Role;
use crate::tui::{lab, ribbon};
use app::State;
use app::lesson::{self, Focus};
use app::live::predict;
use course::Block;

/// Columns that the ribbon needs, with its cursor.
const RIBBON: u16 = 65;

/// Draws the pane: with the ribbon where that fits, else what can be flipped and what
/// it costs.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let keys = state.reader.focus == Focus::Lab;
    if let Some((head, text)) = held(state).filter(|_| !keys) {
        pen.put(1, 1, head, Role::Text);
        for (y, line) in (3..).zip(wrap(text, usize::from(pen.width()) - 2)) {
            pen.put(1, y, &line, Role::Dim);
        }
        return;
    }
    let cost = state.shared.bench.cost();
    let name = format!(
        "{} · {}",
        state.shared.bench.cut().title(),
        cost.counted_launches()
    );
    let role = if keys { Role::Accent } else { Role::Text };
    let unit = lab::unit(state);
    let wide = pen.width() >= RIBBON;
    let edge = pen.width();
    let mut rest = if wide {
        // Over the ribbon's end, or behind a long name, as far as the pane goes.
        let both = 1 + width(&name) + 2 + width(&unit);
        let end = edge.min(RIBBON.max(both as u16));
        let room = usize::from(end).saturating_sub(3 + width(&unit));
        pen.put(1, 0, &clip(&name, room), role);
        pen.right(end, 0, &unit, Role::Modelled);
        ribbon::draw(&lab::boxes(state), &mut pen.part(1, 1, 63, ribbon::HEIGHT));
        pen.part(0, 0, edge.min(RIBBON), u16::MAX)
    } else {
        // The plan's name in two rows, and everything below it nine rows higher.
        for (y, line) in (0..2).zip(wrap(&name, usize::from(edge) - 1)) {
            pen.put(1, y, &line, role);
        }
        pen.part(0, 0, edge, u16::MAX)
    };
    if keys {
        rest.put(0, 0, "►", role);
    }
    let up = if wide { 0 } else { 8 };
    let pen = &mut rest;
    let edge = pen.width();
    section(pen, 11 - up, " fusions ", keys);
    let fusions = keys && state.lab.part == app::lab::Part::Fusions;
    lab::toggles(state, fusions, &mut pen.part(0, 12 - up, edge, 9));
    let title = lab::table_title(state, edge.saturating_sub(1));
    section(pen, 21 - up, &title, false);
    lab::against(state, &mut pen.part(0, 22 - up, edge, 9));
    pen.rule(0, edge, 31 - up);
    let hint = if keys {
        "Space flips, v next version, r runs, Enter opens the lab."
    } else {
        "Tab comes here; what is flipped in the lesson shows here."
    };
    for (y, line) in (32 - up..).zip(wrap(hint, usize::from(edge) - 2)) {
        pen.put(1, y, &line, Role::Dim);
    }
}

/// What the lab waits for, and how that is done: it would give the answer away.
fn held(state: &State) -> Option<(&'static str, &'static str)> {
    let (reader, shared) = (&state.reader, &state.shared);
    let there = lesson::focused(reader, shared);
    let asks = |(lesson, live)| predict::open(&shared.study, lesson, live).is_some();
    if lesson::waits(reader, shared) {
        let how = match there {
            _ if reader.field_open() => {
                "Type your number, then Enter, or Enter alone for “I do not know”. Tab as far as this pane opens the lab without."
            }
            Some(there) if asks(there) => {
                "Enter, then type your number, or Enter again for “I do not know”. L, or Tab as far as this pane, opens the lab without."
            }
            _ => {
                "Tab to the guess, then Enter: type your number, or Enter alone for “I do not know”. L, or Tab as far as this pane, opens the lab without."
            }
        };
        return Some(("The lab waits for your prediction.", how));
    }
    let how = match there.map(|(_, live)| &live.content) {
        Some(Ok(Block::Claim { .. })) => {
            "Enter: judge it, on page 8, where s twice shows it unjudged; Esc comes back. L opens the lab without."
        }
        _ => {
            "Tab to the claim, then Enter: judge it, on page 8, where s twice shows it unjudged; Esc comes back. L opens the lab without."
        }
    };
    lesson::unjudged(reader, shared).then_some(("The lab waits for your judgement.", how))
}

fn section(pen: &mut Pen<'_>, y: u16, title: &str, keys: bool) {
    let edge = pen.width();
    pen.rule(0, edge, y);
    let role = if keys { Role::Accent } else { Role::Dim };
    pen.put(1, y, title, role);
}
