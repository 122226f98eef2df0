//! Prices a configuration: its block, its forward, its memory.

use super::kernel::intensity;
use super::liveness::peak;
use super::{Config, CostError, KernelCost, Peak};
use crate::fusion::{Boundary, Cut, Plan};
use crate::model::{BLOCK_OPS, Graph, Model, Sizes};
use crate::units::{figure, group_thousands};

/// Sums over some kernels, and the kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priced {
    /// Kernels, each one launch, in order.
    pub kernels: Vec<KernelCost>,
    /// FLOPs, all ops.
    pub flops: u64,
    /// FLOPs of matrix products.
    pub gemm_flops: u64,
    /// Activation bytes read.
    pub read_bytes: u64,
    /// Weight bytes.
    pub weight_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
}

impl Priced {
    /// The sums of these kernels.
    ///
    /// # Errors
    /// When a sum does not fit 64 bits.
    pub fn of(kernels: Vec<KernelCost>) -> Result<Self, CostError> {
        let add = |part: fn(&KernelCost) -> u64| {
            kernels
                .iter()
                .try_fold(0u64, |sum, k| sum.checked_add(part(k)))
                .ok_or_else(|| CostError::too_large("a sum over the kernels"))
        };
        let priced = Self {
            flops: add(|k| k.flops)?,
            gemm_flops: add(|k| k.gemm_flops)?,
            read_bytes: add(|k| k.read_bytes)?,
            weight_bytes: add(|k| k.weight_bytes)?,
            written_bytes: add(|k| k.written_bytes)?,
            kernels: Vec::new(),
        };
        add(KernelCost::bytes)?;
        Ok(Self { kernels, ..priced })
    }

    /// Launches: one per kernel.
    pub fn launches(&self) -> u64 {
        self.kernels.len() as u64
    }

    /// All bytes.
    pub fn bytes(&self) -> u64 {
        self.read_bytes + self.weight_bytes + self.written_bytes
    }

    /// FLOPs per byte.
    pub fn intensity(&self) -> f64 {
        intensity(self.flops, self.bytes())
    }

    /// Kernels that hold a matrix product.
    pub fn products(&self) -> u64 {
        self.kernels.iter().filter(|k| k.has_product()).count() as u64
    }

    /// Kernels that hold a matrix product with a weight.
    pub fn weight_products(&self) -> u64 {
        self.kernels
            .iter()
            .filter(|k| k.flop_terms.iter().any(|t| t.op.is_weight_product()))
            .count() as u64
    }
}

/// The whole price of a configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// What was priced.
    pub config: Config,
    /// The values of all symbols.
    pub sizes: Sizes,
    /// One block: the steady-state period of the forward's kernels.
    pub block: Priced,
    /// The whole forward.
    pub forward: Priced,
    /// The largest sum of live activations in the forward.
    pub peak: Peak,
    /// 2·L·B·T·Dkv·a bytes.
    pub kv_cache_bytes: u64,
    /// Parameters with the head tied, and with a head of its own.
    pub parameters: (u64, u64),
}

impl Cost {
    /// Whether one launch goes through all blocks, so that no kernel begins inside one:
    /// `block` is then the price of a block alone, from x to y, and no part of the forward.
    pub fn shares_launch(&self) -> bool {
        let cut = self.config.effective_cut();
        cut.contains(Cut::WHOLE_BLOCK.joined(Boundary::CROSS))
    }

    /// Launches in words, `17 launches per block`; where blocks share one, those of the
    /// forward.
    pub fn launches_of_block(&self) -> String {
        let (launches, of) = match self.shares_launch() {
            true => (self.forward.launches(), "forward"),
            false => (self.block.launches(), "block"),
        };
        let counted = figure::counted(launches, "launch", "launches");
        format!("{counted} per {of}")
    }

    /// The same, and those of the forward: `17 launches per block, 71 per forward`.
    pub fn counted_launches(&self) -> String {
        let first = self.launches_of_block();
        let forward = group_thousands(i128::from(self.forward.launches()));
        match self.shares_launch() {
            true => first,
            false => format!("{first}, {forward} per forward"),
        }
    }

    /// Bytes that a forward holds by the model: weights once, the cache, the peak of
    /// activations.
    pub fn held(&self) -> u64 {
        let (tied, untied) = self.parameters;
        let weights = match self.config.model.tied {
            true => tied,
            false => untied,
        };
        let weights = weights.saturating_mul(self.config.dtype.bytes());
        let cache = match self.config.keeps_kv() {
            true => self.kv_cache_bytes,
            false => 0,
        };
        weights
            .saturating_add(cache)
            .saturating_add(self.peak.bytes)
    }
}

/// A configuration with its plan and price: what travels from the request to the
/// report.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The forward.
    pub graph: Graph,
    /// Its cut into kernels.
    pub plan: Plan,
    /// What the model says of it; `cost.config` is what was asked for.
    pub cost: Cost,
}

impl Planned {
    /// Plans and prices `config`.
    ///
    /// # Errors
    /// A model or shape that cannot be, or a figure that does not fit 64 bits.
    pub fn of(config: &Config) -> Result<Self, CostError> {
        let sizes = config.sizes()?;
        let graph = config.graph()?;
        let plan = Plan::new(&graph, config.effective_cut(), config.keeps_kv());
        let forward = plan
            .kernels
            .iter()
            .map(|k| KernelCost::of(config, &sizes, &graph, k))
            .collect::<Result<Vec<_>, _>>()?;
        let cost = Cost {
            config: config.clone(),
            block: price_block(config, &sizes)?,
            forward: Priced::of(forward)?,
            peak: peak(config, &sizes, &graph, &plan)?,
            kv_cache_bytes: kv_cache_bytes(config)?,
            parameters: (
                config.model.parameters_tied()?,
                config.model.parameters_untied()?,
            ),
            sizes,
        };
        Ok(Self { graph, plan, cost })
    }

    /// The same for the model that a folder of weights holds, which may differ in more
    /// than its sizes.
    ///
    /// # Errors
    /// As [`Planned::of`].
    pub fn with_model(self, model: &Model) -> Result<Self, CostError> {
        if self.cost.config.model == *model {
            return Ok(self);
        }
        let mut config = self.cost.config;
        config.model = model.clone();
        Self::of(&config)
    }
}

/// Prices `config`.
///
/// # Errors
/// A model or shape that cannot be, or a figure that does not fit 64 bits.
pub fn price(config: &Config) -> Result<Cost, CostError> {
    Ok(Planned::of(config)?.cost)
}

/// The kernels that begin in the middle one of three blocks: the steady state,
/// in which res2 may run with the next block's norm1. A cut that leaves no
/// beginning inside a block (everything is one kernel) is priced as a block
/// alone: x in, y out.
fn price_block(config: &Config, sizes: &Sizes) -> Result<Priced, CostError> {
    let graph = Graph::of_layers(3, config.shape.has_past());
    let of_middle = |cut: Cut| -> Result<Vec<KernelCost>, CostError> {
        Plan::new(&graph, cut, config.keeps_kv())
            .kernels
            .iter()
            .filter(|k| graph.nodes.get(k.ops.start).and_then(|n| n.layer) == Some(1))
            .map(|k| KernelCost::of(config, sizes, &graph, k))
            .collect()
    };
    let kernels = of_middle(config.effective_cut())?;
    if kernels.is_empty() {
        return Priced::of(of_middle(Cut::WHOLE_BLOCK)?);
    }
    Priced::of(kernels)
}

/// Prices one kernel that holds `count` ops of a block, the `first` of them by its place
/// in [`BLOCK_OPS`], in the steady state: past the last op it goes on in the next block.
/// `None` where a block has not so many ops.
///
/// # Errors
/// As [`price`].
pub fn price_piece(
    config: &Config,
    first: usize,
    count: usize,
) -> Result<Option<KernelCost>, CostError> {
    let ops = BLOCK_OPS.len();
    if first >= ops || count == 0 || count > ops {
        return Ok(None);
    }
    // Boundary i stands behind op i.
    let inside = (first..first + count - 1).filter_map(|at| Boundary::after(at % ops));
    let cut = inside.fold(Cut::NONE, Cut::joined);
    let sizes = config.sizes()?;
    let graph = Graph::of_layers(3, config.shape.has_past());
    let start = graph.nodes.iter().position(|n| n.layer == Some(1));
    let start = start.unwrap_or(0) + first;
    let plan = Plan::new(&graph, cut, config.keeps_kv());
    let kernel = plan.kernels.iter().find(|k| k.ops.start == start);
    kernel
        .map(|kernel| KernelCost::of(config, &sizes, &graph, kernel))
        .transpose()
}

fn kv_cache_bytes(config: &Config) -> Result<u64, CostError> {
    [
        config.model.layers,
        config.shape.batch,
        config.shape.context,
        config.model.kv_width(),
        config.dtype.bytes(),
    ]
    .into_iter()
    .try_fold(2u64, |product, factor| product.checked_mul(factor))
    .ok_or_else(|| CostError::too_large("the KV cache"))
}
