//! How much is computed at once, and in which element type.

use serde::{Deserialize, Serialize};

use super::{Model, ModelError};

/// Element type of activations and weights.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub enum Dtype {
    /// 32-bit IEEE.
    #[default]
    Fp32,
    /// bfloat16: 8 significant bits, the exponent range of fp32.
    Bf16,
}

impl Dtype {
    /// Bytes per element.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Fp32 => 4,
            Self::Bf16 => 2,
        }
    }

    /// The name that `--dtype` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Bf16 => "bf16",
        }
    }

    /// The type of this name.
    ///
    /// # Errors
    /// Says which types there are.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        match text {
            "fp32" => Ok(Self::Fp32),
            "bf16" => Ok(Self::Bf16),
            other => Err(ModelError::new(format!(
                "there is no dtype “{other}”; use fp32 or bf16"
            ))),
        }
    }
}

/// Batch and lengths of one forward. Prefill: `context == seq`. Decode:
/// `seq == 1` and `context` counts the current token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shape {
    /// Sequences B.
    pub batch: u64,
    /// New tokens per sequence S.
    pub seq: u64,
    /// Keys visible to the last token T, the new ones included.
    pub context: u64,
}

impl Shape {
    /// Prefill of `seq` tokens.
    pub fn prefill(batch: u64, seq: u64) -> Self {
        Self {
            batch,
            seq,
            context: seq,
        }
    }

    /// Whether there are keys from before this forward.
    pub fn has_past(&self) -> bool {
        self.context > self.seq
    }

    /// Whether the shape can be computed by `model`.
    ///
    /// # Errors
    /// A size of zero, a context shorter than the new tokens, or longer than
    /// the model allows.
    pub fn check(&self, model: &Model) -> Result<(), ModelError> {
        for (key, value) in [
            ("batch", self.batch),
            ("seq", self.seq),
            ("context", self.context),
        ] {
            if value == 0 {
                return Err(ModelError::new(format!(
                    "{key} is 0; it must be at least 1"
                )));
            }
        }
        if self.context < self.seq {
            return Err(ModelError::new(format!(
                "context {} is shorter than seq {}; the context counts the new tokens as well",
                self.context, self.seq
            )));
        }
        if let Some(max) = model.max_seq
            && self.context > max
        {
            return Err(ModelError::new(format!(
                "context {} is longer than the {max} positions of model {}",
                self.context, model.name
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_that_cannot_be_are_named() {
        let m = Model::new("m", 64, 1, 2, 2, 64, 10).unwrap();
        let bad = [
            (Shape::prefill(0, 8), "batch is 0"),
            (Shape::prefill(1, 0), "seq is 0"),
            (
                Shape {
                    batch: 1,
                    seq: 9,
                    context: 8,
                },
                "context 8 is shorter than seq 9",
            ),
        ];
        for (shape, says) in bad {
            let e = shape.check(&m).unwrap_err().to_string();
            assert!(e.contains(says), "{e}");
        }
    }
}
