//! What a forward asks of a machine, as the numbers that its time is a function of.

use plan::cost::{Config, KernelCost, price};
use plan::model::OpKind;

/// What a tile of rows is cut from: a weight passes by once for each tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tiles {
    /// The rows of one sequence: the CPU's.
    OfSequences,
    /// All rows: a GPU's.
    OfRows,
}

impl Tiles {
    /// Those of a backend, by its name.
    pub fn of(backend: &str) -> Self {
        match backend {
            "cpu" => Self::OfSequences,
            _ => Self::OfRows,
        }
    }
}

/// Most rows of a tile on a CPU; a GPU's have twice as many.
const ROWS: u64 = 64;

/// What a kernel asks for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Kernel {
    /// Waits of the whole grid inside it.
    pub waits: f64,
    /// Of each product with a weight: FLOPs, elements of its sums, elements of its weight
    /// as often as they pass by.
    pub products: Vec<[f64; 3]>,
    /// FLOPs of scores and weighted values.
    pub attention: f64,
    /// FLOPs of everything else.
    pub other: f64,
    /// Bytes that it moves.
    pub bytes: f64,
}

impl Kernel {
    /// Of a kernel of a configuration.
    pub fn of(cost: &KernelCost, config: &Config, on: Tiles) -> Self {
        let shape = config.shape;
        let rows = (shape.batch * shape.seq).max(1) as f64;
        let passes = match on {
            Tiles::OfSequences => shape.batch * shape.seq.div_ceil(ROWS),
            Tiles::OfRows => (shape.batch * shape.seq).div_ceil(2 * ROWS),
        };
        let passes = passes.max(1) as f64;
        let mut kernel = Self {
            waits: cost.phases.saturating_sub(1) as f64,
            bytes: cost.bytes() as f64,
            ..Self::default()
        };
        for term in &cost.flop_terms {
            let flops = term.flops as f64;
            if term.op.is_weight_product() {
                let length = match term.op {
                    OpKind::Down => config.model.ffn,
                    _ => config.model.hidden,
                };
                // 2 · rows · length · columns.
                let weight = flops / (2.0 * rows);
                kernel
                    .products
                    .push([flops, length as f64, weight * passes]);
            } else if matches!(term.op, OpKind::Qk | OpKind::Pv) {
                kernel.attention += flops;
            } else {
                kernel.other += flops;
            }
        }
        kernel
    }
}

/// What a forward asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    /// Its kernels, and how many there are of each.
    pub kernels: Vec<(Kernel, f64)>,
    /// Bytes that it touches: weights, and the peak of activations.
    pub touched: f64,
    /// FLOPs.
    pub flops: f64,
    /// Bytes that it moves.
    pub bytes: f64,
}

impl Work {
    /// Of a configuration.
    ///
    /// # Errors
    /// A sentence: it cannot be priced.
    pub fn of(config: &Config, on: Tiles) -> Result<Self, String> {
        let cost = price(config).map_err(|e| e.to_string())?;
        let mut kernels: Vec<(Kernel, f64)> = Vec::new();
        for priced in &cost.forward.kernels {
            let kernel = Kernel::of(priced, config, on);
            match kernels.iter_mut().find(|(known, _)| *known == kernel) {
                Some((_, times)) => *times += 1.0,
                None => kernels.push((kernel, 1.0)),
            }
        }
        Ok(Self {
            kernels,
            touched: cost.held() as f64,
            flops: cost.forward.flops as f64,
            bytes: cost.forward.bytes() as f64,
        })
    }

    /// Launches.
    pub fn launches(&self) -> f64 {
        self.kernels.iter().map(|(_, times)| times).sum()
    }

    /// Waits of the whole grid.
    pub fn waits(&self) -> f64 {
        self.kernels.iter().map(|(k, times)| k.waits * times).sum()
    }
}
