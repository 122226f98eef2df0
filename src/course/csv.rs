//! Rows as CSV (RFC 4180, lines ended by `\n`), safe to open in a spreadsheet.

use crate::present::Grid;

/// A line of cells.
pub fn row<'t>(cells: impl IntoIterator<Item = &'t str>) -> String {
    let cells: Vec<String> = cells.into_iter().map(cell).collect();
    cells.join(",") + "\n"
}

/// Grids one after another, an empty line between; None where there is none.
pub fn grids(grids: &[Grid]) -> Option<String> {
    let one = |grid: &Grid| {
        let rows = std::iter::once(&grid.head).chain(&grid.rows);
        let rows = rows.filter(|cells| !cells.is_empty());
        rows.map(|cells| row(cells.iter().map(String::as_str)))
            .collect::<String>()
    };
    let text: Vec<String> = grids.iter().map(one).collect();
    (!text.is_empty()).then(|| text.join("\n"))
}

/// A cell in quotes where it needs them.
///
/// A spreadsheet takes what begins with `=`, `+`, `-` or `@` for a formula, and a
/// learner could type one into an instructor's sheet: an apostrophe makes it
/// text. A number with its sign stays a number.
fn cell(text: &str) -> String {
    let formula = text.trim_start().starts_with(['=', '+', '-', '@']);
    let text = if formula && text.trim().parse::<f64>().is_err() {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_a_reader_would_part_them() {
        assert_eq!(cell("17 launches"), "17 launches");
        assert_eq!(cell("1,245,184 B"), "\"1,245,184 B\"");
        assert_eq!(cell("the \"scores\""), "\"the \"\"scores\"\"\"");
        assert_eq!(cell("one\ntwo"), "\"one\ntwo\"");
        assert_eq!(cell(" 17"), "\" 17\"");
        assert_eq!(cell(""), "");
    }

    #[test]
    fn no_cell_is_a_formula_and_a_negative_number_stays_one() {
        assert_eq!(cell("=1+1"), "'=1+1");
        assert_eq!(cell("@SUM(A1,A2)"), "\"'@SUM(A1,A2)\"");
        assert_eq!(cell("-2+3"), "'-2+3");
        assert_eq!(cell("-2.5"), "-2.5");
    }

    #[test]
    fn grids_are_parted_by_an_empty_line() {
        let grid = |name: &str| Grid {
            head: vec![name.into(), "B".into()],
            rows: vec![vec!["q, k".into(), "1048576".into()]],
            ..Grid::default()
        };
        assert_eq!(grids(&[]), None);
        assert_eq!(
            grids(&[grid("a"), grid("b")]).as_deref(),
            Some("a,B\n\"q, k\",1048576\n\nb,B\n\"q, k\",1048576\n")
        );
    }
}
