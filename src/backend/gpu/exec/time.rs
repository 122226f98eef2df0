//! Warm-up and timed forwards: the launches one after another, or a graph of
//! them that is replayed. The clock is the device's, around the whole forward.

use super::bind::Bound;
use super::stream::{Launched, forward};
use crate::gpu::driver::{Driver, GpuError, GraphId, Mark};
use plan::run::{Observer, Phase, Progress, Request, RunError, Timing};

/// What the timed runs found out.
pub(super) struct Timed {
    /// Launches of one forward.
    pub launched: Launched,
    /// The times; `None` without timed runs or without a clock.
    pub timing: Option<Timing>,
}

/// Forwards that are not timed, then forwards that are.
///
/// # Errors
/// A launch that fails; a stop, with how many runs were done.
pub(super) fn run(
    driver: &mut impl Driver,
    bound: &Bound,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Option<Timed>, RunError> {
    let total = request.runs;
    if !driver.has_clock() {
        return Ok(None);
    }
    let mut launched = None;
    for done in 0..request.warm_up {
        observer.progress(Progress::new(Phase::WarmUp, done, request.warm_up));
        launched = Some(forward(driver, bound, observer).map_err(|e| e.after(0, total))?);
    }
    driver.synchronize()?;
    if total == 0 {
        return Ok(launched.map(|launched| Timed {
            launched,
            timing: None,
        }));
    }
    let graph = match request.graph {
        true => Some(record(driver, bound)?),
        false => None,
    };
    if let Some((graph, _)) = graph {
        // The first replay moves the graph to the device.
        driver.replay(graph)?;
        driver.synchronize()?;
    }
    let mut times = Vec::with_capacity(total as usize);
    for done in 0..total {
        observer.progress(Progress::new(Phase::Timing, done, total));
        if observer.cancelled() {
            return Err(RunError::cancelled(done, total));
        }
        let from = driver.mark()?;
        let now = match graph {
            Some((graph, launched)) => {
                driver.replay(graph)?;
                launched
            }
            None => forward(driver, bound, observer).map_err(|e| e.after(done, total))?,
        };
        let to = driver.mark()?;
        driver.synchronize()?;
        launched = Some(now);
        match (from, to) {
            (Some(from), Some(to)) => times.push(between(driver, from, to)?),
            // A device without a clock is not made to run for nothing.
            _ => break,
        }
    }
    let what = match request.graph {
        true => "each replay of a graph of the forward's launches",
        false => "each forward's launches",
    };
    let how = format!(
        "device events around {what}, after {} warm-up runs",
        request.warm_up
    );
    Ok(launched.map(|launched| Timed {
        launched,
        timing: Timing::of(&times, how),
    }))
}

fn between(driver: &mut impl Driver, from: Mark, to: Mark) -> Result<f64, GpuError> {
    driver.elapsed_us(from, to)
}

/// Records one forward instead of running it.
fn record<D: Driver>(driver: &mut D, bound: &Bound) -> Result<(GraphId, Launched), GpuError> {
    driver.begin_graph()?;
    let mut launched = Launched::default();
    let mut started = Ok(());
    for (step, named) in bound.steps.iter().zip(&bound.program.steps) {
        started = launched.start(driver, step, named.name());
        if started.is_err() {
            break;
        }
    }
    // Recording ends whatever happened, so that the stream works again.
    let graph = driver.end_graph();
    started?;
    Ok((graph?, launched))
}
