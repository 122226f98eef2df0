//! Attention of one sequence and head. Query and key columns are positions.

use std::ops::Range;

use nalgebra::{DMatrix, DVector};

/// Where the heads of a token are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads {
    /// Query heads H.
    pub(super) query: usize,
    /// Key/value heads K.
    pub(super) key: usize,
    /// Head width d.
    pub(super) width: usize,
}

impl Heads {
    /// The rows of query head `h`.
    fn query_rows(self, h: usize) -> Range<usize> {
        h * self.width..(h + 1) * self.width
    }

    /// The rows of the key head that query head `h` reads: H/K neighbours
    /// share one.
    fn key_rows(self, h: usize) -> Range<usize> {
        let shared = h / (self.query / self.key);
        shared * self.width..(shared + 1) * self.width
    }
}

/// `sc = qr · krᵀ`: column = query, row = key, all pairs, not yet scaled.
pub(super) fn scores(
    qr: &DMatrix<f64>,
    kr: &DMatrix<f64>,
    heads: Heads,
    head: usize,
    sequence: &Range<usize>,
) -> DMatrix<f64> {
    let q = part(qr, heads.query_rows(head), sequence);
    let k = part(kr, heads.key_rows(head), sequence);
    k.transpose() * q
}

/// `softmax(sc / √d)` over the keys that a query may see: its own position and
/// those before. The others are exactly zero.
pub(super) fn softmax(sc: &DMatrix<f64>, head_width: usize) -> DMatrix<f64> {
    let scale = 1.0 / (head_width as f64).sqrt();
    let mut pr = DMatrix::zeros(sc.nrows(), sc.ncols());
    for (query, (scores, mut out)) in sc.column_iter().zip(pr.column_iter_mut()).enumerate() {
        let visible = scores.rows(0, query + 1) * scale;
        let exps = visible.add_scalar(-visible.max()).map(f64::exp);
        let sum = exps.sum();
        out.rows_mut(0, query + 1).copy_from(&(exps / sum));
    }
    pr
}

/// `att = pr · v` of one head: `d × positions`.
pub(super) fn weighted(
    pr: &DMatrix<f64>,
    v: &DMatrix<f64>,
    heads: Heads,
    head: usize,
    sequence: &Range<usize>,
) -> DMatrix<f64> {
    part(v, heads.key_rows(head), sequence) * pr
}

/// Puts one head's output where it belongs.
pub(super) fn place(
    att: &mut DMatrix<f64>,
    of_head: &DMatrix<f64>,
    heads: Heads,
    head: usize,
    sequence: &Range<usize>,
) {
    att.view_mut((head * heads.width, sequence.start), of_head.shape())
        .copy_from(of_head);
}

fn part(x: &DMatrix<f64>, rows: Range<usize>, columns: &Range<usize>) -> DMatrix<f64> {
    x.view((rows.start, columns.start), (rows.len(), columns.len()))
        .into_owned()
}

/// Scores of one token: `H·context` values, head by head; 0 where no key is.
/// `keys` has a column per visible key.
pub(super) fn scores_row(
    query: &DVector<f64>,
    keys: &DMatrix<f64>,
    heads: Heads,
    context: usize,
) -> DVector<f64> {
    let mut out = DVector::zeros(heads.query * context);
    for head in 0..heads.query {
        let q = query.rows_range(heads.query_rows(head));
        let k = keys.rows_range(heads.key_rows(head));
        out.rows_mut(head * context, keys.ncols())
            .copy_from(&k.tr_mul(&q));
    }
    out
}

/// Probabilities of one token that sees so many keys, head by head.
pub(super) fn softmax_row(
    scores: &DVector<f64>,
    heads: Heads,
    seen: usize,
    context: usize,
) -> DVector<f64> {
    let scale = 1.0 / (heads.width as f64).sqrt();
    let mut out = DVector::zeros(scores.len());
    for head in 0..heads.query {
        let visible = scores.rows(head * context, seen) * scale;
        let exps = visible.add_scalar(-visible.max()).map(f64::exp);
        let sum = exps.sum();
        out.rows_mut(head * context, seen).copy_from(&(exps / sum));
    }
    out
}

/// One token's weighted values: `D` of them. `values` has a column per visible
/// key.
pub(super) fn weighted_row(
    probabilities: &DVector<f64>,
    values: &DMatrix<f64>,
    heads: Heads,
    context: usize,
) -> DVector<f64> {
    let mut out = DVector::zeros(heads.query * heads.width);
    for head in 0..heads.query {
        let p = probabilities.rows(head * context, values.ncols());
        let v = values.rows_range(heads.key_rows(head));
        out.rows_range_mut(heads.query_rows(head))
            .copy_from(&(v * p));
    }
    out
}
