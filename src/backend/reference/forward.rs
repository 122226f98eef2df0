//! The forward itself, stage by stage: embedding, each block, head.

use half::bf16;
use nalgebra::DMatrix;

use super::attention::{self, Heads};
use super::{Precision, ReferenceError, affordable, ops, side_by_side, threads};
use crate::tokens::Tokens;
use crate::weights::Weights;
use plan::model::{Graph, OpKind, Shape, Tensor, TensorId, TensorKind, WeightId, WeightKind};

/// One tensor of the graph with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// Its place in [`Graph::tensors`].
    pub id: TensorId,
    /// Its name and block.
    pub tensor: Tensor,
    /// Its values in the graph's order: `B × S × width`, scores and
    /// probabilities `B × H × S × T`, past keys and values `B × (T−S) × Dkv`.
    /// Scores are not yet divided by √d, and are those of all pairs: where a
    /// key lies after the query they mean nothing.
    pub values: Vec<f64>,
}

/// A forward in progress. Only one block's tensors are in memory at a time.
#[derive(Debug)]
pub struct Forward<'a> {
    weights: &'a Weights,
    tokens: &'a Tokens,
    shape: Shape,
    graph: Graph,
    precision: Precision,
    /// What its norms add to the mean of squares.
    eps: f64,
    /// Which stage comes next: 0 is the embedding, L + 1 the head.
    stage: u32,
    /// The residual stream over the whole context: `D × (B·T)`.
    x: DMatrix<f64>,
}

impl<'a> Forward<'a> {
    /// A forward of these tokens that keeps the last `shape.seq` of each
    /// sequence.
    ///
    /// # Errors
    /// Tokens that are not `batch × context`, a shape that does not fit the
    /// model, or a forward that is too large (see [`affordable`]).
    pub fn new(
        weights: &'a Weights,
        tokens: &'a Tokens,
        shape: Shape,
        precision: Precision,
    ) -> Result<Self, ReferenceError> {
        affordable(weights.model(), &shape)?;
        if (tokens.batch() as u64, tokens.context() as u64) != (shape.batch, shape.context) {
            return Err(ReferenceError::new(format!(
                "the tokens are {} sequences of {}, and the shape asks for {} of {}",
                tokens.batch(),
                tokens.context(),
                shape.batch,
                shape.context
            )));
        }
        Ok(Self {
            weights,
            tokens,
            shape,
            graph: Graph::of(weights.model(), &shape)?,
            precision,
            eps: weights.model().norm_eps,
            stage: 0,
            x: DMatrix::zeros(0, 0),
        })
    }

    /// The same with another ε in its norms, which is wrong.
    #[must_use]
    pub fn with_eps(mut self, eps: f64) -> Self {
        self.eps = eps;
        self
    }

    /// The graph whose tensors are made.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Computes the next stage and hands over its tensors in the order of the
    /// graph: the embedding's, each block's, then final norm and logits.
    /// `None` after the last.
    ///
    /// # Errors
    /// Weights that cannot be read.
    pub fn next_stage(&mut self) -> Result<Option<Vec<Made>>, ReferenceError> {
        let stage = self.stage;
        self.stage = stage.saturating_add(1);
        let mut made = match stage {
            0 => self.embed()?,
            s if s <= self.graph.layers => self.block(s - 1)?,
            s if s == self.graph.layers + 1 => self.head()?,
            _ => return Ok(None),
        };
        made.sort_by_key(|m| m.id);
        Ok(Some(made))
    }

    fn embed(&mut self) -> Result<Vec<Made>, ReferenceError> {
        let mut out = Vec::new();
        let x = ops::embed(self.weights, self.tokens.ids())?;
        self.x = self.make(OpKind::Embed, None, x, &mut out);
        Ok(out)
    }

    fn block(&mut self, layer: u32) -> Result<Vec<Made>, ReferenceError> {
        use OpKind as Op;
        let mut out = Vec::new();
        let made = &mut out;
        let at = Some(layer);
        let model = self.weights.model();
        let (theta, d) = (model.rope_theta, model.head_width() as usize);
        let context = self.tokens.context();
        let rope = |x: &DMatrix<f64>| ops::rope(x, d, |token| token % context, theta);

        let n1 = self.norm(WeightKind::Norm1, at, &self.x)?;
        let n1 = self.make(Op::Norm1, at, n1, made);
        let q = self.make(Op::Q, at, self.product(WeightKind::Q, at, &n1)?, made);
        let k = self.make(Op::K, at, self.product(WeightKind::K, at, &n1)?, made);
        let v = self.make(Op::V, at, self.product(WeightKind::V, at, &n1)?, made);
        let qr = self.make(Op::RopeQ, at, rope(&q), made);
        let kr = self.make(Op::RopeK, at, rope(&k), made);
        self.past(layer, TensorKind::PastK, &kr, made);
        self.past(layer, TensorKind::PastV, &v, made);

        let att = self.attention(layer, &qr, &kr, &v, made);
        let att = self.make(Op::Pv, at, att, made);
        let o = self.make(Op::O, at, self.product(WeightKind::O, at, &att)?, made);
        let h = self.make(Op::Res1, at, &self.x + o, made);

        let n2 = self.norm(WeightKind::Norm2, at, &h)?;
        let n2 = self.make(Op::Norm2, at, n2, made);
        let g = self.make(Op::Gate, at, self.product(WeightKind::Gate, at, &n2)?, made);
        let u = self.make(Op::Up, at, self.product(WeightKind::Up, at, &n2)?, made);
        let sg = self.make(Op::Silu, at, ops::silu(&g), made);
        let m = self.make(Op::Mul, at, sg.component_mul(&u), made);
        let dn = self.make(Op::Down, at, self.product(WeightKind::Down, at, &m)?, made);
        self.x = self.make(Op::Res2, at, h + dn, made);
        Ok(out)
    }

    /// Scores, probabilities and the weighted values, head by head.
    fn attention(
        &self,
        layer: u32,
        qr: &DMatrix<f64>,
        kr: &DMatrix<f64>,
        v: &DMatrix<f64>,
        made: &mut Vec<Made>,
    ) -> DMatrix<f64> {
        let model = self.weights.model();
        let heads = Heads {
            query: model.heads as usize,
            key: model.kv_heads as usize,
            width: model.head_width() as usize,
        };
        let context = self.tokens.context();
        let mut att = DMatrix::zeros(qr.nrows(), qr.ncols());
        let (mut all_sc, mut all_pr) = (Vec::new(), Vec::new());
        let sequences = 0..self.tokens.batch();
        let all: Vec<(usize, usize)> = sequences
            .flat_map(|b| (0..heads.query).map(move |head| (b * context, head)))
            .collect();
        let threads = threads(all.len() * context * context * heads.width);
        // The scores of as many heads are in memory as are worked on.
        for round in all.chunks(threads) {
            let made = side_by_side(round, threads, |(first, head)| {
                let sequence = *first..first + context;
                let sc = self.rounded(attention::scores(qr, kr, heads, *head, &sequence));
                let pr = self.rounded(attention::softmax(&sc, heads.width));
                let part = attention::weighted(&pr, v, heads, *head, &sequence);
                (sc, pr, part)
            });
            for ((first, head), (sc, pr, part)) in round.iter().zip(made) {
                attention::place(&mut att, &part, heads, *head, &(*first..first + context));
                self.keep_new(&sc, &mut all_sc);
                self.keep_new(&pr, &mut all_pr);
            }
        }
        self.emit(OpKind::Qk, Some(layer), all_sc, made);
        self.emit(OpKind::Softmax, Some(layer), all_pr, made);
        att
    }

    fn head(&mut self) -> Result<Vec<Made>, ReferenceError> {
        let mut out = Vec::new();
        let mut last = Vec::new();
        self.keep_new(&self.x, &mut last);
        // Only the new tokens have logits; from here on a column is one of them.
        let last = DMatrix::from_vec(self.x.nrows(), last.len() / self.x.nrows(), last);
        let nf = self.rounded(self.norm(WeightKind::FinalNorm, None, &last)?);
        let logits = self.rounded(self.product(WeightKind::LmHead, None, &nf)?);
        self.emit(OpKind::FinalNorm, None, nf.data.into(), &mut out);
        self.emit(OpKind::LmHead, None, logits.data.into(), &mut out);
        Ok(out)
    }

    fn product(
        &self,
        kind: WeightKind,
        layer: Option<u32>,
        x: &DMatrix<f64>,
    ) -> Result<DMatrix<f64>, ReferenceError> {
        ops::product(self.weights, WeightId { kind, layer }, x)
    }

    fn norm(
        &self,
        kind: WeightKind,
        layer: Option<u32>,
        x: &DMatrix<f64>,
    ) -> Result<DMatrix<f64>, ReferenceError> {
        let gamma = ops::gamma(self.weights, WeightId { kind, layer })?;
        Ok(ops::rms_norm(x, &gamma, self.eps))
    }

    /// Rounds an op's output, hands the rows of the new tokens out, and gives
    /// the whole back for the ops that follow.
    fn make(
        &self,
        op: OpKind,
        layer: Option<u32>,
        x: DMatrix<f64>,
        made: &mut Vec<Made>,
    ) -> DMatrix<f64> {
        let x = self.rounded(x);
        let mut values = Vec::new();
        self.keep_new(&x, &mut values);
        self.emit(op, layer, values, made);
        x
    }

    fn emit(&self, op: OpKind, layer: Option<u32>, values: Vec<f64>, made: &mut Vec<Made>) {
        let node = match layer {
            Some(layer) => self.graph.node_of(op, layer),
            None => self.graph.nodes.iter().position(|n| n.op == op),
        }
        .and_then(|i| self.graph.nodes.get(i));
        if let Some(node) = node {
            made.push(Made {
                id: node.writes,
                tensor: self.graph.tensor_at(node.writes),
                values,
            });
        }
    }

    /// Hands out the rows from before the new tokens, where the graph has them.
    fn past(&self, layer: u32, kind: TensorKind, x: &DMatrix<f64>, made: &mut Vec<Made>) {
        let wanted = Tensor {
            kind,
            layer: Some(layer),
        };
        if let Some(at) = self.graph.tensors.iter().position(|t| *t == wanted) {
            let (seq, context) = (self.shape.seq as usize, self.tokens.context());
            let mut values = Vec::new();
            for b in 0..self.tokens.batch() {
                let part = x.columns(b * context, context - seq);
                values.extend(part.iter());
            }
            made.push(Made {
                id: TensorId(at as u32),
                tensor: wanted,
                values,
            });
        }
    }

    /// Appends the last S of every T columns: the new tokens of each sequence.
    fn keep_new(&self, x: &DMatrix<f64>, out: &mut Vec<f64>) {
        let (seq, context) = (self.shape.seq as usize, self.tokens.context());
        for first in (0..x.ncols()).step_by(context) {
            out.extend(x.columns(first + context - seq, seq).iter());
        }
    }

    fn rounded(&self, mut x: DMatrix<f64>) -> DMatrix<f64> {
        if self.precision == Precision::PlainBf16 {
            x.apply(|v| *v = bf16::from_f64(*v).to_f64());
        }
        x
    }
}
