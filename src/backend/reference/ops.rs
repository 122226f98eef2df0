//! The ops that work on each token by itself. A token is a column.

use nalgebra::{DMatrix, DVector};

use super::{ReferenceError, side_by_side, threads};
use crate::weights::Weights;
use plan::model::{WeightId, WeightKind};

/// Rows of a weight that are widened to fp64 at a time, by one thread.
const ROWS: usize = 2048;

/// `Y = W·X`. Rows of W are shared out among threads: each element of Y is one
/// thread's.
pub(super) fn product(
    weights: &Weights,
    id: WeightId,
    x: &DMatrix<f64>,
) -> Result<DMatrix<f64>, ReferenceError> {
    let width = x.nrows();
    let values = weights.tensor(id)?;
    let rows = values.len() / width;
    let threads = threads(values.len().saturating_mul(x.ncols()));
    let each = rows.div_ceil(threads).clamp(1, ROWS);
    let parts: Vec<&[f32]> = values.chunks(each * width).collect();
    let made = side_by_side(&parts, threads, |values| {
        let rows = values.len() / width;
        DMatrix::from_row_iterator(rows, width, values.iter().map(|v| f64::from(*v))) * x
    });
    let mut y = DMatrix::zeros(rows, x.ncols());
    for (i, made) in made.iter().enumerate() {
        y.rows_mut(i * each, made.nrows()).copy_from(made);
    }
    Ok(y)
}

/// The weight of a norm, one number per row of its input.
pub(super) fn gamma(weights: &Weights, id: WeightId) -> Result<DVector<f64>, ReferenceError> {
    let values = weights.tensor(id)?;
    Ok(DVector::from_iterator(
        values.len(),
        values.iter().map(|v| f64::from(*v)),
    ))
}

/// One row of the embedding for each id.
pub(super) fn embed(weights: &Weights, ids: &[u32]) -> Result<DMatrix<f64>, ReferenceError> {
    let id = WeightId::outside(WeightKind::Embedding);
    let width = weights.model().hidden as usize;
    let rows = weights.rows(id, ids.iter().map(|token| u64::from(*token)))?;
    let mut x = Vec::with_capacity(ids.len() * width);
    for (token, row) in ids.iter().zip(rows) {
        let row = row.ok_or_else(|| {
            ReferenceError::new(format!(
                "token {token} is not below the vocabulary of {}",
                weights.model().vocab
            ))
        })?;
        x.extend(row.into_iter().map(f64::from));
    }
    Ok(DMatrix::from_vec(width, ids.len(), x))
}

/// `x / sqrt(mean(x²) + eps) · gamma`, for each column.
pub(super) fn rms_norm(x: &DMatrix<f64>, gamma: &DVector<f64>, eps: f64) -> DMatrix<f64> {
    let mut out = x.clone();
    for mut column in out.column_iter_mut() {
        let mean_square = column.norm_squared() / column.len() as f64;
        column /= (mean_square + eps).sqrt();
        column.component_mul_assign(gamma);
    }
    out
}

/// Turns each head of each token by its position, as `rotate_half` does: pair
/// `j` of a head is its elements `j` and `j + d/2`, and its angle is
/// `position · theta^(−2j/d)`. `position` is that of a column.
pub(super) fn rope(
    x: &DMatrix<f64>,
    head_width: usize,
    position: impl Fn(usize) -> usize,
    theta: f64,
) -> DMatrix<f64> {
    let half = head_width / 2;
    let mut out = x.clone();
    for (token, mut column) in out.column_iter_mut().enumerate() {
        let position = position(token) as f64;
        for head in 0..column.len() / head_width {
            for j in 0..half {
                let angle = position * theta.powf(-2.0 * j as f64 / head_width as f64);
                let (first, second) = (head * head_width + j, head * head_width + half + j);
                let (a, b) = (column[first], column[second]);
                column[first] = a * angle.cos() - b * angle.sin();
                column[second] = b * angle.cos() + a * angle.sin();
            }
        }
    }
    out
}

/// `x / (1 + exp(−x))`, element by element.
pub(super) fn silu(x: &DMatrix<f64>) -> DMatrix<f64> {
    x.map(|v| v / (1.0 + (-v).exp()))
}
