//! A forward whose every tensor in memory is compared with the reference.

use std::collections::HashMap;

use super::bind::Bound;
use super::read;
use super::ready::Ready;
use super::stream::Launched;
use crate::check::{Judge, Verdict};
use crate::gpu::driver::Driver;
use crate::gpu::program::Step;
use plan::model::TensorId;
use plan::run::{Observer, Phase, Progress, RunError};

/// The tensors that a forward left in memory, in the graph's order of elements.
pub(super) type Tensors = HashMap<TensorId, Vec<f32>>;

/// Runs a forward on poisoned memory and reads each tensor right after the
/// launch that writes it, as the next block uses its memory again. `after` may
/// ask the device about each launch.
///
/// # Errors
/// A launch or copy that fails, a stop.
pub(super) fn forward<D: Driver>(
    driver: &mut D,
    bound: &Bound,
    after: &mut dyn FnMut(&mut D, &Step),
    observer: &dyn Observer,
) -> Result<(Launched, Tensors), RunError> {
    bound.poison(driver)?;
    let mut launched = Launched::default();
    let mut tensors = Tensors::new();
    for given in &bound.program.given {
        let values = read::tensor(driver, &bound.places, given, bound.dtype)?;
        tensors.insert(given.tensor, values);
    }
    let total = bound.steps.len() as u32;
    for (done, (step, named)) in (0..).zip(bound.steps.iter().zip(&bound.program.steps)) {
        observer.progress(Progress::new(Phase::Check, done, total).about(named.name()));
        if observer.cancelled() {
            driver.synchronize()?;
            return Err(RunError::cancelled(0, 0));
        }
        launched.watched(driver, step, named.name(), observer)?;
        driver
            .synchronize()
            .map_err(|e| e.in_kernel(named.name()))?;
        after(driver, named);
        for written in named.written() {
            let values = read::tensor(driver, &bound.places, written, bound.dtype)
                .map_err(|e| e.in_kernel(named.name()))?;
            tensors.insert(written.tensor, values);
        }
    }
    Ok((launched, tensors))
}

/// The verdict on what a forward left in memory.
///
/// # Errors
/// Tensors that cannot be judged, a stop.
pub(super) fn judge(
    judge: &mut Judge,
    ready: &Ready<'_>,
    tensors: &Tensors,
    observer: &dyn Observer,
) -> Result<Verdict, RunError> {
    let verdict = judge.check(
        &ready.kept.weights,
        &ready.tokens,
        ready.planned.cost.config.shape,
        |id| tensors.get(&id).map(Vec::as_slice),
        |done, total| {
            observer.progress(Progress::new(Phase::Check, done, total));
            !observer.cancelled()
        },
    );
    verdict.map_err(|e| match observer.cancelled() {
        true => RunError::cancelled(0, 0),
        false => RunError::failed(e.to_string()),
    })
}
