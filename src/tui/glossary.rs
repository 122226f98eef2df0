//! Words explained: those of the page that one comes from, then the others.

use super::exercise::styled;
use super::frame;
use super::pen::Pen;
use super::rows::Row;
use super::theme::Role;
use app::State;
use app::glossary::Entry;

/// Columns of the text at most.
const WIDEST: u16 = 96;

/// Draws the page.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height().saturating_sub(1);
    let top = if state.shared.two_panes() { 3 } else { 2 };
    let glossary = &state.glossary;
    let columns = pen.width().min(WIDEST);
    let width = usize::from(columns).saturating_sub(4);
    let mut y = top;
    for (at, entry) in glossary.entries.iter().enumerate().skip(glossary.scroll) {
        if y >= last.saturating_sub(1) {
            break;
        }
        let head = match at {
            0 if glossary.here > 0 => Some("On the page that you come from"),
            at if at == glossary.here => Some("All others"),
            _ => None,
        };
        if let Some(head) = head {
            pen.put(1, y, head, Role::Strong);
            y += 2;
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
