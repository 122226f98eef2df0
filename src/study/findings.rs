//! What a study found out, as data: the shell, the workshop, JSON and CSV show the same
//! rows.

use serde::{Deserialize, Serialize};

use crate::learned::Learned;
use plan::units::figure::Origin;

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
    /// What it comes to, a sentence each.
    pub sentences: Vec<String>,
    /// What disturbed it, what does not fit, what was left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What later runs and studies use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Box<Learned>>,
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
}

impl Sheet {
    /// An empty sheet.
    pub fn new(name: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        Self {
            name: name.into(),
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
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

    /// The whole sheet as CSV (RFC 4180, lines ended by `\n`), numbers with all digits.
    pub fn csv(&self) -> String {
        let head = self.columns.iter().map(|c| field(&c.head()));
        let mut out = head.collect::<Vec<_>>().join(",") + "\n";
        for row in &self.rows {
            let cells = row.iter().map(|cell| match cell {
                Cell::Number(value) => value.to_string(),
                Cell::Text(text) => field(text),
                Cell::Nothing(()) => String::new(),
            });
            out += &(cells.collect::<Vec<_>>().join(",") + "\n");
        }
        out
    }
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
        }
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
            Cell::Number(value) => format!("{value:.*}", self.decimals),
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
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        let columns = [
            Column::given("plan"),
            Column::measured("time", "µs", 1),
            Column::modelled("error", SCIENTIFIC, 0),
        ];
        let mut sheet = Sheet::new("plans", columns);
        sheet
            .rows
            .push(vec!["V1".into(), 842.25.into(), 1.5e-7.into()]);
        sheet
            .rows
            .push(vec!["=a,\"b\"".into(), Cell::NONE, f64::NAN.into()]);
        sheet
    }

    #[test]
    fn heads_say_unit_and_source_and_unknown_is_a_dash() {
        let sheet = sheet();
        assert_eq!(sheet.heads(), ["plan", "time µs @", "error rel. ="]);
        assert_eq!(sheet.shown(&sheet.rows[0]), ["V1", "842.2", "1.5e-7"]);
        assert_eq!(sheet.shown(&sheet.rows[1])[1..], ["–", "–"]);
    }

    #[test]
    fn csv_keeps_all_digits_and_makes_no_formula() {
        // The shortest text that is read back as the same number.
        let csv = "plan,time µs @,error rel. =\nV1,842.25,0.00000015\n\"'=a,\"\"b\"\"\",,\n";
        assert_eq!(sheet().csv(), csv);
    }

    #[test]
    fn findings_are_read_back() {
        let findings = Findings {
            title: "workshop B1".into(),
            sheets: vec![sheet()],
            ..Findings::default()
        };
        let text = serde_json::to_string(&findings).unwrap();
        assert_eq!(serde_json::from_str::<Findings>(&text).unwrap(), findings);
    }
}
