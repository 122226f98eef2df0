//! `check`: grades answers from the sheet, from `--answer`, or as they are asked for.

mod ask;
mod report;

use clap::Args;

use super::Outcome;
use super::args::OutputArgs;
use super::desk::{Desk, Runs, complaints};
use super::failure::Failure;
use super::out::Out;
use crate::answer::{Judgement, grade};
use crate::course::{Event, Exercise, Key, Mark, Saved, Sheet};

/// Grade the answers to exercises.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Exercises, such as ex1
    #[arg(value_name = "EXERCISE", required_unless_present = "all")]
    exercises: Vec<String>,
    /// All exercises
    #[arg(long, conflicts_with_all = ["exercises", "answer"])]
    all: bool,
    /// Answer a question, by name or number, and keep it in the sheet
    #[arg(long, value_name = "KEY=VALUE")]
    answer: Vec<String>,
}

/// A key with what was found about its answer.
struct Graded<'e> {
    key: &'e Key,
    judgement: Judgement,
}

pub(super) fn check(output: &OutputArgs, args: &CheckArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    let exercises: Vec<&Exercise> = if args.all {
        desk.course.exercises().collect()
    } else {
        args.exercises
            .iter()
            .map(|id| desk.exercise(id))
            .collect::<Result<_, _>>()?
    };
    if !args.answer.is_empty() && exercises.len() != 1 {
        return Err(Failure::usage(
            "--answer belongs to one exercise; name one, as in check ex1 --answer block=17",
        ));
    }
    let mut runs = Runs::default();
    let mut documents = Vec::new();
    let mut right_everywhere = true;
    let mut faulty = 0;
    for (index, exercise) in exercises.iter().enumerate() {
        let mut sheet = Sheet::open(&desk.places, exercise)
            .map_err(|fault| Failure::usage(fault.to_string()))?;
        for answer in &args.answer {
            let (key, typed) = answer.split_once('=').ok_or_else(|| {
                Failure::usage(format!(
                    "--answer {answer}: write the key, =, and the answer, as in --answer block=17"
                ))
            })?;
            let key = desk.key(exercise, key.trim())?;
            sheet.set(exercise, &key.name.text, typed.trim());
        }
        if sheet.unsaved() {
            keep(&desk, &mut sheet, exercise);
        }
        if ask::asks(output, args, &sheet, exercise) {
            ask::ask(&desk, exercise, &mut sheet, &mut runs)?;
        }
        let graded = grade_all(&desk, exercise, &sheet, &mut runs)?;
        let events: Vec<Event> = graded.iter().filter_map(|g| event(exercise, g)).collect();
        let progress = desk.record(&events);
        right_everywhere &= graded.iter().all(|g| g.judgement.verdict.is_right());
        faulty = faulty.max(complaints(&exercise.faults));
        if output.json {
            documents.push(report::document(&progress, exercise, &sheet, &graded));
        } else {
            if index > 0 {
                out.gap();
            }
            report::report(&progress, exercise, &sheet, &graded, output.plain, out);
        }
    }
    if output.json {
        match documents.as_slice() {
            [one] if !args.all => out.json(one),
            several => out.json(&several),
        }
    }
    // A question that cannot be read is left out: "all right" would be untrue.
    Ok(faulty.max(u8::from(!right_everywhere)))
}

/// Writes the sheet; where it had to go elsewhere, or could not, that is said.
fn keep(desk: &Desk, sheet: &mut Sheet, exercise: &Exercise) {
    match sheet.save(&desk.places, exercise) {
        Ok(Saved::Here { .. }) => {}
        Ok(elsewhere) => super::out::complain(&elsewhere.to_string()),
        Err(fault) => super::out::complain(&fault.to_string()),
    }
}

fn graded<'e>(
    desk: &Desk,
    key: &'e Key,
    sheet: &Sheet,
    runs: &mut Runs,
) -> Result<Graded<'e>, Failure> {
    let judged = key.judged().map_err(Failure::content)?;
    let typed = sheet.answer(&key.name.text).unwrap_or_default();
    if !typed.is_empty() && judged.answer.asks_for_a_run() {
        let config = desk.env(&key.setup, &*runs)?.setup.config;
        runs.make(&judged, &config)?;
    }
    let env = desk.env(&key.setup, &*runs)?;
    let judgement = grade(&typed, &judged, &env)
        .map_err(|e| Failure::content(format!("{}: {e}", key.name.text)))?;
    Ok(Graded { key, judgement })
}

fn grade_all<'e>(
    desk: &Desk,
    exercise: &'e Exercise,
    sheet: &Sheet,
    runs: &mut Runs,
) -> Result<Vec<Graded<'e>>, Failure> {
    exercise
        .keys
        .iter()
        .map(|key| graded(desk, key, sheet, runs))
        .collect()
}

/// What is kept of a verdict.
fn event(exercise: &Exercise, graded: &Graded<'_>) -> Option<Event> {
    Some(Event::Checked {
        exercise: exercise.id.clone(),
        key: graded.key.name.text.clone(),
        mark: Mark::of(&graded.judgement.verdict)?,
    })
}
