//! The cache behind which the SIMT machine estimates what reaches DRAM.

use plan::cost::Gpu;
use plan::run::{A100_L2, BytesReport};

/// The device behind whose last cache the SIMT machine estimates what reaches DRAM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// Its name: `MI300A`.
    pub of: String,
    /// Bytes of that cache.
    pub bytes: u64,
}

impl Default for Behind {
    fn default() -> Self {
        Behind {
            of: "A100".to_owned(),
            bytes: A100_L2,
        }
    }
}

impl Behind {
    /// The last cache of a GPU.
    pub fn of(gpu: &Gpu) -> Self {
        Behind {
            of: gpu.short.clone(),
            bytes: gpu.last_cache_bytes(),
        }
    }

    /// How the estimate is made, in a sentence.
    pub fn said(&self) -> String {
        let mebibytes = self.bytes >> 20;
        format!(
            "On simt: one cache of {mebibytes} MiB, the {}'s last; lines of 128 B, 16 ways, LRU, cold at each launch.",
            self.of
        )
    }

    /// Whether what a report estimates, if anything, was estimated behind this cache.
    pub(crate) fn made(&self, bytes: &BytesReport) -> bool {
        bytes.estimated_dram.is_none() || bytes.behind.unwrap_or(A100_L2) == self.bytes
    }
}
