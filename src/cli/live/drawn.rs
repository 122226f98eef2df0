//! Charts and tables that a lesson's author set up.

use super::{Piece, Table};
use crate::cli::desk::Desk;
use course::answer::Env;
use course::{Cell, Phrase, Series, print, swept};

/// Values over a range, a column for each series.
pub(super) fn chart(
    env: &Env<'_>,
    x: &str,
    range: &[f64],
    unit: Option<&str>,
    series: &[Series],
) -> Vec<Piece> {
    let mut said = vec![format!("Chart over {x}, modelled:")];
    let mut columns = vec![x.to_owned()];
    let mut rows: Vec<Vec<String>> = range.iter().map(|at| vec![at.to_string()]).collect();
    for s in series {
        let points: Vec<String> = range
            .iter()
            .map(|at| {
                let here = env.with(&swept(x, *at));
                let value = s.y.value.evaluate(&here);
                let value = value
                    .map_err(|e| e.to_string())
                    .and_then(|v| print(&v, unit));
                value.unwrap_or_else(|say| format!("({say})"))
            })
            .collect();
        let name = if s.name.is_empty() { x } else { &s.name };
        let pairs: Vec<String> = range
            .iter()
            .zip(&points)
            .map(|(at, value)| format!("{at}: {value}"))
            .collect();
        said.push(format!("  {name}: {}", pairs.join("; ")));
        columns.push(match s.name.is_empty() {
            true => s.y.as_str().to_owned(),
            false => s.name.clone(),
        });
        for (row, value) in rows.iter_mut().zip(points) {
            row.push(value);
        }
    }
    vec![Piece::Table(Table {
        said,
        columns,
        rows,
    })]
}

/// The author's own table, its numbers computed.
pub(super) fn table(
    desk: &Desk,
    env: &Env<'_>,
    columns: &[Phrase],
    rows: &[Vec<Cell>],
) -> Vec<Piece> {
    let columns: Vec<String> = columns.iter().map(|column| column.text.clone()).collect();
    let cells = |row: &Vec<Cell>| -> Vec<String> {
        row.iter()
            .map(|cell| match cell {
                Cell::Text(text) => desk.filled(text.as_str(), env),
                Cell::Number(inline) => inline
                    .show(env)
                    .unwrap_or_else(|(_, say)| format!("({say})")),
            })
            .collect()
    };
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let head = format!("Table, {} rows: {}.", rows.len(), columns.join("; "));
    vec![Piece::Table(Table::of_rows(head, columns, rows))]
}
