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
use course::attempt::{gap_form, gap_form_in, gaps_met, gaps_wanted, letters};

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
    let typed = chosen(state, asked);
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
    let form = gap_form_in(kernel, width);
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
    let names = (1..).zip(kernel.listing.gaps());
    let heads = names.filter_map(|(number, gap)| {
        let head = format!("{number} {}:", gap.name);
        form.iter().position(|line| line.starts_with(&head))
    });
    let heads: Vec<usize> = heads.collect();
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
    state.shared.questions.field_of(asked).is_some() || keys && !chosen(state, asked).is_empty()
}

/// The letters of the gap form that stand for the answer: none where the file is right and
/// they are not.
fn chosen<'s>(state: &'s State, asked: &Asked) -> &'s str {
    let study = &state.shared.study;
    let typed = study.typed(&asked.exercise, &asked.key);
    let kernel = study.key_of(asked).and_then(|key| key.kernel.as_ref());
    let met = kernel.is_some_and(|kernel| gaps_met(kernel, typed));
    match !met && right(&state.shared, asked) {
        true => "",
        false => typed,
    }
}

/// What the folded question of a kernel shows of its answer: the letters, or the file.
pub fn answer(state: &State, asked: &Asked) -> String {
    let letters = chosen(state, asked);
    match letters.is_empty() && right(&state.shared, asked) {
        true => format!("answers/{}.cu", asked.exercise),
        false => letters.to_owned(),
    }
}

/// What the judge said, line by line; code stays as it is.
pub fn told(state: &State, asked: &Asked, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let question = state.shared.questions.question(asked);
    // What was said of other letters, or of the file, is not said of what is typed now.
    if question.judgement.is_none() {
        return rows;
    }
    let key = state.shared.study.key_of(asked);
    // The gaps may stand below.
    let kernel = key.and_then(|key| key.kernel.as_ref());
    let kernel = kernel.filter(|kernel| kernel.is_written());
    let form = kernel.map(gap_form).unwrap_or_default();
    let mut stands = shows_gaps(state, asked, true);
    for line in question.lines {
        if form.contains(&line) {
            // The form is laid out once, in the room that there is.
            if let Some(kernel) = kernel.filter(|_| !stands) {
                rows.extend(gaps(kernel, None, width));
                stands = true;
            }
            continue;
        }
        let role = match line.chars().next() {
            Some('+') => Role::Good,
            Some('-') => Role::Bad,
            _ => Role::Text,
        };
        if let Some((sign, code)) = signed(&line) {
            let text = std::iter::once((code, role));
            rows.extend(laid(Row::of(sign, role), text, width));
        } else {
            rows.extend(words(&line, width, role));
        }
    }
    rows
}

/// A line of code as its sign and the rest: a long one is not broken between the two.
fn signed(line: &str) -> Option<(&str, &str)> {
    let signs = line.starts_with([' ', '+', '-']);
    line.split_at_checked(2).filter(|_| signs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_of_a_difference_keeps_its_sign() {
        let line = "-         right[t][w] = at < width ? weights[at * inner + slice] : 0.0f;";
        let (sign, code) = signed(line).unwrap();
        for width in [30, 40, 60] {
            let text = std::iter::once((code, Role::Bad));
            let rows = laid(Row::of(sign, Role::Bad), text, width);
            let first = rows[0].text();
            assert!(first.starts_with("-         right"), "{first}");
        }
    }
}
