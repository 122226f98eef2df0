//! The ordered ops of the forward, with what each computes and counts.

use super::symbol::Symbol::{Batch, Ffn, HeadWidth, Heads, Hidden, KvWidth, Pairs, Seq, Vocab};
use super::{Product, Symbol, TensorKind, WeightKind};

/// One op. `RopeQ` and `RopeK` are two ops that one kernel computes unless a
/// plan splits them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of docs/cost-model.md")]
pub enum OpKind {
    Embed,
    Norm1,
    Q,
    K,
    V,
    RopeQ,
    RopeK,
    Qk,
    Softmax,
    Pv,
    O,
    Res1,
    Norm2,
    Gate,
    Up,
    Silu,
    Mul,
    Down,
    Res2,
    FinalNorm,
    LmHead,
}

/// The 18 ops of one block, in order.
pub const BLOCK_OPS: [OpKind; 18] = [
    OpKind::Norm1,
    OpKind::Q,
    OpKind::K,
    OpKind::V,
    OpKind::RopeQ,
    OpKind::RopeK,
    OpKind::Qk,
    OpKind::Softmax,
    OpKind::Pv,
    OpKind::O,
    OpKind::Res1,
    OpKind::Norm2,
    OpKind::Gate,
    OpKind::Up,
    OpKind::Silu,
    OpKind::Mul,
    OpKind::Down,
    OpKind::Res2,
];

const BSD: &[Symbol] = &[Batch, Seq, Hidden];
const BS: &[Symbol] = &[Batch, Seq];
const BSI: &[Symbol] = &[Batch, Seq, Ffn];

/// FLOPs of one kind within an op, with the reason for its factor.
pub type FlopTerm = (Product, &'static str);

impl OpKind {
    /// The name in docs/cost-model.md.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Embed => "embed",
            Self::Norm1 => "norm1",
            Self::Q => "q",
            Self::K => "k",
            Self::V => "v",
            Self::RopeQ => "rope_q",
            Self::RopeK => "rope_k",
            Self::Qk => "qk",
            Self::Softmax => "softmax",
            Self::Pv => "pv",
            Self::O => "o",
            Self::Res1 => "res1",
            Self::Norm2 => "norm2",
            Self::Gate => "gate",
            Self::Up => "up",
            Self::Silu => "silu",
            Self::Mul => "mul",
            Self::Down => "down",
            Self::Res2 => "res2",
            Self::FinalNorm => "final_norm",
            Self::LmHead => "lm_head",
        }
    }

    /// The op of this name; `rope` is the first of its two.
    pub fn parse(name: &str) -> Option<Self> {
        if name == "rope" {
            return Some(Self::RopeQ);
        }
        BLOCK_OPS
            .into_iter()
            .chain([Self::Embed, Self::FinalNorm, Self::LmHead])
            .find(|op| op.name() == name)
    }

    /// Whether the op is a matrix product ("GEMM only": q k v qk pv o gate up
    /// down lm_head).
    pub const fn is_product(self) -> bool {
        matches!(
            self,
            Self::Q
                | Self::K
                | Self::V
                | Self::Qk
                | Self::Pv
                | Self::O
                | Self::Gate
                | Self::Up
                | Self::Down
                | Self::LmHead
        )
    }

    /// Whether the op is a matrix product with a weight.
    pub const fn is_weight_product(self) -> bool {
        self.is_product() && !matches!(self, Self::Qk | Self::Pv)
    }

    /// Whether the op normalises rows.
    pub const fn is_norm(self) -> bool {
        matches!(self, Self::Norm1 | Self::Norm2 | Self::FinalNorm)
    }

    /// What the op computes, as a formula over the tensors' names.
    pub const fn formula(self) -> &'static str {
        match self {
            Self::Embed => "x = E[ids]",
            Self::Norm1 => "n1 = x / sqrt(mean(x²) + eps) · gamma1",
            Self::Q => "q = n1 · Wq",
            Self::K => "k = n1 · Wk",
            Self::V => "v = n1 · Wv",
            Self::RopeQ => "qr = rotate(q, position)",
            Self::RopeK => "kr = rotate(k, position)",
            Self::Qk => "sc = qr · krᵀ",
            Self::Softmax => "pr = softmax(sc / √d, causal)",
            Self::Pv => "att = pr · v",
            Self::O => "o = att · Wo",
            Self::Res1 => "h = x + o",
            Self::Norm2 => "n2 = h / sqrt(mean(h²) + eps) · gamma2",
            Self::Gate => "g = n2 · Wgate",
            Self::Up => "u = n2 · Wup",
            Self::Silu => "sg = g / (1 + exp(-g))",
            Self::Mul => "m = sg · u",
            Self::Down => "dn = m · Wdown",
            Self::Res2 => "y = h + dn",
            Self::FinalNorm => "nf = y / sqrt(mean(y²) + eps) · gamma",
            Self::LmHead => "logits = nf · Wheadᵀ",
        }
    }

    /// FLOPs of the op, term by term (cost model, table and "FLOPs").
    pub const fn flops(self) -> &'static [FlopTerm] {
        const MAC: &str = "one multiply-accumulate is 2";
        const ELEMENT: &str = "square, accumulate, times rstd, times gamma";
        const ROW: &str = "mean, root and reciprocal of each row";
        const NORM: &[FlopTerm] = &[(Product::new(4, BSD), ELEMENT), (Product::new(3, BS), ROW)];
        const SCORES: &[FlopTerm] = &[(Product::new(2, &[Batch, Heads, Pairs, HeadWidth]), MAC)];
        const ADD: &[FlopTerm] = &[(Product::new(1, BSD), "one add per element")];
        const ROTATE: &str = "6 per rotated pair, 3 per element";
        const TO_FFN: &[FlopTerm] = &[(Product::new(2, &[Batch, Seq, Hidden, Ffn]), MAC)];
        const TO_KV: &[FlopTerm] = &[(Product::new(2, &[Batch, Seq, Hidden, KvWidth]), MAC)];
        const SQUARE: &[FlopTerm] = &[(Product::new(2, &[Batch, Seq, Hidden, Hidden]), MAC)];
        match self {
            Self::Embed => &[],
            Self::Norm1 | Self::Norm2 | Self::FinalNorm => NORM,
            Self::Q | Self::O => SQUARE,
            Self::K | Self::V => TO_KV,
            Self::RopeQ => const { &[(Product::new(3, BSD), ROTATE)] },
            Self::RopeK => const { &[(Product::new(3, &[Batch, Seq, KvWidth]), ROTATE)] },
            Self::Qk | Self::Pv => SCORES,
            Self::Softmax => {
                const {
                    &[(
                        Product::new(6, &[Batch, Heads, Pairs]),
                        "scale, max, subtract, exp, accumulate, divide per score",
                    )]
                }
            }
            Self::Res1 | Self::Res2 => ADD,
            Self::Gate | Self::Up | Self::Down => TO_FFN,
            Self::Silu => {
                const { &[(Product::new(4, BSI), "negate, exp, add, divide per element")] }
            }
            Self::Mul => const { &[(Product::new(1, BSI), "one multiply per element")] },
            Self::LmHead => const { &[(Product::new(2, &[Batch, Seq, Hidden, Vocab]), MAC)] },
        }
    }

    /// The tensors that the op reads, the one whose rows it needs whole first.
    /// `X` stands for the block's input, whichever op made it.
    pub(super) const fn reads(self) -> &'static [TensorKind] {
        use TensorKind as T;
        match self {
            Self::Embed => &[T::Ids],
            Self::Norm1 => &[T::X],
            Self::Q | Self::K | Self::V => &[T::N1],
            Self::RopeQ => &[T::Q],
            Self::RopeK => &[T::K],
            Self::Qk => &[T::Qr, T::Kr, T::PastK],
            Self::Softmax => &[T::Sc],
            Self::Pv => &[T::Pr, T::V, T::PastV],
            Self::O => &[T::Att],
            Self::Res1 => &[T::X, T::O],
            Self::Norm2 => &[T::H],
            Self::Gate | Self::Up => &[T::N2],
            Self::Silu => &[T::G],
            Self::Mul => &[T::Sg, T::U],
            Self::Down => &[T::M],
            Self::Res2 => &[T::H, T::Dn],
            Self::FinalNorm => &[T::X],
            Self::LmHead => &[T::Nf],
        }
    }

    /// The tensor that the op makes.
    pub(super) const fn writes(self) -> TensorKind {
        use TensorKind as T;
        match self {
            Self::Embed | Self::Res2 => T::X,
            Self::Norm1 => T::N1,
            Self::Q => T::Q,
            Self::K => T::K,
            Self::V => T::V,
            Self::RopeQ => T::Qr,
            Self::RopeK => T::Kr,
            Self::Qk => T::Sc,
            Self::Softmax => T::Pr,
            Self::Pv => T::Att,
            Self::O => T::O,
            Self::Res1 => T::H,
            Self::Norm2 => T::N2,
            Self::Gate => T::G,
            Self::Up => T::U,
            Self::Silu => T::Sg,
            Self::Mul => T::M,
            Self::Down => T::Dn,
            Self::FinalNorm => T::Nf,
            Self::LmHead => T::Logits,
        }
    }

    /// The weight that the op uses.
    pub const fn weight(self) -> Option<WeightKind> {
        Some(match self {
            Self::Embed => WeightKind::Embedding,
            Self::Norm1 => WeightKind::Norm1,
            Self::Q => WeightKind::Q,
            Self::K => WeightKind::K,
            Self::V => WeightKind::V,
            Self::O => WeightKind::O,
            Self::Norm2 => WeightKind::Norm2,
            Self::Gate => WeightKind::Gate,
            Self::Up => WeightKind::Up,
            Self::Down => WeightKind::Down,
            Self::FinalNorm => WeightKind::FinalNorm,
            Self::LmHead => WeightKind::LmHead,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for op in BLOCK_OPS {
            assert_eq!(OpKind::parse(op.name()), Some(op));
        }
        assert_eq!(OpKind::parse("rope"), Some(OpKind::RopeQ));
        assert_eq!(OpKind::parse("conv"), None);
    }

    #[test]
    fn nine_of_the_block_ops_are_products_seven_with_a_weight() {
        // q k v qk pv o gate up down; without qk and pv (exercise ex1, key products).
        assert_eq!(BLOCK_OPS.iter().filter(|o| o.is_product()).count(), 9);
        assert_eq!(
            BLOCK_OPS.iter().filter(|o| o.is_weight_product()).count(),
            7
        );
    }
}
