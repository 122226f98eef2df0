//! What a study found out, as pieces.

use super::{Chart, Facts, Grid, Line, Piece, Weight, quoted};
use crate::block::Made;
use crate::recorded::Figures;
use plan::units::format;
use study::catalogue::Definition;
use study::findings::{Findings, Plot, Sheet};

/// Rows of a table that a lesson shows.
const ROWS: usize = 12;

/// A `study` block: what was found on this machine, else what makes it; figures of another
/// device beside it.
pub(super) fn block(made: &Made, gpu: &str, facts: &dyn Facts) -> Vec<Piece> {
    let words = made.words(gpu);
    let name = words.get(1).map_or("", String::as_str);
    let asks = Definition::named(name);
    let title = format!("study {name}: {}", asks.map_or("", |d| d.asks));
    let mut out = vec![Piece::Words(Weight::Title, title)];
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let command = words.join(" ");
    if let Some(kept) = facts.study(&command) {
        let on = match kept.device.as_str() {
            "" => "by the model".to_owned(),
            device => format!("on {device}"),
        };
        let stopped = if kept.stopped { ", stopped" } else { "" };
        let head = format!(
            "{}, {on}, build {}, {}{stopped}",
            kept.id, kept.build, kept.time
        );
        out.push(Piece::Words(Weight::Aside, head));
        out.extend(first(&kept.findings, ROWS));
    }
    for id in &made.recorded {
        if let Some(figure) = Figures::built_in().get(&id.text) {
            let date = match figure.date.as_str() {
                "" => String::new(),
                date => format!(", {date}"),
            };
            let said = format!(
                "{} on {}{date}: {}",
                format(&figure.value),
                figure.device,
                figure.how
            );
            out.push(Piece::Said("recorded".to_owned(), said));
        }
    }
    out.push(Piece::Run(command));
    out
}

/// Tables, charts and sentences of a study, in reading order.
pub fn found(findings: &Findings) -> Vec<Piece> {
    first(findings, usize::MAX)
}

/// The same with no more than so many rows of each table.
pub fn first(findings: &Findings, rows: usize) -> Vec<Piece> {
    let mut pieces = vec![Piece::Words(Weight::Title, findings.title.clone())];
    let says = findings.sentences.iter();
    pieces.extend(says.map(|said| Piece::Words(Weight::Text, said.clone())));
    for sheet in &findings.sheets {
        pieces.push(Piece::Words(Weight::Place, sheet.name.clone()));
        pieces.push(Piece::Table(grid(sheet, rows)));
    }
    pieces.extend(findings.plots.iter().filter_map(chart).map(Piece::Chart));
    let notes = findings.notes.iter();
    pieces.extend(notes.map(|note| Piece::Words(Weight::Aside, note.clone())));
    pieces
}

/// The first rows of a sheet; what is left out is said below them.
pub fn grid(sheet: &Sheet, rows: usize) -> Grid {
    let left = sheet.rows.len().saturating_sub(rows);
    Grid {
        head: sheet.heads(),
        rows: sheet
            .rows
            .iter()
            .take(rows)
            .map(|row| sheet.shown(row))
            .collect(),
        foot: match left {
            0 => String::new(),
            left => format!("… {left} more"),
        },
        ..Grid::default()
    }
}

/// A plot of two values at least, each line as far as it is known: what is not has no
/// point, and a dash in the table.
fn chart(plot: &Plot) -> Option<Chart> {
    let known = |values: &[Option<f64>], at: usize| values.get(at).copied().flatten();
    let places: Vec<usize> = (0..plot.at.len())
        .filter(|at| plot.lines.iter().any(|(_, _, v)| known(v, *at).is_some()))
        .collect();
    let at: Vec<f64> = places
        .iter()
        .filter_map(|at| plot.at.get(*at).copied())
        .collect();
    let drawn = plot
        .lines
        .iter()
        .filter(|(_, _, v)| v.iter().any(Option::is_some));
    let lines = drawn.map(|(name, source, values)| {
        let sign = source
            .origin()
            .map_or(String::new(), |o| format!(" {}", o.sign()));
        let values: Vec<Option<f64>> = places.iter().map(|at| known(values, *at)).collect();
        let said = |value: &Option<f64>| value.map_or("–".to_owned(), figures);
        Line {
            name: format!("{name}{sign}"),
            said: values.iter().map(said).collect(),
            values: values.iter().map(|v| v.unwrap_or(f64::NAN)).collect(),
        }
    });
    (at.len() > 1).then(|| Chart {
        x: plot.x.clone(),
        unit: plot.unit.clone(),
        lines: lines.collect(),
        log_x: plot.log,
        log_y: plot.log,
        at,
    })
}

/// Four significant digits.
fn figures(value: f64) -> String {
    match value.abs() {
        v if v >= 1000.0 => format!("{value:.0}"),
        v if v >= 1.0 => format!("{value:.2}"),
        v if v >= 1e-3 => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use study::findings::{Column, Source};

    #[test]
    fn a_study_is_words_tables_and_charts_in_reading_order() {
        let mut sheet = Sheet::new(
            "points",
            [Column::given("seq"), Column::measured("time", "µs", 1)],
        );
        sheet.rows = vec![
            vec!["16".into(), 10.0.into()],
            vec!["32".into(), 21.0.into()],
        ];
        let findings = Findings {
            title: "workshop over seq".into(),
            sheets: vec![sheet],
            plots: vec![Plot {
                x: "seq".into(),
                at: vec![16.0, 32.0, 64.0],
                unit: "µs".into(),
                log: true,
                lines: vec![(
                    "time".into(),
                    Source::Measured,
                    vec![Some(10.0), Some(21.0), None],
                )],
            }],
            sentences: vec!["It grows.".into()],
            notes: vec!["seq 64: no memory".into()],
            ..Findings::default()
        };
        let pieces = found(&findings);
        let Piece::Table(table) = &pieces[3] else {
            panic!("{pieces:?}");
        };
        assert_eq!(table.head, ["seq", "time µs @"]);
        assert_eq!(table.rows[1], ["32", "21.0"]);
        let Piece::Chart(chart) = &pieces[4] else {
            panic!("{pieces:?}");
        };
        assert_eq!(
            (chart.at.len(), chart.lines[0].name.as_str()),
            (2, "time @")
        );
        assert!(
            matches!(&pieces[5], Piece::Words(Weight::Aside, note) if note.contains("no memory"))
        );
        assert_eq!(grid(&findings.sheets[0], 1).foot, "… 1 more");
    }

    #[test]
    fn every_line_is_drawn_to_its_own_end() {
        let line = |name: &str, values: &[Option<f64>]| {
            (name.to_owned(), Source::Measured, values.to_vec())
        };
        let plot = Plot {
            x: "block".into(),
            at: vec![0.0, 1.0, 2.0, 3.0],
            unit: "error".into(),
            log: false,
            lines: vec![
                line("V1", &[Some(1.0), Some(2.0), Some(3.0), None]),
                line("V3", &[Some(1.0), None]),
                line("V4", &[None, None, None]),
            ],
        };
        let chart = chart(&plot).unwrap();
        // Nobody knows block 3, and nothing is known of V4.
        assert_eq!(chart.at, [0.0, 1.0, 2.0]);
        assert_eq!(chart.lines.len(), 2);
        assert_eq!(chart.lines[0].values, [1.0, 2.0, 3.0]);
        assert_eq!(chart.lines[1].said, ["1.00", "–", "–"]);
        let points = chart.lines[1].values.iter().filter(|v| v.is_finite());
        assert_eq!(points.count(), 1);
    }
}
