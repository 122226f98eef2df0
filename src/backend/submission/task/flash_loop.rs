//! Attention of every head, scores never stored.

use super::real::Real;
use super::{Frame, Rest, Special, Task};
use crate::submission::bench::Geometry;

const TILE: usize = 64;

pub(super) const TASK: Task = Task {
    source: "exercises/flash_loop.cu",
    extents: &["heads", "kv_heads", "seq", "width", "causal"],
    tiny: &[1, 1, 3, 2, 1],
    drawn: |draw| {
        let (heads, seq) = (2 + 2 * (draw() % 2), draw().min(257));
        let shared = 1 + draw() % 2;
        vec![heads, heads / shared, seq, 32, draw() % 2]
    },
    fixed: &[
        &[4, 2, 100, 64, 1],
        &[2, 2, 64, 32, 0],
        &[4, 2, 257, 32, 1],
        &[2, 1, 1, 32, 1],
        &[4, 2, 31, 64, 0],
        &[2, 2, 128, 64, 1],
    ],
    special: &[
        Special {
            what: "scores that fall",
            at: &[2, 1, 100, 32, 0],
            fill: |extents, inputs| {
                let &[_, kv_heads, _, width, _] = extents else {
                    return;
                };
                if let [q, k, _] = inputs {
                    q.fill(1.0);
                    for (i, key) in k.iter_mut().enumerate() {
                        *key = 2.0 - (i / (kv_heads * width)) as f32 * 0.05;
                    }
                }
            },
        },
        // 32 · 40 · -1 / √32: exp of it is nothing in fp32.
        Special {
            what: "scores far below zero",
            at: &[2, 1, 33, 32, 0],
            fill: |_, inputs| {
                if let [q, k, _] = inputs {
                    q.fill(40.0);
                    k.fill(-1.0);
                }
            },
        },
    ],
    // Batch 1 of the workshop model, as if every head had keys of its own.
    wide: &[8, 4, 128, 32, 1],
    frame: |extents| {
        let sizes = Sizes::of(extents);
        let (all, kept) = (
            sizes.seq * sizes.heads * sizes.width,
            sizes.seq * sizes.kv_heads * sizes.width,
        );
        Frame {
            inputs: vec![("q", all), ("k", kept), ("v", kept)],
            outputs: vec![("o", all)],
            row: sizes.heads * sizes.width,
            rest: vec![
                Rest::Int(sizes.heads),
                Rest::Int(sizes.kv_heads),
                Rest::Int(sizes.seq),
                Rest::Int(sizes.width),
                Rest::Int(usize::from(sizes.causal)),
                Rest::Float(scale(sizes.width)),
            ],
            geometry: Geometry {
                grid: [sizes.seq.div_ceil(TILE) as u32, sizes.heads as u32],
                threads: TILE as u32,
                cooperative: false,
            },
        }
    },
    reference: (reference, reference),
};

#[derive(Default)]
struct Sizes {
    heads: usize,
    kv_heads: usize,
    seq: usize,
    width: usize,
    causal: bool,
}

impl Sizes {
    fn of(extents: &[usize]) -> Self {
        match *extents {
            [heads, kv_heads, seq, width, causal] => Self {
                heads,
                kv_heads,
                seq,
                width,
                causal: causal > 0,
            },
            _ => Self::default(),
        }
    }
}

/// 1 / √width, as the kernel is given it.
fn scale(width: usize) -> f32 {
    1.0 / (width as f32).sqrt()
}

fn reference<F: Real>(extents: &[usize], inputs: &[Vec<f32>]) -> Vec<Vec<F>> {
    let [q, k, v] = inputs else {
        return Vec::new();
    };
    let sizes = Sizes::of(extents);
    let width = sizes.width.max(1);
    let q: Vec<&[f32]> = q.chunks(width).collect();
    let k: Vec<&[f32]> = k.chunks(width).collect();
    let v: Vec<&[f32]> = v.chunks(width).collect();
    let part = |rows: &[&[f32]], at: usize, column: usize| {
        F::of(
            rows.get(at)
                .and_then(|row| row.get(column))
                .copied()
                .unwrap_or(0.0),
        )
    };
    let mut o = Vec::new();
    for query in 0..sizes.seq {
        for head in 0..sizes.heads {
            let group = head / (sizes.heads / sizes.kv_heads.max(1)).max(1);
            let seen = if sizes.causal { query + 1 } else { sizes.seq };
            let scores: Vec<F> = (0..seen)
                .map(|key| {
                    let (a, b) = (query * sizes.heads + head, key * sizes.kv_heads + group);
                    (0..width).fold(F::ZERO, |sum, column| {
                        sum + part(&q, a, column) * F::of(scale(width)) * part(&k, b, column)
                    })
                })
                .collect();
            let most = scores.iter().fold(F::LOWEST, |most, s| most.larger(*s));
            let powers: Vec<F> = scores.iter().map(|s| (*s - most).exp()).collect();
            let sum = powers.iter().fold(F::ZERO, |sum, power| sum + *power);
            for column in 0..width {
                let weighed = powers
                    .iter()
                    .enumerate()
                    .fold(F::ZERO, |all, (key, power)| {
                        all + *power * part(&v, key * sizes.kv_heads + group, column)
                    });
                o.push(weighed / sum);
            }
        }
    }
    vec![o]
}
