//! A table to be filled in: its cells, and how they are typed.
//!
//! As one text a table is its rows with `;` between them and the cells of a row
//! with `|` between them; a sheet has a line per row instead. An empty cell is
//! open.

use super::expr::Expr;

/// What a table asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// The expected answers: a list per row, as many as there are columns.
    pub answers: Vec<Vec<Expr>>,
}

impl Grid {
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

/// The cells of one row.
pub fn typed_cells(row: &str) -> Vec<String> {
    let row = row.trim();
    // As tables are drawn: `| 1 | 2 |`.
    let drawn = row
        .strip_prefix('|')
        .and_then(|rest| rest.strip_suffix('|'));
    drawn
        .unwrap_or(row)
        .split('|')
        .map(|cell| cell.trim().to_owned())
        .collect()
}

/// The cells that were typed, as many as the table has; what is too much is left out.
pub fn filled(typed: &str, rows: usize, columns: usize) -> Vec<Vec<String>> {
    let lines = typed_rows(typed);
    (0..rows)
        .map(|row| {
            let mut cells = lines.get(row).map(|l| typed_cells(l)).unwrap_or_default();
            cells.resize(columns, String::new());
            cells
        })
        .collect()
}

/// One row as it is written.
pub fn written_row(cells: &[String]) -> String {
    match cells.iter().all(|cell| cell.trim().is_empty()) {
        true => String::new(),
        false => cells.join(" | "),
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

/// Rows or cells that were typed beyond the table, in a sentence.
pub(super) fn excess(typed: &str, grid: &Grid) -> Option<String> {
    let lines = typed_rows(typed);
    if lines.iter().skip(grid.rows.len()).any(|l| !l.is_empty()) {
        return Some(format!(
            "The table has {} rows: {}. Rows are separated by ; and cells by |.",
            grid.rows.len(),
            grid.rows.join(", ")
        ));
    }
    let (line, name) = lines
        .iter()
        .zip(&grid.rows)
        .find(|(line, _)| typed_cells(line).len() > grid.columns.len())?;
    Some(format!(
        "Row {name} has {} cells and the table has {} columns: {}. Cells are separated by |.",
        typed_cells(line).len(),
        grid.columns.len(),
        grid.columns.join(", ")
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
        assert_eq!(written(&cells), "2,097,152 | ;  | 12.6 MB; ");
        assert_eq!(filled(&written(&cells), 3, 2), cells);
        assert_eq!(written(&filled("", 2, 2)), "");
        assert_eq!(filled("| 1 | 2 |; 3|4", 2, 2), [["1", "2"], ["3", "4"]]);
    }
}
