//! The exercise page: the list, and the form of one exercise.

mod form;
mod grid;
mod helps;
mod kernel;
mod list;
mod measured;
pub mod question;
pub mod verdict;

pub use form::{Laid, setup, styled};

use super::pen::Pen;
use super::{cards, frame};
use app::State;
use app::exercise;

/// Columns of the list where the form stands beside it.
const LEFT: u16 = 39;
/// The same where there is room to spare.
const WIDE_LEFT: u16 = 62;
/// Columns of a form at most: longer lines are not read.
const WIDEST: u16 = 100;

/// Columns of the list beside the form.
fn left(columns: u16) -> u16 {
    columns
        .saturating_sub(frame::LEFT + 1)
        .clamp(LEFT, WIDE_LEFT)
}

/// Where the form stands: column, first row, columns, rows.
fn area(state: &State) -> (u16, u16, u16, u16) {
    let (columns, rows) = state.shared.size;
    if state.shared.two_panes() {
        let left = left(columns);
        (left + 1, 3, (columns - left - 1).min(WIDEST), rows - 6)
    } else {
        (0, 1, columns.min(WIDEST), rows - 3)
    }
}

/// Lays the form out, where an exercise is shown.
pub fn lay(state: &State) -> Option<Laid> {
    let (_, _, columns, rows) = area(state);
    let shown = exercise::shown(&state.exercises, &state.shared)?;
    Some(form::lay(state, shown, columns.into(), rows.into()))
}

/// Tells the page how long the form is.
pub fn fit(state: &mut State, laid: &Laid) {
    let (_, _, _, rows) = area(state);
    let room = usize::from(rows);
    let lines = laid.rows.len();
    state
        .exercises
        .fit(&mut state.shared, lines, room, &laid.current);
}

/// Draws the page.
pub fn draw(state: &State, laid: Option<&Laid>, pen: &mut Pen<'_>) {
    let last = pen.height().saturating_sub(1);
    let open = state.exercises.form.is_some();
    let (x, y, columns, rows) = area(state);
    if state.shared.two_panes() {
        let left = left(pen.width());
        frame::panes(pen, left, last - 2);
        list::draw(state, &mut pen.part(0, 3, left, rows));
        form::draw(state, laid, &mut pen.part(x, y, columns, rows));
    } else if open {
        form::draw(state, laid, &mut pen.part(x, y, columns, rows));
    } else {
        list::draw(state, &mut pen.part(0, 1, WIDEST.min(pen.width()), rows));
    }
    frame::message(state, hint(state, laid, rows), "", pen, last - 1);
    cards::draw(state, pen);
}

fn hint(state: &State, laid: Option<&Laid>, rows: u16) -> &'static str {
    let form = state.exercises.form.as_ref();
    let end = form.map_or(0, |form| form.scroll) + usize::from(rows);
    let below = |laid: &Laid| laid.current.question.0 + 1 >= end;
    let further = |laid: &Laid| laid.current.question.0 + laid.current.question.1 > end;
    let study = &state.shared.study;
    // Another variant forgets the answers of the one before, and not that they were given.
    let earned = |exercise| study.progress.tally(exercise).done() > 0;
    let begun = !study.progress.exercises.is_empty() || study.course.exercises().any(earned);
    if form.is_none() && state.shared.study.loaded && !begun {
        "Nothing answered yet. Enter opens the form of an exercise."
    } else if form.is_some() && laid.is_some_and(below) {
        "The question stands below: PgDn shows it."
    } else if form.is_some() && laid.is_some_and(further) {
        "The question goes on below: PgDn shows the rest."
    } else if form.is_some() && state.shared.questions.field.is_none() {
        "* explains the letters and words of this page."
    } else {
        ""
    }
}
