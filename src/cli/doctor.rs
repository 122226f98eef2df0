//! `doctor`: what this machine, this terminal and these folders allow.

mod facts;

use std::io::IsTerminal;

use super::Outcome;
use super::args::OutputArgs;
use super::desk::Desk;
use super::out::Out;
use super::table::{Align, Table};
use super::words::{counted, wrapped};
use course::Places;
use facts::{Document, Files, Terminal};
use plan::units::{Quantity, format};

/// Longest `escape-time` of tmux at which Esc feels immediate.
const ESCAPE_TIME_MS: u64 = 50;

pub(super) fn doctor(output: &OutputArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output);
    let document = Document::find(output, &desk);
    if output.json {
        out.json(&document);
        return Ok(0);
    }
    if output.plain {
        for backend in &document.backends {
            out.line(format!(
                "backend {}: {}, {}.",
                backend.name, backend.state, backend.device
            ));
        }
    } else {
        let mut table = Table::new(&[
            ("backend", Align::Left),
            ("device", Align::Left),
            ("state", Align::Left),
            ("gives", Align::Left),
        ]);
        for backend in &document.backends {
            table.row(vec![
                backend.name.clone(),
                backend.device.clone(),
                backend.state.to_owned(),
                backend.gives.clone(),
            ]);
        }
        out.lines(table.lines());
    }
    out.gap();
    let head = |word: &str| format!("{word:<10} ");
    for backend in &document.backends {
        let words = std::iter::once(backend.name.as_str()).chain(std::iter::repeat(""));
        for (word, note) in words.zip(&backend.notes) {
            out.lines(wrapped(note, &head(word), &head("")));
        }
    }
    for (word, text) in lines(&document) {
        out.lines(wrapped(&text, &head(word), &head("")));
    }
    Ok(0)
}

/// What the workshop's own doctor says of the surroundings and the folders, a word and a
/// sentence each. It asks tmux, so it is not for the time before the first screen.
pub(super) fn facts(places: &Places, output: &OutputArgs) -> Vec<(String, String)> {
    let said = of_surroundings(&Terminal::find(output)).into_iter();
    let said = said.chain(of_files(&Files::find(places)));
    said.map(|(word, text)| (word.to_owned(), text)).collect()
}

/// A word and a sentence each.
fn lines(document: &Document) -> Vec<(&'static str, String)> {
    let memory = |bytes: Option<u64>| match bytes {
        Some(bytes) => format(&Quantity::bytes(bytes)),
        None => "unknown".to_owned(),
    };
    let mut lines = vec![
        ("program", document.program.clone()),
        (
            "cpu",
            format!(
                "{}, {}, SIMD: {}",
                document.cpu.name,
                counted(document.cpu.threads as u64, "thread"),
                document.cpu.simd.join(", ")
            ),
        ),
        (
            "memory",
            format!("{} free for runs", memory(document.memory.available_bytes)),
        ),
    ];
    lines.extend(of_terminal(&document.terminal));
    lines.extend(of_files(&document.files));
    let texts = &document.course;
    let mut counts = format!(
        "{}, {}",
        counted(texts.lessons as u64, "lesson"),
        counted(texts.exercises as u64, "exercise")
    );
    if texts.faults > 0 {
        counts += &format!(
            "; {}, tinyllama-tutor lint shows where",
            counted(texts.faults as u64, "error")
        );
    }
    lines.push(("", counts));
    lines
}

fn of_terminal(terminal: &Terminal) -> Vec<(&'static str, String)> {
    let size = match terminal.size {
        Some([columns, rows]) if columns < 80 || rows < 24 => {
            format!("{columns} × {rows}: too small, the workshop needs 80 × 24")
        }
        Some([columns, rows]) => format!("{columns} × {rows}"),
        None => "standard output is not a terminal".to_owned(),
    };
    let mut lines = vec![
        ("terminal", size),
        (
            "",
            format!(
                "colour: {}; characters: {}{}",
                terminal.colour,
                terminal.characters,
                match terminal.characters {
                    "ASCII" => " (a UTF-8 locale, such as LANG=C.UTF-8, gives the drawn ones)",
                    _ => "",
                }
            ),
        ),
    ];
    lines.extend(of_surroundings(terminal));
    lines
}

/// What the environment says of the terminal.
fn of_surroundings(terminal: &Terminal) -> Vec<(&'static str, String)> {
    let named = |value: &str| match value {
        "" => "not set".to_owned(),
        value => value.to_owned(),
    };
    let mut lines = vec![(
        "says",
        format!(
            "TERM {}, COLORTERM {}, locale {}",
            named(&terminal.term),
            named(&terminal.colorterm),
            named(&terminal.locale)
        ),
    )];
    if terminal.ssh {
        lines.push(("ssh", "this terminal is reached through ssh".to_owned()));
    }
    if terminal.tmux {
        lines.push((
            "tmux",
            match terminal.tmux_escape_time_ms {
                Some(ms) if ms > ESCAPE_TIME_MS => format!(
                    "escape-time is {ms} ms, so Esc is felt late: set -s escape-time 10 in ~/.tmux.conf"
                ),
                Some(ms) => format!("escape-time is {ms} ms"),
                None => "escape-time could not be asked for".to_owned(),
            },
        ));
    }
    lines
}

fn of_files(files: &Files) -> Vec<(&'static str, String)> {
    vec![
        (
            "state",
            match &files.state_refused {
                None => format!("{}, can be written", files.state),
                Some(why) => format!(
                    "{} cannot be written: {why}; --state DIR chooses another folder",
                    files.state
                ),
            },
        ),
        ("answers", files.answers.clone()),
        (
            "course",
            match files.overlays.as_slice() {
                [] => "built in".to_owned(),
                overlays => format!("built in, overlaid by {}", overlays.join(", ")),
            },
        ),
    ]
}

/// Columns and rows of the terminal, where there is one.
fn size() -> Option<[u16; 2]> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let (columns, rows) = crossterm::terminal::size().ok()?;
    Some([columns, rows])
}
