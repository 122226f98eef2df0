//! Variants: the same questions at other shapes.

use super::Exercise;

impl Exercise {
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
