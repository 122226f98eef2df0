//! From a forward that is ready to its report, the same way on every backend: check,
//! warm up, time, count.

use std::thread;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::cpu::{Allocation, total_bytes};
use plan::cost::{GpuDatabase, KernelCost, Planned};
use plan::model::Model;
use plan::run::{
    A100_L2, BackendKind, BytesReport, CheckReport, KernelReport, LaunchReport, Observer,
    OutputReport, Phase, PlanReport, Progress, Report, Request, RunError, Timing, TraceReport,
    WrongReport,
};

/// Logits that a report shows.
const SAMPLE: usize = 5;

/// A report, and what does not fit into it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// The logits, batch × seq × vocab.
    pub logits: Vec<f32>,
    /// Everything that was held in memory, by name.
    pub allocations: Vec<Allocation>,
}

/// What a check found out.
pub(crate) enum Checked {
    /// A forward was made, and compared.
    Done(LaunchReport, CheckReport),
    /// No forward was made; the reason.
    Not(String),
}

/// What was counted of a forward.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// Kernel by kernel, in the order of launches; empty where nothing could be
    /// counted.
    pub kernels: Vec<KernelReport>,
    /// Launches of a forward that was made for counting alone.
    pub launched: Option<LaunchReport>,
    /// Why nothing could be counted.
    pub why_not: Option<String>,
}

/// A forward that is ready to run on a backend: weights, tokens and memory in place,
/// the cache filled.
pub(crate) trait Forward {
    /// What is run, and what the model says that it costs.
    fn planned(&self) -> &Planned;

    /// The machine in words.
    fn device(&self) -> String;

    /// What is to be said of the plan on this device.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// One forward, compared with the reference.
    fn check(&mut self, observer: &dyn Observer) -> Result<Checked, RunError>;

    /// What wrong programs would give in its place.
    fn wrong(&self) -> Result<Vec<WrongReport>, RunError>;

    /// One forward.
    fn forward(&mut self, observer: &dyn Observer) -> Result<LaunchReport, RunError>;

    /// How it is timed, in words; `None` without a clock. What cannot be timed is not
    /// warmed up, either.
    fn clock(&self) -> Option<String>;

    /// The warm-up is over; with `timed`, the clock starts next.
    fn warmed(&mut self, timed: bool) -> Result<(), RunError> {
        let _ = timed;
        Ok(())
    }

    /// One forward and its microseconds; none where the clock turns out to be missing.
    fn timed(&mut self, observer: &dyn Observer) -> Result<(LaunchReport, Option<f64>), RunError>;

    /// The bytes that the kernels move, as far as they can be counted.
    fn count(&mut self, observer: &dyn Observer) -> Result<Counted, RunError> {
        let _ = observer;
        Ok(Counted::default())
    }

    /// Forwards in which it is recorded when each kernel runs; or why that cannot be.
    fn traced(&mut self, observer: &dyn Observer) -> Result<Result<TraceReport, String>, RunError> {
        let _ = observer;
        Ok(Err("this backend has no record of its kernels".to_owned()))
    }

    /// One forward that an outside profiler sees, after those that it does not.
    fn profiled(&mut self, observer: &dyn Observer) -> Result<(), RunError> {
        let _ = observer;
        Ok(())
    }

    /// What the device says of the work that it did.
    fn told(&mut self) -> Option<String> {
        None
    }

    /// The logits of the last forward.
    fn logits(&mut self) -> Result<Vec<f32>, RunError>;

    /// Everything that is held, by name.
    fn allocations(&self) -> Vec<Allocation>;
}

/// Forwards of a timeline, after one that warms up.
pub(crate) const FORWARDS: u32 = 9;

/// The plan's kernels in order: names with their blocks, `block 2: q+k+v`, and places.
pub(crate) fn named(planned: &Planned) -> Vec<(String, usize)> {
    let kernels = planned.cost.forward.kernels.iter().enumerate();
    let name = |(at, kernel): (usize, &KernelCost)| match kernel.layer {
        Some(layer) => (format!("block {layer}: {}", kernel.name), at),
        None => (kernel.name.clone(), at),
    };
    kernels.map(name).collect()
}

/// Tells how far it is; an error where it is to stop.
pub(crate) fn step(
    request: &Request,
    observer: &dyn Observer,
    progress: Progress,
) -> Result<(), RunError> {
    let done = match progress.phase {
        Phase::Timing => progress.done,
        _ => 0,
    };
    observer.progress(progress);
    match observer.cancelled() {
        true => Err(RunError::cancelled(done, request.runs)),
        false => Ok(()),
    }
}

/// Runs what is ready as `request` says. `backend` is the name that the report bears.
///
/// # Errors
/// A forward that fails, a stop by the observer.
pub(crate) fn measure(
    backend: BackendKind,
    request: &Request,
    observer: &dyn Observer,
    ready: &mut dyn Forward,
) -> Result<Outcome, RunError> {
    let none = |e: RunError| e.after(0, request.runs);
    let mut notes = ready.notes();
    let mut launched = None;
    let mut check = None;
    if request.check {
        match ready.check(observer).map_err(none)? {
            Checked::Done(made, mut report) => {
                launched = Some(made);
                if !request.tensors {
                    report.tensors = Vec::new();
                }
                if request.wrong {
                    report.wrong = ready.wrong()?;
                }
                check = Some(report);
            }
            Checked::Not(why) => notes.push(why),
        }
    }
    let mut bytes = BytesReport {
        modelled: Some(ready.planned().cost.forward.bytes()),
        ..BytesReport::default()
    };
    let mut time_us = None;
    let mut kernels = Vec::new();
    let mut trace = None;
    // No time is taken of a wrong result, nor is it counted.
    if check.as_ref().is_none_or(|c: &CheckReport| c.pass) {
        if let Some(clock) = ready.clock() {
            let (last, times) = times(request, observer, ready)?;
            launched = last.or(launched);
            let rest = match request.pause_ms {
                0 => String::new(),
                pause => format!(", {pause} ms of rest before each"),
            };
            let how = format!("{clock}, after {} warm-up runs{rest}", request.warm_up);
            time_us = Timing::of(&times, how);
        }
        if backend.is_gpu() {
            let moved = bytes.modelled.zip(time_us.as_ref().map(|t| t.median));
            notes.extend(over_roof(&ready.device(), moved));
        }
        if request.count_bytes {
            let counted = ready.count(observer)?;
            launched = launched.or(counted.launched);
            sum(&counted.kernels, &mut bytes);
            let behind = || request.behind.unwrap_or(A100_L2);
            bytes.behind = bytes.estimated_dram.map(|_| behind());
            kernels = counted.kernels;
            notes.extend(counted.why_not);
        }
        if request.trace {
            match ready.traced(observer)? {
                Ok(made) => trace = Some(made),
                Err(why) => notes.push(format!("no timeline: {why}")),
            }
        }
        if request.profiled {
            ready.profiled(observer)?;
        }
    }
    let launches = match launched {
        Some(launched) => launched,
        None => ready.forward(observer).map_err(none)?,
    };
    notes.extend(ready.told());
    let logits = match request.again {
        true => Vec::new(),
        false => ready.logits()?,
    };
    let allocations = ready.allocations();
    let Planned { plan, cost, .. } = ready.planned();
    let cut = cost.config.effective_cut();
    let fusions = cut.fusions();
    let report = Report {
        schema: 1,
        backend: backend.name().to_owned(),
        device: ready.device(),
        plan: PlanReport {
            fusions: fusions.iter().map(|f| f.name().to_owned()).collect(),
            groups: cut.groups(),
            launches: plan.launches() as u64,
        },
        launches,
        time_us,
        bytes,
        check,
        output: output(&cost.config.model, request, &logits),
        held_bytes: Some(total_bytes(&allocations)),
        kernels,
        trace,
        notes,
    };
    Ok(Outcome {
        report,
        logits,
        allocations,
    })
}

/// Forwards that are not timed, then forwards that are: the launches of the last, and
/// microseconds.
fn times(
    request: &Request,
    observer: &dyn Observer,
    ready: &mut dyn Forward,
) -> Result<(Option<LaunchReport>, Vec<f64>), RunError> {
    let (warm_up, runs) = (request.warm_up, request.runs);
    let mut launched = None;
    for done in 0..warm_up {
        step(
            request,
            observer,
            Progress::new(Phase::WarmUp, done, warm_up),
        )?;
        launched = Some(ready.forward(observer).map_err(|e| e.after(0, runs))?);
    }
    ready.warmed(runs > 0)?;
    let mut times = Vec::new();
    for done in 0..runs {
        step(request, observer, Progress::new(Phase::Timing, done, runs))?;
        // A device under load lowers its clock; after a rest it is what it can be.
        thread::sleep(Duration::from_millis(u64::from(request.pause_ms)));
        let (made, time) = ready.timed(observer).map_err(|e| e.after(done, runs))?;
        launched = Some(made);
        match time {
            Some(time) => times.push(time),
            // A device without a clock is not made to run for nothing.
            None => break,
        }
    }
    Ok((launched, times))
}

/// Adds the sums over the kernels to what is known of the forward.
fn sum(kernels: &[KernelReport], bytes: &mut BytesReport) {
    if kernels.is_empty() {
        return;
    }
    let sum = |of: fn(&BytesReport) -> Option<u64>| -> Option<u64> {
        kernels.iter().map(|k| of(&k.bytes)).sum()
    };
    bytes.issued = sum(|b| b.issued);
    bytes.compulsory = sum(|b| b.compulsory);
    bytes.estimated_dram = sum(|b| b.estimated_dram);
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

/// Values that are digested at a time.
const DIGESTED: usize = 1 << 12;

/// The logits in short; without them their shape alone.
fn output(model: &Model, request: &Request, logits: &[f32]) -> OutputReport {
    let shape = request.config.shape;
    let mut hash = Sha256::new();
    for values in logits.chunks(DIGESTED) {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        hash.update(bytes);
    }
    let vocab = usize::try_from(model.vocab).unwrap_or(usize::MAX);
    let seq = usize::try_from(shape.seq).unwrap_or(usize::MAX);
    let last = seq.saturating_sub(1).saturating_mul(vocab);
    OutputReport {
        shape: vec![shape.batch, shape.seq, model.vocab],
        sha256: match request.again {
            true => String::new(),
            false => hash.finalize().iter().map(|b| format!("{b:02x}")).collect(),
        },
        sample: logits
            .get(last..)
            .unwrap_or_default()
            .iter()
            .take(SAMPLE.min(vocab))
            .copied()
            .collect(),
    }
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
