//! The page that is shown once, at the very first start.

use super::frame;
use super::pen::{Pen, clip};
use super::theme::Role;
use app::machine::Condition;
use app::{Page, State};

/// The page that is shown once: what this is, what was found, how numbers are
/// labelled.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let title = format!("tinyllama-tutor {}", env!("CARGO_PKG_VERSION"));
    let blank = " ".repeat(usize::from(pen.width()));
    pen.put(0, 0, &blank, Role::Text);
    pen.put(1, 0, &title, Role::Strong);
    pen.right(79, 0, "first run", Role::Dim);
    let text = [
        (
            2,
            "A workshop on GPU kernel fusion. One transformer block, 17 kernels; you merge",
        ),
        (
            3,
            "them until one is left, and predict each number before you see it.",
        ),
        (
            5,
            "Found on this machine, nothing was installed or changed:",
        ),
        (12, "Numbers say where they come from:"),
    ];
    for (y, line) in text {
        pen.put(2, y, line, Role::Text);
    }
    for (i, b) in state.shared.machine.backends.iter().enumerate().take(4) {
        let y = 7 + i as u16;
        let role = match b.condition {
            Condition::Ready => Role::Good,
            _ => Role::Dim,
        };
        pen.put(4, y, &b.name, Role::Text);
        pen.put(11, y, &clip(&b.line, 42), Role::Text);
        pen.put(54, y, b.condition.word(), role);
        let gives = if i == state.shared.machine.chosen && state.shared.machine.backends.len() > 1 {
            "chosen"
        } else {
            &b.gives
        };
        pen.put(64, y, gives, Role::Dim);
    }
    let signs = [
        (4, "=  modelled, derived", Role::Modelled),
        (30, "#  issued, counted", Role::Issued),
        (53, "@  measured on this machine", Role::Measured),
    ];
    for (x, sign, role) in signs {
        pen.put(x, 14, sign, role);
    }
    pen.put(2, 16, "Do these join without gaps?", Role::Text);
    pen.put(33, 16, "┌──┬──┐ ╔══╗ ███▌ ⣀⠤⠒⠉", Role::Text);
    pen.put(33, 17, "└──┴──┘ ╚══╝", Role::Text);
    pen.put(57, 17, "a  if not: ASCII", Role::Text);
    let place = format!(
        "Answers and progress will be kept in {}",
        state.shared.place
    );
    pen.put(2, 19, &place, Role::Text);
    pen.put(
        2,
        20,
        "(i: start a workshop folder here instead, with ./answers)",
        Role::Text,
    );
    let last = pen.height() - 1;
    frame::message(state, "", "", pen, last - 1);
    debug_assert_eq!(state.page, Page::FirstRun);
}
