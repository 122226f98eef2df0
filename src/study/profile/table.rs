//! Comma-separated tables whose columns are found by name. By hand and not by the crate
//! `csv`: tables stand between lines of other output and behind one another, and an error
//! names the column of the cell, which a reader of whole files does not know.

use std::borrow::Cow;

use super::{Profile, ProfileError};

/// One cell and the column (from 1) at which it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell<'t> {
    pub text: Cow<'t, str>,
    pub column: usize,
}

/// One line of the file, taken apart.
#[derive(Debug)]
pub(super) struct Line<'t> {
    pub number: usize,
    pub cells: Vec<Cell<'t>>,
}

/// The cells of a line; quotes may enclose commas, two quotes are one. `None`
/// where a quote is not closed.
pub(super) fn cells(line: &str) -> Option<Vec<Cell<'_>>> {
    let mut cells = Vec::new();
    let mut rest = line;
    let mut column = 1;
    loop {
        let after = match rest.strip_prefix('"') {
            Some(inner) => {
                let (text, taken) = quoted(inner)?;
                cells.push(Cell { text, column });
                let taken = 1 + taken;
                column += rest.get(..taken)?.chars().count();
                rest.get(taken..)?
            }
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let text = rest.get(..end)?;
                cells.push(Cell {
                    text: Cow::Borrowed(text.trim()),
                    column,
                });
                column += text.chars().count();
                rest.get(end..)?
            }
        };
        // Between the closing quote and the comma nothing but blanks belongs.
        match after.trim_start().strip_prefix(',') {
            Some(next) => {
                column += after.len() - after.trim_start().len() + 1;
                rest = next;
            }
            None if after.trim().is_empty() => return Some(cells),
            None => return None,
        }
    }
}

/// The text up to the closing quote, and how many bytes it took with it.
fn quoted(inner: &str) -> Option<(Cow<'_, str>, usize)> {
    let mut text = Cow::Borrowed("");
    let mut from = 0;
    loop {
        let at = from + inner.get(from..)?.find('"')?;
        let piece = inner.get(from..at)?;
        if text.is_empty() {
            text = Cow::Borrowed(piece);
        } else {
            text.to_mut().push_str(piece);
        }
        if inner.as_bytes().get(at + 1) != Some(&b'"') {
            return Some((text, at + 1));
        }
        text.to_mut().push('"');
        from = at + 2;
    }
}

/// What else the file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    /// Nothing.
    Nothing,
    /// Other reports, behind a blank line.
    Reports,
    /// What the tool and the program said; rows begin with a quote.
    Output,
}

/// The names of the columns.
#[derive(Debug)]
pub(super) struct Head {
    names: Vec<String>,
    line: usize,
}

impl Head {
    /// A head, if the line can be taken apart.
    pub(super) fn of(line: &str, number: usize) -> Option<Self> {
        let cells = cells(line)?;
        (cells.len() > 1).then(|| Self {
            names: cells
                .into_iter()
                .map(|c| c.text.trim().to_owned())
                .collect(),
            line: number,
        })
    }

    /// Whether all of these columns are there.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        names
            .iter()
            .all(|name| self.names.iter().any(|n| n == name))
    }

    /// The first column that has one of these names.
    pub(super) fn find(&self, names: &[&str]) -> Option<usize> {
        names
            .iter()
            .find_map(|name| self.names.iter().position(|n| n == name))
    }

    /// The same, needed.
    ///
    /// # Errors
    /// At the head: what is missing.
    pub(super) fn need(&self, names: &[&str]) -> Result<usize, ProfileError> {
        self.find(names).ok_or_else(|| {
            ProfileError::at(
                self.line,
                1,
                format!(
                    "there is no column {}; export the file again with all of the tool's own columns",
                    names.first().unwrap_or(&"")
                ),
            )
        })
    }

    /// Name and place of every column.
    pub(super) fn columns(&self) -> impl Iterator<Item = (usize, &str)> {
        self.names.iter().map(String::as_str).enumerate()
    }

    /// A row of the table.
    ///
    /// # Errors
    /// More or fewer cells than the head has.
    pub(super) fn row<'t>(
        &self,
        bare: &'t str,
        number: usize,
        among: Among,
    ) -> Result<Line<'t>, ProfileError> {
        let Some(cells) = cells(bare) else {
            return Err(ProfileError::at(
                number,
                1,
                "a quote is not closed in this row; the file is cut off or was edited: export it again",
            ));
        };
        // ncu leaves the cells of a rule out where a row has none.
        let ragged = among == Among::Output && cells.len() < self.names.len();
        if cells.len() != self.names.len() && !(ragged && self.has(&["Rule Name"])) {
            return Err(ProfileError::at(
                number,
                1,
                format!(
                    "this row has {} cells and the head {}; the file is cut off or was edited: export it again",
                    cells.len(),
                    self.names.len()
                ),
            ));
        }
        Ok(Line { number, cells })
    }
}

/// What is made of the rows behind a head.
pub(super) trait Rows {
    /// The next row.
    fn row(&mut self, row: &Line<'_>) -> Result<(), ProfileError>;
    /// What they were.
    fn finish(self: Box<Self>) -> Result<Profile, ProfileError>;
}

/// A head, and what is made of the rows behind it, line by line.
pub(super) struct Table {
    head: Head,
    among: Among,
    rows: Box<dyn Rows>,
    seen: bool,
    over: bool,
}

impl Table {
    pub(super) fn new(head: Head, among: Among, rows: Box<dyn Rows>) -> Self {
        Self {
            head,
            among,
            rows,
            seen: false,
            over: false,
        }
    }

    /// A line behind the head; blank ones are left out, and what is no row of it.
    pub(super) fn line(&mut self, line: &str, number: usize) -> Result<(), ProfileError> {
        let bare = line.trim();
        self.over |= bare.is_empty() && self.among == Among::Reports && self.seen;
        let other = self.among == Among::Output && !bare.starts_with('"');
        if self.over || bare.is_empty() || other {
            return Ok(());
        }
        self.seen = true;
        let row = self.head.row(bare, number, self.among)?;
        self.rows.row(&row)
    }

    pub(super) fn finish(self) -> Result<Profile, ProfileError> {
        self.rows.finish()
    }
}

impl Line<'_> {
    /// The same line, kept.
    pub(super) fn kept(&self) -> Line<'static> {
        let cells = self.cells.iter().map(|cell| Cell {
            text: Cow::Owned(cell.text.clone().into_owned()),
            column: cell.column,
        });
        Line {
            number: self.number,
            cells: cells.collect(),
        }
    }

    /// The text of a column; empty where there is no such column.
    pub(super) fn text(&self, column: Option<usize>) -> &str {
        let cell = column.and_then(|c| self.cells.get(c));
        cell.map_or("", |cell| &cell.text)
    }

    /// The number of a column; none where the column is missing, empty or `N/A`.
    ///
    /// # Errors
    /// Text that is no number.
    pub(super) fn number(&self, column: Option<usize>) -> Result<Option<f64>, ProfileError> {
        let Some(cell) = column.and_then(|c| self.cells.get(c)) else {
            return Ok(None);
        };
        let text = cell.text.trim();
        if matches!(text, "" | "N/A" | "n/a" | "nan" | "NaN") {
            return Ok(None);
        }
        number(text).map(Some).ok_or_else(|| {
            ProfileError::at(
                self.number,
                cell.column,
                format!("“{}” stands where a number is expected; export the file again, without editing it", shortened(text)),
            )
        })
    }

    /// A whole number, exact to the last digit where it is written as one.
    ///
    /// # Errors
    /// Text that is none.
    pub(super) fn whole(&self, column: Option<usize>) -> Result<Option<u64>, ProfileError> {
        if let Ok(exact) = self.text(column).trim().parse::<u64>() {
            return Ok(Some(exact));
        }
        match self.number(column)? {
            None => Ok(None),
            Some(n) if (0.0..1.8e19).contains(&n) => Ok(Some(n.round() as u64)),
            Some(_) => Err(ProfileError::at(
                self.number,
                column
                    .and_then(|c| self.cells.get(c))
                    .map_or(1, |c| c.column),
                format!("“{}” cannot be a count", shortened(self.text(column))),
            )),
        }
    }
}

/// A text of at most 40 characters.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A number as the tools print it: `1,048,576`, `27.595.520`, `30,5`, `1e6`.
pub(super) fn number(text: &str) -> Option<f64> {
    let plain = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite());
    let grouped = |mark: char| {
        let (whole, rest) = match text.find(|c: char| matches!(c, ',' | '.') && c != mark) {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let mut groups = whole.trim_start_matches('-').split(mark);
        let first = groups.next().is_some_and(|g| (1..=3).contains(&g.len()));
        let mut more = 0;
        let whole_groups = groups.all(|g| {
            more += 1;
            g.len() == 3
        });
        let digits = text
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '-'));
        let fits = first && whole_groups && more > 0 && digits;
        fits.then(|| (more, whole.replace(mark, "") + &rest.replace(',', ".")))
    };
    match (grouped(','), grouped('.')) {
        (Some((_, text)), _) => plain(&text),
        // One group behind a point is a decimal fraction.
        (None, Some((2.., text))) => plain(&text),
        (None, Some((_, text))) if text.contains('.') => plain(&text),
        _ if text.matches(',').count() == 1 && !text.contains('.') => {
            plain(&text.replace(',', "."))
        }
        _ => plain(text),
    }
}
