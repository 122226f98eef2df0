//! Two troubles that only a clock shows: a host that reads back after every launch, and a
//! device whose clock has come down.

use std::thread;
use std::time::{Duration, Instant};

use super::roofs::{large, product};
use super::there::{launch, timed};
use crate::gpu::{CompileUnit, Driver, GpuError, Memory, Parameter};
use crate::runner::Runner;
use plan::run::{BackendKind, Pair, RunError, Troubles, Unwatched};

/// Launches of a sample, and samples of each side.
const LAUNCHES: usize = 64;
const SAMPLES: usize = 9;
/// How long the device works before its clock is looked at, and rests.
const LOAD: Duration = Duration::from_secs(4);
const REST: Duration = Duration::from_millis(500);
/// Side of the product that it works on.
const SIDE: u64 = 8192;

/// Measures both on the first GPU of a backend.
///
/// # Errors
/// A GPU or a library that is not there, memory that is not free.
pub fn troubles(backend: BackendKind) -> Result<Troubles, RunError> {
    let mut runner = Runner::all();
    let driver = runner.backend(backend)?.driver(&Unwatched)?;
    let device = driver.describe();
    let mut held = Vec::new();
    let found = measured(driver, &mut held);
    for memory in held {
        driver.free(memory);
    }
    let (copies, clock) = found?;
    Ok(Troubles {
        device,
        copies,
        clock,
    })
}

fn measured(driver: &mut dyn Driver, held: &mut Vec<Memory>) -> Result<(Pair, Pair), GpuError> {
    let at = large(driver, held)?;
    let last = held.last().copied();
    let copies = copies(driver, at, last.unwrap_or(Memory(0)))?;
    let mut times = |rests: bool| -> Result<Vec<f64>, GpuError> {
        let mut times = Vec::new();
        for _ in 0..SAMPLES {
            if rests {
                thread::sleep(REST);
            }
            times.push(1e-6 * product(driver, at, SIDE, true)?);
        }
        Ok(times)
    };
    times(false)?;
    let healthy = times(true)?;
    let begun = Instant::now();
    while begun.elapsed() < LOAD {
        times(false)?;
    }
    let sick = times(false)?;
    Ok((copies, Pair { sick, healthy }))
}

/// Seconds per launch by the host's clock: with a wait and a copy of 4 bytes behind each,
/// and with one behind all.
fn copies(driver: &mut dyn Driver, at: [u64; 3], to: Memory) -> Result<Pair, GpuError> {
    let unit = CompileUnit::new("width", &["gym/width.cu"]).define("WIDTH", 4);
    let function = driver.load(&unit, 0)?;
    let [from, _, third] = at.map(Parameter::Long);
    let call = (64, 256, vec![from, third, Parameter::Word(64 * 256)]);
    timed(driver, function, &call)?;
    let mut sample = |each: bool| -> Result<f64, GpuError> {
        let mut word = [0; 4];
        let begun = Instant::now();
        for _ in 0..LAUNCHES {
            launch(driver, function, &call)?;
            if each {
                driver.synchronize()?;
                driver.download(to, 0, &mut word)?;
            }
        }
        driver.synchronize()?;
        driver.download(to, 0, &mut word)?;
        Ok(begun.elapsed().as_secs_f64() / LAUNCHES as f64)
    };
    let mut pair = Pair {
        sick: Vec::new(),
        healthy: Vec::new(),
    };
    for turn in 0..=SAMPLES {
        let (sick, healthy) = (sample(true)?, sample(false)?);
        // The first warms up.
        if turn > 0 {
            pair.sick.push(sick);
            pair.healthy.push(healthy);
        }
    }
    Ok(pair)
}
