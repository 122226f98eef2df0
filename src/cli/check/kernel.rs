//! `check` of a kernel that the learner wrote: judged in a child process.

use std::io::Read;
use std::path::PathBuf;

use super::super::Outcome;
use super::super::args::OutputArgs;
use super::super::desk::{Desk, Runs};
use super::super::failure::Failure;
use super::super::out::Out;
use app::question::Asked;
use backend::engine::{Program, submission as judged};
use backend::submission::{confine, judge};
use course::attempt::{
    Attempt, Told, attempt, begin, difference, gap_form, gaps, kernel_file, submission as contract,
    told,
};
use course::{Exercise, Kernel, Key};
use plan::run::{Candidate, Submission, SubmissionOutcome};

/// Largest question that a judge is asked.
const LONGEST: u64 = 4 << 20;

/// The judge's process: a submission on standard input, its outcome on standard output.
pub(in crate::cli) fn submission(out: &mut Out) -> Outcome {
    confine();
    let mut asked = String::new();
    let read = std::io::stdin().take(LONGEST).read_to_string(&mut asked);
    let submission: Submission = read
        .map_err(|e| e.to_string())
        .and_then(|_| serde_json::from_str(&asked).map_err(|e| e.to_string()))
        .map_err(|e| Failure::usage(format!("standard input holds no submission: {e}")))?;
    out.json(&judge(&submission));
    Ok(0)
}

/// Judges the kernel of a key. A file that is not there yet is begun; where it
/// cannot be compiled, the letters of the gap form are judged instead.
pub(super) fn told_of(
    desk: &Desk,
    exercise: &Exercise,
    (key, kernel): (&Key, &Kernel),
    typed: &str,
    runs: &Runs,
) -> Result<Told, Failure> {
    let fault = |fault: course::Fault| Failure::usage(fault.to_string());
    let mut tried = attempt(&desk.places, &exercise.id, kernel, typed).map_err(fault)?;
    let mut instead = None;
    loop {
        let candidate = match &tried {
            Attempt::Missing if desk.read_only => {
                return Ok(Told::open("There is no kernel yet."));
            }
            Attempt::Missing => {
                let file = begin(&desk.places, &exercise.id, kernel).map_err(fault)?;
                let say = format!("{file} was made: write the kernel there, then check again.");
                return Ok(Told::open(&say));
            }
            Attempt::Untouched => {
                let file = desk.places.shown(&kernel_file(&desk.places, &exercise.id));
                let say = format!("{file} is still the skeleton: write the kernel there.");
                return Ok(Told::open(&say));
            }
            Attempt::Unread(say) => return Ok(Told::unread(typed, say, gap_form(kernel))),
            Attempt::Written(candidate) | Attempt::Gaps(candidate) => candidate,
        };
        let env = desk.env(&key.setup, runs)?;
        let asked = contract(key, candidate.clone(), &env).map_err(Failure::content)?;
        let Some(asked) = asked else {
            return Ok(Told::open("There is no kernel to write here."));
        };
        let program = Program::own_as("submission")
            .map_err(|e| Failure::lacking(format!("this program cannot be started again: {e}")))?;
        let outcome = judged(&program, &asked);
        let by_letters = !typed.trim().is_empty() && matches!(tried, Attempt::Written(_));
        if let (true, SubmissionOutcome::NoCompiler(why)) = (by_letters, &outcome) {
            let file = desk.places.shown(&kernel_file(&desk.places, &exercise.id));
            instead = Some(format!(
                "The letters {} were judged; {file} was not: {why}.",
                typed.trim()
            ));
            tried = gaps(kernel, typed);
            continue;
        }
        let mut told = told(exercise, key, &tried, &outcome);
        told.lines.splice(..0, instead);
        if let (SubmissionOutcome::Accepted { .. }, Candidate::Written { text, .. }) =
            (&outcome, candidate)
        {
            let lines = difference(kernel, text);
            if !lines.is_empty() {
                let head = "Beside the worked kernel (- yours, + worked):";
                told.lines.push(head.to_owned());
                told.lines.extend(lines);
            }
        }
        return Ok(told);
    }
}

/// For the screen: judges the kernel of a question.
pub(in crate::cli) fn judged_for(output: &OutputArgs, asked: &Asked, typed: &str) -> Told {
    let told = with_kernel(output, asked, |desk, exercise, key, kernel| {
        told_of(desk, exercise, (key, kernel), typed, &Runs::default())
            .map_err(|failure| failure.sentence().to_owned())
    });
    told.unwrap_or_else(|say| Told::unread(typed, &say, Vec::new()))
}

/// For the screen: the file of a kernel, made where there is none.
pub(in crate::cli) fn begun(output: &OutputArgs, asked: &Asked) -> Result<PathBuf, String> {
    with_kernel(output, asked, |desk, exercise, _, kernel| {
        begin(&desk.places, &exercise.id, kernel).map_err(|fault| fault.to_string())?;
        Ok(kernel_file(&desk.places, &exercise.id))
    })
}

fn with_kernel<T>(
    output: &OutputArgs,
    asked: &Asked,
    then: impl FnOnce(&Desk, &Exercise, &Key, &Kernel) -> Result<T, String>,
) -> Result<T, String> {
    let desk = Desk::open(output);
    let exercise = desk.course.exercise(&asked.exercise)?;
    let key = exercise.keys.iter().find(|key| key.name.text == asked.key);
    match key.and_then(|key| Some((key, key.kernel.as_ref()?))) {
        Some((key, kernel)) => then(&desk, exercise, key, kernel),
        None => Err("There is no kernel to write here.".to_owned()),
    }
}
