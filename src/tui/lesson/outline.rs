//! The sections of a lesson, to go to one of them.

use crate::tui::pen::{Pen, clip};
use crate::tui::theme::Role;
use app::State;
use app::lesson;
use app::mouse::Target;

/// Draws the sections with the cursor on one of them. `keys`: it is to go to one; else
/// the one on the page is marked.
pub fn draw(state: &State, cursor: usize, keys: bool, pen: &mut Pen<'_>) {
    let Some(lesson) = lesson::lesson(&state.reader, &state.shared) else {
        return;
    };
    let read = state
        .shared
        .study
        .progress
        .lessons
        .get(&lesson.id)
        .map(|mark| &mark.read);
    let title = if keys {
        "Sections of this lesson"
    } else {
        "Sections"
    };
    pen.put(2, 0, title, Role::Strong);
    let room = usize::from(pen.height().saturating_sub(2));
    let from = (cursor + 1).saturating_sub(room);
    let sections = lesson.sections.iter().enumerate().skip(from);
    for (y, (i, section)) in (2..pen.height()).zip(sections) {
        let sign = match read {
            Some(read) if read.contains(&section.id) => "●",
            _ => "·",
        };
        let text = format!("{sign} {:2}  {}", i + 1, section.title);
        pen.spot(0, y, pen.width(), Target::Row(i));
        let role = if i == cursor {
            Role::Accent
        } else {
            Role::Text
        };
        if i == cursor {
            pen.put(1, y, if keys { "►" } else { "›" }, Role::Accent);
        }
        let columns = usize::from(pen.width()).saturating_sub(4);
        pen.put(3, y, &clip(&text, columns), role);
    }
}
