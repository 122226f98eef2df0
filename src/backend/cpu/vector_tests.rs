//! Every vector loop, on every instruction set of this machine, against the
//! formula in fp64.

use super::math;
use super::micro::{Left, Out, Right, matmul};
use super::panels::Panels;
use super::rows::{self, Source, Target};
use super::simd::{Isa, Vector, bf16_bits, dispatch};
use super::softmax::{Running, Scores, divide_columns, scale_rows, softmax_block};
use plan::model::Dtype;
use proptest::prelude::*;

/// Numbers in −1 .. 1 that differ from place to place.
fn numbers(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..n)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        })
        .collect()
}

fn bf16(x: f32) -> f32 {
    f32::from_bits(u32::from(bf16_bits(x)) << 16)
}

/// A sum of `k` products of numbers below one in size: each of `k` roundings
/// errs by 2⁻²⁴ of a partial sum, and partial sums of random signs stay near
/// √k / 3, so errors add up to less than `k · 2⁻²⁴` but for a few deviations.
fn close(got: f32, want: f64, k: usize) -> bool {
    (f64::from(got) - want).abs() <= (k + 4) as f64 * 5.0 / f64::from(1 << 24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// C = A · Wᵀ for ragged extents, rows of `A` near or far apart, both
    /// element types.
    #[test]
    fn packed_products_agree(
        m in 1usize..90, n in 1usize..140, k in prop_oneof![1usize..70, 250usize..600],
        far in any::<bool>(), half in any::<bool>(), seed in any::<u64>(),
    ) {
        let row = if far { k + 700 } else { k };
        let a = numbers(m * row, seed);
        let w = numbers(n * k, seed ^ 1);
        let dtype = if half { Dtype::Bf16 } else { Dtype::Fp32 };
        for isa in Isa::available() {
            let panels = Panels::pack(isa, dtype, &w, n, k).unwrap();
            let mut c = vec![f32::NAN; m * n];
            let left = Left { at: a.as_ptr(), row, column: 1 };
            let out = Out { at: c.as_mut_ptr(), row: n, add: false };
            // Panel ranges in two parts, as threads that share a tile do it.
            let middle = panels.count() / 2;
            // SAFETY: the vectors cover the extents.
            unsafe {
                panels.product(m, left, out, 0..middle);
                panels.product(m, left, out, middle..panels.count());
            }
            for i in 0..m {
                for j in 0..n {
                    let want: f64 = (0..k)
                        .map(|x| {
                            let w = w[j * k + x];
                            let w = if half { bf16(w) } else { w };
                            f64::from(a[i * row + x]) * f64::from(w)
                        })
                        .sum();
                    prop_assert!(close(c[i * n + j], want, k), "{isa:?} ({i}, {j}): {} {want}", c[i * n + j]);
                }
            }
            let mut embedding = vec![0.0; k];
            panels.output_row(n - 1, &mut embedding);
            let kept = |x: &f32| if half { bf16(*x) } else { *x };
            let last: Vec<f32> = w[(n - 1) * k..].iter().map(kept).collect();
            prop_assert_eq!(embedding, last);
        }
    }

    /// C += Aᵀ · B with B where it lies: what weighs values by probabilities.
    #[test]
    fn products_with_a_turned_left_side_and_rows_in_place_agree(
        m in 1usize..70, n in 1usize..70, k in 1usize..300,
        (wider, half, add) in (0usize..9, any::<bool>(), any::<bool>()), seed in any::<u64>(),
    ) {
        let a = numbers(k * m, seed);
        let b_row = n + wider;
        // The last row ends where the matrix ends: nothing beyond is read.
        let b = numbers((k - 1) * b_row + n, seed ^ 1);
        let bits: Vec<u16> = b.iter().map(|x| bf16_bits(*x)).collect();
        for isa in Isa::available() {
            let mut c = numbers(m * n, seed ^ 2);
            let before = c.clone();
            let left = Left { at: a.as_ptr(), row: 1, column: m };
            let out = Out { at: c.as_mut_ptr(), row: n, add };
            let panel = isa.panel_width();
            // SAFETY: the vectors cover the extents.
            unsafe {
                if half {
                    matmul(isa, [m, n, k], left, Right { at: bits.as_ptr(), row: b_row, panel }, out);
                } else {
                    matmul(isa, [m, n, k], left, Right { at: b.as_ptr(), row: b_row, panel }, out);
                }
            }
            for i in 0..m {
                for j in 0..n {
                    let sum: f64 = (0..k)
                        .map(|x| {
                            let b = b[x * b_row + j];
                            f64::from(a[x * m + i]) * f64::from(if half { bf16(b) } else { b })
                        })
                        .sum();
                    let want = sum + if add { f64::from(before[i * n + j]) } else { 0.0 };
                    prop_assert!(close(c[i * n + j], want, k), "{isa:?} ({i}, {j}): {} {want}", c[i * n + j]);
                }
            }
        }
    }

    /// Rounding to bf16 is to nearest, ties to even, for every bit pattern.
    #[test]
    fn narrowing_rounds_to_nearest_even(bits in any::<[u32; 21]>()) {
        let x = bits.map(f32::from_bits);
        for isa in Isa::available() {
            let mut narrow = [0u16; 21];
            let mut wide = [0f32; 21];
            let from = Source { at: x.as_ptr(), row: 21 };
            let to = Target { at: wide.as_mut_ptr(), row: 21 };
            // SAFETY: one row of 21 elements each.
            unsafe {
                rows::narrow(isa, 1, 21, from, narrow.as_mut_ptr(), 21);
                rows::widen(isa, 1, 21, narrow.as_ptr(), 21, to);
            }
            for (x, got) in x.iter().zip(wide) {
                let want = half::bf16::from_f32(*x).to_f32();
                prop_assert!(got == want || got.is_nan() && want.is_nan(), "{isa:?} {x:e}: {got:e} {want:e}");
            }
        }
    }

    /// Softmax over columns in blocks of keys, masked: each column sums to one,
    /// agrees with fp64, and what lies in the future is exactly zero.
    #[test]
    fn a_running_softmax_is_the_softmax(
        (heads, tile, past) in (1usize..4, 1usize..30, 0usize..40), block in 1usize..50, seed in any::<u64>(),
    ) {
        let (keys, columns) = (past + tile, heads * tile);
        let scores: Vec<f32> = numbers(keys * columns, seed).iter().map(|x| x * 60.0).collect();
        let place: Vec<f32> = (0..columns).map(|c| (c % tile) as f32).collect();
        for isa in Isa::available() {
            let mut to = vec![f32::NAN; keys * columns];
            let (mut max, mut sum) = (vec![f32::NEG_INFINITY; columns], vec![0.0f32; columns]);
            let mut shrink = vec![0.0f32; columns];
            for first in (0..keys).step_by(block) {
                let n = block.min(keys - first);
                // SAFETY: all vectors are as long as said.
                unsafe {
                    let at = first * columns;
                    softmax_block(isa, Scores {
                        from: scores.as_ptr().add(at),
                        to: to.as_mut_ptr().add(at),
                        keys: n,
                        columns,
                        first_key: first as isize - past as isize,
                        place: place.as_ptr(),
                        scale: 0.5,
                    }, Running {
                        max: max.as_mut_ptr(),
                        sum: sum.as_mut_ptr(),
                        shrink: shrink.as_mut_ptr(),
                    });
                    // What was made before this block shrinks with it.
                    for column in 0..columns {
                        for key in 0..first {
                            to[key * columns + column] *= shrink[column];
                        }
                    }
                }
            }
            // SAFETY: as above.
            unsafe { divide_columns(isa, keys, columns, to.as_mut_ptr(), sum.as_ptr()) };
            for column in 0..columns {
                let seen = past + column % tile + 1;
                let at = |key: usize| f64::from(scores[key * columns + column]) * 0.5;
                let top = (0..seen).map(at).fold(f64::NEG_INFINITY, f64::max);
                let all: f64 = (0..seen).map(|key| (at(key) - top).exp()).sum();
                for key in 0..keys {
                    let got = to[key * columns + column];
                    if key >= seen {
                        prop_assert_eq!(got, 0.0);
                    } else {
                        let want = (at(key) - top).exp() / all;
                        prop_assert!((f64::from(got) - want).abs() <= 3e-6 * want + 1e-30, "{isa:?}: {got} {want}");
                    }
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn exp_all<V: Vector>(x: *const f32, out: *mut f32, n: usize) {
    for j in (0..n).step_by(V::LANES) {
        let lanes = V::LANES.min(n - j);
        // SAFETY: j + lanes <= n.
        unsafe {
            math::put(
                math::exp::<V>(math::get(x.add(j), lanes)),
                out.add(j),
                lanes,
            )
        }
    }
}

dispatch! {
    exp_of = exp_all(x: *const f32, out: *mut f32, n: usize)
}

#[test]
fn exp_is_exact_to_a_few_units_and_zero_below_the_smallest_normal() {
    let x: Vec<f32> = (0..40_001)
        .map(|i| (i as f32 - 20_000.0) * 0.0043)
        .collect();
    for isa in Isa::available() {
        let mut out = vec![f32::NAN; x.len()];
        // SAFETY: both are as long as said.
        unsafe { exp_of(isa, x.as_ptr(), out.as_mut_ptr(), x.len()) };
        for (x, got) in x.iter().zip(&out) {
            let want = f64::from(*x).exp();
            let error = (f64::from(*got) - want).abs() / want;
            // Two units in the last place of 24 bits.
            assert!(error < 2.4e-7, "{isa:?} exp({x}) = {got}, off by {error:e}");
        }
        let far = [f32::NEG_INFINITY, -1e30, -88.0, -0.0, 0.0, 1e30, f32::NAN];
        let mut out = [0.5; 7];
        // SAFETY: as above.
        unsafe { exp_of(isa, far.as_ptr(), out.as_mut_ptr(), 7) };
        assert_eq!(out[..5], [0.0, 0.0, 0.0, 1.0, 1.0]);
        assert!(out[5] > 2e38 && out[5].is_finite());
        assert!(out[6].is_nan());
    }
}

#[test]
fn norm_rope_silu_and_the_rest_agree_row_by_row() {
    for (n, half) in [(6, 3), (64, 16), (70, 35), (200, 10)] {
        let rows_n = 3;
        let (x, y) = (numbers(rows_n * n, 5), numbers(rows_n * n, 6));
        let gamma = numbers(n, 7);
        let (sx, sy) = (
            Source {
                at: x.as_ptr(),
                row: n,
            },
            Source {
                at: y.as_ptr(),
                row: n,
            },
        );
        let angles: Vec<f64> = (0..rows_n * half).map(|a| a as f64 * 0.7).collect();
        let cos: Vec<f32> = angles.iter().map(|a| a.cos() as f32).collect();
        let sin: Vec<f32> = angles.iter().map(|a| a.sin() as f32).collect();
        for isa in Isa::available() {
            let run = |f: &dyn Fn(Target)| {
                let mut out = vec![f32::NAN; rows_n * n];
                f(Target {
                    at: out.as_mut_ptr(),
                    row: n,
                });
                out
            };
            let check = |what: &str, got: Vec<f32>, want: &dyn Fn(usize, usize) -> f64| {
                for i in 0..rows_n {
                    for j in 0..n {
                        let (got, want) = (f64::from(got[i * n + j]), want(i, j));
                        assert!(
                            (got - want).abs() < 2e-6,
                            "{isa:?} {what} {n}: {got} {want}"
                        );
                    }
                }
            };
            let at = |i: usize, j: usize| f64::from(x[i * n + j]);
            let other = |i: usize, j: usize| f64::from(y[i * n + j]);
            // SAFETY: all matrices are rows_n × n.
            let sum = run(&|t| unsafe { rows::add(isa, rows_n, n, sx, sy, t) });
            check("add", sum, &|i, j| at(i, j) + other(i, j));
            // SAFETY: as above.
            let product = run(&|t| unsafe { rows::mul(isa, rows_n, n, sx, sy, t) });
            check("mul", product, &|i, j| at(i, j) * other(i, j));
            // SAFETY: as above.
            let silu = run(&|t| unsafe { rows::silu_of(isa, rows_n, n, sx, t) });
            check("silu", silu, &|i, j| at(i, j) / (1.0 + (-at(i, j)).exp()));
            let eps = 1e-5;
            // SAFETY: as above; gamma has n elements.
            let norm =
                run(&|t| unsafe { rows::rms_norm(isa, rows_n, n, sx, gamma.as_ptr(), eps, t) });
            check("norm", norm, &|i, j| {
                let mean = (0..n).map(|j| at(i, j).powi(2)).sum::<f64>() / n as f64;
                at(i, j) / (mean + f64::from(eps)).sqrt() * f64::from(gamma[j])
            });
            let heads = n / (2 * half);
            let turned = run(&|t| {
                // SAFETY: as above; the tables are rows_n × half; what lies
                // behind the last head is not touched.
                unsafe {
                    rows::add(isa, rows_n, n, sx, sx, t);
                    rows::rope(isa, rows_n, heads, half, sx, cos.as_ptr(), sin.as_ptr(), t);
                }
            });
            check("rope", turned, &|i, j| {
                let (head, k) = (j / (2 * half), j % (2 * half));
                if head >= heads {
                    return 2.0 * at(i, j);
                }
                // rotate_half: (a, b) -> (a cos - b sin, b cos + a sin).
                let angle = angles[i * half + k % half];
                let base = head * 2 * half + k % half;
                let (a, b) = (at(i, base), at(i, base + half));
                if k < half {
                    a * angle.cos() - b * angle.sin()
                } else {
                    b * angle.cos() + a * angle.sin()
                }
            });
            let by = [2.0, 4.0, 0.5];
            let scaled = run(&|t| {
                // SAFETY: as above; one factor per row.
                unsafe {
                    rows::add(isa, rows_n, n, sx, sx, t);
                    scale_rows(isa, rows_n, n, t.at, n, by.as_ptr(), true);
                }
            });
            check("scale", scaled, &|i, j| 2.0 * at(i, j) / f64::from(by[i]));
        }
    }
}
