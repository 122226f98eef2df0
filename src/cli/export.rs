//! `export`: progress and answers as one JSON document, safe to paste.
//!
//! Paths stand with `~`, nothing names the machine or its user, and whatever a
//! terminal would obey is left out.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Outcome;
use super::args::OutputArgs;
use super::desk::Desk;
use super::out::Out;
use crate::course::{Exercise, Progress, Sheet, obeyed};

#[derive(Serialize)]
struct Document {
    schema: u32,
    program: &'static str,
    stopped: Option<Stopped>,
    lessons: Vec<LessonDocument>,
    exercises: Vec<ExerciseDocument>,
    guesses: Vec<GuessDocument>,
    settings: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Stopped {
    lesson: String,
    section: String,
}

#[derive(Serialize)]
struct LessonDocument {
    lesson: String,
    read: Vec<String>,
    last: Option<String>,
}

#[derive(Serialize)]
struct ExerciseDocument {
    exercise: String,
    sheet: Option<String>,
    keys: Vec<KeyDocument>,
}

#[derive(Serialize)]
struct KeyDocument {
    name: String,
    typed: String,
    verdict: Option<&'static str>,
    solved: bool,
    tries: u64,
    hints_seen: u64,
    given_up: bool,
}

#[derive(Serialize)]
struct GuessDocument {
    lesson: String,
    block: u64,
    typed: String,
    outcome: String,
}

pub(super) fn export(output: &OutputArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    let progress = desk.progress();
    let mut code = 0;
    let mut exercises = Vec::new();
    for exercise in desk.course.exercises() {
        let sheet = match Sheet::open(&desk.places, exercise) {
            Ok(sheet) => Some(sheet),
            Err(fault) => {
                // The rest is still worth having.
                super::out::complain(&fault.to_string());
                code = 2;
                None
            }
        };
        exercises.push(of_exercise(progress, exercise, sheet.as_ref()));
    }
    out.json(&Document {
        schema: 1,
        program: concat!("tinyllama-tutor ", env!("CARGO_PKG_VERSION")),
        stopped: progress.stopped.as_ref().map(|(lesson, section)| Stopped {
            lesson: clean(lesson),
            section: clean(section),
        }),
        lessons: progress
            .lessons
            .iter()
            .map(|(id, mark)| LessonDocument {
                lesson: clean(id),
                read: mark.read.iter().map(|id| clean(id)).collect(),
                last: mark.last.as_deref().map(clean),
            })
            .collect(),
        exercises,
        guesses: progress
            .guesses
            .iter()
            .map(|((lesson, block), guess)| GuessDocument {
                lesson: clean(lesson),
                block: *block,
                typed: clean(&guess.typed),
                outcome: clean(&guess.outcome),
            })
            .collect(),
        settings: progress
            .settings
            .iter()
            .map(|(name, value)| (clean(name), clean(value)))
            .collect(),
    });
    Ok(code)
}

fn of_exercise(
    progress: &Progress,
    exercise: &Exercise,
    sheet: Option<&Sheet>,
) -> ExerciseDocument {
    ExerciseDocument {
        exercise: exercise.id.clone(),
        sheet: sheet.map(|sheet| clean(sheet.shown())),
        keys: exercise
            .keys
            .iter()
            .map(|key| {
                let name = key.name.text.clone();
                let mark = progress.key(&exercise.id, &name);
                let typed = sheet.and_then(|sheet| sheet.answer(&name));
                KeyDocument {
                    typed: clean(&typed.unwrap_or_default()),
                    verdict: mark.verdict.map(crate::course::Mark::word),
                    solved: mark.solved,
                    tries: mark.tries,
                    hints_seen: mark.hints,
                    given_up: mark.given_up,
                    name,
                }
            })
            .collect(),
    }
}

/// Without what a terminal would obey.
fn clean(text: &str) -> String {
    text.chars().filter(|c| !obeyed(*c)).collect()
}
