//! The verdict: a backend's tensors against the fp64 reference.
//!
//! Whatever a plan materialises is compared, in the order of the graph, so
//! that a wrong kernel is named by the first tensor that parts from the
//! reference and not by the logits that it spoils.
//!
//! A value passes where `|got − reference| ≤ tolerance · (rms + |reference|)`;
//! `rms` is the root mean square of the reference tensor, so that a small
//! value among large ones may be off by as much as its neighbours. Not-a-number
//! never passes. How tolerances come about: [`Tolerances`].

mod compare;
mod locate;
mod tolerance;

use std::fmt;

pub use locate::Location;
pub use tolerance::{MAX_TOLERANCE, Tolerances};

use super::reference::{Forward, Made, Precision, ReferenceError};
use super::tokens::Tokens;
use super::weights::Weights;
use crate::model::{Dtype, Graph, OpKind, Shape, Tensor, TensorId, TensorKind};
use compare::Comparison;
use locate::Layout;

/// How one tensor compares.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorCheck {
    /// Its place in the graph.
    pub id: TensorId,
    /// Its name and block.
    pub tensor: Tensor,
    /// Largest |got − reference|; infinite where a value is not a number.
    pub max_abs_error: f64,
    /// Largest |got − reference| / (rms + |reference|).
    pub rel_error: f64,
    /// What `rel_error` may be.
    pub tolerance: f64,
    /// How many values are beyond the tolerance.
    pub wrong: usize,
    /// How many values were compared.
    pub compared: usize,
}

impl TensorCheck {
    /// Whether every value is within the tolerance.
    pub fn pass(&self) -> bool {
        self.wrong == 0
    }
}

/// The first tensor of the graph that is wrong, and its first wrong value.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstWrong {
    /// The whole tensor's figures.
    pub check: TensorCheck,
    /// The op that makes it; `None` for keys and values from before.
    pub op: Option<OpKind>,
    /// Where its first wrong value is.
    pub at: Location,
    /// The backend's value there.
    pub got: f32,
    /// The reference's value there.
    pub expected: f64,
}

impl fmt::Display for FirstWrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is the first wrong tensor: at {} it is {} instead of {}; {} of {} values are off by more than {:.1e} of their size",
            self.check.tensor.full_name(),
            self.at,
            self.got,
            self.expected,
            self.check.wrong,
            self.check.compared,
            self.check.tolerance,
        )
    }
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Every tensor that was compared, in the order of the graph. The last is
    /// the logits.
    pub tensors: Vec<TensorCheck>,
    /// Of the logits: largest absolute difference.
    pub max_abs_error: f64,
    /// Of the logits: largest difference relative to `rms + |reference|`.
    pub rel_error: f64,
    /// Of the logits: what `rel_error` may be.
    pub tolerance: f64,
    /// Whether every tensor that was compared passes.
    pub pass: bool,
    /// The first that does not.
    pub first_wrong: Option<FirstWrong>,
}

/// A check that could not be made: one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckError(String);

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CheckError {}

impl From<ReferenceError> for CheckError {
    fn from(e: ReferenceError) -> Self {
        Self(e.to_string())
    }
}

/// Compares what a backend materialised with the reference. `tensor` gives the
/// values of a tensor, in the layout of [`Made::values`], or `None` where the
/// plan kept it inside a kernel; the logits must be there. `go_on` is asked
/// before each stage (done, of), and ends the check with an error when it says
/// no.
///
/// # Errors
/// A forward too large for the reference, tensors of the wrong size, no
/// logits, weights that give no judgeable logits (all zero, not finite), or a
/// stop by `go_on`.
pub fn check<'t>(
    weights: &Weights,
    tokens: &Tokens,
    shape: Shape,
    tensor: impl Fn(TensorId) -> Option<&'t [f32]>,
    mut go_on: impl FnMut(u32, u32) -> bool,
) -> Result<Verdict, CheckError> {
    let mut exact = Forward::new(weights, tokens, shape, Precision::Exact)?;
    let mut plain = match weights.dtype() {
        Dtype::Fp32 => None,
        Dtype::Bf16 => Some(Forward::new(weights, tokens, shape, Precision::PlainBf16)?),
    };
    let tolerances = Tolerances::new(weights.model(), &shape, exact.graph());
    let layout = Layout::new(weights.model(), &shape);
    let stages = exact.graph().layers + 2;
    let mut checks = Vec::new();
    let mut first_wrong = None;
    for stage in 0..stages {
        if !go_on(stage, stages) {
            return Err(CheckError("the check was stopped".to_owned()));
        }
        let made = exact.next_stage()?.unwrap_or_default();
        let low = match &mut plain {
            Some(plain) => plain.next_stage()?,
            None => None,
        };
        for (i, made) in made.iter().enumerate() {
            let Some(got) = tensor(made.id) else { continue };
            let low = low.as_ref().and_then(|stage| stage.get(i));
            let (check, first) = one(made, got, low, &layout, &tolerances)?;
            if let (None, Some(index)) = (&first_wrong, first) {
                first_wrong = Some(FirstWrong {
                    check: check.clone(),
                    op: maker(exact.graph(), made.id),
                    at: layout.locate(made.tensor.kind, index),
                    got: got.get(index).copied().unwrap_or(f32::NAN),
                    expected: made.values.get(index).copied().unwrap_or(f64::NAN),
                });
            }
            checks.push(check);
        }
    }
    let Some(logits) = checks
        .last()
        .filter(|c| c.tensor.kind == TensorKind::Logits)
        .cloned()
    else {
        return Err(CheckError(
            "the backend gave no logits, so there is nothing to judge".to_owned(),
        ));
    };
    Ok(Verdict {
        max_abs_error: logits.max_abs_error,
        rel_error: logits.rel_error,
        tolerance: logits.tolerance,
        pass: first_wrong.is_none(),
        first_wrong,
        tensors: checks,
    })
}

/// Compares one tensor; `low` is the plain bf16 path's, where bf16 is judged.
/// Also gives the index of its first wrong value.
fn one(
    made: &Made,
    got: &[f32],
    low: Option<&Made>,
    layout: &Layout,
    tolerances: &Tolerances,
) -> Result<(TensorCheck, Option<usize>), CheckError> {
    let comparison = Comparison::new(made, layout)?;
    if made.tensor.kind == TensorKind::Logits && comparison.is_zero() {
        return Err(CheckError(
            "the reference's logits are all zero, so nothing can be judged; the weights are all zero"
                .to_owned(),
        ));
    }
    let plain = match low {
        None => None,
        Some(low) => {
            let low = low.values.iter().copied();
            Some(comparison.measure(low, f64::INFINITY)?.max_rel)
        }
    };
    let tolerance = tolerances.of(made.id, plain);
    let m = comparison.measure(got.iter().map(|v| f64::from(*v)), tolerance)?;
    let check = TensorCheck {
        id: made.id,
        tensor: made.tensor,
        max_abs_error: m.max_abs,
        rel_error: m.max_rel,
        tolerance,
        wrong: m.wrong,
        compared: m.compared,
    };
    Ok((check, m.first))
}

/// The op that makes a tensor.
fn maker(graph: &Graph, id: TensorId) -> Option<OpKind> {
    let node = graph.nodes.iter().find(|n| n.writes == id)?;
    Some(node.op)
}

#[cfg(test)]
mod naive;
#[cfg(test)]
mod tests;
