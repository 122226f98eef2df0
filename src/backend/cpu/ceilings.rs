//! What this machine's CPU can do at most: the roof over its own runs.
//!
//! Two figures, measured with the threads, the micro-kernel and the memory that
//! the runs use: bytes per second of a copy that no cache holds, and FLOP/s of
//! a matrix product that stays in the first caches.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::errors::defect;
use super::memory::available_bytes;
use super::micro::{Left, Out};
use super::panels::Panels;
use super::ready::Threads;
use super::simd::Isa;
use plan::model::Dtype;
use plan::run::RunError;

/// Elements of each of the two arrays of the copy: 128 MiB, several times the
/// last-level cache of today's CPUs.
const COPIED: usize = 32 << 20;
/// Rows, inputs and outputs of the product: a tile of the workshop's own size.
const PRODUCT: [usize; 3] = [48, 256, 256];
/// How often each is repeated.
const REPEATS: usize = 7;
/// How long one repeat of the product takes at least.
const LONG_ENOUGH: Duration = Duration::from_millis(20);

/// What measurements of the ceilings of this CPU gave, one after another. Which of them
/// count is not said here.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates {
    /// Bytes read and written per second by a copy.
    pub copy: Vec<f64>,
    /// FLOP/s of fp32 products on all threads; a multiply-accumulate is 2.
    pub product: Vec<f64>,
}

impl Rates {
    /// Measures them, in about a second.
    ///
    /// # Errors
    /// When the arrays of the copy do not fit in memory.
    pub fn measure(threads: &Threads) -> Result<Self, RunError> {
        Ok(Self {
            copy: copy(threads)?,
            product: product(threads)?,
        })
    }
}

fn copy(threads: &Threads) -> Result<Vec<f64>, RunError> {
    let needed = 2 * COPIED as u64 * 4;
    if available_bytes().is_some_and(|free| free < 2 * needed) {
        return Err(RunError::missing(
            "the memory's ceiling is not measured: fewer than 512 MiB are free",
        ));
    }
    let count = threads.count();
    let part = COPIED.div_ceil(count);
    // Values that differ, and pages that are touched before the clock starts.
    let from: Vec<f32> = (0..COPIED).map(|i| i as f32).collect();
    let mut to = vec![1.0f32; COPIED];
    let mut rates = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        let parts: Vec<Mutex<(&[f32], &mut [f32])>> = from
            .chunks(part)
            .zip(to.chunks_mut(part))
            .map(Mutex::new)
            .collect();
        let start = Instant::now();
        threads.run(parts.len(), &|chunk, _| {
            if let Some(Ok(mut pair)) = parts.get(chunk).map(Mutex::lock) {
                let (from, to) = &mut *pair;
                to.copy_from_slice(from);
            }
        })?;
        rates.push(2.0 * COPIED as f64 * 4.0 / start.elapsed().as_secs_f64());
    }
    if to.last() != from.last() {
        return Err(defect("the copy did not copy"));
    }
    Ok(rates)
}

fn product(threads: &Threads) -> Result<Vec<f64>, RunError> {
    let [rows, inputs, outputs] = PRODUCT;
    let weight: Vec<f32> = (0..inputs * outputs)
        .map(|i| (i % 97) as f32 / 97.0 - 0.5)
        .collect();
    let panels = Panels::pack(Isa::detect(), Dtype::Fp32, &weight, outputs, inputs)
        .ok_or_else(|| defect("the panels of the ceiling were not packed"))?;
    let a: Vec<f32> = (0..rows * inputs)
        .map(|i| (i % 89) as f32 / 89.0 - 0.5)
        .collect();
    let workers: Vec<Mutex<Vec<f32>>> = (0..threads.count())
        .map(|_| Mutex::new(vec![0.0f32; rows * outputs]))
        .collect();
    let once = |out: &mut Vec<f32>| {
        let left = Left {
            at: a.as_ptr(),
            row: inputs,
            column: 1,
        };
        let out = Out {
            at: out.as_mut_ptr(),
            row: outputs,
            add: false,
        };
        // SAFETY: `a` holds rows × inputs elements, `out` rows × outputs, and
        // each worker has an `out` of its own behind its lock.
        unsafe { panels.product(rows, left, out, 0..panels.count()) };
    };
    let burst = |repeats: usize| -> Result<Duration, RunError> {
        let start = Instant::now();
        threads.run(workers.len(), &|chunk, _| {
            if let Some(Ok(mut out)) = workers.get(chunk).map(Mutex::lock) {
                for _ in 0..repeats {
                    once(&mut out);
                }
            }
        })?;
        Ok(start.elapsed())
    };
    // Double until a burst is long enough to time; this warms up as well.
    let mut repeats = 64;
    while burst(repeats)? < LONG_ENOUGH && repeats < 1 << 24 {
        repeats *= 2;
    }
    let flops = 2.0 * (rows * inputs * outputs * repeats * workers.len()) as f64;
    let mut rates = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        rates.push(flops / burst(repeats)?.as_secs_f64());
    }
    Ok(rates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_of_the_ceiling_is_a_product_and_takes_time() {
        // Not a timed test: only that something was computed and clocked.
        let rates = product(&Threads::new(Some(1))).unwrap();
        assert_eq!(rates.len(), REPEATS);
        assert!(rates.iter().all(|rate| rate.is_finite() && *rate > 0.0));
    }
}
