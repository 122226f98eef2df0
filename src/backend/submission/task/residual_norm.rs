//! h = x + r, y = h · rsqrt(mean(h²) + eps) · gamma.

use super::real::Real;
use super::{Frame, Rest, Special, Task};
use crate::submission::bench::Geometry;

const EPS: f32 = 1e-5;

pub(super) const TASK: Task = Task {
    source: "exercises/residual_norm.cu",
    extents: &["rows", "width"],
    tiny: &[2, 4],
    drawn: |draw| vec![draw().min(100), draw()],
    fixed: &[&[3, 4096], &[2, 256]],
    special: &[
        Special {
            what: "values of 10000",
            at: &[3, 300],
            fill: |_, inputs| fill(inputs, 1e4),
        },
        Special {
            what: "values of 0.000001",
            at: &[3, 300],
            fill: |_, inputs| fill(inputs, 1e-6),
        },
    ],
    // Batch 8 of the workshop model: 8 · 128 rows of 256.
    wide: &[8 * 128, 256],
    frame: |extents| {
        let (rows, width) = sizes(extents);
        let all = rows * width;
        Frame {
            inputs: vec![("x", all), ("r", all), ("gamma", width)],
            outputs: vec![("h", all), ("y", all)],
            row: width,
            rest: vec![Rest::Int(rows), Rest::Int(width), Rest::Float(EPS)],
            geometry: Geometry::blocks(rows as u32, 256),
        }
    },
    reference: (reference, reference),
};

fn sizes(extents: &[usize]) -> (usize, usize) {
    match extents {
        [rows, width] => (*rows, *width),
        _ => (0, 0),
    }
}

fn fill(inputs: &mut [Vec<f32>], value: f32) {
    for input in inputs.iter_mut().take(2) {
        input.fill(value);
    }
}

fn reference<F: Real>(extents: &[usize], inputs: &[Vec<f32>]) -> Vec<Vec<F>> {
    let [x, r, gamma] = inputs else {
        return Vec::new();
    };
    let (_, width) = sizes(extents);
    let h: Vec<F> = x
        .iter()
        .zip(r)
        .map(|(x, r)| F::of(*x) + F::of(*r))
        .collect();
    let mut y = Vec::with_capacity(h.len());
    for row in h.chunks(width.max(1)) {
        let squares = row.iter().fold(F::ZERO, |sum, h| sum + *h * *h);
        let scale = F::ONE / (squares / F::whole(width) + F::of(EPS)).root();
        y.extend(row.iter().zip(gamma).map(|(h, g)| *h * scale * F::of(*g)));
    }
    vec![h, y]
}
