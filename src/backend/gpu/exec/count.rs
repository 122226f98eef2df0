//! A forward whose loads and stores are counted, apart from any clock.

use super::Gpu;
use super::bind::{Bound, BoundStep};
use super::memory::RunMemory;
use super::stream::forward;
use crate::backend::gpu::driver::{Driver, Function, GpuError, Memory, Parameter, Traffic};
use crate::backend::gpu::issued::instrument;
use crate::backend::gpu::program::{Program, Step};
use crate::backend::gpu::source::Unit;
use crate::run::{BytesReport, Observer, Phase, Progress, RunError};

/// Bytes of the two counters of a step: read and written.
const COUNTERS: u64 = 16;

impl<D: Driver> Gpu<D> {
    /// One forward of `program`; what it moved goes into `bytes`. A sentence
    /// where it cannot be counted.
    ///
    /// # Errors
    /// A launch that fails, a stop.
    pub(super) fn count(
        &mut self,
        memory: &mut RunMemory,
        bound: &Bound,
        bytes: &mut BytesReport,
        observer: &dyn Observer,
    ) -> Result<Option<String>, RunError> {
        observer.progress(Progress::new(Phase::Count, 0, 1));
        // What was moved before is not this forward's.
        if self.driver.traffic().is_some() {
            forward(&mut self.driver, bound, observer)?;
            self.driver.synchronize()?;
            if let Some(traffic) = self.driver.traffic() {
                fill(bytes, traffic);
            }
            return Ok(None);
        }
        if let Some(step) = library_step(&bound.program) {
            return Ok(Some(format!(
                "issued bytes are not counted: {step} is computed by a library, whose accesses cannot be seen"
            )));
        }
        let counting = match self.counting(memory, bound) {
            Ok(counting) => counting,
            Err(e) => return Ok(Some(format!("issued bytes are not counted: {e}"))),
        };
        let (counters, bound) = counting;
        forward(&mut self.driver, &bound, observer)?;
        self.driver.synchronize()?;
        let mut words = vec![0; bound.steps.len() * COUNTERS as usize];
        self.driver.download(counters, 0, &mut words)?;
        let sums = words.as_chunks::<8>().0;
        let sum = |odd: usize| -> u64 {
            let every = sums.iter().skip(odd).step_by(2);
            every.map(|b| u64::from_le_bytes(*b)).sum()
        };
        fill(
            bytes,
            Traffic {
                read: sum(0),
                written: sum(1),
                ..Traffic::default()
            },
        );
        Ok(None)
    }

    /// The program with counters in its kernels: the same memory, one argument
    /// more.
    fn counting(
        &mut self,
        memory: &mut RunMemory,
        bound: &Bound,
    ) -> Result<(Memory, Bound), GpuError> {
        let size = bound.steps.len() as u64 * COUNTERS;
        let counters = memory.alloc(&mut self.driver, "counted bytes", size)?;
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
    fn counter_of(&mut self, unit: &Unit, shared: u32) -> Result<Function, GpuError> {
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

fn library_step(program: &Program) -> Option<&str> {
    let found = program
        .steps
        .iter()
        .find(|s| matches!(s, Step::Library(_)))?;
    Some(found.name())
}

fn fill(bytes: &mut BytesReport, traffic: Traffic) {
    bytes.issued = Some(traffic.read + traffic.written);
    bytes.compulsory = traffic.compulsory;
    bytes.estimated_dram = traffic.dram;
}
