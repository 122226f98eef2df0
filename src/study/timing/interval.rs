//! The interval of a paired difference.
//!
//! Where the pairs come from one thing, their differences are symmetric about nothing,
//! whatever the times are distributed like: the signed ranks say how often they fall to
//! one side, and the interval between two Walsh averages misses that often and no more
//! (F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1(6),
//! 1945; J. Hodges and E. Lehmann, "Estimates of location based on rank tests", Annals of
//! Mathematical Statistics 34(2), 1963). The percentile bootstrap of the median (B. Efron,
//! Annals of Statistics 7(1), 1979) needs no symmetry, but at a stated 1 in 100 it misses
//! 1 in 30 of a dozen values. What is given is the hull of both.

use plan::model::random::Stream;
use plan::run::median;

/// Resamples of a bootstrap at the least.
const RESAMPLES: usize = 1000;
/// Resamples beyond each end of the interval at the least.
const BEYOND: f64 = 5.0;
/// Fewer values than this have no interval that misses as rarely as is asked: 2 · 2⁻⁸ of
/// the signs of eight are alike by chance.
pub const LEAST: usize = 9;

/// A median and where it may lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The median of the values.
    pub middle: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The same of exp(x): of a ratio, where logarithms were looked at.
    pub(super) fn exp(self) -> Self {
        Self {
            middle: self.middle.exp(),
            low: self.low.exp(),
            high: self.high.exp(),
        }
    }
}

/// Where the middle of what `values` were drawn from lies, missed at most `alarms`
/// of the times. `None` where they are too few to say.
pub fn of_median(values: &[f64], alarms: f64) -> Option<Interval> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = median(&sorted)?;
    let (low, high) = if sorted.len() > MANY {
        // Of very many the signs alone say enough.
        let outer = order(sorted.len(), alarms)?;
        (*sorted.get(outer)?, *sorted.get(sorted.len() - 1 - outer)?)
    } else {
        let (low, high) = ranked(&sorted, alarms)?;
        let (from, to) = bootstrap(&sorted, alarms)?;
        (low.min(from), high.max(to))
    };
    Some(Interval { middle, low, high })
}

/// More values than this are not ranked in pairs.
const MANY: usize = 100;

/// The interval of the signed ranks: between the Walsh averages, the means of all pairs
/// of values and of each with itself, that lie as far in as the distribution of the
/// signed-rank sum lets them.
fn ranked(sorted: &[f64], alarms: f64) -> Option<(f64, f64)> {
    let outer = rank_sum(sorted.len(), alarms)?;
    let mut walsh: Vec<f64> = Vec::new();
    for (at, a) in sorted.iter().enumerate() {
        let rest = sorted.iter().skip(at);
        walsh.extend(rest.map(|b| f64::midpoint(*a, *b)));
    }
    walsh.sort_by(f64::total_cmp);
    Some((*walsh.get(outer)?, *walsh.get(walsh.len() - 1 - outer)?))
}

/// The largest sum w of the ranks on one side for which twice the probability of w or
/// less is at most `alarms`: each of the ranks 1 to n is on it or not, both alike often.
fn rank_sum(n: usize, alarms: f64) -> Option<usize> {
    let most = n * (n + 1) / 2;
    let mut ways = vec![0.0f64; most + 1];
    *ways.first_mut()? = 1.0;
    for rank in 1..=n {
        for sum in (0..=most).rev() {
            let without = ways.get(sum).copied().unwrap_or(0.0);
            let with = sum.checked_sub(rank).and_then(|at| ways.get(at).copied());
            if let Some(slot) = ways.get_mut(sum) {
                *slot = (without + with.unwrap_or(0.0)) / 2.0;
            }
        }
    }
    let mut tail = 0.0;
    let fits = ways.iter().take_while(|mass| {
        tail += **mass;
        2.0 * tail <= alarms
    });
    fits.count().checked_sub(1)
}

/// Where the ratio of two medians lies, `of[i]` over `to[i]`, pair by pair. Pairs in
/// which one is no time do not count.
pub fn of_ratio(of: &[f64], to: &[f64], alarms: f64) -> Option<Interval> {
    let pairs = of.iter().zip(to).filter(|(a, b)| **a > 0.0 && **b > 0.0);
    let logs: Vec<f64> = pairs.map(|(a, b)| (a / b).ln()).collect();
    of_median(&logs, alarms).map(Interval::exp)
}

/// Most values of each side whose ranks are counted exactly; of more, so many are taken
/// at equal steps.
const EXACT: usize = 60;

/// Where the middle of `a` lies above that of `b`, which were not drawn in pairs: the hull
/// of the interval of their ranks (H. Mann and D. Whitney, "On a test of whether one of two
/// random variables is stochastically larger than the other", Annals of Mathematical
/// Statistics 18(1), 1947; Hodges and Lehmann, above) and of the bootstrap. `None` where
/// they are too few to say.
pub fn of_shift(a: &[f64], b: &[f64], alarms: f64) -> Option<Interval> {
    let taken = |values: &[f64]| -> Vec<f64> {
        let mut values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        if values.len() > EXACT {
            let step = |at: usize| values.get(at * values.len() / EXACT).copied();
            values = (0..EXACT).filter_map(step).collect();
        }
        values.sort_by(f64::total_cmp);
        values
    };
    let (a, b) = (taken(a), taken(b));
    let middle = median(&a)? - median(&b)?;
    let outer = pairs_below(a.len(), b.len(), alarms)?;
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| a - b));
    let mut pairs: Vec<f64> = pairs.collect();
    pairs.sort_by(f64::total_cmp);
    let (low, high) = (*pairs.get(outer)?, *pairs.get(pairs.len() - 1 - outer)?);
    let (of_a, of_b) = (
        medians(&a, alarms, "shift a")?,
        medians(&b, alarms, "shift b")?,
    );
    let mut shifts: Vec<f64> = of_a.iter().zip(&of_b).map(|(a, b)| a - b).collect();
    shifts.sort_by(f64::total_cmp);
    let outside = (alarms / 2.0 * shifts.len() as f64) as usize;
    let (from, to) = (
        *shifts.get(outside)?,
        *shifts.get(shifts.len() - 1 - outside)?,
    );
    Some(Interval {
        middle,
        low: low.min(from),
        high: high.max(to),
    })
}

/// The largest u for which twice the probability that u or fewer of all pairs of n and m
/// values have the first below the second is at most `alarms`: the distribution of Mann and
/// Whitney's U, by which side the largest value is on.
fn pairs_below(n: usize, m: usize, alarms: f64) -> Option<usize> {
    // By i of the first and j of the second: mass[j][u].
    let mut mass: Vec<Vec<f64>> = vec![vec![1.0]; m + 1];
    for i in 1..=n {
        let mut row: Vec<Vec<f64>> = vec![vec![1.0]];
        for j in 1..=m {
            let (first, second) = (i as f64 / (i + j) as f64, j as f64 / (i + j) as f64);
            let mut now = vec![0.0; i * j + 1];
            for (u, p) in mass.get(j)?.iter().enumerate() {
                // The largest is of the first: above all j of the second.
                *now.get_mut(u + j)? += first * p;
            }
            for (u, p) in row.get(j - 1)?.iter().enumerate() {
                *now.get_mut(u)? += second * p;
            }
            row.push(now);
        }
        mass = row;
    }
    let mut tail = 0.0;
    let fits = mass.get(m)?.iter().take_while(|p| {
        tail += **p;
        2.0 * tail <= alarms
    });
    fits.count().checked_sub(1)
}

/// The largest k for which the interval from the k-th smallest to the k-th largest
/// value, counted from 0, misses the median at most `alarms` of the times: of n values
/// at most k lie on one side of it, twice the lower tail of a binomial distribution.
fn order(n: usize, alarms: f64) -> Option<usize> {
    let mut tail = 0.0;
    let mut log_mass = -(n as f64) * std::f64::consts::LN_2;
    let mut found = None;
    for k in 0..n / 2 {
        tail += log_mass.exp();
        if 2.0 * tail > alarms {
            break;
        }
        found = Some(k);
        log_mass += ((n - k) as f64 / (k + 1) as f64).ln();
    }
    found
}

/// The percentile bootstrap of the median of sorted values. The draws are the same for
/// the same number of values: a report says the same whenever it is made of the same
/// times.
fn bootstrap(sorted: &[f64], alarms: f64) -> Option<(f64, f64)> {
    let mut medians = medians(sorted, alarms, "bootstrap")?;
    medians.sort_by(f64::total_cmp);
    let outside = (alarms / 2.0 * medians.len() as f64) as usize;
    let low = medians.get(outside)?;
    let high = medians.get(medians.len() - 1 - outside)?;
    Some((*low, *high))
}

/// Medians of what is drawn again from sorted values.
fn medians(sorted: &[f64], alarms: f64, what: &str) -> Option<Vec<f64>> {
    let resamples = RESAMPLES.max((2.0 * BEYOND / alarms) as usize).min(50_000);
    let draws = Stream::new(1, what);
    let n = sorted.len();
    let mut medians = Vec::with_capacity(resamples);
    let mut indices = vec![0usize; n];
    for resample in 0..resamples {
        for (at, index) in indices.iter_mut().enumerate() {
            *index = draws.below((resample * n + at) as u64, n as u64) as usize;
        }
        // The values are in order: so are they by their indices.
        indices.sort_unstable();
        let value = |at: usize| indices.get(at).and_then(|i| sorted.get(*i)).copied();
        let upper = value(n / 2)?;
        medians.push(match n.is_multiple_of(2) {
            true => f64::midpoint(value(n / 2 - 1)?, upper),
            false => upper,
        });
    }
    Some(medians)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_statistics_are_those_of_the_binomial_tables() {
        // 2·P(Bin(n, 1/2) ≤ k) ≤ 0.01. Dixon and Mood, "The statistical sign test",
        // JASA 41 (1946), table of critical values of r at 1 %: n = 8: 0, 12: 1, 15: 2,
        // 20: 3, 25: 5, 30: 7.
        for (n, k) in [(8, 0), (12, 1), (15, 2), (20, 3), (25, 5), (30, 7)] {
            assert_eq!(order(n, 0.01), Some(k), "{n}");
        }
        assert_eq!(order(7, 0.01), None);
    }

    #[test]
    fn the_signed_ranks_are_those_of_wilcoxons_table() {
        // Critical values of T at 1 %, two-sided (Wilcoxon, Katti and Wilcox, "Critical
        // values and probability levels for the Wilcoxon rank sum test and the Wilcoxon
        // signed rank test", 1970): n = 8: 0, 10: 3, 12: 7, 15: 15, 20: 37, 30: 109.
        for (n, t) in [(8, 0), (10, 3), (12, 7), (15, 15), (20, 37), (30, 109)] {
            assert_eq!(rank_sum(n, 0.01), Some(t), "{n}");
        }
        use crate::timing::ALARMS;
        assert_eq!(rank_sum(LEAST - 1, ALARMS), None);
        assert!(rank_sum(LEAST, ALARMS).is_some());
    }

    #[test]
    fn the_ranks_of_two_samples_are_those_of_mann_and_whitneys_table() {
        // Critical values of U at 1 %, two-sided (e.g. D. Auble, "Extended tables for the
        // Mann-Whitney statistic", Bulletin of the Institute of Educational Research at
        // Indiana University 1(2), 1953).
        for (n, u) in [(5, 0), (8, 7), (10, 16), (12, 27), (15, 51), (20, 105)] {
            assert_eq!(pairs_below(n, n, 0.01), Some(u), "{n}");
        }
        assert_eq!(pairs_below(6, 10, 0.01), Some(6));
        assert_eq!(pairs_below(3, 3, 0.01), None);
    }

    #[test]
    fn a_shift_is_found_whatever_the_order_of_the_values() {
        let b: Vec<f64> = (0..15).map(|i| f64::from(i * 7 % 15)).collect();
        let a: Vec<f64> = b.iter().rev().map(|v| v + 20.0).collect();
        let found = of_shift(&a, &b, 0.01).unwrap();
        assert!((found.middle - 20.0).abs() < 1e-12);
        assert!(found.low > 10.0 && found.high < 30.0, "{found:?}");
        let many: Vec<f64> = (0..500).map(|i| f64::from(i % 50)).collect();
        let none = of_shift(&many, &many, 0.01).unwrap();
        assert!(none.low < 0.0 && none.high > 0.0);
    }

    #[test]
    fn very_many_values_have_an_interval() {
        let values: Vec<f64> = (0..5000).map(|i| f64::from(i % 1000)).collect();
        let found = of_median(&values, 0.01).unwrap();
        // Half of √n · 2.58 places on either side of the 2500th of 5000.
        assert!(
            (found.low - 481.0).abs() <= 2.0 && (found.high - 518.0).abs() <= 2.0,
            "{found:?}"
        );
    }

    #[test]
    fn an_interval_holds_its_median_and_narrows_with_more_values() {
        let of = |n: u32| {
            let values: Vec<f64> = (0..n).map(|i| f64::from(i % 10)).collect();
            of_median(&values, 0.01).unwrap()
        };
        let (few, many) = (of(10), of(200));
        assert_eq!((few.middle, many.middle), (4.5, 4.5));
        assert!(few.low < 4.5 && few.high > 4.5);
        assert!(many.high - many.low < few.high - few.low);
    }

    #[test]
    fn a_ratio_is_taken_pair_by_pair() {
        // Both are slowed down alike by what else ran: the ratio does not see it.
        let b: Vec<f64> = (1..=12).map(|i| 100.0 * f64::from(i)).collect();
        let a: Vec<f64> = b.iter().map(|t| 1.1 * t).collect();
        let ratio = of_ratio(&a, &b, 0.01).unwrap();
        assert!((ratio.low - 1.1).abs() < 1e-12 && (ratio.high - 1.1).abs() < 1e-12);
        assert_eq!(of_ratio(&a, &[], 0.01), None);
        let broken: Vec<f64> = a.iter().map(|_| f64::NAN).collect();
        assert_eq!(of_ratio(&a, &broken, 0.01), None);
    }
}
