//! Exercises: the list, the form, and the questions that stand in lessons.
//!
//! A question is one thing wherever it is answered: what is typed, what was
//! found and which option is under the cursor are kept here by exercise and
//! key, and the form and the lesson both show it.

mod check;
mod sheet;

use std::collections::BTreeMap;

use super::field::Field;
use super::key::{Code, Key as Pressed};
use super::keymap::{Action, FooterItem};
use super::message::Effect;
use super::note::Tone;
use super::page::{Mark, Page};
use super::state::State;
use super::study::{Study, bench_setup};
use crate::answer::Judgement;
use crate::course::{Exercise, Key, KeyMark, Kind};

pub use check::{Standing, echo, standing, tolerance};
pub use sheet::{arrived as sheet_arrived, open as open_sheet};

/// A question by its exercise and its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    /// Id of the exercise.
    pub exercise: String,
    /// Name of the key.
    pub key: String,
}

/// What was done about a question since the workshop was opened.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The option under the cursor.
    pub option: usize,
    /// What the judge said of the answer as it stands.
    pub judgement: Option<Judgement>,
    /// Hints are unfolded.
    pub hints: bool,
    /// The worked solution is shown.
    pub solution: bool,
    /// `s` was pressed once and waits for the second.
    armed: bool,
}

/// A form: one exercise.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// Id of the exercise.
    pub exercise: String,
    /// The question under the cursor.
    pub row: usize,
    /// First line shown.
    pub scroll: usize,
    /// It was opened from elsewhere, and Esc goes back there.
    direct: bool,
}

/// What the page remembers.
#[derive(Clone, Debug, Default)]
pub struct Exercises {
    /// The exercise under the cursor of the list.
    pub cursor: usize,
    /// The open form.
    pub form: Option<Form>,
    /// The question whose field is being typed into.
    pub field: Option<(Asked, Field)>,
    /// What was done about questions.
    questions: BTreeMap<Asked, Question>,
    /// Sheets that were asked for.
    opened: Vec<String>,
    /// Lines of the form and lines that the page shows, as it was laid out.
    pub extent: (usize, usize),
    /// The question under the cursor is to be scrolled into view.
    pub reveal: bool,
}

/// Keys of the list.
pub const LIST: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "exercise"),
    (&[Action::Open], "open"),
    (&[Action::Go(Page::Home)], "contents"),
    (&[Action::Find], "find"),
    (&[Action::Palette], "do"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys of the form on a number, outside its field.
pub const FORM: &[FooterItem] = &[
    (&[Action::Open], "type, check"),
    (&[Action::Up, Action::Down], "question"),
    (&[Action::Hint], "hint"),
    (&[Action::Solution], "solution"),
    (&[Action::Run], "run"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys while an answer or a prediction is typed.
pub const FIELD: &[FooterItem] = &[
    (&[Action::Open], "check"),
    (&[Action::NextPart], "next field"),
    (
        &[Action::Back],
        "leave field (then h hint, s solution, ? help)",
    ),
];

/// Keys of the form on options.
pub const CHOICE: &[FooterItem] = &[
    (&[Action::Left, Action::Right], "option"),
    (&[Action::Flip], "mark"),
    (&[Action::Open], "check"),
    (&[Action::Up, Action::Down], "question"),
    (&[Action::Hint], "hint"),
    (&[Action::Solution], "solution"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

impl Exercises {
    /// Cursor of the list, for the way back.
    pub fn mark(&self) -> Mark {
        Mark {
            item: self.cursor,
            scroll: self.form.as_ref().map_or(0, |f| f.row + 1),
        }
    }

    /// Puts the cursor back.
    pub fn restore(&mut self, mark: Mark) {
        self.cursor = mark.item;
        match (&mut self.form, mark.scroll) {
            (Some(form), row) if row > 0 => form.row = row - 1,
            (form, _) => *form = None,
        }
    }

    /// What was done about a question.
    pub fn question(&self, asked: &Asked) -> Question {
        self.questions.get(asked).cloned().unwrap_or_default()
    }

    pub(super) fn question_mut(&mut self, asked: &Asked) -> &mut Question {
        self.questions.entry(asked.clone()).or_default()
    }

    /// The field of a question, while it is being typed into.
    pub fn field_of(&self, asked: &Asked) -> Option<&Field> {
        let (typing, field) = self.field.as_ref()?;
        (typing == asked).then_some(field)
    }

    /// Takes in how the form came out: the lines of the question under the
    /// cursor are kept in view.
    pub fn fit(&mut self, lines: usize, room: usize, row: (usize, usize)) {
        let reveal = std::mem::take(&mut self.reveal) || self.field.is_some();
        self.extent = (lines, room);
        let Some(form) = &mut self.form else { return };
        if reveal {
            let (first, count) = row;
            let below = (first + count).saturating_sub(room);
            form.scroll = form.scroll.max(below).min(first);
        }
        form.scroll = form.scroll.min(lines.saturating_sub(room));
    }
}

/// The exercise of the form, else the one under the cursor of the list.
pub fn shown(state: &State) -> Option<&Exercise> {
    match &state.exercises.form {
        Some(form) => state.study.exercise(&form.exercise),
        None => state.study.course.exercises().nth(state.exercises.cursor),
    }
}

/// The question under the cursor of the form.
pub fn current(state: &State) -> Option<Asked> {
    let form = state.exercises.form.as_ref()?;
    let exercise = state.study.exercise(&form.exercise)?;
    let key = exercise.keys.get(form.row)?;
    Some(Asked {
        exercise: exercise.id.clone(),
        key: key.name.text.clone(),
    })
}

/// The question that a block of a lesson asks: the named one, else the first
/// that is open.
pub fn asked(state: &State, exercise: &str, key: Option<&str>) -> Option<Asked> {
    let found = state.study.exercise(exercise)?;
    let solved = |k: &&Key| state.study.progress.key(&found.id, &k.name.text).solved;
    let key = match key {
        Some(name) => found.keys.iter().find(|k| k.name.text == name)?,
        None => found
            .keys
            .iter()
            .find(|k| !solved(k))
            .or_else(|| found.keys.first())?,
    };
    Some(Asked {
        exercise: found.id.clone(),
        key: key.name.text.clone(),
    })
}

/// The key behind a question.
pub fn key_of<'s>(state: &'s State, asked: &Asked) -> Option<&'s Key> {
    state.study.key(&asked.exercise, &asked.key)
}

/// Opens the form of an exercise at a question; Esc leads back.
pub fn open(state: &mut State, asked: &Asked, effects: &mut Vec<Effect>) {
    let Some(exercise) = state.study.exercise(&asked.exercise) else {
        return;
    };
    let row = exercise
        .keys
        .iter()
        .position(|k| k.name.text == asked.key)
        .unwrap_or(0);
    let cursor = state
        .study
        .course
        .exercises()
        .position(|e| e.id == asked.exercise);
    state.go(Page::Exercises);
    state.exercises.cursor = cursor.unwrap_or(0);
    state.exercises.form = Some(Form {
        exercise: asked.exercise.clone(),
        row,
        scroll: 0,
        direct: true,
    });
    state.exercises.reveal = true;
    open_sheet(state, &asked.exercise, effects);
}

/// The page was reached by its key: from a lesson the cursor goes to the
/// lesson's first exercise.
pub fn entered(state: &mut State, from: Option<Page>, effects: &mut Vec<Effect>) {
    if from == Some(Page::Lesson) {
        let id = super::lesson::lesson(state).map(|l| l.id.clone());
        let mine = state
            .study
            .course
            .exercises()
            .position(|e| e.lesson.as_ref().map(|l| &l.text) == id.as_ref());
        if let Some(cursor) = mine {
            state.exercises.cursor = cursor;
            state.exercises.form = None;
        }
    }
    opened_shown(state, effects);
}

/// The sheet of the exercise on the page is wanted.
fn opened_shown(state: &mut State, effects: &mut Vec<Effect>) {
    if let Some(id) = shown(state).map(|e| e.id.clone()) {
        open_sheet(state, &id, effects);
    }
}

/// Esc: out of the form. `false`: there was none, or it was opened from
/// elsewhere.
pub fn leave(state: &mut State) -> bool {
    match state.exercises.form.take() {
        Some(form) => !form.direct,
        None => false,
    }
}

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
    match action {
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
            state.exercises.reveal = true;
            at
        }
        _ => at,
    };
    if state.two_panes() || action == Action::Open {
        opened_shown(state, effects);
    }
}

fn disarm(state: &mut State) {
    for question in state.exercises.questions.values_mut() {
        question.armed = false;
    }
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
    match action {
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

/// Marks the option under the cursor, or takes its mark away.
fn mark(state: &mut State, asked: &Asked, key: &Key, effects: &mut Vec<Effect>) {
    let at = state.exercises.question(asked).option;
    let Some(option) = key.options.get(at).map(|o| o.text.clone()) else {
        return;
    };
    let mut chosen = marked(state.study.typed(&asked.exercise, &asked.key));
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

/// The options that an answer names, in its order.
pub fn marked(typed: &str) -> Vec<String> {
    typed
        .split(',')
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// Runs the plan that a question speaks about, in its own setup.
fn run(state: &mut State, asked: &Asked, effects: &mut Vec<Effect>) {
    let Some(key) = key_of(state, asked) else {
        return;
    };
    let config = match key.setup.answer() {
        Ok(setup) => setup.config,
        Err(error) => {
            state.notes.say(Tone::Bad, error.to_string());
            return;
        }
    };
    let cut = config.cut;
    let put = state
        .bench
        .set_up(bench_setup(&config, state.bench.setup().seed));
    match put.and_then(|()| state.bench.put(cut)) {
        Ok(()) => super::lab::start(state, vec![cut], effects),
        Err(error) => state.notes.say(Tone::Bad, error.to_string()),
    }
}

/// A key while an answer is typed.
pub fn press(state: &mut State, key: Pressed, effects: &mut Vec<Effect>) {
    let Some((asked, field)) = &mut state.exercises.field else {
        return;
    };
    let asked = asked.clone();
    match key.code {
        Code::Enter => {
            leave_field(state, effects);
            check::check(state, &asked, effects);
            let unread = state
                .exercises
                .question(&asked)
                .judgement
                .is_some_and(|j| j.verdict.word() == "unread");
            if unread {
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
            super::update::act(state, action, effects);
            if state.page == Page::Exercises
                && let Some(next) = current(state)
                && key_of(state, &next)
                    .is_some_and(|k| matches!(k.kind, Kind::Number | Kind::Measured))
            {
                question(state, &next, Action::Open, effects);
            }
        }
        _ => {
            field.press(key);
        }
    }
}

/// Closes the field; what was typed goes into the sheet.
pub fn leave_field(state: &mut State, effects: &mut Vec<Effect>) {
    if let Some((asked, field)) = state.exercises.field.take() {
        let typed = field.text().trim().to_owned();
        check::save(state, &asked, &typed, effects);
    }
}

/// The keys that the footer names now.
pub fn footer(state: &State) -> &'static [FooterItem] {
    match state.exercises.form {
        None => LIST,
        Some(_) if state.exercises.field.is_some() => FIELD,
        Some(_) => match current(state).and_then(|a| key_of(state, &a).map(|k| k.kind)) {
            Some(Kind::Choice | Kind::Choices | Kind::Ranking) => CHOICE,
            _ => FORM,
        },
    }
}

/// Exercises with a question that was last answered with a slip.
pub fn slips(study: &Study) -> Vec<String> {
    let slipped = |mark: &KeyMark| mark.verdict == Some(crate::course::Mark::Slip) && !mark.solved;
    let with_slip = study.progress.exercises.iter();
    with_slip
        .filter(|(_, keys)| keys.values().any(slipped))
        .map(|(id, _)| id.clone())
        .collect()
}

/// How many questions of an exercise were solved, and how many it has.
pub fn solved(state: &State, exercise: &Exercise) -> (usize, usize) {
    let done = exercise
        .keys
        .iter()
        .filter(|k| state.study.progress.key(&exercise.id, &k.name.text).solved)
        .count();
    (done, exercise.keys.len())
}

/// How answers are written, for an empty field.
pub fn examples(ascii: bool) -> &'static str {
    if ascii {
        "17   12.6 MB   219.27 GFLOP   94.1 %   1/3   2*4*512   2.85 us"
    } else {
        "17   12.6 MB   219.27 GFLOP   94.1 %   1/3   2*4*512   2.85 µs"
    }
}

#[cfg(test)]
mod tests;
