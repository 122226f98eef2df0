//! Microbenchmarks on a machine: counted by the SIMT machine, checked against
//! what this program computes itself, and timed on a GPU where one is asked for.

mod launch;

use std::fmt;

use launch::{Launch, Role, Size};

use super::gpu::simt::Simt;
use super::gpu::{Call, CompileUnit, Driver, GpuError, Parameter};
use super::runner::Runner;
use plan::run::{
    BackendKind, Experiment, MicroCounts, MicroReport, MicroRequest, MicroRow, RunError, Timing,
    Unwatched,
};
use simt::{Counts, LaunchRequest, Machine, Options, Program};

/// Timed launches per value, and launches before the clock starts.
const RUNS: u32 = 30;
const WARM_UP: u32 = 5;

/// Every unit of them, for what is compiled ahead.
pub fn units() -> Vec<CompileUnit> {
    launch::units()
}

/// Runs an experiment: every value of its sweep, one after another.
///
/// # Errors
/// A GPU that is not there; a kernel that does something wrong; an output that
/// is not what this program computes.
pub fn run(request: &MicroRequest) -> Result<MicroReport, RunError> {
    // Names and values are checked where a request is made; this one may have
    // come from elsewhere.
    let request = MicroRequest::new(&request.kernel, &request.sweep, request.backend)?;
    let Some(experiment) = Experiment::find(&request.kernel) else {
        return Err(RunError::bad_request("there is no such experiment"));
    };
    let mut simt = Simt::new(Options::default());
    let mut rows = Vec::with_capacity(request.sweep.len());
    for value in &request.sweep {
        let launch = launch::of(experiment.name, *value, Size::Counted)?;
        let (outputs, counts) = executed(&mut simt, &launch)?;
        launch
            .check(&outputs)
            .map_err(|e| wrong(experiment, *value, &e))?;
        rows.push(MicroRow {
            value: *value,
            label: experiment.label(*value),
            counts: short(&counts),
            time_us: None,
        });
    }
    let mut notes = vec![format!(
        "{}; outputs checked against this program's own",
        launch::of(
            experiment.name,
            request.sweep.first().copied().unwrap_or(1),
            Size::Counted
        )?
        .about
    )];
    let mut device = simt.describe();
    if request.backend.is_gpu() {
        device = timed(experiment, request.backend, &mut rows, &mut notes)?;
        notes.extend(request.backend.unproved());
    }
    Ok(MicroReport {
        schema: 1,
        kernel: experiment.name.to_owned(),
        swept: experiment.swept.to_owned(),
        backend: request.backend.name().to_owned(),
        device,
        rows,
        notes,
    })
}

fn wrong(experiment: &Experiment, value: u32, why: &impl fmt::Display) -> RunError {
    RunError::failed(format!(
        "{} at {} {value}: {why}; no figure of a wrong result is shown",
        experiment.name, experiment.swept
    ))
}

/// A launch on the SIMT machine: what it wrote, what it did.
///
/// # Errors
/// PTX that is missing; what the kernel did wrong.
fn executed(simt: &mut Simt, launch: &Launch) -> Result<(Vec<f32>, Counts), RunError> {
    let text = simt.assembly(&launch.unit)?;
    let program = Program::parse(&text)
        .map_err(|e| RunError::failed(format!("{}: {e}", launch.unit.title())))?;
    let mut machine = Machine::new(Options {
        check: true,
        ..Options::default()
    });
    let failed = |e: simt::MachineError| RunError::failed(e.to_string());
    let mut params = Vec::new();
    let mut output = 0;
    for buffer in &launch.buffers {
        let address = machine.alloc(buffer.name, buffer.bytes()).map_err(failed)?;
        match buffer.role {
            Role::Input => machine.write(address, &buffer.contents()).map_err(failed)?,
            Role::Output => output = address,
        }
        params.extend(address.to_le_bytes());
    }
    for word in &launch.words {
        params.extend(word.to_le_bytes());
    }
    let request = LaunchRequest {
        entry: launch.unit.entry,
        grid: launch.grid,
        block: [launch.threads, 1, 1],
        shared: launch.shared,
        params: &params,
        cooperative: false,
    };
    let counts = machine.launch(&program, &request).map_err(failed)?;
    let mut bytes = vec![0; 4 * launch.expected.len()];
    machine.read(output, &mut bytes).map_err(failed)?;
    Ok((floats(&bytes), counts))
}

/// What one launch wrote on two machines.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// On the SIMT machine.
    pub here: Vec<f32>,
    /// On the other.
    pub there: Vec<f32>,
}

/// One launch on the SIMT machine and on another backend.
///
/// # Errors
/// A backend that is not there; what a machine says.
pub fn compared(experiment: &str, value: u32, backend: BackendKind) -> Result<Outputs, RunError> {
    let launch = launch::of(experiment, value, Size::Counted)?;
    let (here, _) = executed(&mut Simt::new(Options::default()), &launch)?;
    let mut runner = Runner::all();
    let driver = runner.backend(backend)?.driver(&Unwatched)?;
    let there = on_device(driver, experiment, value, false)?.0;
    Ok(Outputs { here, there })
}

/// A launch on a device: what it wrote, and its times.
///
/// # Errors
/// What the device says.
fn on_device(
    driver: &mut dyn Driver,
    experiment: &str,
    value: u32,
    timed: bool,
) -> Result<(Vec<f32>, Option<Timing>), RunError> {
    let size = if timed { Size::Timed } else { Size::Counted };
    let launch = launch::of(experiment, value, size)?;
    let function = driver.load(&launch.unit, launch.shared)?;
    let mut held = Vec::new();
    let ran = launched(driver, &launch, function, &mut held, timed);
    for memory in held {
        driver.free(memory);
    }
    Ok(ran?)
}

fn launched(
    driver: &mut dyn Driver,
    launch: &Launch,
    function: super::gpu::Function,
    held: &mut Vec<super::gpu::Memory>,
    timed: bool,
) -> Result<(Vec<f32>, Option<Timing>), GpuError> {
    let mut parameters = Vec::new();
    let mut output = None;
    for buffer in &launch.buffers {
        let memory = driver.alloc(buffer.name, buffer.bytes())?;
        held.push(memory);
        match buffer.role {
            Role::Input => driver.upload(memory, 0, &buffer.contents())?,
            Role::Output => output = Some(memory),
        }
        parameters.push(Parameter::Long(driver.address(memory)));
    }
    parameters.extend(launch.words.iter().map(|word| Parameter::Word(*word)));
    let call = Call {
        function,
        grid: launch.grid,
        threads: launch.threads,
        shared: launch.shared,
        cooperative: false,
        overlap: false,
        parameters: &parameters,
    };
    driver.launch(&call)?;
    driver.synchronize()?;
    let mut times = Vec::new();
    if timed {
        for run in 0..WARM_UP + RUNS {
            let from = driver.mark()?;
            driver.launch(&call)?;
            let to = driver.mark()?;
            driver.synchronize()?;
            if let (Some(from), Some(to), true) = (from, to, run >= WARM_UP) {
                times.push(driver.elapsed_us(from, to)?);
            }
        }
    }
    let mut bytes = vec![0; 4 * launch.expected.len()];
    if let Some(output) = output {
        driver.download(output, 0, &mut bytes)?;
    }
    let how = format!("device events around one launch, after {WARM_UP} warm-up runs");
    Ok((floats(&bytes), Timing::of(&times, how)))
}

/// Fills the times in, measured on the first GPU of a backend; the device in words.
fn timed(
    experiment: &Experiment,
    backend: BackendKind,
    rows: &mut [MicroRow],
    notes: &mut Vec<String>,
) -> Result<String, RunError> {
    let mut runner = Runner::all();
    let driver = runner.backend(backend)?.driver(&Unwatched)?;
    let most = driver.target().shared_per_block;
    let room = |row: &MicroRow| {
        let launch = launch::of(experiment.name, row.value, Size::Counted);
        launch.is_ok_and(|launch| launch.shared <= most)
    };
    let some = rows.iter().any(room);
    let (mut about, mut without) = (String::new(), Vec::new());
    for row in rows.iter_mut() {
        // A block of this device may have less: no time there. Where that leaves nothing,
        // the device says why.
        if some && !room(row) {
            without.push(row.label.clone());
            continue;
        }
        let (outputs, _) = on_device(driver, experiment.name, row.value, false)?;
        launch::of(experiment.name, row.value, Size::Counted)?
            .check(&outputs)
            .map_err(|e| wrong(experiment, row.value, &e))?;
        let (outputs, time) = on_device(driver, experiment.name, row.value, true)?;
        let large = launch::of(experiment.name, row.value, Size::Timed)?;
        large
            .check(&outputs)
            .map_err(|e| wrong(experiment, row.value, &e))?;
        row.time_us = time;
        about = large.about;
    }
    notes.push(format!(
        "times: {about}; median of {RUNS} launches, device events around each; counts are the SIMT machine's"
    ));
    if !without.is_empty() {
        notes.push(format!(
            "no time at {} {}: a block of this device may have {} KiB of shared memory",
            experiment.swept,
            without.join(", "),
            most >> 10
        ));
    }
    Ok(driver.describe())
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let words = bytes.as_chunks::<4>().0;
    words.iter().map(|word| f32::from_le_bytes(*word)).collect()
}

/// The counts that tables show.
fn short(counts: &Counts) -> MicroCounts {
    let total = &counts.total;
    let shared = [total.shared_read, total.shared_written];
    MicroCounts {
        blocks: counts.blocks,
        issued: total.global_read.bytes + total.global_written.bytes,
        compulsory: counts.compulsory_read() + counts.compulsory_written(),
        sectors: total.global_read.sectors,
        sectors_ideal: total.global_read.ideal_sectors,
        sectors_written: total.global_written.sectors,
        shared_requests: shared.iter().map(|s| s.requests).sum(),
        bank_passes: shared.iter().map(|s| s.passes).sum(),
        bank_conflicts: shared.iter().map(|s| s.conflicts()).sum(),
        divergent: total.divergent,
        lane_instructions: total.lanes,
        instructions: total.warp_instructions(),
        barriers: counts.barriers,
        flops: total.flops,
    }
}

#[cfg(test)]
mod tests;
