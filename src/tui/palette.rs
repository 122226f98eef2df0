//! The command palette, over the lower half of any page.

use super::pen::{Pen, clip, width};
use super::theme::Role;
use app::State;
use app::mouse::Target;
use app::palette::matches;

/// Entries that are shown at once.
const SHOWN: usize = 7;
/// Columns at most.
const WIDEST: u16 = 80;

/// Draws the palette where it is open.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let Some(palette) = &state.palette else {
        return;
    };
    let typed = palette.field.text();
    let form = state.exercises.form.as_ref().map(|f| f.exercise.as_str());
    let (found, all) = matches(&state.shared, form, &typed);
    let height = SHOWN as u16 + 5;
    let top = pen.height().saturating_sub(height);
    let columns = pen.width().min(WIDEST);
    // Text, and behind it the key, where there is room for it.
    let (text, hint) = match columns < WIDEST {
        true => (columns - 18, None),
        false => (46, Some(61)),
    };
    let free = pen.width();
    pen.part(0, top, free, height).clear();
    let mut part = pen.part(0, top, columns, height);
    outline(&mut part);
    let (before, behind) = palette.field.halves();
    let x = part.put(3, 1, ": ", Role::Accent);
    let x = part.put(x, 1, &clip(&before, usize::from(columns) - 30), Role::Text);
    let x = part.cursor(x, 1);
    part.put(x, 1, &clip(&behind, 8), Role::Text);
    let count = format!("{} of {all}", found.len());
    part.right(columns - 4, 1, &count, Role::Dim);
    let first = palette.cursor.saturating_sub(SHOWN - 1);
    for (i, entry) in found.iter().enumerate().skip(first).take(SHOWN) {
        let y = (i - first) as u16 + 3;
        let here = i == palette.cursor;
        part.spot(2, y, columns - 4, Target::Entry(i));
        let role = if here { Role::Accent } else { Role::Text };
        if here {
            part.put(3, y, "►", Role::Accent);
        }
        part.put(4, y, entry.kind, Role::Dim);
        part.put(14, y, &clip(&entry.text, usize::from(text)), role);
        if let Some(x) = hint {
            part.put(x, y, &clip(&entry.hint, 15), Role::Dim);
        }
    }
    if found.is_empty() {
        part.put(
            14,
            3,
            "Nothing matches; fewer letters find more.",
            Role::Dim,
        );
    }
    let keys = "Enter do it · Tab complete · Esc close";
    part.right(columns - 4, height - 2, keys, Role::Dim);
}

fn outline(pen: &mut Pen<'_>) {
    let (left, right, bottom) = (1, pen.width() - 2, pen.height() - 1);
    for x in left..=right {
        pen.put(x, 0, "─", Role::Dim);
        pen.put(x, bottom, "─", Role::Dim);
    }
    for y in 1..bottom {
        pen.put(left, y, "│", Role::Dim);
        pen.put(right, y, "│", Role::Dim);
    }
    let corners = [
        (left, 0, "┌"),
        (right, 0, "┐"),
        (left, bottom, "└"),
        (right, bottom, "┘"),
    ];
    for (x, y, sign) in corners {
        pen.put(x, y, sign, Role::Dim);
    }
    let title = " : ";
    pen.put(left + 1, 0, title, Role::Strong);
    debug_assert_eq!(width(title), 3);
}
