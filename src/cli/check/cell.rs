//! `--answer KEY=VALUE`: a whole question, a row of a table, or one of its cells.

use super::super::desk::Desk;
use super::super::failure::Failure;
use super::super::out::complain;
use super::super::words::quoted;
use course::answer::{filled, typed_cells, written};
use course::{Exercise, Key, Mark, Sheet};

/// Keeps what was typed: `block`, `launches.V1` for a row, `launches.V1.128`
/// for a cell.
pub(super) fn put(
    desk: &Desk,
    exercise: &Exercise,
    sheet: &mut Sheet,
    name: &str,
    typed: &str,
) -> Result<(), Failure> {
    let Some(Part { key, row, column }) = part(exercise, name)? else {
        let key = desk.key(exercise, name)?;
        let name = &key.name.text;
        let before = sheet.answer(name).unwrap_or_default();
        let right = desk.progress().key(&exercise.id, name).verdict == Some(Mark::Right);
        if right && !before.is_empty() && before != typed {
            let back = quoted(&format!("{name}={before}"));
            complain(&format!(
                "{name} was right with {before}; tinyllama-tutor check {} --answer {back} puts it back.",
                exercise.id
            ));
        }
        sheet.set(exercise, name, typed);
        return Ok(());
    };
    let Some(table) = &key.table else {
        return Ok(());
    };
    let before = sheet.answer(&key.name.text).unwrap_or_default();
    let mut cells = filled(&before, table.rows.len(), table.columns.len());
    match (cells.get_mut(row), column) {
        (Some(line), Some(column)) => {
            if let Some(cell) = line.get_mut(column) {
                *cell = typed.to_owned();
            }
        }
        (Some(line), None) => *line = typed_cells(typed),
        (None, _) => {}
    }
    sheet.set(exercise, &key.name.text, &written(&cells));
    Ok(())
}

/// A row of a table, or one of its cells.
struct Part<'e> {
    key: &'e Key,
    row: usize,
    column: Option<usize>,
}

/// The row, and the cell where one is named, of a name such as `launches.V1.128`.
fn part<'e>(exercise: &'e Exercise, name: &str) -> Result<Option<Part<'e>>, Failure> {
    let Some((key, rest)) = name.split_once('.') else {
        return Ok(None);
    };
    let Some((key, table)) = exercise
        .key(key.trim())
        .and_then(|key| Some((key, key.table.as_ref()?)))
    else {
        return Ok(None);
    };
    let (row, column) = match rest.split_once('.') {
        Some((row, column)) => (row.trim(), Some(column.trim())),
        None => (rest.trim(), None),
    };
    let place = |what: &str, names: &[course::Phrase], typed: &str| {
        let alike = |name: &course::Phrase| name.text.eq_ignore_ascii_case(typed);
        names.iter().position(alike).ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            Failure::usage(format!(
                "{} has no {what} “{typed}”; there are {}",
                key.name.text,
                known.join(", ")
            ))
        })
    };
    let row = place("row", &table.rows, row)?;
    let column = column
        .map(|column| place("column", &table.columns, column))
        .transpose()?;
    Ok(Some(Part { key, row, column }))
}
