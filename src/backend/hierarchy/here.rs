//! On this CPU: a chain of loads, and sums over a working set by one thread and by all.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::SAMPLES;
use super::chain::chain;
use crate::cpu::{Isa, Threads, available_bytes};
use crate::device;
use plan::run::{CacheSize, MemoryReport, MemoryRow, Observer, Phase, Progress, RunError};

/// Elements of 4 bytes in a line of today's CPUs.
const LINE: usize = 16;
/// How long a sample takes at least.
const LONG_ENOUGH: Duration = Duration::from_millis(1);
/// Bytes of a part below which a thread has too little to read.
const LEAST_PART: u64 = 4 << 10;

pub(super) fn measure(
    sizes: &[u64],
    largest: u64,
    observer: &dyn Observer,
) -> Result<MemoryReport, RunError> {
    if available_bytes().is_some_and(|free| free / 2 < largest) {
        return Err(RunError::missing(format!(
            "a working set of {} MiB is more than half of the free memory; --to takes a smaller one",
            largest >> 20
        )));
    }
    let threads = Threads::new(None);
    let units = threads.count() as u64;
    let mut rows = Vec::with_capacity(sizes.len());
    for (done, bytes) in (0..).zip(sizes) {
        observer.progress(Progress::new(Phase::Timing, done, sizes.len() as u32));
        if observer.cancelled() {
            // What was measured until then is kept.
            if rows.is_empty() {
                return Err(RunError::cancelled(done, sizes.len() as u32));
            }
            break;
        }
        let next = chain((bytes / 4) as usize, LINE);
        let alone = Threads::new(Some(1));
        rows.push(MemoryRow {
            bytes: *bytes,
            latency_ns: latency(&next),
            one_gbs: rates(&next, &alone)?,
            all_gbs: match bytes / units >= LEAST_PART {
                true => rates(&next, &threads)?,
                false => Vec::new(),
            },
        });
    }
    Ok(MemoryReport {
        schema: 1,
        device: device::describe(threads.count(), Isa::detect()),
        units,
        caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
        rows,
        notes: notes(),
    })
}

fn notes() -> Vec<String> {
    let mut notes = vec![format!(
        "{SAMPLES} samples of 1 ms and more, monotonic clock; a load per line of {} bytes in random order, pages of the system's usual size: what translating an address costs is in the time",
        4 * LINE
    )];
    if cfg!(debug_assertions) {
        notes.push(
            "this build is not optimised: sums are as slow as its instructions, not as its caches"
                .to_owned(),
        );
    }
    notes
}

/// Nanoseconds of a load in a chain.
fn latency(next: &[u32]) -> Vec<f64> {
    let mut here = 0;
    let mut steps = 4096;
    let mut samples = Vec::with_capacity(SAMPLES);
    while samples.len() < SAMPLES {
        // The set is in the caches as far as it fits.
        black_box(total(next));
        let begun = Instant::now();
        for _ in 0..steps {
            here = next.get(here as usize).copied().unwrap_or(0);
        }
        let took = begun.elapsed();
        here = black_box(here);
        match took < LONG_ENOUGH && steps < 1 << 28 {
            true => steps *= 2,
            false => samples.push(took.as_secs_f64() * 1e9 / f64::from(steps)),
        }
    }
    samples
}

/// Sum over a part, in lanes that a compiler makes vectors of.
fn total(part: &[u32]) -> u32 {
    let (chunks, rest) = part.as_chunks::<64>();
    let mut lanes = [0_u32; 64];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = lane.wrapping_add(*value);
        }
    }
    let all = lanes.iter().chain(rest);
    all.fold(0, |sum, value| sum.wrapping_add(*value))
}

/// 10⁹ bytes per second, each thread its own part, again and again.
fn rates(data: &[u32], threads: &Threads) -> Result<Vec<f64>, RunError> {
    let part = data.len().div_ceil(threads.count()).max(1);
    let parts: Vec<&[u32]> = data.chunks(part).collect();
    let sums: Vec<Mutex<u32>> = parts.iter().map(|_| Mutex::new(0)).collect();
    let mut passes = 1_u32;
    let mut samples = Vec::with_capacity(SAMPLES);
    // One sample more, which warms up.
    while samples.len() <= SAMPLES {
        let begun = Instant::now();
        threads.run(parts.len(), &|chunk, _| {
            let (Some(part), Some(Ok(mut sum))) =
                (parts.get(chunk), sums.get(chunk).map(Mutex::lock))
            else {
                return;
            };
            for _ in 0..passes {
                *sum = sum.wrapping_add(total(black_box(part)));
            }
        })?;
        let took = begun.elapsed();
        match took < LONG_ENOUGH && passes < 1 << 24 {
            true => passes *= 2,
            false => {
                let bytes = 4.0 * data.len() as f64 * f64::from(passes);
                samples.push(bytes / took.as_secs_f64() * 1e-9);
            }
        }
    }
    samples.remove(0);
    Ok(samples)
}

/// Data caches of a core as Linux lists them, the smallest first; none elsewhere.
fn caches(folder: &Path) -> Vec<CacheSize> {
    let read = |index: usize, what: &str| {
        let text = fs::read_to_string(folder.join(format!("index{index}/{what}"))).ok()?;
        Some(text.trim().to_owned())
    };
    let found = (0..16).filter_map(|index| {
        let kind = read(index, "type")?;
        if kind == "Instruction" {
            return None;
        }
        let level: u32 = read(index, "level")?.parse().ok()?;
        Some(CacheSize {
            name: format!("L{level}"),
            bytes: size(&read(index, "size")?)?,
        })
    });
    let mut found: Vec<CacheSize> = found.collect();
    found.sort_by_key(|cache| cache.bytes);
    found
}

/// `48K`, `2M`.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = text.split_at(text.len().checked_sub(1)?);
    let shift = match unit {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return text.parse().ok(),
    };
    digits.parse::<u64>().ok()?.checked_shl(shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::run::Unwatched;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn sizes_of_caches_are_read() {
        assert_eq!(size("48K"), Some(48 << 10));
        assert_eq!(size("2M"), Some(2 << 20));
        assert_eq!(size("512"), Some(512));
        assert_eq!((size(""), size("manyK")), (None, None));
        let folder = tempfile::tempdir().unwrap();
        for (index, level, kind, bytes) in [
            (0, "1", "Data", "48K"),
            (1, "1", "Instruction", "32K"),
            (2, "2", "Unified", "2048K"),
        ] {
            let at = folder.path().join(format!("index{index}"));
            fs::create_dir_all(&at).unwrap();
            for (name, text) in [("level", level), ("type", kind), ("size", bytes)] {
                fs::write(at.join(name), format!("{text}\n")).unwrap();
            }
        }
        let found = caches(folder.path());
        let found: Vec<(&str, u64)> = found.iter().map(|c| (c.name.as_str(), c.bytes)).collect();
        assert_eq!(found, [("L1", 48 << 10), ("L2", 2 << 20)]);
        assert_eq!(caches(Path::new("/nowhere")), []);
    }

    /// Stops before the set of this number.
    struct Stops(AtomicU32, u32);

    impl Observer for Stops {
        fn progress(&self, progress: Progress) {
            self.0.store(progress.done, Ordering::Relaxed);
        }

        fn cancelled(&self) -> bool {
            self.0.load(Ordering::Relaxed) >= self.1
        }
    }

    #[test]
    fn a_stop_leaves_the_sets_before_it() {
        let sizes = [4 << 10, 6 << 10, 8 << 10];
        let stopped = |at: u32| measure(&sizes, 8 << 10, &Stops(0.into(), at));
        let sets: Vec<u64> = stopped(2).unwrap().rows.iter().map(|r| r.bytes).collect();
        assert_eq!(sets, sizes[..2]);
        let said = stopped(0).unwrap_err();
        assert_eq!(said.kind, plan::run::RunErrorKind::Cancelled);
    }

    #[test]
    fn a_sum_is_a_sum_whatever_its_length() {
        let data: Vec<u32> = (0..1000).collect();
        // n (n - 1) / 2.
        assert_eq!(total(&data), 499_500);
        assert_eq!(total(&data[..7]), 21);
    }

    #[test]
    fn every_set_has_its_figures_and_small_parts_none() {
        // Not a timed test: only that something was read and clocked.
        let report = measure(&[4 << 10, 64 << 10], 64 << 10, &Unwatched).unwrap();
        for row in &report.rows {
            assert_eq!(
                (row.latency_ns.len(), row.one_gbs.len()),
                (SAMPLES, SAMPLES)
            );
            let all = row
                .latency_ns
                .iter()
                .chain(&row.one_gbs)
                .chain(&row.all_gbs);
            assert!(all.clone().all(|v| v.is_finite() && *v > 0.0), "{row:?}");
            assert_eq!(
                row.all_gbs.is_empty(),
                row.bytes / report.units < LEAST_PART
            );
        }
    }
}
