//! Words explained: those of the page that one comes from, then the others.

use super::exercise::styled;
use super::frame;
use super::pen::Pen;
use super::rows::Row;
use super::theme::Role;
use app::State;
use app::glossary::{Entry, Glossary};

/// Columns of the text at most.
const WIDEST: u16 = 96;

/// Rows of a heading.
const HEAD: u16 = 2;

/// First row of the page.
fn top(state: &State) -> u16 {
    if state.shared.two_panes() { 3 } else { 2 }
}

/// Columns of the text.
fn text_width(columns: u16) -> usize {
    usize::from(columns.min(WIDEST)).saturating_sub(4)
}

/// What stands over an entry.
fn head(glossary: &Glossary, at: usize) -> Option<&'static str> {
    match at {
        0 if glossary.here > 0 => Some("On the page that you come from, and in what explains it"),
        at if at == glossary.here => Some("More words"),
        _ => None,
    }
}

/// Lays the last entries out: where the last page begins.
pub fn fit(state: &mut State) {
    let (columns, lines) = state.shared.size;
    let mut room = lines.saturating_sub(2 + top(state));
    let mut last = state.glossary.entries.len();
    for (at, entry) in state.glossary.entries.iter().enumerate().rev() {
        let over = head(&state.glossary, at).map_or(0, |_| HEAD);
        let needed = over + rows(state, entry, text_width(columns)).len() as u16;
        if needed > room {
            break;
        }
        (room, last) = (room - needed, at);
    }
    let end = state.glossary.entries.len().saturating_sub(1);
    state.glossary.fit(last.min(end));
}

/// Draws the page.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height().saturating_sub(1);
    let glossary = &state.glossary;
    let width = text_width(pen.width());
    let mut y = top(state);
    for (at, entry) in glossary.entries.iter().enumerate().skip(glossary.scroll) {
        if y >= last.saturating_sub(1) {
            break;
        }
        if let Some(head) = head(glossary, at) {
            pen.put(1, y, head, Role::Strong);
            y += HEAD;
        }
        for row in rows(state, entry, width) {
            if y >= last.saturating_sub(1) {
                break;
            }
            row.draw(pen, 2, y);
            y += 1;
        }
    }
    frame::message(state, "", "", pen, last - 1);
}

fn rows(state: &State, entry: &Entry, width: usize) -> Vec<Row> {
    let text = format!("**{}**: {}", entry.word, entry.says);
    let setup = state.shared.study.course.lesson("glossary");
    let setup = setup.map(|lesson| lesson.setup.clone()).unwrap_or_default();
    styled(state, &setup, &text, 1, width)
}
