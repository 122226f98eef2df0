//! `check`: grades answers from the sheet, from `--answer`, or as they are asked for.

mod ask;
mod cell;
mod report;

use std::io::Read;

use clap::Args;

use super::Outcome;
use super::args::{OutputArgs, whole};
use super::desk::{Desk, Runs, complaints};
use super::failure::Failure;
use super::ids::Ids;
use super::lists;
use super::out::{Out, complain};
use super::show::plain_text;
use super::words::wrapped;
use backend::submission::{confine, judge, judge_on};
use course::answer::Verdict;
use course::{Event, Exercise, Key, Progress, Sheet};
use host::Graded;
use plan::run::{BackendKind, Submission};

pub(super) use ask::question_lines;
pub(super) use cell::ways;

/// Grade the answers to exercises.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Exercises, such as ex1; v2-ex1, v4-ex1, v4-ex1-b … by their names in the documents
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
    /// Measure again what was measured for a question, and grade against that
    #[arg(long)]
    measure: bool,
    /// Run an accepted kernel on this GPU as well: cuda or hip
    #[arg(long, value_name = "BACKEND", value_parser = gpu)]
    on: Option<BackendKind>,
    /// Grade and keep nothing: neither answers nor misses
    #[arg(long)]
    read_only: bool,
}

/// A backend that has a GPU.
fn gpu(name: &str) -> Result<BackendKind, String> {
    let kind = BackendKind::parse(name).ok();
    let gpu = kind.filter(|kind| kind.is_gpu());
    gpu.ok_or_else(|| "it takes cuda or hip".to_owned())
}

/// Exit code where an answer could not be kept.
const LOST: u8 = 2;

pub(super) fn check(output: &OutputArgs, args: &CheckArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).read_only(args.read_only).whole()?;
    let exercises: Vec<&Exercise> = if args.all {
        desk.course.exercises().collect()
    } else {
        named(&desk, &args.exercises)?
    };
    if !args.answer.is_empty() && exercises.len() != 1 {
        let ids: Vec<&str> = exercises.iter().map(|e| e.id.as_str()).collect();
        return Err(Failure::usage(format!(
            "--answer belongs to one exercise, and these are {}; name one, as in check ex1 --answer block=17",
            ids.join(", ")
        )));
    }
    if !output.json {
        args.exercises
            .iter()
            .for_each(|typed| theirs(&desk, typed, out));
    }
    let mut runs = Runs::new(args.measure).on(args.on);
    let mut documents = Vec::new();
    let mut right_everywhere = true;
    let mut faulty = 0;
    for (index, exercise) in exercises.iter().enumerate() {
        let mut sheet = desk.sheet(exercise)?;
        let exercise = &variant(&desk, exercise, &mut sheet, args.variant)?;
        if !args.all {
            desk.say_device(exercise);
        }
        let mut stood = Vec::new();
        for answer in &args.answer {
            cell::put(&desk, exercise, &mut sheet, answer, &mut stood)?;
        }
        if sheet.unsaved() {
            desk.keep(&mut sheet, exercise);
        }
        if ask::asks(output, args, &sheet, exercise) {
            ask::ask(&desk, exercise, &mut sheet, &mut runs)?;
        }
        let keys = exercise.keys.iter();
        let graded: Result<Vec<Graded<'_>>, Failure> = keys
            .map(|key| graded(&desk, exercise, key, &sheet, &mut runs))
            .collect();
        if !args.read_only {
            let found = graded.as_deref().ok();
            let gone = stood.iter().filter_map(|s| s.said(exercise, &sheet, found));
            gone.for_each(|say| complain(&say));
        }
        let graded = graded?;
        let events: Vec<Event> = graded.iter().filter_map(|g| g.event(exercise)).collect();
        let progress = desk.record(&events);
        right_everywhere &= graded.iter().all(|g| g.judgement.verdict.is_done());
        faulty = faulty.max(complaints(&exercise.faults));
        if output.json {
            documents.push(report::document(&progress, exercise, &sheet, &graded));
        } else {
            if index > 0 {
                out.gap();
            }
            let models: Vec<Vec<String>> = graded
                .iter()
                .map(|g| model(&desk, g, &runs))
                .collect::<Result<_, _>>()?;
            let whys: Vec<Vec<String>> = graded
                .iter()
                .map(|g| derived(&desk, exercise, g, &progress, &runs))
                .collect::<Result<_, _>>()?;
            let all = (graded.as_slice(), models.as_slice(), whys.as_slice());
            report::report(&progress, exercise, &sheet, all, output.plain, out);
        }
    }
    if output.json {
        match documents.as_slice() {
            [one] if !args.all => out.json(one),
            several => out.json(&several),
        }
    }
    // What is said to be right and is lost all the same is worse than what is wrong.
    let lost = if desk.lost() { LOST } else { 0 };
    // A question that cannot be read is left out: "all right" would be untrue.
    Ok(faulty.max(lost).max(u8::from(!right_everywhere)))
}

/// The exercises that are named, each once: `v4-ex1` of the documents is four.
fn named<'d>(desk: &'d Desk, typed: &[String]) -> Result<Vec<&'d Exercise>, Failure> {
    let mut all: Vec<&Exercise> = Vec::new();
    for name in typed {
        for exercise in desk.exercises(name)? {
            if !all.iter().any(|known| known.id == exercise.id) {
                all.push(exercise);
            }
        }
    }
    Ok(all)
}

/// What a name of the documents means, where one was typed.
fn theirs(desk: &Desk, typed: &str, out: &mut Out) {
    if desk.course.exercise_of_id(typed).is_none() {
        for line in lists::theirs(desk, typed) {
            out.lines(wrapped(&line, "", "  "));
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
    let varied = sheet.in_variant(exercise, number).map_err(Failure::usage)?;
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
        }]);
    }
    Ok(varied)
}

/// Grades what the sheet holds for a question.
fn graded<'e>(
    desk: &Desk,
    exercise: &Exercise,
    key: &'e Key,
    sheet: &Sheet,
    runs: &mut Runs,
) -> Result<Graded<'e>, Failure> {
    let typed = sheet.answer(&key.name.text).unwrap_or_default();
    Ok(desk.grade(exercise, key, &typed, runs)?)
}

/// How the answer of a question comes about that is right or was given up.
fn derived(
    desk: &Desk,
    exercise: &Exercise,
    graded: &Graded<'_>,
    progress: &Progress,
    runs: &Runs,
) -> Result<Vec<String>, Failure> {
    let name = &graded.key.name.text;
    let given_up = progress.key(&exercise.id, name).given_up;
    if !given_up && !graded.judgement.verdict.is_right() {
        return Ok(Vec::new());
    }
    let known = |other: &str| {
        let kept = progress.key(&exercise.id, other);
        kept.solved || kept.given_up
    };
    let env = desk.env(&exercise.setup, runs)?;
    Ok(exercise.derived(graded.key, &env, known))
}

/// The worked answer of free text that was answered.
fn model(desk: &Desk, graded: &Graded<'_>, runs: &Runs) -> Result<Vec<String>, Failure> {
    let kept = graded.judgement.verdict == Verdict::Kept;
    let Some(model) = graded.key.model.as_ref().filter(|_| kept) else {
        return Ok(Vec::new());
    };
    let env = desk.env(&graded.key.setup, runs)?;
    let (text, line) = (&model.text, model.at.line);
    Ok(plain_text(text, line, desk.ascii, &env, &desk.failed))
}

/// Largest question that a judge is asked.
const LONGEST: u64 = 4 << 20;

/// The judge's process: a submission on standard input, its outcome on standard output.
pub(super) fn submission(out: &mut Out) -> Outcome {
    let mut asked = String::new();
    let read = std::io::stdin().take(LONGEST).read_to_string(&mut asked);
    let submission: Submission = read
        .map_err(|e| e.to_string())
        .and_then(|_| serde_json::from_str(&asked).map_err(|e| e.to_string()))
        .map_err(|e| Failure::usage(format!("standard input holds no submission: {e}")))?;
    confine(submission.on.is_some());
    out.json(&match submission.on {
        Some(kind) => judge_on(kind, &submission),
        None => judge(&submission),
    });
    Ok(0)
}
