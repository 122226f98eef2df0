//! What keys do on the exercise page, and in a question wherever it stands.

use super::{Asked, Form, check, current, grid, key_of, opened_shown, shown, variant};
use crate::field::Field;
use crate::key::{Code, Key as Pressed};
use crate::keymap::Action;
use crate::live::ask::Ask;
use crate::message::Effect;
use crate::note::Tone;
use crate::page::Page;
use crate::state::State;
use crate::study::bench_setup;
use crate::{lab, update};
use course::{Key, Kind, Phrase, Table};
use plan::cost::Config;
use plan::fusion::Cut;
use plan::run::{BackendKind, MicroRequest};

/// Acts on the exercise page.
pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    if state.exercises.form.is_none() {
        list(state, action, effects);
        return;
    }
    let rows = shown(state).map_or(0, |e| e.keys.len());
    let last = rows.saturating_sub(1);
    let (lines, room) = state.exercises.extent;
    let end = lines.saturating_sub(room);
    let moved = |state: &mut State, row: fn(usize, usize) -> usize| {
        if let Some(form) = &mut state.exercises.form {
            form.row = row(form.row, last);
        }
        state.exercises.reveal = true;
        disarm(state);
    };
    let scrolled = |state: &mut State, to: &dyn Fn(usize) -> usize| {
        if let Some(form) = &mut state.exercises.form {
            form.scroll = to(form.scroll).min(end);
        }
    };
    if action != Action::Variant {
        state.exercises.varying = false;
    }
    if matches!(action, Action::Up | Action::Down)
        && let Some(asked) = current(state)
        && (grid::row(state, &asked, action == Action::Up)
            || line(state, &asked, action == Action::Up))
    {
        return;
    }
    match action {
        Action::Variant => variant::next(state, effects),
        Action::Up => moved(state, |row, _| row.saturating_sub(1)),
        Action::Down => moved(state, |row, last| (row + 1).min(last)),
        Action::NextPart => moved(state, |row, last| if row < last { row + 1 } else { 0 }),
        Action::PreviousPart => moved(state, |row, last| row.checked_sub(1).unwrap_or(last)),
        Action::Top => moved(state, |_, _| 0),
        Action::End => moved(state, |_, last| last),
        Action::PageDown => scrolled(state, &|s| s + room.saturating_sub(1)),
        Action::PageUp => scrolled(state, &|s| s.saturating_sub(room.saturating_sub(1))),
        _ => {
            if let Some(asked) = current(state) {
                question(state, &asked, action, effects);
            }
        }
    }
}

fn list(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    let last = state.study.course.exercises().len().saturating_sub(1);
    let at = state.exercises.cursor.min(last);
    state.exercises.cursor = match action {
        Action::Up => at.saturating_sub(1),
        Action::Down => (at + 1).min(last),
        Action::PageUp => at.saturating_sub(10),
        Action::PageDown => (at + 10).min(last),
        Action::Top => 0,
        Action::End => last,
        Action::Open => {
            let Some(exercise) = shown(state) else { return };
            let solved = |k: &Key| state.study.progress.key(&exercise.id, &k.name.text).solved;
            let row = exercise.keys.iter().position(|k| !solved(k)).unwrap_or(0);
            let id = exercise.id.clone();
            state.exercises.form = Some(Form {
                exercise: id,
                row,
                ..Form::default()
            });
            // The first question is met after the introduction.
            state.exercises.reveal = row > 0;
            at
        }
        _ => at,
    };
    if state.two_panes() || action == Action::Open {
        opened_shown(state, effects);
    }
}

/// Moves among the lines of a kernel; `false`: there are none, or none further.
fn line(state: &mut State, asked: &Asked, up: bool) -> bool {
    let lines = key_of(state, asked)
        .filter(|key| key.kernel.as_ref().is_some_and(|k| !k.is_written()))
        .map_or(0, |key| key.options.len());
    let question = state.exercises.question_mut(asked);
    let to = match up {
        true => question.option.checked_sub(1),
        false => Some(question.option + 1).filter(|to| *to < lines),
    };
    let moved = to.filter(|_| lines > 0);
    if let Some(to) = moved {
        question.option = to;
        state.exercises.reveal = true;
    }
    moved.is_some()
}

/// Acts on one question, in the form or in a lesson.
pub fn question(state: &mut State, asked: &Asked, action: Action, effects: &mut Vec<Effect>) {
    let Some(key) = key_of(state, asked).cloned() else {
        return;
    };
    let chosen = matches!(key.kind, Kind::Choice | Kind::Choices | Kind::Ranking);
    let options = key.options.len();
    if action != Action::Solution {
        disarm(state);
    }
    if let Some(table) = &key.table
        && in_table(state, asked, &key, table, action, effects)
    {
        return;
    }
    let locked = || state.study.progress.key(&asked.exercise, &asked.key).locked;
    if key.kind == Kind::Predict
        && matches!(action, Action::Open | Action::Flip)
        && let Some(locked) = locked()
    {
        if state.study.typed(&asked.exercise, &asked.key) != locked {
            check::save(state, asked, &locked, effects);
        }
        check::check(state, asked, effects);
        return;
    }
    match action {
        // Enter at an option takes it, where none is marked or the marked one was
        // refused; the next one checks.
        Action::Open if key.kind == Kind::Choice && takes(state, asked, &key) => {
            mark(state, asked, &key, effects);
            state.notes.say(Tone::Plain, "Marked. Enter checks it.");
        }
        Action::Open if chosen => check::check(state, asked, effects),
        Action::Flip if chosen => mark(state, asked, &key, effects),
        Action::Left | Action::Right if chosen && options > 0 => {
            let question = state.exercises.question_mut(asked);
            question.option = if action == Action::Right {
                (question.option + 1) % options
            } else {
                (question.option + options - 1) % options
            };
        }
        Action::Edit => super::kernel::edit(state, asked, effects),
        Action::Open if super::kernel::written(state, asked).is_some() => {
            super::kernel::judge(state, asked, effects);
        }
        Action::Open | Action::Flip => {
            let typed = state.study.typed(&asked.exercise, &asked.key);
            state.exercises.field = Some((asked.clone(), Field::with(typed)));
        }
        Action::Hint => check::hint(state, asked, &key, effects),
        Action::Solution => check::solution(state, asked, &key, effects),
        Action::Run | Action::RunAll => run(state, asked, effects),
        _ => {}
    }
}

/// Whether Enter marks the option under the cursor before anything is checked.
fn takes(state: &State, asked: &Asked, key: &Key) -> bool {
    let typed = state.study.typed(&asked.exercise, &asked.key);
    let here = key.options.get(state.exercises.question(asked).option);
    let other = here.is_some_and(|option| option.text != typed.trim());
    typed.is_empty() || other && check::refused(state, asked)
}

/// Acts on a table; `false`: the action is no affair of its cells.
fn in_table(
    state: &mut State,
    asked: &Asked,
    key: &Key,
    table: &Table,
    action: Action,
    effects: &mut Vec<Effect>,
) -> bool {
    match action {
        Action::Left | Action::Right => grid::step(state, asked, table, action == Action::Left),
        Action::Flip if !key.options.is_empty() => grid::turn(state, asked, key, table, effects),
        Action::Open if !key.options.is_empty() => check::check(state, asked, effects),
        Action::Open | Action::Flip => {
            let typed = grid::typed(state, asked, table);
            state.exercises.field = Some((asked.clone(), Field::with(&typed)));
        }
        _ => return false,
    }
    true
}

/// Marks the option under the cursor, or takes its mark away.
fn mark(state: &mut State, asked: &Asked, key: &Key, effects: &mut Vec<Effect>) {
    let at = state.exercises.question(asked).option;
    let Some(option) = key.options.get(at).map(|o| o.text.clone()) else {
        return;
    };
    let mut chosen = marked(state.study.typed(&asked.exercise, &asked.key), &key.options);
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
    check::save(state, asked, &chosen.join(", "), effects);
    state.exercises.question_mut(asked).judgement = None;
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
fn run(state: &mut State, asked: &Asked, effects: &mut Vec<Effect>) {
    let Some(key) = key_of(state, asked) else {
        return;
    };
    let micros = micros(state, key);
    if !micros.is_empty() {
        for (kernel, values) in micros {
            match MicroRequest::new(&kernel, &values, BackendKind::Simt) {
                Ok(request) => state.asked.ask(Ask::Micro(request), effects),
                Err(error) => state.notes.say(Tone::Bad, error.to_string()),
            }
        }
        return;
    }
    let asked = match asked_runs(key) {
        Ok(asked) => asked,
        Err(why) => return state.notes.say(Tone::Bad, why),
    };
    // What was not run yet comes first; plans of one setup run one after another.
    let missing = |c: &&Config| state.runs.of_config(c).is_none();
    let Some(first) = asked.iter().find(missing).or(asked.first()) else {
        return;
    };
    let setup = bench_setup(first, state.bench.setup().seed);
    let cuts: Vec<Cut> = asked
        .iter()
        .filter(|config| bench_setup(config, setup.seed) == setup)
        .map(|config| config.cut)
        .collect();
    let put = state.bench.set_up(setup);
    match put.and_then(|()| state.bench.put(first.cut)) {
        Ok(()) => lab::start(state, cuts, effects),
        Err(error) => state.notes.say(Tone::Bad, error.to_string()),
    }
}

/// The runs that answer a question: those its expression names, else one of the
/// exercise's own plan.
///
/// # Errors
/// A setting that cannot be.
pub fn asked_runs(key: &Key) -> Result<Vec<Config>, String> {
    let setup = key.setup.answer().map_err(|error| error.to_string())?;
    let named = key.judged()?.answered_by(&setup);
    Ok(match named.is_empty() {
        true => vec![setup.config],
        false => named,
    })
}

/// The experiments that a question asks.
pub fn micros(state: &State, key: &Key) -> Vec<(String, Vec<u32>)> {
    let env = state.study.env(&key.setup, &state.runs);
    match (env, key.judged()) {
        (Ok(env), Ok(judged)) => judged.micros(&env),
        _ => Vec::new(),
    }
}

/// A key while an answer is typed.
pub fn press(state: &mut State, key: Pressed, effects: &mut Vec<Effect>) {
    let Some((asked, _)) = &state.exercises.field else {
        return;
    };
    let asked = asked.clone();
    let table = key_of(state, &asked).and_then(|k| k.table.clone());
    if let Some(table) =
        table.filter(|_| matches!(key.code, Code::Enter | Code::Tab | Code::BackTab))
    {
        leave_field(state, effects);
        if key.code == Code::Enter {
            check::check(state, &asked, effects);
        }
        grid::step(state, &asked, &table, key.code == Code::BackTab);
        if key.code != Code::Enter {
            question(state, &asked, Action::Open, effects);
        }
        return;
    }
    match key.code {
        Code::Enter => {
            leave_field(state, effects);
            check::lock(state, &asked, effects);
            check::check(state, &asked, effects);
            // What cannot be read is mended where it stands; what only waits for a
            // run leaves the keys free for it.
            let typed = state.study.typed(&asked.exercise, &asked.key).to_owned();
            let mend = check::echo(state, &asked, &typed).is_err();
            let unread = state
                .exercises
                .question(&asked)
                .judgement
                .is_some_and(|j| j.verdict.word() == "unread");
            if unread && mend {
                let typed = state.study.typed(&asked.exercise, &asked.key);
                state.exercises.field = Some((asked, Field::with(typed)));
            }
        }
        Code::Esc => leave_field(state, effects),
        Code::Tab | Code::BackTab => {
            leave_field(state, effects);
            let action = if key.code == Code::Tab {
                Action::NextPart
            } else {
                Action::PreviousPart
            };
            update::act(state, action, effects);
            if state.page == Page::Exercises
                && let Some(next) = current(state)
                && key_of(state, &next)
                    .is_some_and(|k| matches!(k.kind, Kind::Number | Kind::Measured))
            {
                question(state, &next, Action::Open, effects);
            }
        }
        _ => {
            if let Some((_, field)) = &mut state.exercises.field {
                field.press(key);
            }
        }
    }
}

/// Closes the field; what was typed goes into the sheet.
pub fn leave_field(state: &mut State, effects: &mut Vec<Effect>) {
    if let Some((asked, field)) = state.exercises.field.take() {
        let typed = field.text().trim().to_owned();
        match key_of(state, &asked).and_then(|k| k.table.clone()) {
            Some(table) => grid::put(state, &asked, &table, &typed, effects),
            None => check::save(state, &asked, &typed, effects),
        }
    }
}

fn disarm(state: &mut State) {
    for question in state.exercises.questions.values_mut() {
        question.armed = false;
    }
}
