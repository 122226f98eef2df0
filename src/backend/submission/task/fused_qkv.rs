//! q = x · wq, k = x · wk, v = x · wv.

use super::real::Real;
use super::tiled_product::product;
use super::{Frame, Rest, Special, Task};
use crate::submission::bench::Geometry;

const TILE: usize = 64;

pub(super) const TASK: Task = Task {
    source: "exercises/fused_qkv.cu",
    extents: &["rows", "depth", "q_cols", "kv_cols"],
    tiny: &[2, 3, 4, 2],
    drawn: |draw| {
        let q_cols = draw().min(100);
        vec![draw().min(100), draw().min(257), q_cols, draw().min(q_cols)]
    },
    fixed: &[
        &[33, 129, 65, 33],
        &[64, 64, 64, 64],
        &[100, 100, 100, 1],
        &[65, 16, 257, 64],
    ],
    special: &[Special {
        what: "ones everywhere",
        at: &[65, 65, 65, 33],
        fill: |_, inputs| inputs.iter_mut().for_each(|input| input.fill(1.0)),
    }],
    // Batch 2 of the workshop model: 2 · 128 rows, depth 256, keys half as wide.
    wide: &[2 * 128, 256, 256, 128],
    frame: |extents| {
        let [rows, depth, q_cols, kv_cols] = sizes(extents);
        Frame {
            inputs: vec![
                ("x", rows * depth),
                ("wq", depth * q_cols),
                ("wk", depth * kv_cols),
                ("wv", depth * kv_cols),
            ],
            outputs: vec![
                ("q", rows * q_cols),
                ("k", rows * kv_cols),
                ("v", rows * kv_cols),
            ],
            row: 0,
            rest: [rows, depth, q_cols, kv_cols].map(Rest::Int).into(),
            geometry: Geometry {
                grid: [q_cols.div_ceil(TILE) as u32, rows.div_ceil(TILE) as u32],
                threads: 256,
                cooperative: false,
            },
        }
    },
    reference: (reference, reference),
};

fn sizes(extents: &[usize]) -> [usize; 4] {
    extents.try_into().unwrap_or_default()
}

fn reference<F: Real>(extents: &[usize], inputs: &[Vec<f32>]) -> Vec<Vec<F>> {
    let [x, wq, wk, wv] = inputs else {
        return Vec::new();
    };
    let [_, depth, q_cols, kv_cols] = sizes(extents);
    vec![
        product(x, wq, depth, q_cols),
        product(x, wk, depth, kv_cols),
        product(x, wv, depth, kv_cols),
    ]
}
