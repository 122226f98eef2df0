//! The ops that treat every row on its own: norm, rotation, residual, SiLU,
//! product, and the change between fp32 and bf16.
//!
//! A destination may be the very place of a source (in place); otherwise they
//! do not overlap.

use super::math::{get, put, silu};
use super::simd::{Vector, bf16_bits, dispatch};

/// A matrix to read, by rows.
#[derive(Clone, Copy)]
pub(super) struct Source {
    /// Element (0, 0).
    pub at: *const f32,
    /// Elements between rows.
    pub row: usize,
}

/// A matrix to write, by rows.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// Element (0, 0).
    pub at: *mut f32,
    /// Elements between rows.
    pub row: usize,
}

/// `out = x / sqrt(mean(x²) + eps) · gamma`, row by row.
#[inline(always)]
unsafe fn rms_norm_rows<V: Vector>(
    rows: usize,
    n: usize,
    x: Source,
    gamma: *const f32,
    eps: f32,
    out: Target,
) {
    for i in 0..rows {
        // SAFETY: the caller vouches for rows × n elements on both sides.
        unsafe {
            let (x, out) = (x.at.add(i * x.row), out.at.add(i * out.row));
            // Four chains hide the latency of the multiply-add.
            let mut squares = [V::splat(0.0); 4];
            let mut j = 0;
            while j + 4 * V::LANES <= n {
                for (c, s) in squares.iter_mut().enumerate() {
                    let v = V::load(x.add(j + c * V::LANES));
                    *s = v.mul_add(v, *s);
                }
                j += 4 * V::LANES;
            }
            while j < n {
                let v: V = get(x.add(j), V::LANES.min(n - j));
                squares[0] = v.mul_add(v, squares[0]);
                j += V::LANES;
            }
            let [a, b, c, d] = squares;
            let mean = a.add(b).add(c.add(d)).sum() / n as f32;
            let scale = V::splat(1.0 / (mean + eps).sqrt());
            for j in (0..n).step_by(V::LANES) {
                let lanes = V::LANES.min(n - j);
                let v: V = get(x.add(j), lanes);
                let g: V = get(gamma.add(j), lanes);
                put(v.mul(scale).mul(g), out.add(j), lanes);
            }
        }
    }
}

dispatch! {
    /// RMSNorm of `rows` rows of `n` elements.
    ///
    /// # Safety
    /// `x`, `out` cover rows × n elements, `gamma` n.
    rms_norm = rms_norm_rows(rows: usize, n: usize, x: Source, gamma: *const f32, eps: f32, out: Target)
}

#[inline(always)]
unsafe fn add_rows<V: Vector>(rows: usize, n: usize, a: Source, b: Source, out: Target) {
    // SAFETY: the caller's word.
    unsafe { zip::<V>(rows, n, a, b, out, |x, y| x.add(y)) }
}

#[inline(always)]
unsafe fn mul_rows<V: Vector>(rows: usize, n: usize, a: Source, b: Source, out: Target) {
    // SAFETY: the caller's word.
    unsafe { zip::<V>(rows, n, a, b, out, |x, y| x.mul(y)) }
}

#[inline(always)]
unsafe fn silu_rows<V: Vector>(rows: usize, n: usize, x: Source, out: Target) {
    // SAFETY: the caller's word.
    unsafe { zip::<V>(rows, n, x, x, out, |x, _| silu::<V>(x)) }
}

#[inline(always)]
unsafe fn zip<V: Vector>(
    rows: usize,
    n: usize,
    a: Source,
    b: Source,
    out: Target,
    f: impl Fn(V, V) -> V,
) {
    for i in 0..rows {
        for j in (0..n).step_by(V::LANES) {
            let lanes = V::LANES.min(n - j);
            // SAFETY: i < rows and j + lanes <= n: inside all three.
            unsafe {
                let x = get(a.at.add(i * a.row + j), lanes);
                let y = get(b.at.add(i * b.row + j), lanes);
                put(f(x, y), out.at.add(i * out.row + j), lanes);
            }
        }
    }
}

dispatch! {
    /// `out = a + b`.
    ///
    /// # Safety
    /// All cover rows × n elements.
    add = add_rows(rows: usize, n: usize, a: Source, b: Source, out: Target)
}

dispatch! {
    /// `out = a · b`, element by element.
    ///
    /// # Safety
    /// All cover rows × n elements.
    mul = mul_rows(rows: usize, n: usize, a: Source, b: Source, out: Target)
}

dispatch! {
    /// `out = x / (1 + e^−x)`.
    ///
    /// # Safety
    /// Both cover rows × n elements.
    silu_of = silu_rows(rows: usize, n: usize, x: Source, out: Target)
}

/// Rotates the two halves of every head against each other:
/// `(a, b) -> (a cos − b sin, b cos + a sin)`, `a` and `b` half a head apart.
#[inline(always)]
unsafe fn rope_rows<V: Vector>(
    rows: usize,
    heads: usize,
    half: usize,
    x: Source,
    cos: *const f32,
    sin: *const f32,
    out: Target,
) {
    for i in 0..rows {
        for head in 0..heads {
            for j in (0..half).step_by(V::LANES) {
                let lanes = V::LANES.min(half - j);
                // SAFETY: head · 2 half + half + j + lanes stays in the row;
                // the tables hold rows × half angles.
                unsafe {
                    let at = head * 2 * half + j;
                    let (x, out) = (x.at.add(i * x.row + at), out.at.add(i * out.row + at));
                    let c: V = get(cos.add(i * half + j), lanes);
                    let s: V = get(sin.add(i * half + j), lanes);
                    let a: V = get(x, lanes);
                    let b: V = get(x.add(half), lanes);
                    put(a.mul(c).sub(b.mul(s)), out, lanes);
                    put(b.mul(c).add(a.mul(s)), out.add(half), lanes);
                }
            }
        }
    }
}

dispatch! {
    /// The rotary embedding as Hugging Face's Llama applies it, for rows whose
    /// angles are the rows of `cos` and `sin` (rows × half each).
    ///
    /// # Safety
    /// `x` and `out` cover rows × (heads · 2 · half) elements, the tables
    /// rows × half.
    rope = rope_rows(rows: usize, heads: usize, half: usize, x: Source, cos: *const f32, sin: *const f32, out: Target)
}

#[inline(always)]
unsafe fn widen_rows<V: Vector>(rows: usize, n: usize, x: *const u16, x_row: usize, out: Target) {
    for i in 0..rows {
        // SAFETY: the caller vouches for rows × n elements on both sides.
        unsafe {
            let (x, out) = (x.add(i * x_row), out.at.add(i * out.row));
            let mut j = 0;
            while j + V::LANES <= n {
                V::load_bf16(x.add(j)).store(out.add(j));
                j += V::LANES;
            }
            while j < n {
                *out.add(j) = f32::from_bits(u32::from(*x.add(j)) << 16);
                j += 1;
            }
        }
    }
}

dispatch! {
    /// bf16 to fp32.
    ///
    /// # Safety
    /// Both cover rows × n elements.
    widen = widen_rows(rows: usize, n: usize, x: *const u16, x_row: usize, out: Target)
}

#[inline(always)]
unsafe fn narrow_rows<V: Vector>(rows: usize, n: usize, x: Source, out: *mut u16, out_row: usize) {
    for i in 0..rows {
        // SAFETY: the caller vouches for rows × n elements on both sides.
        unsafe {
            let (x, out) = (x.at.add(i * x.row), out.add(i * out_row));
            let mut j = 0;
            while j + V::LANES <= n {
                V::load(x.add(j)).store_bf16(out.add(j));
                j += V::LANES;
            }
            while j < n {
                *out.add(j) = bf16_bits(*x.add(j));
                j += 1;
            }
        }
    }
}

dispatch! {
    /// fp32 to bf16, nearest, ties to even.
    ///
    /// # Safety
    /// Both cover rows × n elements.
    narrow = narrow_rows(rows: usize, n: usize, x: Source, out: *mut u16, out_row: usize)
}
