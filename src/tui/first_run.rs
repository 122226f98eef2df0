//! The page that is shown once, at the very first start.

use super::frame;
use super::pen::{Pen, width, wrap};
use super::theme::Role;
use app::machine::Condition;
use app::{Page, State};

/// Columns of what was found, at most.
const WIDEST: u16 = 140;

/// The page that is shown once: what this is, what was found, how numbers are
/// labelled.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let title = format!("tinyllama-tutor {}", env!("CARGO_PKG_VERSION"));
    let columns = pen.width().min(frame::LEFT);
    let blank = " ".repeat(usize::from(pen.width()));
    pen.put(0, 0, &blank, Role::Text);
    pen.put(1, 0, &title, Role::Strong);
    pen.right(columns - 1, 0, "first run", Role::Dim);
    // Where there are few rows, nothing stands between the parts.
    let gap = u16::from(pen.height() >= 24);
    let mut y = 1 + gap;
    let what = "A workshop on GPU kernel fusion. You merge the kernels of one transformer block until a single one is left, and predict each number before you see it.";
    y = paragraph(what, columns, y, pen) + gap;
    pen.put(
        2,
        y,
        "Found on this machine, nothing was installed or changed:",
        Role::Text,
    );
    y += 1 + gap;
    for at in 0..state.shared.machine.backends.len().min(4) {
        y = found(state, at, pen.width().min(WIDEST), y, pen);
    }
    y += gap;
    pen.put(2, y, "Numbers say where they come from:", Role::Text);
    y += 1 + gap;
    let signs = [
        ("=  modelled, derived", Role::Modelled),
        ("#  issued, counted", Role::Issued),
        ("@  measured here", Role::Measured),
    ];
    let (mut x, apart) = if columns < 66 { (2, 1) } else { (4, 3) };
    for (sign, role) in signs {
        pen.put(x, y, sign, role);
        x += width(sign) as u16 + apart;
    }
    y += 1 + gap;
    pen.put(2, y, "Do these join without gaps?", Role::Text);
    pen.put(31, y, "┌──┬──┐ ╔══╗ ███▌ ⣀⠤⠒⠉", Role::Text);
    pen.put(31, y + 1, "└──┴──┘ ╚══╝", Role::Text);
    // Beside the sample it would look as a part of it.
    let below = u16::from(columns < 66);
    pen.right(columns - 1, y + 1 + below, "a  if not: ASCII", Role::Text);
    y += 2 + below + gap;
    let instead = match state.shared.workshop {
        true => "",
        false => " (i: start a workshop folder here instead, with ./answers)",
    };
    let place = format!(
        "Answers and progress will be kept in {}{instead}",
        state.shared.place
    );
    paragraph(&place, columns, y, pen);
    let last = pen.height() - 1;
    frame::message(state, "", "", pen, last - 1);
    debug_assert_eq!(state.page, Page::FirstRun);
}

/// A text of several lines; the row behind it.
fn paragraph(text: &str, columns: u16, mut y: u16, pen: &mut Pen<'_>) -> u16 {
    for line in wrap(text, usize::from(columns) - 3) {
        pen.put(2, y, &line, Role::Text);
        y += 1;
    }
    y
}

/// A backend: its state, its device or why there is none, and what it is for; the row
/// behind it. What to do about it is said by the doctor's page.
fn found(state: &State, at: usize, columns: u16, y: u16, pen: &mut Pen<'_>) -> u16 {
    let machine = &state.shared.machine;
    let Some(b) = machine.backends.get(at) else {
        return y;
    };
    let role = match b.condition {
        Condition::Ready => Role::Good,
        _ => Role::Dim,
    };
    let gives = match at == machine.chosen && machine.backends.len() > 1 {
        true => "chosen",
        false => b.gives.as_str(),
    };
    pen.put(4, y, &b.name, Role::Text);
    pen.put(11, y, b.condition.word(), role);
    let edge = columns - 1;
    let taken = match gives {
        "" => 0,
        gives => width(gives) as u16 + 2,
    };
    let room = usize::from(edge.saturating_sub(18 + taken));
    pen.right(edge, y, gives, Role::Dim);
    let mut below = y;
    for line in wrap(gist(&b.line, room), room) {
        pen.put(18, below, &line, Role::Text);
        below += 1;
    }
    below.max(y + 1)
}

/// The first part of a line, and that without what stands in brackets where it is wider
/// than the room.
fn gist(line: &str, room: usize) -> &str {
    let first = line.split("; ").next().unwrap_or(line);
    match width(first) > room {
        true => first.split(" (").next().unwrap_or(first),
        false => first,
    }
}
