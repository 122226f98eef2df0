//! What was counted of each kernel of a forward: bytes by kind, buffer by
//! buffer, and where the SIMT machine ran it, what its warps did, line by line.

use serde::{Deserialize, Serialize};

use super::BytesReport;

/// One kernel of a forward, in the order of launches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelReport {
    /// The plan's name of it, with its block: `block 2: q+k+v`.
    pub name: String,
    /// Names of its ops, as the cost model has them.
    pub ops: Vec<String>,
    /// Its bytes, by kind.
    pub bytes: BytesReport,
    /// Buffers that it touched, the one it asked most of first; empty where
    /// the backend does not tell them apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<BufferReport>,
    /// What its warps did, where that was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<WorkReport>,
    /// The same by line of source, where it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineReport>,
}

impl KernelReport {
    /// Distinct bytes of the buffers that the model does not price.
    pub fn between_phases(&self) -> u64 {
        self.inside().map(|b| b.compulsory).sum()
    }

    /// The buffers behind [`Self::between_phases`].
    pub fn inside(&self) -> impl Iterator<Item = &BufferReport> {
        self.buffers.iter().filter(|b| b.inside)
    }

    /// The buffer that is asked for again most: its issued bytes are the most
    /// above its distinct ones.
    pub fn read_again(&self) -> Option<&BufferReport> {
        let again = |b: &&BufferReport| b.issued.saturating_sub(b.compulsory);
        self.buffers
            .iter()
            .max_by_key(again)
            .filter(|b| again(b) > 0)
    }
}

/// Traffic of a kernel with one buffer, in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferReport {
    /// What it is called: `n1`, `Wq of block 2`, `parts of attention`.
    pub name: String,
    /// Asked for by loads and stores.
    pub issued: u64,
    /// Of the distinct sectors that were touched: read once, written once.
    pub compulsory: u64,
    /// Whether the model prices none of it: what one phase of the kernel hands
    /// to the next, counters, tables of addresses.
    pub inside: bool,
}

/// What warps did. Counts, no times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkReport {
    /// Warp instructions.
    pub instructions: u64,
    /// Active lanes, summed over the warp instructions.
    pub lanes: u64,
    /// Floating-point operations of active lanes.
    pub flops: u64,
    /// Bytes of global memory that lanes asked for; atomics are not among them.
    pub bytes: u64,
    /// Warp instructions that touched global memory.
    pub requests: u64,
    /// Sectors of 32 bytes that they touched, each request for itself.
    pub sectors: u64,
    /// Sectors that the same bytes fill when they lie side by side.
    pub ideal_sectors: u64,
    /// Warp instructions that touched shared memory.
    pub shared_requests: u64,
    /// Passes through the banks of shared memory beyond those that the width needs.
    pub conflicts: u64,
    /// Branches with a condition.
    pub branches: u64,
    /// Those at which the lanes of a warp went both ways.
    pub divergent: u64,
}

impl WorkReport {
    /// Sectors per request of global memory.
    pub fn sectors_per_request(&self) -> Option<f64> {
        (self.requests > 0).then(|| self.sectors as f64 / self.requests as f64)
    }

    /// Sectors per request, were the bytes of each to lie side by side. Lanes
    /// that share an address touch fewer.
    pub fn side_by_side(&self) -> Option<f64> {
        (self.requests > 0).then(|| self.ideal_sectors as f64 / self.requests as f64)
    }

    /// Active lanes as a share of `warp` per instruction.
    pub fn active(&self, warp: u64) -> Option<f64> {
        let all = warp * self.instructions;
        (all > 0).then(|| self.lanes as f64 / all as f64)
    }

    /// Adds the counts of another.
    pub fn add(&mut self, other: &Self) {
        self.instructions += other.instructions;
        self.lanes += other.lanes;
        self.flops += other.flops;
        self.bytes += other.bytes;
        self.requests += other.requests;
        self.sectors += other.sectors;
        self.ideal_sectors += other.ideal_sectors;
        self.shared_requests += other.shared_requests;
        self.conflicts += other.conflicts;
        self.branches += other.branches;
        self.divergent += other.divergent;
    }
}

/// What one line of source did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineReport {
    /// Its file under `kernels/`.
    pub file: String,
    /// Its number, from 1.
    pub line: u32,
    /// What it did.
    pub work: WorkReport,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(name: &str, issued: u64, compulsory: u64, inside: bool) -> BufferReport {
        BufferReport {
            name: name.to_owned(),
            issued,
            compulsory,
            inside,
        }
    }

    #[test]
    fn the_buffers_that_explain_a_surplus_are_named() {
        let kernel = KernelReport {
            name: "block 0: flash".to_owned(),
            ops: vec![],
            bytes: BytesReport::default(),
            buffers: vec![
                buffer("k", 4096, 1024, false),
                buffer("parts of attention", 512, 256, true),
                buffer("splits that are done", 64, 32, true),
            ],
            work: None,
            lines: vec![],
        };
        assert_eq!(kernel.between_phases(), 256 + 32);
        assert_eq!(kernel.read_again().map(|b| b.name.as_str()), Some("k"));
        let once = KernelReport {
            buffers: vec![buffer("x", 64, 64, false)],
            ..kernel
        };
        assert_eq!((once.between_phases(), once.read_again()), (0, None));
    }

    #[test]
    fn shares_have_no_value_where_nothing_happened() {
        let none = WorkReport::default();
        assert_eq!(none.sectors_per_request(), None);
        assert_eq!((none.side_by_side(), none.active(32)), (None, None));
        let strided = WorkReport {
            instructions: 2,
            lanes: 48,
            requests: 2,
            sectors: 64,
            ideal_sectors: 8,
            ..none
        };
        assert_eq!(strided.sectors_per_request(), Some(32.0));
        assert_eq!(strided.side_by_side(), Some(4.0));
        assert_eq!(strided.active(32), Some(0.75));
    }
}
