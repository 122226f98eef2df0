//! The runs that a question asks for.

use backend::engine::Engine;
use backend::microbenchmark;
use backend::submission::mutant;
use course::answer::{Records, Setup};
use course::measured::Measured;
use course::{Event, Figures, Key, Ledger};
use plan::cost::Config;
use plan::model::Shape;
use plan::run::{BackendKind, Metric, MicroRequest, Report, Request, RunError, Unwatched};
use plan::units::Quantity;

/// Timed runs of a measured question, and runs before them that do not count.
const TIMED: u32 = 9;
const WARM_UP: u32 = 2;

/// Runs that were made for the answers at hand.
#[derive(Default)]
pub struct Runs {
    reports: Vec<(Config, Report)>,
    /// Times that are kept do not count: they are measured again.
    pub(crate) anew: bool,
    /// The GPU on which written kernels are run, too.
    pub(crate) on: Option<BackendKind>,
    /// Started with the first run, and kept for the next.
    engine: Option<Engine>,
}

impl Runs {
    /// None yet; `anew`: what is measured is measured again, kept or not.
    pub fn new(anew: bool) -> Self {
        Self {
            anew,
            ..Self::default()
        }
    }

    /// With written kernels on this GPU, too.
    #[must_use]
    pub fn on(mut self, gpu: Option<BackendKind>) -> Self {
        self.on = gpu;
        self
    }

    /// Makes every run that the answer and the slips of `key` ask, unless it was
    /// made already: timed where a time is asked for, checked where an error is,
    /// and narrow where launches alone are.
    ///
    /// A time that is `kept` is not measured again; what was timed here comes back
    /// as events that keep it.
    ///
    /// # Errors
    /// Why there is no report.
    pub fn make(
        &mut self,
        key: &Key,
        setup: &Setup,
        kept: &dyn Records,
    ) -> Result<Vec<Event>, RunError> {
        let mut measured = Vec::new();
        for (config, figures) in key.runs(setup) {
            let times = figures.iter().all(|figure| figure.starts_with("time."));
            if times && kept.time(&config).is_some() {
                continue;
            }
            let asks = |what: &str| figures.iter().any(|figure| figure.starts_with(what));
            let known = self.reports.iter().position(|(known, _)| *known == config);
            let lacks = |report: &Report| {
                asks("time.") && report.time_us.is_none()
                    || asks("check.") && report.check.is_none()
                    || asks("held") && report.held_bytes.is_none()
            };
            match known.and_then(|at| self.reports.get(at)) {
                Some((_, report)) if !lacks(report) => continue,
                _ => {}
            }
            let narrow = figures.iter().all(|figure| figure.starts_with("launches."));
            let timed = asks("time.");
            let request = Request {
                runs: if timed { TIMED } else { 0 },
                warm_up: if timed { WARM_UP } else { 0 },
                check: asks("check."),
                ..Request::new(if narrow {
                    narrowed(&config)
                } else {
                    config.clone()
                })
            };
            let engine = self.engine.get_or_insert_default();
            let report = engine.run(&request, None, &Unwatched)?;
            measured.extend(Measured::event(&config, &report));
            self.reports.retain(|(known, _)| *known != config);
            self.reports.push((config, report));
        }
        Ok(measured)
    }

    /// Which runs a measured answer is held against, without what they showed.
    pub(crate) fn told(&self, key: &Key, setup: &Setup) -> Vec<String> {
        let runs = key.runs(setup).into_iter();
        runs.map(|(config, figures)| {
            let plan = config.cut.title();
            let Some(report) = self.report(&config) else {
                return format!(
                    "Held against the time of {plan} that is kept; --measure takes it anew."
                );
            };
            let narrow = figures.iter().all(|figure| figure.starts_with("launches."));
            let tokens = if narrow { " for one token" } else { "" };
            format!(
                "Held against a run of {plan} on {}, made now{tokens}.",
                report.backend
            )
        })
        .collect()
    }
}

/// The same plan and the same layers for one token, two columns per head wide.
/// It starts as many kernels, and a verdict need not wait for the products.
fn narrowed(config: &Config) -> Config {
    let mut narrow = config.clone();
    narrow.model.hidden = 2 * config.model.heads;
    narrow.model.ffn = 2;
    narrow.model.vocab = 2;
    narrow.shape = Shape::prefill(1, 1);
    narrow
}

impl Records for Runs {
    fn report(&self, config: &Config) -> Option<&Report> {
        self.reports
            .iter()
            .find(|(known, _)| known == config)
            .map(|(_, report)| report)
    }

    fn recorded(&self, id: &str) -> Option<Quantity> {
        Figures::built_in().recorded(id)
    }

    /// Counts are the same every time and had in no time: they are made here.
    fn micro(&self, kernel: &str, value: u64, field: &str) -> Option<Quantity> {
        let value = u32::try_from(value).ok()?;
        let request = MicroRequest::new(kernel, &[value], BackendKind::Simt).ok()?;
        let report = microbenchmark::run(&request).ok()?;
        Metric::find(field)?.quantity(report.rows.first()?)
    }

    fn verdict(&self, id: &str) -> Result<String, String> {
        Ledger::built_in().verdict(id)
    }

    fn claims(&self, verdict: &str) -> Result<u64, String> {
        Ledger::built_in().count(verdict)
    }

    fn mutant(&self, name: &str) -> Result<f64, String> {
        mutant(name).map_err(|e| e.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::cost::price;
    use plan::fusion::{Fusion, Version};

    #[test]
    fn a_narrow_run_starts_as_many_kernels() {
        let versions = Version::ALL.into_iter().map(Version::cut);
        let fusions = Fusion::ALL.into_iter().map(|f| Version::V1.cut().fuse(f));
        for cut in versions.chain(fusions) {
            let mut config = Config::preset("workshop", cut).unwrap();
            for split in [false, true] {
                config.conventions.rope_split = split;
                let launches = |config| price(config).unwrap().forward.launches();
                assert_eq!(launches(&narrowed(&config)), launches(&config));
            }
        }
    }
}
