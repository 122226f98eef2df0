//! A forward that is ready to run: weights and kernels on the device, the cache
//! filled, the ids in place.

use std::ops::Range;

use super::bind::Bound;
use super::memory::{Kept, RunMemory};
use super::programs::{Programs, unit_of};
use super::{Gpu, stream};
use crate::check::Judge;
use crate::given::{open_weights, tokens};
use crate::gpu::driver::Driver;
use crate::gpu::program::Program;
use crate::gpu::source::CompileUnit;
use crate::measure::step;
use crate::tokens::Tokens;
use plan::cost::Planned;
use plan::run::{Observer, Phase, Progress, Request, RunError, Tuned};

/// A program in memory, and what it computes.
pub(super) struct Ready<'k> {
    /// The forward, its cut into kernels, their price.
    pub planned: Planned,
    /// The plan, lowered and in memory.
    pub bound: Bound,
    /// All tokens, those from before included.
    pub tokens: Tokens,
    /// The weights.
    pub kept: &'k Kept,
}

impl<D: Driver> Gpu<D> {
    /// Prepares what `request` asks for and hands it to `then`; gives its
    /// memory back whatever happens, but keeps the weights. `change` may alter
    /// the lowered program.
    ///
    /// # Errors
    /// A request that cannot be, something that this machine lacks, a prefill
    /// that fails, a stop by the observer, and what `then` says.
    pub(super) fn with_ready<T>(
        &mut self,
        request: &Request,
        change: impl FnOnce(&mut Program),
        observer: &dyn Observer,
        then: impl FnOnce(&mut Self, &mut RunMemory, Ready<'_>) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        step(request, observer, Progress::new(Phase::Prepare, 0, 1))?;
        // What cannot be at all comes before what this machine cannot hold.
        let planned = Planned::of(&request.config)?;
        let mut kept = self.take_weights(request)?;
        let mut memory = RunMemory::default();
        let done = self
            .ready(&mut kept, &mut memory, planned, request, change, observer)
            .and_then(|ready| then(self, &mut memory, ready));
        memory.free(&mut self.driver);
        // The weights are kept, however the run ended.
        self.kept = Some(kept);
        done
    }

    /// The weights that the request asks for: those at hand, or none on the
    /// device yet.
    fn take_weights(&mut self, request: &Request) -> Result<Kept, RunError> {
        match self.kept.take() {
            Some(kept) if kept.serves(request) => Ok(kept),
            old => {
                // The old weights go before the new ones come, and with them what they were
                // judged by.
                self.judge = Judge::default();
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
        let mut units: Vec<(&CompileUnit, u32)> = Vec::new();
        for (unit, shared) in programs.iter().flat_map(|p| &p.steps).filter_map(unit_of) {
            match units.iter_mut().find(|(known, _)| *known == unit) {
                Some((_, most)) => *most = shared.max(*most),
                None => units.push((unit, shared)),
            }
        }
        let arch = self.driver.target().arch.clone();
        let compiling = |done: usize, total: usize, unit: &CompileUnit| {
            let subject = format!("{} for {arch}", unit.entry);
            Progress::new(Phase::Compile, done as u32, total as u32).about(subject)
        };
        let all: Vec<&CompileUnit> = units.iter().map(|(unit, _)| *unit).collect();
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

    fn ready<'k>(
        &mut self,
        kept: &'k mut Kept,
        memory: &mut RunMemory,
        planned: Planned,
        request: &Request,
        change: impl FnOnce(&mut Program),
        observer: &dyn Observer,
    ) -> Result<Ready<'k>, RunError> {
        let planned = planned.with_model(kept.weights.model())?;
        let tokens = tokens(request, kept.weights.model())?;
        let device = match request.tuned.is_empty() {
            true => String::new(),
            false => self.driver.describe(),
        };
        let tuned = request.tuned.iter();
        let tuned: Vec<&Tuned> = tuned
            .filter(|t| t.serves(&request.config, &device, false))
            .collect();
        let mut programs = Programs::new(&planned, request.gemm, self.driver.target(), &tuned)?;
        change(&mut programs.program);
        kept.provide(&mut self.driver, &programs.all(), |done, total| {
            let progress = Progress::new(Phase::Prepare, done as u32, total as u32);
            step(request, observer, progress.about("the weights"))
        })?;
        let kept = &*kept;
        self.compile(&programs.all(), request, observer)?;
        let load = |driver: &mut D, unit: &CompileUnit, shared| driver.load(unit, shared);
        let shape = request.config.shape;
        let (seq, context) = (shape.seq as usize, shape.context as usize);
        if let Some(prefill) = programs.prefill {
            step(request, observer, Progress::new(Phase::Prefill, 0, 1))?;
            let bound = Bound::new(&mut self.driver, memory, kept, prefill, load)?;
            bound.set_ids(&mut self.driver, &ids(&tokens, 0..context - seq))?;
            stream::forward(&mut self.driver, &bound, observer)
                .map_err(|e| e.after(0, request.runs))?;
            self.driver
                .synchronize()
                .map_err(|e| e.in_kernel("the prefill"))?;
        }
        let bound = Bound::new(&mut self.driver, memory, kept, programs.program, load)?;
        bound.set_ids(&mut self.driver, &ids(&tokens, context - seq..context))?;
        Ok(Ready {
            planned,
            bound,
            tokens,
            kept,
        })
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
