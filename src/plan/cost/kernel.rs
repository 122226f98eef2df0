//! The FLOPs and bytes of one kernel, with the terms that make them.

use super::{Config, CostError};
use crate::fusion::Kernel;
use crate::model::{Graph, OpKind, Product, Sizes, Symbol, Tensor, TensorId, TensorKind, WeightId};

/// Elements of the RoPE table that a kernel with RoPE reads (`rope_table`).
const ROPE_TABLE: Product = Product::new(1, &[Symbol::Seq, Symbol::HeadWidth]);

/// Bytes of one token id.
const ID_BYTES: u64 = 4;

/// Why bytes move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// An activation (or cache, or id) is read.
    Read,
    /// A weight is read.
    Weight,
    /// A tensor is written.
    Write,
}

/// One tensor or weight that a kernel moves between memory and chip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// Read, weight, or write.
    pub direction: Direction,
    /// Its name: `n1`, `Wq`, `RoPE table`.
    pub name: &'static str,
    /// The block that made it, where one did.
    pub layer: Option<u32>,
    /// Elements.
    pub elements: Product,
    /// Bytes per element.
    pub element_bytes: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A tensor that a kernel makes and that never leaves the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inside {
    /// Its name: `sc`.
    pub name: &'static str,
    /// The block that made it, where one did.
    pub layer: Option<u32>,
    /// Bytes that it would move each time it was written or read.
    pub bytes: u64,
}

/// FLOPs of one kind of one op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlopCost {
    /// The op.
    pub op: OpKind,
    /// Its FLOPs as a product.
    pub product: Product,
    /// The reason for the factor.
    pub note: &'static str,
    /// FLOPs.
    pub flops: u64,
}

/// What one kernel costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelCost {
    /// Ops joined by `+`, or `block`, `forward`.
    pub name: String,
    /// Op names, RoPE of q and k together as `rope`.
    pub ops: Vec<&'static str>,
    /// Its block, that of its first op.
    pub layer: Option<u32>,
    /// Floating-point operations, all ops.
    pub flops: u64,
    /// Of them in matrix products.
    pub gemm_flops: u64,
    /// Activation bytes read.
    pub read_bytes: u64,
    /// Weight bytes read.
    pub weight_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Phases between which the grid must wait.
    pub phases: u64,
    /// The terms of `flops`.
    pub flop_terms: Vec<FlopCost>,
    /// The terms of the bytes.
    pub moved: Vec<Moved>,
    /// What it makes and does not write.
    pub inside: Vec<Inside>,
}

impl KernelCost {
    /// All bytes: read + weight + written.
    pub fn bytes(&self) -> u64 {
        self.read_bytes + self.weight_bytes + self.written_bytes
    }

    /// FLOPs per byte; 0 for a kernel that moves nothing.
    pub fn intensity(&self) -> f64 {
        intensity(self.flops, self.bytes())
    }

    /// Whether it holds a matrix product (and so runs on matrix units in 16 bit).
    pub fn has_product(&self) -> bool {
        self.gemm_flops > 0
    }

    /// Bytes of one direction.
    fn sum(moved: &[Moved], direction: Direction) -> Result<u64, CostError> {
        moved
            .iter()
            .filter(|m| m.direction == direction)
            .try_fold(0u64, |sum, m| sum.checked_add(m.bytes))
            .ok_or_else(|| CostError::too_large("the bytes of a kernel"))
    }

    /// Prices one kernel of `graph`.
    pub(super) fn of(
        config: &Config,
        sizes: &Sizes,
        graph: &Graph,
        kernel: &Kernel,
    ) -> Result<Self, CostError> {
        let mut flop_terms = Vec::new();
        for op in kernel.op_kinds(graph) {
            for (product, note) in op.flops() {
                flop_terms.push(FlopCost {
                    op,
                    product: *product,
                    note,
                    flops: product.value(sizes)?,
                });
            }
        }
        let moved = moved(config, sizes, graph, kernel)?;
        let inside = inside(config, sizes, graph, kernel)?;
        let add = |all: bool| {
            flop_terms
                .iter()
                .filter(|t| all || t.op.is_product())
                .try_fold(0u64, |sum, t| sum.checked_add(t.flops))
                .ok_or_else(|| CostError::too_large("the FLOPs of a kernel"))
        };
        let (read, weight, written) = (
            Self::sum(&moved, Direction::Read)?,
            Self::sum(&moved, Direction::Weight)?,
            Self::sum(&moved, Direction::Write)?,
        );
        read.checked_add(weight)
            .and_then(|b| b.checked_add(written))
            .ok_or_else(|| CostError::too_large("the bytes of a kernel"))?;
        Ok(Self {
            name: kernel.name(graph),
            ops: kernel.op_names(graph),
            layer: graph.nodes.get(kernel.ops.start).and_then(|n| n.layer),
            flops: add(true)?,
            gemm_flops: add(false)?,
            read_bytes: read,
            weight_bytes: weight,
            written_bytes: written,
            phases: kernel.phases.len() as u64,
            flop_terms,
            moved,
            inside,
        })
    }
}

/// FLOPs per byte; 0 where nothing moves.
pub(super) fn intensity(flops: u64, bytes: u64) -> f64 {
    if bytes == 0 {
        0.0
    } else {
        flops as f64 / bytes as f64
    }
}

/// Bytes of one element of a tensor.
fn element_bytes(config: &Config, kind: TensorKind) -> u64 {
    match kind {
        TensorKind::Ids => ID_BYTES,
        _ => config.dtype.bytes(),
    }
}

/// Bytes of a tensor.
fn tensor_bytes(config: &Config, sizes: &Sizes, tensor: Tensor) -> Result<u64, CostError> {
    tensor
        .kind
        .elements()
        .value(sizes)?
        .checked_mul(element_bytes(config, tensor.kind))
        .ok_or_else(|| CostError::too_large(tensor.name()))
}

fn inside(
    config: &Config,
    sizes: &Sizes,
    graph: &Graph,
    kernel: &Kernel,
) -> Result<Vec<Inside>, CostError> {
    let tensor = |id: &TensorId| {
        let tensor = graph.tensor_at(*id);
        Ok(Inside {
            name: tensor.name(),
            layer: tensor.layer,
            bytes: tensor_bytes(config, sizes, tensor)?,
        })
    };
    kernel.inside.iter().map(tensor).collect()
}

fn moved(
    config: &Config,
    sizes: &Sizes,
    graph: &Graph,
    kernel: &Kernel,
) -> Result<Vec<Moved>, CostError> {
    let mut all = Vec::new();
    // Seen from the block that reads it, the stream is x, whoever made it.
    let layer = graph.nodes.get(kernel.ops.start).and_then(|n| n.layer);
    let tensor = |direction, t: Tensor| {
        let foreign = t.kind == TensorKind::X && t.layer != layer && direction == Direction::Read;
        (
            direction,
            if foreign { t.kind.name() } else { t.name() },
            t.layer,
            t.kind.elements(),
            element_bytes(config, t.kind),
        )
    };
    let weight = |w: WeightId| {
        (
            Direction::Weight,
            w.kind.name(),
            w.layer,
            w.kind.read(),
            config.dtype.bytes(),
        )
    };
    let reads = kernel
        .reads
        .iter()
        .map(|id| tensor(Direction::Read, graph.tensor_at(*id)));
    let table = (config.conventions.rope_table
        && kernel
            .op_kinds(graph)
            .any(|op| matches!(op, OpKind::RopeQ | OpKind::RopeK)))
    .then_some((
        Direction::Read,
        "RoPE table",
        None,
        ROPE_TABLE,
        config.dtype.bytes(),
    ));
    let weights = kernel.weights.iter().map(|w| weight(*w));
    let writes = kernel
        .writes
        .iter()
        .map(|id| tensor(Direction::Write, graph.tensor_at(*id)));
    for (direction, name, layer, elements, element_bytes) in
        reads.chain(table).chain(weights).chain(writes)
    {
        let bytes = elements
            .value(sizes)?
            .checked_mul(element_bytes)
            .ok_or_else(|| CostError::too_large(name))?;
        all.push(Moved {
            direction,
            name,
            layer,
            elements,
            element_bytes,
            bytes,
        });
    }
    Ok(all)
}
