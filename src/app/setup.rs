//! Model, shape, dtype, seed: the one setup that all pages share.

use plan::cost::{Config, Conventions};
use plan::fusion::Cut;
use plan::model::{Dtype, Model, ModelError, Shape, preset};

/// What is computed, apart from how it is cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The model.
    pub model: Model,
    /// Batch, new tokens, context.
    pub shape: Shape,
    /// Element type.
    pub dtype: Dtype,
    /// Seed of weights and tokens.
    pub seed: u64,
    /// Counting options.
    pub conventions: Conventions,
}

impl Setup {
    /// A preset at its default shape, fp32, seed 1.
    ///
    /// # Errors
    /// An unknown preset, with the nearest.
    pub fn preset(name: &str) -> Result<Self, ModelError> {
        let preset = preset(name)?;
        Ok(Setup {
            model: preset.model(),
            shape: preset.shape(),
            dtype: Dtype::Fp32,
            seed: 1,
            conventions: Conventions::default(),
        })
    }

    /// That of a configuration: the same but for the plan. Weights and tokens are those
    /// of `seed`.
    pub fn of(config: &Config, seed: u64) -> Self {
        Setup {
            model: config.model.clone(),
            shape: config.shape,
            dtype: config.dtype,
            seed,
            conventions: config.conventions,
        }
    }

    /// The setup with a cut, ready to be priced.
    pub fn config(&self, cut: Cut) -> Config {
        let forward = Config::forward(self.model.clone(), self.shape, self.dtype, cut);
        Config {
            conventions: self.conventions,
            ..forward
        }
    }

    /// As headers show it: `workshop B1 S128 fp32`; the context where it is
    /// longer than the new tokens.
    pub fn title(&self) -> String {
        self.config(Cut::v1()).title()
    }

    /// The command-line options that make this setup, those that differ from
    /// the workshop's default only.
    pub fn as_options(&self) -> String {
        let mut out = self.config(Cut::v1()).as_options();
        if self.seed != 1 {
            out.push_str(&format!(" --seed {}", self.seed));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_options() {
        let mut s = Setup::preset("workshop").unwrap();
        assert_eq!(s.title(), "workshop B1 S128 fp32");
        assert_eq!(s.as_options(), "");
        s.shape = Shape {
            batch: 8,
            seq: 1,
            context: 512,
        };
        s.dtype = Dtype::Bf16;
        assert_eq!(s.title(), "workshop B8 S1 T512 bf16");
        assert_eq!(
            s.as_options(),
            " --batch 8 --seq 1 --context 512 --dtype bf16"
        );
        let mut s = Setup::preset("workshop").unwrap();
        s.seed = 2;
        s.conventions.exact_causal = true;
        s.conventions.rope_split = true;
        s.conventions.rope_table = true;
        s.conventions.keep_kv = plan::cost::KeepKv::On;
        assert_eq!(
            s.as_options(),
            " --causal exact --keep-kv on --rope-kernels 2 --rope-table --seed 2"
        );
    }
}
