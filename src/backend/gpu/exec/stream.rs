//! The launch wrapper: the only place that starts a kernel, and where launches
//! are counted.

use super::bind::{Bound, BoundStep};
use crate::gpu::driver::{Call, Driver, GpuError};
use plan::run::{LaunchReport, Observer, RunError};

/// Launches of one forward so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Launched {
    /// Kernels of ours.
    pub own: u64,
    /// Kernels of a library.
    pub library: u64,
}

impl From<Launched> for LaunchReport {
    fn from(l: Launched) -> Self {
        Self {
            counted: l.own,
            library: l.library,
        }
    }
}

impl Launched {
    /// Starts one step.
    ///
    /// # Errors
    /// A launch that the device refuses, with the kernel's name.
    pub fn start(
        &mut self,
        driver: &mut impl Driver,
        step: &BoundStep,
        name: &str,
    ) -> Result<(), GpuError> {
        self.start_until(driver, step, name, &|| false)
    }

    /// The same, watched: a launch that runs here ends when the observer says so.
    ///
    /// # Errors
    /// A launch that the device refuses, a stop.
    pub fn watched(
        &mut self,
        driver: &mut impl Driver,
        step: &BoundStep,
        name: &str,
        observer: &dyn Observer,
    ) -> Result<(), RunError> {
        self.start_until(driver, step, name, &|| observer.cancelled())
            .map_err(|error| match observer.cancelled() {
                true => RunError::cancelled(0, 0),
                false => error.into(),
            })
    }

    fn start_until(
        &mut self,
        driver: &mut impl Driver,
        step: &BoundStep,
        name: &str,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), GpuError> {
        driver.named(Some(name));
        let started = match step {
            BoundStep::Own(launch) => {
                self.own += 1;
                let call = Call {
                    function: launch.function,
                    grid: launch.grid,
                    threads: launch.threads,
                    shared: launch.shared,
                    cooperative: launch.cooperative,
                    overlap: launch.overlap,
                    parameters: &launch.parameters,
                };
                driver.launch_until(&call, stop)
            }
            BoundStep::Library(gemm) => driver.library_gemm(gemm).map(|launches| {
                self.library += u64::from(launches);
            }),
        };
        driver.named(None);
        started.map_err(|e| e.in_kernel(name))
    }
}

/// Hands in a whole forward; `observer` may stop it between two launches.
///
/// # Errors
/// A launch that is refused, a stop.
pub(super) fn forward(
    driver: &mut impl Driver,
    bound: &Bound,
    observer: &dyn Observer,
) -> Result<Launched, RunError> {
    driver.named(Some("forward"));
    let launched = launches(driver, bound, observer);
    driver.named(None);
    launched
}

fn launches(
    driver: &mut impl Driver,
    bound: &Bound,
    observer: &dyn Observer,
) -> Result<Launched, RunError> {
    let mut launched = Launched::default();
    for (step, named) in bound.steps.iter().zip(&bound.program.steps) {
        if observer.cancelled() {
            driver.synchronize()?;
            return Err(RunError::cancelled(0, 0));
        }
        launched.watched(driver, step, named.name(), observer)?;
    }
    Ok(launched)
}
