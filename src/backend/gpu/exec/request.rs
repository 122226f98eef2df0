//! A request on a device: what the way that every backend goes
//! ([`crate::measure`]) needs of it.

use super::bind::Bound;
use super::count::Counting;
use super::memory::{Kept, RunMemory};
use super::ready::Ready;
use super::stream::Launched;
use super::time::Recorded;
use super::{Gpu, check, read, sample, stream, time};
use crate::check::wrong;
use crate::cpu::{Allocation, Role};
use crate::gpu::driver::{Driver, GpuError};
use crate::gpu::program::Step;
use crate::measure::{Checked, Counted, Forward, Outcome, measure};
use crate::reference::affordable;
use plan::cost::Planned;
use plan::run::{
    BackendKind, CheckReport, LaunchReport, Observer, Request, RunError, TraceReport, WrongReport,
};

/// A program in memory, and the request that it serves.
struct Asked<'r, D> {
    gpu: &'r mut Gpu<D>,
    memory: &'r mut RunMemory,
    ready: Ready<'r>,
    request: &'r Request,
    /// What the device counted by itself while the forward was checked.
    in_passing: Option<Counted>,
    /// The graph that the timed runs replay.
    recorded: Option<Recorded>,
}

impl<D: Driver> Gpu<D> {
    /// Runs `request`: puts weights and kernels on the device, fills the cache
    /// where there is a past, checks the outputs against the fp64 reference
    /// (where it is asked for and affordable), then times and counts. `backend`
    /// is the name that the report bears.
    ///
    /// # Errors
    /// A request that cannot be, something that this machine lacks, a launch
    /// that fails, a stop by the observer.
    pub fn run(
        &mut self,
        backend: BackendKind,
        request: &Request,
        observer: &dyn Observer,
    ) -> Result<Outcome, RunError> {
        self.with_ready(
            request,
            |_| {},
            observer,
            |gpu, memory, ready| {
                gpu.driver.look_for_races(request.races);
                gpu.driver.estimate_behind(request.behind);
                let mut asked = Asked {
                    gpu,
                    memory,
                    ready,
                    request,
                    in_passing: None,
                    recorded: None,
                };
                measure(backend, request, observer, &mut asked)
            },
        )
    }

    /// The logits of the last forward.
    pub(super) fn logits(&mut self, bound: &Bound) -> Result<Vec<f32>, GpuError> {
        let buffer = bound.program.logits;
        let written = bound.program.steps.iter().rev();
        let written = written
            .flat_map(|s| s.written())
            .find(|w| w.buffer == buffer)
            .ok_or_else(|| {
                GpuError::failed("no kernel writes the logits; this is a defect of this program")
            })?;
        read::tensor(&mut self.driver, &bound.places, written, bound.dtype)
    }
}

impl<D: Driver> Forward for Asked<'_, D> {
    fn planned(&self) -> &Planned {
        &self.ready.planned
    }

    fn device(&self) -> String {
        self.gpu.driver.describe()
    }

    fn notes(&self) -> Vec<String> {
        self.ready.bound.program.notes.clone()
    }

    /// Every tensor, or sampled rows of a large model.
    fn check(&mut self, observer: &dyn Observer) -> Result<Checked, RunError> {
        let (driver, ready) = (&mut self.gpu.driver, &self.ready);
        let config = &ready.planned.cost.config;
        if affordable(&config.model, &config.shape).is_err() {
            let (launched, report) = sample::forward(driver, ready, observer)?;
            return Ok(Checked::Done(launched.into(), report));
        }
        // A device that counts by itself does it in passing; what it moved before is
        // not this forward's.
        let in_passing = self.request.count_bytes && driver.traffic().is_some();
        let mut counting = Counting::new(ready, self.request.count_lines);
        let mut after = |driver: &mut D, step: &Step| {
            if in_passing {
                counting.take(driver, step);
            }
        };
        let (launched, tensors) = check::forward(driver, &ready.bound, &mut after, observer)?;
        self.in_passing = in_passing.then(|| counting.done(None));
        let verdict = check::judge(&mut self.gpu.judge, ready, &tensors, observer)?;
        Ok(Checked::Done(launched.into(), CheckReport::from(&verdict)))
    }

    fn wrong(&self) -> Result<Vec<WrongReport>, RunError> {
        let ready = &self.ready;
        let config = &ready.planned.cost.config;
        // A model that is too large for the reference is too large for wrong ones, too.
        if affordable(&config.model, &config.shape).is_err() {
            return Ok(Vec::new());
        }
        wrong(&ready.kept.weights, &ready.tokens, config.shape)
            .map_err(|e| RunError::failed(e.to_string()))
    }

    fn forward(&mut self, observer: &dyn Observer) -> Result<LaunchReport, RunError> {
        stream::forward(&mut self.gpu.driver, &self.ready.bound, observer).map(Launched::into)
    }

    fn clock(&self) -> Option<String> {
        let what = match self.request.graph {
            true => "each replay of a graph of the forward's launches",
            false => "each forward's launches",
        };
        let has_clock = self.gpu.driver.has_clock();
        has_clock.then(|| format!("device events around {what}"))
    }

    fn warmed(&mut self, timed: bool) -> Result<(), RunError> {
        self.gpu.driver.synchronize()?;
        if timed && self.request.graph {
            self.recorded = Some(time::record(&mut self.gpu.driver, &self.ready.bound)?);
        }
        Ok(())
    }

    fn timed(&mut self, observer: &dyn Observer) -> Result<(LaunchReport, Option<f64>), RunError> {
        let (driver, bound) = (&mut self.gpu.driver, &self.ready.bound);
        let (launched, us) = time::timed(driver, bound, self.recorded, observer)?;
        Ok((launched.into(), us))
    }

    fn count(&mut self, observer: &dyn Observer) -> Result<Counted, RunError> {
        match self.in_passing.take() {
            Some(counted) => Ok(counted),
            None => {
                let lines = self.request.count_lines;
                self.gpu.count(self.memory, &self.ready, lines, observer)
            }
        }
    }

    fn traced(&mut self, observer: &dyn Observer) -> Result<Result<TraceReport, String>, RunError> {
        self.gpu.traced(self.memory, &self.ready, observer)
    }

    fn profiled(&mut self, observer: &dyn Observer) -> Result<(), RunError> {
        let driver = &mut self.gpu.driver;
        driver.synchronize()?;
        driver.profile(true)?;
        stream::forward(driver, &self.ready.bound, observer)?;
        driver.synchronize()?;
        Ok(driver.profile(false)?)
    }

    fn told(&mut self) -> Option<String> {
        self.gpu.driver.told()
    }

    fn logits(&mut self) -> Result<Vec<f32>, RunError> {
        Ok(self.gpu.logits(&self.ready.bound)?)
    }

    fn allocations(&self) -> Vec<Allocation> {
        allocations(&self.ready.bound, self.memory, self.ready.kept)
    }
}

/// Everything on the device, by name.
fn allocations(bound: &Bound, memory: &RunMemory, kept: &Kept) -> Vec<Allocation> {
    use crate::gpu::program::Contents;
    let role = |name: &str| {
        let spec = bound.program.buffers.iter().find(|b| b.name == name);
        match spec.map(|s| &s.contents) {
            Some(Contents::CacheK(_) | Contents::CacheV(_)) => Role::Cache,
            Some(Contents::Activation | Contents::Ids) => Role::Activation,
            _ => Role::Scratch,
        }
    };
    let weights = Allocation {
        name: "weights".to_owned(),
        role: Role::Weights,
        bytes: kept.bytes(&bound.program),
    };
    let rest = memory.listed.iter().map(|(name, bytes)| Allocation {
        name: name.clone(),
        role: role(name),
        bytes: *bytes,
    });
    [weights].into_iter().chain(rest).collect()
}
