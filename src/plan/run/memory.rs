//! What memory does at which working set: how long a load waits, how fast many are.

use serde::{Deserialize, Serialize};

use super::{BackendKind, RunError};
use crate::units::{Quantity, format};

/// Smallest and largest working set, in bytes.
const LEAST: u64 = 4 << 10;
const MOST: u64 = 4 << 30;

/// Working sets that are measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRequest {
    /// `cpu`, `cuda` or `hip`.
    pub backend: BackendKind,
    /// Bytes, ascending.
    pub sizes: Vec<u64>,
}

impl MemoryRequest {
    /// Working sets from `from` to `to` bytes: powers of two, and what lies half-way
    /// between them.
    ///
    /// # Errors
    /// A backend without a clock, sizes that are none.
    pub fn new(backend: BackendKind, from: u64, to: u64) -> Result<Self, RunError> {
        if backend == BackendKind::Simt {
            return Err(RunError::bad_request(
                "the SIMT machine has no clock and no caches that take time; --backend cpu, cuda or hip has",
            ));
        }
        if !(LEAST..=MOST).contains(&from) || !(LEAST..=MOST).contains(&to) || from >= to {
            return Err(RunError::bad_request(format!(
                "working sets go from 4 KiB to 4 GiB, the first below the last, and {} to {} were asked for; --from and --to take sizes between them, such as 4KiB and 128MiB",
                format(&Quantity::bytes(from)),
                format(&Quantity::bytes(to))
            )));
        }
        let powers = (12..=32).map(|power| 1_u64 << power);
        let sizes = powers.flat_map(|p| [p, p + p / 2]);
        Ok(Self {
            backend,
            sizes: sizes.filter(|s| (from..=to).contains(s)).collect(),
        })
    }
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryReport {
    /// Version of this document.
    pub schema: u32,
    /// The machine in words.
    pub device: String,
    /// What reads together: cores or multiprocessors.
    pub units: u64,
    /// Caches as the system names them; none where it does not.
    pub caches: Vec<CacheSize>,
    /// A row per working set.
    pub rows: Vec<MemoryRow>,
    /// How it was measured, in sentences.
    pub notes: Vec<String>,
}

/// A cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheSize {
    /// `L1`.
    pub name: String,
    /// Its size, as one core sees it.
    pub bytes: u64,
}

/// What was measured at one working set, sample by sample.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MemoryRow {
    /// The working set in bytes.
    pub bytes: u64,
    /// Nanoseconds that one load waits, loads in a chain.
    pub latency_ns: Vec<f64>,
    /// 10⁹ bytes per second that one core or multiprocessor reads.
    pub one_gbs: Vec<f64>,
    /// The same of all together, each its own part; empty where a part would be too small.
    pub all_gbs: Vec<f64>,
}

impl MemoryRow {
    /// Takes of each figure the samples whose slowest is the quicker one.
    pub fn take_better(&mut self, other: Self) {
        let longest = |ns: &[f64]| ns.iter().copied().reduce(f64::max);
        let slowest = |gbs: &[f64]| gbs.iter().map(|rate| -rate).reduce(f64::max);
        let better = |old: &mut Vec<f64>, new: Vec<f64>, worst: &dyn Fn(&[f64]) -> Option<f64>| {
            let both = worst(old).zip(worst(&new));
            if both.is_some_and(|(was, is)| is < was) {
                *old = new;
            }
        };
        better(&mut self.latency_ns, other.latency_ns, &longest);
        better(&mut self.one_gbs, other.one_gbs, &slowest);
        better(&mut self.all_gbs, other.all_gbs, &slowest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_two_and_half_way_between() {
        let request = MemoryRequest::new(BackendKind::Cpu, 4 << 10, 16 << 10).unwrap();
        let kib: Vec<u64> = request.sizes.iter().map(|s| s >> 10).collect();
        assert_eq!(kib, [4, 6, 8, 12, 16]);
    }

    #[test]
    fn of_two_measurements_the_one_whose_slowest_sample_is_quicker_stays() {
        let row = |ns: [f64; 3], gbs: [f64; 3]| MemoryRow {
            bytes: 4096,
            latency_ns: ns.to_vec(),
            one_gbs: gbs.to_vec(),
            all_gbs: Vec::new(),
        };
        let mut kept = row([1.0, 9.0, 1.0], [7.0, 7.1, 7.2]);
        kept.take_better(row([1.2, 1.1, 1.3], [8.0, 2.0, 8.0]));
        assert_eq!(kept, row([1.2, 1.1, 1.3], [7.0, 7.1, 7.2]));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (backend, from, to, says) in [
            (BackendKind::Simt, 4 << 10, 1 << 20, "no clock"),
            (BackendKind::Cpu, 1 << 10, 1 << 20, "4 KiB to 4 GiB"),
            (BackendKind::Cuda, 4 << 10, 8 << 30, "4 KiB to 4 GiB"),
            (BackendKind::Cpu, 1 << 20, 1 << 20, "below the last"),
        ] {
            let said = MemoryRequest::new(backend, from, to)
                .unwrap_err()
                .to_string();
            assert!(said.contains(says), "{said}");
        }
    }
}
