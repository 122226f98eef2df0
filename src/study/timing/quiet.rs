//! What disturbed a measurement: times that drift, and a machine that does something
//! else, too.

use std::fmt;

use plan::run::{mad, median};

/// Standard deviations of a normal distribution in its median absolute deviation
/// (Rousseeuw and Croux, "Alternatives to the median absolute deviation", JASA 88, 1993).
const SIGMA: f64 = 1.4826;
/// A drift below this share of the median is left alone.
const DRIFT: f64 = 0.03;
/// Standard errors that two medians of one thing are apart at most.
const ERRORS: f64 = 4.0;
/// A run that takes so many times the median was disturbed.
pub(crate) const LONG: f64 = 1.25;
/// Share of disturbed runs above which a machine is busy.
const BUSY: f64 = 0.1;
/// Spread, as a share of the median, above which it is, too.
pub(crate) const LOOSE: f64 = 0.08;
/// Fewer times say nothing about a machine.
pub(super) const LEAST: usize = 6;

/// Why a measurement may be repeated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trouble {
    /// The last third took another time than the first: the share that it rose by.
    Drift(f64),
    /// Some runs took far longer than the others: how many, of how many.
    Busy(usize, usize),
    /// The runs differ: the median absolute deviation as a share of the median.
    Loose(f64),
}

/// What disturbed these times of one thing, in the order in which they were taken.
pub fn trouble(times: &[f64]) -> Option<Trouble> {
    let n = times.len();
    let middle = median(times).filter(|m| n >= LEAST && *m > 0.0)?;
    let long = times.iter().filter(|t| **t > LONG * middle).count();
    if long as f64 > BUSY * n as f64 && long > 1 {
        return Some(Trouble::Busy(long, n));
    }
    let third = n / 3;
    let (first, last) = (times.get(..third)?, times.get(n - third..)?);
    let (from, to) = (median(first)?, median(last)?);
    let noise = SIGMA * mad(first)?.max(mad(last)?);
    // The standard error of a median of normal values is √(π/2) that of the mean.
    let error = (std::f64::consts::FRAC_PI_2 / third as f64).sqrt() * noise;
    let apart = to - from;
    if apart.abs() > (ERRORS * std::f64::consts::SQRT_2 * error).max(DRIFT * middle) {
        return Some(Trouble::Drift(apart / from));
    }
    let loose = mad(times)? / middle;
    (loose > LOOSE).then_some(Trouble::Loose(loose))
}

impl Trouble {
    /// The same in a few words.
    pub fn brief(&self) -> String {
        match self {
            Self::Drift(by) if *by > 0.0 => {
                format!("its times rose by {:.0} % while it ran", 100.0 * by)
            }
            Self::Drift(by) => format!("its times fell by {:.0} % while it ran", -100.0 * by),
            Self::Busy(long, n) => format!("{long} of {n} took far longer"),
            Self::Loose(by) => format!("half are {:.0} % off", 100.0 * by),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drift(by) if *by > 0.0 => write!(
                f,
                "the times rose by {:.0} % from the first third to the last: the clock went down, or something else began",
                100.0 * by
            ),
            Self::Drift(by) => write!(
                f,
                "the times fell by {:.0} % from the first third to the last: the machine was not warm, or something else ended",
                -100.0 * by
            ),
            Self::Busy(long, n) => write!(
                f,
                "{long} of {n} runs took more than a quarter longer than the median: something else uses this machine"
            ),
            Self::Loose(by) => write!(
                f,
                "half of the runs lie more than {:.0} % from the median: something else may use this machine",
                100.0 * by
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_times_are_left_alone_and_each_trouble_is_named() {
        let steady: Vec<f64> = (0..30).map(|i| 100.0 + f64::from(i % 5)).collect();
        assert_eq!(trouble(&steady), None);
        let rising: Vec<f64> = (0..30).map(|i| 100.0 + 2.0 * f64::from(i)).collect();
        let Some(Trouble::Drift(by)) = trouble(&rising) else {
            panic!("{:?}", trouble(&rising));
        };
        // Medians of 100 … 118 and 140 … 158.
        assert!((by - 40.0 / 109.0).abs() < 1e-12);
        let mut shared = steady.clone();
        for at in [3, 9, 17, 25] {
            shared[at] *= 2.0;
        }
        assert_eq!(trouble(&shared), Some(Trouble::Busy(4, 30)));
        let loose: Vec<f64> = (0..30).map(|i| [100.0, 118.0][i % 2]).collect();
        assert!(matches!(trouble(&loose), Some(Trouble::Loose(_))));
        assert_eq!(trouble(&rising[..5]), None);
    }

    #[test]
    fn one_long_run_is_no_trouble() {
        let mut times = vec![100.0; 10];
        times[4] = 300.0;
        assert_eq!(trouble(&times), None);
    }
}
