//! Tables for a terminal: a head, rows of cells, numbers aligned to the right.

use unicode_width::UnicodeWidthStr;

/// Columns of a terminal that tables are made for.
const TERMINAL: usize = 80;

/// Columns that words keep at least.
const LEAST: usize = 12;

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

    /// Widths of whole cells.
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

    /// The same, the widest columns of words made narrower until a terminal holds all.
    fn fitted(&self) -> Vec<usize> {
        let mut widths = self.widths();
        loop {
            let over = (widths.iter().sum::<usize>() + widths.len()).saturating_sub(TERMINAL);
            let words = self.columns.iter().zip(&mut widths);
            let words = words.filter(|((_, align), _)| *align == Align::Left);
            let mut words: Vec<&mut usize> = words.map(|(_, width)| width).collect();
            words.sort_by_key(|width| std::cmp::Reverse(**width));
            let next = words.get(1).map_or(LEAST, |width| **width).max(LEAST);
            match words.first_mut() {
                Some(width) if over > 0 && **width > LEAST => {
                    let least = if **width > next { next } else { **width - 1 };
                    **width = width.saturating_sub(over).max(least);
                }
                _ => return widths,
            }
        }
    }

    /// Whether a terminal shows it whole, with columns one apart.
    pub(super) fn fits(&self) -> bool {
        let widths = self.widths();
        widths.iter().sum::<usize>() + widths.len() <= TERMINAL
    }

    /// The same in as many tables as a terminal needs, each with the first column.
    pub(super) fn parted(self) -> Vec<Self> {
        if self.fits() {
            return vec![self];
        }
        let widths = self.widths();
        let first = widths.first().map_or(0, |width| width + 1);
        let (mut parts, mut part, mut taken) = (Vec::new(), Vec::new(), first);
        for (at, width) in widths.iter().enumerate().skip(1) {
            if taken + width + 1 > TERMINAL && !part.is_empty() {
                parts.push(std::mem::take(&mut part));
                taken = first;
            }
            part.push(at);
            taken += width + 1;
        }
        parts.push(part);
        parts.iter().map(|part| self.columns_of(part)).collect()
    }

    /// The first column and some of the others.
    fn columns_of(&self, others: &[usize]) -> Self {
        let at = || std::iter::once(&0).chain(others);
        let row = |row: &Vec<String>| at().filter_map(|at| row.get(*at).cloned()).collect();
        Self {
            columns: at()
                .filter_map(|at| self.columns.get(*at).cloned())
                .collect(),
            rows: self.rows.iter().map(row).collect(),
            rules: self.rules.clone(),
        }
    }

    /// The lines, each indented by one column; columns stand two apart, or
    /// one where two would not fit into a terminal. Words go on in the next line where
    /// one is not enough.
    pub(super) fn lines(&self) -> Vec<String> {
        let widths = self.fitted();
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
        let whole = |cells: &[String]| -> Vec<String> {
            let broken = cells.iter().zip(&widths);
            let broken: Vec<Vec<String>> = broken
                .map(|(cell, width)| match cell.width() > *width {
                    true => text::fill(cell.split_whitespace(), *width, "", ""),
                    false => vec![cell.clone()],
                })
                .collect();
            let rows = broken.iter().map(Vec::len).max().unwrap_or(0);
            let row = |at: usize| -> Vec<String> {
                let part = |cell: &Vec<String>| cell.get(at).cloned().unwrap_or_default();
                broken.iter().map(part).collect()
            };
            (0..rows).map(|at| line(&row(at))).collect()
        };
        let heads: Vec<String> = self.columns.iter().map(|(h, _)| h.clone()).collect();
        let mut lines = whole(&heads);
        let rule = || {
            let total = widths.iter().sum::<usize>() + gap * between;
            format!(" {}", "─".repeat(total))
        };
        for (index, row) in self.rows.iter().enumerate() {
            if self.rules.contains(&index) {
                lines.push(rule());
            }
            lines.extend(whole(row));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_on_in_the_next_line_where_a_terminal_ends() {
        let mut table = Table::new(&[
            ("id", Align::Left),
            ("words", Align::Left),
            ("others", Align::Left),
            ("n", Align::Right),
        ]);
        let (long, short) = ("abcd ".repeat(16), "efg ".repeat(9));
        table.row(vec![
            "a".into(),
            long.trim().into(),
            short.trim().into(),
            "12".into(),
        ]);
        let lines = table.lines();
        assert!(
            lines.iter().all(|line| line.width() <= TERMINAL),
            "{lines:#?}"
        );
        // All of it is there, each word whole.
        let shown = lines.join(" ");
        let count = |word: &str| shown.split_whitespace().filter(|w| *w == word).count();
        assert_eq!((count("abcd"), count("efg"), count("12")), (16, 9, 1));
        // 80 less 4 of margins, the id's 2 and the number's 2 leave 72: half for each.
        assert!(!table.fits() && lines.len() == 1 + 3, "{lines:#?}");
    }

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
