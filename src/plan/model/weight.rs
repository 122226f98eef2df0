//! The weights of a model: which there are, their shapes, their names in
//! Hugging Face's Llama files.

use super::symbol::Symbol::{Batch, Ffn, Hidden, KvWidth, Seq, Vocab};
use super::{Model, Product};

/// Which weight, apart from the layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is the weight of the op of its name")]
pub enum WeightKind {
    Embedding,
    Norm1,
    Q,
    K,
    V,
    O,
    Norm2,
    Gate,
    Up,
    Down,
    FinalNorm,
    LmHead,
}

impl WeightKind {
    /// The weights of one block, in the order of their ops.
    pub const BLOCK: [Self; 9] = [
        Self::Norm1,
        Self::Q,
        Self::K,
        Self::V,
        Self::O,
        Self::Norm2,
        Self::Gate,
        Self::Up,
        Self::Down,
    ];

    /// What it is called in formulas.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Embedding => "E",
            Self::Norm1 => "gamma1",
            Self::Q => "Wq",
            Self::K => "Wk",
            Self::V => "Wv",
            Self::O => "Wo",
            Self::Norm2 => "gamma2",
            Self::Gate => "Wgate",
            Self::Up => "Wup",
            Self::Down => "Wdown",
            Self::FinalNorm => "gamma",
            Self::LmHead => "Whead",
        }
    }

    /// Elements that one use of it reads. All of it, but for the embedding, of
    /// which one row per token is read.
    pub const fn read(self) -> Product {
        match self {
            Self::Embedding => Product::new(1, &[Batch, Seq, Hidden]),
            Self::Norm1 | Self::Norm2 | Self::FinalNorm => Product::new(1, &[Hidden]),
            Self::Q | Self::O => Product::new(1, &[Hidden, Hidden]),
            Self::K | Self::V => Product::new(1, &[Hidden, KvWidth]),
            Self::Gate | Self::Up | Self::Down => Product::new(1, &[Hidden, Ffn]),
            Self::LmHead => Product::new(1, &[Vocab, Hidden]),
        }
    }
}

/// One weight of a model: its kind, and the block it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WeightId {
    /// Which weight.
    pub kind: WeightKind,
    /// The block it belongs to; `None` for embedding, final norm and head.
    pub layer: Option<u32>,
}

impl WeightId {
    /// A weight outside the blocks.
    pub const fn outside(kind: WeightKind) -> Self {
        Self { kind, layer: None }
    }

    /// A weight of block `layer`, counted from 0.
    pub const fn of_layer(kind: WeightKind, layer: u32) -> Self {
        Self {
            kind,
            layer: Some(layer),
        }
    }

    /// Stored shape `(out, in)`, row-major as Hugging Face's files keep it: a
    /// product is `y[out] = Σ W[out][in] · x[in]`. Norms are `(1, D)`.
    pub fn shape(&self, model: &Model) -> (u64, u64) {
        let (d, kv, i, v) = (model.hidden, model.kv_width(), model.ffn, model.vocab);
        match self.kind {
            WeightKind::Embedding | WeightKind::LmHead => (v, d),
            WeightKind::Norm1 | WeightKind::Norm2 | WeightKind::FinalNorm => (1, d),
            WeightKind::Q | WeightKind::O => (d, d),
            WeightKind::K | WeightKind::V => (kv, d),
            WeightKind::Gate | WeightKind::Up => (i, d),
            WeightKind::Down => (d, i),
        }
    }

    /// Its name in a Hugging Face Llama checkpoint.
    pub fn hugging_face_name(&self) -> String {
        let part = match self.kind {
            WeightKind::Embedding => return "model.embed_tokens.weight".to_owned(),
            WeightKind::FinalNorm => return "model.norm.weight".to_owned(),
            WeightKind::LmHead => return "lm_head.weight".to_owned(),
            WeightKind::Norm1 => "input_layernorm",
            WeightKind::Q => "self_attn.q_proj",
            WeightKind::K => "self_attn.k_proj",
            WeightKind::V => "self_attn.v_proj",
            WeightKind::O => "self_attn.o_proj",
            WeightKind::Norm2 => "post_attention_layernorm",
            WeightKind::Gate => "mlp.gate_proj",
            WeightKind::Up => "mlp.up_proj",
            WeightKind::Down => "mlp.down_proj",
        };
        format!("model.layers.{}.{part}.weight", self.layer.unwrap_or(0))
    }

    /// Every weight that `model` stores, in the order of use. A tied head is
    /// the embedding and is not listed.
    pub fn all(model: &Model) -> Vec<Self> {
        let mut all = vec![Self::outside(WeightKind::Embedding)];
        for layer in 0..u32::try_from(model.layers).unwrap_or(u32::MAX) {
            all.extend(
                WeightKind::BLOCK
                    .iter()
                    .map(|kind| Self::of_layer(*kind, layer)),
            );
        }
        all.push(Self::outside(WeightKind::FinalNorm));
        if !model.tied {
            all.push(Self::outside(WeightKind::LmHead));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_elements_add_up_to_the_parameters() {
        for tied in [true, false] {
            let mut m = Model::new("w", 256, 4, 8, 4, 512, 1000).unwrap();
            m.tied = tied;
            let elements: u64 = WeightId::all(&m)
                .iter()
                .map(|w| {
                    let (out, input) = w.shape(&m);
                    out * input
                })
                .sum();
            assert_eq!(elements, m.parameters().unwrap());
        }
    }
}
