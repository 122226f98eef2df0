//! One answer, from what is typed to what is kept of its verdict.

use crate::desk::Host;
use crate::runs::Runs;
use crate::trouble::Trouble;
use course::answer::{Judgement, NoRecords, Verdict, grade};
use course::measured::Kept;
use course::{Event, Exercise, Key, Kind, Progress};

/// A key with what was found about its answer.
pub struct Graded<'e> {
    /// The question.
    pub key: &'e Key,
    /// What was found.
    pub judgement: Judgement,
    /// More about a kernel, or which run a measured answer was held against.
    pub lines: Vec<String>,
    /// What tells this try from another.
    tried: String,
}

impl Graded<'_> {
    /// What is kept of the verdict.
    pub fn event(&self, exercise: &Exercise) -> Option<Event> {
        let (key, verdict) = (&self.key.name.text, &self.judgement.verdict);
        Event::checked(&exercise.id, key, &self.tried, verdict)
    }
}

impl Host {
    /// Grades what is typed for a question: a kernel by its judge; a prediction as it
    /// was locked before anything ran; what asks for a run once that is made.
    ///
    /// # Errors
    /// A fault of the course, or why there is no run.
    pub fn grade<'e>(
        &self,
        exercise: &Exercise,
        key: &'e Key,
        typed: &str,
        runs: &mut Runs,
    ) -> Result<Graded<'e>, Trouble> {
        if let Some(kernel) = key.kernel.as_ref().filter(|kernel| kernel.is_written()) {
            let told = self.judge(exercise, (key, kernel), typed, runs)?;
            return Ok(Graded {
                key,
                judgement: told.judgement,
                lines: told.lines,
                tried: told.tried,
            });
        }
        let kept = self.progress().key(&exercise.id, &key.name.text).locked;
        let typed = match kept {
            Some(locked) => locked,
            None => {
                let env = self.env(&key.setup, &*runs)?;
                let locked = Event::locked(&exercise.id, key, typed, &env);
                self.record(locked.as_slice());
                typed.to_owned()
            }
        };
        // Nothing is kept of a prediction's outcome, nor where it is measured anew.
        let measured = key.kind == Kind::Measured;
        let nothing = Progress::default();
        let progress = match measured && !runs.anew {
            true => self.progress(),
            false => &nothing,
        };
        let mut lines = Vec::new();
        if !typed.is_empty() && key.asks_for_a_run() {
            let setup = self.env(&key.setup, &*runs)?.setup;
            let kept = Kept {
                progress,
                records: &NoRecords,
            };
            let made = runs.make(key, &setup, &kept)?;
            self.record(if measured { &made } else { &[] });
            if measured {
                lines = runs.told(key, &setup);
            }
        }
        let kept = Kept {
            progress,
            records: &*runs,
        };
        let env = self.env(&key.setup, &kept)?;
        let judgement = match grade(&typed, key, &env) {
            Ok(judgement) => judgement,
            Err(e) => match exercise.without_answer(key, &env) {
                Some(message) => Judgement::of(&typed, Verdict::Unread { column: 1, message }),
                None => return Err(Trouble::Content(format!("{}: {e}", key.name.text))),
            },
        };
        let solved = |other: &str| self.progress().key(&exercise.id, other).solved;
        let judgement = exercise.elsewhere(judgement, key, &env, solved);
        Ok(Graded {
            key,
            tried: judgement.typed.clone(),
            judgement,
            lines,
        })
    }
}
