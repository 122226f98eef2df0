//! When each kernel runs: by clocks in the kernels, so that what overlaps is seen; by marks
//! around each on a device that takes no assembly text; on one without a clock, by the
//! instructions that it counts.

use super::Gpu;
use super::bind::{Bound, BoundStep};
use super::count::library_step;
use super::memory::RunMemory;
use super::ready::Ready;
use super::stream::{Launched, forward};
use crate::gpu::driver::{Driver, Function, GpuError, GpuErrorKind, Memory, Parameter};
use crate::gpu::issued::clocked::{RECORD, STAMPS, clocked, has_stamps};
use crate::gpu::program::{Arg, Launch, Step};
use crate::measure::{FORWARDS, named};
use plan::run::{Axis, Observer, Phase, PhaseReport, Progress, RunError, SpanReport, TraceReport};

/// Words of a record: begin, its cycles, end, its cycles, multiprocessor.
const WORDS: usize = (RECORD / 8) as usize;

/// A step with clocks in it.
struct Clocked {
    /// Its blocks.
    blocks: usize,
    /// Where their records lie.
    records: Memory,
    /// Where their stamps lie, and what they are of.
    stamps: Option<(Memory, Vec<String>)>,
}

impl<D: Driver> Gpu<D> {
    /// A timeline of the program, or why there is none.
    ///
    /// # Errors
    /// A launch that fails, a stop.
    pub(super) fn traced(
        &mut self,
        memory: &mut RunMemory,
        ready: &Ready<'_>,
        observer: &dyn Observer,
    ) -> Result<Result<TraceReport, String>, RunError> {
        if !self.driver.has_clock() {
            return self.in_instructions(memory, ready, observer);
        }
        let bound = &ready.bound;
        if let Some(step) = library_step(&bound.program) {
            return Ok(Err(format!(
                "{step} is computed by a library, which takes no clocks; --gemm own does"
            )));
        }
        let (clocks, program) = match self.with_clocks(memory, bound) {
            Ok(made) => made,
            // A device that takes no assembly text has no clocks in its kernels.
            Err(e) if e.kind == GpuErrorKind::Missing => {
                return self.by_marks(ready, &e, observer);
            }
            Err(e) => return Ok(Err(e.to_string())),
        };
        let mut forwards = Vec::new();
        let mut phases = Vec::new();
        for done in 0..=FORWARDS {
            observer.progress(Progress::new(Phase::Timing, done, FORWARDS + 1));
            for clock in &clocks {
                if let Some((stamps, _)) = &clock.stamps {
                    self.driver.fill(*stamps, 0)?;
                }
            }
            forward(&mut self.driver, &program, observer)?;
            self.driver.synchronize()?;
            // The first warms up.
            if done == 0 {
                continue;
            }
            let records = clocks
                .iter()
                .map(|clock| self.words(clock.records, clock.blocks * WORDS));
            let records = records.collect::<Result<Vec<_>, _>>()?;
            let inside = clocks.iter().zip(&records).enumerate();
            let mut of_this = Vec::new();
            for (span, (clock, records)) in inside {
                of_this.extend(self.inside(span, clock, records)?);
            }
            forwards.push(records.iter().map(|words| span(words)).collect::<Vec<_>>());
            phases.push(of_this);
        }
        let names = named(&ready.planned);
        let how = format!(
            "clocks in the kernels: thread 0 of each block leaves the device's clock when it begins and ends, in steps of {:.3} µs",
            step(&forwards)
        );
        let Some(mut trace) = TraceReport::of(Axis::Microseconds, how, &names, &forwards) else {
            return Ok(Err("nothing was recorded".to_owned()));
        };
        // The phases of the forward that stands for all: found again by its spans.
        let zero = |spans: &[(f64, f64)]| spans.iter().map(|s| s.0).fold(f64::INFINITY, f64::min);
        let chosen = forwards.iter().zip(phases).find(|(spans, _)| {
            let zero = zero(spans);
            let same = |(a, b): (&(f64, f64), &SpanReport)| a.0 - zero == b.from;
            spans.iter().zip(&trace.spans).all(same)
        });
        if let Some((spans, phases)) = chosen {
            let zero = zero(spans);
            trace.phases = phases
                .into_iter()
                .map(|phase| PhaseReport {
                    from: phase.from - zero,
                    to: phase.to - zero,
                    ..phase
                })
                .collect();
        }
        Ok(Ok(trace))
    }

    /// Kernel after kernel, each between two marks of the device.
    fn by_marks(
        &mut self,
        ready: &Ready<'_>,
        why: &GpuError,
        observer: &dyn Observer,
    ) -> Result<Result<TraceReport, String>, RunError> {
        let (driver, bound) = (&mut self.driver, &ready.bound);
        let mut forwards = Vec::new();
        for done in 0..=FORWARDS {
            observer.progress(Progress::new(Phase::Timing, done, FORWARDS + 1));
            let (mut at, mut spans) = (0.0, Vec::new());
            for (step, named) in bound.steps.iter().zip(&bound.program.steps) {
                let from = driver.mark()?;
                Launched::default().watched(driver, step, named.name(), observer)?;
                let to = driver.mark()?;
                driver.synchronize()?;
                let Some((from, to)) = from.zip(to) else {
                    return Ok(Err(why.to_string()));
                };
                let took = driver.elapsed_us(from, to)?;
                spans.push((at, at + took));
                at += took;
            }
            // The first warms up.
            if done > 0 {
                forwards.push(spans);
            }
        }
        let names = named(&ready.planned);
        let how = "device events around each launch, with a wait behind it: nothing overlaps, and what a launch costs is in every time";
        Ok(
            TraceReport::of(Axis::Microseconds, how.to_owned(), &names, &forwards)
                .ok_or_else(|| "nothing was recorded".to_owned()),
        )
    }

    /// Kernel after kernel, each as long as its warp instructions.
    fn in_instructions(
        &mut self,
        memory: &mut RunMemory,
        ready: &Ready<'_>,
        observer: &dyn Observer,
    ) -> Result<Result<TraceReport, String>, RunError> {
        let counted = self.count(memory, ready, false, observer)?;
        let mut at = 0.0;
        let spans = counted.kernels.iter().map(|kernel| {
            let from = at;
            at += kernel.work.map_or(0.0, |work| work.instructions as f64);
            (from, at)
        });
        let spans: Vec<(f64, f64)> = spans.collect();
        let how = "warp instructions that the SIMT machine counted, kernel after kernel: no time";
        let names = named(&ready.planned);
        Ok(TraceReport::of(Axis::Instructions, how, &names, &[spans])
            .ok_or_else(|| "nothing was counted".to_owned()))
    }

    /// The program with clocks in its kernels: the same memory, two arguments more.
    fn with_clocks(
        &mut self,
        memory: &mut RunMemory,
        bound: &Bound,
    ) -> Result<(Vec<Clocked>, Bound), GpuError> {
        let mut clocks = Vec::with_capacity(bound.steps.len());
        let mut steps = Vec::with_capacity(bound.steps.len());
        let mut known: Vec<(&Launch, Function, bool)> = Vec::new();
        for named in &bound.program.steps {
            let Step::Own(launch) = named else { continue };
            let same = |(other, ..): &&(&Launch, Function, bool)| {
                other.unit == launch.unit && other.shared == launch.shared
            };
            let (function, stamped) = match known.iter().find(same) {
                Some((_, function, stamped)) => (*function, *stamped),
                None => {
                    let (function, stamped) = self.clocked(launch)?;
                    known.push((launch, function, stamped));
                    (function, stamped)
                }
            };
            // Clocks need registers, so that fewer blocks may be resident.
            let mut step = bound.launch(&mut self.driver, launch, function)?;
            let blocks: u64 = step.grid.iter().map(|n| u64::from(*n)).product();
            let mut take = |name: &str, bytes: u64| memory.beside(&mut self.driver, name, bytes);
            let records = take("clocks", blocks * RECORD)?;
            let stamps = match stamped {
                true => Some((take("stamps", blocks * STAMPS * 8)?, phases(launch))),
                false => None,
            };
            let address = |memory: Memory| Parameter::Long(self.driver.address(memory));
            step.parameters.push(address(records));
            step.parameters
                .push(stamps.as_ref().map_or(Parameter::Long(0), |s| address(s.0)));
            steps.push(BoundStep::Own(step));
            clocks.push(Clocked {
                blocks: blocks as usize,
                records,
                stamps,
            });
        }
        let program = Bound {
            program: bound.program.clone(),
            places: bound.places.clone(),
            steps,
            dtype: bound.dtype,
        };
        Ok((clocks, program))
    }

    /// A kernel with clocks in it, and whether it has stamps inside.
    fn clocked(&mut self, launch: &Launch) -> Result<(Function, bool), GpuError> {
        let unit = &launch.unit;
        // Hopper's block kernel knows where its phases begin; without a compiler it is
        // taken as it was compiled ahead.
        let stamped = match unit.files.contains(&"hopper/block.cu") {
            true => self.driver.assembly(&unit.clone().define("CLOCKS", 1)).ok(),
            false => None,
        };
        let text = match stamped {
            Some(text) => text,
            None => self.driver.assembly(unit)?,
        };
        let stamps = has_stamps(&text);
        let text = clocked(&text, unit.entry)
            .map_err(|e| GpuError::missing(format!("{}: {e}", unit.title())))?;
        let function = self
            .driver
            .load_assembly(unit.entry, &text, launch.shared)?;
        Ok((function, stamps))
    }

    fn words(&mut self, memory: Memory, count: usize) -> Result<Vec<u64>, GpuError> {
        let mut bytes = vec![0; 8 * count];
        self.driver.download(memory, 0, &mut bytes)?;
        let words = bytes.as_chunks::<8>().0.iter();
        Ok(words.map(|word| u64::from_le_bytes(*word)).collect())
    }

    /// What the blocks of a step did inside, by their stamps.
    fn inside(
        &mut self,
        span: usize,
        clock: &Clocked,
        records: &[u64],
    ) -> Result<Vec<PhaseReport>, GpuError> {
        let Some((stamps, names)) = &clock.stamps else {
            return Ok(Vec::new());
        };
        let stamps = self.words(*stamps, clock.blocks * STAMPS as usize)?;
        let of_blocks = records.chunks(WORDS).zip(stamps.chunks(STAMPS as usize));
        Ok(of_blocks
            .flat_map(|(record, stamps)| of_block(span, record, stamps, names))
            .collect())
    }
}

/// The smallest step of the clock that is seen, in microseconds.
fn step(forwards: &[Vec<(f64, f64)>]) -> f64 {
    let mut stamps: Vec<f64> = forwards.iter().flatten().flat_map(|s| [s.0, s.1]).collect();
    stamps.sort_by(f64::total_cmp);
    let steps = stamps.windows(2).filter_map(|pair| match pair {
        // Below a nanosecond it is the rounding of a float.
        [a, b] if b - a > 1e-3 => Some(b - a),
        _ => None,
    });
    steps.fold(f64::INFINITY, f64::min)
}

/// Microseconds from the first begin to the last end of the blocks.
fn span(words: &[u64]) -> (f64, f64) {
    let blocks = words.chunks(WORDS);
    let begins = blocks.clone().filter_map(|record| record.first());
    let ends = blocks.filter_map(|record| record.get(2));
    let micros = |nanos: Option<&u64>| nanos.map_or(0.0, |n| *n as f64 * 1e-3);
    (micros(begins.min()), micros(ends.max()))
}

/// What a launch of the block kernel does between its gates, in order.
fn phases(launch: &Launch) -> Vec<String> {
    let count = match launch.args.get(1) {
        Some(Arg::I32(count)) => *count,
        _ => 1,
    };
    let begun = matches!(launch.args.last(), Some(Arg::I32(1)));
    let layer = ["q+k+v", "attention", "o", "gate+up", "down"];
    let mut names = Vec::new();
    if !begun {
        names.push("rows".to_owned());
    }
    for _ in 0..count {
        names.extend(layer.map(str::to_owned));
    }
    if !matches!(launch.args.get(6), None | Some(Arg::Null)) {
        names.push("logits".to_owned());
    }
    names
}

/// The phases of one block from its stamps: a stamp is the multiprocessor's clock times
/// four and what it is, 0 on the way to a gate, 1 past it.
fn of_block(span: usize, record: &[u64], stamps: &[u64], names: &[String]) -> Vec<PhaseReport> {
    let [from, from_cycles, to, to_cycles, unit] = record else {
        return Vec::new();
    };
    // Two places at which both clocks were read make a line.
    let cycles = to_cycles.wrapping_sub(*from_cycles).max(1) as f64;
    let nanos = to.wrapping_sub(*from) as f64;
    let micros = |at: u64| {
        let part = at.wrapping_sub(*from_cycles) as f64 / cycles;
        (*from as f64 + part * nanos) * 1e-3
    };
    let mut found = Vec::new();
    let mut begun = *from as f64 * 1e-3;
    let mut names = names.iter();
    let mut add = |name: String, from: f64, to: f64| {
        found.push(PhaseReport {
            span,
            name,
            unit: *unit as u32,
            from,
            to,
        });
    };
    for stamp in stamps.iter().take_while(|stamp| **stamp != 0) {
        let at = micros(stamp / 4);
        match stamp % 4 {
            0 => {
                add(names.next().cloned().unwrap_or_default(), begun, at);
                begun = at;
            }
            1 => {
                add("waits".to_owned(), begun, at);
                begun = at;
            }
            _ => {}
        }
    }
    add(
        names.next().cloned().unwrap_or_default(),
        begun,
        *to as f64 * 1e-3,
    );
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_become_phases_on_the_device_s_clock() {
        // 1,000 cycles in 500 ns: two cycles a nanosecond, on multiprocessor 7.
        let record = [10_000, 4_000, 10_500, 5_000, 7];
        // To the gate after 200 cycles, past it after 300; a tile's stamp between; 0 ends.
        let stamps = [4_200 * 4, 4_300 * 4 + 1, 4_400 * 4 + 2, 0, 9];
        let names = ["q+k+v".to_owned(), "attention".to_owned()];
        let found = of_block(3, &record, &stamps, &names);
        let told: Vec<(&str, f64, f64)> = found
            .iter()
            .map(|p| (p.name.as_str(), p.from, p.to))
            .collect();
        assert_eq!(
            told,
            [
                ("q+k+v", 10.0, 10.1),
                ("waits", 10.1, 10.15),
                ("attention", 10.15, 10.5)
            ]
        );
        assert!(found.iter().all(|p| p.unit == 7 && p.span == 3));
        assert!(of_block(0, &[1, 2], &stamps, &names).is_empty());
    }

    #[test]
    fn a_span_is_from_the_first_begin_to_the_last_end() {
        let words = [2_000, 0, 5_000, 0, 0, 1_000, 0, 4_000, 0, 1];
        assert_eq!(span(&words), (1.0, 5.0));
    }
}
