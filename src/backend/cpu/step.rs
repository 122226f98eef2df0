//! What a compiled plan is made of: launches, passes, steps, operands.

use std::ops::Range;
use std::sync::Arc;

use super::panels::Panels;
use plan::fusion::Kernel;
use plan::model::{Graph, OpKind, TensorId};

/// Where a step finds or leaves rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// Rows of a buffer.
    Memory {
        /// Index of the buffer.
        buffer: usize,
        /// Elements of a row.
        columns: usize,
        /// Rows of one sequence.
        rows: usize,
        /// The row of the first new token.
        first: usize,
    },
    /// A tile in the worker's arena, in fp32.
    Tile {
        /// First element.
        at: usize,
        /// Elements of a row.
        columns: usize,
    },
}

/// What one attention step does; absent parts belong to other kernels.
#[derive(Clone, Debug, Default)]
pub(super) struct Attend {
    /// Queries and keys, if it computes the scores.
    pub queries: Option<(Operand, Operand)>,
    /// Scores in memory: read when there are no queries, written otherwise.
    pub scores: Option<Operand>,
    /// Whether it computes the softmax.
    pub softmax: bool,
    /// Probabilities in memory: written after the softmax, or read.
    pub probabilities: Option<Operand>,
    /// Values, and where the result goes, if it computes it.
    pub values: Option<(Operand, Operand)>,
}

/// A fused FFN: of g, u and m only a few columns exist at a time.
#[derive(Clone, Debug)]
pub(super) struct Ffn {
    pub x: Operand,
    pub gate: Arc<Panels>,
    pub up: Arc<Panels>,
    /// Absent where m leaves the kernel.
    pub down: Option<Arc<Panels>>,
    /// dn, or m.
    pub out: Operand,
    /// Tiles of so many columns.
    pub g: Operand,
    pub u: Operand,
}

impl Ffn {
    /// The ops that it holds, the last one if it follows.
    pub const OPS: [OpKind; 5] = [
        OpKind::Gate,
        OpKind::Up,
        OpKind::Silu,
        OpKind::Mul,
        OpKind::Down,
    ];
}

/// One step on one tile.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Embeddings of the tile's tokens.
    Embed { out: Operand },
    /// RMSNorm.
    Norm {
        x: Operand,
        out: Operand,
        gamma: Arc<Vec<f32>>,
    },
    /// A product with a weight.
    Product {
        a: Operand,
        out: Operand,
        weight: Arc<Panels>,
    },
    /// Rotation of `heads` heads.
    Rope {
        x: Operand,
        out: Operand,
        heads: usize,
    },
    /// Gate, up, SiLU, product, and down where it follows, some columns of the
    /// FFN at a time.
    Ffn(Ffn),
    /// Scores, softmax, values, or some of them.
    Attend(Attend),
    /// `a + b`.
    Add {
        a: Operand,
        b: Operand,
        out: Operand,
    },
    /// `a · b`.
    Mul {
        a: Operand,
        b: Operand,
        out: Operand,
    },
    /// `x / (1 + e^−x)`.
    Silu { x: Operand, out: Operand },
    /// bf16 memory to a tile.
    Widen { from: Operand, to: Operand },
    /// A tile to bf16 memory, rounded.
    Narrow { from: Operand, to: Operand },
}

/// The steps between two waits of all threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Pass {
    pub steps: Vec<Step>,
}

/// One launch.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub name: String,
    pub passes: Range<usize>,
    /// What it leaves in memory for others.
    pub writes: Vec<(TensorId, Operand)>,
}

/// A plan as launches of passes, and the fp32 elements of a worker's arena.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub launches: Vec<Launch>,
    pub passes: Vec<Pass>,
    pub arena: usize,
}

/// The op ranges of the passes of `kernel`: a pass ends before scores whose
/// keys it makes, for a query sees keys of other tiles.
pub(super) fn passes_of(graph: &Graph, kernel: &Kernel) -> Vec<Range<usize>> {
    let mut passes = Vec::new();
    let mut start = kernel.ops.start;
    for index in kernel.ops.clone() {
        let Some(node) = graph.nodes.get(index) else {
            continue;
        };
        let made_here = |id: &TensorId| {
            graph
                .nodes
                .get(start..index)
                .is_some_and(|nodes| nodes.iter().any(|n| n.writes == *id))
        };
        if node.op == OpKind::Qk && node.reads.iter().skip(1).any(made_here) {
            passes.push(start..index);
            start = index;
        }
    }
    passes.push(start..kernel.ops.end);
    passes
}
