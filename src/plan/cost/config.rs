//! What is to be priced, and under which conventions.

use serde::{Deserialize, Serialize};

use crate::fusion::{Cut, FusionError};
use crate::model::{Dtype, Graph, Model, ModelError, PRESETS, Shape, Sizes};

/// When rotated keys and values are written though no later kernel reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum KeepKv {
    /// On when context > seq, or for TinyLlama-1.1B.
    #[default]
    Auto,
    /// A cache is being filled.
    On,
    /// No cache.
    Off,
}

/// Options of counting (cost model page; `--causal --keep-kv --rope-kernels --rope-table`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Conventions {
    /// Count only the pairs on and below the diagonal.
    pub exact_causal: bool,
    /// Whether kr and v are written in any case.
    pub keep_kv: KeepKv,
    /// RoPE of q and of k as two launches.
    pub rope_split: bool,
    /// RoPE angles are read from a table of S·d elements.
    pub rope_table: bool,
}

/// What is computed with the model. Each has its own graph; names on the wire are
/// those of [`Workload::name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Workload {
    /// From token ids to logits.
    #[default]
    Forward,
}

impl Workload {
    /// `forward`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
        }
    }
}

/// Everything that a price depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// What is computed with the model.
    pub workload: Workload,
    /// The model.
    pub model: Model,
    /// Batch, new tokens, context.
    pub shape: Shape,
    /// Element type of activations and weights.
    pub dtype: Dtype,
    /// The cut; [`Conventions::rope_split`] is applied to it.
    pub cut: Cut,
    /// Counting options.
    pub conventions: Conventions,
}

impl Config {
    /// A forward of a model, counted by the usual conventions.
    pub fn forward(model: Model, shape: Shape, dtype: Dtype, cut: Cut) -> Self {
        Self {
            workload: Workload::Forward,
            model,
            shape,
            dtype,
            cut,
            conventions: Conventions::default(),
        }
    }

    /// The ops and tensors of the workload.
    ///
    /// # Errors
    /// A model or shape that cannot be.
    pub fn graph(&self) -> Result<Graph, ModelError> {
        match self.workload {
            Workload::Forward => Graph::of(&self.model, &self.shape),
        }
    }

    /// A preset at its default shape, fp32, in plan `cut`.
    ///
    /// # Errors
    /// An unknown preset, with the nearest.
    pub fn preset(name: &str, cut: Cut) -> Result<Self, CostError> {
        let preset = crate::model::preset(name)?;
        let (model, shape) = (preset.model(), preset.shape());
        Ok(Self::forward(model, shape, Dtype::Fp32, cut))
    }

    /// The cut with the RoPE convention applied.
    pub fn effective_cut(&self) -> Cut {
        if self.conventions.rope_split {
            self.cut.with_rope_split()
        } else {
            self.cut
        }
    }

    /// Whether kr and v are written in any case.
    pub fn keeps_kv(&self) -> bool {
        match self.conventions.keep_kv {
            KeepKv::On => true,
            KeepKv::Off => false,
            KeepKv::Auto => {
                let fills = PRESETS
                    .iter()
                    .any(|p| p.fills_cache && p.name == self.model.name);
                fills || self.shape.has_past()
            }
        }
    }

    /// The values of all symbols.
    ///
    /// # Errors
    /// A bad model or shape, or pairs that do not fit 64 bits.
    pub fn sizes(&self) -> Result<Sizes, CostError> {
        Ok(Sizes::new(
            &self.model,
            &self.shape,
            self.conventions.exact_causal,
        )?)
    }

    /// Model, shape and dtype as headers show them: `workshop B1 S128 fp32`; the
    /// context where it is longer than the new tokens, and what a preset has otherwise:
    /// `workshop D320 B1 S96 fp32`.
    pub fn title(&self) -> String {
        let Shape {
            batch,
            seq,
            context,
        } = self.shape;
        let context = if context == seq {
            String::new()
        } else {
            format!(" T{context}")
        };
        format!(
            "{} B{batch} S{seq}{context} {}",
            self.model.title(),
            self.dtype.name()
        )
    }

    /// The command-line options that make it, those that differ from the preset's
    /// usual shape only; the cut has its own.
    pub fn as_options(&self) -> String {
        let mut out = String::new();
        let mut say = |text: String| {
            out.push(' ');
            out.push_str(&text);
        };
        if self.model.name != "workshop" {
            say(format!("--model {}", self.model.name));
        }
        let usual = crate::model::preset(&self.model.name).map(|p| p.shape());
        let usual = usual.ok();
        if usual.is_none_or(|u| u.batch != self.shape.batch) {
            say(format!("--batch {}", self.shape.batch));
        }
        if usual.is_none_or(|u| u.seq != self.shape.seq) {
            say(format!("--seq {}", self.shape.seq));
        }
        if self.shape.has_past() {
            say(format!("--context {}", self.shape.context));
        }
        if self.dtype != Dtype::Fp32 {
            say(format!("--dtype {}", self.dtype.name()));
        }
        let counted = &self.conventions;
        let kept = match counted.keep_kv {
            KeepKv::Auto => None,
            KeepKv::On => Some("--keep-kv on"),
            KeepKv::Off => Some("--keep-kv off"),
        };
        let said = [
            counted.exact_causal.then_some("--causal exact"),
            kept,
            counted.rope_split.then_some("--rope-kernels 2"),
            counted.rope_table.then_some("--rope-table"),
        ];
        said.into_iter()
            .flatten()
            .for_each(|text| say(text.to_owned()));
        out
    }

    /// The same configuration with another cut.
    #[must_use]
    pub fn with_cut(&self, cut: Cut) -> Self {
        Self {
            cut,
            ..self.clone()
        }
    }
}

sentence! {
    /// Why something cannot be priced: one sentence.
    CostError
}

impl CostError {
    pub(crate) fn too_large(what: &str) -> Self {
        Self::new(format!(
            "{what} does not fit in 64 bits; choose smaller sizes"
        ))
    }
}

impl From<ModelError> for CostError {
    fn from(e: ModelError) -> Self {
        Self::new(e.to_string())
    }
}

impl From<FusionError> for CostError {
    fn from(e: FusionError) -> Self {
        Self::new(e.to_string())
    }
}
