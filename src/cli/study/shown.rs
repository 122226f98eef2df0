//! What a study found out, as a shell prints it: tables, CSV, markdown, a picture, a trace.

use std::path::Path;

use super::Form;
use crate::cli::args::OutputArgs;
use crate::cli::failure::Failure;
use crate::cli::live;
use crate::cli::out::Out;
use crate::cli::table::{Align, Table};
use crate::cli::words::wrapped;
use crate::cli::written;
use course::present::study::{found, grid};
use course::present::{Grid, Piece};
use study::findings::{Cell, Sheet};
use study::kept::Kept;
use study::studies::timeline;

/// Columns of a terminal.
const TERMINAL: usize = 80;
/// What a cell begins with that goes on from the line above.
const INDENT: &str = "  ";
/// Rows of a table that a terminal is shown.
const ROWS: usize = 12;

/// Prints a study in the form that is asked for.
pub(super) fn tell(
    output: &OutputArgs,
    form: &Form,
    kept: &Kept,
    out: &mut Out,
) -> Result<(), Failure> {
    let findings = &kept.findings;
    if let Some(path) = &form.trace {
        write_trace(kept, path)?;
    }
    let forms = [
        (form.csv, "--csv"),
        (form.markdown, "--markdown"),
        (form.svg, "--svg"),
    ];
    if let Some((_, other)) = forms.iter().find(|(asked, _)| *asked && output.json) {
        return Err(Failure::usage(format!(
            "--json and {other} are two forms; leave one out"
        )));
    }
    if output.json {
        out.json(kept);
        return Ok(());
    }
    if form.csv {
        let sheets = &findings.sheets;
        let sheet = form.sheet.checked_sub(1).and_then(|at| sheets.get(at));
        let sheet = sheet.ok_or_else(|| {
            let names = sheets
                .iter()
                .zip(1..)
                .map(|(s, n)| format!("{n} {}", s.name));
            Failure::usage(format!(
                "--sheet {}: there are {}",
                form.sheet,
                names.collect::<Vec<_>>().join(", ")
            ))
        })?;
        out.text(&sheet.csv());
        return Ok(());
    }
    if form.markdown {
        out.text(&markdown(kept));
        return Ok(());
    }
    if form.svg {
        let charts = found(findings).into_iter();
        let mut drawn = charts.filter_map(|piece| match piece {
            Piece::Chart(_) => crate::picture::piece(&piece),
            _ => None,
        });
        let svg = drawn.next();
        out.text(&svg.ok_or_else(|| {
            Failure::usage(format!(
                "study {} has no chart here; --csv prints its tables, --markdown all of it",
                kept.study
            ))
        })?);
        return Ok(());
    }
    out.lines(wrapped(
        &format!("{}: {}", kept.study, findings.title),
        "",
        INDENT,
    ));
    if !kept.device.is_empty() {
        let line = format!("on {}, {}", kept.device, kept.time);
        out.lines(wrapped(&line, "", INDENT));
    }
    if kept.stopped {
        out.line("Stopped before its end: what was measured until then.");
    }
    if output.plain {
        let pieces = found(findings);
        out.lines(live::lines(
            pieces.get(1..).unwrap_or_default(),
            output.ascii,
        ));
        return Ok(());
    }
    out.gap();
    for said in &findings.sentences {
        out.lines(wrapped(said, "", ""));
    }
    for sheet in &findings.sheets {
        out.gap();
        out.line(&sheet.name);
        out.lines(table(sheet, form.rows));
    }
    if !findings.notes.is_empty() {
        out.gap();
        for note in &findings.notes {
            out.lines(wrapped(note, "note ", "     "));
        }
    }
    out.gap();
    Ok(())
}

/// A study for a pull request: what was compared, where, and with which build.
fn markdown(kept: &Kept) -> String {
    let device = match kept.device.as_str() {
        "" => "by the model".to_owned(),
        device => format!("on {device}"),
    };
    format!(
        "### {}: {}\n\n{device}, build {}, {}\n\n{}",
        kept.study,
        kept.findings.title,
        kept.build,
        kept.time,
        kept.findings.markdown(ROWS_OF_MARKDOWN)
    )
}

/// Rows of a table that a pull request is shown.
const ROWS_OF_MARKDOWN: usize = 64;

/// Writes the timeline of a study for a viewer.
fn write_trace(kept: &Kept, path: &Path) -> Result<(), Failure> {
    let Some(trace) = &kept.findings.trace else {
        return Err(Failure::usage(format!(
            "study {} has no timeline to write; study timeline has one",
            kept.study
        )));
    };
    let text = timeline::chrome(trace, &kept.findings.title).to_string();
    match written::same(path, &text)? {
        true => Ok(()),
        false => written::make(path, &text),
    }
}

/// The first rows of a sheet as a table that a terminal holds: heads stand in several lines
/// where they have to, and the widest column goes on in the next line.
pub(in crate::cli) fn table(sheet: &Sheet, rows: Option<usize>) -> Vec<String> {
    let usual = match sheet.name.as_str() {
        // A part of an axis would pass for all of it.
        timeline::DRAWN => usize::MAX,
        _ => ROWS,
    };
    let shown = grid(sheet, rows.unwrap_or(usual));
    let aligned = |at: usize| {
        let words = |row: &Vec<Cell>| matches!(row.get(at), Some(Cell::Text(_)));
        match sheet.rows.iter().any(words) {
            true => Align::Left,
            false => Align::Right,
        }
    };
    let Widths { widths, longest } = Widths::of(&shown);
    let heads = shown.head.iter().zip(&widths);
    let heads: Vec<Vec<String>> = heads
        .map(|(head, width)| text::fill(head.split_whitespace(), *width, "", ""))
        .collect();
    let line = |at: usize| -> Vec<String> {
        let part = |head: &Vec<String>| head.get(at).cloned().unwrap_or_default();
        heads.iter().map(part).collect()
    };
    let first = line(0);
    let first = first.iter().enumerate();
    let first: Vec<(&str, Align)> = first.map(|(at, h)| (h.as_str(), aligned(at))).collect();
    let mut table = Table::new(&first);
    for at in 1..heads.iter().map(Vec::len).max().unwrap_or(0) {
        table.row(line(at));
    }
    let room = widths.get(longest).copied().unwrap_or(0);
    for row in shown.rows {
        for line in lines(row, longest, room) {
            table.row(line);
        }
    }
    let mut lines = table.lines();
    lines.extend(
        (!shown.foot.is_empty()).then(|| format!(" {}: --rows N, --csv, --json", shown.foot)),
    );
    lines
}

/// Columns of a table that fits.
struct Widths {
    widths: Vec<usize>,
    /// The column whose cells may have to go on in the next line.
    longest: usize,
}

impl Widths {
    fn of(shown: &Grid) -> Self {
        let cells = |at: usize| {
            let cells = shown.rows.iter().filter_map(|row| row.get(at));
            cells.map(|cell| text::width(cell)).max().unwrap_or(0)
        };
        let all = 0..shown.head.len();
        let fits = |widths: &[usize]| widths.iter().sum::<usize>() + widths.len() <= TERMINAL;
        let whole = |at: usize| shown.head.get(at).map_or(0, |head| text::width(head));
        let word = |at: usize| {
            let words = shown.head.get(at).map(|head| head.split_whitespace());
            words
                .into_iter()
                .flatten()
                .map(text::width)
                .max()
                .unwrap_or(0)
        };
        let mut widths: Vec<usize> = all.clone().map(|at| cells(at).max(whole(at))).collect();
        if !fits(&widths) {
            widths = all.clone().map(|at| cells(at).max(word(at))).collect();
        }
        let longest = all.max_by_key(|at| widths.get(*at)).unwrap_or(0);
        let over = (widths.iter().sum::<usize>() + widths.len()).saturating_sub(TERMINAL);
        if let Some(width) = widths.get_mut(longest) {
            *width = width.saturating_sub(over).max(LEAST);
        }
        Self { widths, longest }
    }
}

/// Columns that a cell has at least.
const LEAST: usize = 8;

/// A row whose cell `at` has so many columns: in as many lines as that takes.
fn lines(row: Vec<String>, at: usize, room: usize) -> Vec<Vec<String>> {
    let cell = row.get(at).cloned().unwrap_or_default();
    if text::width(&cell) <= room {
        return vec![row];
    }
    // A word that has no room goes on in the next line.
    let most = room.saturating_sub(INDENT.len()).max(1);
    let chars: Vec<Vec<char>> = cell
        .split_whitespace()
        .map(|w| w.chars().collect())
        .collect();
    let words = chars.iter().flat_map(|word| word.chunks(most));
    let parts = text::fill(words.map(String::from_iter), room, "", INDENT);
    let blank = vec![String::new(); row.len()];
    let rows = std::iter::once(row).chain(std::iter::repeat(blank));
    let rows = rows.zip(parts).map(|(mut row, part)| {
        if let Some(cell) = row.get_mut(at) {
            *cell = part;
        }
        row
    });
    rows.collect()
}
