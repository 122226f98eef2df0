//! Tables: the cell under the cursor, and what stands in it.

use super::check;
use crate::intent::Out;
use crate::question::Asked;
use crate::shared::Shared;
use course::answer::{Judgement, filled, written};
use course::{Key, Table};

/// Rows and columns of a table.
pub fn size(table: &Table) -> (usize, usize) {
    (table.rows.len(), table.columns.len())
}

/// The cell under the cursor, as row and column.
pub fn cell(shared: &Shared, asked: &Asked, table: &Table) -> (usize, usize) {
    let (rows, columns) = size(table);
    let at = shared.questions.question(asked).cell;
    let at = at.min((rows * columns).saturating_sub(1));
    (at / columns.max(1), at % columns.max(1))
}

/// What was typed, cell by cell.
pub fn cells(shared: &Shared, asked: &Asked, table: &Table) -> Vec<Vec<String>> {
    let (rows, columns) = size(table);
    filled(&check::now(shared, asked), rows, columns)
}

/// What stands in the cell under the cursor.
pub fn typed(shared: &Shared, asked: &Asked, table: &Table) -> String {
    let (row, column) = cell(shared, asked, table);
    let cells = cells(shared, asked, table);
    let found = cells.get(row).and_then(|r| r.get(column));
    found.cloned().unwrap_or_default()
}

/// Whether the cell under the cursor is empty, or holds what was found not to be right.
pub(super) fn is_free(shared: &Shared, asked: &Asked, table: &Table) -> bool {
    let (row, column) = cell(shared, asked, table);
    let here = (
        row * table.columns.len() + column,
        typed(shared, asked, table),
    );
    here.1.is_empty() || shared.questions.question(asked).refused.contains(&here)
}

/// Whether the cell under the cursor was found right, in the table as it stands.
pub(super) fn is_right(shared: &Shared, asked: &Asked) -> bool {
    let question = shared.questions.question(asked);
    let cell = question.judgement.and_then(|judged| {
        let cell = judged.cells.into_iter().nth(question.cell)?;
        Some(cell.judgement.verdict.is_right())
    });
    cell.unwrap_or(false)
}

/// How many cells are filled, of all: what is said of a table in a line.
pub fn filled_of(shared: &Shared, asked: &Asked, table: &Table) -> (usize, usize) {
    let (rows, columns) = size(table);
    let cells = cells(shared, asked, table);
    let filled = cells.iter().flatten().filter(|cell| !cell.is_empty());
    (filled.count(), rows * columns)
}

/// What a judgement found not to be right, cell by cell, with what stands there.
pub(super) fn refused(judgement: &Judgement) -> Vec<(usize, String)> {
    let cells = judgement.cells.iter().enumerate();
    cells
        .filter(|(_, cell)| !cell.judgement.verdict.is_right())
        .map(|(at, cell)| (at, cell.judgement.typed.clone()))
        .collect()
}

/// Puts a text into the cell under the cursor.
pub(super) fn put(shared: &mut Shared, asked: &Asked, table: &Table, text: &str, out: &mut Out) {
    let text = with(shared, asked, table, text);
    check::write(shared, asked, &text, out);
}

/// The table with a text in the cell under the cursor, as it is kept.
pub(super) fn with(shared: &Shared, asked: &Asked, table: &Table, text: &str) -> String {
    let (row, column) = cell(shared, asked, table);
    let mut cells = cells(shared, asked, table);
    if let Some(cell) = cells.get_mut(row).and_then(|r| r.get_mut(column)) {
        text.trim().clone_into(cell);
    }
    written(&cells)
}

/// Moves the cursor by so many cells in reading order, round at the ends.
pub(super) fn step(shared: &mut Shared, asked: &Asked, table: &Table, back: bool) {
    let (rows, columns) = size(table);
    let all = (rows * columns).max(1);
    let (row, column) = cell(shared, asked, table);
    let at = row * columns + column;
    let next = if back { at + all - 1 } else { at + 1 };
    shared.questions.question_mut(asked).cell = next % all;
}

/// Moves the cursor a row up or down; `false` at the edge, where the question
/// is left.
pub(crate) fn row(shared: &mut Shared, asked: &Asked, up: bool) -> bool {
    let Some(table) = shared.study.key_of(asked).and_then(|k| k.table.clone()) else {
        return false;
    };
    let (rows, columns) = size(&table);
    let (row, column) = cell(shared, asked, &table);
    let next = match up {
        true => row.checked_sub(1),
        false => Some(row + 1).filter(|r| *r < rows),
    };
    if let Some(row) = next {
        shared.questions.question_mut(asked).cell = row * columns + column;
        shared.questions.reveal = true;
    }
    next.is_some()
}

/// The next option in the cell under the cursor; behind the last one it is
/// empty again.
pub(super) fn turn(shared: &mut Shared, asked: &Asked, key: &Key, table: &Table, out: &mut Out) {
    let now = typed(shared, asked, table);
    let at = key.options.iter().position(|o| o.text == now);
    let next = at.map_or(0, |at| at + 1);
    let text = key.options.get(next).map_or("", |o| o.text.as_str());
    put(shared, asked, table, text, out);
}
