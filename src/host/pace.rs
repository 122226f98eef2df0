//! What a sweep would take, before it is made.

use std::time::Instant;

use backend::engine::Engine;
use plan::cost::price;
use plan::run::{BackendKind, Observer, Request, RunError, RunErrorKind};
use plan::units::{Quantity, format};
use study::catalogue::Study;

/// What one run took: once, and all that is around it.
struct Pace {
    flops: f64,
    once: f64,
    around: f64,
}

impl Pace {
    /// Of one run; `None` where it cannot be made.
    ///
    /// # Errors
    /// Somebody stopped it.
    fn of(
        request: &Request,
        engine: &mut Engine,
        watch: &dyn Observer,
    ) -> Result<Option<Self>, RunError> {
        let probe = Request {
            runs: 1,
            warm_up: 1,
            ..request.clone()
        };
        let begun = Instant::now();
        let report = match engine.run(&probe, None, watch) {
            Ok(report) => report,
            // Whatever it is, the sweep says it in its place; a stop ends it here.
            Err(e) if e.kind == RunErrorKind::Cancelled => return Err(e),
            Err(_) => return Ok(None),
        };
        let whole = begun.elapsed().as_secs_f64();
        let once = report.time_us.map_or(whole, |t| t.median * 1e-6);
        Ok(Some(Self {
            flops: flops(request),
            once,
            around: (whole - 2.0 * once).max(0.0),
        }))
    }

    /// What a request takes: in proportion to its FLOPs, or along the line through this
    /// and a larger one.
    fn expected(&self, larger: Option<&Self>, request: &Request) -> f64 {
        let share = flops(request) / self.flops;
        let [once, around] = match larger {
            None => [self.once * share, self.around * share],
            Some(large) => {
                let along = (flops(request) - self.flops) / (large.flops - self.flops).max(1.0);
                let line = |a: f64, b: f64| a + (b - a) * along;
                [line(self.once, large.once), line(self.around, large.around)]
            }
        };
        // What is not checked is made ready as long in every round.
        let rounds = if request.check {
            1.0
        } else {
            f64::from(request.runs) / 2.0
        };
        let runs = 1.5 * f64::from(request.runs) + f64::from(request.warm_up);
        once * runs + around * rounds.max(1.0)
    }
}

fn flops(request: &Request) -> f64 {
    price(&request.config).map_or(f64::MAX, |c| c.forward.flops.max(1) as f64)
}

/// Refuses a sweep that would take longer than its budget, at the pace of its smallest
/// run on this machine, and of its largest where that is made in a moment.
pub(crate) fn affordable(
    study: &dyn Study,
    requests: &[Request],
    budget: f64,
    engine: &mut Engine,
    watch: &dyn Observer,
) -> Result<(), RunError> {
    let by_flops = |a: &&Request, b: &&Request| flops(a).total_cmp(&flops(b));
    let (Some(smallest), Some(largest)) = (
        requests.iter().min_by(by_flops),
        requests.iter().max_by(by_flops),
    ) else {
        return Ok(());
    };
    // The SIMT machine has no clock, and takes minutes for what the others do at once.
    if smallest.backend == BackendKind::Simt {
        return Ok(());
    }
    let Some(pace) = Pace::of(smallest, engine, watch)? else {
        return Ok(());
    };
    let all =
        |larger: Option<&Pace>| -> f64 { requests.iter().map(|r| pace.expected(larger, r)).sum() };
    let mut expected = all(None);
    // Small runs keep a machine less busy: by their pace large ones seem longer than they are.
    let once = pace.expected(None, largest) / (1.5 * f64::from(largest.runs.max(1)));
    if expected > budget && flops(largest) > pace.flops && once < budget / 10.0 {
        let large = Pace::of(largest, engine, watch)?;
        expected = all(large.as_ref());
    }
    if expected <= budget {
        return Ok(());
    }
    let seconds = |s: f64| format(&Quantity::seconds(s));
    Err(RunError::bad_request(format!(
        "study {} would take about {} here ({} runs at the pace of its smallest), more than {}; take {}, or --budget {} (minutes)",
        study.definition().name,
        seconds(expected),
        requests.iter().map(|r| u64::from(r.runs)).sum::<u64>(),
        seconds(budget),
        study.smaller(),
        (expected / 60.0 * 1.5).ceil()
    )))
}
