//! The whole forward as an ordered list of ops and the tensors between them.

use super::symbol::Symbol::{Batch, Context, Ffn, Heads, Hidden, KvWidth, Past, Seq, Vocab};
use super::{BLOCK_OPS, Model, ModelError, OpKind, Product, Shape, Symbol, WeightId};

/// What a tensor holds, apart from the layer. `X` is the residual stream
/// between blocks: the embedding's output, then each block's `y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of docs/cost-model.md")]
pub enum TensorKind {
    Ids,
    X,
    N1,
    Q,
    K,
    V,
    Qr,
    Kr,
    PastK,
    PastV,
    Sc,
    Pr,
    Att,
    O,
    H,
    N2,
    G,
    U,
    Sg,
    M,
    Dn,
    Nf,
    Logits,
}

/// Where a tensor comes from and what happens to it in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Given from outside: the token ids.
    Input,
    /// Made and used within the forward.
    Activation,
    /// Keys and values from before this forward.
    Cache,
    /// The result: the logits.
    Output,
}

impl TensorKind {
    /// The name in docs/cost-model.md; `X` is `x`, whoever made it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ids => "ids",
            Self::X => "x",
            Self::N1 => "n1",
            Self::Q => "q",
            Self::K => "k",
            Self::V => "v",
            Self::Qr => "qr",
            Self::Kr => "kr",
            Self::PastK => "past k",
            Self::PastV => "past v",
            Self::Sc => "sc",
            Self::Pr => "pr",
            Self::Att => "att",
            Self::O => "o",
            Self::H => "h",
            Self::N2 => "n2",
            Self::G => "g",
            Self::U => "u",
            Self::Sg => "sg",
            Self::M => "m",
            Self::Dn => "dn",
            Self::Nf => "nf",
            Self::Logits => "logits",
        }
    }

    /// Elements, as a product of symbols.
    pub const fn elements(self) -> Product {
        match self {
            Self::Ids => Product::new(1, &[Batch, Seq]),
            Self::X
            | Self::N1
            | Self::Q
            | Self::Qr
            | Self::Att
            | Self::O
            | Self::H
            | Self::N2
            | Self::Dn
            | Self::Nf => Product::new(1, &[Batch, Seq, Hidden]),
            Self::K | Self::V | Self::Kr => Product::new(1, &[Batch, Seq, KvWidth]),
            Self::PastK | Self::PastV => Product::new(1, &[Batch, Past, KvWidth]),
            Self::Sc | Self::Pr => Product::new(1, &[Batch, Heads, Seq, Context]),
            Self::G | Self::U | Self::Sg | Self::M => Product::new(1, &[Batch, Seq, Ffn]),
            Self::Logits => Product::new(1, &[Batch, Seq, Vocab]),
        }
    }

    /// What a row is as long as: the last of [`Self::elements`]; ids are a row each.
    pub fn row(self) -> Option<Symbol> {
        match self {
            Self::Ids => None,
            kind => kind.elements().symbols.last().copied(),
        }
    }

    /// Where a tensor of this kind comes from.
    pub const fn place(self) -> Place {
        match self {
            Self::Ids => Place::Input,
            Self::PastK | Self::PastV => Place::Cache,
            Self::Logits => Place::Output,
            _ => Place::Activation,
        }
    }
}

/// A tensor's place in [`Graph::tensors`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorId(pub u32);

/// One tensor of the forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tensor {
    /// What it holds.
    pub kind: TensorKind,
    /// The block that made it; `None` outside the blocks.
    pub layer: Option<u32>,
}

impl Tensor {
    /// The name that a learner sees: `x`, `y` of block 0 is `y`; with the
    /// block where there is one: `block 2: n1`.
    pub fn full_name(&self) -> String {
        match self.layer {
            Some(layer) => format!("block {layer}: {}", self.name()),
            None => self.name().to_owned(),
        }
    }

    /// The short name: a block's result is `y`, its input `x`.
    pub fn name(&self) -> &'static str {
        match (self.kind, self.layer) {
            (TensorKind::X, Some(_)) => "y",
            (kind, _) => kind.name(),
        }
    }
}

/// One op of the forward with its operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Which op.
    pub op: OpKind,
    /// Its block, counted from 0; `None` for embed, final norm and head.
    pub layer: Option<u32>,
    /// Tensors read.
    pub reads: Vec<TensorId>,
    /// The weight used.
    pub weight: Option<WeightId>,
    /// The tensor made.
    pub writes: TensorId,
}

/// The forward of one model: `embed`, 18 ops per layer, `final_norm`,
/// `lm_head`, in order, and every tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// Ops in the order of execution.
    pub nodes: Vec<Node>,
    /// Tensors; [`TensorId`] is the index.
    pub tensors: Vec<Tensor>,
    /// Number of blocks.
    pub layers: u32,
}

impl Graph {
    /// The forward of `model`. With `has_past`, attention also reads keys and
    /// values from before this forward.
    ///
    /// # Errors
    /// A model that [`Model::check`] refuses.
    pub fn new(model: &Model, has_past: bool) -> Result<Self, ModelError> {
        model.check()?;
        let layers = u32::try_from(model.layers).map_err(|_| ModelError::too_large("layers"))?;
        Ok(Self::of_layers(layers, has_past))
    }

    /// The forward of a model and shape.
    ///
    /// # Errors
    /// As [`Graph::new`], and a shape that does not fit the model.
    pub fn of(model: &Model, shape: &Shape) -> Result<Self, ModelError> {
        shape.check(model)?;
        Self::new(model, shape.has_past())
    }

    /// A forward of `layers` blocks.
    pub fn of_layers(layers: u32, has_past: bool) -> Self {
        let mut graph = Self {
            nodes: Vec::with_capacity(layers as usize * BLOCK_OPS.len() + 3),
            tensors: Vec::with_capacity(layers as usize * 20 + 4),
            layers,
        };
        let ids = graph.tensor(TensorKind::Ids, None);
        let mut made = vec![(TensorKind::Ids, ids)];
        graph.push(OpKind::Embed, None, &mut made);
        for layer in 0..layers {
            let stream = made.last().copied();
            made.clear();
            made.extend(stream);
            if has_past {
                for kind in [TensorKind::PastK, TensorKind::PastV] {
                    let id = graph.tensor(kind, Some(layer));
                    made.insert(0, (kind, id));
                }
            }
            for op in BLOCK_OPS {
                graph.push(op, Some(layer), &mut made);
            }
        }
        graph.push(OpKind::FinalNorm, None, &mut made);
        graph.push(OpKind::LmHead, None, &mut made);
        graph
    }

    /// The tensor of this id.
    pub fn tensor_at(&self, id: TensorId) -> Tensor {
        self.tensors[id.0 as usize]
    }

    /// Index in [`Graph::nodes`] of an op of a block.
    pub fn node_of(&self, op: OpKind, layer: u32) -> Option<usize> {
        let within = BLOCK_OPS.iter().position(|o| *o == op)?;
        (layer < self.layers).then_some(1 + layer as usize * BLOCK_OPS.len() + within)
    }

    fn tensor(&mut self, kind: TensorKind, layer: Option<u32>) -> TensorId {
        let id = TensorId(self.tensors.len() as u32);
        self.tensors.push(Tensor { kind, layer });
        id
    }

    /// Appends `op`, reading the newest tensor of each kind that it needs. A
    /// past that does not exist is not read.
    fn push(&mut self, op: OpKind, layer: Option<u32>, made: &mut Vec<(TensorKind, TensorId)>) {
        let reads = op
            .reads()
            .iter()
            .filter_map(|kind| made.iter().rev().find(|(k, _)| k == kind))
            .map(|(_, id)| *id)
            .collect();
        let weight = op.weight().map(|kind| WeightId { kind, layer });
        let writes = self.tensor(op.writes(), layer);
        made.push((op.writes(), writes));
        self.nodes.push(Node {
            op,
            layer,
            reads,
            weight,
            writes,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forward_is_embed_eighteen_ops_per_layer_final_norm_and_head() {
        let g = Graph::of_layers(4, false);
        assert_eq!(g.nodes.len(), 4 * 18 + 3);
        assert_eq!(g.nodes[g.node_of(OpKind::Qk, 2).unwrap()].op, OpKind::Qk);
        assert_eq!(g.node_of(OpKind::Qk, 2), Some(1 + 2 * 18 + 6));
    }

    #[test]
    fn the_residuals_read_the_block_input_and_h() {
        let g = Graph::of_layers(2, false);
        let name = |id: &TensorId| g.tensor_at(*id).full_name();
        let res1 = &g.nodes[g.node_of(OpKind::Res1, 1).unwrap()];
        let reads: Vec<_> = res1.reads.iter().map(name).collect();
        assert_eq!(reads, ["block 0: y", "block 1: o"]);
        let res2 = &g.nodes[g.node_of(OpKind::Res2, 1).unwrap()];
        let reads: Vec<_> = res2.reads.iter().map(name).collect();
        assert_eq!(reads, ["block 1: h", "block 1: dn"]);
    }

    #[test]
    fn only_a_forward_with_a_past_reads_the_cache() {
        let without = Graph::of_layers(1, false);
        let with = Graph::of_layers(1, true);
        let qk = |g: &Graph| g.nodes[g.node_of(OpKind::Qk, 0).unwrap()].reads.len();
        assert_eq!((qk(&without), qk(&with)), (2, 3));
        assert!(with.tensors.iter().any(|t| t.kind == TensorKind::PastV));
    }
}
