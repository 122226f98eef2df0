//! Steps of the latency over the working set: where a cache ends.

use plan::run::{CacheSize, MemoryRow, mad, median};

/// How many times as long a load waits, or as fast a read was, for a step to be said.
const STEP: f64 = 1.3;
/// Median deviations of both sides that a step is higher than: three standard deviations
/// of a normal distribution.
const DEVIATIONS: f64 = 3.0 * 1.4826;
/// The same between two neighbouring working sets, for the second to be part of a step.
const PART: f64 = 1.08;

/// A step of the latency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    /// The last working set below it.
    pub fits: u64,
    /// The first above it.
    pub spills: u64,
    /// Nanoseconds below and above.
    pub from: f64,
    pub to: f64,
}

impl Step {
    /// The caches that end between the two sets. A set that is a little larger than a
    /// cache still hits most of the time.
    pub fn caches<'c>(&self, all: &'c [CacheSize]) -> impl Iterator<Item = &'c CacheSize> {
        let (fits, spills) = (self.fits, self.spills);
        all.iter()
            .filter(move |cache| 3 * cache.bytes >= 2 * fits && cache.bytes < spills)
    }
}

/// Sets between which every later one waits longer than every earlier one, and by more
/// than their samples spread; neighbouring ones are one step.
pub(super) fn steps(rows: &[MemoryRow]) -> Vec<Step> {
    let known: Vec<(u64, f64, f64)> = rows
        .iter()
        .filter_map(|row| {
            let samples = &row.latency_ns;
            Some((row.bytes, median(samples)?, mad(samples)?))
        })
        .collect();
    let rises = |at: usize| -> Option<bool> {
        let (_, below, loose) = known.get(at)?;
        let (_, above, spread) = known.get(at + 1)?;
        let before = known.get(..=at)?.iter().map(|k| k.1).fold(0.0, f64::max);
        let behind = known.get(at + 1..)?.iter().map(|k| k.1);
        let behind = behind.fold(f64::INFINITY, f64::min);
        Some(above - below > DEVIATIONS * (loose + spread) && behind > PART * before)
    };
    let mut found = Vec::new();
    let mut begun: Option<usize> = None;
    for at in 0..known.len() {
        if rises(at) == Some(true) {
            begun.get_or_insert(at);
            continue;
        }
        let Some(first) = begun.take() else { continue };
        if let (Some(below), Some(above)) = (known.get(first), known.get(at))
            && above.1 >= STEP * below.1
        {
            found.push(Step {
                fits: below.0,
                spills: above.0,
                from: below.1,
                to: above.1,
            });
        }
    }
    found
}
