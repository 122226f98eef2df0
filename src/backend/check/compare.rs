//! One tensor against its reference.

use super::CheckError;
use super::locate::Layout;
use super::tolerance::OUTLIER;
use crate::reference::Made;

/// A reference tensor, ready to be compared with.
pub(super) struct Comparison<'a> {
    made: &'a Made,
    layout: &'a Layout,
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

impl<'a> Comparison<'a> {
    /// # Errors
    /// A reference that is not finite.
    pub(super) fn new(made: &'a Made, layout: &'a Layout) -> Result<Self, CheckError> {
        let (mut squares, mut n) = (0.0, 0usize);
        for (i, v) in made.values.iter().enumerate() {
            if !layout.is_masked(made.tensor.kind, i) {
                squares += v * v;
                n += 1;
            }
        }
        let rms = (squares / n.max(1) as f64).sqrt();
        if !rms.is_finite() {
            return Err(CheckError::new(format!(
                "the reference itself is not finite in {}, so nothing can be judged; the weights hold values that are too large or not numbers",
                made.tensor.full_name()
            )));
        }
        Ok(Self { made, layout, rms })
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
        got: impl ExactSizeIterator<Item = f64>,
        tolerance: f64,
    ) -> Result<Measured, CheckError> {
        let (kind, expected) = (self.made.tensor.kind, &self.made.values);
        if got.len() != expected.len() {
            return Err(CheckError::new(format!(
                "the backend gave {} values for {}, which has {}",
                got.len(),
                self.made.tensor.full_name(),
                expected.len()
            )));
        }
        let mut m = Measured::default();
        let (mut squares, mut worst) = (0.0, 0.0);
        for (i, (expected, got)) in expected.iter().zip(got).enumerate() {
            if self.layout.is_masked(kind, i) {
                continue;
            }
            m.compared += 1;
            let mut off = (got - expected).abs();
            if off.is_nan() {
                off = f64::INFINITY;
            }
            squares += off * off;
            m.max_abs = m.max_abs.max(off);
            if off > OUTLIER * tolerance * (self.rms + expected.abs()) {
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
            off => off / self.rms,
        };
        Ok(m)
    }
}
