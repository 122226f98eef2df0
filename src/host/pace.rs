//! What a sweep would take, before it is made.

use std::time::Instant;

use crate::machine::chosen;
use backend::cpu::{Rates, Threads};
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
            trace: false,
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

    /// What a request takes: what the smallest does, and as much more of this as it has
    /// of its FLOPs.
    fn expected(&self, smallest: &Self, request: &Request) -> f64 {
        let share = flops(request) / self.flops;
        // Making ready takes what weights do, a check what FLOPs do.
        let around = match request.check {
            true => self.around * share,
            false => self.around * share.min(LARGER),
        };
        // What is not checked is made ready as long in every round.
        let rounds = match request.check {
            true => 1.0,
            false => (f64::from(request.runs) / 2.0).max(1.0),
        };
        let runs = 1.5 * f64::from(request.runs) + f64::from(request.warm_up);
        (smallest.once + self.once * share) * runs + around * rounds
    }
}

/// How many times as large the next run is that is tried.
const LARGER: f64 = 64.0;

fn flops(request: &Request) -> f64 {
    price(&request.config).map_or(f64::MAX, |c| c.forward.flops.max(1) as f64)
}

/// Refuses a sweep that would take longer than its budget, at the pace of its smallest
/// run on this machine. By that pace large runs seem longer than they are, since small ones
/// keep a machine less busy: where it says no, larger ones are tried, step by step, as long
/// as trying takes little of the budget.
pub(crate) fn affordable(
    study: &dyn Study,
    requests: &[Request],
    budget: f64,
    engine: &mut Engine,
    watch: &dyn Observer,
) -> Result<(), RunError> {
    let mut order: Vec<&Request> = requests.iter().collect();
    order.sort_by(|a, b| flops(a).total_cmp(&flops(b)));
    let Some(first) = order.first() else {
        return Ok(());
    };
    // The SIMT machine has no clock, and takes minutes for what the others do at once.
    if first.backend == BackendKind::Simt {
        return Ok(());
    }
    if let Some(seconds) = at_least(requests, first, budget) {
        let how = "by the roof of its products alone; nothing was run";
        return Err(refused(study, seconds, budget, how));
    }
    let Some(mut smallest) = Pace::of(first, engine, watch)? else {
        return Ok(());
    };
    let all = |pace: &Pace, smallest: &Pace| -> f64 {
        requests.iter().map(|r| pace.expected(smallest, r)).sum()
    };
    let mut expected = all(&smallest, &smallest);
    if expected > budget
        && let Some(again) = Pace::of(first, engine, watch)?
    {
        // The first run of all started the device and compiled its kernels.
        smallest = again;
        expected = all(&smallest, &smallest);
    }
    let mut tried = smallest.flops;
    let mut once = smallest.once + smallest.around;
    while expected > budget {
        let fits = |r: &&&Request| flops(r) > tried && flops(r) <= LARGER * tried;
        let Some(next) = order.iter().rev().find(fits) else {
            break;
        };
        if once * flops(next) / tried > budget / 20.0 {
            break;
        }
        let Some(pace) = Pace::of(next, engine, watch)? else {
            break;
        };
        (tried, once) = (pace.flops, pace.once + pace.around);
        expected = all(&pace, &smallest);
    }
    if expected <= budget {
        return Ok(());
    }
    let runs = requests.iter().map(|r| u64::from(r.runs)).sum::<u64>();
    let how = format!("{runs} runs at the pace of those that were tried");
    Err(refused(study, expected, budget, &how))
}

/// That a study would take so many seconds, and how to ask for less.
fn refused(study: &dyn Study, expected: f64, budget: f64, how: &str) -> RunError {
    let seconds = |s: f64| format(&Quantity::seconds(s));
    RunError::bad_request(format!(
        "study {} would take about {} here ({how}), more than {}; take {}, or --budget {} (minutes)",
        study.definition().name,
        seconds(expected),
        seconds(budget),
        study.smaller(),
        (expected / 60.0 * 1.5).ceil()
    ))
}

/// FLOPs from which on a CPU takes so long that its roof is measured before one run is tried.
const LARGE: f64 = 2e11;

/// Seconds that a sweep takes at least on this CPU, by the roof of its products, where that
/// is more than its budget: a second is measured in place of minutes of a run. `None`
/// otherwise, and where even the smallest run is soon made.
fn at_least(requests: &[Request], smallest: &Request, budget: f64) -> Option<f64> {
    if flops(smallest) < LARGE || chosen(smallest.backend) != BackendKind::Cpu {
        return None;
    }
    let rates = Rates::measure(&Threads::new(smallest.threads)).ok()?;
    let roof = rates.product.into_iter().fold(0.0, f64::max);
    let seconds = floor(requests, roof);
    (seconds > budget).then_some(seconds)
}

/// Seconds of all runs of these requests that a rate of FLOPs asks for.
fn floor(requests: &[Request], roof: f64) -> f64 {
    let each = |r: &Request| flops(r) * f64::from(r.runs.max(1)) / roof;
    requests.iter().map(each).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::cost::Config;
    use plan::fusion::Version;

    #[test]
    fn all_runs_of_all_requests_stand_under_the_roof() {
        let mut request = Request::new(Config::preset("workshop", Version::V1.cut()).unwrap());
        request.runs = 30;
        let once = flops(&request);
        // 743 MFLOP, 30 and then 60 runs at 1 GFLOP/s.
        assert!((once / 743e6 - 1.0).abs() < 0.01, "{once}");
        let twice = [request.clone(), request.clone()];
        assert!((floor(&twice, 1e9) - 60.0 * once * 1e-9).abs() < 1e-9);
        // What is soon made is tried, whatever the budget.
        assert_eq!(at_least(&twice, &request, 0.0), None);
    }
}
