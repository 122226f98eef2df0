//! Runs of earlier times: kept, taken up again, told apart where another build or another
//! device made them.

use super::{KEPT, Measured, Runs, Ticket};
use crate::keep::Run;
use crate::machine::Machine;
use crate::setup::Setup;
use plan::fusion::Cut;
use plan::run::BackendKind;
use study::timing;

/// Jobs of earlier times are numbered from here: never like one of this time.
const EARLIER: Ticket = 1 << 62;

impl Runs {
    /// The runs of the newest job, as they are kept.
    pub(crate) fn newest(&self) -> Vec<Run> {
        let job = self.measured.last().map(|m| m.job);
        let of_it = self.measured.iter().filter(|m| Some(m.job) == job);
        of_it.map(Measured::kept).collect()
    }

    /// Runs of earlier times come before those of this one.
    pub(crate) fn take_up(&mut self, runs: Vec<Run>, machine: &Machine) {
        let earlier = runs.into_iter().map(|run| {
            let other_device = !is_here(machine, run.backend, &run.report.device);
            Measured {
                elsewhere: match (run.build.is_empty(), other_device) {
                    (true, false) => None,
                    (false, false) => Some("another build".to_owned()),
                    (_, true) => Some(run.report.device.clone()),
                },
                backend: run.backend,
                setup: Setup::of(&run.config, run.seed),
                cut: run.config.cut,
                job: EARLIER + run.job,
                among: run.among,
                rounds: run.rounds.iter().map(|t| t.unwrap_or(f64::NAN)).collect(),
                report: run.report,
            }
        });
        let mut all: Vec<Measured> = earlier.collect();
        all.append(&mut self.measured);
        let over = all.len().saturating_sub(KEPT);
        self.measured = all.split_off(over);
    }

    /// What is said of a plan that only another build or another device has run: nothing
    /// is compared with it.
    pub fn elsewhere(&self, setup: &Setup, cut: Cut) -> Option<String> {
        let all = self.measured.iter().rev();
        let mut of_it =
            all.filter(|m| m.cut == cut && m.setup == *setup && m.backend == self.backend);
        let newest = of_it.next()?;
        let other = newest.elsewhere.as_ref()?;
        let time = newest.report.time_us.as_ref()?;
        of_it.all(|m| m.elsewhere.is_some()).then(|| {
            format!(
                "{}: {}, of {other}; it is not compared.",
                cut.title(),
                timing::time(time)
            )
        })
    }
}

/// Whether a run's device is that of its backend here.
fn is_here(machine: &Machine, backend: BackendKind, device: &str) -> bool {
    let name = |line: &str| line.split(',').next().unwrap_or_default().trim().to_owned();
    let mut all = machine.backends.iter();
    all.find(|b| b.name == backend.name())
        .is_some_and(|b| match backend {
            // It has no clock, and counts the same on every machine.
            BackendKind::Simt => true,
            _ if b.line == device => true,
            gpu => gpu.is_gpu() && !name(device).is_empty() && name(&b.line) == name(device),
        })
}

impl Measured {
    fn kept(&self) -> Run {
        let mut report = self.report.clone();
        // What was counted line by line belongs to the sources of this build.
        for kernel in &mut report.kernels {
            kernel.lines.clear();
        }
        let known = |time: &f64| Some(*time).filter(|t| t.is_finite());
        Run {
            build: String::new(),
            backend: self.backend,
            config: self.setup.config(self.cut),
            seed: self.setup.seed,
            job: self.job,
            among: self.among,
            rounds: self.rounds.iter().map(known).collect(),
            report,
        }
    }
}
