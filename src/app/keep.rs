//! What outlives the program beside sheets and progress: the plan of the lab, those before it
//! and its setup, the backend that was picked, roofs that were measured here, runs with their
//! history; the learner's own point, what is typed in place of a right answer, and practice.
//! Plain data; the outside reads and writes it.

use super::machine::Ceilings;
use plan::cost::Config;
use plan::fusion::Cut;
use plan::run::{BackendKind, Report};
use serde::{Deserialize, Serialize};

/// The plan on the bench, its setup, the backend and the roofs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lab {
    /// Model, shape, element type, conventions and the plan.
    pub config: Config,
    /// Seed of weights and tokens.
    pub seed: u64,
    /// The plans before it, the newest last, which can be had back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo: Vec<Cut>,
    /// The learner's own point on the roofline, FLOP/B.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<f64>,
    /// Lesson and section of the path that were left before their end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<(String, String)>,
    /// A change to a right answer that has no verdict yet: the answer itself stays in its
    /// sheet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// Practice, where it was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub practice: Option<Practice>,
    /// The backend that the learner picked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// Roofs that were measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roofs: Vec<Roof>,
}

/// What is typed in place of a right answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Id of the exercise.
    pub exercise: String,
    /// Name of the question.
    pub key: String,
    /// As typed.
    pub typed: String,
}

/// Practice as it was left: the tally, and the questions that wait for their answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Practice {
    /// The topic.
    pub topic: String,
    /// Questions asked, and those right at the first answer.
    pub tally: (u64, u64),
    /// What waits, at most one of a topic.
    pub open: Vec<Waits>,
}

/// A question of practice that waits: pattern and seed make it anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waits {
    /// Its topic.
    pub topic: String,
    /// Its pattern.
    pub pattern: String,
    /// From which it was drawn.
    pub seed: u64,
    /// What is typed.
    pub typed: String,
    /// Its hint was asked for.
    pub hinted: bool,
    /// No answer was wrong so far.
    pub first: bool,
}

/// A roof that was measured on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roof {
    /// The backend.
    pub backend: String,
    /// Its device in a line.
    pub device: String,
    /// The ceilings.
    pub ceilings: Ceilings,
}

/// A run of a plan as it is kept: those of one job were timed in turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The build that made it; empty: this one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build: String,
    /// Who ran it.
    pub backend: BackendKind,
    /// What was run.
    pub config: Config,
    /// Seed of weights and tokens.
    pub seed: u64,
    /// The number of its job.
    pub job: u64,
    /// Plans of the job.
    pub among: usize,
    /// Microseconds, round by round; none where a round was stopped before it.
    pub rounds: Vec<Option<f64>>,
    /// What the machine answered.
    pub report: Report,
}

/// What was kept the last time.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Kept {
    /// The lab; none: the first time, or it was set aside.
    pub lab: Option<Lab>,
    /// Runs, the newest last.
    pub runs: Vec<Run>,
    /// What could not be read, in sentences.
    pub notes: Vec<String>,
}

/// What is remembered of keeping.
#[derive(Clone, Debug, Default)]
pub struct Keeping {
    /// The command line asked for a setup: what was kept does not take its place.
    pub asked_for: bool,
    /// It waits until the machine is known.
    pub(super) waits: Option<Kept>,
    /// The lab as it opened.
    pub(super) opened: Option<Lab>,
    /// Roofs of devices that are not here now.
    pub(super) elsewhere: Vec<Roof>,
    /// What lies outside as far as is known; none: what was kept has not come yet, and
    /// nothing is written.
    pub(super) last: Option<Lab>,
}

impl Keeping {
    /// What is kept now.
    pub fn last(&self) -> Option<&Lab> {
        self.last.as_ref()
    }

    /// The lab, where it has to be written.
    pub(super) fn changed(&mut self, now: Lab) -> Option<Lab> {
        if self.waits.is_some() || self.last.as_ref().is_none_or(|last| *last == now) {
            return None;
        }
        self.last = Some(now.clone());
        Some(now)
    }
}
