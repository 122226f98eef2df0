//! A table to be filled in: its cells, and how they are typed.
//!
//! As one text a table is its rows with `;` between them and the cells of a row
//! with `|` between them; a sheet has a line per row instead. An empty cell is
//! open.

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

/// The rows of a table that was typed as one text.
pub fn typed_rows(typed: &str) -> Vec<String> {
    typed
        .split([';', '\n'])
        .map(|row| row.trim().to_owned())
        .collect()
}

/// The cells of one row of a table with so many columns.
pub fn typed_cells(row: &str, columns: usize) -> Vec<String> {
    let row = row.trim();
    // As tables are drawn: `| 1 | 2 |`; with a part for each column its first and last cell
    // are empty.
    let drawn = row
        .strip_prefix('|')
        .and_then(|rest| rest.strip_suffix('|'))
        .filter(|_| row.split('|').count() != columns);
    drawn
        .unwrap_or(row)
        .split('|')
        .map(|cell| cell.trim().to_owned())
        .collect()
}

/// The cells of one row of a table with so many columns: where no bar parts them,
/// commas do, or white space between numbers.
fn cells_of(row: &str, columns: usize) -> Vec<String> {
    let cells = typed_cells(row, columns);
    if cells.len() != 1 || columns < 2 {
        return cells;
    }
    let number = |cell: &&str| cell.starts_with(|c: char| c.is_ascii_digit());
    let parted = |parts: Vec<&str>| -> Option<Vec<String>> {
        let all = parts.len() == columns && parts.iter().all(|cell| !cell.trim().is_empty());
        all.then(|| parts.iter().map(|cell| cell.trim().to_owned()).collect())
    };
    // 2,097,152 is one number.
    let grouped = |part: &str| part.len() == 3 && part.chars().all(|c| c.is_ascii_digit());
    let bare: Vec<&str> = row.split(',').collect();
    let one = bare.iter().skip(1).all(|part| grouped(part));
    parted(row.split(", ").collect())
        .or_else(|| parted(bare).filter(|_| !one))
        .or_else(|| {
            let words: Vec<&str> = row.split_whitespace().collect();
            let numbers = words.iter().all(number);
            parted(words).filter(|_| numbers)
        })
        .unwrap_or(cells)
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
        false => cells.join(" | ").trim().to_owned(),
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
