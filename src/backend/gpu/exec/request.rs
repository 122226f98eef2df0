//! A request from beginning to end: ready, check, clock, count.

use super::bind::Bound;
use super::count::Counted;
use super::memory::{Kept, RunMemory};
use super::ready::Ready;
use super::{Gpu, check, read, sample, stream, time};
use crate::cpu::{Allocation, Role, total_bytes};
use crate::gpu::driver::{Driver, GpuError};
use crate::gpu::program::Step;
use crate::reference::affordable;
use crate::runner::{Outcome, output};
use plan::cost::{GpuDatabase, price};
use plan::run::{
    BytesReport, CheckReport, Observer, PlanReport, Report, Request, RunError, Timing,
};

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
        backend: &str,
        request: &Request,
        observer: &dyn Observer,
    ) -> Result<Outcome, RunError> {
        self.with_ready(
            request,
            |_| {},
            observer,
            |gpu, memory, ready| gpu.report(backend, request, observer, memory, &ready),
        )
    }

    fn report(
        &mut self,
        backend: &str,
        request: &Request,
        observer: &dyn Observer,
        memory: &mut RunMemory,
        ready: &Ready<'_>,
    ) -> Result<Outcome, RunError> {
        let (bound, config) = (&ready.bound, &ready.config);
        let none = |e: RunError| e.after(0, request.runs);
        let mut notes = bound.program.notes.clone();
        self.driver.look_for_races(request.races);
        let mut launched = None;
        let mut checked: Option<CheckReport> = None;
        let priced = price(config)?.forward;
        let mut counted = Counted::default();
        if request.check {
            match affordable(&config.model, &config.shape) {
                Ok(()) => {
                    // A device that counts by itself does it in passing; what it
                    // moved before is not this forward's.
                    let in_passing = request.count_bytes && self.driver.traffic().is_some();
                    let lines = request.count_lines;
                    let mut after = |driver: &mut D, step: &Step| {
                        if in_passing {
                            counted.take(driver, step, bound, &priced, lines);
                        }
                    };
                    let (own, tensors) =
                        check::forward(&mut self.driver, bound, &mut after, observer)
                            .map_err(none)?;
                    launched = Some(own);
                    let verdict = check::judge(ready, &tensors, observer).map_err(none)?;
                    checked = Some(CheckReport::from(&verdict));
                }
                Err(_) => {
                    let (counted, report) =
                        sample::forward(&mut self.driver, ready, observer).map_err(none)?;
                    launched = Some(counted);
                    checked = Some(report);
                }
            }
        }
        let mut time_us: Option<Timing> = None;
        let mut bytes = BytesReport {
            modelled: Some(priced.bytes()),
            ..BytesReport::default()
        };
        // No time is taken of a wrong result.
        if checked.as_ref().is_none_or(|c| c.pass) {
            if let Some(timed) = time::run(&mut self.driver, bound, request, observer)? {
                launched = Some(timed.launched);
                time_us = timed.timing;
            }
            let time = time_us.as_ref().map(|t| t.median);
            let device = self.driver.describe();
            notes.extend(over_roof(&device, bytes.modelled.zip(time)));
            if request.count_bytes && counted.kernels.is_empty() {
                counted = self.count(memory, bound, &priced, request.count_lines, observer)?;
            }
            launched = launched.or(counted.launched);
            counted.fill(&mut bytes);
            notes.extend(counted.why_not.take());
            if request.profiled {
                self.profiled(bound, observer)?;
            }
        }
        let launched = match launched {
            Some(launched) => launched,
            None => stream::forward(&mut self.driver, bound, observer).map_err(none)?,
        };
        notes.extend(self.driver.told());
        let logits = self.logits(bound)?;
        let allocations = allocations(bound, memory, ready.kept);
        let cut = config.effective_cut();
        let fusions = cut.fusions();
        let report = Report {
            schema: 1,
            backend: backend.to_owned(),
            device: self.driver.describe(),
            plan: PlanReport {
                fusions: fusions.iter().map(|f| f.name().to_owned()).collect(),
                groups: cut.groups(),
                launches: ready.plan.launches() as u64,
            },
            launches: launched.into(),
            time_us,
            bytes,
            check: checked,
            output: output(&config.model, request, &logits),
            held_bytes: Some(total_bytes(&allocations)),
            // Those of a wrong result are not counted.
            kernels: match bytes.issued {
                Some(_) => counted.kernels,
                None => Vec::new(),
            },
            notes,
        };
        Ok(Outcome {
            report,
            logits,
            allocations,
        })
    }

    /// One forward that an outside profiler sees, after those that it does not.
    fn profiled(&mut self, bound: &Bound, observer: &dyn Observer) -> Result<(), RunError> {
        self.driver.synchronize()?;
        self.driver.profile(true)?;
        stream::forward(&mut self.driver, bound, observer)?;
        self.driver.synchronize()?;
        Ok(self.driver.profile(false)?)
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

/// A sentence where modelled bytes and microseconds come to more than the data
/// sheet's bandwidth of the device.
fn over_roof(device: &str, moved: Option<(u64, f64)>) -> Option<String> {
    let (bytes, us) = moved?;
    let database = GpuDatabase::embedded().ok()?;
    // `NVIDIA H200 (sm_90a), …` has the words of the database's name or id.
    let words: Vec<String> = device
        .split(|c: char| !c.is_ascii_alphanumeric())
        .map(str::to_lowercase)
        .collect();
    let gpu = database.all().iter().find(|g| words.contains(&g.id))?;
    let part = bytes as f64 / (us / 1e6) / gpu.bandwidth();
    (part > 1.0).then(|| {
        format!(
            "the modelled bytes in this time are {:.0} % of the {}'s bandwidth: some of the data sat in cache",
            part * 100.0,
            gpu.name
        )
    })
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
        bytes: kept.bytes(),
    };
    let rest = memory.listed.iter().map(|(name, bytes)| Allocation {
        name: name.clone(),
        role: role(name),
        bytes: *bytes,
    });
    [weights].into_iter().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::over_roof;

    #[test]
    fn more_than_the_roof_is_said_to_be_the_cache() {
        // 4.8 TB/s: 4.8 MB in a microsecond.
        let device = "NVIDIA H200 (sm_90a), CUDA 13.0 driver";
        assert_eq!(over_roof(device, Some((4_700_000, 1.0))), None);
        let said = over_roof(device, Some((9_600_000, 1.0))).unwrap();
        assert!(said.contains("200 %") && said.contains("cache"), "{said}");
        assert_eq!(
            over_roof("a device for tests", Some((9_600_000, 1.0))),
            None
        );
        assert_eq!(over_roof(device, None), None);
    }
}
