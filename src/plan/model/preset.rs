//! The named models of the workshop and their default shapes.

use super::{Model, ModelError, Shape};
use crate::nearest;

/// A named model with the shape that a command uses when none is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// The name that `--model` takes.
    pub name: &'static str,
    /// D, L, H, K, I, V.
    sizes: [u64; 6],
    /// Whether the head shares the embedding's weights.
    tied: bool,
    /// Default batch B.
    pub batch: u64,
    /// Default new tokens per sequence S.
    pub seq: u64,
    /// Whether a KV cache is always being filled (cost model, `keep_kv`).
    pub fills_cache: bool,
}

/// Every preset, smallest first. The last is TinyLlama-1.1B as published
/// (D 2048, L 22, H 32, K 4, I 5632, V 32000, head not tied).
pub const PRESETS: [Preset; 5] = [
    Preset {
        name: "workshop",
        sizes: [256, 4, 8, 4, 512, 1000],
        tied: true,
        batch: 1,
        seq: 128,
        fills_cache: false,
    },
    Preset {
        name: "small",
        sizes: [512, 8, 8, 4, 2048, 1000],
        tied: true,
        batch: 8,
        seq: 128,
        fills_cache: false,
    },
    Preset {
        name: "medium",
        sizes: [1024, 12, 16, 8, 4096, 1000],
        tied: true,
        batch: 16,
        seq: 512,
        fills_cache: false,
    },
    Preset {
        name: "part-c",
        sizes: [2048, 1, 16, 16, 5632, 32000],
        tied: true,
        batch: 4,
        seq: 512,
        fills_cache: false,
    },
    Preset {
        name: "tinyllama-1.1b",
        sizes: [2048, 22, 32, 4, 5632, 32000],
        tied: false,
        batch: 1,
        seq: 512,
        fills_cache: true,
    },
];

impl Preset {
    /// The model itself.
    pub fn model(&self) -> Model {
        let [hidden, layers, heads, kv_heads, ffn, vocab] = self.sizes;
        Model {
            name: self.name.to_owned(),
            hidden,
            layers,
            heads,
            kv_heads,
            ffn,
            vocab,
            tied: self.tied,
            rope_theta: 10_000.0,
            norm_eps: 1e-5,
            max_seq: None,
        }
    }

    /// Its default shape: prefill, context = seq.
    pub fn shape(&self) -> Shape {
        Shape {
            batch: self.batch,
            seq: self.seq,
            context: self.seq,
        }
    }
}

/// The preset of this name.
///
/// # Errors
/// Names the nearest preset, and all of them.
pub fn preset(name: &str) -> Result<&'static Preset, ModelError> {
    if let Some(found) = PRESETS.iter().find(|p| p.name == name) {
        return Ok(found);
    }
    let all: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
    Err(ModelError::new(match nearest(name, all.iter().copied()) {
        Some(candidate) => format!(
            "there is no preset “{name}”; did you mean {candidate}? Presets: {}",
            all.join(", ")
        ),
        None => format!(
            "there is no preset “{name}”; presets: {}; a model file ends in .toml or .json",
            all.join(", ")
        ),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_valid_model_and_shape() {
        for p in &PRESETS {
            p.model().check().unwrap();
            p.shape().check(&p.model()).unwrap();
        }
    }

    #[test]
    fn a_typo_names_the_nearest() {
        let e = preset("workshp").unwrap_err().to_string();
        assert!(e.contains("did you mean workshop?"), "{e}");
        let e = preset("TinyLlama").unwrap_err().to_string();
        assert!(e.contains("did you mean tinyllama-1.1b?"), "{e}");
        let e = preset("gpt").unwrap_err().to_string();
        assert!(!e.contains("did you mean"), "{e}");
    }
}
