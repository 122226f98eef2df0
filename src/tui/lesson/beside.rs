//! The lab in the right pane of a lesson: ribbon, toggles, this plan against V1.

use crate::tui::pen::{Pen, clip, wrap};
use crate::tui::theme::Role;
use crate::tui::{lab, ribbon};
use app::State;
use app::figure;
use app::lesson::{self, Focus};

/// Draws the pane, 65 columns wide.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let keys = state.reader.focus == Focus::Lab;
    if !keys && lesson::waits(&state.reader, &state.shared) {
        pen.put(1, 1, "The lab waits for your prediction.", Role::Text);
        let text = "Tab, then Enter: type your number, or Enter alone for “I do not know”. Tab once more, or 3, opens the lab without.";
        for (y, line) in (3..).zip(wrap(text, usize::from(pen.width()) - 2)) {
            pen.put(1, y, &line, Role::Dim);
        }
        return;
    }
    let cost = state.shared.bench.cost();
    let name = format!(
        "{} · {} per block, {} per forward",
        state.shared.bench.cut().title(),
        figure::counted(cost.block.launches(), "launch", "launches"),
        cost.forward.launches()
    );
    let role = if keys { Role::Accent } else { Role::Text };
    let unit = lab::unit(state);
    let room = usize::from(pen.width()).saturating_sub(2 + unit.chars().count());
    pen.put(1, 0, &clip(&name, room), role);
    pen.right(pen.width(), 0, &unit, Role::Modelled);
    ribbon::draw(&lab::boxes(state), &mut pen.part(1, 1, 63, ribbon::HEIGHT));
    let edge = pen.width();
    section(pen, 11, " fusions ", keys);
    lab::toggles(state, &mut pen.part(0, 12, edge, 9));
    section(pen, 21, &lab::table_title(state), false);
    lab::against(state, &mut pen.part(0, 22, edge, 9));
    pen.rule(0, edge, 31);
    let hint = if keys {
        "Space flips, v next version, r runs, Enter opens the lab."
    } else {
        "Tab comes here; what is flipped in the lesson shows here."
    };
    pen.put(1, 32, hint, Role::Dim);
}

fn section(pen: &mut Pen<'_>, y: u16, title: &str, keys: bool) {
    let edge = pen.width();
    pen.rule(0, edge, y);
    let role = if keys { Role::Accent } else { Role::Dim };
    pen.put(1, y, title, role);
}
