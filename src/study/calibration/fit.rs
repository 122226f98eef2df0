//! Costs that fit timed forwards best: least squares through the logarithms of the times,
//! by Levenberg and Marquardt's method (D. Marquardt, "An algorithm for least-squares
//! estimation of nonlinear parameters", SIAM J. Appl. Math. 11(2), 1963), with few far-off
//! times held back as by P. Huber ("Robust estimation of a location parameter", Annals of
//! Mathematical Statistics 35(1), 1964). What the forwards say nothing of stays near where
//! it began.

use nalgebra::{SMatrix, SVector};

use super::{Calibration, Costs, Seen, Work};
use plan::model::Dtype;

const N: usize = Costs::COUNT;
type Vector = SVector<f64, N>;

/// How far, in logarithms, a cost may lie from where it began at one deviation.
const LOOSE: f64 = 2.0;
/// The same of the factor of products in a kernel that waits.
const FACTOR: f64 = 0.7;
/// Beyond this share an error counts in proportion and not by its square.
const FAR_OFF: f64 = 0.2;
/// One deviation of what the model leaves, in logarithms.
const NOISE: f64 = 0.1;
/// Sizes, in bytes, that are tried as what a cache holds.
const CACHES: [f64; 8] = [1e6, 2e6, 4e6, 8e6, 16e6, 32e6, 64e6, f64::INFINITY];
/// Fewer forwards than this say too little.
const FEWEST: usize = 12;

/// One forward that was timed: title, work, seconds.
type Point = (String, Work, f64);

/// Calibrates: fits the costs, then each forward's prediction by a fit without it.
///
/// # Errors
/// A sentence: too few forwards were timed.
pub fn fit(
    [backend, device]: [&str; 2],
    dtype: Dtype,
    points: &[(String, Work, f64)],
) -> Result<Calibration, String> {
    if points.len() < FEWEST {
        return Err(format!(
            "{} forwards were timed, and {FEWEST} are the least that a calibration takes",
            points.len()
        ));
    }
    let all: Vec<&Point> = points.iter().collect();
    let began = guess(&all);
    let tried = CACHES.map(|near| {
        let theta = solved(&all, near, began, began);
        (loss(&all, near, &theta, &began), near, theta)
    });
    let best = tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, near, theta)) = best else {
        return Err("nothing was fitted".to_owned());
    };
    let seen = points
        .iter()
        .enumerate()
        .map(|(at, (title, work, seconds))| {
            let others: Vec<&Point> = all
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .map(|(_, point)| *point)
                .collect();
            let without = solved(&others, near, theta, began);
            Seen {
                title: title.clone(),
                seconds: *seconds,
                predicted: seconds_of(&without, work, near),
            }
        });
    let range = |of: fn(&Work) -> f64| {
        let values = points.iter().map(|(_, work, _)| of(work));
        values.fold([f64::INFINITY, 0.0], |[low, high], x| {
            [low.min(x), high.max(x)]
        })
    };
    Ok(Calibration {
        backend: backend.to_owned(),
        device: device.to_owned(),
        dtype,
        costs: costs(&theta),
        near_bytes: if near.is_finite() { near } else { f64::MAX },
        seen: seen.collect(),
        flops: range(|w| w.flops),
        bytes: range(|w| w.bytes),
        disturbed: None,
    })
}

fn costs(theta: &Vector) -> Costs {
    Costs::of(theta.map(f64::exp).into())
}

fn seconds_of(theta: &Vector, work: &Work, near: f64) -> f64 {
    let costs = costs(theta);
    let small = work.touched <= near;
    let kernels = work.kernels.iter();
    let sum: f64 = kernels
        .map(|(k, times)| times * costs.kernel(k, small))
        .sum();
    costs.start + sum
}

/// Where the costs begin: each as if it alone took half of the time of the forward in
/// which that says most.
fn guess(points: &[&Point]) -> Vector {
    let least = |of: &dyn Fn(&Work) -> f64| {
        let shares = points.iter().map(|(_, work, seconds)| seconds / of(work));
        let found = shares
            .filter(|x| x.is_finite())
            .fold(f64::INFINITY, f64::min);
        if found.is_finite() {
            found / 2.0
        } else {
            1e-12
        }
    };
    let launch = least(&Work::launches);
    let flop = least(&|w| w.flops);
    let byte = least(&|w| w.bytes);
    let length = |w: &Work| -> f64 {
        let of = |(k, times): &(super::Kernel, f64)| {
            times * k.products.iter().map(|p| p[1]).sum::<f64>()
        };
        w.kernels.iter().map(of).sum()
    };
    let weight = |w: &Work| -> f64 {
        let of = |(k, times): &(super::Kernel, f64)| {
            times * k.products.iter().map(|p| p[2]).sum::<f64>()
        };
        w.kernels.iter().map(of).sum()
    };
    let began = Costs {
        start: launch,
        launch,
        wait: launch / 2.0,
        product: flop,
        step: least(&length) / 2.0,
        weight: least(&weight) / 2.0,
        attention: flop,
        other: 2.0 * flop,
        near: byte / 2.0,
        far: byte,
        merged: 1.0,
    };
    Vector::from(began.list()).map(f64::ln)
}

/// How far off: half the sum of squares, of far-off errors less; and how far from where
/// the costs began.
fn loss(points: &[&Point], near: f64, theta: &Vector, began: &Vector) -> f64 {
    let each = points.iter().map(|(_, work, seconds)| {
        let off = (seconds_of(theta, work, near) / seconds).ln();
        match off.abs() {
            off if off <= FAR_OFF => 0.5 * off * off,
            off => FAR_OFF * (off - FAR_OFF / 2.0),
        }
    });
    let moved: f64 = (0..N)
        .map(|at| 0.5 * ((theta[at] - began[at]) / deviation(at)).powi(2))
        .sum();
    each.sum::<f64>() / (NOISE * NOISE) + moved
}

fn deviation(at: usize) -> f64 {
    if at + 1 == N { FACTOR } else { LOOSE }
}

/// The logarithms of the costs that fit best, from `first` on.
fn solved(points: &[&Point], near: f64, first: Vector, began: Vector) -> Vector {
    /// The step of a difference, in logarithms.
    const STEP: f64 = 1e-5;
    let mut theta = first;
    let mut damped = 1e-2;
    let mut now = loss(points, near, &theta, &began);
    for _ in 0..60 {
        let mut normal = SMatrix::<f64, N, N>::zeros();
        let mut slope = Vector::zeros();
        for (_, work, seconds) in points {
            let here = seconds_of(&theta, work, near).ln();
            let off = here - seconds.ln();
            let mut row = Vector::zeros();
            for at in 0..N {
                let mut moved = theta;
                moved[at] += STEP;
                row[at] = (seconds_of(&moved, work, near).ln() - here) / STEP;
            }
            let weight = (FAR_OFF / off.abs().max(FAR_OFF)) / (NOISE * NOISE);
            normal += weight * row * row.transpose();
            slope += weight * off * row;
        }
        for at in 0..N {
            let stiff = 1.0 / deviation(at).powi(2);
            normal[(at, at)] += stiff;
            slope[at] += stiff * (theta[at] - began[at]);
        }
        let mut better = false;
        for _ in 0..8 {
            let mut system = normal;
            for at in 0..N {
                system[(at, at)] *= 1.0 + damped;
            }
            let Some(solver) = system.cholesky() else {
                damped *= 10.0;
                continue;
            };
            // A step of more than a factor of twenty is no small one.
            let step = solver.solve(&slope).map(|x| x.clamp(-3.0, 3.0));
            let next = theta - step;
            let then = loss(points, near, &next, &began);
            if then < now {
                let gain = now - then;
                (theta, now, better) = (next, then, gain > 1e-9 * now.max(1e-12));
                damped = (damped / 5.0).max(1e-9);
                break;
            }
            damped *= 5.0;
        }
        if !better {
            break;
        }
    }
    theta
}
