//! Questions about a kernel: the lines among which a defect is, the file that a
//! kernel is written in.

use crate::tui::code::code as laid;
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;
use app::State;
use app::answering::{here, leads_on, right};
use app::mouse::Target;
use app::question::Asked;
use course::Kernel;
use course::attempt::{gap_form, gaps_wanted, letters};

/// The lines of an excerpt, one to be marked.
pub fn lines(state: &State, asked: &Asked, kernel: &Kernel, keys: bool, width: usize) -> Vec<Row> {
    let chosen = state.shared.study.typed(&asked.exercise, &asked.key).trim();
    let cursor = here(&state.shared, asked);
    let mut rows = vec![Row::default()];
    for (index, line) in kernel.listing.excerpt().iter().enumerate() {
        let here = keys && index == cursor;
        let sign = match chosen == line.number.to_string() {
            true => "(x)",
            false => "   ",
        };
        let head = format!("{}{sign}{:>3}  ", if here { "►" } else { " " }, line.number);
        let (number, code) = match here {
            true => (Role::Accent, Role::Accent),
            false => (Role::Dim, Role::Text),
        };
        let text = std::iter::once((line.text.as_str(), code));
        let listed = laid(Row::of(head, number), text, width);
        rows.extend(listed.into_iter().map(|row| {
            let columns = row.width();
            row.clicked(columns, Target::Option(index))
        }));
    }
    if keys && !right(&state.shared, asked) {
        let how = match leads_on(&state.shared, asked) {
            true => "↑↓ or its number: another line. Space marks that one, Enter checks",
            false => "↑↓ or its number: line. Space marks it, Enter checks",
        };
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
    let typed = state.shared.study.typed(&asked.exercise, &asked.key);
    if !typed.is_empty() {
        rows.push(Row::of(format!("gap form: {typed}"), Role::Text));
    }
    if keys && !right(&state.shared, asked) {
        let how = "o opens it in your editor. Enter judges it, and so does every save. Space types \
                   the letters of the gap form, for machines without a compiler.";
        rows.extend(words(how, width, Role::Dim));
    }
    if state.shared.questions.question(asked).judging {
        rows.push(Row::of("compiling and judging …", Role::Accent));
    }
    rows
}

/// The gaps and their choices; `typed`: while letters are typed, how, those gaps that
/// have one in a line, and the gap of the next one.
pub fn gaps(kernel: &Kernel, typed: Option<&str>, width: usize) -> Vec<Row> {
    let form = gap_form(kernel);
    let given = typed.map(letters).unwrap_or_default();
    let done = given.len();
    let mut rows = Vec::new();
    if typed.is_some() {
        let all = kernel.listing.gaps().count();
        rows.extend(words(&gaps_wanted(all), width, Role::Dim));
        let names = kernel.listing.gaps().map(|gap| gap.name.as_str());
        let chosen: Vec<String> = (1..)
            .zip(names)
            .zip(&given)
            .map(|((number, name), letter)| format!("{number} {name}: {letter}"))
            .collect();
        rows.extend(words(&chosen.join("   "), width, Role::Text));
    }
    let heads = form.iter().enumerate().filter(|(_, line)| {
        let mut number = line.chars();
        number.next().is_some_and(|c| c.is_ascii_digit())
    });
    let heads: Vec<usize> = heads.map(|(at, _)| at).collect();
    // Behind the last letter the last gap stays.
    let from = heads.get(done).or(heads.last()).copied().unwrap_or(0);
    let lines = form
        .iter()
        .skip(from)
        .map(|line| (line.as_str(), Role::Text));
    rows.extend(lines.flat_map(|line| laid(Row::default(), std::iter::once(line), width)));
    rows
}

/// Whether the gaps stand below a question: they are typed, or were.
pub fn shows_gaps(state: &State, asked: &Asked, keys: bool) -> bool {
    let typed = state.shared.study.typed(&asked.exercise, &asked.key);
    state.shared.questions.field_of(asked).is_some() || keys && !typed.is_empty()
}

/// What the judge said, line by line; code stays as it is.
pub fn told(state: &State, asked: &Asked, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let key = state.shared.study.key_of(asked);
    // The gaps stand below.
    let kernel = key.and_then(|key| key.kernel.as_ref());
    let form = kernel.filter(|kernel| kernel.is_written()).map(gap_form);
    let form = form
        .filter(|_| shows_gaps(state, asked, true))
        .unwrap_or_default();
    let lines = state.shared.questions.question(asked).lines.into_iter();
    for line in lines.filter(|line| !form.contains(line)) {
        let role = match line.chars().next() {
            Some('+') => Role::Good,
            Some('-') => Role::Bad,
            _ => Role::Text,
        };
        if line.starts_with([' ', '+', '-']) {
            let text = std::iter::once((line.as_str(), role));
            rows.extend(laid(Row::default(), text, width));
        } else {
            rows.extend(words(&line, width, role));
        }
    }
    rows
}
