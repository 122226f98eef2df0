//! Programs with a known defect, computed in fp64: all that parts them from the reference
//! is the defect. A tolerance that lets one of them pass is too wide for fp32.

use super::compare::Expected;
use super::locate::Layout;
use super::tolerance::Tolerances;
use super::{CheckError, one};
use crate::reference::{Forward, Precision};
use crate::tokens::Tokens;
use crate::weights::Weights;
use plan::model::{Shape, TensorKind};
use plan::run::WrongReport;

/// A defect.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Defect {
    /// Norms add this in place of the model's ε.
    Eps(f64),
    /// Every op rounds to bf16.
    Bf16,
    /// Nothing is computed: all outputs are zero.
    Zeros,
}

/// The defects. An ε of 1e-6 is what two of the documents' kernels have, where the model
/// says 1e-5.
const DEFECTS: [(&str, Defect); 4] = [
    ("norms with ε = 1e-6 in place of 1e-5", Defect::Eps(1e-6)),
    ("norms without ε", Defect::Eps(0.0)),
    ("every op rounds to bf16, the type says fp32", Defect::Bf16),
    ("all outputs are zero", Defect::Zeros),
];

/// What each defect makes of the logits, and the first tensor in which it shows.
///
/// # Errors
/// As [`super::check`].
pub fn wrong(
    weights: &Weights,
    tokens: &Tokens,
    shape: Shape,
) -> Result<Vec<WrongReport>, CheckError> {
    let layout = Layout::new(weights.model(), &shape);
    let each = |(what, defect): (&str, Defect)| -> Result<WrongReport, CheckError> {
        let mut exact = Forward::new(weights, tokens, shape, Precision::Exact)?;
        let precision = match defect {
            Defect::Bf16 => Precision::PlainBf16,
            _ => Precision::Exact,
        };
        let mut off = Forward::new(weights, tokens, shape, precision)?;
        if let Defect::Eps(eps) = defect {
            off = off.with_eps(eps);
        }
        let tolerances = Tolerances::new(weights.model(), &shape, exact.graph());
        let mut report = WrongReport {
            what: what.to_owned(),
            rel_error: f64::NAN,
            max_abs_error: f64::NAN,
            first_wrong: None,
        };
        while let Some(right) = exact.next_stage()? {
            let made = off.next_stage()?.unwrap_or_default();
            let right = Expected::of_stage(right, None, &layout)?;
            for (right, made) in right.iter().zip(made) {
                let got: Vec<f32> = match defect {
                    Defect::Zeros => vec![0.0; made.values.len()],
                    _ => made.values.iter().map(|v| *v as f32).collect(),
                };
                let tolerance = tolerances.of(right.made.id, got.len());
                let (check, _) = one(right, &layout, &got, tolerance)?;
                let right = &right.made;
                if !check.pass() && report.first_wrong.is_none() {
                    report.first_wrong = Some(right.tensor.full_name());
                }
                if right.tensor.kind == TensorKind::Logits {
                    report.rel_error = check.rel_error;
                    report.max_abs_error = check.max_abs_error;
                }
            }
        }
        Ok(report)
    };
    DEFECTS.into_iter().map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::model::{Dtype, Model};

    #[test]
    fn each_defect_shows_where_it_is_and_as_large_as_it_is() {
        let model = Model::new("m", 64, 2, 4, 2, 128, 100).unwrap();
        let weights = Weights::seeded(&model, 1, Dtype::Fp32).unwrap();
        let shape = Shape::prefill(1, 16);
        let tokens = Tokens::seeded(1, 1, 16, 100);
        let found = wrong(&weights, &tokens, shape).unwrap();
        // The first norm of rows whose mean of squares is about one is off by
        // (1e-5 - 1e-6) / 2; the logits by no more than a few of these.
        assert!(found[0].first_wrong.as_deref().unwrap().ends_with("n1"));
        assert!((1e-6..4e-5).contains(&found[0].rel_error), "{:?}", found[0]);
        let more = found[1].rel_error / found[0].rel_error;
        assert!((more - 10.0 / 9.0).abs() < 1e-3, "{more}");
        // 2^-9 for a rounding.
        assert!((1e-3..0.1).contains(&found[2].rel_error), "{:?}", found[2]);
        assert_eq!(found[3].rel_error, 1.0);
        assert!(found.iter().all(|w| w.first_wrong.is_some()));
    }
}
