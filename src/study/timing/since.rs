//! Times that were taken apart, before and now: what can be said of a change. They are no
//! pairs, so that every time now stands against every one before.

use super::interval::{Interval, of_shift};
use super::verdict::{ALARMS, share};

/// What can be said of the times of one thing, before and now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Since {
    /// It takes `ratio` times the time that it took.
    Changed {
        /// Of the medians.
        ratio: f64,
        /// Where it lies at least.
        low: f64,
        /// Where it lies at most.
        high: f64,
        /// Rounds before and now.
        rounds: (usize, usize),
    },
    /// No change is seen; one above `within`, a share, would have been.
    Same {
        /// The end of the interval that lies further off.
        within: f64,
        /// Rounds before and now.
        rounds: (usize, usize),
    },
    /// Too few rounds to say anything.
    Few {
        /// Rounds before and now.
        rounds: (usize, usize),
    },
}

impl Since {
    /// Of the times of all rounds `now` and `before`; a change counts where it is seen and
    /// its middle is above `least`, a share. `among` so many are looked at together, and one false alarm among all of
    /// them is what may come in a hundred times.
    pub fn of(now: &[f64], before: &[f64], least: f64, among: usize) -> Self {
        let logs = |times: &[f64]| -> Vec<f64> {
            let times = times.iter().filter(|t| t.is_finite() && **t > 0.0);
            times.map(|t| t.ln()).collect()
        };
        let (now, before) = (logs(now), logs(before));
        let rounds = (before.len(), now.len());
        let Some(found) = of_shift(&now, &before, ALARMS / among.max(1) as f64) else {
            return Self::Few { rounds };
        };
        let Interval { middle, low, high } = found.exp();
        let beyond = middle > 1.0 + least || middle < 1.0 / (1.0 + least);
        match beyond && (low > 1.0 || high < 1.0) {
            true => Self::Changed {
                ratio: middle,
                low,
                high,
                rounds,
            },
            false => Self::Same {
                within: (high - 1.0).max(1.0 - low),
                rounds,
            },
        }
    }

    /// Whether it is slower than before.
    pub fn slower(self) -> bool {
        matches!(self, Self::Changed { ratio, .. } if ratio > 1.0)
    }

    /// One sentence: `workshop B1 S128 fp32 V4 takes 1.05 times the time of the baseline @
    /// (1.03 to 1.07, 15 and 15 rounds).`
    pub fn sentence(self, name: &str) -> String {
        match self {
            Self::Changed {
                ratio,
                low,
                high,
                rounds: (before, now),
            } => format!(
                "{name} takes {ratio:.3} times the time of the baseline @ ({low:.3} to {high:.3}, {before} and {now} rounds)."
            ),
            Self::Same {
                within,
                rounds: (before, now),
            } => format!(
                "{name}: no change seen @ ({}, {before} and {now} rounds).",
                share(within)
            ),
            Self::Few {
                rounds: (before, now),
            } => format!("{name}: {before} and {now} rounds are too few to show a change."),
        }
    }

    /// A cell of a table: `×1.051 (1.032 to 1.070)`, `none (±1.2 %)`, `too few`.
    pub fn cell(self) -> String {
        match self {
            Self::Changed {
                ratio, low, high, ..
            } => format!("×{ratio:.3} ({low:.3} to {high:.3})"),
            Self::Same { within, .. } => format!("none ({})", share(within)),
            Self::Few { .. } => "too few".to_owned(),
        }
    }
}
