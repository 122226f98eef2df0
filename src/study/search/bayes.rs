//! A Gaussian process over the logarithm of the time, and the point that it expects to
//! improve most (J. Močkus, "On Bayesian methods for seeking the extremum", 1974; C. E.
//! Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine Learning", 2006).

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::simple::shuffled;
use super::space::{Measured, Space};

/// Points that are drawn before there is a model.
const FIRST: usize = 5;
/// Rounds of each point.
const ROUNDS: usize = 2;
/// Lengths over which times are alike, as a share of a setting's range.
const LENGTHS: [f64; 5] = [0.15, 0.3, 0.6, 1.2, 2.4];
/// Noise that is tried, as a share of the deviation of the times.
const NOISES: [f64; 3] = [0.02, 0.1, 0.3];
/// Most points that the model is made of: a cube of them is worked off for each.
const MOST: usize = 80;

/// Points that a Gaussian process expects to improve most, after a few that are drawn.
pub fn bayes(space: &Space, measured: &mut Measured<'_>, budget: usize, seed: u64) {
    let places: Vec<Vec<f64>> = (0..space.points.len()).map(|p| space.place(p)).collect();
    let order = shuffled(space.points.len(), seed);
    let mut drawn = order.iter().copied();
    while measured.spent() < budget {
        let known: Vec<(usize, f64)> = measured
            .known()
            .into_iter()
            .enumerate()
            .filter_map(|(at, value)| Some((at, value?.ln())))
            .collect();
        let next = match known.len() < FIRST || known.len() > MOST {
            true => drawn.by_ref().find(|p| !measured.seen(*p)),
            false => expected(&places, &known, measured),
        };
        let Some(next) = next else { return };
        for _ in 0..ROUNDS {
            if measured.spent() >= budget || measured.take(next).is_none() {
                break;
            }
        }
    }
}

/// The point that was not looked at and is expected to improve most.
fn expected(places: &[Vec<f64>], known: &[(usize, f64)], measured: &Measured<'_>) -> Option<usize> {
    let n = known.len() as f64;
    let mean = known.iter().map(|(_, y)| y).sum::<f64>() / n;
    let variance = known.iter().map(|(_, y)| (y - mean).powi(2)).sum::<f64>() / n;
    let deviation = variance.sqrt().max(1e-9);
    let at: Vec<&Vec<f64>> = known.iter().filter_map(|(p, _)| places.get(*p)).collect();
    let y = DVector::from_iterator(
        known.len(),
        known.iter().map(|(_, y)| (y - mean) / deviation),
    );
    let best = y.iter().copied().fold(f64::INFINITY, f64::min);
    let models = LENGTHS
        .iter()
        .flat_map(|length| NOISES.map(|noise| (*length, noise)));
    let process = models
        .filter_map(|(length, noise)| Process::of(&at, &y, length, noise))
        .max_by(|a, b| a.evidence.total_cmp(&b.evidence))?;
    let fresh = (0..places.len()).filter(|p| !measured.seen(*p));
    fresh
        .filter_map(|p| {
            let (mean, deviation) = process.at(&at, places.get(p)?);
            Some((p, improvement(best, mean, deviation)))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(p, _)| p)
}

/// A Gaussian process with a kernel of Matérn, ν = 5/2.
struct Process {
    factor: Cholesky<f64, Dyn>,
    weights: DVector<f64>,
    length: f64,
    /// The logarithm of the marginal likelihood.
    evidence: f64,
}

fn alike(a: &[f64], b: &[f64], length: f64) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    let r = (5.0 * squares).sqrt() / length;
    (1.0 + r + r * r / 3.0) * (-r).exp()
}

impl Process {
    fn of(at: &[&Vec<f64>], y: &DVector<f64>, length: f64, noise: f64) -> Option<Self> {
        let n = at.len();
        let matrix = DMatrix::from_fn(n, n, |i, j| {
            let (Some(a), Some(b)) = (at.get(i), at.get(j)) else {
                return 0.0;
            };
            alike(a, b, length) + if i == j { noise * noise + 1e-9 } else { 0.0 }
        });
        let factor = matrix.cholesky()?;
        let weights = factor.solve(y);
        let logs: f64 = factor.l_dirty().diagonal().iter().map(|x| x.ln()).sum();
        Some(Self {
            evidence: -0.5 * y.dot(&weights) - logs,
            factor,
            weights,
            length,
        })
    }

    /// Mean and deviation at a place.
    fn at(&self, known: &[&Vec<f64>], place: &[f64]) -> (f64, f64) {
        let near = known.iter().map(|k| alike(k, place, self.length));
        let near = DVector::from_iterator(known.len(), near);
        let variance = 1.0 - near.dot(&self.factor.solve(&near));
        (near.dot(&self.weights), variance.max(0.0).sqrt())
    }
}

/// How far below `best` a normal value is expected to fall, where it does.
fn improvement(best: f64, mean: f64, deviation: f64) -> f64 {
    if deviation <= 1e-12 {
        return (best - mean).max(0.0);
    }
    let z = (best - mean) / deviation;
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    deviation * (z * below(z) + density)
}

/// The share of a normal distribution below z (M. Abramowitz and I. A. Stegun, "Handbook
/// of Mathematical Functions", 26.2.17; off by at most 7.5e-8).
fn below(z: f64) -> f64 {
    const B: [f64; 5] = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let sum = B.iter().rev().fold(0.0, |sum, b| (sum + b) * t);
    let tail = sum * (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z >= 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        for (z, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_7),
            (-1.959_964, 0.025),
            (3.0, 0.998_650_1),
        ] {
            assert!((below(z) - p).abs() < 1e-6, "{z}: {}", below(z));
        }
        // Where nothing is known a mean as good as the best improves by φ(0) deviations.
        assert!((improvement(0.0, 0.0, 2.0) - 2.0 * 0.398_942_28).abs() < 1e-6);
        assert_eq!(improvement(1.0, 2.0, 0.0), 0.0);
    }

    #[test]
    fn a_process_goes_through_what_it_knows_and_is_unsure_elsewhere() {
        let (a, b) = (vec![0.0], vec![1.0]);
        let at = [&a, &b];
        let y = DVector::from_vec(vec![-1.0, 1.0]);
        let process = Process::of(&at, &y, 0.6, 0.02).unwrap();
        let (mean, deviation) = process.at(&at, &[0.0]);
        assert!(
            (mean + 1.0).abs() < 0.01 && deviation < 0.05,
            "{mean} {deviation}"
        );
        let (mean, deviation) = process.at(&at, &[0.5]);
        assert!(mean.abs() < 1e-9 && deviation > 0.2, "{mean} {deviation}");
    }
}
