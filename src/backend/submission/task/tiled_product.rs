//! c = a · b.

use super::real::Real;
use super::{Frame, Rest, Special, Task};
use crate::submission::bench::Geometry;

const TILE: usize = 64;

pub(super) const TASK: Task = Task {
    source: "exercises/tiled_product.cu",
    extents: &["rows", "cols", "depth"],
    tiny: &[2, 3, 4],
    drawn: |draw| vec![draw().min(100), draw().min(100), draw().min(257)],
    fixed: &[&[100, 100, 100], &[33, 65, 129], &[64, 64, 64]],
    special: &[Special {
        what: "a row of ones times a column of ones",
        at: &[65, 65, 65],
        fill: |_, inputs| inputs.iter_mut().for_each(|input| input.fill(1.0)),
    }],
    // q of batch 8 of the workshop model: 8 · 128 rows, 256 columns, depth 256.
    wide: &[8 * 128, 256, 256],
    frame: |extents| {
        let (rows, cols, depth) = sizes(extents);
        Frame {
            inputs: vec![("a", rows * depth), ("b", depth * cols)],
            outputs: vec![("c", rows * cols)],
            row: cols,
            rest: vec![Rest::Int(rows), Rest::Int(cols), Rest::Int(depth)],
            geometry: Geometry {
                grid: [cols.div_ceil(TILE) as u32, rows.div_ceil(TILE) as u32],
                threads: 256,
                cooperative: false,
            },
        }
    },
    reference: (reference, reference),
};

fn sizes(extents: &[usize]) -> (usize, usize, usize) {
    match extents {
        [rows, cols, depth] => (*rows, *cols, *depth),
        _ => (0, 0, 0),
    }
}

fn reference<F: Real>(extents: &[usize], inputs: &[Vec<f32>]) -> Vec<Vec<F>> {
    let [a, b] = inputs else { return Vec::new() };
    let (_, cols, depth) = sizes(extents);
    vec![product(a, b, depth, cols)]
}

/// a · b, row by row: a has rows of `depth`, b of `cols` elements.
pub(super) fn product<F: Real>(a: &[f32], b: &[f32], depth: usize, cols: usize) -> Vec<F> {
    let mut c = Vec::new();
    for row in a.chunks(depth.max(1)) {
        let mut sums = vec![F::ZERO; cols];
        for (a, b) in row.iter().zip(b.chunks(cols.max(1))) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = *sum + F::of(*a) * F::of(*b);
            }
        }
        c.extend(sums);
    }
    c
}
