//! A forward in fp32 with plain loops, sums from left to right, and defects
//! to plant: written apart from everything else, to judge the judge.

use std::collections::BTreeMap;

use half::bf16;

use crate::tokens::Tokens;
use crate::weights::Weights;
use plan::model::{Graph, OpKind, Shape, TensorId};

pub(super) type Tensors = BTreeMap<TensorId, Vec<f32>>;

/// What is done wrong, or less precisely than fp32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Defect {
    None,
    RopeSign,
    WrongKeyHead,
    MaskOffByOne,
    /// One op's output is rounded to bf16.
    LowPrecision(OpKind),
    /// Not a defect: the outputs of these ops (bits) are rounded to bf16, as
    /// by a plan that writes them and keeps the others inside kernels.
    Stores(u32),
}

impl Defect {
    /// Whether the output of an op is rounded to bf16.
    pub(super) fn rounds(self, op: OpKind) -> bool {
        match self {
            Self::LowPrecision(one) => one == op,
            Self::Stores(bits) => {
                bits >> (op as u32) & 1 == 1 || matches!(op, OpKind::Res2 | OpKind::LmHead)
            }
            _ => false,
        }
    }
}

/// Every tensor of a prefill.
pub(super) fn forward(weights: &Weights, tokens: &Tokens, defect: Defect) -> Tensors {
    let m = weights.model();
    let shape = Shape::prefill(tokens.batch() as u64, tokens.context() as u64);
    let graph = Graph::of(m, &shape).unwrap();
    let (d, kv, i, w) = (
        m.hidden as usize,
        m.kv_width() as usize,
        m.ffn as usize,
        m.head_width() as usize,
    );
    let (heads, group) = (m.heads as usize, (m.heads / m.kv_heads) as usize);
    let (batch, t) = (tokens.batch(), tokens.context());
    let n = batch * t;
    let mut out: Tensors = Tensors::new();
    let weight =
        |node: &plan::model::Node| weights.tensor(node.weight.unwrap()).unwrap().into_owned();
    for node in &graph.nodes {
        let read = |k: usize| &out[&node.reads[k]];
        let product = |width: usize| -> Vec<f32> {
            let (x, wt) = (read(0), weight(node));
            x.chunks(width)
                .flat_map(|row| {
                    wt.chunks(width)
                        .map(|wr| wr.iter().zip(row).fold(0f32, |s, (a, b)| s + a * b))
                        .collect::<Vec<_>>()
                })
                .collect()
        };
        let made: Vec<f32> = match node.op {
            OpKind::Embed => {
                let table = weight(node);
                let row = |id: &u32| table[*id as usize * d..][..d].to_vec();
                tokens.ids().iter().flat_map(row).collect()
            }
            OpKind::Norm1 | OpKind::Norm2 | OpKind::FinalNorm => {
                let gamma = weight(node);
                let one = |row: &[f32]| -> Vec<f32> {
                    let ss = row.iter().fold(0f32, |s, v| s + v * v) / d as f32;
                    let r = 1.0 / (ss + m.norm_eps as f32).sqrt();
                    row.iter().zip(&gamma).map(|(v, g)| v * r * g).collect()
                };
                read(0).chunks(d).flat_map(one).collect()
            }
            OpKind::Q
            | OpKind::K
            | OpKind::V
            | OpKind::O
            | OpKind::Gate
            | OpKind::Up
            | OpKind::LmHead => product(d),
            OpKind::Down => product(i),
            OpKind::RopeQ | OpKind::RopeK => {
                let width = if node.op == OpKind::RopeQ { d } else { kv };
                let mut x = read(0).clone();
                for (token, row) in x.chunks_mut(width).enumerate() {
                    let position = (token % t) as f32;
                    for head in row.chunks_mut(w) {
                        for j in 0..w / 2 {
                            let freq = (m.rope_theta as f32).powf(-2.0 * j as f32 / w as f32);
                            let (sin, cos) = (position * freq).sin_cos();
                            let (a, b) = (head[j], head[j + w / 2]);
                            head[j] = a * cos - b * sin;
                            head[j + w / 2] = match defect {
                                Defect::RopeSign if node.layer == Some(1) => b * cos - a * sin,
                                _ => b * cos + a * sin,
                            };
                        }
                    }
                }
                x
            }
            OpKind::Qk => {
                let (q, k) = (read(0), read(1));
                let mut sc = vec![0f32; batch * heads * t * t];
                for (at, s) in sc.iter_mut().enumerate() {
                    let (b, h, row, key) = (
                        at / (heads * t * t),
                        at / (t * t) % heads,
                        at / t % t,
                        at % t,
                    );
                    let shared = match defect {
                        Defect::WrongKeyHead => h % m.kv_heads as usize,
                        _ => h / group,
                    };
                    let q = &q[(b * t + row) * d + h * w..][..w];
                    let k = &k[(b * t + key) * kv + shared * w..][..w];
                    *s = q.iter().zip(k).fold(0f32, |s, (a, b)| s + a * b);
                }
                sc
            }
            OpKind::Softmax => {
                let scale = 1.0 / (w as f32).sqrt();
                let mut pr = read(0).clone();
                for (at, row) in pr.chunks_mut(t).enumerate() {
                    let seen = match defect {
                        Defect::MaskOffByOne => at % t,
                        _ => at % t + 1,
                    }
                    .max(1);
                    let max = row[..seen]
                        .iter()
                        .fold(f32::NEG_INFINITY, |m, v| m.max(v * scale));
                    for v in &mut row[..seen] {
                        *v = (*v * scale - max).exp();
                    }
                    let sum = row[..seen].iter().fold(0f32, |s, v| s + v);
                    row[..seen].iter_mut().for_each(|v| *v /= sum);
                    row[seen..].fill(0.0);
                }
                pr
            }
            OpKind::Pv => {
                let (pr, v) = (read(0), read(1));
                let mut att = vec![0f32; n * d];
                for (at, a) in att.iter_mut().enumerate() {
                    let (token, h, j) = (at / d, at % d / w, at % w);
                    let (b, row) = (token / t, token % t);
                    *a = (0..t).fold(0f32, |s, key| {
                        s + pr[((b * heads + h) * t + row) * t + key]
                            * v[(b * t + key) * kv + h / group * w + j]
                    });
                }
                att
            }
            OpKind::Res1 | OpKind::Res2 => {
                read(0).iter().zip(read(1)).map(|(a, b)| a + b).collect()
            }
            OpKind::Silu => read(0).iter().map(|g| g / (1.0 + (-g).exp())).collect(),
            OpKind::Mul => read(0).iter().zip(read(1)).map(|(a, b)| a * b).collect(),
        };
        let made = match defect.rounds(node.op) {
            true => made.iter().map(|v| bf16::from_f32(*v).to_f32()).collect(),
            false => made,
        };
        out.insert(node.writes, made);
    }
    out
}
