//! The page that is shown once, at the very first start.

use super::frame;
use super::pen::{Pen, clip, width, wrap};
use super::theme::Role;
use app::machine::{BackendFacts, Condition};
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
    let what = match gap {
        0 => {
            "A workshop on GPU kernel fusion: merge kernels until one is left, predict each number before you see it."
        }
        _ => {
            "A workshop on GPU kernel fusion. You merge the kernels of one transformer block until a single one is left, and predict each number before you see it."
        }
    };
    y = paragraph(what, columns, y, pen) + gap;
    pen.put(
        2,
        y,
        "Found on this machine, nothing was installed or changed:",
        Role::Text,
    );
    y += 1 + gap;
    let instead = match state.shared.workshop {
        true => "",
        false => " (i: start a workshop folder here instead, with ./answers)",
    };
    let place = format!(
        "Answers and progress will be kept in {}{instead}",
        state.shared.place
    );
    let last = pen.height() - 1;
    // What stands below: the signs, the sample, where things are kept.
    let small = columns < 66;
    let below = 4 + u16::from(small) + 4 * gap + lines(&place, columns).len() as u16;
    let devices = devices(state, pen.width().min(WIDEST));
    let rows = |device: &Device<'_>| wrap(device.gist, device.room).len() as u16;
    // Where there are too few rows, a device has one.
    let one = y + devices.iter().map(rows).sum::<u16>() + below > last;
    for device in &devices {
        y = device.draw(one, y, pen);
    }
    y += gap;
    pen.put(2, y, "Numbers say where they come from:", Role::Text);
    y += 1 + gap;
    let signs = [
        ("=  modelled, derived", Role::Modelled),
        ("#  issued, counted", Role::Issued),
        ("@  measured here", Role::Measured),
    ];
    let (mut x, apart) = if small { (2, 1) } else { (4, 3) };
    for (sign, role) in signs {
        pen.put(x, y, sign, role);
        x += width(sign) as u16 + apart;
    }
    y += 1 + gap;
    pen.put(2, y, "Do these join without gaps?", Role::Text);
    pen.put(31, y, "┌──┬──┐ ╔══╗ ███▌ ⣀⠤⠒⠉", Role::Text);
    pen.put(31, y + 1, "└──┴──┘ ╚══╝", Role::Text);
    // Beside the sample it would look as a part of it.
    let under = u16::from(small);
    pen.right(columns - 1, y + 1 + under, "a  if not: ASCII", Role::Text);
    y += 2 + under + gap;
    y = paragraph(&place, columns, y, pen);
    let rows = lines(PATH, columns).len() as u16;
    if let Some(y) = [y + gap, y].into_iter().find(|y| y + rows < last) {
        paragraph(PATH, columns, y, pen);
    }
    frame::message(state, "", "", pen, last - 1);
    debug_assert_eq!(state.page, Page::FirstRun);
}

/// What Enter begins.
const PATH: &str = "Enter begins a path: some of the lessons, and questions between them.";

/// A text in lines as wide as the page.
fn lines(text: &str, columns: u16) -> Vec<String> {
    wrap(text, usize::from(columns) - 3)
}

/// A text of several lines; the row behind it.
fn paragraph(text: &str, columns: u16, mut y: u16, pen: &mut Pen<'_>) -> u16 {
    for line in lines(text, columns) {
        pen.put(2, y, &line, Role::Text);
        y += 1;
    }
    y
}

/// A backend: its state, its device or why there is none, and what it is for. What to do
/// about it is said by the doctor's page.
struct Device<'s> {
    backend: &'s BackendFacts,
    gives: &'s str,
    gist: &'s str,
    room: usize,
    edge: u16,
}

/// The backends, as lines of so many columns.
fn devices<'s>(state: &'s State, columns: u16) -> Vec<Device<'s>> {
    let machine = &state.shared.machine;
    let backends = machine.backends.iter().take(4).enumerate();
    let device = |(at, backend): (usize, &'s BackendFacts)| {
        let gives = match at == machine.chosen && machine.backends.len() > 1 {
            true => "chosen",
            false => backend.gives.as_str(),
        };
        let edge = columns - 1;
        let taken = match gives {
            "" => 0,
            gives => width(gives) as u16 + 2,
        };
        let room = usize::from(edge.saturating_sub(18 + taken));
        Device {
            gist: gist(&backend.line, room),
            backend,
            gives,
            room,
            edge,
        }
    };
    backends.map(device).collect()
}

impl Device<'_> {
    /// Draws it, in one row where there are few; the row behind it.
    fn draw(&self, one: bool, y: u16, pen: &mut Pen<'_>) -> u16 {
        let role = match self.backend.condition {
            Condition::Ready => Role::Good,
            _ => Role::Dim,
        };
        pen.put(4, y, &self.backend.name, Role::Text);
        pen.put(11, y, self.backend.condition.word(), role);
        pen.right(self.edge, y, self.gives, Role::Dim);
        let lines = match one {
            true => vec![clip(self.gist, self.room)],
            false => wrap(self.gist, self.room),
        };
        let mut below = y;
        for line in lines {
            pen.put(18, below, &line, Role::Text);
            below += 1;
        }
        below.max(y + 1)
    }
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
