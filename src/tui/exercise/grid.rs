//! A table that is filled in: the grid, the cell under the cursor, and what was
//! found of each cell.

use super::question::typing;
use super::verdict::word_role;
use crate::tui::live::note;
use crate::tui::pen::{clip, width as columns_of};
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;
use app::State;
use app::answering::{self, echo_cell, grid};
use app::mouse::Target;
use app::question::Asked;
use course::answer::{UNCOUNTED, cells_are};
use course::{Key, Table};

/// Columns of a cell at least and at most, its mark included.
const CELL: (usize, usize) = (6, 18);
/// Columns of a row's name at most.
const NAME: usize = 18;

/// The grid, the field of the cell, and what was said to that cell.
pub fn lay(
    state: &State,
    asked: &Asked,
    key: &Key,
    table: &Table,
    keys: bool,
    width: usize,
) -> Vec<Row> {
    let cells = grid::cells(&state.shared, asked, table);
    let (row_at, column_at) = grid::cell(&state.shared, asked, table);
    let judgement = state.shared.questions.question(asked).judgement;
    let found = |row: usize, column: usize| {
        let judged = judgement.as_ref()?;
        judged.cells.get(row * table.columns.len() + column)
    };
    let names = table.rows.iter().map(|r| columns_of(&r.text)).max();
    let name = names.unwrap_or(0).min(NAME);
    let room = width.saturating_sub(name + 1) / table.columns.len().max(1);
    let longest = cells.iter().flatten().map(|c| columns_of(c));
    let headed = table.columns.iter().map(|c| columns_of(&c.text));
    let needed = longest.chain(headed).max().unwrap_or(0) + 5;
    let cell = needed.clamp(CELL.0, CELL.1).min(room.max(5));
    let mut rows = Vec::new();
    let mut head = Row::of(" ".repeat(name + 1), Role::Text);
    for column in &table.columns {
        head = head.and(
            format!("{:>1$}  ", clip(&column.text, cell - 2), cell - 2),
            Role::Dim,
        );
    }
    rows.push(head);
    for (r, (label, line)) in table.rows.iter().zip(&cells).enumerate() {
        let mut row = Row::of(format!("{:name$} ", clip(&label.text, name)), Role::Dim);
        for (c, typed) in line.iter().enumerate() {
            let here = keys && (r, c) == (row_at, column_at);
            let word = found(r, c).map_or("", |f| f.judgement.verdict.word());
            let sign = sign(word);
            let shown = clip(if typed.is_empty() { "·" } else { typed }, cell - 4);
            let text = format!("{}{shown}", if here { "►" } else { " " });
            let role = if here { Role::Accent } else { Role::Text };
            row = row
                .and(
                    " ".repeat(cell.saturating_sub(columns_of(&text) + 2)),
                    Role::Text,
                )
                .and(text, role)
                .and(" ", Role::Text)
                .and(sign, word_role(word))
                .clicked(cell, Target::Cell(r * table.columns.len() + c));
        }
        rows.push(row);
    }
    let name_of = |names: &[course::Phrase], at: usize| {
        names.get(at).map_or(String::new(), |n| n.text.clone())
    };
    let place = format!(
        "{}, {}: ",
        name_of(&table.rows, row_at),
        name_of(&table.columns, column_at)
    );
    let unit = key.unit.as_ref().map_or("", course::Typed::as_str);
    if let Some(field) = state.shared.questions.field_of(asked) {
        rows.push(Row::default());
        rows.push(typing(Row::of(place, Role::Dim), field, unit));
        let text = field.text();
        if !text.trim().is_empty() {
            match echo_cell(&state.shared, asked, (row_at, column_at), &text) {
                Ok(read) => rows.push(Row::of(format!("read as {read}"), Role::Dim)),
                Err(why) => rows.extend(words(&why, width, Role::Warn)),
            }
        }
        return rows;
    }
    if let Some(judged) = found(row_at, column_at) {
        let word = judged.judgement.verdict.word();
        let text = format!("{place}{}", judged.judgement.read_as());
        rows.push(Row::default());
        rows.extend(note(word, word_role(word), &text, width));
    } else if keys && !answering::right(&state.shared, asked) {
        let empty = cells.get(row_at).and_then(|row| row.get(column_at));
        let empty = empty.is_none_or(String::is_empty);
        let how = match (key.options.is_empty(), empty) {
            (true, true) => "←→↑↓ cell; type, Enter keeps; at a filled cell Enter checks",
            (true, false) => "←→↑↓ cell; i changes this one, Enter checks the table",
            (false, _) => "←→↑↓ cell, Space next option, Enter checks",
        };
        let gap = if unit.is_empty() { "" } else { "; " };
        rows.extend(words(&format!("{unit}{gap}{how}"), width, Role::Dim));
    }
    rows
}

/// A verdict in one column, so that it is seen without colour too.
fn sign(word: &str) -> &'static str {
    match word {
        "right" => "+",
        "slip" => "s",
        "close" => "~",
        "wrong" => "x",
        "unread" => "?",
        _ => " ",
    }
}

/// How many cells are right, for the line below the grid.
pub fn tally(state: &State, asked: &Asked) -> Option<String> {
    let judged = state.shared.questions.question(asked).judgement?;
    let right = judged
        .cells
        .iter()
        .filter(|c| c.judgement.verdict.is_right());
    let open = judged
        .cells
        .iter()
        .filter(|c| c.judgement.verdict.word() == "open");
    let (right, open, all) = (right.count(), open.count(), judged.cells.len());
    let missed = judged.cells.iter().map(|c| &c.judgement.verdict);
    let missed = missed.into_iter().any(|v| v.is_try() && !v.is_right());
    (all > 0).then(|| match (right == all, open) {
        (true, _) => format!("All {all} cells are right."),
        (false, open) => {
            let (empty, uncounted) = match open {
                0 => (String::new(), ""),
                open => (format!(", {open} still empty"), UNCOUNTED),
            };
            let uncounted = if missed { uncounted } else { "" };
            format!(
                "{} right{empty}: + right, s slip, ~ close, x wrong, ? not read.{uncounted}",
                cells_are(right, all)
            )
        }
    })
}
