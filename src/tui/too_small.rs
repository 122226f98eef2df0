//! What stands in the place of a page that needs a larger terminal.

use super::pen::Pen;
use super::theme::Role;
use app::{SMALLEST, State};

/// Says so, and that nothing is lost.
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
    let mut lines = vec![
        "tinyllama-tutor".to_owned(),
        String::new(),
        format!("This terminal has {columns} columns and {rows} rows."),
        format!("{what} needs {} × {}.", least.0, least.1),
        "Nothing is lost: it goes on where it was when".to_owned(),
        "the window is larger, or the font smaller.".to_owned(),
    ];
    let keys = match none {
        true => {
            lines.push("Without a window: tinyllama-tutor --plain".to_owned());
            "q leave"
        }
        false => {
            lines.push("Contents, lessons and exercises fit: 1, 2 and 7.".to_owned());
            "1 contents  2 lesson  7 exercises  : do  Esc back  q leave"
        }
    };
    let last = pen.height().saturating_sub(1);
    for (y, line) in lines.iter().enumerate() {
        let role = if y == 0 { Role::Strong } else { Role::Text };
        if (y as u16) < last {
            pen.put(1, y as u16, line, role);
        }
    }
    pen.put(1, last, keys, Role::Text);
}
