//! m = silu(x · wg) · (x · wu).

use super::real::Real;
use super::silu_mul::swiglu;
use super::tiled_product::product;
use super::{Frame, Rest, Special, Task};
use crate::submission::bench::Geometry;

const TILE: usize = 64;

pub(super) const TASK: Task = Task {
    source: "exercises/fused_gate_up.cu",
    extents: &["rows", "depth", "cols"],
    tiny: &[2, 3, 4],
    drawn: |draw| vec![draw().min(100), draw().min(257), draw().min(100)],
    fixed: &[&[100, 100, 100], &[33, 129, 65], &[64, 64, 64]],
    special: &[Special {
        what: "gates of -100 and 100",
        at: &[33, 4, 65],
        fill: |_, inputs| {
            if let [x, wg, _] = inputs {
                x.fill(1.0);
                for (i, weight) in wg.iter_mut().enumerate() {
                    *weight = if i % 65 % 2 == 0 { 25.0 } else { -25.0 };
                }
            }
        },
    }],
    // Batch 2 of the workshop model: 2 · 128 rows, depth 256, 512 columns.
    wide: &[2 * 128, 256, 512],
    frame: |extents| {
        let [rows, depth, cols] = sizes(extents);
        Frame {
            inputs: vec![
                ("x", rows * depth),
                ("wg", depth * cols),
                ("wu", depth * cols),
            ],
            outputs: vec![("m", rows * cols)],
            row: cols,
            rest: [rows, depth, cols].map(Rest::Int).into(),
            geometry: Geometry {
                grid: [cols.div_ceil(TILE) as u32, rows.div_ceil(TILE) as u32],
                threads: 256,
                cooperative: false,
            },
        }
    },
    reference: (reference, reference),
};

fn sizes(extents: &[usize]) -> [usize; 3] {
    extents.try_into().unwrap_or_default()
}

fn reference<F: Real>(extents: &[usize], inputs: &[Vec<f32>]) -> Vec<Vec<F>> {
    let [x, wg, wu] = inputs else {
        return Vec::new();
    };
    let [_, depth, cols] = sizes(extents);
    let (gate, up) = (
        product::<F>(x, wg, depth, cols),
        product::<F>(x, wu, depth, cols),
    );
    vec![
        gate.into_iter()
            .zip(up)
            .map(|(g, u)| swiglu(g, u))
            .collect(),
    ]
}
