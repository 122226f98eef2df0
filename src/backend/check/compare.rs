//! One tensor against its reference.

use super::CheckError;
use super::locate::Layout;
use super::tolerance::OUTLIER;
use crate::reference::{Made, side_by_side, threads};

/// Multiplications that comparing one value is worth.
pub(super) const WORK: usize = 4;

/// A reference tensor, ready to be compared with.
#[derive(Debug)]
pub(super) struct Expected {
    pub(super) made: Made,
    /// How far the plain bf16 path is from it; `None` in fp32.
    pub(super) plain: Option<f64>,
    /// Root mean square of the values that mean something.
    rms: f64,
}

/// How far other values are from the reference.
#[derive(Debug, Default)]
pub(super) struct Measured {
    pub(super) max_abs: f64,
    /// Root mean square of the differences, relative to that of the reference.
    pub(super) relative: f64,
    pub(super) compared: usize,
    /// Values that are off by more than the tolerance allows a single one.
    pub(super) outliers: usize,
    /// The first outlier; without one, the value that is off the most.
    pub(super) at: usize,
}

impl Expected {
    /// What is known of each tensor of a stage, `low` being the plain bf16 path's.
    ///
    /// # Errors
    /// A reference that is not finite.
    pub(super) fn of_stage(
        stage: Vec<Made>,
        low: Option<&[Made]>,
        layout: &Layout,
    ) -> Result<Vec<Self>, CheckError> {
        let values: usize = stage.iter().map(|made| made.values.len()).sum();
        let places: Vec<usize> = (0..stage.len()).collect();
        let known = side_by_side(&places, threads(WORK * values), |at| {
            let Some(made) = stage.get(*at) else {
                return Ok((0.0, None));
            };
            let rms = root_mean_square(made, layout)?;
            let plain = low.and_then(|low| low.get(*at)).map(|low| {
                let low = low.values.iter().copied();
                measured(made, rms, layout, low, 0.0).map(|m| m.relative)
            });
            Ok((rms, plain.transpose()?))
        });
        let each = stage.into_iter().zip(known);
        each.map(|(made, known)| known.map(|(rms, plain)| Self { made, plain, rms }))
            .collect()
    }

    /// Whether every value is zero, and any output of zeros would pass.
    pub(super) fn is_zero(&self) -> bool {
        self.rms == 0.0
    }

    /// Measures values, as many as the reference has.
    ///
    /// # Errors
    /// Another number of values.
    pub(super) fn measure(
        &self,
        layout: &Layout,
        got: impl ExactSizeIterator<Item = f64>,
        tolerance: f64,
    ) -> Result<Measured, CheckError> {
        measured(&self.made, self.rms, layout, got, tolerance)
    }
}

/// # Errors
/// A tensor that is not finite.
fn root_mean_square(made: &Made, layout: &Layout) -> Result<f64, CheckError> {
    let (mut squares, mut n) = (0.0, 0usize);
    for (i, v) in made.values.iter().enumerate() {
        if !layout.is_masked(made.tensor.kind, i) {
            squares += v * v;
            n += 1;
        }
    }
    let rms = (squares / n.max(1) as f64).sqrt();
    match rms.is_finite() {
        true => Ok(rms),
        false => Err(CheckError::new(format!(
            "the reference itself is not finite in {}, so nothing can be judged; the weights hold values that are too large or not numbers",
            made.tensor.full_name()
        ))),
    }
}

/// How far values are from a reference of this root mean square.
fn measured(
    made: &Made,
    rms: f64,
    layout: &Layout,
    got: impl ExactSizeIterator<Item = f64>,
    tolerance: f64,
) -> Result<Measured, CheckError> {
    let (kind, expected) = (made.tensor.kind, &made.values);
    if got.len() != expected.len() {
        return Err(CheckError::new(format!(
            "the backend gave {} values for {}, which has {}",
            got.len(),
            made.tensor.full_name(),
            expected.len()
        )));
    }
    let mut m = Measured::default();
    let (mut squares, mut worst) = (0.0, 0.0);
    for (i, (expected, got)) in expected.iter().zip(got).enumerate() {
        if layout.is_masked(kind, i) {
            continue;
        }
        m.compared += 1;
        let mut off = (got - expected).abs();
        if off.is_nan() {
            off = f64::INFINITY;
        }
        squares += off * off;
        m.max_abs = m.max_abs.max(off);
        if off > OUTLIER * tolerance * (rms + expected.abs()) {
            if m.outliers == 0 {
                m.at = i;
            }
            m.outliers += 1;
        } else if m.outliers == 0 && off > worst {
            (m.at, worst) = (i, off);
        }
    }
    m.relative = match (squares / m.compared.max(1) as f64).sqrt() {
        0.0 => 0.0,
        off => off / rms,
    };
    Ok(m)
}
