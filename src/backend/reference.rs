//! The judge: the forward in fp64, one formula after the other.
//!
//! Nothing here is clever and nothing is shared with the backends that it
//! judges; what does not depend on one another goes to several threads, which
//! changes no sum: weights and tokens go in, every tensor of the graph comes
//! out, layer by layer. The algebra is nalgebra's. A **token is a column**: a
//! matrix of `width × (B·S)` columns, stored column by column, is in memory
//! the graph's `B × S × width`, and a product reads as its formula, `Y = W·X`.
//!
//! The formulas are those of Hugging Face's Llama: RMSNorm with eps inside the
//! root, rotation of the first against the second half of a head
//! (`rotate_half`), key heads shared by groups of query heads without being
//! repeated, causal softmax of scores over √d, SwiGLU.
//!
//! Where context > seq, the whole context is computed and the last `seq` rows
//! are kept, so that a backend's cache is judged too.

mod attention;
mod forward;
mod kept;
mod ops;
mod sampled;

pub use forward::{Forward, Made};
pub use kept::Kept;
pub use sampled::{Sampled, Values};

use std::panic::resume_unwind;
use std::thread;

use super::weights::WeightsError;
use plan::model::{BLOCK_OPS, Graph, Model, ModelError, OpKind, Shape, Sizes, TensorKind};

/// Most floating-point operations that one reference run may take: at the few
/// GFLOP/s of fp64 on one core, about a minute.
pub const MAX_FLOPS: u64 = 200_000_000_000;

/// Most bytes that the tensors of one block, or the logits, may take.
pub const MAX_BYTES: u64 = 2_000_000_000;

/// Multiplications from which work is worth several threads.
const SHARED: usize = 1 << 24;

/// How many threads share so many multiplications.
pub(crate) fn threads(multiplications: usize) -> usize {
    match multiplications >= SHARED {
        true => thread::available_parallelism().map_or(1, usize::from),
        false => 1,
    }
}

/// What `work` makes of each item, in their order, so many at a time.
pub(crate) fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let work = &work;
    let mut made = Vec::with_capacity(items.len());
    for round in items.chunks(threads.max(1)) {
        if let [only] = round {
            made.push(work(only));
            continue;
        }
        made.extend(thread::scope(|scope| {
            let running = round.iter().map(|item| scope.spawn(move || work(item)));
            let running: Vec<_> = running.collect();
            let ended = running.into_iter().map(|thread| thread.join());
            ended
                .map(|made| made.unwrap_or_else(|panicked| resume_unwind(panicked)))
                .collect::<Vec<R>>()
        }));
    }
    made
}

/// What each op's output is rounded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Nothing: fp64 throughout. The reference.
    Exact,
    /// bfloat16 after every op, sums still in fp64: the plain low-precision
    /// path, whose distance from the reference is what bf16 costs by itself.
    PlainBf16,
}

plan::sentence! {
    /// A forward that the reference does not compute: one sentence.
    ReferenceError
}

impl From<WeightsError> for ReferenceError {
    fn from(e: WeightsError) -> Self {
        Self(e.to_string())
    }
}

impl From<ModelError> for ReferenceError {
    fn from(e: ModelError) -> Self {
        Self(e.to_string())
    }
}

/// Whether the reference computes this forward: its work and its memory are
/// below [`MAX_FLOPS`] and [`MAX_BYTES`]. Ask before a long run.
///
/// # Errors
/// A shape that does not fit the model, or a forward that is too large, with
/// both sizes and the way out.
pub fn affordable(model: &Model, shape: &Shape) -> Result<(), ReferenceError> {
    let whole = Shape {
        seq: shape.context,
        ..*shape
    };
    shape.check(model)?;
    let sizes = Sizes::new(model, &whole, false)?;
    let flops = flops(&sizes, model.layers)?;
    if flops > u128::from(MAX_FLOPS) {
        return Err(too_large(
            model, &whole, "computes", flops, "FLOP", MAX_FLOPS,
        ));
    }
    let bytes = bytes(&sizes)?;
    if bytes > u128::from(MAX_BYTES) {
        return Err(too_large(model, &whole, "keeps", bytes, "B", MAX_BYTES));
    }
    Ok(())
}

/// Bytes in fp64 of every tensor of a forward, in the rows of its new tokens.
///
/// # Errors
/// A shape that does not fit the model.
pub(crate) fn bytes_of_all(model: &Model, shape: &Shape) -> Result<u128, ModelError> {
    let sizes = Sizes::new(model, shape, false)?;
    let tensors = Graph::of(model, shape)?.tensors;
    tensors
        .iter()
        .map(|t| Ok(u128::from(t.kind.elements().value(&sizes)?) * size_of::<f64>() as u128))
        .sum()
}

fn too_large(
    model: &Model,
    shape: &Shape,
    does: &str,
    needs: u128,
    unit: &str,
    limit: u64,
) -> ReferenceError {
    ReferenceError::new(format!(
        "the fp64 reference {does} at most {:.0} G{unit}, and model {} with batch {} and context {} needs {:.0}; check a smaller batch, a shorter context or a smaller preset",
        limit as f64 / 1e9,
        model.name,
        shape.batch,
        shape.context,
        needs as f64 / 1e9,
    ))
}

fn flops(sizes: &Sizes, layers: u64) -> Result<u128, ModelError> {
    let of = |op: OpKind| -> Result<u128, ModelError> {
        op.flops()
            .iter()
            .map(|(term, _)| term.value(sizes).map(u128::from))
            .sum()
    };
    let block: u128 = BLOCK_OPS.into_iter().map(of).sum::<Result<_, _>>()?;
    Ok(block.saturating_mul(u128::from(layers)) + of(OpKind::FinalNorm)? + of(OpKind::LmHead)?)
}

/// Bytes in fp64 of one block's tensors, or of the logits where they are more.
fn bytes(sizes: &Sizes) -> Result<u128, ModelError> {
    let of = |kind: TensorKind| {
        let elements = kind.elements().value(sizes);
        elements.map(|n| u128::from(n) * size_of::<f64>() as u128)
    };
    let block: u128 = Graph::of_layers(1, false)
        .tensors
        .iter()
        .filter(|t| t.layer.is_some())
        .map(|t| of(t.kind))
        .sum::<Result<_, _>>()?;
    Ok(block.max(of(TensorKind::Logits)?))
}

#[cfg(test)]
mod tests;
