//! How far a value may be from fp64, and why.

use std::collections::BTreeMap;
use std::ops::Range;

use plan::model::{Graph, Model, OpKind, Shape, TensorId, TensorKind};

/// Unit roundoff of fp32.
const UNIT: f64 = f32::EPSILON as f64 / 2.0;

/// How much more than the plain low-precision path a bf16 backend may err.
const PLAIN: f64 = 2.0;

/// How many times the tolerance a single value may be off: among the 10⁷
/// values of a tensor the largest error lies near 5.3 standard deviations, and
/// the tails of products are heavier than normal.
pub const OUTLIER: f64 = 8.0;

/// No tolerance is larger. An output of zeros has a relative error of one, so
/// it fails whatever the depth.
pub const MAX_TOLERANCE: f64 = 0.25;

/// What each tensor's relative error may be.
///
/// **fp32.** A sum of K products passes through at most K roundings of partial
/// sums that grow like √k; for values of random sign its error has standard
/// deviation u·σ·√(K²/6) = 0.41·√K·u relative to the result's size √K·σ, with
/// u = 2⁻²⁴. A relative error goes through the next product unchanged, and
/// those of different ops are independent and add in quadrature. So after ops
/// of inner lengths K₁, K₂, … the deviation is 0.41·u·√(K₁ + K₂ + …). The
/// tolerance is u·√ΣK: the reserve of 2.4 is used up where a residual cancels,
/// by products of two inexact factors (`mul`) and by exponentials. K is D for
/// norms and projections, I for `down`, d for scores, T for softmax and the
/// weighted sum, and the number of roundings where an op works element by
/// element. Turning by angles that are fp32 themselves adds T·u/8 once: an
/// angle, at most T, is off by at most T·u for the fastest of the pairs and by
/// far less for the others, and is the same in every block. The embedding is
/// copied, and may not differ at all.
///
/// This speaks of widths at which sums have a statistic. In a model of a few
/// columns per token a whole row can cancel in a residual, and its norm then
/// enlarges what is left of it, errors and all.
///
/// **bf16.** Twice the error of the plain path: the same forward with every
/// op's output rounded to bf16, on the same weights and tokens. A fused plan
/// rounds less often than that path, none rounds more often. What counts is
/// the largest error of that path up to the tensor in question, as a small
/// tensor can be lucky. The fp32 tolerance is the least.
///
/// The root mean square of n errors fluctuates by about 1/√n of itself, so
/// that where a tensor has few values the tolerance is larger by 4/√n of
/// itself: 0.4 % for the 10⁶ values of a prefill, 25 % for one token's 256.
#[derive(Debug)]
pub struct Tolerances {
    fp32: BTreeMap<TensorId, f64>,
    /// The plain path's largest relative error so far.
    plain: f64,
}

impl Tolerances {
    /// The fp32 tolerance of every tensor of a graph.
    pub fn new(model: &Model, shape: &Shape, graph: &Graph) -> Self {
        let mut fp32 = BTreeMap::new();
        let (mut lengths, mut angle) = (0.0, 0.0);
        for node in &graph.nodes {
            lengths += f64::from(inner_length(node.op, model, shape));
            if node.op == OpKind::RopeQ {
                angle = shape.context as f64 / OUTLIER;
            }
            let tolerance = (lengths.sqrt() + angle) * UNIT;
            fp32.insert(node.writes, tolerance.min(MAX_TOLERANCE));
            // What is kept for later is kr and v of earlier positions.
            let kept = match node.op {
                OpKind::RopeK => TensorKind::PastK,
                OpKind::V => TensorKind::PastV,
                _ => continue,
            };
            let past = graph
                .node_of(OpKind::Qk, node.layer.unwrap_or(0))
                .into_iter()
                .chain(graph.node_of(OpKind::Pv, node.layer.unwrap_or(0)))
                .filter_map(|i| graph.nodes.get(i))
                .flat_map(|n| &n.reads)
                .find(|id| graph.tensor_at(**id).kind == kept);
            if let Some(id) = past {
                fp32.insert(*id, tolerance.min(MAX_TOLERANCE));
            }
        }
        Self { fp32, plain: 0.0 }
    }

    /// What fp32 may err in one kernel of these ops, given its inputs as they
    /// are: the sum over its own ops only.
    pub fn of_kernel(model: &Model, shape: &Shape, graph: &Graph, ops: Range<usize>) -> f64 {
        let nodes = graph.nodes.get(ops).unwrap_or_default();
        let lengths = nodes
            .iter()
            .map(|n| f64::from(inner_length(n.op, model, shape)));
        let turns = nodes.iter().any(|n| n.op == OpKind::RopeQ);
        let angle = if turns {
            shape.context as f64 / OUTLIER
        } else {
            0.0
        };
        ((lengths.sum::<f64>().sqrt() + angle) * UNIT).min(MAX_TOLERANCE)
    }

    /// The tolerance of so many values that fp32 may miss by `least`, and the
    /// plain bf16 path misses by `plain`.
    pub fn combined(least: f64, plain: f64, values: usize) -> f64 {
        let few = 1.0 + 4.0 / (values.max(1) as f64).sqrt();
        (least.max(PLAIN * plain) * few).min(MAX_TOLERANCE)
    }

    /// Takes note of the plain bf16 path's relative error in the next tensor
    /// of the graph.
    pub fn plain(&mut self, relative: f64) {
        self.plain = self.plain.max(relative);
    }

    /// The tolerance of a tensor of so many values, given the plain path's
    /// errors up to it.
    pub fn of(&self, id: TensorId, values: usize) -> f64 {
        let least = self.fp32.get(&id).copied().unwrap_or(0.0);
        Self::combined(least, self.plain, values)
    }
}

/// How many roundings follow one another in one value of an op.
fn inner_length(op: OpKind, model: &Model, shape: &Shape) -> u32 {
    use OpKind as Op;
    let length = match op {
        Op::Embed => 0,
        Op::Norm1 | Op::Norm2 | Op::FinalNorm => model.hidden,
        Op::Q | Op::K | Op::V | Op::O | Op::Gate | Op::Up | Op::LmHead => model.hidden,
        Op::Down => model.ffn,
        Op::Qk => model.head_width(),
        Op::Softmax | Op::Pv => shape.context,
        // Two products and a sum of each.
        Op::RopeQ | Op::RopeK => 3,
        // Negate, exp, add, divide; exp counts for a few.
        Op::Silu => 6,
        Op::Res1 | Op::Res2 | Op::Mul => 1,
    };
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many values that their number does not matter.
    const MANY: usize = usize::MAX;

    /// Equal but for what many values are short of infinitely many.
    fn close(a: f64, b: f64) {
        assert!((a / b - 1.0).abs() < 1e-8, "{a} is not {b}");
    }

    fn tolerances(context: u64, seq: u64) -> (Graph, Tolerances) {
        let model = Model::new("m", 256, 4, 8, 4, 512, 1000).unwrap();
        let shape = Shape {
            batch: 1,
            seq,
            context,
        };
        let graph = Graph::of(&model, &shape).unwrap();
        let tolerances = Tolerances::new(&model, &shape, &graph);
        (graph, tolerances)
    }

    #[test]
    fn tolerances_grow_along_the_graph_from_exactly_zero() {
        let (graph, t) = tolerances(128, 128);
        let all: Vec<f64> = graph.nodes.iter().map(|n| t.of(n.writes, MANY)).collect();
        assert_eq!(all[0], 0.0);
        // n1: √256·2⁻²⁴ = 16·2⁻²⁴.
        close(all[1], 16.0 * UNIT);
        assert!(all.windows(2).all(|w| w[0] <= w[1]));
        // Per block: 2 norms and 6 projections of 256, 512, 32, 2·128, 2·3, 6,
        // 3 of 1 = 2863. Four of them, final norm and head: 11,964, whose root
        // is 109.38; and 128/8 for the angles: 125.4.
        let logits = *all.last().unwrap() / UNIT;
        assert!((logits - 125.4).abs() < 0.1, "{logits}");
    }

    #[test]
    fn the_cache_has_the_tolerance_of_what_fills_it() {
        let (graph, t) = tolerances(128, 1);
        for (kind, source) in [
            (TensorKind::PastK, TensorKind::Kr),
            (TensorKind::PastV, TensorKind::V),
        ] {
            for layer in 0..4 {
                let of = |kind| {
                    let at = graph
                        .tensors
                        .iter()
                        .position(|x| (x.kind, x.layer) == (kind, Some(layer)))
                        .unwrap();
                    t.of(TensorId(at as u32), MANY)
                };
                assert!(of(kind) > 0.0);
                assert_eq!(of(kind), of(source));
            }
        }
    }

    #[test]
    fn bf16_may_err_twice_as_much_as_the_plain_path_within_limits() {
        let (graph, mut t) = tolerances(128, 128);
        let n1 = graph.nodes[1].writes;
        let fp32 = t.of(n1, MANY);
        t.plain(1e-9);
        assert_eq!(t.of(n1, MANY), fp32);
        t.plain(0.004);
        t.plain(0.001);
        close(t.of(n1, MANY), 0.008);
        close(t.of(n1, 256), 0.008 * 1.25);
        t.plain(f64::INFINITY);
        assert_eq!(t.of(n1, MANY), MAX_TOLERANCE);
    }
}
