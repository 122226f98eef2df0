//! The reference of one forward: made stage by stage, and kept for the next plan.

use std::panic::resume_unwind;
use std::thread;

use super::CheckError;
use super::compare::Expected;
use super::locate::Layout;
use crate::reference::{Forward, Made, Precision, ReferenceError};
use crate::tokens::Tokens;
use crate::weights::Weights;
use plan::model::{Dtype, Shape};

/// Judges plans on the same weights: who changes them, takes a new judge. It keeps the
/// reference of the tokens and the shape that it was asked for last, up to
/// [`MAX_BYTES`](crate::reference::MAX_BYTES).
#[derive(Debug, Default)]
pub struct Judge {
    kept: Option<Kept>,
}

#[derive(Debug)]
struct Kept {
    tokens: Tokens,
    shape: Shape,
    stages: Vec<Vec<Expected>>,
}

impl Judge {
    /// The stages of the kept reference, where it is that of these tokens.
    pub(super) fn serves(&self, tokens: &Tokens, shape: Shape) -> Option<&[Vec<Expected>]> {
        let kept = self.kept.as_ref()?;
        (kept.shape == shape && kept.tokens == *tokens).then_some(&kept.stages)
    }

    /// Keeps a reference that is whole.
    pub(super) fn keep(&mut self, tokens: &Tokens, shape: Shape, stages: Vec<Vec<Expected>>) {
        self.kept = Some(Kept {
            tokens: tokens.clone(),
            shape,
            stages,
        });
    }
}

/// A reference in progress: fp64, and beside it the plain path of bf16.
pub(super) struct Making<'a> {
    exact: Forward<'a>,
    plain: Option<Forward<'a>>,
}

impl<'a> Making<'a> {
    pub(super) fn new(
        weights: &'a Weights,
        tokens: &'a Tokens,
        shape: Shape,
    ) -> Result<Self, CheckError> {
        Ok(Self {
            exact: Forward::new(weights, tokens, shape, Precision::Exact)?,
            plain: match weights.dtype() {
                Dtype::Fp32 => None,
                Dtype::Bf16 => Some(Forward::new(weights, tokens, shape, Precision::PlainBf16)?),
            },
        })
    }

    /// The next stage; nothing after the last.
    pub(super) fn next(&mut self, layout: &Layout) -> Result<Vec<Expected>, CheckError> {
        let (made, low) = self.both()?;
        Expected::of_stage(made, low.as_deref(), layout)
    }

    /// The next stage of both forwards, side by side.
    fn both(&mut self) -> Result<(Vec<Made>, Option<Vec<Made>>), ReferenceError> {
        let (exact, plain) = (&mut self.exact, self.plain.as_mut());
        thread::scope(|scope| {
            let running = plain.map(|plain| scope.spawn(move || plain.next_stage()));
            let made = exact.next_stage()?.unwrap_or_default();
            let low = running.map(|low| {
                low.join()
                    .unwrap_or_else(|panicked| resume_unwind(panicked))
            });
            Ok((made, low.transpose()?.flatten()))
        })
    }
}
