//! Tables: every cell is judged like a question of its own.

use super::{Cell, Judgement, Verdict, grade, number};
use crate::answer::Env;
use crate::answer::expr::ExprError;
use crate::answer::grid::{excess, filled};
use crate::answer::key::{Key, Kind};
use crate::fields::Phrase;

/// Grades a table that was typed as one text. `env` holds the key's settings.
pub(super) fn judged(typed: &str, key: &Key, env: &Env<'_>) -> Result<Judgement, ExprError> {
    let Some(table) = &key.table else {
        return Err(key.no_answer());
    };
    if let Some(message) = excess(typed, table) {
        let verdict = Verdict::Unread { column: 1, message };
        return Ok(Judgement::plain(typed, verdict));
    }
    let texts = filled(typed, table.rows.len(), table.columns.len());
    let mut cells = Vec::with_capacity(table.rows.len() * table.columns.len());
    for (row, column) in table.places() {
        let text = texts.get(row).and_then(|r| r.get(column));
        let Some(cell) = key.cell(row, column) else {
            continue;
        };
        cells.push(Cell {
            row: name(&table.rows, row),
            column: name(&table.columns, column),
            judgement: grade(text.map_or("", String::as_str), &cell, env)?,
        });
    }
    let verdict = whole(&cells);
    Ok(Judgement {
        cells,
        ..Judgement::plain(typed, verdict)
    })
}

fn name(names: &[Phrase], at: usize) -> String {
    names
        .get(at)
        .map_or(String::new(), |name| name.text.clone())
}

/// The verdict on the table: what stands in the way of right, the gravest first. One with an
/// empty cell is open, whatever stands in the others: each of them says how it is.
fn whole(cells: &[Cell]) -> Verdict {
    if cells.iter().any(|c| c.judgement.verdict == Verdict::Open) {
        return Verdict::Open;
    }
    let first = |word: &str| {
        let mut found = cells.iter().map(|c| &c.judgement.verdict);
        found.find(|v| v.word() == word).cloned()
    };
    let slips = cells.iter().filter_map(|c| match &c.judgement.verdict {
        Verdict::Slip(fits) => Some(fits.clone()),
        _ => None,
    });
    let mut fits: Vec<_> = slips.flatten().collect();
    fits.dedup();
    if !fits.is_empty() {
        return Verdict::Slip(fits);
    }
    first("wrong")
        .map(|_| Verdict::Wrong(None))
        .or_else(|| first("unread"))
        .or_else(|| first("close"))
        .unwrap_or(Verdict::Right { accepted: None })
}

/// How the first cell that cannot be read should be written; else the whole.
pub(super) fn echo(typed: &str, key: &Key, env: &Env<'_>) -> Result<String, (usize, String)> {
    let Some(table) = &key.table else {
        return Err((1, key.no_answer().message));
    };
    if let Some(message) = excess(typed, table) {
        return Err((1, message));
    }
    let texts = filled(typed, table.rows.len(), table.columns.len());
    for (row, column) in table.places() {
        let text = texts.get(row).and_then(|r| r.get(column));
        let Some((text, cell)) = text.zip(key.cell(row, column)) else {
            continue;
        };
        if text.is_empty() {
            continue;
        }
        let read = match cell.kind {
            Kind::Choice => super::choice::echo(text, &cell),
            _ => number::echo(text, &cell, env),
        };
        read.map_err(|(_, say)| {
            let (row, column) = (name(&table.rows, row), name(&table.columns, column));
            (1, format!("{row}, {column}: {say}"))
        })?;
    }
    Ok(texts
        .iter()
        .map(|row| row.join(" | "))
        .collect::<Vec<_>>()
        .join("; "))
}
