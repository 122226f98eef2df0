//! Questions about a kernel: the lines among which a defect is, the file that a
//! kernel is written in.

use crate::app::State;
use crate::app::exercise::{Asked, marked};
use crate::course::Kernel;
use crate::tui::pen::clip;
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;

/// The lines of an excerpt, one to be marked.
pub fn lines(state: &State, asked: &Asked, kernel: &Kernel, keys: bool, width: usize) -> Vec<Row> {
    let chosen = marked(state.study.typed(&asked.exercise, &asked.key));
    let cursor = state.exercises.question(asked).option;
    let mut rows = vec![Row::default()];
    for (index, line) in kernel.listing.excerpt().iter().enumerate() {
        let here = keys && index == cursor;
        let sign = match chosen.iter().any(|c| *c == line.number.to_string()) {
            true => "(x)",
            false => "   ",
        };
        let head = format!("{}{sign}{:>3}  ", if here { "►" } else { " " }, line.number);
        let role = if here { Role::Accent } else { Role::Text };
        let code = clip(&line.text, width.saturating_sub(head.chars().count()));
        rows.push(Row::of(head, if here { Role::Accent } else { Role::Dim }).and(code, role));
    }
    if keys {
        let how = "←→ line, Space marks it, Enter checks";
        rows.push(Row::of(how, Role::Dim));
    }
    rows
}

/// The file of a kernel, and what can be done with it.
pub fn file(state: &State, asked: &Asked, keys: bool, width: usize) -> Vec<Row> {
    let mut rows = vec![Row::of(
        format!("answers/{}.cu", asked.exercise),
        Role::Text,
    )];
    let typed = state.study.typed(&asked.exercise, &asked.key);
    if !typed.is_empty() {
        rows.push(Row::of(format!("gap form: {typed}"), Role::Text));
    }
    if keys {
        let how = "o opens it in your editor. Enter judges it, and so does every save. Space types \
                   the letters of the gap form, for machines without a compiler.";
        rows.extend(words(how, width, Role::Dim));
    }
    if state.exercises.question(asked).judging {
        rows.push(Row::of("compiling and judging …", Role::Accent));
    }
    rows
}

/// What the judge said, line by line; code stays as it is.
pub fn told(state: &State, asked: &Asked, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for line in state.exercises.question(asked).lines {
        let role = match line.chars().next() {
            Some('+') => Role::Good,
            Some('-') => Role::Bad,
            _ => Role::Text,
        };
        if line.starts_with([' ', '+', '-']) {
            rows.push(Row::of(clip(&line, width), role));
        } else {
            rows.extend(words(&line, width, role));
        }
    }
    rows
}
