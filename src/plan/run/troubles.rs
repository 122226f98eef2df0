//! Troubles that only a device's clock shows.

use serde::{Deserialize, Serialize};

use super::median;

/// Times of the same work, sick and healthy, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// Sample by sample.
    pub sick: Vec<f64>,
    /// The same without the trouble.
    pub healthy: Vec<f64>,
}

impl Pair {
    /// Both medians, where every sick sample lies above all healthy ones.
    fn apart(&self) -> Option<(f64, f64)> {
        let least = self.sick.iter().copied().reduce(f64::min)?;
        let most = self.healthy.iter().copied().reduce(f64::max)?;
        (least > most).then_some((median(&self.sick)?, median(&self.healthy)?))
    }
}

/// What was measured on a GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Troubles {
    /// The device in words.
    pub device: String,
    /// A launch with a wait and a copy behind each; many launches and one copy.
    pub copies: Pair,
    /// A product after seconds of the same; after a rest.
    pub clock: Pair,
    /// What is to be known of the figures.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Troubles {
    /// Seconds of a launch, sick and healthy; none where they overlap.
    pub fn copies(&self) -> Option<(f64, f64)> {
        self.copies.apart()
    }

    /// Seconds of a product, sick and healthy; none where they overlap.
    pub fn clock(&self) -> Option<(f64, f64)> {
        self.clock.apart()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_is_no_trouble() {
        let pair = |sick: &[f64], healthy: &[f64]| Pair {
            sick: sick.to_vec(),
            healthy: healthy.to_vec(),
        };
        assert_eq!(
            pair(&[3.0, 5.0, 4.0], &[1.0, 2.0]).apart(),
            Some((4.0, 1.5))
        );
        assert_eq!(pair(&[3.0, 1.9], &[1.0, 2.0]).apart(), None);
        assert_eq!(pair(&[], &[1.0]).apart(), None);
    }
}
