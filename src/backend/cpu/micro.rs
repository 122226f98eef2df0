//! The one matrix micro-kernel: `C (+)= A · B` for a tile of rows.
//!
//! `B` is read in panels two vectors wide whose rows lie `row` elements apart:
//! weights are packed that way once ([`super::panels`]), keys' queries are
//! packed per tile, and values are used where they lie. `A` is read one element at
//! a time and broadcast, so it needs no packing and may be stored by rows or
//! by columns. Every element of `C` is one chain of multiply-adds over `k` in
//! ascending order, whatever the tiling: the result of a row does not depend
//! on which rows it was computed with, nor on the number of threads.

use std::mem::MaybeUninit;

use super::simd::{Isa, Vector, dispatch};

/// Rows of `B` that are used before the next panel: 256 rows of 32 fp32
/// columns are 32 KiB, which stays in a first-level cache beside the tile.
const K_BLOCK: usize = 256;

/// An element type that `B` may be stored in.
pub(super) trait Element: Copy {
    /// Reads one register at `p`.
    ///
    /// # Safety
    /// As [`Vector::load`].
    unsafe fn load<V: Vector>(p: *const Self) -> V;
    /// Reads the first `n <= LANES` elements at `p`.
    ///
    /// # Safety
    /// As [`Vector::load_part`].
    unsafe fn load_part<V: Vector>(p: *const Self, n: usize) -> V;
    /// The block kernel for this type.
    ///
    /// # Safety
    /// As [`block`].
    unsafe fn block(isa: Isa, m: usize, n: usize, k: usize, a: Left, b: Right<Self>, c: Out);
}

impl Element for f32 {
    #[inline(always)]
    unsafe fn load<V: Vector>(p: *const Self) -> V {
        // SAFETY: the same contract.
        unsafe { V::load(p) }
    }
    #[inline(always)]
    unsafe fn load_part<V: Vector>(p: *const Self, n: usize) -> V {
        // SAFETY: the same contract.
        unsafe { V::load_part(p, n) }
    }
    unsafe fn block(isa: Isa, m: usize, n: usize, k: usize, a: Left, b: Right<Self>, c: Out) {
        // SAFETY: the same contract.
        unsafe { block_f32(isa, m, n, k, a, b, c) }
    }
}

/// bf16 as its bits.
impl Element for u16 {
    #[inline(always)]
    unsafe fn load<V: Vector>(p: *const Self) -> V {
        // SAFETY: the same contract.
        unsafe { V::load_bf16(p) }
    }
    #[inline(always)]
    unsafe fn load_part<V: Vector>(p: *const Self, n: usize) -> V {
        let mut whole = [0u16; 16];
        for (i, x) in whole.iter_mut().enumerate().take(n) {
            // SAFETY: the caller vouches for `n` readable elements.
            *x = unsafe { *p.add(i) };
        }
        // SAFETY: sixteen elements are at least one register.
        unsafe { V::load_bf16(whole.as_ptr()) }
    }
    unsafe fn block(isa: Isa, m: usize, n: usize, k: usize, a: Left, b: Right<Self>, c: Out) {
        // SAFETY: the same contract.
        unsafe { block_bf16(isa, m, n, k, a, b, c) }
    }
}

/// The left operand: element `(i, k)` lies at `at + i * row + k * column`.
#[derive(Clone, Copy)]
pub(super) struct Left {
    /// Element (0, 0).
    pub at: *const f32,
    /// Elements between rows.
    pub row: usize,
    /// Elements between columns.
    pub column: usize,
}

/// The right operand in panels: element `(k, j)` lies at
/// `at + (j / width) * panel + k * row + j % width`.
#[derive(Clone, Copy)]
pub(super) struct Right<E> {
    /// Element (0, 0).
    pub at: *const E,
    /// Elements between rows of one panel.
    pub row: usize,
    /// Elements between the beginnings of neighbouring panels.
    pub panel: usize,
}

/// The result, by rows.
#[derive(Clone, Copy)]
pub(super) struct Out {
    /// Element (0, 0).
    pub at: *mut f32,
    /// Elements between rows.
    pub row: usize,
    /// Add to what is there, or write over it.
    pub add: bool,
}

/// `ROWS × (2 · LANES)` of `C` in registers over `k` rows of one panel; fetches
/// what lies `ahead` elements further on, if anything.
///
/// # Safety
/// All operands cover the tile; `C` overlaps neither `A` nor `B`.
#[inline(always)]
unsafe fn full<V: Vector, E: Element, const ROWS: usize>(
    k: usize,
    a: Left,
    b: *const E,
    b_row: usize,
    ahead: usize,
    c: Out,
) {
    // SAFETY: the caller vouches for the extents; a prefetch may name any
    // address.
    unsafe {
        let mut sums = [[V::splat(0.0); 2]; ROWS];
        if c.add {
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = [
                    V::load(c.at.add(i * c.row)),
                    V::load(c.at.add(i * c.row + V::LANES)),
                ];
            }
        }
        let (mut a_at, mut b_at) = (a.at, b);
        for _ in 0..k {
            let b0: V = E::load(b_at);
            let b1: V = E::load(b_at.add(V::LANES));
            if ahead > 0 {
                V::prefetch(b_at.wrapping_add(ahead).cast());
                V::prefetch(b_at.wrapping_add(ahead + V::LANES).cast());
            }
            for (i, sum) in sums.iter_mut().enumerate() {
                let x = V::splat(*a_at.add(i * a.row));
                sum[0] = x.mul_add(b0, sum[0]);
                sum[1] = x.mul_add(b1, sum[1]);
            }
            a_at = a_at.wrapping_add(a.column);
            b_at = b_at.wrapping_add(b_row);
        }
        for (i, sum) in sums.iter().enumerate() {
            sum[0].store(c.at.add(i * c.row));
            sum[1].store(c.at.add(i * c.row + V::LANES));
        }
    }
}

/// `ROWS × columns` of `C`, at most one register wide.
///
/// # Safety
/// As [`full`], for `columns <= LANES` columns.
#[inline(always)]
unsafe fn narrow<V: Vector, E: Element, const ROWS: usize>(
    k: usize,
    columns: usize,
    a: Left,
    b: *const E,
    b_row: usize,
    c: Out,
) {
    // SAFETY: the caller vouches for the extents; no lane beyond `columns` is
    // touched.
    unsafe {
        let mut sums = [V::splat(0.0); ROWS];
        if c.add {
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = V::load_part(c.at.add(i * c.row), columns);
            }
        }
        let (mut a_at, mut b_at) = (a.at, b);
        for _ in 0..k {
            let b0: V = E::load_part(b_at, columns);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = V::splat(*a_at.add(i * a.row)).mul_add(b0, *sum);
            }
            a_at = a_at.wrapping_add(a.column);
            b_at = b_at.wrapping_add(b_row);
        }
        for (i, sum) in sums.iter().enumerate() {
            sum.store_part(c.at.add(i * c.row), columns);
        }
    }
}

/// One register tile of `rows <= V::ROWS` rows and `columns <= 2 · LANES`.
///
/// # Safety
/// As [`full`].
#[inline(always)]
unsafe fn tile<V: Vector, E: Element>(
    [rows, columns, k]: [usize; 3],
    a: Left,
    b: *const E,
    b_row: usize,
    ahead: usize,
    c: Out,
) {
    // SAFETY: the caller's word; the narrow halves split the columns.
    unsafe {
        macro_rules! by_rows {
            ($($n:literal)*) => {
                match rows {
                    $($n if $n <= V::ROWS => {
                        if columns == 2 * V::LANES {
                            full::<V, E, $n>(k, a, b, b_row, ahead, c);
                        } else {
                            let first = columns.min(V::LANES);
                            narrow::<V, E, $n>(k, first, a, b, b_row, c);
                            if columns > first {
                                let c = Out { at: c.at.add(first), ..c };
                                narrow::<V, E, $n>(k, columns - first, a, b.add(first), b_row, c);
                            }
                        }
                    })*
                    _ => {}
                }
            };
        }
        by_rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
    }
}

/// A few rows and a block of `k`, over all panels.
///
/// # Safety
/// All operands cover the extents; `C` overlaps neither `A` nor `B`.
#[inline(always)]
unsafe fn block<V: Vector, E: Element>(m: usize, n: usize, k: usize, a: Left, b: Right<E>, c: Out) {
    let width = 2 * V::LANES;
    // Rows are dealt evenly: 64 rows are 13 13 13 13 12, not 14 14 14 14 8.
    let tiles = m.div_ceil(V::ROWS);
    let (rows, longer) = (m / tiles, m % tiles);
    for (panel, j) in (0..n).step_by(width).enumerate() {
        let columns = width.min(n - j);
        let mut i = 0;
        for t in 0..tiles {
            let rows = rows + usize::from(t < longer);
            // SAFETY: i < m and j < n: inside the operands.
            unsafe {
                let a = Left {
                    at: a.at.add(i * a.row),
                    ..a
                };
                let c = Out {
                    at: c.at.add(i * c.row + j),
                    ..c
                };
                let b_at = b.at.add(panel * b.panel);
                // The last rows of a panel fetch the next one, so that its
                // first rows need not wait for it.
                let ahead = if t + 1 == tiles && t > 0 { b.panel } else { 0 };
                tile::<V, E>([rows, columns, k], a, b_at, b.row, ahead, c);
            }
            i += rows;
        }
    }
}

dispatch! {
    /// [`block`] with `B` in fp32.
    ///
    /// # Safety
    /// As [`block`].
    block_f32 = block::<f32>(m: usize, n: usize, k: usize, a: Left, b: Right<f32>, c: Out)
}

dispatch! {
    /// [`block`] with `B` in bf16.
    ///
    /// # Safety
    /// As [`block`].
    block_bf16 = block::<u16>(m: usize, n: usize, k: usize, a: Left, b: Right<u16>, c: Out)
}

/// Rows of `A` that are multiplied, and copied, together.
const ROWS_BLOCK: usize = 64;
/// Elements between copied rows: not a power of two, so that the rows that one
/// register tile reads do not fall into the same set of the cache.
const COPY_ROW: usize = K_BLOCK + 16;

/// `C[m × n] (+)= A[m × k] · B[k × n]`, for `B` in fp32 or in bf16, which is
/// widened on load.
///
/// # Safety
/// All operands cover the extents; `C` overlaps neither `A` nor `B`; `isa` is
/// this machine's.
pub(super) unsafe fn matmul<E: Element>(
    isa: Isa,
    [m, n, k]: [usize; 3],
    a: Left,
    b: Right<E>,
    c: Out,
) {
    // A copy is worth its while where rows are far apart and it is used often.
    // SAFETY: the same contract.
    unsafe {
        if a.column == 1 && a.row >= 2 * K_BLOCK && n >= 4 * isa.panel_width() {
            copying(isa, [m, n, k], a, b, c);
        } else {
            blocks(isa, [m, n, k], a, b, c, None);
        }
    }
}

/// Apart from [`matmul`], so that only products that need the room pay for it.
///
/// # Safety
/// As [`matmul`].
#[inline(never)]
unsafe fn copying<E: Element>(isa: Isa, extents: [usize; 3], a: Left, b: Right<E>, c: Out) {
    let mut room = [MaybeUninit::uninit(); ROWS_BLOCK * COPY_ROW];
    // SAFETY: the same contract.
    unsafe { blocks(isa, extents, a, b, c, Some(&mut room)) }
}

/// The blocks of a product, with room to copy blocks of `A` to.
///
/// # Safety
/// As [`matmul`].
#[inline(never)]
unsafe fn blocks<E: Element>(
    isa: Isa,
    [m, n, k]: [usize; 3],
    a: Left,
    b: Right<E>,
    c: Out,
    mut room: Option<&mut [MaybeUninit<f32>; ROWS_BLOCK * COPY_ROW]>,
) {
    for i in (0..m).step_by(ROWS_BLOCK) {
        let rows = ROWS_BLOCK.min(m - i);
        for k0 in (0..k.max(1)).step_by(K_BLOCK) {
            let depth = K_BLOCK.min(k - k0);
            // SAFETY: rows i.. and columns k0.. are inside the operands; a
            // block fits into the room.
            unsafe {
                let mut left = Left {
                    at: a.at.add(i * a.row + k0 * a.column),
                    ..a
                };
                if let Some(room) = room.as_deref_mut() {
                    let to = room.as_mut_ptr().cast::<f32>();
                    for r in 0..rows {
                        let from = left.at.add(r * a.row);
                        from.copy_to_nonoverlapping(to.add(r * COPY_ROW), depth);
                    }
                    left = Left {
                        at: to,
                        row: COPY_ROW,
                        column: 1,
                    };
                }
                let right = Right {
                    at: b.at.add(k0 * b.row),
                    ..b
                };
                let out = Out {
                    at: c.at.add(i * c.row),
                    add: c.add || k0 > 0,
                    ..c
                };
                E::block(isa, rows, n, depth, left, right, out);
            }
        }
    }
}
