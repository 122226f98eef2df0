//! Each kind of piece as lines.

use super::{Laid, Place, chart, lab, scene};
use crate::tui::code::code;
use crate::tui::exercise::question;
use crate::tui::pen::{clip, width};
use crate::tui::rows::{Row, labelled, words};
use crate::tui::theme::Role;
use app::State;
use app::question::Asked;
use course::present::{self, Chart, Figure, Grid, Piece, Prose, Step, Weight};
use plan::run::MicroReport;
use plan::units::figure::Origin;
use text::code::{extension, highlight};
use text::{Alignment, Block, Element, Inline, Layout, Resolved, Value};

/// Widest block of numbers: label and value stay near each other.
const NUMBERS: usize = 62;

/// Pieces below each other, all but predictions; a table stands clear of what is
/// around it.
pub fn pieces(place: Place<'_>, pieces: &[Piece], columns: usize) -> Laid {
    let mut out = Laid::default();
    let mut clear = false;
    for piece in pieces {
        if matches!(piece, Piece::Ask(_) | Piece::Outcome(..) | Piece::Run(_)) {
            continue;
        }
        let titled = matches!(piece, Piece::Table(_)) && out.rows.len() == 1;
        let laid = self::piece(place, piece, columns);
        if (clear || titled) && !out.rows.is_empty() {
            out.rows.push(Row::default());
        }
        clear = matches!(piece, Piece::Table(_) | Piece::Lines(_));
        out.rows.extend(laid.rows);
        out.shift = out.shift.max(laid.shift);
    }
    out
}

/// One piece.
pub(super) fn piece(place: Place<'_>, piece: &Piece, columns: usize) -> Laid {
    let state = place.state;
    let rows = match piece {
        Piece::Ribbon(ribbon) => lab::ribbon(state, ribbon, columns),
        Piece::Lab(found) => {
            let block = state.reader.block(&place.lesson.id, place.live.number);
            let cursor = place.keys.then_some(block.cursor);
            let fallen = state.shared.merge.seen(state.shared.now);
            lab::rows(found, cursor, fallen, state.shared.look.ascii, columns)
        }
        Piece::Trips(found) => lab::trips(place, found, columns),
        Piece::Steps(steps) => self::steps(state, steps, place.steps(), columns),
        Piece::Question(asked) => {
            let ask = prose(state, &asked.ask, columns);
            let asked = Asked {
                exercise: asked.exercise.clone(),
                key: asked.key.clone(),
            };
            question::in_lesson(state, ask, &asked, place.keys, columns)
        }
        Piece::Chart(found) => return drawn(state, found, place.live.number, columns),
        read => return still(state, read, columns),
    };
    Laid { rows, shift: 0 }
}

/// A chart and its values; `number`: the block that its points belong to.
fn drawn(state: &State, found: &Chart, number: usize, columns: usize) -> Laid {
    let mut laid = grid(state, &found.grid(), columns);
    let mut rows = chart::rows(found, number, state.shared.look.ascii, columns);
    rows.push(Row::default());
    rows.append(&mut laid.rows);
    Laid { rows, ..laid }
}

/// A piece that is only read, wherever it stands.
pub fn still(state: &State, piece: &Piece, columns: usize) -> Laid {
    let rows = match piece {
        Piece::Ask(text) | Piece::Text(text) => prose(state, text, columns),
        Piece::Words(Weight::Place, text) => vec![Row::of(clip(text, columns), Role::Dim)],
        Piece::Words(weight, text) => words(text, columns, role(*weight)),
        Piece::Said(label, text) => labelled(label, Role::Strong, text, columns, 10),
        Piece::Figures(figures) => figures
            .iter()
            .flat_map(|figure| number(figure, columns))
            .collect(),
        Piece::Table(cells) => return grid(state, cells, columns),
        Piece::Roofline(found) => return grid(state, &found.grid, columns),
        // No block of a lesson: its points are not clicked.
        Piece::Chart(found) => return drawn(state, found, 0, columns),
        Piece::Code(file, lines) => source(file, lines, columns),
        Piece::Lines(lines) => lines
            .iter()
            .map(|line| Row::of(clip(line, columns), Role::Text))
            .collect(),
        Piece::Ribbon(_)
        | Piece::Lab(_)
        | Piece::Trips(_)
        | Piece::Steps(_)
        | Piece::Question(_)
        | Piece::Outcome(..)
        | Piece::Run(_) => Vec::new(),
    };
    Laid { rows, shift: 0 }
}

const fn role(weight: Weight) -> Role {
    match weight {
        Weight::Title => Role::Strong,
        Weight::Text => Role::Text,
        Weight::Aside | Weight::Place => Role::Dim,
        Weight::Fault => Role::Bad,
    }
}

/// The screen's role for where a number comes from.
pub(super) const fn origin(origin: Origin) -> Role {
    match origin {
        Origin::Modelled => Role::Modelled,
        Origin::Issued => Role::Issued,
        Origin::Measured => Role::Measured,
    }
}

/// Markdown with its numbers.
fn prose(state: &State, prose: &Prose, columns: usize) -> Vec<Row> {
    let resolve = |value: &Value| prose.resolve(value);
    let layout = Layout::new(columns, &resolve).ascii(state.shared.look.ascii);
    let page = layout.blocks(&prose.blocks);
    page.lines.iter().map(Row::of_markup).collect()
}

/// A label, and its number at the right edge.
pub fn number(figure: &Figure, columns: usize) -> Vec<Row> {
    let edge = columns.min(NUMBERS);
    let (text, role) = match (&figure.value, figure.origin) {
        (Ok(value), from) => (value.clone(), from.map_or(Role::Text, origin)),
        (Err(why), _) => (format!("({why})"), Role::Warn),
    };
    let row = Row::of(format!("  {}", figure.label), Role::Dim);
    if 4 + width(&figure.label) + width(&text) <= edge {
        return vec![row.right(edge, &text, role)];
    }
    let said = words(&text, columns.saturating_sub(4), role).into_iter();
    std::iter::once(row)
        .chain(said.map(|row| row.indented(4)))
        .collect()
}

/// Steps up to the one that was reached.
fn steps(state: &State, steps: &[Step], shown: usize, columns: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for (i, step) in steps.iter().take(shown).enumerate() {
        let text = prose(state, &step.text, columns.saturating_sub(4));
        for (line, row) in text.into_iter().enumerate() {
            let head = if line == 0 {
                format!("{:2}  ", i + 1)
            } else {
                "    ".to_owned()
            };
            let mut numbered = Row::of(head, Role::Dim);
            numbered.spans.extend(row.spans);
            rows.push(numbered);
        }
    }
    // What the newest step speaks of.
    let newest = steps.iter().take(shown).next_back();
    if let Some(scene) = newest.and_then(|step| step.scene.as_ref()) {
        rows.push(Row::default());
        rows.extend(
            scene::rows(scene, columns.saturating_sub(4))
                .into_iter()
                .map(|row| row.indented(4)),
        );
    }
    let left = steps.len().saturating_sub(shown);
    if left > 0 {
        rows.push(Row::of(format!("    {left} more"), Role::Dim));
    }
    rows
}

/// What an experiment showed in an exercise.
pub fn reported(state: &State, report: &MicroReport, columns: usize) -> Vec<Row> {
    let mut rows = vec![Row::default()];
    for piece in present::reported(report, &[]) {
        match piece {
            Piece::Table(cells) => {
                rows.extend(grid(state, &cells, columns).rows);
                rows.push(Row::default());
            }
            Piece::Words(weight, text) => rows.extend(words(&text, columns, role(weight))),
            _ => {}
        }
    }
    rows
}

/// Lines of a kernel with their numbers and colours.
fn source(file: &str, lines: &[(usize, String)], columns: usize) -> Vec<Row> {
    let whole: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
    let coloured = highlight(extension(file), &whole.join("\n"));
    let lines = lines.iter().zip(&coloured);
    let line = |((number, _), spans): (&(usize, String), &Vec<text::Span>)| {
        let spans = spans
            .iter()
            .map(|s| (s.text.as_str(), crate::tui::kernel::code_role(s.role)));
        let head = Row::of(format!("{number:4}  "), Role::Dim);
        code(head, spans, columns)
    };
    lines.flat_map(line).collect()
}

/// Cells laid out as the tables of the text are: each column of one unit, or each row.
pub fn grid(state: &State, grid: &Grid, columns: usize) -> Laid {
    let nothing = |_: &Value| Resolved::value("");
    let layout = Layout::new(columns, &nothing)
        .ascii(state.shared.look.ascii)
        .shift(state.shift());
    let cell = |text: &String| {
        vec![Inline::Words {
            text: text.clone(),
            place: text::Place::default(),
        }]
    };
    let row = |row: &Vec<String>| row.iter().map(cell).collect();
    let element = Element::Table(text::Table {
        alignments: (0..grid.head.len())
            .map(|at| match grid.by_row && at > 0 {
                true => Alignment::Right,
                false => Alignment::Auto,
            })
            .collect(),
        head: row(&grid.head),
        rows: grid.rows.iter().map(row).collect(),
    });
    let page = layout.blocks(&[Block {
        place: text::Place::default(),
        element,
    }]);
    let mut rows: Vec<Row> = page.lines.iter().map(Row::of_markup).collect();
    if !grid.foot.is_empty() {
        let foot = words(&grid.foot, columns.saturating_sub(4), Role::Dim);
        rows.extend(foot.into_iter().map(|row| row.indented(2)));
    }
    Laid {
        rows,
        shift: page.max_shift,
    }
}
