//! Softmax down the columns of a tile of scores.
//!
//! A tile holds keys as rows and queries as columns, so every register works
//! on as many queries as it has lanes and nothing is ever summed across lanes.
//! The causal mask is an index test on the column's position: all pairs are
//! computed, in every version, as the cost model counts them.

use super::math::{exp, get, put};
use super::simd::{Vector, dispatch};

/// Some rows (keys) of a tile of scores.
#[derive(Clone, Copy)]
pub(super) struct Scores {
    /// First key's row; element (key, column) lies `key * columns + column` on.
    pub from: *const f32,
    /// Where the exponentials go; may be `from`.
    pub to: *mut f32,
    /// Keys in this block.
    pub keys: usize,
    /// Queries.
    pub columns: usize,
    /// The first key's position less the position of the tile's first query:
    /// a column at `place` sees a key when `place >= first_key + key`.
    pub first_key: isize,
    /// Each column's place in the tile, `columns` elements.
    pub place: *const f32,
    /// What scores are multiplied by: `1 / sqrt(head width)`.
    pub scale: f32,
}

/// The running state of each column, `columns` elements each.
#[derive(Clone, Copy)]
pub(super) struct Running {
    /// Largest scaled score so far; −∞ before the first block.
    pub max: *mut f32,
    /// Sum of exponentials relative to `max`.
    pub sum: *mut f32,
    /// By how much this block shrinks what was summed before it.
    pub shrink: *mut f32,
}

/// Score of one register of columns at one key, scaled and masked.
#[inline(always)]
unsafe fn score<V: Vector>(s: &Scores, key: usize, j: usize, lanes: usize, place: V) -> V {
    // SAFETY: key < keys and j + lanes <= columns.
    unsafe {
        let x: V = get(s.from.add(key * s.columns + j), lanes);
        let x = x.mul(V::splat(s.scale));
        let limit = s.first_key + key as isize;
        if limit <= 0 {
            x
        } else {
            x.keep_from(place, V::splat(limit as f32), V::splat(f32::NEG_INFINITY))
        }
    }
}

#[inline(always)]
unsafe fn block<V: Vector>(s: Scores, r: Running) {
    for j in (0..s.columns).step_by(2 * V::LANES) {
        // SAFETY: j < columns; a second register may be empty (0 lanes) and
        // is then neither read nor written.
        unsafe {
            let lanes = [
                V::LANES.min(s.columns - j),
                V::LANES.min((s.columns - j).saturating_sub(V::LANES)),
            ];
            if lanes[1] == V::LANES {
                run::<V, 2>(&s, r, j, lanes);
            } else {
                run::<V, 1>(&s, r, j, lanes);
                if lanes[1] > 0 {
                    run::<V, 1>(&s, r, j + V::LANES, [lanes[1], 0]);
                }
            }
        }
    }
}

/// Maximum, then exponentials and their sum, of `N` registers of columns.
#[inline(always)]
unsafe fn run<V: Vector, const N: usize>(s: &Scores, r: Running, j: usize, lanes: [usize; 2]) {
    // SAFETY: register c covers lanes[c] columns from j + c · LANES on, all
    // inside the tile and the running state.
    unsafe {
        let mut place = [V::splat(0.0); N];
        let mut old = [V::splat(0.0); N];
        for c in 0..N {
            place[c] = get(s.place.add(j + c * V::LANES), lanes[c]);
            old[c] = get(r.max.add(j + c * V::LANES), lanes[c]);
        }
        let mut max = old;
        for key in 0..s.keys {
            for c in 0..N {
                max[c] = score(s, key, j + c * V::LANES, lanes[c], place[c]).max(max[c]);
            }
        }
        let mut sum = [V::splat(0.0); N];
        for key in 0..s.keys {
            for c in 0..N {
                let x = score(s, key, j + c * V::LANES, lanes[c], place[c]);
                let e = exp::<V>(x.sub(max[c]));
                sum[c] = sum[c].add(e);
                put(e, s.to.add(key * s.columns + j + c * V::LANES), lanes[c]);
            }
        }
        for c in 0..N {
            let at = j + c * V::LANES;
            // The first block meets −∞ − max, which `exp` makes 0.
            let shrink = exp::<V>(old[c].sub(max[c]));
            let before: V = get(r.sum.add(at), lanes[c]);
            put(before.mul_add(shrink, sum[c]), r.sum.add(at), lanes[c]);
            put(shrink, r.shrink.add(at), lanes[c]);
            put(max[c], r.max.add(at), lanes[c]);
        }
    }
}

dispatch! {
    /// Takes one block of keys into the running softmax: `to` becomes
    /// `exp(score − max)`, and the state is brought up to date.
    ///
    /// # Safety
    /// All pointers cover what [`Scores`] and [`Running`] say; the first block
    /// of a tile holds a key that every column sees.
    softmax_block = block(s: Scores, r: Running)
}

#[inline(always)]
unsafe fn divide<V: Vector>(keys: usize, columns: usize, tile: *mut f32, sum: *const f32) {
    for j in (0..columns).step_by(V::LANES) {
        let lanes = V::LANES.min(columns - j);
        // SAFETY: key < keys and j + lanes <= columns.
        unsafe {
            let one_over = V::splat(1.0).div(get(sum.add(j), lanes));
            for key in 0..keys {
                let p = tile.add(key * columns + j);
                let x: V = get(p, lanes);
                put(x.mul(one_over), p, lanes);
            }
        }
    }
}

dispatch! {
    /// Divides every column by its sum.
    ///
    /// # Safety
    /// `tile` covers keys × columns elements, `sum` columns.
    divide_columns = divide(keys: usize, columns: usize, tile: *mut f32, sum: *const f32)
}

#[inline(always)]
unsafe fn scale_each<V: Vector>(
    rows: usize,
    n: usize,
    out: *mut f32,
    row: usize,
    by: *const f32,
    invert: bool,
) {
    for i in 0..rows {
        // SAFETY: i < rows; j + lanes <= n.
        unsafe {
            let factor = V::splat(if invert { 1.0 / *by.add(i) } else { *by.add(i) });
            for j in (0..n).step_by(V::LANES) {
                let lanes = V::LANES.min(n - j);
                let p = out.add(i * row + j);
                let x: V = get(p, lanes);
                put(x.mul(factor), p, lanes);
            }
        }
    }
}

dispatch! {
    /// Multiplies row `i` by `by[i]`, or by its inverse.
    ///
    /// # Safety
    /// `out` covers rows × n elements, `by` rows.
    scale_rows = scale_each(rows: usize, n: usize, out: *mut f32, row: usize, by: *const f32, invert: bool)
}
