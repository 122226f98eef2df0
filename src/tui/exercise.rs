//! The exercise page: the list, and the form of one exercise.

mod form;
mod grid;
mod kernel;
mod list;
mod measured;
pub mod question;

pub use form::{Laid, setup, styled};

use super::pen::Pen;
use super::{cards, frame};
use app::State;
use app::exercise;

/// Columns of the list where the form stands beside it.
const LEFT: u16 = 42;

/// Where the form stands: column, first row, columns, rows.
fn area(state: &State) -> (u16, u16, u16, u16) {
    let (columns, rows) = state.shared.size;
    if state.shared.two_panes() {
        (LEFT + 1, 3, columns - LEFT - 1, rows - 6)
    } else {
        (0, 1, columns.min(frame::LEFT), rows - 3)
    }
}

/// Lays the form out, where an exercise is shown.
pub fn lay(state: &State) -> Option<Laid> {
    let (_, _, columns, _) = area(state);
    let shown = exercise::shown(&state.exercises, &state.shared)?;
    Some(form::lay(state, shown, usize::from(columns)))
}

/// Tells the page how long the form is.
pub fn fit(state: &mut State, laid: &Laid) {
    let (_, _, _, rows) = area(state);
    let room = usize::from(rows);
    let lines = laid.rows.len();
    state
        .exercises
        .fit(&mut state.shared, lines, room, laid.current);
}

/// Draws the page.
pub fn draw(state: &State, laid: Option<&Laid>, pen: &mut Pen<'_>) {
    let last = pen.height().saturating_sub(1);
    let open = state.exercises.form.is_some();
    let (x, y, columns, rows) = area(state);
    if state.shared.two_panes() {
        frame::panes(pen, LEFT, last - 2);
        list::draw(state, &mut pen.part(0, 3, LEFT, rows));
        form::draw(state, laid, &mut pen.part(x, y, columns, rows));
    } else if open {
        form::draw(state, laid, &mut pen.part(x, y, columns, rows));
    } else {
        list::draw(
            state,
            &mut pen.part(0, 1, frame::LEFT.min(pen.width()), rows),
        );
    }
    frame::message(state, hint(state), "", pen, last - 1);
    cards::draw(state, pen);
}

fn hint(state: &State) -> &'static str {
    let begun = !state.shared.study.progress.exercises.is_empty();
    if state.exercises.form.is_none() && state.shared.study.loaded && !begun {
        "Nothing answered yet. Enter opens the form of an exercise."
    } else {
        ""
    }
}
