//! What copies between host and device cost, and other ways to the same bytes: what is
//! measured, and what came of it.

use serde::{Deserialize, Serialize};

use super::{BackendKind, RunError};
use crate::units::{Quantity, format};

/// Smallest and largest copy, in bytes.
const LEAST: u64 = 4 << 10;
const MOST: u64 = 4 << 30;
/// The size of copies beside which something else varies.
const MIDDLE: u64 = 64 << 20;
/// Bytes that many copies move together.
const TOGETHER: u64 = 4 << 20;
/// Samples of each way, in turns.
const ROUNDS: u32 = 15;

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostCase {
    /// Copies of pageable and of pinned memory, over their size.
    Copies,
    /// The same bytes as one copy and as many.
    Batches,
    /// A copy and a kernel, one after the other and beside each other.
    Overlap,
    /// A kernel that reads the host's memory where it lies, and one that reads a copy.
    Mapped,
    /// Device memory taken and given back in every step, from a pool, or kept.
    Pool,
}

impl HostCase {
    /// Every case, in order.
    pub const ALL: [Self; 5] = [
        Self::Copies,
        Self::Batches,
        Self::Overlap,
        Self::Mapped,
        Self::Pool,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copies => "copies",
            Self::Batches => "batches",
            Self::Overlap => "overlap",
            Self::Mapped => "zero-copy",
            Self::Pool => "pool",
        }
    }

    /// The case of this name.
    ///
    /// # Errors
    /// Names all of them.
    pub fn parse(name: &str) -> Result<Self, RunError> {
        let found = Self::ALL.into_iter().find(|case| case.name() == name);
        found.ok_or_else(|| {
            let all: Vec<&str> = Self::ALL.iter().map(|case| case.name()).collect();
            RunError::bad_request(format!(
                "there is no case “{name}” of host memory; there are {}",
                all.join(", ")
            ))
        })
    }
}

/// One case that is measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostRequest {
    /// `cuda` or `hip`.
    pub backend: BackendKind,
    /// What is looked at.
    pub case: HostCase,
    /// Bytes of the largest copy.
    pub largest: u64,
    /// Samples of each way, in turns.
    pub rounds: u32,
}

impl HostRequest {
    /// A case with copies of up to `largest` bytes.
    ///
    /// # Errors
    /// A backend without a device of its own, a size that is none.
    pub fn new(backend: BackendKind, case: HostCase, largest: u64) -> Result<Self, RunError> {
        if matches!(backend, BackendKind::Cpu | BackendKind::Simt) {
            return Err(RunError::bad_request(format!(
                "the {} backend copies nothing to a device; --backend cuda or hip does, and without a GPU the model prices it",
                backend.name()
            )));
        }
        if !(LEAST..=MOST).contains(&largest) {
            return Err(RunError::bad_request(format!(
                "copies go from 4 KiB to 4 GiB, and up to {} were asked for; --to takes a size between them, such as 256MiB",
                format(&Quantity::bytes(largest))
            )));
        }
        Ok(Self {
            backend,
            case,
            largest,
            rounds: ROUNDS,
        })
    }
}

/// Sizes of copies: powers of four of bytes, from 4 KiB to `largest`.
pub fn host_sizes(largest: u64) -> Vec<u64> {
    let powers = (6..=16).map(|power| 1_u64 << (2 * power));
    powers.filter(|s| (LEAST..=largest).contains(s)).collect()
}

/// The size of copies beside which something else varies.
pub fn host_middle(largest: u64) -> u64 {
    largest.min(MIDDLE) / LEAST * LEAST
}

/// Bytes that many copies move together, and how many there are: 4 KiB each at the least.
pub fn host_batches(largest: u64) -> (u64, Vec<u64>) {
    let bytes = largest.min(TOGETHER) / LEAST * LEAST;
    let counts = (0..=5).map(|power| 1_u64 << (2 * power));
    (bytes, counts.filter(|n| bytes / n >= LEAST).collect())
}

/// How often a kernel reads all of the bytes.
pub const HOST_READS: [u64; 5] = [1, 2, 4, 8, 16];

/// How bytes came where they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostWay {
    /// A copy of pageable memory to the device, and the wait for it.
    PageableUp,
    /// The same to the host.
    PageableDown,
    /// Copies of pinned memory to the device, one behind another, and one wait.
    PinnedUp,
    /// The same to the host.
    PinnedDown,
    /// A kernel that reads memory of the device, and the wait for it.
    Kernel,
    /// That kernel and a copy to the device behind it.
    AfterUp,
    /// The same with a copy to the host.
    AfterDown,
    /// That kernel and a copy to the device in a stream beside it.
    BesideUp,
    /// The same with a copy to the host.
    BesideDown,
    /// A kernel that reads the host's memory where it lies.
    Mapped,
    /// A copy to the device, and a kernel that reads that.
    Copied,
    /// A step that takes memory of the device, writes to it and gives it back.
    Each,
    /// The same with memory of a pool, in the order of the stream.
    Pool,
    /// The same with memory that was taken once.
    Kept,
}

/// What was measured of one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostReport {
    /// Version of this document.
    pub schema: u32,
    /// The device in words.
    pub device: String,
    /// Whether the device says that it has no memory but the host's; none where it does not
    /// say.
    pub integrated: Option<bool>,
    /// What was looked at.
    pub case: HostCase,
    /// Times, way by way.
    pub series: Vec<HostSeries>,
    /// Whether somebody stopped it before all rounds were made.
    pub stopped: bool,
    /// How it was measured and what could not be, in sentences.
    pub notes: Vec<String>,
}

impl HostReport {
    /// Microseconds of a way, round by round.
    pub fn us(&self, way: HostWay, bytes: u64, times: u64) -> Option<&[f64]> {
        let mut series = self.series.iter();
        let found = series.find(|s| s.way == way && s.bytes == bytes && s.times == times)?;
        (!found.us.is_empty()).then_some(found.us.as_slice())
    }
}

/// Times of one way by the host's clock, from the first call until the host knows that all
/// is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostSeries {
    /// How.
    pub way: HostWay,
    /// Bytes in all; of a step, bytes that it takes.
    pub bytes: u64,
    /// Copies, or reads of all bytes by the kernel; 1 otherwise.
    pub times: u64,
    /// Microseconds, round by round; of a step, each.
    pub us: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_go_by_four_and_the_smallest_copies_have_four_kib() {
        let kib: Vec<u64> = host_sizes(1 << 20).iter().map(|s| s >> 10).collect();
        assert_eq!(kib, [4, 16, 64, 256, 1024]);
        assert_eq!(host_sizes(256 << 20).len(), 9);
        // 1024 copies of 4 KiB are 4 MiB.
        let (bytes, counts) = host_batches(256 << 20);
        assert_eq!((bytes, counts), (4 << 20, vec![1, 4, 16, 64, 256, 1024]));
        assert_eq!(host_batches(20_000), (16 << 10, vec![1, 4]));
        assert_eq!((host_middle(1 << 20), host_middle(5000)), (1 << 20, 4096));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (backend, largest, says) in [
            (BackendKind::Cpu, 1 << 20, "copies nothing to a device"),
            (BackendKind::Simt, 1 << 20, "copies nothing to a device"),
            (BackendKind::Cuda, 1 << 10, "4 KiB to 4 GiB"),
            (BackendKind::Hip, 8 << 30, "4 KiB to 4 GiB"),
        ] {
            let said = HostRequest::new(backend, HostCase::Copies, largest);
            let said = said.unwrap_err().to_string();
            assert!(said.contains(says), "{said}");
        }
        for case in HostCase::ALL {
            assert_eq!(HostCase::parse(case.name()).unwrap(), case);
        }
        let said = HostCase::parse("paged").unwrap_err().to_string();
        assert!(
            said.contains("copies, batches, overlap, zero-copy, pool"),
            "{said}"
        );
    }
}
