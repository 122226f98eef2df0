//! The verdict: a backend's tensors against the fp64 reference.
//!
//! Whatever a plan materialises is compared, in the order of the graph, so
//! that a wrong kernel is named by the first tensor that parts from the
//! reference and not by the logits that it spoils.
//!
//! A tensor passes where the root mean square of its differences is at most
//! `tolerance` times that of the reference, and no single value is off by more
//! than [`OUTLIER`] times as much: `|got − reference| ≤ OUTLIER · tolerance ·
//! (rms + |reference|)`. The first holds over thousands of values and hardly
//! depends on luck; the second finds one wrong value among them. Not-a-number
//! never passes. How tolerances come about: [`Tolerances`].
//!
//! The reference depends on weights, tokens and shape, not on the plan: a [`Judge`]
//! keeps it, and compares every plan with it.

mod compare;
mod kept;
mod locate;
mod tolerance;
mod wrong;

use std::fmt;

pub use kept::Judge;
pub use locate::Location;
pub use tolerance::{MAX_TOLERANCE, OUTLIER, Tolerances};
pub use wrong::wrong;

use super::reference::{MAX_BYTES, ReferenceError, bytes_of_all, side_by_side, threads};
use super::tokens::Tokens;
use super::weights::Weights;
use compare::{Expected, WORK};
use kept::Making;
use locate::Layout;
use plan::model::{Graph, ModelError, OpKind, Shape, Tensor, TensorId, TensorKind};
use plan::run::{CheckReport, TensorReport};

/// How one tensor compares.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorCheck {
    /// Its place in the graph.
    pub id: TensorId,
    /// Its name and block.
    pub tensor: Tensor,
    /// Largest |got − reference|; infinite where a value is not a number.
    pub max_abs_error: f64,
    /// Root mean square of the differences over that of the reference.
    pub rel_error: f64,
    /// What `rel_error` may be.
    pub tolerance: f64,
    /// How many single values are off by more than one may be.
    pub outliers: usize,
    /// How many values were compared.
    pub compared: usize,
}

impl TensorCheck {
    /// Whether the whole and every single value are within the tolerance. Not
    /// so where an error is infinite or not a number.
    pub fn pass(&self) -> bool {
        self.outliers == 0 && self.rel_error <= self.tolerance
    }
}

/// The first tensor of the graph that is wrong, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstWrong {
    /// The whole tensor's figures.
    pub check: TensorCheck,
    /// The op that makes it; `None` for keys and values from before.
    pub op: Option<OpKind>,
    /// Where its first outlier is, or, without one, the value most off.
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
            "{} is the first wrong tensor: at {} it is {} instead of {} (relative error {:.1e}, tolerance {:.1e}; {} of {} values are far off)",
            self.check.tensor.full_name(),
            self.at,
            self.got,
            self.expected,
            self.check.rel_error,
            self.check.tolerance,
            self.check.outliers,
            self.check.compared,
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
    /// Of the logits: root mean square of the differences over that of the
    /// reference.
    pub rel_error: f64,
    /// Of the logits: what `rel_error` may be.
    pub tolerance: f64,
    /// Whether every tensor that was compared passes.
    pub pass: bool,
    /// The first that does not.
    pub first_wrong: Option<FirstWrong>,
}

impl From<&Verdict> for CheckReport {
    fn from(verdict: &Verdict) -> Self {
        Self {
            reference: "fp64".to_owned(),
            max_abs_error: verdict.max_abs_error,
            rel_error: verdict.rel_error,
            tolerance: verdict.tolerance,
            pass: verdict.pass,
            first_wrong: verdict.first_wrong.as_ref().map(ToString::to_string),
            tensors: verdict.tensors.iter().map(told).collect(),
            wrong: Vec::new(),
        }
    }
}

/// What a report tells of one tensor.
fn told(check: &TensorCheck) -> TensorReport {
    TensorReport {
        name: check.tensor.full_name(),
        layer: check.tensor.layer,
        rel_error: check.rel_error,
        max_abs_error: check.max_abs_error,
        tolerance: check.tolerance,
    }
}

plan::sentence! {
    /// A check that could not be made: one sentence.
    CheckError
}

impl From<ReferenceError> for CheckError {
    fn from(e: ReferenceError) -> Self {
        Self(e.to_string())
    }
}

impl From<ModelError> for CheckError {
    fn from(e: ModelError) -> Self {
        Self(e.to_string())
    }
}

/// Compares what a backend materialised with the reference, which is made for this
/// alone: see [`Judge::check`].
///
/// # Errors
/// As [`Judge::check`].
pub fn check<'t>(
    weights: &Weights,
    tokens: &Tokens,
    shape: Shape,
    tensor: impl Fn(TensorId) -> Option<&'t [f32]>,
    go_on: impl FnMut(u32, u32) -> bool,
) -> Result<Verdict, CheckError> {
    Judge::default().check(weights, tokens, shape, tensor, go_on)
}

impl Judge {
    /// Compares what a backend materialised with the reference. `tensor` gives the
    /// values of a tensor, in the layout of [`Made::values`], or `None` where the
    /// plan kept it inside a kernel; the logits must be there. The reference is the
    /// kept one where tokens and shape are the same. `go_on` is asked before each
    /// stage that is made (done, of), once where none is, and ends the check with an
    /// error when it says no.
    ///
    /// # Errors
    /// A forward too large for the reference, tensors of the wrong size, no
    /// logits, weights that give no judgeable logits (all zero, not finite), or a
    /// stop by `go_on`.
    ///
    /// [`Made::values`]: crate::reference::Made::values
    pub fn check<'t>(
        &mut self,
        weights: &Weights,
        tokens: &Tokens,
        shape: Shape,
        tensor: impl Fn(TensorId) -> Option<&'t [f32]>,
        mut go_on: impl FnMut(u32, u32) -> bool,
    ) -> Result<Verdict, CheckError> {
        let stopped = || CheckError::new("the check was stopped".to_owned());
        let mut compared = Compared::new(weights, shape)?;
        if let Some(kept) = self.serves(tokens, shape) {
            if !go_on(0, 1) {
                return Err(stopped());
            }
            for stage in kept {
                compared.stage(stage, &tensor)?;
            }
            return compared.verdict();
        }
        // What is kept goes before the next comes.
        *self = Self::default();
        let mut making = Making::new(weights, tokens, shape)?;
        let keeps = bytes_of_all(weights.model(), &shape)? <= u128::from(MAX_BYTES);
        let mut kept = Vec::new();
        let stages = compared.graph.layers + 2;
        for stage in 0..stages {
            if !go_on(stage, stages) {
                return Err(stopped());
            }
            let stage = making.next(&compared.layout)?;
            compared.stage(&stage, &tensor)?;
            if keeps {
                kept.push(stage);
            }
        }
        let verdict = compared.verdict()?;
        if keeps {
            self.keep(tokens, shape, kept);
        }
        Ok(verdict)
    }
}

/// What was compared so far.
struct Compared {
    graph: Graph,
    layout: Layout,
    tolerances: Tolerances,
    checks: Vec<TensorCheck>,
    first_wrong: Option<FirstWrong>,
}

impl Compared {
    fn new(weights: &Weights, shape: Shape) -> Result<Self, CheckError> {
        let graph = Graph::of(weights.model(), &shape)?;
        Ok(Self {
            tolerances: Tolerances::new(weights.model(), &shape, &graph),
            layout: Layout::new(weights.model(), &shape),
            graph,
            checks: Vec::new(),
            first_wrong: None,
        })
    }

    /// Compares the tensors of one stage.
    fn stage<'t>(
        &mut self,
        stage: &[Expected],
        tensor: impl Fn(TensorId) -> Option<&'t [f32]>,
    ) -> Result<(), CheckError> {
        let mut there = Vec::new();
        for expected in stage {
            // What the plain path errs in a tensor that a plan keeps inside, counts too.
            if let Some(relative) = expected.plain {
                self.tolerances.plain(relative);
            }
            if let Some(got) = tensor(expected.made.id) {
                let tolerance = self.tolerances.of(expected.made.id, got.len());
                there.push((expected, got, tolerance));
            }
        }
        let values: usize = there.iter().map(|(_, got, _)| got.len()).sum();
        let layout = &self.layout;
        let checked = side_by_side(
            &there,
            threads(WORK * values),
            |(expected, got, tolerance)| one(expected, layout, got, *tolerance),
        );
        for ((expected, got, _), checked) in there.iter().zip(checked) {
            let (check, at) = checked?;
            let made = &expected.made;
            if self.first_wrong.is_none() && !check.pass() {
                self.first_wrong = Some(FirstWrong {
                    op: maker(&self.graph, made.id),
                    at: self.layout.locate(made.tensor.kind, at),
                    got: got.get(at).copied().unwrap_or(f32::NAN),
                    expected: made.values.get(at).copied().unwrap_or(f64::NAN),
                    check: check.clone(),
                });
            }
            self.checks.push(check);
        }
        Ok(())
    }

    fn verdict(self) -> Result<Verdict, CheckError> {
        let last = self.checks.last();
        let logits = last.filter(|c| c.tensor.kind == TensorKind::Logits);
        let Some(logits) = logits.cloned() else {
            return Err(CheckError::new(
                "the backend gave no logits, so there is nothing to judge".to_owned(),
            ));
        };
        Ok(Verdict {
            max_abs_error: logits.max_abs_error,
            rel_error: logits.rel_error,
            tolerance: logits.tolerance,
            pass: self.first_wrong.is_none(),
            first_wrong: self.first_wrong,
            tensors: self.checks,
        })
    }
}

/// Compares one tensor; also gives the index of the value to show.
fn one(
    expected: &Expected,
    layout: &Layout,
    got: &[f32],
    tolerance: f64,
) -> Result<(TensorCheck, usize), CheckError> {
    let made = &expected.made;
    if made.tensor.kind == TensorKind::Logits && expected.is_zero() {
        return Err(CheckError::new(
            "the reference's logits are all zero, so nothing can be judged; the weights are all zero"
                .to_owned(),
        ));
    }
    let got = got.iter().map(|v| f64::from(*v));
    let m = expected.measure(layout, got, tolerance)?;
    let check = TensorCheck {
        id: made.id,
        tensor: made.tensor,
        max_abs_error: m.max_abs,
        rel_error: m.relative,
        tolerance,
        outliers: m.outliers,
        compared: m.compared,
    };
    Ok((check, m.at))
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
