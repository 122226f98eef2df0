//! What a study asks of a machine, and what came of it.

use crate::timing::{Agreed, Rounds, Timed};
use plan::run::{BackendKind, MicroReport, MicroRequest, Request, RunError};

/// Everything that one study asks of a machine. Where the model says all, nothing is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Asks {
    /// Runs that are made in turns.
    pub runs: Vec<Request>,
    /// Microbenchmarks, one after another.
    pub sweeps: Vec<MicroRequest>,
    /// The roofs of this backend's device; of `auto`, of the device that ran.
    pub roofs: Option<BackendKind>,
}

impl Asks {
    /// Runs and nothing else.
    pub fn runs(runs: Vec<Request>) -> Self {
        Self {
            runs,
            ..Self::default()
        }
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.sweeps.is_empty() && self.roofs.is_none()
    }
}

/// What came of what was asked, all or some of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// The runs, where some were asked for.
    pub rounds: Option<Rounds>,
    /// The microbenchmarks that were made, in the order in which they were asked for.
    pub sweeps: Vec<Result<MicroReport, RunError>>,
    /// The roofs, where they were asked for.
    pub roofs: Option<Result<Roofs, RunError>>,
}

impl Evidence {
    /// What came of each run, in the order in which they were asked for.
    fn runs(&self) -> impl Iterator<Item = Result<Timed, RunError>> {
        let rounds = self.rounds.iter();
        rounds.flat_map(|r| (0..r.plans()).filter_map(|at| r.of(at)))
    }

    /// The backend that ran.
    pub fn backend(&self) -> Option<BackendKind> {
        let name = self
            .runs()
            .find_map(|timed| Some(timed.ok()?.report.backend))?;
        BackendKind::parse(&name).ok()
    }

    /// The device, as the first part that worked names it.
    pub fn device(&self) -> Option<String> {
        let ran = self
            .runs()
            .find_map(|timed| Some(timed.ok()?.report.device));
        let swept = || {
            self.sweeps
                .iter()
                .find_map(|s| Some(s.as_ref().ok()?.device.clone()))
        };
        let roofs = || Some(self.roofs.as_ref()?.as_ref().ok()?.of.clone());
        ran.or_else(swept).or_else(roofs)
    }

    /// Why the first part that failed did.
    pub fn failure(&self) -> Option<RunError> {
        let ran = self.runs().find_map(Result::err);
        let swept = || self.sweeps.iter().find_map(|s| s.as_ref().err().cloned());
        let roofs = || self.roofs.as_ref()?.as_ref().err().cloned();
        ran.or_else(swept).or_else(roofs)
    }
}

impl From<Rounds> for Evidence {
    fn from(rounds: Rounds) -> Self {
        Self {
            rounds: Some(rounds),
            ..Self::default()
        }
    }
}

/// What a device does at most, each figure as three measurements agree on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofs {
    /// The device.
    pub of: String,
    /// Bytes per second of a copy that no cache holds, read and written.
    pub bandwidth: Agreed,
    /// FLOP/s of fp32 products.
    pub fp32: Agreed,
    /// FLOP/s of bf16 products.
    pub matrix16: Option<Agreed>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::report;
    use plan::cost::Config;
    use plan::fusion::Cut;

    #[test]
    fn the_part_that_worked_names_the_device_and_the_first_that_did_not_the_reason() {
        let config = Config::preset("workshop", Cut::v1()).unwrap();
        let mut rounds = Rounds::new(vec![Request::new(config)], 1);
        rounds.take(Err(RunError::missing("no kernel")));
        let roofs = Roofs {
            of: "this CPU".into(),
            bandwidth: Agreed {
                rate: 2e10,
                spread: 0.01,
            },
            fp32: Agreed {
                rate: 1e11,
                spread: 0.02,
            },
            matrix16: None,
        };
        let mut found = Evidence {
            roofs: Some(Ok(roofs)),
            ..rounds.into()
        };
        assert_eq!(found.device().as_deref(), Some("this CPU"));
        assert_eq!(found.failure().unwrap().to_string(), "no kernel");
        assert_eq!(found.backend(), None);
        found.roofs = Some(Err(RunError::failed("a busy machine")));
        assert_eq!(found.device(), None);
        let mut rounds = Rounds::new(
            vec![Request::new(Config::preset("workshop", Cut::v1()).unwrap())],
            1,
        );
        rounds.take(Ok(report(&[1.0])));
        let found: Evidence = rounds.into();
        assert_eq!(found.backend().map(BackendKind::name), Some("cpu"));
        assert_eq!(found.failure(), None);
    }
}
