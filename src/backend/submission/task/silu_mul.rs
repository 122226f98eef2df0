//! m = silu(g) · u.

use super::real::Real;
use super::{Frame, Rest, Special, Task};
use crate::submission::bench::Geometry;

const THREADS: usize = 256;

pub(super) const TASK: Task = Task {
    source: "exercises/silu_mul.cu",
    extents: &["n"],
    tiny: &[5],
    drawn: |draw| vec![draw()],
    fixed: &[&[256], &[1000]],
    special: &[Special {
        what: "g from -100 to 100",
        at: &[5],
        fill: |_, inputs| {
            if let Some(g) = inputs.first_mut() {
                *g = vec![-100.0, -88.0, 0.0, 88.0, 100.0];
            }
        },
    }],
    // Batch 8 of the workshop model: 8 · 128 · 512 elements.
    wide: &[8 * 128 * 512],
    frame: |extents| {
        let n = extents.first().copied().unwrap_or(0);
        Frame {
            inputs: vec![("g", n), ("u", n)],
            outputs: vec![("m", n)],
            row: 0,
            rest: vec![Rest::Long(n)],
            geometry: Geometry::blocks(n.div_ceil(THREADS) as u32, THREADS as u32),
        }
    },
    reference: (reference, reference),
};

fn reference<F: Real>(_: &[usize], inputs: &[Vec<f32>]) -> Vec<Vec<F>> {
    let [g, u] = inputs else { return Vec::new() };
    let value = |(g, u): (&f32, &f32)| swiglu(F::of(*g), F::of(*u));
    vec![g.iter().zip(u).map(value).collect()]
}

/// silu(g) · u.
pub(super) fn swiglu<F: Real>(g: F, u: F) -> F {
    g / (F::ONE + (-g).exp()) * u
}
