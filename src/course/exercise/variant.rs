//! Variants: the same questions at other shapes.

use super::Exercise;

impl Exercise {
    /// Id and title, and the variant where it is not the printed one.
    pub fn heading(&self) -> String {
        match self.number {
            0 => format!("{} {}", self.id, self.title),
            n => format!("{} {}, variant {n}", self.id, self.title),
        }
    }

    /// The variant that a learner's seed draws: neighbours with other seeds have
    /// other shapes.
    pub fn drawn(&self, seed: u64) -> usize {
        // FNV-1a over the id and the seed: every exercise is drawn for itself.
        let bytes = self.id.bytes().chain(seed.to_le_bytes());
        let hash = bytes.fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        let all = 1 + self.variants.len() as u64;
        // The high bits: the low ones of FNV hardly depend on the seed's.
        usize::try_from((hash >> 32) % all).unwrap_or(0)
    }

    /// This exercise in another variant: every expression is evaluated under
    /// the variant's configuration, a key's own configuration on top.
    ///
    /// # Errors
    /// A sentence: there is no such variant.
    pub fn variant(&self, number: usize) -> Result<Self, String> {
        let mut varied = self.clone();
        let on_top = match number.checked_sub(1).map(|at| self.variants.get(at)) {
            None => None,
            Some(Some(variant)) => Some(variant),
            Some(None) => {
                return Err(match self.variants.len() {
                    0 => format!("{} has no variants; leave out --variant", self.id),
                    last => format!("{} has variants 0 to {last}", self.id),
                });
            }
        };
        varied.number = number;
        varied.setup = match on_top {
            Some(variant) => self.printed.with(variant),
            None => self.printed.clone(),
        };
        for key in &mut varied.keys {
            key.setup = varied.setup.with(&key.own);
        }
        Ok(varied)
    }
}
