//! Two troubles that only a clock shows: a host that reads back after every launch, and a
//! device whose clock has come down.

use std::thread;
use std::time::{Duration, Instant};

use super::roofs::{large, product};
use super::there::{between, launch, timed};
use crate::gpu::{Call, CompileUnit, Driver, Function, GpuError, GpuErrorKind, Memory, Parameter};
use crate::runner::Runner;
use plan::run::{BackendKind, Pair, RunError, Troubles, Unwatched};

/// Launches of a sample, and samples of each side.
const LAUNCHES: usize = 64;
const SAMPLES: usize = 9;
/// How long the device works before its clock is looked at, and rests.
const LOAD: Duration = Duration::from_secs(4);
const REST: Duration = Duration::from_millis(500);
/// Side of the product that it works on: the library's, or where there is none the gym's
/// in tiles of as many threads.
const SIDE: u64 = 8192;
const OWN: u32 = 4096;
const TILE: u32 = 16;

/// Measures both on the first GPU of a backend.
///
/// # Errors
/// A GPU or a library that is not there, memory that is not free.
pub fn troubles(backend: BackendKind) -> Result<Troubles, RunError> {
    let mut runner = Runner::all();
    let driver = runner.backend(backend)?.driver(&Unwatched)?;
    let device = driver.describe();
    let mut held = Vec::new();
    let mut notes: Vec<String> = backend.unproved().into_iter().collect();
    let found = measured(driver, &mut held, &mut notes);
    for memory in held {
        driver.free(memory);
    }
    let (copies, clock) = found?;
    Ok(Troubles {
        device,
        copies,
        clock,
        notes,
    })
}

fn measured(
    driver: &mut dyn Driver,
    held: &mut Vec<Memory>,
    notes: &mut Vec<String>,
) -> Result<(Pair, Pair), GpuError> {
    let at = large(driver, held)?;
    let last = held.last().copied();
    let copies = copies(driver, at, last.unwrap_or(Memory(0)))?;
    let own = match product(driver, at, SIDE, true) {
        Ok(_) => None,
        // The backend has no library, or it is not installed.
        Err(why) if why.kind == GpuErrorKind::Missing => {
            notes.push(format!(
                "clock: the product is this program's own, {OWN} × {OWN} × {OWN} in fp32, as no \
                 library is here"
            ));
            let unit = CompileUnit::new("tile", &["gym/tile.cu"]).define("TILE", TILE);
            Some(driver.load(&unit, 0)?)
        }
        Err(why) => return Err(why),
    };
    let mut times = |rests: bool| -> Result<Vec<f64>, GpuError> {
        let mut times = Vec::new();
        for _ in 0..SAMPLES {
            if rests {
                thread::sleep(REST);
            }
            let us = match own {
                None => product(driver, at, SIDE, true)?,
                Some(function) => between(driver, |driver| tiles(driver, function, at))?,
            };
            times.push(1e-6 * us);
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

/// The gym's product of two squares.
fn tiles(driver: &mut dyn Driver, function: Function, at: [u64; 3]) -> Result<(), GpuError> {
    let [a, b, c] = at.map(Parameter::Long);
    let side = Parameter::Word(OWN);
    driver.launch(&Call {
        function,
        grid: [OWN / TILE, OWN / TILE, 1],
        threads: TILE * TILE,
        shared: 0,
        cooperative: false,
        overlap: false,
        parameters: &[a, b, c, side, side],
    })
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
