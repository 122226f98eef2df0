//! `export`: progress and answers as one JSON document or as CSV, both safe to
//! paste; lessons as HTML files that need nothing else.
//!
//! Paths stand with `~`, nothing names the machine or its user, and whatever a
//! terminal would obey is left out.

mod csv;
mod html;
mod live;
mod mathml;
mod page;
mod site;

#[cfg(test)]
pub(super) use page::live_block;
pub(super) use page::{MARK, page_of_pieces};
pub(super) use site::{Standing, standing};

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::Outcome;
use super::args::OutputArgs;
use super::desk::Desk;
use super::failure::Failure;
use super::out::Out;
use course::{Exercise, Progress, Sheet, obeyed};

/// Progress and answers as one JSON document; or as CSV, or lessons as HTML.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// Write lessons into this folder, an HTML file each, and an index
    #[arg(long, value_name = "DIR")]
    html: Option<PathBuf>,
    /// The lessons, by id or number; all where none is named
    #[arg(value_name = "LESSON", requires = "html")]
    lessons: Vec<String>,
    /// Replace files that this command did not write
    #[arg(long, requires = "html")]
    force: bool,
    /// Print a line of CSV per question: what was typed, and the verdict
    #[arg(long, conflicts_with = "html")]
    csv: bool,
}

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
    /// The GPU that its questions ask of, where they ask of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<&'static str>,
    /// Which variant the sheet answers.
    #[serde(skip)]
    variant: usize,
    keys: Vec<KeyDocument>,
}

#[derive(Serialize)]
struct KeyDocument {
    name: String,
    typed: String,
    verdict: Option<&'static str>,
    solved: bool,
    misses: u64,
    hints_seen: u64,
    given_up: bool,
}

#[derive(Serialize)]
struct GuessDocument {
    lesson: String,
    block: u64,
    /// The GPU that it was asked of.
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu: Option<String>,
    typed: String,
    outcome: String,
}

pub(super) fn export(output: &OutputArgs, args: &ExportArgs, out: &mut Out) -> Outcome {
    let form = match (&args.html, args.csv) {
        (Some(_), _) => "html",
        (None, true) => "csv",
        (None, false) => return document(&Desk::open(output).whole()?, out),
    };
    if output.json {
        return Err(Failure::usage(format!(
            "export --{form} has no JSON form; leave --json out"
        )));
    }
    let desk = Desk::open(output).whole()?;
    if let Some(folder) = &args.html {
        return site::write(&desk, folder, &args.lessons, args.force, out);
    }
    let (exercises, code) = results(&desk);
    out.text(&csv::table(&exercises));
    Ok(code)
}

/// Every question with what was typed and found, and the exit code: 2 where a
/// sheet cannot be read.
fn results(desk: &Desk) -> (Vec<ExerciseDocument>, u8) {
    let mut code = 0;
    let mut exercises = Vec::new();
    for exercise in desk.course.exercises() {
        let sheet = match desk.sheet(exercise) {
            Ok(sheet) => Some(sheet),
            Err(fault) => {
                // The rest is still worth having.
                super::out::complain(&fault.to_string());
                code = 2;
                None
            }
        };
        exercises.push(of_exercise(desk.progress(), exercise, sheet.as_ref()));
    }
    (exercises, code)
}

fn document(desk: &Desk, out: &mut Out) -> Outcome {
    let progress = desk.progress();
    let (exercises, code) = results(desk);
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
            .map(|((lesson, block, gpu), guess)| GuessDocument {
                lesson: clean(lesson),
                block: *block,
                gpu: Some(clean(gpu)).filter(|gpu| !gpu.is_empty()),
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
    let variant = sheet.map_or_else(|| progress.variant(&exercise.id), Sheet::variant);
    // Another variant may ask other questions.
    let answered = match sheet {
        Some(sheet) => sheet.of(exercise).ok(),
        None => exercise.variant(variant).ok(),
    };
    let exercise = answered.as_ref().unwrap_or(exercise);
    ExerciseDocument {
        exercise: exercise.id.clone(),
        sheet: sheet.map(|sheet| clean(sheet.shown())),
        device: exercise.gpu,
        variant,
        keys: exercise
            .keys
            .iter()
            .map(|key| {
                let name = key.name.text.clone();
                let mark = progress.key(&exercise.id, &name);
                let typed = sheet.and_then(|sheet| sheet.answer(&name));
                KeyDocument {
                    typed: clean(&typed.unwrap_or_default()),
                    verdict: mark.verdict.map(course::Mark::word),
                    solved: mark.solved,
                    misses: mark.tries,
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
