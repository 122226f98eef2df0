//! What stands in the place of a page that needs a larger terminal.

use super::pen::{Pen, wrap};
use super::theme::Role;
use app::{Page, SMALLEST, State};

/// Says so, and that nothing is lost: what matters most first, whole sentences only.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let (columns, rows) = state.shared.size;
    let none = state.shared.lacks(SMALLEST);
    let (what, least) = match none {
        true => ("The workshop".to_owned(), SMALLEST),
        false => (
            format!("This page, {},", state.page.title()),
            state.page.least(),
        ),
    };
    // The size stays in one line.
    let size = format!("{}\u{a0}×\u{a0}{}", least.0, least.1);
    let (way, keys) = match none {
        true => (
            "Without a window: tinyllama-tutor --plain".to_owned(),
            "q leave",
        ),
        false => (
            format!("These pages fit: {}.", fitting(state)),
            "1 contents  2 lesson  7 exercises  : do  Esc back  q leave",
        ),
    };
    let said = [
        format!("{what} needs {size}."),
        format!("This terminal has {columns} columns and {rows} rows."),
        way,
        "Nothing is lost: it goes on where it was when the window is larger, or the font smaller."
            .to_owned(),
    ];
    let room = usize::from(pen.width().saturating_sub(2));
    let last = pen.height().saturating_sub(1);
    let mut free = usize::from(last);
    let mut lines = Vec::new();
    for said in said {
        let said = wrap(&said, room);
        if said.len() <= free {
            free -= said.len();
            lines.extend(said);
        }
    }
    let mut y = 0;
    if free > 1 {
        pen.put(1, 0, "tinyllama-tutor", Role::Strong);
        y = 2;
    }
    for line in lines {
        pen.put(1, y, &line.replace('\u{a0}', " "), Role::Text);
        y += 1;
    }
    pen.put(1, last, keys, Role::Text);
}

/// The pages with a digit that this terminal holds.
fn fitting(state: &State) -> String {
    let court = state.shared.study.course.court_off().is_none();
    let fits = |page: &Page| !state.shared.lacks(page.least());
    let named = Page::LISTED.into_iter().filter(fits);
    let named = named.filter(|page| *page != Page::Claims || court);
    let named: Vec<String> = named
        .filter_map(|page| Some(format!("{} {}", page.digit()?, page.title())))
        .collect();
    named.join(", ")
}
