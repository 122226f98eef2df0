//! A table to be filled in: its cells, and how they are typed.
//!
//! As one text a table is its rows with `;` between them and the cells of a row
//! with `|` between them; a sheet has a line per row instead. An empty cell is
//! open. A backslash before one of these signs, or before a backslash, makes it a
//! character of the cell.

use super::expr::Expr;
use crate::fields::{Phrase, Typed};

/// What a table asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<Phrase>,
    /// Names of the rows.
    pub rows: Vec<Phrase>,
    /// The expected answers: a list per row, as many as there are columns.
    pub answers: Vec<Vec<Typed<Expr>>>,
}

impl Table {
    /// Every cell by row and column, in reading order.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let columns = self.columns.len();
        (0..self.rows.len()).flat_map(move |row| (0..columns).map(move |column| (row, column)))
    }
}

/// The parts of a text between signs before which no backslash stands.
fn parts(text: &str, parts: fn(char) -> bool) -> Vec<&str> {
    let mut all = Vec::new();
    let (mut from, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        if !escaped && parts(c) {
            all.extend(text.get(from..at));
            from = at + c.len_utf8();
        }
        escaped = c == '\\' && !escaped;
    }
    all.extend(text.get(from..));
    all
}

/// Whether a backslash before it makes a character one of the cell.
const fn escapes(c: char) -> bool {
    matches!(c, '|' | ';' | '\\')
}

/// A cell as it was typed, of a cell as it is written.
fn bare(cell: &str) -> String {
    let mut text = String::new();
    let mut chars = cell.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(next)) if escapes(*next) => text.extend(chars.next()),
            _ => text.push(c),
        }
    }
    text
}

/// The same the other way round.
fn escaped(cell: &str) -> String {
    let mut text = String::new();
    for c in cell.chars() {
        if escapes(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// The rows of a table that was typed as one text, each as it is written there.
pub fn typed_rows(typed: &str) -> Vec<String> {
    let rows = parts(typed, |c| matches!(c, ';' | '\n')).into_iter();
    rows.map(|row| row.trim().to_owned()).collect()
}

/// A row as a line of a sheet, where a semicolon parts nothing.
pub(crate) fn as_line(row: &str) -> String {
    let mut line = String::new();
    let mut chars = row.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(';')) => line.extend(chars.next()),
            ('\\', Some('\\')) => {
                line.push(c);
                line.extend(chars.next());
            }
            _ => line.push(c),
        }
    }
    line
}

/// A line of a sheet as the row that it is.
pub(crate) fn as_row(line: &str) -> String {
    parts(line, |c| c == ';').join("\\;")
}

/// The cells of one row of a table with so many columns.
pub fn typed_cells(row: &str, columns: usize) -> Vec<String> {
    let row = row.trim();
    let between = |row| parts(row, |c| c == '|');
    let all = between(row);
    // As tables are drawn: `| 1 | 2 |`; with a part for each column its first and last cell
    // are empty.
    let cells = match all.as_slice() {
        ["", within @ .., ""] if !within.is_empty() && all.len() != columns => within,
        all => all,
    };
    cells.iter().map(|cell| bare(cell.trim())).collect()
}

/// The cells of one row of a table with so many columns: where no bar parts them,
/// commas do, or white space between numbers.
fn cells_of(row: &str, columns: usize) -> Vec<String> {
    let cells = typed_cells(row, columns);
    if cells.len() != 1 || columns < 2 {
        return cells;
    }
    let number = |cell: &&str| cell.starts_with(|c: char| c.is_ascii_digit());
    let Some(row) = cells.first() else {
        return cells;
    };
    let parted = |parts: Vec<&str>| -> Option<Vec<String>> {
        let all = parts.len() == columns && parts.iter().all(|cell| !cell.trim().is_empty());
        all.then(|| parts.iter().map(|cell| cell.trim().to_owned()).collect())
    };
    // 2,097,152 is one number.
    let grouped = |part: &str| part.len() == 3 && part.chars().all(|c| c.is_ascii_digit());
    let tight: Vec<&str> = row.split(',').collect();
    let one = tight.iter().skip(1).all(|part| grouped(part));
    parted(row.split(", ").collect())
        .or_else(|| parted(tight).filter(|_| !one))
        .or_else(|| {
            let words: Vec<&str> = row.split_whitespace().collect();
            let numbers = words.iter().all(number);
            parted(words).filter(|_| numbers)
        })
        .unwrap_or_else(|| cells.clone())
}

/// The cells that were typed, as many as the table has; what is too much is left out.
pub fn filled(typed: &str, rows: usize, columns: usize) -> Vec<Vec<String>> {
    let lines = typed_rows(typed);
    (0..rows)
        .map(|row| {
            let line = lines.get(row);
            let mut cells = line.map(|l| cells_of(l, columns)).unwrap_or_default();
            cells.resize(columns, String::new());
            cells
        })
        .collect()
}

/// One row as it is written.
pub fn written_row(cells: &[String]) -> String {
    match cells.iter().all(|cell| cell.trim().is_empty()) {
        true => String::new(),
        // As it is read again.
        false => {
            let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
            cells.join(" | ").trim().to_owned()
        }
    }
}

/// A table as one text; empty where every cell is.
pub fn written(cells: &[Vec<String>]) -> String {
    let rows: Vec<String> = cells.iter().map(|row| written_row(row)).collect();
    match rows.iter().all(String::is_empty) {
        true => String::new(),
        false => rows.join("; "),
    }
}

/// Names in a sentence: one that holds a comma stands in quotes.
pub fn listed(names: &[Phrase]) -> String {
    let one = |name: &Phrase| match name.text.contains(',') {
        true => format!("\"{}\"", name.text),
        false => name.text.clone(),
    };
    let names: Vec<String> = names.iter().map(one).collect();
    names.join(", ")
}

/// The name of a row or column as a sheet spells it: `rope`, `"q k v"`.
pub fn spelled(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => format!("\"{name}\""),
    }
}

/// Rows or cells that were typed beyond the table, in a sentence.
pub(super) fn excess(typed: &str, table: &Table) -> Option<String> {
    let lines = typed_rows(typed);
    if lines.iter().skip(table.rows.len()).any(|l| !l.is_empty()) {
        return Some(format!(
            "The table has {} rows: {}. Rows are separated by ; and cells by |.",
            table.rows.len(),
            listed(&table.rows)
        ));
    }
    let (line, name) = lines
        .iter()
        .zip(&table.rows)
        .find(|(line, _)| typed_cells(line, table.columns.len()).len() > table.columns.len())?;
    Some(format!(
        "Row {} has {} cells and the table has {} columns: {}. Cells are separated by |.",
        name.text,
        typed_cells(line, table.columns.len()).len(),
        table.columns.len(),
        listed(&table.columns)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let cells = vec![
            vec!["2,097,152".to_owned(), String::new()],
            vec![String::new(), "12.6 MB".to_owned()],
            vec![String::new(), String::new()],
        ];
        assert_eq!(written(&cells), "2,097,152 |; | 12.6 MB; ");
        assert_eq!(filled(&written(&cells), 3, 2), cells);
        assert_eq!(written(&filled("", 2, 2)), "");
        // Whichever cells are empty, what stands in the others stays in its place.
        for empty in 0..16 {
            let text = |at: usize| {
                if empty >> at & 1 == 1 {
                    String::new()
                } else {
                    at.to_string()
                }
            };
            let cells = vec![(0..4).map(text).collect::<Vec<String>>()];
            let once = written(&cells);
            assert_eq!(filled(&once, 1, 4), cells, "{once}");
            assert_eq!(written(&filled(&once, 1, 4)), once);
        }
        // Signs that part cells and rows, and what stands before them, are kept in a cell.
        for text in [
            "1|2", "3; so 2", "a\\b", "\\", "\\|;\\\\", "|", ";", "1, 2", "| 1 |",
        ] {
            for at in 0..4 {
                let mut cells = vec![vec![String::new(); 2]; 2];
                text.clone_into(&mut cells[at / 2][at % 2]);
                let once = written(&cells);
                assert_eq!(filled(&once, 2, 2), cells, "{once}");
                // A sheet has a line for each row.
                let lines = typed_rows(&once).into_iter().map(|row| as_line(&row));
                let again: Vec<String> = lines.map(|line| as_row(&line)).collect();
                assert_eq!(again.join("; "), once);
            }
            assert_eq!(filled(&written(&[vec![text.to_owned()]]), 1, 1), [[text]]);
        }
        assert_eq!(as_line("3 \\; so | 2"), "3 ; so | 2");
        assert_eq!(filled("| 1 | 2 |; 3|4", 2, 2), [["1", "2"], ["3", "4"]]);
        for row in ["3, 1, 1", "3,1,1", "3 1 1", "3 | 1 | 1"] {
            assert_eq!(filled(row, 1, 3), [["3", "1", "1"]], "{row}");
        }
        // One number, one answer with its unit, an option of two words.
        for row in ["2,097,152", "2 MiB", "nsys profile", "3, 1"] {
            assert_eq!(filled(row, 1, 3), [[row, "", ""]], "{row}");
        }
        assert_eq!(filled("2,097,152", 1, 3)[0][0], "2,097,152");
        assert_eq!(filled("ncu, nsys profile", 1, 2), [["ncu", "nsys profile"]]);
    }
}
