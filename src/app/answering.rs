//! Answering a question, in the form or in a lesson: what keys do, what is
//! checked, which sheet it goes to.

pub mod check;
pub mod grid;
pub mod kernel;
pub mod sheet;
pub mod variant;

use super::ask::Ask;
use super::field::Field;
use super::intent::Out;
use super::key::{Code, Key as Pressed};
use super::keymap::Action;
use super::note::Tone;
use super::question::Asked;
use super::shared::Shared;
use super::study::bench_setup;
use course::{Key, Kind, Phrase, Table};
use plan::cost::Config;
use plan::fusion::Cut;
use plan::run::{BackendKind, MicroRequest};

pub use check::{Standing, echo, refused, standing, tolerance};
pub use kernel::written;
pub use sheet::open as open_sheet;

/// Moves among the lines of a kernel; `false`: there are none, or none further.
pub(super) fn line(shared: &mut Shared, asked: &Asked, up: bool) -> bool {
    let lines = shared
        .study
        .key_of(asked)
        .filter(|key| key.kernel.as_ref().is_some_and(|k| !k.is_written()))
        .map_or(0, |key| key.options.len());
    let question = shared.questions.question_mut(asked);
    let to = match up {
        true => question.option.checked_sub(1),
        false => Some(question.option + 1).filter(|to| *to < lines),
    };
    let moved = to.filter(|_| lines > 0);
    if let Some(to) = moved {
        question.option = to;
        shared.questions.reveal = true;
    }
    moved.is_some()
}

/// Acts on one question, in the form or in a lesson.
pub fn question(shared: &mut Shared, asked: &Asked, action: Action, out: &mut Out) {
    let Some(key) = shared.study.key_of(asked).cloned() else {
        return;
    };
    let chosen = matches!(key.kind, Kind::Choice | Kind::Choices | Kind::Ranking);
    let options = key.options.len();
    if action != Action::Solution {
        shared.questions.disarm();
    }
    if let Some(table) = &key.table
        && in_table(shared, asked, &key, table, action, out)
    {
        return;
    }
    let locked = || {
        shared
            .study
            .progress
            .key(&asked.exercise, &asked.key)
            .locked
    };
    if key.kind == Kind::Predict
        && matches!(action, Action::Open | Action::Flip)
        && let Some(locked) = locked()
    {
        if shared.study.typed(&asked.exercise, &asked.key) != locked {
            check::save(shared, asked, &locked, out);
        }
        check::check(shared, asked, out);
        return;
    }
    match action {
        // Enter at an option takes it, where none is marked or the marked one was
        // refused; the next one checks.
        Action::Open if key.kind == Kind::Choice && takes(shared, asked, &key) => {
            mark(shared, asked, &key, out);
            shared.notes.say(Tone::Plain, "Marked. Enter checks it.");
        }
        Action::Open if chosen => check::check(shared, asked, out),
        Action::Flip if chosen => mark(shared, asked, &key, out),
        Action::Left | Action::Right if chosen && options > 0 => {
            let question = shared.questions.question_mut(asked);
            question.option = if action == Action::Right {
                (question.option + 1) % options
            } else {
                (question.option + options - 1) % options
            };
        }
        Action::Edit => kernel::edit(shared, asked, out),
        Action::Open if written(shared, asked).is_some() => {
            kernel::judge(shared, asked, out);
        }
        Action::Open | Action::Flip => {
            let typed = shared.study.typed(&asked.exercise, &asked.key);
            shared.questions.field = Some((asked.clone(), Field::with(typed)));
        }
        Action::Hint => check::hint(shared, asked, &key, out),
        Action::Solution => check::solution(shared, asked, &key, out),
        Action::Run | Action::RunAll => run(shared, asked, out),
        _ => {}
    }
}

/// Whether Enter marks the option under the cursor before anything is checked.
fn takes(shared: &Shared, asked: &Asked, key: &Key) -> bool {
    let typed = shared.study.typed(&asked.exercise, &asked.key);
    let here = key.options.get(shared.questions.question(asked).option);
    let other = here.is_some_and(|option| option.text != typed.trim());
    typed.is_empty() || other && refused(shared, asked)
}

/// Acts on a table; `false`: the action is no affair of its cells.
fn in_table(
    shared: &mut Shared,
    asked: &Asked,
    key: &Key,
    table: &Table,
    action: Action,
    out: &mut Out,
) -> bool {
    match action {
        Action::Left | Action::Right => grid::step(shared, asked, table, action == Action::Left),
        Action::Flip if !key.options.is_empty() => grid::turn(shared, asked, key, table, out),
        Action::Open if !key.options.is_empty() => check::check(shared, asked, out),
        Action::Open | Action::Flip => {
            let typed = grid::typed(shared, asked, table);
            shared.questions.field = Some((asked.clone(), Field::with(&typed)));
        }
        _ => return false,
    }
    true
}

/// Marks the option under the cursor, or takes its mark away.
fn mark(shared: &mut Shared, asked: &Asked, key: &Key, out: &mut Out) {
    let at = shared.questions.question(asked).option;
    let Some(option) = key.options.get(at).map(|o| o.text.clone()) else {
        return;
    };
    let mut chosen = marked(
        shared.study.typed(&asked.exercise, &asked.key),
        &key.options,
    );
    let had = chosen.iter().position(|c| *c == option);
    match (key.kind, had) {
        (Kind::Choice, Some(_)) => chosen.clear(),
        (Kind::Choice, None) => chosen = vec![option],
        (_, Some(i)) => {
            chosen.remove(i);
        }
        (_, None) => chosen.push(option),
    }
    if key.kind == Kind::Choices {
        // The order in which they were marked says nothing: that of the page.
        let place = |c: &String| key.options.iter().position(|o| o.text == *c);
        chosen.sort_by_key(place);
    }
    check::save(shared, asked, &chosen.join(", "), out);
    shared.questions.question_mut(asked).judgement = None;
}

/// The options that an answer names, in its order. An option may hold a comma.
pub fn marked(typed: &str, options: &[Phrase]) -> Vec<String> {
    let mut rest = typed.trim();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let whole = options.iter().map(|o| o.text.as_str()).find(|option| {
            rest.strip_prefix(option)
                .is_some_and(|behind| behind.is_empty() || behind.trim_start().starts_with(','))
        });
        let part = whole.unwrap_or_else(|| rest.split(',').next().unwrap_or(rest));
        if !part.trim().is_empty() {
            found.push(part.trim().to_owned());
        }
        rest = rest
            .get(part.len()..)
            .unwrap_or_default()
            .trim_start_matches([',', ' ']);
    }
    found
}

/// Runs the experiments of the gym, or the plan, that a question speaks about, in
/// its own setup.
fn run(shared: &mut Shared, asked: &Asked, out: &mut Out) {
    let Some(key) = shared.study.key_of(asked) else {
        return;
    };
    let micros = micros(shared, key);
    if !micros.is_empty() {
        for (kernel, values) in micros {
            match MicroRequest::new(&kernel, &values, BackendKind::Simt) {
                Ok(request) => shared.ask(Ask::Micro(request), out),
                Err(error) => shared.notes.say(Tone::Bad, error.to_string()),
            }
        }
        return;
    }
    let asked = match asked_runs(key) {
        Ok(asked) => asked,
        Err(why) => return shared.notes.say(Tone::Bad, why),
    };
    // What was not run yet comes first; plans of one setup run one after another.
    let missing = |c: &&Config| shared.runs.of_config(c).is_none();
    let Some(first) = asked.iter().find(missing).or(asked.first()) else {
        return;
    };
    let setup = bench_setup(first, shared.bench.setup().seed);
    let cuts: Vec<Cut> = asked
        .iter()
        .filter(|config| bench_setup(config, setup.seed) == setup)
        .map(|config| config.cut)
        .collect();
    let put = shared.bench.set_up(setup);
    match put.and_then(|()| shared.bench.put(first.cut)) {
        Ok(()) => shared.start(cuts, out),
        Err(error) => shared.notes.say(Tone::Bad, error.to_string()),
    }
}

/// The runs that answer a question: those its expression names, else one of the
/// exercise's own plan.
///
/// # Errors
/// A setting that cannot be.
pub fn asked_runs(key: &Key) -> Result<Vec<Config>, String> {
    let setup = key.setup.answer().map_err(|error| error.to_string())?;
    let named = key.answered_by(&setup);
    Ok(match named.is_empty() {
        true => vec![setup.config],
        false => named,
    })
}

/// The experiments that a question asks.
pub fn micros(shared: &Shared, key: &Key) -> Vec<(String, Vec<u32>)> {
    let env = shared.study.env(&key.setup, &shared.runs);
    env.map_or_else(|_| Vec::new(), |env| key.micros(&env))
}

/// A key while an answer is typed. `false`: the field is left for the next
/// part of the page, which the page knows.
pub fn press(shared: &mut Shared, key: Pressed, out: &mut Out) -> bool {
    let Some((asked, _)) = &shared.questions.field else {
        return true;
    };
    let asked = asked.clone();
    let table = shared.study.key_of(&asked).and_then(|k| k.table.clone());
    if let Some(table) =
        table.filter(|_| matches!(key.code, Code::Enter | Code::Tab | Code::BackTab))
    {
        leave_field(shared, out);
        if key.code == Code::Enter {
            check::check(shared, &asked, out);
        }
        grid::step(shared, &asked, &table, key.code == Code::BackTab);
        if key.code != Code::Enter {
            question(shared, &asked, Action::Open, out);
        }
        return true;
    }
    match key.code {
        Code::Enter => {
            leave_field(shared, out);
            check::lock(shared, &asked, out);
            check::check(shared, &asked, out);
            // What cannot be read is mended where it stands; what only waits for a
            // run leaves the keys free for it.
            let typed = shared.study.typed(&asked.exercise, &asked.key).to_owned();
            let mend = echo(shared, &asked, &typed).is_err();
            let unread = shared
                .questions
                .question(&asked)
                .judgement
                .is_some_and(|j| j.verdict.word() == "unread");
            if unread && mend {
                let typed = shared.study.typed(&asked.exercise, &asked.key);
                shared.questions.field = Some((asked, Field::with(typed)));
            }
        }
        Code::Esc => leave_field(shared, out),
        Code::Tab | Code::BackTab => {
            leave_field(shared, out);
            return false;
        }
        _ => {
            if let Some((_, field)) = &mut shared.questions.field {
                field.press(key);
            }
        }
    }
    true
}

/// Closes the field; what was typed goes into the sheet.
pub fn leave_field(shared: &mut Shared, out: &mut Out) {
    if let Some((asked, field)) = shared.questions.field.take() {
        let typed = field.text().trim().to_owned();
        match shared.study.key_of(&asked).and_then(|k| k.table.clone()) {
            Some(table) => grid::put(shared, &asked, &table, &typed, out),
            None => check::save(shared, &asked, &typed, out),
        }
    }
}

/// Pasted text while an answer is typed.
pub fn paste(shared: &mut Shared, text: &str) {
    if let Some((_, field)) = &mut shared.questions.field {
        field.paste(text);
    }
}

/// Whether the answer to a question is a number.
pub fn takes_number(shared: &Shared, asked: &Asked) -> bool {
    let kind = shared.study.key_of(asked).map(|key| key.kind);
    matches!(kind, Some(Kind::Number | Kind::Measured | Kind::Predict))
}
