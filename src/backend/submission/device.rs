//! A learner's kernel on a GPU: compiled for the very device, every case run there, and
//! timed beside the worked kernel. What only the machine sees, wrong accesses, races and
//! bytes, is left to it.

use super::compiled::{first_errors, source_of};
use super::task::{Case, Rest, Task, task};
use super::text;
use super::values::{printed, wrong};
use crate::gpu::{Call, Driver, Function, GpuError, GpuErrorKind, Memory, Parameter};
use crate::runner::Runner;
use plan::run::listing::Listing;
use plan::run::{
    BackendKind, Candidate, Criterion, Refusal, RunError, Submission, SubmissionOutcome, Unwatched,
    median,
};
use plan::units::figure;

/// Timed launches, behind one that warms up.
const RUNS: usize = 15;

/// Runs a written kernel on the first GPU of a backend. It may hang, or take the device
/// down: call it where it can be killed, and after the machine accepted it where that can
/// be asked.
pub fn judge_on(kind: BackendKind, submission: &Submission) -> SubmissionOutcome {
    let Candidate::Written { text, file } = &submission.candidate else {
        return SubmissionOutcome::Failed("the gap form is judged by the machine".to_owned());
    };
    let listing = Listing::named(&submission.source);
    let (Ok(listing), Some(task)) = (listing, task(&submission.source)) else {
        return SubmissionOutcome::Failed(format!(
            "{} has no kernel to be written",
            submission.source
        ));
    };
    let refused = |criterion, seen| {
        SubmissionOutcome::Refused(Refusal {
            criterion,
            seen,
            known: Vec::new(),
        })
    };
    if let Err(what) = text::allowed(text) {
        return refused(Criterion::Compiles, what.of(file));
    }
    let mut runner = Runner::all();
    let opened = runner
        .backend(kind)
        .and_then(|backend| backend.driver(&Unwatched));
    let driver = match opened {
        Ok(driver) => driver,
        Err(why) => return SubmissionOutcome::NoCompiler(why.to_string()),
    };
    let own = match driver.load_source(&listing.entry, &source_of(text, file)) {
        Ok(own) => own,
        Err(why) if why.kind == GpuErrorKind::Missing => {
            return SubmissionOutcome::NoCompiler(why.to_string());
        }
        Err(why) => return refused(Criterion::Compiles, first_errors(&why.to_string())),
    };
    match compared(driver, kind, task, &listing, own) {
        Ok(Ok((cases, said))) => SubmissionOutcome::Accepted {
            issued: 0,
            cases,
            praise: said,
        },
        Ok(Err((criterion, seen))) => {
            refused(criterion, format!("on {}: {seen}", driver.describe()))
        }
        Err(why) => SubmissionOutcome::Failed(RunError::from(why).to_string()),
    }
}

/// How many cases were right and what is said of them, or the first that is not.
type Seen = Result<(u32, Vec<String>), (Criterion, String)>;

fn compared(
    driver: &mut dyn Driver,
    kind: BackendKind,
    task: &Task,
    listing: &Listing,
    own: Function,
) -> Result<Seen, GpuError> {
    let tiny = std::iter::once((Criterion::Tiny, task.tiny()));
    let rest = task.cases().map(|case| (Criterion::Shapes, case));
    let mut cases = 0;
    for (criterion, case) in tiny.chain(rest) {
        let mut outputs = Vec::new();
        on(driver, task, own, &case, &mut |driver, call, buffers| {
            driver.launch(call)?;
            outputs = read(driver, task, &case, buffers)?;
            Ok(())
        })?;
        if let Some(mut seen) = wrong(task, &outputs, &case) {
            if criterion == Criterion::Tiny {
                seen.push_str(&printed(task, &case, &outputs));
            }
            return Ok(Err((criterion, seen)));
        }
        cases += 1;
    }
    let wide = task.wide();
    let worked = driver.load_source(&listing.entry, &source_of(&listing.worked(), "worked.cu"))?;
    let mut times = [0.0; 2];
    for (time, function) in times.iter_mut().zip([own, worked]) {
        on(driver, task, function, &wide, &mut |driver, call, _| {
            let took = (0..=RUNS).map(|_| timed(driver, call));
            let took = took.collect::<Result<Vec<f64>, GpuError>>()?;
            *time = median(took.get(1..).unwrap_or_default()).unwrap_or(0.0);
            Ok(())
        })?;
    }
    let [own, worked] = times.map(|us| figure::measured(1e-6 * us));
    let device = driver.describe();
    let mut said = vec![format!(
        "On {device}: {cases} cases are right; {own} at {}, median of {RUNS}, and the worked kernel takes {worked}.",
        wide.name
    )];
    said.extend(kind.unproved().map(|why| format!("({why})")));
    Ok(Ok((cases, said)))
}

/// What is done with the launch of a case, whose buffers are listed.
type Then<'t> = dyn FnMut(&mut dyn Driver, &Call<'_>, &[Memory]) -> Result<(), GpuError> + 't;

/// Puts a case on the device and does something with its launch.
fn on(
    driver: &mut dyn Driver,
    task: &Task,
    function: Function,
    case: &Case,
    then: &mut Then<'_>,
) -> Result<(), GpuError> {
    let mut held = Vec::new();
    let done = placed(driver, task, function, case, &mut held, then);
    for memory in held {
        driver.free(memory);
    }
    done
}

fn placed(
    driver: &mut dyn Driver,
    task: &Task,
    function: Function,
    case: &Case,
    held: &mut Vec<Memory>,
    then: &mut Then<'_>,
) -> Result<(), GpuError> {
    let frame = (task.frame)(&case.extents);
    for ((name, _), values) in frame.inputs.iter().zip(&case.inputs) {
        let memory = driver.alloc(name, (4 * values.len() as u64).max(4))?;
        held.push(memory);
        driver.upload(memory, 0, bytemuck::cast_slice(values))?;
    }
    for (name, length) in &frame.outputs {
        let memory = driver.alloc(name, (4 * *length as u64).max(4))?;
        held.push(memory);
        // What is never written is not a number.
        driver.fill(memory, 0xff)?;
    }
    let buffers = held.iter().map(|m| Parameter::Long(driver.address(*m)));
    let rest = frame.rest.iter().map(|rest| match rest {
        Rest::Int(n) => Parameter::Word(*n as u32),
        Rest::Long(n) => Parameter::Long(*n as u64),
        Rest::Float(value) => Parameter::Word(value.to_bits()),
    });
    let parameters: Vec<Parameter> = buffers.chain(rest).collect();
    let call = Call {
        function,
        grid: [frame.geometry.grid[0], frame.geometry.grid[1], 1],
        threads: frame.geometry.threads,
        shared: 0,
        cooperative: frame.geometry.cooperative,
        overlap: false,
        parameters: &parameters,
    };
    then(driver, &call, held)
}

fn timed(driver: &mut dyn Driver, call: &Call<'_>) -> Result<f64, GpuError> {
    let from = driver.mark()?;
    driver.launch(call)?;
    let to = driver.mark()?;
    driver.synchronize()?;
    match from.zip(to) {
        Some((from, to)) => driver.elapsed_us(from, to),
        None => Err(GpuError::missing("the device has no clock")),
    }
}

/// The outputs, which lie behind the inputs.
fn read(
    driver: &mut dyn Driver,
    task: &Task,
    case: &Case,
    buffers: &[Memory],
) -> Result<Vec<Vec<f32>>, GpuError> {
    let frame = (task.frame)(&case.extents);
    let outputs = buffers.iter().skip(frame.inputs.len());
    let read = outputs.zip(&frame.outputs).map(|(memory, (_, length))| {
        let mut values = vec![0.0_f32; *length];
        driver.download(*memory, 0, bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    });
    read.collect()
}
