//! The sizes and constants of one Llama-style model.

use serde::{Deserialize, Serialize};

use super::ModelError;

/// Most layers that a model may have. The forward is a list of ops, so this
/// bounds memory; no published Llama has more than 126.
const MAX_LAYERS: u64 = 4096;

/// A Llama-style decoder: RMSNorm, rotary positions, grouped-query causal
/// attention, SwiGLU, residuals. Sizes are element counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// What it is called: a preset's name, or a file's stem.
    pub name: String,
    /// Hidden width D.
    pub hidden: u64,
    /// Number of blocks L.
    pub layers: u64,
    /// Query heads H.
    pub heads: u64,
    /// Key/value heads K; H must be a multiple of it.
    pub kv_heads: u64,
    /// FFN width I.
    pub ffn: u64,
    /// Vocabulary V.
    pub vocab: u64,
    /// Whether the head shares the embedding's weights.
    pub tied: bool,
    /// Base of the rotary angles.
    pub rope_theta: f64,
    /// Added to the mean square before the root in RMSNorm.
    pub norm_eps: f64,
    /// Longest context that the model was made for, where it says so.
    pub max_seq: Option<u64>,
}

impl Model {
    /// Its name, and the sizes in which it differs from the preset of that name:
    /// `workshop D320`.
    pub fn title(&self) -> String {
        let name = match self.name.as_str() {
            "" => "model",
            name => name,
        };
        let Ok(usual) = super::preset(name).map(|preset| preset.model()) else {
            return name.to_owned();
        };
        let sizes = [
            ('D', self.hidden, usual.hidden),
            ('L', self.layers, usual.layers),
            ('H', self.heads, usual.heads),
            ('K', self.kv_heads, usual.kv_heads),
            ('I', self.ffn, usual.ffn),
            ('V', self.vocab, usual.vocab),
        ];
        let other = sizes.iter().filter(|(_, here, usual)| here != usual);
        other.fold(name.to_owned(), |title, (letter, here, _)| {
            format!("{title} {letter}{here}")
        })
    }

    /// A model of these sizes with the usual constants, checked.
    ///
    /// # Errors
    /// Says which size is zero or does not divide.
    pub fn new(
        name: &str,
        hidden: u64,
        layers: u64,
        heads: u64,
        kv_heads: u64,
        ffn: u64,
        vocab: u64,
    ) -> Result<Self, ModelError> {
        let model = Self {
            name: name.to_owned(),
            hidden,
            layers,
            heads,
            kv_heads,
            ffn,
            vocab,
            tied: true,
            rope_theta: 10_000.0,
            norm_eps: 1e-5,
            max_seq: None,
        };
        model.check()?;
        Ok(model)
    }

    /// Head width d = D / H.
    pub fn head_width(&self) -> u64 {
        self.hidden / self.heads.max(1)
    }

    /// Width of all key (or value) heads, Dkv = K·d.
    pub fn kv_width(&self) -> u64 {
        self.kv_heads.saturating_mul(self.head_width())
    }

    /// Whether the sizes make a model.
    ///
    /// # Errors
    /// The first size that is zero, too large, or does not divide, with the way out.
    pub fn check(&self) -> Result<(), ModelError> {
        let name = &self.name;
        for (key, value) in [
            ("hidden", self.hidden),
            ("layers", self.layers),
            ("heads", self.heads),
            ("kv_heads", self.kv_heads),
            ("ffn", self.ffn),
            ("vocab", self.vocab),
        ] {
            if value == 0 {
                return Err(ModelError::new(format!(
                    "model {name}: {key} is 0; it must be at least 1"
                )));
            }
        }
        if self.layers > MAX_LAYERS {
            return Err(ModelError::new(format!(
                "model {name}: {} layers; at most {MAX_LAYERS} are supported",
                self.layers
            )));
        }
        if !self.hidden.is_multiple_of(self.heads) {
            return Err(ModelError::new(format!(
                "model {name}: hidden {} is not a multiple of heads {}; each head has hidden/heads columns",
                self.hidden, self.heads
            )));
        }
        if !self.head_width().is_multiple_of(2) {
            return Err(ModelError::new(format!(
                "model {name}: the head width {} (hidden {} / heads {}) is odd; rotary positions turn pairs, so it must be even",
                self.head_width(),
                self.hidden,
                self.heads
            )));
        }
        if self.kv_heads > self.heads || !self.heads.is_multiple_of(self.kv_heads) {
            return Err(ModelError::new(format!(
                "model {name}: heads {} is not a multiple of kv_heads {}; each key/value head serves heads/kv_heads query heads",
                self.heads, self.kv_heads
            )));
        }
        if !(self.rope_theta.is_finite() && self.rope_theta > 0.0) {
            return Err(ModelError::new(format!(
                "model {name}: rope_theta {} must be a positive number",
                self.rope_theta
            )));
        }
        if !(self.norm_eps.is_finite() && self.norm_eps >= 0.0) {
            return Err(ModelError::new(format!(
                "model {name}: norm_eps {} must be zero or a positive number",
                self.norm_eps
            )));
        }
        Ok(())
    }

    /// Parameters with the head tied to the embedding:
    /// L·(2D² + 2D·Dkv + 3DI + 2D) + D + V·D (cost model, "Parameters").
    ///
    /// # Errors
    /// When the count does not fit 64 bits.
    pub fn parameters_tied(&self) -> Result<u64, ModelError> {
        let (d, kv, i) = (
            u128::from(self.hidden),
            u128::from(self.kv_width()),
            u128::from(self.ffn),
        );
        let total = [
            2u128.checked_mul(d).and_then(|x| x.checked_mul(d)),
            2u128.checked_mul(d).and_then(|x| x.checked_mul(kv)),
            3u128.checked_mul(d).and_then(|x| x.checked_mul(i)),
            2u128.checked_mul(d),
        ]
        .into_iter()
        .try_fold(0u128, |sum, term| sum.checked_add(term?))
        .and_then(|layer| layer.checked_mul(u128::from(self.layers)))
        .and_then(|all| all.checked_add(d))
        .and_then(|all| all.checked_add(u128::from(self.vocab).checked_mul(d)?));
        total
            .and_then(|t| u64::try_from(t).ok())
            .ok_or_else(|| ModelError::too_large("the number of parameters"))
    }

    /// Parameters with a head of its own: V·D more.
    ///
    /// # Errors
    /// When the count does not fit 64 bits.
    pub fn parameters_untied(&self) -> Result<u64, ModelError> {
        self.vocab
            .checked_mul(self.hidden)
            .and_then(|head| self.parameters_tied().ok()?.checked_add(head))
            .ok_or_else(|| ModelError::too_large("the number of parameters"))
    }

    /// Parameters as this model has them.
    ///
    /// # Errors
    /// When the count does not fit 64 bits.
    pub fn parameters(&self) -> Result<u64, ModelError> {
        if self.tied {
            self.parameters_tied()
        } else {
            self.parameters_untied()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_with_another_size_says_so() {
        let mut model = crate::model::preset("workshop").unwrap().model();
        assert_eq!(model.title(), "workshop");
        (model.hidden, model.heads) = (320, 4);
        assert_eq!(model.title(), "workshop D320 H4");
        model.name = "mine".to_owned();
        assert_eq!(model.title(), "mine");
    }

    #[test]
    fn the_workshop_model_has_the_parameters_of_the_cost_model_page() {
        // L(2D² + 2D·Dkv + 3DI + 2D) + D + VD at D256 L4 H8 K4 I512 V1000:
        // 4·(131072 + 65536 + 393216 + 512) + 256 + 256000 = 2,617,600.
        let m = Model::new("w", 256, 4, 8, 4, 512, 1000).unwrap();
        assert_eq!(m.parameters_tied().unwrap(), 2_617_600);
        assert_eq!(m.parameters_untied().unwrap(), 2_873_600);
    }

    #[test]
    fn bad_sizes_are_named() {
        let cases = [
            ((256, 4, 7, 7, 512, 1000), "not a multiple of heads 7"),
            ((256, 4, 8, 3, 512, 1000), "not a multiple of kv_heads 3"),
            ((256, 4, 8, 16, 512, 1000), "not a multiple of kv_heads 16"),
            ((0, 4, 8, 4, 512, 1000), "hidden is 0"),
            ((256, 4, 8, 0, 512, 1000), "kv_heads is 0"),
            ((256, 4, 8, 4, 0, 1000), "ffn is 0"),
            ((24, 4, 8, 4, 8, 8), "is odd"),
            ((256, 1_000_000, 8, 4, 8, 8), "at most 4096"),
        ];
        for ((d, l, h, k, i, v), says) in cases {
            let e = Model::new("m", d, l, h, k, i, v).unwrap_err().to_string();
            assert!(e.contains(says), "{e} should say {says}");
        }
    }

    #[test]
    fn absurd_sizes_are_an_error() {
        let m = Model::new("m", 1 << 40, 4, 8, 4, 1 << 40, 10).unwrap();
        assert!(
            m.parameters()
                .unwrap_err()
                .to_string()
                .contains("does not fit")
        );
    }
}
