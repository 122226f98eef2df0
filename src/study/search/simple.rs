//! Searches without a model of the space.

use super::space::{Measured, Space};
use plan::model::random::Stream;

/// Rounds of a point where a search does not vary them.
const ROUNDS: usize = 2;

/// Point after point, in the order of the space.
pub fn exhaustive(space: &Space, measured: &mut Measured<'_>, budget: usize, _: u64) {
    one_after_another(0..space.points.len(), measured, budget);
}

/// Points drawn without putting them back.
pub fn random(space: &Space, measured: &mut Measured<'_>, budget: usize, seed: u64) {
    one_after_another(shuffled(space.points.len(), seed), measured, budget);
}

fn one_after_another(
    points: impl IntoIterator<Item = usize>,
    measured: &mut Measured<'_>,
    budget: usize,
) {
    for point in points {
        for _ in 0..ROUNDS {
            if measured.spent() >= budget {
                return;
            }
            // What cannot be is not asked again.
            if measured.take(point).is_none() {
                break;
            }
        }
    }
}

/// The points in an order that a seed draws: Fisher and Yates.
pub(super) fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let draws = Stream::new(seed, "search");
    let mut order: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        order.swap(at, draws.below(at as u64, at as u64 + 1) as usize);
    }
    order
}

/// Many points for one round each, the better half of them for as many rounds again, and
/// so on (K. Jamieson and A. Talwalkar, "Non-stochastic best arm identification and
/// hyperparameter optimization", AISTATS 2016).
pub fn halving(space: &Space, measured: &mut Measured<'_>, budget: usize, seed: u64) {
    // With n points the rungs cost n + n/2 · 1 + n/4 · 2 + … : n/2 for each after the first.
    let fits = |n: usize| {
        let rungs = n.max(2).ilog2() as usize;
        n + n / 2 * rungs <= budget
    };
    let many = (2..=space.points.len())
        .rev()
        .find(|n| fits(*n))
        .unwrap_or(1);
    let mut left: Vec<usize> = shuffled(space.points.len(), seed);
    left.truncate(many);
    let mut rounds = 1;
    while !left.is_empty() {
        let mut found: Vec<(usize, f64)> = Vec::new();
        for point in &left {
            let mut value = None;
            for _ in 0..rounds {
                if measured.spent() >= budget {
                    return;
                }
                value = measured.take(*point);
                if value.is_none() {
                    break;
                }
            }
            found.extend(value.map(|value| (*point, value)));
        }
        if found.len() <= 1 {
            return;
        }
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        found.truncate(found.len().div_ceil(2));
        // The first rung was one round; each after it as many as all before.
        rounds = if rounds == 1 && found.len() * 2 > many {
            1
        } else {
            rounds * 2
        };
        left = found.into_iter().map(|(point, _)| point).collect();
    }
}
