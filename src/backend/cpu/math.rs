//! Elementary functions of a register, and their loops over runs of elements.

use super::simd::Vector;

/// `e^x` to about 2 units in the last place; below −87.3 it is exactly 0 (so
/// −∞, a masked score, counts nothing) and above 88.4 it stays at `e^88.4`. A
/// NaN stays one.
///
/// Cephes' reduction: `x = n ln 2 + r`, `|r| <= ln 2 / 2`, with ln 2 in two
/// parts so that `r` is exact to fp32, then a polynomial of degree 6.
///
/// # Safety
/// The instruction set of `V` is present.
#[inline(always)]
pub(super) unsafe fn exp<V: Vector>(x: V) -> V {
    // SAFETY: register arithmetic only.
    unsafe {
        // In this order of operands a NaN passes through both.
        let lowest = V::splat(-87.336_54);
        let clamped = V::splat(88.376_26).min(lowest.max(x));
        let n = clamped.mul(V::splat(std::f32::consts::LOG2_E)).round();
        let r = n.mul_add(V::splat(-0.693_359_4), clamped);
        let r = n.mul_add(V::splat(2.121_944_4e-4), r);
        let mut p = V::splat(1.987_569_1e-4);
        for c in [
            1.398_199_9e-3,
            8.333_452e-3,
            4.166_579_6e-2,
            1.666_666_5e-1,
            0.5,
        ] {
            p = p.mul_add(r, V::splat(c));
        }
        let e = p.mul_add(r.mul(r), r).add(V::splat(1.0));
        // n is in −126 ..= 127: both ends of the clamp round there.
        let e = e.scale_by_power(n);
        V::splat(0.0).keep_from(V::splat(-87.336_55), x, e)
    }
}

/// `x / (1 + e^−x)`.
///
/// # Safety
/// The instruction set of `V` is present.
#[inline(always)]
pub(super) unsafe fn silu<V: Vector>(x: V) -> V {
    // SAFETY: register arithmetic only.
    unsafe {
        let e = exp::<V>(V::splat(0.0).sub(x));
        x.div(e.add(V::splat(1.0)))
    }
}

/// Reads `n <= LANES` elements.
///
/// # Safety
/// `p` is good for `n` elements.
#[inline(always)]
pub(super) unsafe fn get<V: Vector>(p: *const f32, n: usize) -> V {
    // SAFETY: the caller's word.
    unsafe {
        if n == V::LANES {
            V::load(p)
        } else {
            V::load_part(p, n)
        }
    }
}

/// Writes `n <= LANES` elements.
///
/// # Safety
/// `p` is good for `n` elements.
#[inline(always)]
pub(super) unsafe fn put<V: Vector>(x: V, p: *mut f32, n: usize) {
    // SAFETY: the caller's word.
    unsafe {
        if n == V::LANES {
            x.store(p);
        } else {
            x.store_part(p, n);
        }
    }
}
