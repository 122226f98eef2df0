//! Reading the table of a `kind = "table"` question: columns, rows, and an expected
//! answer for each cell.

use crate::answer::Table;
use crate::block::typed;
use crate::fields::{Fields, Phrase};

impl Table {
    /// Reads `columns`, `rows` and `answers`; `None` where they do not make a
    /// table, and then it is reported.
    pub(super) fn read(fields: &mut Fields<'_, '_>) -> Option<Self> {
        let columns = names(fields, "columns", "columns = [\"128\", \"256\"]");
        let rows = names(fields, "rows", "rows = [\"V1\", \"V2\"]");
        let written = fields.rows("answers");
        if written.is_empty() && !fields.has("answers") {
            fields.report("a table has no `answers`; add a list of expressions per row.");
        }
        let (columns, rows) = (columns?, rows?);
        let mut sound = true;
        if written.len() != rows.len() {
            let at = fields.key_place("answers");
            let (have, want) = (written.len(), rows.len());
            fields.report_at(
                at,
                format!(
                    "`answers` has {have} lists and the table {want} rows; write a list per row."
                ),
            );
            sound = false;
        }
        let mut answers = Vec::with_capacity(written.len());
        for (at, row) in written {
            if row.len() != columns.len() {
                let (have, want) = (row.len(), columns.len());
                fields.report_at(at, format!("this row has {have} answers and the table {want} columns; write one per column."));
                sound = false;
            }
            let cells = row.len();
            let row: Vec<_> = row
                .into_iter()
                .filter_map(|cell| typed::expr(fields, cell))
                .collect();
            sound &= row.len() == cells;
            answers.push(row);
        }
        sound.then_some(Self {
            columns,
            rows,
            answers,
        })
    }
}

/// Names that can stand in a sheet and between the signs that part cells.
fn names(fields: &mut Fields<'_, '_>, key: &'static str, example: &str) -> Option<Vec<Phrase>> {
    let names = fields.texts(key);
    if names.is_empty() {
        if !fields.has(key) {
            fields.report(format!("a table has no `{key}`; add {example}."));
        }
        return None;
    }
    for (index, name) in names.iter().enumerate() {
        let text = name.text.trim();
        let odd = text.is_empty() || text.contains(['|', ';', '=', '"', '\\', '.']);
        if odd {
            fields.report_at(
                name.at,
                format!("“{text}” cannot name a part of a table; leave out | ; = . \\ and quotes."),
            );
            return None;
        }
        if names
            .iter()
            .take(index)
            .any(|other| other.text == name.text)
        {
            fields.report_at(name.at, format!("“{text}” stands here twice; rename one."));
            return None;
        }
    }
    Some(names)
}
