//! What a study found out, as data: the shell, the workshop, JSON and CSV show the same
//! rows.

use serde::{Deserialize, Serialize};

use crate::baseline::Case;
use crate::learned::Learned;
use plan::cost::Config;
use plan::run::TraceReport;
use plan::units::figure::{Origin, shown};

/// Everything that one study says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Findings {
    /// What was looked at: model, shape, element type.
    pub title: String,
    /// Tables, the most important first.
    pub sheets: Vec<Sheet>,
    /// Lines over what varied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<Plot>,
    /// When each kernel ran, where that was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceReport>,
    /// What it comes to, a sentence each.
    pub sentences: Vec<String>,
    /// What disturbed it, what does not fit, what was left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Cases that were timed, for a later build to be compared with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<Case>,
    /// Where a check failed: the case, and a sentence. The exit code is 1 then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alarms: Vec<(String, String)>,
    /// What later runs and studies use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Box<Learned>>,
}

impl Findings {
    /// Whether anything in it is a figure of the model: a column, or what a sentence says.
    pub fn has_modelled(&self) -> bool {
        let columns = self.sheets.iter().flat_map(|sheet| &sheet.columns);
        let mut columns = columns.map(|column| column.source);
        let sign = format!(" {}", Origin::Modelled.sign());
        columns.any(|source| source == Source::Modelled)
            || self.sentences.iter().any(|said| said.contains(&sign))
    }

    /// As markdown, for a pull request: what it comes to, then the tables, no more than so
    /// many rows of each.
    pub fn markdown(&self, rows: usize) -> String {
        let cell = |text: &str| text.replace('|', "\\|").replace(['\n', '\r'], " ");
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let said = self.sentences.iter().map(|said| format!("- {said}\n"));
        let mut out: String = said.collect();
        for sheet in &self.sheets {
            out += &format!("\n**{}**\n\n", sheet.name);
            out += &line(sheet.heads().iter().map(|head| cell(head)).collect());
            let first = sheet.rows.first();
            let rule = (0..sheet.columns.len()).map(|at| {
                match first.and_then(|row| row.get(at)) {
                    Some(Cell::Text(_)) => "---",
                    _ => "---:",
                }
                .to_owned()
            });
            out += &line(rule.collect());
            for row in sheet.rows.iter().take(rows) {
                out += &line(sheet.shown(row).iter().map(|text| cell(text)).collect());
            }
            let left = sheet.rows.len().saturating_sub(rows);
            if left > 0 {
                out += &format!("\n… {left} more rows\n");
            }
        }
        let notes = self.notes.iter().map(|note| format!("\n> {note}\n"));
        out + &notes.collect::<String>()
    }
}

/// Where the figures of a column come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// They are names, or what was set.
    #[default]
    Given,
    /// The cost model.
    Modelled,
    /// Counted.
    Counted,
    /// Measured on this machine.
    Measured,
}

impl Source {
    /// The label of numbers; none for what is given.
    pub const fn origin(self) -> Option<Origin> {
        match self {
            Self::Given => None,
            Self::Modelled => Some(Origin::Modelled),
            Self::Counted => Some(Origin::Issued),
            Self::Measured => Some(Origin::Measured),
        }
    }
}

/// A column of a sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// What it is.
    pub name: String,
    /// Unit of its numbers; empty where they have none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// Where they come from.
    pub source: Source,
    /// Decimals that are shown.
    #[serde(default)]
    pub decimals: usize,
    /// The key by which the cost model unfolds its figures, `forward.bytes`, with `*` in
    /// place of the kernel that a row begins with; empty where they are not made of its terms.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A cell. What has no value is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// A number in the unit of its column.
    Number(f64),
    /// Words.
    Text(String),
    /// Nothing is known.
    Nothing(()),
}

impl Cell {
    /// Nothing is known.
    pub const NONE: Self = Self::Nothing(());
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        match value.is_finite() {
            true => Self::Number(value),
            false => Self::NONE,
        }
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::Number(value as f64)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::NONE, Into::into)
    }
}

/// Rows of cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// What it is of.
    pub name: String,
    /// Heads.
    pub columns: Vec<Column>,
    /// Rows, as long as the heads.
    pub rows: Vec<Vec<Cell>>,
    /// The configuration of each row, whose terms make its modelled figures; empty where
    /// rows are not of one, or too many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<Config>,
}

/// A figure of the model, whose terms can be seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term<'f> {
    /// The sheet, its row and column.
    at: (&'f Sheet, &'f [Cell], &'f Column),
    /// The configuration that it is of.
    pub config: &'f Config,
}

impl Term<'_> {
    /// The key by which the cost model unfolds it, of the row's own kernel where the column
    /// has figures of kernels.
    pub fn key(&self) -> String {
        let (_, row, column) = self.at;
        let name = match row.first() {
            Some(Cell::Text(name)) => name.as_str(),
            _ => "",
        };
        column.why.replace('*', name)
    }

    /// What it is: `points, seq 16: bytes MB = 12.156`.
    pub fn said(&self) -> String {
        let (sheet, row, column) = self.at;
        let cells = sheet.columns.iter().zip(row);
        let shown = |(column, cell): (&Column, &Cell)| column.shown(cell);
        let value = cells.clone().find(|(c, _)| *c == column).map(shown);
        let name = cells.clone().next().map(|(column, cell)| match cell {
            Cell::Number(_) => format!("{} {}", column.name, column.shown(cell)),
            cell => column.shown(cell),
        });
        format!(
            "{}, {}: {} {}",
            sheet.name,
            name.unwrap_or_default(),
            column.head(),
            value.unwrap_or_default()
        )
    }
}

impl Findings {
    /// The figures of the model whose terms can be seen, in reading order.
    pub fn terms(&self) -> Vec<Term<'_>> {
        let mut out = Vec::new();
        for sheet in &self.sheets {
            for (row, config) in sheet.rows.iter().zip(&sheet.of) {
                let columns = sheet.columns.iter().filter(|c| !c.why.is_empty());
                out.extend(columns.map(|column| Term {
                    at: (sheet, row.as_slice(), column),
                    config,
                }));
            }
        }
        out
    }
}

impl Sheet {
    /// An empty sheet.
    pub fn new(name: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        Self {
            name: name.into(),
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
            of: Vec::new(),
        }
    }

    /// The heads as they are shown: `time µs @`.
    pub fn heads(&self) -> Vec<String> {
        self.columns.iter().map(Column::head).collect()
    }

    /// A row as it is shown.
    pub fn shown(&self, row: &[Cell]) -> Vec<String> {
        let cells = row.iter().zip(&self.columns);
        cells.map(|(cell, column)| column.shown(cell)).collect()
    }

    /// The whole sheet as CSV (RFC 4180, lines ended by `\n`), numbers with twelve digits.
    pub fn csv(&self) -> String {
        let head = self.columns.iter().map(|c| field(&c.head()));
        let mut out = head.collect::<Vec<_>>().join(",") + "\n";
        for row in &self.rows {
            let cells = row.iter().map(|cell| match cell {
                Cell::Number(value) => digits(*value),
                Cell::Text(text) => field(text),
                Cell::Nothing(()) => String::new(),
            });
            out += &(cells.collect::<Vec<_>>().join(",") + "\n");
        }
        out
    }
}

/// A number with twelve significant digits: all that is known of it, without what the
/// last bits of a sum leave (15.448191999999999).
fn digits(value: f64) -> String {
    let rounded = format!("{value:.11e}").parse::<f64>();
    rounded.unwrap_or(value).to_string()
}

/// A field in quotes where it needs them; what a spreadsheet would take for a formula
/// becomes text.
fn field(text: &str) -> String {
    let text = match text.starts_with(['=', '+', '-', '@']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    };
    match text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

impl Column {
    /// Names, or what was set.
    pub fn given(name: impl Into<String>) -> Self {
        Self::of(name, "", Source::Given, 0)
    }

    /// Figures of the model.
    pub fn modelled(name: impl Into<String>, unit: &str, decimals: usize) -> Self {
        Self::of(name, unit, Source::Modelled, decimals)
    }

    /// Figures that were counted.
    pub fn counted(name: impl Into<String>, unit: &str, decimals: usize) -> Self {
        Self::of(name, unit, Source::Counted, decimals)
    }

    /// Figures that were measured.
    pub fn measured(name: impl Into<String>, unit: &str, decimals: usize) -> Self {
        Self::of(name, unit, Source::Measured, decimals)
    }

    fn of(name: impl Into<String>, unit: &str, source: Source, decimals: usize) -> Self {
        Self {
            name: name.into(),
            unit: unit.to_owned(),
            source,
            decimals,
            why: String::new(),
        }
    }

    /// The column with the key by which the cost model unfolds its figures.
    #[must_use]
    pub fn why(mut self, key: &str) -> Self {
        key.clone_into(&mut self.why);
        self
    }

    /// `time µs @`.
    pub fn head(&self) -> String {
        let sign = self.source.origin().map(|o| o.sign().to_string());
        let parts = [
            self.name.clone(),
            self.unit.clone(),
            sign.unwrap_or_default(),
        ];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(" ")
    }

    /// A cell of this column as it is shown.
    pub fn shown(&self, cell: &Cell) -> String {
        match cell {
            Cell::Number(value) if [SCIENTIFIC, ABSOLUTE].contains(&self.unit.as_str()) => {
                format!("{value:.1e}")
            }
            Cell::Number(value) => shown(*value, self.decimals),
            Cell::Text(text) => text.clone(),
            Cell::Nothing(()) => "–".to_owned(),
        }
    }
}

/// The unit of errors, which are shares of a tensor and span many powers of ten.
pub const SCIENTIFIC: &str = "rel.";
/// The unit of differences, which span as many.
pub const ABSOLUTE: &str = "abs.";

/// Lines over what varied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// What varied.
    pub x: String,
    /// Its values.
    pub at: Vec<f64>,
    /// Unit of the lines' values.
    pub unit: String,
    /// Both axes are logarithmic.
    pub log: bool,
    /// The lines; a value that is not known is null.
    pub lines: Vec<(String, Source, Vec<Option<f64>>)>,
}

#[cfg(test)]
mod tests;
