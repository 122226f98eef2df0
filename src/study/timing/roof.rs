//! A ceiling of a machine: measured three times, and kept where all agree.

use std::fmt;

/// How far the lowest of three rates may lie below the highest.
const AGREE: f64 = 0.10;
/// How many must agree.
const THREE: usize = 3;

/// A rate on which three measurements agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreed {
    /// The middle one.
    pub rate: f64,
    /// Highest minus lowest, as a share of it.
    pub spread: f64,
}

/// Measurements of one ceiling that do not agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Apart {
    /// The lowest.
    pub least: f64,
    /// The highest.
    pub most: f64,
    /// How many were made.
    pub of: usize,
}

/// The ceiling that these rates show: the highest three that agree. What disturbs a
/// measurement makes it slower, never faster.
///
/// # Errors
/// The highest three lie too far apart, or there are fewer.
pub fn agreed(rates: &[f64]) -> Result<Agreed, Apart> {
    let mut sorted: Vec<f64> = rates
        .iter()
        .copied()
        .filter(|r| r.is_finite() && *r > 0.0)
        .collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let of = sorted.len();
    let (least, most) = (
        sorted.last().copied().unwrap_or(0.0),
        sorted.first().copied().unwrap_or(0.0),
    );
    match sorted.get(..THREE) {
        Some([high, middle, low]) if (high - low) / middle <= AGREE => Ok(Agreed {
            rate: *middle,
            spread: (high - low) / middle,
        }),
        _ => Err(Apart { least, most, of }),
    }
}

impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the lowest of {} measurements is {:.0} % of the highest and no three agree within {:.0} %: something else uses this machine",
            self.of,
            100.0 * self.least / self.most.max(f64::MIN_POSITIVE),
            100.0 * AGREE
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ceiling_is_what_three_measurements_agree_on() {
        // Two were taken while something else ran.
        let kept = agreed(&[6.0e9, 41.0e9, 40.0e9, 12.0e9, 40.5e9]).unwrap();
        assert_eq!(kept.rate, 40.5e9);
        assert!((kept.spread - 1.0 / 40.5).abs() < 1e-12);
        let apart = agreed(&[6.0e9, 41.0e9, 20.0e9, f64::NAN]).unwrap_err();
        assert_eq!((apart.least, apart.most, apart.of), (6.0e9, 41.0e9, 3));
        assert!(agreed(&[40.0e9, 40.0e9]).is_err());
    }
}
