//! The interval of a median.
//!
//! The percentile bootstrap (B. Efron, "Bootstrap methods: another look at the
//! jackknife", Annals of Statistics 7(1), 1979) of a median of a dozen values is too
//! narrow: at a stated 1 in 100 it misses 1 in 30. The interval between two order
//! statistics misses as often as the binomial distribution says, whatever the values
//! are distributed like. What is given is the hull of both.

use plan::model::random::Stream;
use plan::run::median;

/// Resamples of a bootstrap at the least.
const RESAMPLES: usize = 1000;
/// Resamples beyond each end of the interval at the least.
const BEYOND: f64 = 5.0;
/// Fewer values than this have no interval at 1 in 100: 2 · 2⁻⁷ is more than that.
pub const LEAST: usize = 8;

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
    fn exp(self) -> Self {
        Self {
            middle: self.middle.exp(),
            low: self.low.exp(),
            high: self.high.exp(),
        }
    }
}

/// Where the median of what `values` were drawn from lies, missed at most `alarms`
/// of the times. `None` where they are too few to say.
pub fn of_median(values: &[f64], alarms: f64) -> Option<Interval> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = median(&sorted)?;
    let outer = order(sorted.len(), alarms)?;
    let (low, high) = (*sorted.get(outer)?, *sorted.get(sorted.len() - 1 - outer)?);
    let (from, to) = bootstrap(&sorted, alarms)?;
    Some(Interval {
        middle,
        low: low.min(from),
        high: high.max(to),
    })
}

/// Where the ratio of two medians lies, `of[i]` over `to[i]`, pair by pair. Pairs in
/// which one is no time do not count.
pub fn of_ratio(of: &[f64], to: &[f64], alarms: f64) -> Option<Interval> {
    let pairs = of.iter().zip(to).filter(|(a, b)| **a > 0.0 && **b > 0.0);
    let logs: Vec<f64> = pairs.map(|(a, b)| (a / b).ln()).collect();
    of_median(&logs, alarms).map(Interval::exp)
}

/// The largest k for which the interval from the k-th smallest to the k-th largest
/// value, counted from 0, misses the median at most `alarms` of the times: of n values
/// at most k lie on one side of it, twice the lower tail of a binomial distribution.
fn order(n: usize, alarms: f64) -> Option<usize> {
    let mut tail = 0.0;
    let mut mass = 0.5f64.powi(i32::try_from(n).ok()?);
    let mut found = None;
    for k in 0..n / 2 {
        tail += mass;
        if 2.0 * tail > alarms {
            break;
        }
        found = Some(k);
        mass *= (n - k) as f64 / (k + 1) as f64;
    }
    found
}

/// The percentile bootstrap of the median of sorted values. The draws are the same for
/// the same number of values: a report says the same whenever it is made of the same
/// times.
fn bootstrap(sorted: &[f64], alarms: f64) -> Option<(f64, f64)> {
    let resamples = RESAMPLES.max((2.0 * BEYOND / alarms) as usize).min(50_000);
    let draws = Stream::new(1, "bootstrap");
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
    medians.sort_by(f64::total_cmp);
    let outside = (alarms / 2.0 * resamples as f64) as usize;
    let low = medians.get(outside)?;
    let high = medians.get(resamples - 1 - outside)?;
    Some((*low, *high))
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
        assert_eq!(order(LEAST - 1, 0.01), None);
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
