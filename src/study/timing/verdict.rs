//! Whether one plan is faster than another, and the words for it. Every sentence of
//! this program that compares two measured times is made here.

use super::interval::{LEAST, of_ratio};
use plan::run::Timing;
use plan::units::figure::{self, Clock};
use serde::Serialize;

/// How often a difference is stated where there is none: less than 1 in 130, so that 1 in
/// 100 is kept with something to spare.
pub const ALARMS: f64 = 0.0075;

/// What can be said of the times of `a` and `b`, timed in turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// They differ: a takes `ratio` times the time of b.
    Differ {
        /// The median over the rounds.
        ratio: f64,
        /// Where it lies at least.
        low: f64,
        /// Where it lies at most.
        high: f64,
        /// Rounds in which both were timed.
        rounds: usize,
    },
    /// No difference is seen; one above `within`, a share, would have been.
    Same {
        /// Half of the width of the interval, as a share.
        within: f64,
        /// Rounds in which both were timed.
        rounds: usize,
    },
    /// Too few rounds to say anything.
    Few {
        /// Rounds in which both were timed.
        rounds: usize,
    },
    /// They were not timed in turns: what a machine did meanwhile is not known.
    Apart,
}

/// A comparison of two times as a document: no ratio where none is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct VerdictJson {
    /// Whether a difference is stated.
    pub claimed: bool,
    /// How many times the other's time the first takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// The lower end of its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Where none is claimed: the share that would have been seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
    /// Rounds in which both were timed.
    pub rounds: usize,
}

impl Verdict {
    /// Of the times of two plans, round by round; `among` comparisons are made at once,
    /// and one false alarm among all of them is what may come in a hundred times.
    pub fn of(a: &[f64], b: &[f64], among: usize) -> Self {
        let both = a.iter().zip(b).filter(|(a, b)| **a > 0.0 && **b > 0.0);
        let rounds = both.count();
        let alarms = ALARMS / among.max(1) as f64;
        match of_ratio(a, b, alarms) {
            None => Self::Few { rounds },
            Some(found) if found.low > 1.0 || found.high < 1.0 => Self::Differ {
                ratio: found.middle,
                low: found.low,
                high: found.high,
                rounds,
            },
            Some(found) => Self::Same {
                within: (found.high - 1.0).max(1.0 - found.low),
                rounds,
            },
        }
    }

    /// Whether a difference is claimed.
    pub const fn claimed(self) -> bool {
        matches!(self, Self::Differ { .. })
    }

    /// As a document of `--json`.
    pub fn json(self) -> VerdictJson {
        let none = VerdictJson {
            claimed: false,
            ratio: None,
            low: None,
            high: None,
            within: None,
            rounds: 0,
        };
        match self {
            Self::Differ {
                ratio,
                low,
                high,
                rounds,
            } => VerdictJson {
                claimed: true,
                ratio: Some(ratio),
                low: Some(low),
                high: Some(high),
                within: None,
                rounds,
            },
            Self::Same { within, rounds } => VerdictJson {
                within: Some(within),
                rounds,
                ..none
            },
            Self::Few { rounds } => VerdictJson { rounds, ..none },
            Self::Apart => none,
        }
    }

    /// The same of b and a.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Differ {
                ratio,
                low,
                high,
                rounds,
            } => Self::Differ {
                ratio: 1.0 / ratio,
                low: 1.0 / high,
                high: 1.0 / low,
                rounds,
            },
            other => other,
        }
    }

    /// One sentence: `V1 takes 1.393 times the time of V4 @ (1.31 to 1.47, 15 rounds
    /// in turns).`
    pub fn sentence(self, a: &str, b: &str) -> String {
        match self {
            Self::Differ {
                ratio,
                low,
                high,
                rounds,
            } => format!(
                "{a} takes {} times the time of {b} @ ({} to {}, {rounds} rounds in turns).",
                times(ratio, low, high),
                times(low, low, high),
                times(high, low, high)
            ),
            Self::Same { within, rounds } => format!(
                "{a} against {b}: no difference seen @ ({}, {rounds} rounds in turns).",
                share(within)
            ),
            Self::Few { rounds } => format!(
                "{a} against {b}: {} timed in turns, and {LEAST} are the least that can show a difference.",
                figure::counted(rounds as u64, "round was", "rounds were")
            ),
            Self::Apart => {
                format!("{a} and {b} were not timed in turns: nothing is said of their difference.")
            }
        }
    }

    /// A cell of a table, of what b saves against a: `28.2 %`, `none`. What would have
    /// been seen stands in the sentence.
    pub fn cell(self) -> String {
        match self {
            // The share of a's time that b does not take.
            Self::Differ { ratio, .. } => figure::saved(ratio, 1.0, 1),
            Self::Same { .. } => "none".to_owned(),
            Self::Few { .. } => "few".to_owned(),
            Self::Apart => "apart".to_owned(),
        }
    }
}

/// A ratio with as many decimals as its interval lets it have, two at the least.
fn times(value: f64, low: f64, high: f64) -> String {
    let decimals = if high - low < 0.02 { 3 } else { 2 };
    format!("{value:.decimals$}")
}

/// `±3.1 %`; from ten on without decimals.
pub fn share(part: f64) -> String {
    match 100.0 * part {
        many if many >= 9.95 => format!("±{many:.0} %"),
        few => format!("±{few:.1} %"),
    }
}

/// A measured time with its spread: `842.3 ±1.2 µs @`; one run has none.
pub fn time(timing: &Timing) -> String {
    let clock = Clock::of(timing.median * 1e-6);
    format!("{} {} @", median(timing, clock), clock.unit)
}

/// A measured time with its spread in the unit of a clock that stands elsewhere:
/// `842.3 ±1.2`.
pub fn median(timing: &Timing, clock: Clock) -> String {
    clock.rounded(timing.median * 1e-6) + &spread(timing, clock)
}

/// The spread behind a median in the unit of a clock: ` ±1.2`; empty where one run
/// was made, or where it is not known.
pub fn spread(timing: &Timing, clock: Clock) -> String {
    match timing.runs > 1 && timing.mad.is_finite() {
        true => format!(" ±{}", clock.rounded(timing.mad * 1e-6)),
        false => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_stands_with_its_spread() {
        let timing = Timing::of(&[840.0, 842.3, 845.9], "clock").unwrap();
        assert_eq!(time(&timing), "842.3 ±2.3 µs @");
        let one = Timing::of(&[12_345.0], "clock").unwrap();
        assert_eq!(time(&one), "12.3 ms @");
    }

    #[test]
    fn a_difference_has_its_interval_and_turns_with_its_plans() {
        let base: Vec<f64> = (0..15).map(|i| 1000.0 + f64::from(i % 4)).collect();
        let slower: Vec<f64> = base.iter().map(|t| 1.25 * t).collect();
        let verdict = Verdict::of(&slower, &base, 1);
        assert!(verdict.claimed());
        let said = verdict.sentence("V1", "V4");
        assert_eq!(
            said,
            "V1 takes 1.250 times the time of V4 @ (1.250 to 1.250, 15 rounds in turns)."
        );
        // 1 − 1/1.25.
        assert_eq!(verdict.cell(), "20.0 %");
        let turned = verdict.turned().sentence("V4", "V1");
        assert!(
            turned.starts_with("V4 takes 0.800 times the time of V1"),
            "{turned}"
        );
    }

    #[test]
    fn without_a_difference_no_share_is_claimed() {
        let a: Vec<f64> = (0..16).map(|i| [98.0, 102.0][i % 2]).collect();
        let b: Vec<f64> = (0..16).map(|i| [102.0, 98.0][i % 2]).collect();
        let verdict = Verdict::of(&a, &b, 1);
        let said = verdict.sentence("V1", "V2");
        assert_eq!(
            said,
            "V1 against V2: no difference seen @ (±4.1 %, 16 rounds in turns)."
        );
        assert_eq!(verdict.cell(), "none");
        let few = Verdict::of(&a[..7], &b[..7], 1);
        assert_eq!(few, Verdict::Few { rounds: 7 });
        assert_eq!(few.cell(), "few");
    }

    #[test]
    fn more_comparisons_at_once_need_stronger_signs() {
        let base = vec![100.0; 10];
        let above = vec![101.0; 10];
        // All of 10 rounds: 2·2⁻¹⁰ is below 1 in 100, and above a fiftieth of that.
        assert!(Verdict::of(&above, &base, 1).claimed());
        assert!(!Verdict::of(&above, &base, 50).claimed());
    }
}
