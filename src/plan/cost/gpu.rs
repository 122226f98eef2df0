//! The GPU database: data sheets and architecture facts, with their sources.

mod called;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{CostError, HostLink};
use crate::model::Dtype;
use crate::near::nearest;

/// The maker, which decides how registers are given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "names of companies")]
pub enum Vendor {
    #[serde(rename = "AMD")]
    Amd,
    #[serde(rename = "NVIDIA")]
    Nvidia,
}

/// What a maker calls the parts of its GPUs: NVIDIA's CUDA C++ Programming Guide, AMD's HIP
/// documentation ("Hardware implementation").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// Threads in lockstep.
    pub warp: &'static str,
    /// What a thread block is resident on.
    pub unit: &'static str,
    /// The same, in two letters.
    pub unit_short: &'static str,
    /// Memory that the threads of a block share.
    pub shared: &'static str,
    /// What multiplies small matrices.
    pub matrix: &'static str,
}

impl Vendor {
    /// Its words.
    pub const fn words(self) -> Words {
        match self {
            Self::Nvidia => Words {
                warp: "warp",
                unit: "multiprocessor",
                unit_short: "SM",
                shared: "shared memory",
                matrix: "tensor core",
            },
            Self::Amd => Words {
                warp: "wave",
                unit: "compute unit",
                unit_short: "CU",
                shared: "LDS",
                matrix: "matrix core",
            },
        }
    }
}

/// One GPU, or one die where a die is a device. Peaks are theoretical and
/// dense, in 10¹² FLOP/s; bandwidth in 10⁹ B/s; caches in MiB; shared memory in
/// KiB. `None` is "not applicable or not found".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the file's head explains each key")]
pub struct Gpu {
    pub vendor: Vendor,
    pub id: String,
    pub name: String,
    pub short: String,
    pub arch: String,
    pub memory_gb: f64,
    pub bandwidth_gbs: f64,
    /// What lies between the host's memory and its own.
    pub host: Option<HostLink>,
    pub fp64_tflops: f64,
    pub fp64_matrix_tflops: Option<f64>,
    pub fp32_tflops: f64,
    pub fp32_packed_tflops: Option<f64>,
    pub fp32_matrix_tflops: Option<f64>,
    pub tf32_tflops: Option<f64>,
    pub fp16_tflops: f64,
    pub bf16_tflops: Option<f64>,
    pub fp8_tflops: Option<f64>,
    pub has_matrix_units: bool,
    pub compute_units: u64,
    pub dies_per_package: Option<u64>,
    pub warp_size: u64,
    pub simds_per_cu: u64,
    pub max_waves_per_simd: Option<u64>,
    pub max_threads_per_cu: u64,
    pub max_threads_per_block: u64,
    pub max_blocks_per_cu: u64,
    pub regs_per_cu: u64,
    pub vgprs_per_simd_lane: Option<u64>,
    pub agprs_per_simd_lane: Option<u64>,
    pub max_regs_per_thread: u64,
    pub reg_alloc_granularity: u64,
    pub shared_kb_per_cu: u64,
    pub shared_kb_per_block: u64,
    pub shared_reserved_b: Option<u64>,
    pub shared_alloc_granularity_b: u64,
    pub l2_mb: f64,
    pub l3_mb: f64,
    pub boost_mhz: u64,
    /// Where each value comes from, by key.
    #[serde(default)]
    pub sources: BTreeMap<String, String>,
}

impl Gpu {
    /// Bytes per second of device memory.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth_gbs * 1e9
    }

    /// Bytes of the last cache in front of its memory: a memory-side one where there is one,
    /// which all of it passes through, else the L2 of all dies together.
    pub fn last_cache_bytes(&self) -> u64 {
        let mebibytes = if self.l3_mb > 0.0 {
            self.l3_mb
        } else {
            self.l2_mb
        };
        (mebibytes * f64::from(1 << 20)) as u64
    }

    /// FLOP/s of the unit that runs a kernel: fp32 data on the fp32 vector
    /// peak; 16-bit data on the matrix peak where the kernel holds a product,
    /// on the fp32 vector peak otherwise. `None` where the GPU lacks the type.
    pub fn peak_flops(&self, dtype: Dtype, product: bool) -> Option<f64> {
        match (dtype, product) {
            (Dtype::Fp32, _) | (Dtype::Bf16, false) => Some(self.fp32_tflops * 1e12),
            (Dtype::Bf16, true) => self.bf16_tflops.map(|t| t * 1e12),
        }
    }

    /// Whether no vendor-grade source was found for a key.
    pub fn is_unconfirmed(&self, key: &str) -> bool {
        self.sources
            .get(key)
            .is_some_and(|s| s.contains("unconfirmed"))
    }
}

/// All GPUs, in the file's order.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct GpuDatabase {
    schema_version: u64,
    /// What the letters and numbers of sources stand for.
    #[serde(default)]
    documents: BTreeMap<String, String>,
    #[serde(rename = "gpu")]
    gpus: Vec<Gpu>,
}

impl GpuDatabase {
    /// The database that is part of the program.
    ///
    /// # Errors
    /// Only where the embedded file is broken; a test holds that it is not.
    pub fn embedded() -> Result<Self, CostError> {
        Self::parse(include_str!("../../../assets/gpus.toml"))
    }

    /// The documents that the sources of a GPU's values name by letter and number, each
    /// once, in their order.
    pub fn documents_of(&self, gpu: &Gpu) -> Vec<(&str, &str)> {
        let words = |source: &'_ String| -> Vec<String> {
            let words = source.split(|c: char| !c.is_ascii_alphanumeric());
            words.map(str::to_owned).collect()
        };
        let named: BTreeSet<String> = gpu.sources.values().flat_map(words).collect();
        let documents = self.documents.iter();
        documents
            .filter(|(id, _)| named.contains(*id))
            .map(|(id, name)| (id.as_str(), name.as_str()))
            .collect()
    }

    /// Reads the database's TOML.
    ///
    /// # Errors
    /// Broken TOML, or another schema.
    pub fn parse(text: &str) -> Result<Self, CostError> {
        let database: Self = toml::from_str(text)
            .map_err(|e| CostError::new(format!("the GPU database cannot be read: {e}")))?;
        if database.schema_version != 1 {
            return Err(CostError::new(format!(
                "the GPU database has schema {}; this program reads schema 1",
                database.schema_version
            )));
        }
        Ok(database)
    }

    /// All GPUs.
    pub fn all(&self) -> &[Gpu] {
        &self.gpus
    }

    /// The GPU of this id, however its letters and separators are typed; of a family
    /// that has several, such as `a100`, the first.
    ///
    /// # Errors
    /// Names the nearest id, and all of them.
    pub fn get(&self, id: &str) -> Result<&Gpu, CostError> {
        let typed = id.trim().to_lowercase().replace(['-', ' '], "_");
        let of_family = |gpu: &&Gpu| {
            gpu.id
                .strip_prefix(&typed)
                .is_some_and(|t| t.starts_with('_'))
        };
        let exact = self.gpus.iter().find(|g| g.id == typed);
        if let Some(gpu) = exact.or_else(|| self.gpus.iter().find(of_family)) {
            return Ok(gpu);
        }
        let all: Vec<&str> = self.gpus.iter().map(|g| g.id.as_str()).collect();
        let begins = all
            .iter()
            .copied()
            .find(|id| typed.len() > 2 && id.starts_with(&typed));
        let nearest = begins
            .or_else(|| nearest(id, all.iter().copied()))
            .map_or(".".to_owned(), |id| format!("; did you mean {id}?"));
        Err(CostError::new(format!(
            "there is no GPU “{id}” in the database{nearest} There are: {}",
            all.join(", ")
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_database_reads_and_every_value_has_a_source() {
        let database = GpuDatabase::embedded().unwrap();
        assert_eq!(database.all().len(), 24);
        for gpu in database.all() {
            for key in ["bandwidth_gbs", "fp32_tflops", "compute_units"] {
                assert!(gpu.sources.contains_key(key), "{}: {key}", gpu.id);
            }
        }
        assert!(database.get("mi325x").unwrap().is_unconfirmed("boost_mhz"));
        assert!(!database.get("h200").unwrap().is_unconfirmed("fp32_tflops"));
    }

    #[test]
    fn an_unknown_gpu_names_the_nearest() {
        let database = GpuDatabase::embedded().unwrap();
        let e = database.get("h20").unwrap_err().to_string();
        assert!(e.contains("did you mean h200?"), "{e}");
        let e = database.get("mi300").unwrap_err().to_string();
        assert!(e.contains("did you mean mi300a?"), "{e}");
        // As people type them; of two A100s the first, and MI250X is its own entry.
        for (typed, id) in [
            ("H200", "h200"),
            ("mi250x-gcd", "mi250x_gcd"),
            ("a100", "a100_40gb"),
            ("mi250x", "mi250x"),
        ] {
            assert_eq!(database.get(typed).unwrap().id, id);
        }
    }
}
