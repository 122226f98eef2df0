//! `cost --json`, schema 1.

use serde::Serialize;

use super::{Cost, KernelCost, Priced};

/// The document that `cost --json` prints.
#[derive(Debug, Serialize)]
#[allow(
    missing_docs,
    reason = "the fields are those of schema 1 in the README"
)]
pub struct CostJson {
    pub schema: u32,
    pub model: ModelJson,
    pub shape: ShapeJson,
    pub dtype: &'static str,
    pub fusions: Vec<&'static str>,
    pub groups: String,
    pub conventions: ConventionsJson,
    pub block: BlockJson,
    pub forward: SumsJson,
    pub peak_activation_bytes: u64,
    pub kv_cache_bytes: u64,
    pub parameters: ParametersJson,
}

/// The model's sizes.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "as in docs/cost-model.md")]
pub struct ModelJson {
    pub preset: String,
    pub hidden: u64,
    pub layers: u64,
    pub heads: u64,
    pub kv_heads: u64,
    pub ffn: u64,
    pub vocab: u64,
    pub tied: bool,
}

/// Batch and lengths.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "as in docs/cost-model.md")]
pub struct ShapeJson {
    pub batch: u64,
    pub seq: u64,
    pub context: u64,
}

/// The counting options in force.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "as in docs/cost-model.md")]
pub struct ConventionsJson {
    pub causal: &'static str,
    pub keep_kv: bool,
    pub rope_kernels: u32,
    pub rope_table: bool,
}

/// Sums over kernels.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "as in docs/cost-model.md")]
pub struct SumsJson {
    pub launches: u64,
    pub flops: u64,
    pub gemm_flops: u64,
    pub bytes: u64,
    pub weight_bytes: u64,
    pub intensity: f64,
}

/// Sums over a block, and its kernels.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "as in docs/cost-model.md")]
pub struct BlockJson {
    #[serde(flatten)]
    pub sums: SumsJson,
    pub kernels: Vec<KernelJson>,
}

/// One kernel. `read_bytes` are activations, so bytes = read + weight + written.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "as in docs/cost-model.md")]
pub struct KernelJson {
    pub name: String,
    pub ops: Vec<&'static str>,
    pub flops: u64,
    pub bytes: u64,
    pub read_bytes: u64,
    pub weight_bytes: u64,
    pub written_bytes: u64,
    pub intensity: f64,
}

/// Parameters with the head tied, and with one of its own.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "as in docs/cost-model.md")]
pub struct ParametersJson {
    pub tied: u64,
    pub untied: u64,
}

impl From<&Priced> for SumsJson {
    fn from(p: &Priced) -> Self {
        Self {
            launches: p.launches(),
            flops: p.flops,
            gemm_flops: p.gemm_flops,
            bytes: p.bytes(),
            weight_bytes: p.weight_bytes,
            intensity: p.intensity(),
        }
    }
}

impl From<&KernelCost> for KernelJson {
    fn from(k: &KernelCost) -> Self {
        Self {
            name: k.name.clone(),
            ops: k.ops.clone(),
            flops: k.flops,
            bytes: k.bytes(),
            read_bytes: k.read_bytes,
            weight_bytes: k.weight_bytes,
            written_bytes: k.written_bytes,
            intensity: k.intensity(),
        }
    }
}

/// The schema-1 document of a price.
pub fn cost_json(cost: &Cost) -> CostJson {
    let config = &cost.config;
    let m = &config.model;
    let cut = config.effective_cut();
    CostJson {
        schema: 1,
        model: ModelJson {
            preset: m.name.clone(),
            hidden: m.hidden,
            layers: m.layers,
            heads: m.heads,
            kv_heads: m.kv_heads,
            ffn: m.ffn,
            vocab: m.vocab,
            tied: m.tied,
        },
        shape: ShapeJson {
            batch: config.shape.batch,
            seq: config.shape.seq,
            context: config.shape.context,
        },
        dtype: config.dtype.name(),
        fusions: cut.fusions().iter().map(|f| f.name()).collect(),
        groups: cut.groups(),
        conventions: ConventionsJson {
            causal: if config.conventions.exact_causal {
                "exact"
            } else {
                "dense"
            },
            keep_kv: config.keeps_kv(),
            rope_kernels: if config.conventions.rope_split { 2 } else { 1 },
            rope_table: config.conventions.rope_table,
        },
        block: BlockJson {
            sums: (&cost.block).into(),
            kernels: cost.block.kernels.iter().map(Into::into).collect(),
        },
        forward: (&cost.forward).into(),
        peak_activation_bytes: cost.peak.bytes,
        kv_cache_bytes: cost.kv_cache_bytes,
        parameters: ParametersJson {
            tied: cost.parameters.0,
            untied: cost.parameters.1,
        },
    }
}
