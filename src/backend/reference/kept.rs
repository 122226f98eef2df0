//! Every tensor of a forward, kept: for tests, for teaching, and for judging
//! several plans of one model against a single reference run.

use std::collections::BTreeMap;

use super::{Forward, Made, Precision, ReferenceError};
use crate::tokens::Tokens;
use crate::weights::Weights;
use plan::model::{Graph, Shape, TensorId, TensorKind};

/// All tensors of one forward, by their place in the graph.
#[derive(Debug)]
pub struct Kept {
    graph: Graph,
    tensors: BTreeMap<TensorId, Made>,
}

impl Kept {
    /// Runs a forward and keeps everything.
    ///
    /// # Errors
    /// As [`Forward::new`] and [`Forward::next_stage`].
    pub fn run(
        weights: &Weights,
        tokens: &Tokens,
        shape: Shape,
        precision: Precision,
    ) -> Result<Self, ReferenceError> {
        let mut forward = Forward::new(weights, tokens, shape, precision)?;
        let mut tensors = BTreeMap::new();
        while let Some(stage) = forward.next_stage()? {
            tensors.extend(stage.into_iter().map(|made| (made.id, made)));
        }
        Ok(Self {
            graph: forward.graph().clone(),
            tensors,
        })
    }

    /// The graph that was run.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// All tensors in the order of the graph.
    pub fn tensors(&self) -> impl Iterator<Item = &Made> {
        self.tensors.values()
    }

    /// The values of one tensor (layout: [`Made::values`]).
    pub fn get(&self, id: TensorId) -> Option<&[f64]> {
        self.tensors.get(&id).map(|made| made.values.as_slice())
    }

    /// The values of a kind of tensor of one block, or outside the blocks.
    pub fn find(&self, kind: TensorKind, layer: Option<u32>) -> Option<&[f64]> {
        self.tensors()
            .find(|m| (m.tensor.kind, m.tensor.layer) == (kind, layer))
            .map(|m| m.values.as_slice())
    }

    /// The logits, `B × S × V`.
    pub fn logits(&self) -> &[f64] {
        self.find(TensorKind::Logits, None).unwrap_or_default()
    }
}
