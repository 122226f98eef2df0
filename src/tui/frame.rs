//! What every page shows: header row, message row, footer row.

use super::pen::{Pen, clip, width};
use super::theme::Role;
use crate::app::{Page, State, Tone, footer, keymap};

/// Header, footer and, at 120 columns, the row of pages.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    header(state, pen);
    let line = keymap::footer(state.page, footer(state), pen.width() as usize);
    let last = pen.height().saturating_sub(1);
    pen.put(0, last, &line, Role::Text);
}

fn header(state: &State, pen: &mut Pen<'_>) {
    let name = match (state.page.digit(), state.page) {
        (Some(digit), page) => format!("{digit} {}", page.title()),
        (None, page) => page.title().to_owned(),
    };
    pen.put(1, 0, &name, Role::Strong);
}

/// The row of pages, the present one marked.
pub fn pages(page: Page, pen: &mut Pen<'_>, y: u16) {
    let mut x = 0;
    for p in Page::LISTED {
        let (Some(digit), title) = (p.digit(), p.title()) else {
            continue;
        };
        let here = p == page;
        let role = if here { Role::Accent } else { Role::Dim };
        pen.put(x, y, if here { "►" } else { " " }, role);
        x = pen.put(x + 1, y, &format!("{digit} {title}"), role) + 1;
    }
}

/// The message row: one message in place of the one before.
pub fn message(state: &State, pen: &mut Pen<'_>, y: u16) -> bool {
    let Some(note) = state.notes.shown() else {
        return false;
    };
    let role = match note.tone {
        Tone::Plain => Role::Text,
        Tone::Good => Role::Good,
        Tone::Warn => Role::Warn,
        Tone::Bad => Role::Bad,
    };
    let room = (pen.width() as usize).saturating_sub(2);
    let text = clip(&note.text, room);
    let blank = " ".repeat(room.saturating_sub(width(&text)));
    pen.put(1, y, &(text + &blank), role);
    true
}
