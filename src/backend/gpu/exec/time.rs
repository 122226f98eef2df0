//! A timed forward: the launches one after another, or a graph of them that is
//! replayed. The clock is the device's, around the whole forward.

use super::bind::Bound;
use super::stream::{Launched, forward};
use crate::gpu::driver::{Driver, GpuError, GraphId};
use plan::run::{Observer, RunError};

/// A forward that was recorded, and its launches.
pub(super) type Recorded = (GraphId, Launched);

/// One forward and its microseconds on the device, where that has a clock.
///
/// # Errors
/// A launch that fails, a stop.
pub(super) fn timed<D: Driver>(
    driver: &mut D,
    bound: &Bound,
    recorded: Option<Recorded>,
    observer: &dyn Observer,
) -> Result<(Launched, Option<f64>), RunError> {
    let from = driver.mark()?;
    let launched = match recorded {
        Some((graph, launched)) => {
            driver.replay(graph)?;
            launched
        }
        None => forward(driver, bound, observer)?,
    };
    let to = driver.mark()?;
    driver.synchronize()?;
    let us = match from.zip(to) {
        Some((from, to)) => Some(driver.elapsed_us(from, to)?),
        None => None,
    };
    Ok((launched, us))
}

/// Records one forward instead of running it, then replays it once: the first replay
/// moves the graph to the device.
///
/// # Errors
/// A launch that is refused, a device without graphs.
pub(super) fn record<D: Driver>(driver: &mut D, bound: &Bound) -> Result<Recorded, GpuError> {
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
    let graph = graph?;
    driver.replay(graph)?;
    driver.synchronize()?;
    Ok((graph, launched))
}
