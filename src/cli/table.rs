//! Tables for a terminal: a head, rows of cells, numbers aligned to the right.

use unicode_width::UnicodeWidthStr;

/// Columns of a terminal that tables are made for.
const TERMINAL: usize = 80;

/// How a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// A table that is built row by row and printed at the end.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
    rules: Vec<usize>,
}

impl Table {
    /// A table with these heads.
    pub(super) fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            columns: columns
                .iter()
                .map(|(head, align)| ((*head).to_owned(), *align))
                .collect(),
            rows: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// One row.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// A rule before the next row.
    pub(super) fn rule(&mut self) {
        self.rules.push(self.rows.len());
    }

    fn widths(&self) -> Vec<usize> {
        let cells = |i: usize| self.rows.iter().filter_map(move |r| r.get(i));
        self.columns
            .iter()
            .enumerate()
            .map(|(i, (head, _))| {
                let widest = cells(i).map(|cell| cell.width()).max();
                widest.unwrap_or(0).max(head.width())
            })
            .collect()
    }

    /// Whether a terminal shows it whole, with columns one apart.
    pub(super) fn fits(&self) -> bool {
        let widths = self.widths();
        widths.iter().sum::<usize>() + widths.len() <= TERMINAL
    }

    /// The lines, each indented by one column; columns stand two apart, or
    /// one where two would not fit into a terminal.
    pub(super) fn lines(&self) -> Vec<String> {
        let widths = self.widths();
        let between = widths.len().saturating_sub(1);
        let wide = widths.iter().sum::<usize>() + 2 * between;
        let gap = if wide < TERMINAL { 2 } else { 1 };
        let line = |cells: &[String]| {
            let mut text = String::from(" ");
            for ((cell, width), (_, align)) in cells.iter().zip(&widths).zip(&self.columns) {
                let fill = " ".repeat(width.saturating_sub(cell.width()));
                match align {
                    Align::Left => text += &format!("{cell}{fill}"),
                    Align::Right => text += &format!("{fill}{cell}"),
                }
                text += &" ".repeat(gap);
            }
            text.trim_end().to_owned()
        };
        let heads: Vec<String> = self.columns.iter().map(|(h, _)| h.clone()).collect();
        let mut lines = vec![line(&heads)];
        let rule = || {
            let total = widths.iter().sum::<usize>() + gap * between;
            format!(" {}", "─".repeat(total))
        };
        for (index, row) in self.rows.iter().enumerate() {
            if self.rules.contains(&index) {
                lines.push(rule());
            }
            lines.push(line(row));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_a_rule_divides() {
        let mut table = Table::new(&[("kernel", Align::Left), ("MB =", Align::Right)]);
        table.row(vec!["norm1".into(), "0.263".into()]);
        table.rule();
        table.row(vec!["block".into(), "10.000".into()]);
        assert_eq!(
            table.lines(),
            [
                " kernel    MB =",
                " norm1    0.263",
                " ──────────────",
                " block   10.000"
            ]
        );
    }
}
