//! `check`: grades answers from the sheet, from `--answer`, or as they are asked for.

mod ask;
mod cell;
mod kernel;
mod report;

use clap::Args;

use super::Outcome;
use super::args::{OutputArgs, whole};
use super::desk::{Desk, Runs, complaints};
use super::failure::Failure;
use super::ids::Ids;
use super::out::Out;
use super::show::plain_text;
use course::answer::{self, Judgement, Kind, Verdict, grade};
use course::{Event, Exercise, Key, Mark, Saved, Sheet};

pub(super) use ask::question_lines;
pub(super) use kernel::{begun, judged_for as judged, submission};

/// Grade the answers to exercises.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Exercises, such as ex1
    #[arg(value_name = "EXERCISE", required_unless_present = "all", value_parser = Ids::Exercises, hide_possible_values = true)]
    exercises: Vec<String>,
    /// All exercises
    #[arg(long, conflicts_with_all = ["exercises", "answer"])]
    all: bool,
    /// Answer a question, by name or number, and keep it in the sheet
    #[arg(long, value_name = "KEY=VALUE")]
    answer: Vec<String>,
    /// The variant of the exercise: the same questions at another shape
    #[arg(long, value_name = "N", value_parser = whole::<usize>, conflicts_with = "all")]
    variant: Option<usize>,
    /// Grade and keep nothing: neither answers nor tries
    #[arg(long)]
    read_only: bool,
}

/// Exit code where an answer could not be kept.
const LOST: u8 = 2;

/// A key with what was found about its answer.
struct Graded<'e> {
    key: &'e Key,
    judgement: Judgement,
    /// The worked answer of free text that was answered.
    model: Vec<String>,
    /// More about a kernel, line by line.
    lines: Vec<String>,
    /// What tells this try from another.
    tried: String,
}

pub(super) fn check(output: &OutputArgs, args: &CheckArgs, out: &mut Out) -> Outcome {
    let mut desk = Desk::open(output).whole()?;
    desk.read_only = args.read_only;
    let desk = desk;
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
        let exercise = &variant(&desk, exercise, &mut sheet, args.variant)?;
        for answer in &args.answer {
            let (name, typed) = answer.split_once('=').ok_or_else(|| {
                Failure::usage(format!(
                    "--answer {answer}: write the key, =, and the answer, as in --answer block=17"
                ))
            })?;
            cell::put(&desk, exercise, &mut sheet, name.trim(), typed.trim())?;
        }
        if sheet.unsaved() {
            keep(&desk, &mut sheet, exercise);
        }
        if ask::asks(output, args, &sheet, exercise) {
            ask::ask(&desk, exercise, &mut sheet, &mut runs, output)?;
        }
        let graded = grade_all(&desk, exercise, &sheet, &mut runs, output)?;
        let events: Vec<Event> = graded.iter().filter_map(|g| event(exercise, g)).collect();
        let progress = desk.record(&events);
        right_everywhere &= graded.iter().all(|g| g.judgement.verdict.is_done());
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
    // What is said to be right and is lost all the same is worse than what is wrong.
    let lost = if desk.lost.get() { LOST } else { 0 };
    // A question that cannot be read is left out: "all right" would be untrue.
    Ok(faulty.max(lost).max(u8::from(!right_everywhere)))
}

/// Writes the sheet; where it had to go elsewhere, or could not, that is said.
fn keep(desk: &Desk, sheet: &mut Sheet, exercise: &Exercise) {
    if desk.read_only {
        return;
    }
    match sheet.save(&desk.places, exercise) {
        Ok(Saved::Here { .. }) => {}
        Ok(elsewhere) => super::out::complain(&elsewhere.to_string()),
        Err(fault) => {
            super::out::complain(&fault.to_string());
            desk.lost.set(true);
        }
    }
}

/// The exercise in the variant that its sheet answers. Another one that is asked
/// for is begun where nothing was answered yet.
fn variant(
    desk: &Desk,
    exercise: &Exercise,
    sheet: &mut Sheet,
    asked: Option<usize>,
) -> Result<Exercise, Failure> {
    let now = sheet.variant();
    let number = asked.unwrap_or(now);
    let varied = exercise.variant(number).map_err(Failure::usage)?;
    if number != now {
        if exercise
            .keys
            .iter()
            .any(|k| sheet.answer(&k.name.text).is_some())
        {
            return Err(Failure::usage(format!(
                "{} answers variant {now} of {id}; tinyllama-tutor reset {id} --variant {number} begins the other one and prints what was typed",
                sheet.shown(),
                id = exercise.id
            )));
        }
        sheet.vary(&varied, number);
        desk.record(&[Event::Varied {
            exercise: exercise.id.clone(),
            variant: number,
            finished: false,
        }]);
    }
    Ok(varied)
}

fn graded<'e>(
    desk: &Desk,
    exercise: &Exercise,
    key: &'e Key,
    sheet: &Sheet,
    runs: &mut Runs,
    output: &OutputArgs,
) -> Result<Graded<'e>, Failure> {
    if let Some(kernel) = key.kernel.as_ref().filter(|kernel| kernel.is_written()) {
        let typed = sheet.answer(&key.name.text).unwrap_or_default();
        let told = kernel::told_of(desk, exercise, (key, kernel), &typed, runs)?;
        return Ok(Graded {
            key,
            judgement: told.judgement,
            model: Vec::new(),
            lines: told.lines,
            tried: told.tried,
        });
    }
    let judged = key.judged().map_err(Failure::content)?;
    let mut typed = sheet.answer(&key.name.text).unwrap_or_default();
    if key.kind == Kind::Predict {
        typed = prediction(desk, exercise, &judged, typed, runs)?;
    }
    if !typed.is_empty() && judged.asks_for_a_run() {
        let setup = desk.env(&key.setup, &*runs)?.setup;
        runs.make(&judged, &setup)?;
    }
    let env = desk.env(&key.setup, &*runs)?;
    let judgement = grade(&typed, &judged, &env)
        .map_err(|e| Failure::content(format!("{}: {e}", key.name.text)))?;
    let model = match (&key.model, judgement.verdict == Verdict::Kept) {
        (Some(model), true) => {
            plain_text(&model.text, model.at.line, output.ascii, &env, &desk.failed)
        }
        _ => Vec::new(),
    };
    Ok(Graded {
        key,
        tried: judgement.typed.clone(),
        judgement,
        model,
        lines: Vec::new(),
    })
}

/// The prediction that counts: the first one that could be read is locked before
/// anything is run, and later edits of the sheet do not change it.
fn prediction(
    desk: &Desk,
    exercise: &Exercise,
    key: &answer::Key,
    typed: String,
    runs: &Runs,
) -> Result<String, Failure> {
    let kept = desk.progress().key(&exercise.id, &key.name).locked;
    if let Some(locked) = kept {
        return Ok(locked);
    }
    let env = desk.env(&exercise.setup, runs)?;
    if !typed.is_empty() && answer::echo(&typed, key, &env).is_ok() {
        desk.record(&[Event::Locked {
            exercise: exercise.id.clone(),
            key: key.name.clone(),
            typed: typed.clone(),
        }]);
    }
    Ok(typed)
}

fn grade_all<'e>(
    desk: &Desk,
    exercise: &'e Exercise,
    sheet: &Sheet,
    runs: &mut Runs,
    output: &OutputArgs,
) -> Result<Vec<Graded<'e>>, Failure> {
    exercise
        .keys
        .iter()
        .map(|key| graded(desk, exercise, key, sheet, runs, output))
        .collect()
}

/// What is kept of a verdict.
fn event(exercise: &Exercise, graded: &Graded<'_>) -> Option<Event> {
    Some(Event::Checked {
        exercise: exercise.id.clone(),
        key: graded.key.name.text.clone(),
        typed: graded.tried.clone(),
        mark: Mark::of(&graded.judgement.verdict)?,
    })
}
