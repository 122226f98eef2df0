//! A kernel that the learner wrote: its file, and its judge in a child process.

use std::path::PathBuf;

use crate::desk::Host;
use crate::runs::Runs;
use crate::trouble::Trouble;
use app::question::Asked;
use backend::engine::{Program, submission as judged};
use course::attempt::{
    Attempt, Told, attempt, begin, difference, gap_form, gaps, kernel_file, submission as contract,
    told,
};
use course::{Exercise, Kernel, Key, plain};
use plan::run::{Candidate, Submission, SubmissionOutcome};

/// What the machine and a GPU said of one kernel.
fn together(here: SubmissionOutcome, there: SubmissionOutcome) -> SubmissionOutcome {
    use SubmissionOutcome::{Accepted, Failed, NoCompiler, Refused};
    match (here, there) {
        (_, refused @ Refused(_)) => refused,
        (
            Accepted {
                issued,
                cases,
                mut praise,
            },
            there,
        ) => {
            match there {
                Accepted { praise: said, .. } => praise.extend(said),
                NoCompiler(why) | Failed(why) => {
                    praise.push(format!("It was not run on the GPU: {why}."));
                }
                Refused(_) => {}
            }
            Accepted {
                issued,
                cases,
                praise,
            }
        }
        // Nobody has looked at its accesses and bytes: no verdict.
        (NoCompiler(why), Accepted { praise, .. }) => NoCompiler(format!(
            "{why}. {} Accesses, races and bytes were not looked at",
            praise.join(" ")
        )),
        (here, _) => here,
    }
}

impl Host {
    /// Judges the kernel of a key. A file that is not there yet is begun; where it
    /// cannot be compiled, the letters of the gap form are judged instead.
    pub(crate) fn judge(
        &self,
        exercise: &Exercise,
        (key, kernel): (&Key, &Kernel),
        typed: &str,
        runs: &Runs,
    ) -> Result<Told, Trouble> {
        let mut tried = attempt(&self.places, &exercise.id, kernel, typed)?;
        let mut instead = None;
        loop {
            let candidate = match &tried {
                Attempt::Missing if self.read_only => {
                    return Ok(Told::open("There is no kernel yet."));
                }
                Attempt::Missing => {
                    let file = begin(&self.places, &exercise.id, kernel)?;
                    let say = format!("{file} was made: write the kernel there, then check again.");
                    return Ok(Told::open(&say));
                }
                Attempt::Untouched => {
                    let file = self.places.shown(&kernel_file(&self.places, &exercise.id));
                    let say = format!("{file} is still the skeleton: write the kernel there.");
                    return Ok(Told::open(&say));
                }
                Attempt::Unread(say) => return Ok(Told::unread(typed, say, gap_form(kernel))),
                Attempt::Written(candidate) | Attempt::Gaps(candidate) => candidate,
            };
            let env = self.env(&key.setup, runs)?;
            let asked = contract(key, candidate.clone(), &env).map_err(Trouble::Content)?;
            let Some(asked) = asked else {
                return Ok(Told::open("There is no kernel to write here."));
            };
            let program = Program::own_as("submission").map_err(|e| {
                let why = plain(&e);
                Trouble::Lacking(format!("this program cannot be started again: {why}"))
            })?;
            let mut outcome = judged(&program, &asked);
            let written = matches!(candidate, Candidate::Written { .. });
            if let (true, Some(on)) = (written, runs.on) {
                let there = Submission {
                    on: Some(on),
                    ..asked.clone()
                };
                // What the machine refused is not started on a device.
                if !matches!(outcome, SubmissionOutcome::Refused(_)) {
                    outcome = together(outcome, judged(&program, &there));
                }
            }
            let by_letters = !typed.trim().is_empty() && matches!(tried, Attempt::Written(_));
            if let (true, SubmissionOutcome::NoCompiler(why)) = (by_letters, &outcome) {
                let file = self.places.shown(&kernel_file(&self.places, &exercise.id));
                instead = Some(format!(
                    "The letters {} were judged; {file} was not: {why}.",
                    typed.trim()
                ));
                tried = gaps(kernel, typed);
                continue;
            }
            if by_letters {
                let file = self.places.shown(&kernel_file(&self.places, &exercise.id));
                instead = Some(format!(
                    "{file} is what was judged; the letters {} were not looked at.",
                    typed.trim()
                ));
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

    /// Judges the kernel of a question, which may be gone from the course.
    pub fn judge_asked(&self, asked: &Asked, typed: &str) -> Told {
        let told = self.with_kernel(asked, |exercise, key, kernel| {
            self.judge(exercise, (key, kernel), typed, &Runs::default())
                .map_err(|trouble| trouble.to_string())
        });
        told.unwrap_or_else(|say| Told::unread(typed, &say, Vec::new()))
    }

    /// The file of a kernel, made where there is none.
    ///
    /// # Errors
    /// A question without a kernel; a folder that cannot be written.
    pub fn begin(&self, asked: &Asked) -> Result<PathBuf, String> {
        self.with_kernel(asked, |exercise, _, kernel| {
            begin(&self.places, &exercise.id, kernel).map_err(|fault| fault.to_string())?;
            Ok(kernel_file(&self.places, &exercise.id))
        })
    }

    fn with_kernel<T>(
        &self,
        asked: &Asked,
        then: impl FnOnce(&Exercise, &Key, &Kernel) -> Result<T, String>,
    ) -> Result<T, String> {
        let exercise = self.course.exercise(&asked.exercise)?;
        let key = exercise.keys.iter().find(|key| key.name.text == asked.key);
        match key.and_then(|key| Some((key, key.kernel.as_ref()?))) {
            Some((key, kernel)) => then(exercise, key, kernel),
            None => Err("There is no kernel to write here.".to_owned()),
        }
    }
}
