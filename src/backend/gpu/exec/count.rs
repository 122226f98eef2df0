//! A forward whose loads and stores are counted, kernel by kernel, apart from
//! any clock.

use super::Gpu;
use super::bind::{Bound, BoundStep};
use super::memory::RunMemory;
use super::ready::Ready;
use super::stream::{Launched, forward};
use crate::gpu::driver::{Driver, Function, GpuError, Memory, Parameter};
use crate::gpu::issued::instrument;
use crate::gpu::program::{Program, Step};
use crate::gpu::simt::told;
use crate::gpu::source::CompileUnit;
use crate::measure::Counted;
use plan::cost::KernelCost;
use plan::run::{BytesReport, KernelReport, Observer, Phase, Progress, RunError};

/// Bytes of the two counters of a step: read and written.
const COUNTERS: u64 = 16;

/// What a device counts by itself, gathered launch by launch.
pub(super) struct Counting<'r> {
    ready: &'r Ready<'r>,
    /// By line of source, too, of the first launch of each kernel.
    lines: bool,
    kernels: Vec<KernelReport>,
}

fn not_counted(why: impl std::fmt::Display) -> Counted {
    Counted {
        why_not: Some(format!("issued bytes are not counted: {why}")),
        ..Counted::default()
    }
}

impl<'r> Counting<'r> {
    pub fn new(ready: &'r Ready<'r>, lines: bool) -> Self {
        Self {
            ready,
            lines,
            kernels: Vec::new(),
        }
    }

    /// Takes what the device counted of the launch before this call.
    pub fn take(&mut self, driver: &mut impl Driver, step: &Step) {
        let cost = cost_of(step, self.ready);
        let traffic = driver.traffic().unwrap_or_default();
        let mut kernel = of_step(step, self.ready);
        kernel.bytes.issued = Some(traffic.read + traffic.written);
        kernel.bytes.compulsory = traffic.compulsory;
        kernel.bytes.estimated_dram = traffic.dram;
        if let Some(counts) = &traffic.last {
            let specs = &self.ready.bound.program.buffers;
            kernel.buffers = told::buffers(counts, specs, cost);
            kernel.work = Some(told::work(&counts.total));
            let known = self.kernels.iter().any(|k| k.ops == kernel.ops);
            if self.lines && !known {
                kernel.lines = told::lines(counts);
            }
        }
        self.kernels.push(kernel);
    }

    /// All of it; `launched` where the forward was made for counting alone.
    pub fn done(self, launched: Option<Launched>) -> Counted {
        Counted {
            kernels: self.kernels,
            launched: launched.map(Into::into),
            why_not: None,
        }
    }
}

impl<D: Driver> Gpu<D> {
    /// One forward of the program; with `lines` by line of source, too, the first
    /// launch of each kernel.
    ///
    /// # Errors
    /// A launch that fails, a stop.
    pub(super) fn count(
        &mut self,
        memory: &mut RunMemory,
        ready: &Ready<'_>,
        lines: bool,
        observer: &dyn Observer,
    ) -> Result<Counted, RunError> {
        let bound = &ready.bound;
        // What was moved before is not this forward's.
        if self.driver.traffic().is_some() {
            return self.count_here(ready, lines, observer);
        }
        observer.progress(Progress::new(Phase::Count, 0, 1));
        if let Some(step) = library_step(&bound.program) {
            return Ok(not_counted(format!(
                "{step} is computed by a library, whose accesses cannot be seen"
            )));
        }
        let (counters, counting) = match self.counting(memory, bound) {
            Ok(counting) => counting,
            Err(e) => return Ok(not_counted(e)),
        };
        let launched = forward(&mut self.driver, &counting, observer)?;
        self.driver.synchronize()?;
        let mut words = vec![0; counting.steps.len() * COUNTERS as usize];
        self.driver.download(counters, 0, &mut words)?;
        let sums = words.as_chunks::<8>().0.chunks(2);
        let kernels = bound.program.steps.iter().zip(sums).map(|(step, sums)| {
            let mut kernel = of_step(step, ready);
            kernel.bytes.issued = Some(sums.iter().map(|sum| u64::from_le_bytes(*sum)).sum());
            kernel
        });
        Ok(Counted {
            kernels: kernels.collect(),
            launched: Some(launched.into()),
            why_not: None,
        })
    }

    /// A forward on a device that counts by itself.
    fn count_here(
        &mut self,
        ready: &Ready<'_>,
        lines: bool,
        observer: &dyn Observer,
    ) -> Result<Counted, RunError> {
        let bound = &ready.bound;
        let total = bound.steps.len() as u32;
        let mut launched = Launched::default();
        let mut counting = Counting::new(ready, lines);
        for (done, (step, named)) in (0..).zip(bound.steps.iter().zip(&bound.program.steps)) {
            observer.progress(Progress::new(Phase::Count, done, total).about(named.name()));
            if observer.cancelled() {
                return Err(RunError::cancelled(0, 0));
            }
            launched.watched(&mut self.driver, step, named.name(), observer)?;
            self.driver.synchronize()?;
            counting.take(&mut self.driver, named);
        }
        Ok(counting.done(Some(launched)))
    }

    /// The program with counters in its kernels: the same memory, one argument
    /// more.
    fn counting(
        &mut self,
        memory: &mut RunMemory,
        bound: &Bound,
    ) -> Result<(Memory, Bound), GpuError> {
        let size = bound.steps.len() as u64 * COUNTERS;
        let counters = memory.beside(&mut self.driver, "counted bytes", size)?;
        self.driver.fill(counters, 0)?;
        let base = self.driver.address(counters);
        let mut steps = Vec::with_capacity(bound.steps.len());
        for (at, named) in (0..).zip(&bound.program.steps) {
            if let Step::Own(launch) = named {
                let function = self.counter_of(&launch.unit, launch.shared)?;
                // A kernel with counters needs more registers, so that fewer of
                // its blocks may be resident.
                let mut step = bound.launch(&mut self.driver, launch, function)?;
                step.parameters.push(Parameter::Long(base + at * COUNTERS));
                steps.push(BoundStep::Own(step));
            }
        }
        Ok((
            counters,
            Bound {
                program: bound.program.clone(),
                places: bound.places.clone(),
                steps,
                dtype: bound.dtype,
            },
        ))
    }

    /// A unit's kernel with counters in it.
    fn counter_of(&mut self, unit: &CompileUnit, shared: u32) -> Result<Function, GpuError> {
        let key = (unit.clone(), shared);
        if let Some(function) = self.counting.get(&key) {
            return Ok(*function);
        }
        let text = self.driver.assembly(unit)?;
        let text = instrument(&text, unit.entry)
            .map_err(|e| GpuError::missing(format!("{}: {e}", unit.title())))?;
        let function = self.driver.load_assembly(unit.entry, &text, shared)?;
        self.counting.insert(key, function);
        Ok(function)
    }
}

pub(super) fn library_step(program: &Program) -> Option<&str> {
    let found = program
        .steps
        .iter()
        .find(|s| matches!(s, Step::Library(_)))?;
    Some(found.name())
}

/// The price of a step's kernel.
fn cost_of<'p>(step: &Step, ready: &'p Ready<'_>) -> Option<&'p KernelCost> {
    ready.planned.cost.forward.kernels.get(match step {
        Step::Own(launch) => launch.kernel,
        Step::Library(gemm) => gemm.kernel,
    })
}

/// A step's kernel as the model prices it; nothing is counted yet.
fn of_step(step: &Step, ready: &Ready<'_>) -> KernelReport {
    let cost = cost_of(step, ready);
    KernelReport {
        name: step.name().to_owned(),
        ops: cost.map_or_else(Vec::new, |k| {
            k.ops.iter().map(|op| (*op).to_owned()).collect()
        }),
        bytes: BytesReport {
            modelled: cost.map(|k| k.bytes()),
            ..BytesReport::default()
        },
        buffers: Vec::new(),
        work: None,
        lines: Vec::new(),
    }
}
