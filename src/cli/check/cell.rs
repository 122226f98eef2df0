//! `--answer KEY=VALUE`: a whole question, a row of a table, or one of its cells; and what
//! stood there before.

use super::super::desk::Desk;
use super::super::failure::Failure;
use super::super::words::quoted;
use course::answer::{filled, listed, spelled, typed_cells, written};
use course::attempt::{Attempt, attempt};
use course::{Exercise, Key, Kind, Mark, Phrase, Sheet, Table};
use host::Graded;

/// An answer that stood in the sheet before others were typed.
pub(super) struct Stood<'e> {
    key: &'e Key,
    answer: String,
    /// It was found right.
    right: bool,
    /// Only cells that were named took another's place.
    by_cell: bool,
}

/// Keeps what was typed: `block=17`, `launches.V1=…` for a row, `launches.V1.128=…`
/// for a cell; `stood` gets what was there.
pub(super) fn put<'e>(
    desk: &Desk,
    exercise: &'e Exercise,
    sheet: &mut Sheet,
    answer: &str,
    stood: &mut Vec<Stood<'e>>,
) -> Result<(), Failure> {
    let (name, typed) = parted(answer).ok_or_else(|| {
        Failure::usage(format!(
            "--answer {answer}: write the key, =, and the answer, as in --answer block=17"
        ))
    })?;
    let part = part(exercise, name)?;
    let key = match &part {
        Some(part) => part.key,
        None => desk.key(exercise, name)?,
    };
    let before = sheet.answer(&key.name.text).unwrap_or_default();
    let by_cell = part.as_ref().is_some_and(|part| part.column.is_some());
    let now = match (&part, &key.table) {
        (Some(part), Some(table)) => part.with_cells(table, &before, typed)?,
        (_, Some(table)) if alone(typed, table.rows.len(), table.columns.len()) => {
            return Err(too_few(key, table, &key.name.text));
        }
        _ => typed.to_owned(),
    };
    sheet.set(exercise, &key.name.text, &now);
    match stood.iter_mut().find(|it| it.key.name == key.name) {
        Some(first) => first.by_cell &= by_cell,
        None => stood.push(Stood {
            key,
            right: judged(desk, exercise, key),
            answer: before,
            by_cell,
        }),
    }
    Ok(())
}

/// The name and what is typed for it; a name in quotes may hold an equals sign.
fn parted(answer: &str) -> Option<(&str, &str)> {
    let mut within = false;
    let at = answer.find(|c| {
        within ^= c == '"';
        c == '=' && !within
    })?;
    let (name, typed) = answer.split_at(at);
    Some((name.trim(), typed.get(1..)?.trim()))
}

/// One value, and nothing that says in which of several cells it belongs.
fn alone(typed: &str, rows: usize, columns: usize) -> bool {
    let cells = filled(typed, rows, columns).into_iter().flatten();
    let typed_cells = cells.filter(|cell| !cell.is_empty()).count();
    rows * columns > 1 && typed_cells == 1 && !typed.contains(['|', ';', '\n'])
}

fn too_few(key: &Key, table: &Table, place: &str) -> Failure {
    let (rows, columns) = (table.rows.len(), table.columns.len());
    let there = match place == key.name.text {
        true => format!("{rows} x {columns} cells"),
        false => format!("{columns} cells: {}", listed(&table.columns)),
    };
    let name = &key.name.text;
    Failure::usage(format!(
        "{place} has {there}, and this is one value, so nothing was changed; {}",
        ways(name, table)
    ))
}

/// How a row and a cell of a table are answered.
pub(in crate::cli) fn ways(name: &str, table: &Table) -> String {
    let row = format!("a row is answered with {}", row(name, table));
    match (table.rows.first(), table.columns.as_slice()) {
        (Some(first), [column, _, ..]) => {
            let cell = format!(
                "{name}.{}.{}=...",
                spelled(first.as_str()),
                spelled(column.as_str())
            );
            format!("{row}, a cell with --answer {}", quoted(&cell))
        }
        _ => row,
    }
}

/// `--answer 'table.rope=... | ... | ...'`: how the first row of a table is answered.
pub(super) fn row(name: &str, table: &Table) -> String {
    let first = table.rows.first().map_or("", Phrase::as_str);
    let cells = vec!["..."; table.columns.len()].join(" | ");
    let answer = quoted(&format!("{name}.{}={cells}", spelled(first)));
    format!("--answer {answer}")
}

/// Whether what stands in the sheet was found right. Beside a kernel that is written in
/// its file nobody looked at it.
fn judged(desk: &Desk, exercise: &Exercise, key: &Key) -> bool {
    let name = &key.name.text;
    let right = desk.progress().key(&exercise.id, name).verdict == Some(Mark::Right);
    let by_file = key.kernel.as_ref().is_some_and(|kernel| {
        let found = attempt(&desk.places, &exercise.id, kernel, "");
        kernel.is_written() && matches!(found, Ok(Attempt::Written(_)))
    });
    right && !by_file
}

impl Stood<'_> {
    /// What there is to say where something is gone that was right, or that took long to
    /// type, and the command that brings it back.
    pub(super) fn said(
        &self,
        exercise: &Exercise,
        sheet: &Sheet,
        graded: Option<&[Graded<'_>]>,
    ) -> Option<String> {
        let (name, before) = (&self.key.name.text, &self.answer);
        let now = sheet.answer(name).unwrap_or_default();
        if before.is_empty() || *before == now {
            return None;
        }
        let mut all = graded.unwrap_or_default().iter();
        let found = all.find(|g| g.key.name.text == *name);
        let still = found.is_some_and(|g| g.judgement.verdict.is_right());
        let what = match self.right {
            true if still => format!("{name} is right with this, too; before it held {before}"),
            true => format!("{name} was right with {before}"),
            false if self.long(&now) => format!("{name} held {before}"),
            false => return None,
        };
        let back = quoted(&format!("{name}={before}"));
        let id = &exercise.id;
        Some(format!(
            "{what}; tinyllama-tutor check {id} --answer {back} puts it back."
        ))
    }

    /// Words of one's own, or cells that nobody named and that hold something else now.
    fn long(&self, now: &str) -> bool {
        let Some(table) = &self.key.table else {
            return self.key.kind == Kind::Text && self.key.kernel.is_none();
        };
        let cells = |text: &str| filled(text, table.rows.len(), table.columns.len());
        let (before, now) = (cells(&self.answer), cells(now));
        let pairs = before.iter().flatten().zip(now.iter().flatten());
        let gone = |(before, now): (&String, &String)| !before.is_empty() && before != now;
        !self.by_cell && pairs.into_iter().any(gone)
    }
}

/// A row of a table, or one of its cells.
struct Part<'e> {
    key: &'e Key,
    row: usize,
    column: Option<usize>,
}

impl Part<'_> {
    /// The table with what is typed in its place.
    fn with_cells(&self, table: &Table, before: &str, typed: &str) -> Result<String, Failure> {
        let columns = table.columns.len();
        let mut cells = filled(before, table.rows.len(), columns);
        match (cells.get_mut(self.row), self.column) {
            (Some(line), Some(column)) => {
                if let Some(cell) = line.get_mut(column) {
                    *cell = typed.to_owned();
                }
            }
            (Some(_), None) if alone(typed, 1, columns) => {
                let row = table.rows.get(self.row).map_or("", Phrase::as_str);
                let place = format!("Row {row} of {}", self.key.name.text);
                return Err(too_few(self.key, table, &place));
            }
            (Some(line), None) => *line = typed_cells(typed, columns),
            (None, _) => {}
        }
        Ok(written(&cells))
    }
}

/// The row, and the cell where one is named, of a name such as `launches.V1.128` or
/// `big."MI250X, one die"`.
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
    let (row, column) = row_and_column(rest.trim(), table);
    let place = |what: &str, names: &[Phrase], typed: &str| {
        let alike = |name: &Phrase| name.text.eq_ignore_ascii_case(typed);
        names.iter().position(alike).ok_or_else(|| {
            Failure::usage(format!(
                "{} has no {what} “{typed}”; there are {}",
                key.name.text,
                listed(names)
            ))
        })
    };
    let row = place("row", &table.rows, row)?;
    let column = column
        .map(|column| place("column", &table.columns, column))
        .transpose()?;
    Ok(Some(Part { key, row, column }))
}

/// Both parts of `V1.128`, `"MI250X, one die"`, `"step 2"."a.b"`.
fn row_and_column<'t>(typed: &'t str, table: &Table) -> (&'t str, Option<&'t str>) {
    if table
        .rows
        .iter()
        .any(|row| row.text.eq_ignore_ascii_case(typed))
    {
        return (typed, None);
    }
    let quoted = typed.strip_prefix('"').and_then(|t| t.split_once('"'));
    let (row, rest) = match quoted {
        Some((row, rest)) => (row, rest.trim_start().strip_prefix('.')),
        None => match typed.split_once('.') {
            Some((row, rest)) => (row.trim(), Some(rest)),
            None => (typed, None),
        },
    };
    (row, rest.map(|rest| rest.trim().trim_matches('"')))
}
