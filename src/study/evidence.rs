//! What a study asks of a machine, and what came of it.

use std::collections::BTreeMap;

use crate::timing::{Agreed, Rounds, Timed};
use plan::run::{
    BackendKind, HostReport, HostRequest, MemoryReport, MemoryRequest, MicroReport, MicroRequest,
    Request, RunError, Troubles,
};

/// Everything that one study asks of a machine. Where the model says all, nothing is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Asks {
    /// Runs that are made in turns.
    pub runs: Vec<Request>,
    /// Microbenchmarks, one after another.
    pub sweeps: Vec<MicroRequest>,
    /// What memory does at which working set.
    pub memory: Option<MemoryRequest>,
    /// What copies between host and device cost, case by case.
    pub host: Vec<HostRequest>,
    /// Defective kernels, by name.
    pub mutants: Vec<String>,
    /// The troubles of this GPU that only a clock shows.
    pub troubles: Option<BackendKind>,
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
        *self == Self::default()
    }
}

/// What came of what was asked, all or some of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// The runs, where some were asked for.
    pub rounds: Option<Rounds>,
    /// The microbenchmarks that were made, in the order in which they were asked for.
    pub sweeps: Vec<Result<MicroReport, RunError>>,
    /// What memory does, where it was asked for.
    pub memory: Option<Result<MemoryReport, RunError>>,
    /// The cases of copies that were made, in the order in which they were asked for.
    pub host: Vec<Result<HostReport, RunError>>,
    /// What defective kernels yield; one that cannot be run is not among them.
    pub mutants: BTreeMap<String, f64>,
    /// The troubles of a GPU, where they were asked for.
    pub troubles: Option<Result<Troubles, RunError>>,
    /// The roofs, where they were asked for.
    pub roofs: Option<Result<Roofs, RunError>>,
    /// Whether some of it was measured once more.
    pub again: bool,
}

impl Evidence {
    /// Takes what was measured once more: of each figure the quicker one, since what disturbs
    /// a measurement makes it slower, never faster.
    pub fn take_again(&mut self, more: Self) {
        self.again = true;
        if let (Some(Ok(report)), Some(Ok(second))) = (&mut self.memory, more.memory) {
            for new in second.rows {
                if let Some(old) = report.rows.iter_mut().find(|r| r.bytes == new.bytes) {
                    old.take_better(new);
                }
            }
        }
        match (&mut self.roofs, more.roofs) {
            (Some(Ok(roofs)), Some(Ok(second))) => roofs.take_better(&second),
            (Some(roofs @ Err(_)), Some(second)) => *roofs = second,
            _ => {}
        }
    }

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
        let memory = || Some(self.memory.as_ref()?.as_ref().ok()?.device.clone());
        let host = || {
            self.host
                .iter()
                .find_map(|h| Some(h.as_ref().ok()?.device.clone()))
        };
        let troubles = || Some(self.troubles.as_ref()?.as_ref().ok()?.device.clone());
        let roofs = || Some(self.roofs.as_ref()?.as_ref().ok()?.of.clone());
        ran.or_else(swept)
            .or_else(memory)
            .or_else(host)
            .or_else(troubles)
            .or_else(roofs)
    }

    /// Whether any part of it worked.
    pub fn is_something(&self) -> bool {
        self.device().is_some() || !self.mutants.is_empty()
    }

    /// Why the first part that failed did.
    pub fn failure(&self) -> Option<RunError> {
        let ran = self.runs().find_map(Result::err);
        let swept = || self.sweeps.iter().find_map(|s| s.as_ref().err().cloned());
        let memory = || self.memory.as_ref()?.as_ref().err().cloned();
        let host = || self.host.iter().find_map(|h| h.as_ref().err().cloned());
        let troubles = || self.troubles.as_ref()?.as_ref().err().cloned();
        let roofs = || self.roofs.as_ref()?.as_ref().err().cloned();
        ran.or_else(swept)
            .or_else(memory)
            .or_else(host)
            .or_else(troubles)
            .or_else(roofs)
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
    /// Bytes per second of a sum that no cache holds, where that was measured.
    pub read: Option<Agreed>,
    /// Seconds from a launch to the next, back to back; the median.
    pub launch: Option<f64>,
    /// Seconds of a wait of all blocks for one another; the median.
    pub barrier: Option<f64>,
    /// What else is to be known of the figures.
    pub notes: Vec<String>,
}

impl Roofs {
    /// Takes the higher one of each roof.
    fn take_better(&mut self, other: &Self) {
        let higher = |a: Agreed, b: Agreed| if b.rate > a.rate { b } else { a };
        self.bandwidth = higher(self.bandwidth, other.bandwidth);
        self.fp32 = higher(self.fp32, other.fp32);
        self.matrix16 = match (self.matrix16, other.matrix16) {
            (Some(a), Some(b)) => Some(higher(a, b)),
            (a, b) => a.or(b),
        };
    }

    /// What beside the roofs was measured, in a line; nothing where nothing was.
    pub fn beside(&self) -> Option<String> {
        let us = |what: &str, seconds: f64| format!("{what} {:.2} µs", 1e6 * seconds);
        let parts = [
            self.read.map(|r| format!("read {:.0} GB/s", 1e-9 * r.rate)),
            self.launch.map(|s| us("a launch behind another", s)),
            self.barrier.map(|s| us("a barrier of the whole grid", s)),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("measured @ on {}: {}", self.of, parts.join(", ")))
    }
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
            read: None,
            launch: Some(2e-6),
            barrier: None,
            notes: Vec::new(),
        };
        let beside = "measured @ on this CPU: a launch behind another 2.00 µs";
        assert_eq!(roofs.beside().as_deref(), Some(beside));
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
