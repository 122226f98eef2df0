//! A request from beginning to end: weights, programs, prefill, check, clock.

use std::ops::Range;

use super::bind::Bound;
use super::memory::{Kept, RunMemory};
use super::programs::{Programs, unit_of};
use super::{Gpu, check, read, stream, time};
use crate::backend::cpu::{Allocation, Role, total_bytes};
use crate::backend::gpu::driver::{Driver, GpuError};
use crate::backend::gpu::program::Program;
use crate::backend::gpu::source::Unit;
use crate::backend::reference::affordable;
use crate::backend::runner::{Outcome, open_weights, output, tokens};
use crate::backend::tokens::Tokens;
use crate::cost::price;
use crate::run::{
    BytesReport, CheckReport, Observer, Phase, PlanReport, Progress, Report, Request, RunError,
    Timing,
};

impl<D: Driver> Gpu<D> {
    /// Runs `request`: puts weights and kernels on the device, fills the cache
    /// where there is a past, checks the outputs against the fp64 reference
    /// (where it is asked for and affordable), counts, then times. `backend`
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
        step(request, observer, Progress::new(Phase::Prepare, 0, 1))?;
        // What cannot be at all comes before what this machine cannot hold.
        price(&request.config)?;
        let mut kept = self.take_weights(request)?;
        let mut config = request.config.clone();
        config.model = kept.weights.model().clone();
        let tokens = tokens(request, &config.model)?;
        let programs = Programs::new(&config, request.gemm, self.driver.target())?;
        let provided = kept.provide(&mut self.driver, &programs.all(), |done, total| {
            let progress = Progress::new(Phase::Prepare, done as u32, total as u32);
            step(request, observer, progress.about("the weights"))
        });
        let mut memory = RunMemory::default();
        let outcome = provided.and_then(|()| {
            let job = Job {
                backend,
                request,
                tokens: &tokens,
                programs,
                kept: &kept,
                observer,
            };
            self.run_job(job, &mut memory)
        });
        memory.free(&mut self.driver);
        // The weights are kept, however the run ended.
        self.kept = Some(kept);
        outcome
    }

    /// The weights that the request asks for: those at hand, or none on the
    /// device yet.
    fn take_weights(&mut self, request: &Request) -> Result<Kept, RunError> {
        match self.kept.take() {
            Some(kept) if kept.serves(request) => Ok(kept),
            old => {
                // The old weights go before the new ones come.
                if let Some(mut old) = old {
                    old.free(&mut self.driver);
                }
                let config = &request.config;
                let weights = open_weights(&request.weights, &config.model, config.dtype)?;
                Ok(Kept::new(request, weights))
            }
        }
    }

    /// Compiles every unit of the programs and loads it.
    fn compile(
        &mut self,
        programs: &[&Program],
        request: &Request,
        observer: &dyn Observer,
    ) -> Result<(), RunError> {
        let mut units: Vec<(&Unit, u32)> = Vec::new();
        for (unit, shared) in programs.iter().flat_map(|p| &p.steps).filter_map(unit_of) {
            match units.iter_mut().find(|(known, _)| *known == unit) {
                Some((_, most)) => *most = shared.max(*most),
                None => units.push((unit, shared)),
            }
        }
        let arch = self.driver.target().arch.clone();
        let compiling = |done: usize, total: usize, unit: &Unit| {
            let subject = format!("{} for {arch}", unit.entry);
            Progress::new(Phase::Compile, done as u32, total as u32).about(subject)
        };
        let all: Vec<&Unit> = units.iter().map(|(unit, _)| *unit).collect();
        if let Some(first) = all.first() {
            step(request, observer, compiling(0, all.len(), first))?;
        }
        self.driver.prepare(&all, &mut |done, total, unit| {
            observer.progress(compiling(done, total, unit));
        })?;
        for (done, (unit, shared)) in units.iter().enumerate() {
            step(request, observer, compiling(done, all.len(), unit))?;
            self.driver.load(unit, *shared)?;
        }
        Ok(())
    }

    fn run_job(&mut self, job: Job<'_>, memory: &mut RunMemory) -> Result<Outcome, RunError> {
        let Job {
            request, observer, ..
        } = job;
        self.compile(&job.programs.all(), request, observer)?;
        let Programs {
            config,
            graph,
            plan,
            program,
            prefill,
        } = job.programs;
        let load = |driver: &mut D, unit: &Unit, shared| driver.load(unit, shared);
        let (seq, context) = (config.shape.seq as usize, config.shape.context as usize);
        if let Some(prefill) = prefill {
            step(request, observer, Progress::new(Phase::Prefill, 0, 1))?;
            let bound = Bound::new(&mut self.driver, memory, job.kept, prefill, load)?;
            let past = ids(job.tokens, 0..context - seq);
            bound.set_ids(&mut self.driver, &past)?;
            stream::forward(&mut self.driver, &bound, observer)
                .map_err(|e| e.after(0, request.runs))?;
            self.driver
                .synchronize()
                .map_err(|e| e.in_kernel("the prefill"))?;
        }
        let bound = Bound::new(&mut self.driver, memory, job.kept, program, load)?;
        let new = ids(job.tokens, context - seq..context);
        bound.set_ids(&mut self.driver, &new)?;

        let mut notes = bound.program.notes.clone();
        let mut launched = None;
        let mut checked: Option<CheckReport> = None;
        if request.check {
            match affordable(&config.model, &config.shape) {
                Ok(()) => {
                    let (counted, tensors) = check::forward(&mut self.driver, &bound, observer)
                        .map_err(|e| e.after(0, request.runs))?;
                    launched = Some(counted);
                    let weights = &job.kept.weights;
                    let shape = config.shape;
                    checked = Some(
                        check::judge(weights, job.tokens, shape, &tensors, observer)
                            .map_err(|e| e.after(0, request.runs))?,
                    );
                }
                Err(e) => notes.push(format!("not checked: {e}")),
            }
        }
        let mut time_us: Option<Timing> = None;
        let mut bytes = BytesReport {
            modelled: Some(price(&config)?.forward.bytes()),
            ..BytesReport::default()
        };
        // No time is taken of a wrong result.
        if checked.as_ref().is_none_or(|c| c.pass) {
            if let Some(timed) = time::run(&mut self.driver, &bound, request, observer)? {
                launched = Some(timed.launched);
                time_us = timed.timing;
            }
            if request.count_bytes {
                notes.extend(self.count(memory, &bound, &mut bytes, observer)?);
            }
        }
        let launched = match launched {
            Some(launched) => launched,
            None => stream::forward(&mut self.driver, &bound, observer)
                .map_err(|e| e.after(0, request.runs))?,
        };
        let logits = self.logits(&bound)?;
        let allocations = allocations(&bound, memory, job.kept);
        let cut = config.effective_cut();
        let fusions = cut.fusions();
        let _ = graph;
        let report = Report {
            schema: 1,
            backend: job.backend.to_owned(),
            device: self.driver.describe(),
            plan: PlanReport {
                fusions: fusions.iter().map(|f| f.name().to_owned()).collect(),
                groups: cut.groups(),
                launches: plan.launches() as u64,
            },
            launches: launched.into(),
            time_us,
            bytes,
            check: checked,
            output: output(&config.model, request, &logits),
            held_bytes: Some(total_bytes(&allocations)),
            notes,
        };
        Ok(Outcome {
            report,
            logits,
            allocations,
        })
    }

    /// The logits of the last forward.
    fn logits(&mut self, bound: &Bound) -> Result<Vec<f32>, GpuError> {
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

/// What one run is about.
struct Job<'j> {
    backend: &'j str,
    request: &'j Request,
    tokens: &'j Tokens,
    programs: Programs,
    kept: &'j Kept,
    observer: &'j dyn Observer,
}

/// Tells how far it is; an error where it is to stop.
fn step(request: &Request, observer: &dyn Observer, progress: Progress) -> Result<(), RunError> {
    observer.progress(progress);
    if observer.cancelled() {
        Err(RunError::cancelled(0, request.runs))
    } else {
        Ok(())
    }
}

/// The ids of some positions of every sequence.
fn ids(tokens: &Tokens, positions: Range<usize>) -> Vec<u32> {
    (0..tokens.batch())
        .flat_map(|b| {
            tokens
                .sequence(b)
                .get(positions.clone())
                .unwrap_or_default()
        })
        .copied()
        .collect()
}

/// Everything on the device, by name.
fn allocations(bound: &Bound, memory: &RunMemory, kept: &Kept) -> Vec<Allocation> {
    use crate::backend::gpu::program::Contents;
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
