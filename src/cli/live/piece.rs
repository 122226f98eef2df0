//! What a live block prints, in parts: as sentences in reading order, and for a
//! page that has tables.

/// A part of a live block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum Piece {
    /// To be predicted before anything else is read.
    Ask(String),
    /// A sentence; indented where it belongs to what stands above.
    Line(String),
    /// Figures.
    Table(Table),
    /// A derivation, step by step.
    Steps(Vec<String>),
    /// Lines of a kernel's source, by number.
    Code(Vec<(usize, String)>),
    /// What to type to run it.
    Command(String),
}

/// The same figures twice: as sentences, and cell by cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::cli) struct Table {
    /// A sentence for each row, or for each column.
    pub said: Vec<String>,
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// Cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table that is read row by row below a title.
    pub(super) fn of_rows(title: String, columns: Vec<String>, rows: Vec<Vec<String>>) -> Self {
        let said = rows.iter().map(|row| format!("  {}", row.join("; ")));
        Self {
            said: std::iter::once(title).chain(said).collect(),
            columns,
            rows,
        }
    }
}

impl Piece {
    /// The lines in reading order.
    pub(super) fn lines(self) -> Vec<String> {
        match self {
            Self::Ask(ask) => vec![format!("Predict before you read on: {ask}")],
            Self::Line(line) => vec![line],
            Self::Table(table) => table.said,
            Self::Steps(steps) => (1..)
                .zip(steps)
                .map(|(number, step)| format!("  {number}. {step}"))
                .collect(),
            Self::Code(lines) => lines
                .into_iter()
                .map(|(number, text)| format!("  {number:4}  {text}").trim_end().to_owned())
                .collect(),
            Self::Command(command) => vec![format!("  Command: tinyllama-tutor {command}")],
        }
    }
}
