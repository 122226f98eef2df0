//! The one page of a terminal that is too small.

use super::pen::Pen;
use super::theme::Role;
use app::State;

/// Says so, and that nothing is lost.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let (columns, rows) = state.shared.size;
    let lines = [
        "tinyllama-tutor".to_owned(),
        String::new(),
        format!("This terminal has {columns} columns and {rows} rows."),
        "The workshop needs 80 × 24.".to_owned(),
        "Nothing is lost: it goes on where it was when".to_owned(),
        "the window is larger, or the font smaller.".to_owned(),
        "Without a window: tinyllama-tutor --plain".to_owned(),
    ];
    let last = pen.height().saturating_sub(1);
    for (y, line) in lines.iter().enumerate() {
        let role = if y == 0 { Role::Strong } else { Role::Text };
        if (y as u16) < last {
            pen.put(1, y as u16, line, role);
        }
    }
    pen.put(1, last, "q leave", Role::Text);
}
