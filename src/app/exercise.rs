//! Exercises: the list, the form, and the questions that stand in lessons.
//!
//! A question is one thing wherever it is answered: what is typed, what was
//! found and which option is under the cursor are kept here by exercise and
//! key, and the form and the lesson both show it.

mod answering;
mod check;
mod footer;
pub mod grid;
mod kernel;
mod sheet;
mod variant;

use std::collections::BTreeMap;

use super::field::Field;
use super::message::Effect;
use super::page::{Mark, Page};
use super::state::State;
use super::study::Study;
use course::answer::Judgement;
use course::{Exercise, Key, KeyMark};

pub use answering::{act, asked_runs, leave_field, marked, micros, press, question};
pub use check::{Standing, echo, refused, standing, tolerance};
pub use footer::footer;
pub use kernel::{judged as kernel_judged, saved as kernel_saved, written};
pub use sheet::{arrived as sheet_arrived, open as open_sheet};
pub use variant::reset;

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
    /// The cell of a table under the cursor, in reading order.
    pub cell: usize,
    /// What the judge said of the answer as it stands.
    pub judgement: Option<Judgement>,
    /// Hints are unfolded.
    pub hints: bool,
    /// The worked solution is shown.
    pub solution: bool,
    /// `s` was pressed once and waits for the second.
    armed: bool,
    /// A kernel is with the judge.
    pub judging: bool,
    /// What the judge said of a kernel, below the verdict.
    pub lines: Vec<String>,
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
    /// `v` was pressed once and waits for the second.
    varying: bool,
    /// Lines of the form and lines that the page shows, as it was laid out.
    pub extent: (usize, usize),
    /// The question under the cursor is to be scrolled into view.
    pub reveal: bool,
}

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

    /// Nothing that was done about an exercise is known any more.
    fn forget(&mut self, exercise: &str) {
        self.questions.retain(|asked, _| asked.exercise != exercise);
        self.field = None;
        self.varying = false;
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
        None => {
            let listed = state.study.course.exercises().nth(state.exercises.cursor)?;
            state.study.exercise(&listed.id)
        }
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
    // The first question is met after the introduction, here as from the list.
    state.exercises.reveal = row > 0;
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

/// The course was read again: a form whose exercise is gone is closed, and
/// nothing that was said of an answer is believed any more.
pub fn reloaded(state: &mut State) {
    state.study.vary();
    let gone = |form: &Form| state.study.exercise(&form.exercise).is_none();
    if state.exercises.form.as_ref().is_some_and(gone) {
        state.exercises.form = None;
        state.exercises.field = None;
    }
    for question in state.exercises.questions.values_mut() {
        question.judgement = None;
    }
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

/// Exercises with a question that was last answered with a slip.
pub fn slips(study: &Study) -> Vec<String> {
    let slipped = |mark: &KeyMark| mark.verdict == Some(course::Mark::Slip) && !mark.solved;
    let with_slip = study.progress.exercises.iter();
    with_slip
        .filter(|(_, keys)| keys.values().any(slipped))
        .map(|(id, _)| id.clone())
        .collect()
}

/// How many questions of an exercise were solved, and how many it has.
pub fn solved(state: &State, exercise: &Exercise) -> (usize, usize) {
    // The variant that is answered may ask other questions.
    let exercise = state.study.exercise(&exercise.id).unwrap_or(exercise);
    (state.study.progress.right(exercise), exercise.keys.len())
}

/// How answers are written, for an empty field.
pub fn examples(ascii: bool) -> &'static str {
    if ascii {
        "17   12.6 MB   219.27 GFLOP   94.1 %   1/3   2*4*512   2.85 us"
    } else {
        "17   12.6 MB   219.27 GFLOP   94.1 %   1/3   2*4*512   2.85 µs"
    }
}
