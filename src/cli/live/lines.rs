//! Each kind of piece as sentences.

use crate::cli::words::wrapped;
use course::present::{Grid, Lab, Piece, Prose, Question, Ribbon, Scene, Sum, Toggle, Trips};
use text::{Plain, Value};

/// Columns of a line of prose.
const MEASURE: usize = 77;

/// The lines of a block in reading order.
pub(in crate::cli) fn lines(pieces: &[Piece], ascii: bool) -> Vec<String> {
    let lines = pieces.iter().flat_map(|p| {
        let as_they_are = match p {
            Piece::Code(..) | Piece::Lines(_) | Piece::Run(_) => true,
            Piece::Question(question) => question.listing.is_some(),
            _ => false,
        };
        let said = piece(p, ascii).into_iter();
        said.flat_map(move |line| match as_they_are {
            true => vec![line],
            false => fitted(line),
        })
    });
    lines.collect()
}

/// A line that goes on in the next, further in, where it is longer than a terminal is wide.
fn fitted(line: String) -> Vec<String> {
    if text::width(&line) <= MEASURE + 2 {
        return vec![line];
    }
    let indent = " ".repeat(line.len() - line.trim_start().len());
    wrapped(&line, &indent, &format!("{indent}  "))
}

fn piece(piece: &Piece, ascii: bool) -> Vec<String> {
    let indented = |text: &str| wrapped(text, "  ", "  ");
    match piece {
        Piece::Ask(ask) => led("Predict before you read on: ", ask, ascii),
        Piece::Words(_, text) => indented(text),
        Piece::Text(text) => led("  ", text, ascii),
        Piece::Said(label, text) => wrapped(text, &format!("  {label}: "), "    "),
        Piece::Figures(figures) => figures
            .iter()
            .map(|figure| match &figure.value {
                Ok(value) => format!("  {}: {value}", figure.label),
                Err(why) => format!("  {}: ({why})", figure.label),
            })
            .collect(),
        Piece::Table(grid) => table(grid),
        Piece::Roofline(roofline) => table(&roofline.grid),
        Piece::Chart(chart) => table(&chart.grid()),
        Piece::Ribbon(ribbon) => boxes(ribbon),
        Piece::Lab(found) => lab(found),
        Piece::Trips(found) => trips(found),
        Piece::Steps(steps) => (1..)
            .zip(steps)
            .flat_map(|(number, step)| {
                let mut lines = led(&format!("  {number}. "), &step.text, ascii);
                lines.extend(step.scene.iter().flat_map(scene));
                lines
            })
            .collect(),
        Piece::Code(_, lines) => source(lines),
        Piece::Lines(lines) => lines.iter().map(|line| format!("  {line}")).collect(),
        Piece::Question(question) => asked(question, "  ", ascii),
        Piece::Outcome(value, note) => {
            let came = match value {
                Ok(value) => vec![format!("  it is {value} =")],
                Err(why) => indented(&format!("not known here: {why}")),
            };
            let note = note.iter().flat_map(|note| indented(note));
            came.into_iter().chain(note).collect()
        }
        Piece::Run(command) => vec![format!("  Command: tinyllama-tutor {command}")],
    }
}

/// Markdown behind a few words, its later lines further in.
fn led(first: &str, prose: &Prose, ascii: bool) -> Vec<String> {
    let resolve = |value: &Value| prose.resolve(value);
    let plain = Plain {
        width: MEASURE.saturating_sub(first.len()),
        ascii,
        resolve: &resolve,
        live: &|_| Vec::new(),
    };
    let further = " ".repeat(first.len().min(4));
    let lines = plain.blocks(&prose.blocks).into_iter().enumerate();
    lines
        .map(|(at, line)| {
            let lead = if at == 0 { first } else { &further };
            format!("{lead}{line}").trim_end().to_owned()
        })
        .collect()
}

fn table(grid: &Grid) -> Vec<String> {
    let rows = std::iter::once(&grid.head).chain(&grid.rows);
    let mut lines: Vec<String> = rows.map(|row| format!("  {}", row.join("; "))).collect();
    if !grid.foot.is_empty() {
        lines.push(format!("  {}", grid.foot));
    }
    lines
}

fn boxes(ribbon: &Ribbon) -> Vec<String> {
    let boxes = ribbon.boxes.iter();
    let mut lines: Vec<String> = boxes
        .map(|boxed| format!("  {}: {}", boxed.ops().join(" "), boxed.number))
        .collect();
    if !ribbon.walls.is_empty() {
        lines.push(format!("  {}:", Ribbon::WALLS));
        lines.extend(ribbon.walls.iter().map(|wall| format!("  {wall}")));
    }
    lines
}

fn sum(sum: &Sum) -> String {
    let cells: Vec<&str> = sum.cells.iter().map(|(text, _)| text.as_str()).collect();
    format!("{}: {}", sum.name, cells.join("; "))
}

fn lab(lab: &Lab) -> Vec<String> {
    let mut lines: Vec<String> = lab
        .strip
        .iter()
        .map(|ribbon| format!("  {ribbon}"))
        .collect();
    if !lab.title.is_empty() {
        lines.push(format!("  {}", lab.title));
    }
    let sums = lab.sums.iter().chain(&lab.ran);
    lines.extend(sums.map(|s| format!("  {}", sum(s))));
    lines.extend(lab.toggles.iter().flat_map(toggle));
    lines
}

/// What a step speaks of: rows of squares, and figures below.
fn scene(scene: &Scene) -> Vec<String> {
    let mut lines = Vec::new();
    for board in &scene.boards {
        if !board.name.is_empty() {
            lines.push(format!("      {}", board.name));
        }
        let label = board.rows.iter().map(|(label, _)| label.len()).max();
        let label = label
            .filter(|label| *label > 0)
            .map_or(0, |label| label + 1);
        for (name, row) in &board.rows {
            let line = format!("      {name:<label$}{}", board.line(row));
            lines.push(line.trim_end().to_owned());
        }
    }
    let figures: Vec<String> = scene
        .figures
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    lines.push(format!("      {}", figures.join("; ")));
    lines
}

fn trips(trips: &Trips) -> Vec<String> {
    let mut lines = vec![format!("  {}", trips.title)];
    lines.extend(table(&trips.grid()));
    lines.extend(trips.sums.iter().map(|s| format!("  {}", sum(s))));
    lines.extend(trips.toggles.iter().flat_map(toggle));
    lines
}

/// A fusion, and what the plan costs with it flipped.
fn toggle(toggle: &Toggle) -> Vec<String> {
    let (sign, fusion) = (toggle.switch.sign(), toggle.fusion);
    let head = format!("  {sign} {}: {}", fusion.name(), fusion.summary());
    let flipped = toggle.flipped.iter().map(|s| format!("      {}", sum(s)));
    std::iter::once(head).chain(flipped).collect()
}

fn source(lines: &[(usize, String)]) -> Vec<String> {
    let line = |(number, text): &(usize, String)| format!("  {number:4}  {text}");
    lines
        .iter()
        .map(|l| line(l).trim_end().to_owned())
        .collect()
}

/// A question behind `first`: its text, and what is chosen from, filled in or looked at.
pub(in crate::cli) fn asked(question: &Question, first: &str, ascii: bool) -> Vec<String> {
    let mut lines = led(first, &question.ask, ascii);
    if let Some((_, listing)) = &question.listing {
        lines.extend(source(listing));
    }
    if !question.options.is_empty() {
        lines.extend(wrapped(&question.options.join(", "), "  ", "  "));
    }
    if let Some((columns, rows)) = &question.table {
        lines.push(format!("  columns: {}", columns.join(" | ")));
        lines.extend(wrapped(&rows.join(", "), "  rows: ", "  "));
    }
    lines
}
