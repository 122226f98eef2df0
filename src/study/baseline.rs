//! Cases of a suite as they were timed: what a baseline file holds, and a later run is
//! compared with.

use plan::run::Request;
use serde::{Deserialize, Serialize};

use crate::timing::Timed;

/// A case of a suite, with what was measured of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Model, shape, element type, plan.
    pub name: String,
    /// How it was run.
    pub request: Request,
    /// Microseconds, round by round; null where a round gave no time.
    pub rounds: Vec<Option<f64>>,
    /// Bytes that were held, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<u64>,
    /// The largest error against fp64, relative; where it was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

impl Case {
    /// What was measured of a case.
    pub fn of(name: String, request: Request, timed: &Timed) -> Self {
        let finite = |time: &f64| Some(*time).filter(|t| t.is_finite());
        let check = timed.report.check.as_ref();
        Self {
            name,
            request,
            rounds: timed.rounds.iter().map(finite).collect(),
            held: timed.report.held_bytes,
            error: check.map(|c| c.rel_error).filter(|e| e.is_finite()),
        }
    }

    /// The times that were taken.
    pub fn times(&self) -> Vec<f64> {
        self.rounds.iter().flatten().copied().collect()
    }
}
