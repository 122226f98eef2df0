//! p = softmax(s), row by row.

use super::real::Real;
use super::{Frame, Rest, Special, Task};
use crate::submission::bench::Geometry;

pub(super) const TASK: Task = Task {
    source: "exercises/online_softmax.cu",
    extents: &["rows", "n"],
    tiny: &[1, 5],
    drawn: |draw| vec![draw().min(100), draw()],
    fixed: &[&[2, 8192], &[3, 256], &[2, 1]],
    special: &[
        Special {
            what: "scores that fall",
            at: &[2, 700],
            fill: |extents, inputs| {
                let n = extents.last().copied().unwrap_or(1);
                each(inputs, |i| 20.0 - (i % n) as f32 * 0.05);
            },
        },
        Special {
            what: "all scores -200",
            at: &[2, 300],
            fill: |_, inputs| each(inputs, |_| -200.0),
        },
        Special {
            what: "one score of 10000",
            at: &[2, 300],
            fill: |_, inputs| each(inputs, |i| if i == 100 { 1e4 } else { 0.0 }),
        },
        Special {
            what: "a masked tail of minus infinity",
            at: &[1, 600],
            fill: |_, inputs| {
                each(inputs, |i| {
                    if i < 200 {
                        i as f32 * 0.01
                    } else {
                        f32::NEG_INFINITY
                    }
                });
            },
        },
    ],
    // Batch 8 of the workshop model: 8 · 8 · 128 rows of 128.
    wide: &[8 * 8 * 128, 128],
    frame: |extents| {
        let (rows, n) = sizes(extents);
        Frame {
            inputs: vec![("s", rows * n)],
            outputs: vec![("p", rows * n)],
            row: n,
            rest: vec![Rest::Int(rows), Rest::Int(n)],
            geometry: Geometry::blocks(rows as u32, 256),
        }
    },
    reference: (reference, reference),
};

fn sizes(extents: &[usize]) -> (usize, usize) {
    match extents {
        [rows, n] => (*rows, *n),
        _ => (0, 0),
    }
}

fn each(inputs: &mut [Vec<f32>], value: impl Fn(usize) -> f32) {
    for input in inputs.iter_mut() {
        for (i, place) in input.iter_mut().enumerate() {
            *place = value(i);
        }
    }
}

fn reference<F: Real>(extents: &[usize], inputs: &[Vec<f32>]) -> Vec<Vec<F>> {
    let [s] = inputs else { return Vec::new() };
    let (_, n) = sizes(extents);
    let mut p = Vec::with_capacity(s.len());
    for row in s.chunks(n.max(1)) {
        let most = row.iter().fold(F::LOWEST, |most, s| most.larger(F::of(*s)));
        let powers: Vec<F> = row.iter().map(|s| (F::of(*s) - most).exp()).collect();
        let sum = powers.iter().fold(F::ZERO, |sum, power| sum + *power);
        p.extend(powers.iter().map(|power| *power / sum));
    }
    vec![p]
}
