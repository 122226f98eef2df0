//! Lines through points: exponents and polynomials, by least squares.

use nalgebra::{DMatrix, DVector};

/// The exponent p of y ∝ xᵖ: the slope of the least-squares line through the
/// logarithms. `None` below two different points, or where a value is not positive.
pub fn exponent(x: &[f64], y: &[f64]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = x.iter().zip(y).map(|(x, y)| (x.ln(), y.ln())).collect();
    let found = least_squares(&logs, &[&|_| 1.0, &|x| x], |_| 1.0)?;
    found.get(1).copied()
}

/// The coefficients of y = a + b·x, relative errors weighed alike. `None` below two
/// different points, or where a value is not positive.
pub fn line(x: &[f64], y: &[f64]) -> Option<[f64; 2]> {
    let points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    if points.iter().any(|(_, y)| *y <= 0.0) {
        return None;
    }
    let found = least_squares(&points, &[&|_| 1.0, &|x| x], |y| 1.0 / y)?;
    found.try_into().ok()
}

/// The coefficients of y = a + b·x + c·x², relative errors weighed alike and none
/// below nothing: parts of a time are not negative. `None` below four points.
pub fn quadratic(x: &[f64], y: &[f64]) -> Option<[f64; 3]> {
    let points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    if points.len() < 4 {
        return None;
    }
    type Term<'t> = &'t dyn Fn(f64) -> f64;
    let all: [Term<'_>; 3] = [&|_| 1.0, &|x| x, &|x| x * x];
    // Of three terms there are seven sets; the best one without a negative part counts.
    let error = |of: &[f64; 3]| -> f64 {
        let off = |(x, y): &(f64, f64)| ((of[0] + of[1] * x + of[2] * x * x) / y - 1.0).powi(2);
        points.iter().map(off).sum()
    };
    let mut best: Option<[f64; 3]> = None;
    for set in 1usize..8 {
        let on: Vec<usize> = (0..3).filter(|at| set >> at & 1 == 1).collect();
        let terms: Vec<Term<'_>> = on.iter().filter_map(|at| all.get(*at).copied()).collect();
        let Some(found) = least_squares(&points, &terms, |y| 1.0 / y) else {
            continue;
        };
        let mut of = [0.0; 3];
        for (at, value) in on.iter().zip(&found) {
            if let Some(slot) = of.get_mut(*at) {
                *slot = *value;
            }
        }
        if of.iter().all(|c| *c >= 0.0) && best.is_none_or(|known| error(&of) < error(&known)) {
            best = Some(of);
        }
    }
    best
}

/// The coefficients of a sum of terms, by a singular value decomposition.
fn least_squares(
    points: &[(f64, f64)],
    terms: &[&dyn Fn(f64) -> f64],
    weight: impl Fn(f64) -> f64,
) -> Option<Vec<f64>> {
    let first = points.first()?.0;
    let varies = points.iter().any(|(x, _)| *x != first);
    let finite = points.iter().all(|(x, y)| x.is_finite() && y.is_finite());
    if !varies || !finite || points.len() < terms.len() {
        return None;
    }
    let cell = |row: usize, column: usize| -> f64 {
        match (points.get(row), terms.get(column)) {
            (Some((x, y)), Some(term)) => weight(*y) * term(*x),
            _ => 0.0,
        }
    };
    let a = DMatrix::from_fn(points.len(), terms.len(), cell);
    let b = DVector::from_iterator(points.len(), points.iter().map(|(_, y)| weight(*y) * y));
    let solved = a.svd(true, true).solve(&b, 1e-12).ok()?;
    Some(solved.iter().copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_has_its_exponent() {
        let x = [16.0, 32.0, 64.0, 128.0];
        let y = x.map(|x: f64| 3.0 * x.powf(1.5));
        assert!((exponent(&x, &y).unwrap() - 1.5).abs() < 1e-12);
        assert_eq!(exponent(&[2.0, 2.0], &[1.0, 3.0]), None);
        assert_eq!(exponent(&[1.0, 2.0], &[0.0, 3.0]), None);
    }

    #[test]
    fn a_line_has_what_it_begins_with_and_what_each_more_costs() {
        let x = [4096.0, 65_536.0, 1_048_576.0, 268_435_456.0];
        // 10 µs and 50 GB/s.
        let y = x.map(|x: f64| 10.0 + x / 50e3);
        let [a, b] = line(&x, &y).unwrap();
        assert!(
            (a - 10.0).abs() < 1e-6 && (1e-3 / b - 50.0).abs() < 1e-6,
            "{a} {b}"
        );
        assert_eq!(line(&x, &[1.0, 0.0, 1.0, 1.0]), None);
        assert_eq!(line(&x[..1], &y[..1]), None);
    }

    #[test]
    fn a_quadratic_falls_into_its_parts_and_none_is_negative() {
        let x = [16.0, 32.0, 64.0, 128.0, 256.0];
        let y = x.map(|x: f64| 100.0 + 2.0 * x + 0.05 * x * x);
        let [a, b, c] = quadratic(&x, &y).unwrap();
        assert!((a - 100.0).abs() < 1e-6 && (b - 2.0).abs() < 1e-8 && (c - 0.05).abs() < 1e-10);
        // Bent the other way: the least squares of all three terms would be negative in x².
        let bent = x.map(|x: f64| 10.0 * x.sqrt());
        let parts = quadratic(&x, &bent).unwrap();
        assert!(
            parts.iter().all(|part| *part >= 0.0) && parts[1] > 0.0,
            "{parts:?}"
        );
        assert_eq!(quadratic(&x[..3], &y[..3]), None);
    }
}
