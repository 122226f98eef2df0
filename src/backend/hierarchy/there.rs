//! On a GPU: one thread in a chain, one block and a block per multiprocessor in sums.

use super::SAMPLES;
use super::chain::chain;
use crate::gpu::{Call, CompileUnit, Driver, Function, GpuError, Memory, Parameter};
use crate::runner::Runner;
use plan::run::{BackendKind, MemoryReport, MemoryRow, Observer, Phase, Progress, RunError};

/// Elements of 4 bytes in a line.
const LINE: usize = 32;
/// Loads of one launch of the chain.
const STEPS: u32 = 8192;
/// Threads of a block that sums.
const THREADS: u32 = 1024;
/// Bytes that each of them reads at once.
pub(super) const PACK: u64 = 16;
/// Bytes that a launch reads at least, by one block and by all: what takes long beside the
/// launch itself.
const ONE: u64 = 64 << 20;
const ALL: u64 = 4 << 30;

pub(super) fn chase() -> CompileUnit {
    CompileUnit::new("chase", &["gym/chase.cu"])
}

pub(super) fn sweep() -> CompileUnit {
    CompileUnit::new("sweep", &["gym/sweep.cu"])
}

/// Threads of a block of a kernel that sums: as many as its registers leave it.
pub(super) fn threads(driver: &dyn Driver, sweep: Function) -> u32 {
    match driver.facts(sweep).max_threads {
        0 => THREADS,
        most => most.min(THREADS),
    }
}

pub(super) fn measure(
    backend: BackendKind,
    sizes: &[u64],
    largest: u64,
    observer: &dyn Observer,
) -> Result<MemoryReport, RunError> {
    let mut runner = Runner::all();
    let driver = runner.backend(backend)?.driver(observer)?;
    if driver.free_memory().is_some_and(|free| free / 2 < largest) {
        return Err(RunError::missing(format!(
            "a working set of {} MiB is more than half of the device's free memory; --to takes a smaller one",
            largest >> 20
        )));
    }
    let device = driver.describe();
    let units = u64::from(driver.target().sms);
    let functions = [driver.load(&chase(), 0)?, driver.load(&sweep(), 0)?];
    let threads = threads(driver, functions[1]);
    let mut held = Vec::new();
    let measured = sets(driver, functions, sizes, observer, &mut held);
    for memory in held {
        driver.free(memory);
    }
    Ok(MemoryReport {
        schema: 1,
        device,
        units,
        caches: Vec::new(),
        rows: measured?,
        notes: std::iter::once(format!(
            "{SAMPLES} samples, device events around launches of {STEPS} loads, a load per line of {} bytes in random order; one block of {threads} threads, and one per multiprocessor",
            4 * LINE
        ))
        .chain(backend.unproved())
        .collect(),
    })
}

/// All working sets, in one piece of memory.
fn sets(
    driver: &mut dyn Driver,
    [chase, sweep]: [Function; 2],
    sizes: &[u64],
    observer: &dyn Observer,
    held: &mut Vec<Memory>,
) -> Result<Vec<MemoryRow>, RunError> {
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let units = driver.target().sms;
    let threads = threads(driver, sweep);
    let mut take = |driver: &mut dyn Driver, name: &str, bytes: u64| {
        let memory = driver.alloc(name, bytes)?;
        held.push(memory);
        Ok::<Memory, GpuError>(memory)
    };
    let data = take(driver, "working set", largest)?;
    let at = take(driver, "place", 4)?;
    let sums = take(driver, "sums", 4 * u64::from(units * threads))?;
    let mut rows = Vec::with_capacity(sizes.len());
    for (done, bytes) in (0..).zip(sizes) {
        observer.progress(Progress::new(Phase::Timing, done, sizes.len() as u32));
        if observer.cancelled() {
            return Err(RunError::cancelled(done, sizes.len() as u32));
        }
        let next = chain((bytes / 4) as usize, LINE);
        let words: Vec<u8> = next.iter().flat_map(|word| word.to_le_bytes()).collect();
        driver.upload(data, 0, &words)?;
        driver.upload(at, 0, &0_u32.to_le_bytes())?;
        let [set, place, sums] = [data, at, sums].map(|m| Parameter::Long(driver.address(m)));
        let read = |blocks: u32, least: u64| {
            let packs = bytes / u64::from(blocks) / PACK;
            let passes = least.div_ceil(packs * PACK * u64::from(blocks)).max(1);
            let parameters = vec![
                set,
                sums,
                Parameter::Word(packs as u32),
                Parameter::Word(passes as u32),
            ];
            let moved = packs * PACK * u64::from(blocks) * passes;
            ((blocks, threads, parameters), moved as f64)
        };
        let (warm, _) = read(1, 0);
        let walk = (1, 1, vec![set, place, Parameter::Word(STEPS)]);
        let mut row = MemoryRow {
            bytes: *bytes,
            ..MemoryRow::default()
        };
        for sample in 0..=SAMPLES {
            launch(driver, sweep, &warm)?;
            let us = timed(driver, chase, &walk)?;
            if sample > 0 {
                row.latency_ns.push(1e3 * us / f64::from(STEPS));
            }
        }
        let mut rates = |blocks: u32, least: u64| -> Result<Vec<f64>, GpuError> {
            let (call, moved) = read(blocks, least);
            let samples = (0..=SAMPLES).map(|_| Ok(1e-3 * moved / timed(driver, sweep, &call)?));
            let mut samples = samples.collect::<Result<Vec<f64>, GpuError>>()?;
            samples.remove(0);
            Ok(samples)
        };
        let part = PACK * u64::from(threads);
        if *bytes >= part {
            row.one_gbs = rates(1, ONE)?;
        }
        if *bytes >= part * u64::from(units) {
            row.all_gbs = rates(units, ALL)?;
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Blocks, threads of each, parameters.
pub(super) type Shape = (u32, u32, Vec<Parameter>);

pub(super) fn launch(
    driver: &mut dyn Driver,
    function: Function,
    (blocks, threads, parameters): &Shape,
) -> Result<(), GpuError> {
    driver.launch(&Call {
        function,
        grid: [*blocks, 1, 1],
        threads: *threads,
        shared: 0,
        cooperative: false,
        overlap: false,
        parameters,
    })
}

/// Microseconds of one launch.
pub(super) fn timed(
    driver: &mut dyn Driver,
    function: Function,
    call: &Shape,
) -> Result<f64, GpuError> {
    between(driver, |driver| launch(driver, function, call))
}

/// Microseconds between two marks around some work.
pub(super) fn between(
    driver: &mut dyn Driver,
    work: impl FnOnce(&mut dyn Driver) -> Result<(), GpuError>,
) -> Result<f64, GpuError> {
    let from = driver.mark()?;
    work(driver)?;
    let to = driver.mark()?;
    driver.synchronize()?;
    match from.zip(to) {
        Some((from, to)) => driver.elapsed_us(from, to),
        None => Err(GpuError::missing("the device has no clock")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::simt::Simt;
    use crate::hierarchy::chain::chain;
    use simt::Options;

    /// The kernels on the SIMT machine, against the walk and the sum of this program.
    #[test]
    fn the_kernels_walk_and_sum() {
        let mut simt = Simt::new(Options::default());
        let next = chain(1024, LINE);
        let words: Vec<u8> = next.iter().flat_map(|word| word.to_le_bytes()).collect();
        let driver: &mut dyn Driver = &mut simt;
        let data = driver.alloc("working set", 4096).unwrap();
        driver.upload(data, 0, &words).unwrap();
        let out = driver.alloc("out", 4 * 64).unwrap();
        driver.fill(out, 0).unwrap();
        let [set, to] = [data, out].map(|m| Parameter::Long(driver.address(m)));
        let function = driver.load(&chase(), 0).unwrap();
        launch(
            driver,
            function,
            &(1, 1, vec![set, to, Parameter::Word(20)]),
        )
        .unwrap();
        let mut word = [0; 4];
        driver.download(out, 0, &mut word).unwrap();
        let walked = (0..20).fold(0, |here, _| next[here] as usize);
        assert_eq!(u32::from_le_bytes(word) as usize, walked);

        // Two blocks of 32 threads, 128 packs each, two passes: weights 1 and 2.
        let function = driver.load(&sweep(), 0).unwrap();
        let words = vec![set, to, Parameter::Word(128), Parameter::Word(2)];
        launch(driver, function, &(2, 32, words)).unwrap();
        let mut sums = vec![0; 4 * 64];
        driver.download(out, 0, &mut sums).unwrap();
        let found = sums.as_chunks::<4>().0.iter();
        let found = found.fold(0_u32, |sum, word| {
            sum.wrapping_add(u32::from_le_bytes(*word))
        });
        let packs = next.as_chunks::<4>().0.iter();
        let once = packs.fold(0_u32, |sum, p| sum.wrapping_add(p[0] ^ p[1] ^ p[2] ^ p[3]));
        assert_eq!(found, once.wrapping_mul(3));
    }
}
