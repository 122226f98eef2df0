//! Peak activation: the largest sum of live tensors over the kernels of a forward.

use super::{Config, CostError};
use crate::fusion::Plan;
use crate::model::{Graph, Place, Sizes, Tensor, TensorId, TensorKind};

/// One live tensor at the peak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// Which tensor.
    pub tensor: Tensor,
    /// Bytes.
    pub bytes: u64,
}

/// The peak: where it sits and what lives there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peak {
    /// Bytes of all live activations.
    pub bytes: u64,
    /// Name of the kernel at the peak (the first of equals).
    pub kernel: String,
    /// Its block, where it has one.
    pub layer: Option<u32>,
    /// What lives while it runs.
    pub live: Vec<Live>,
}

/// Whether a tensor counts: an activation, or the logits. Ids, weights and
/// past keys are no activations.
fn counts(kind: TensorKind) -> bool {
    matches!(kind.place(), Place::Activation | Place::Output)
}

/// The peak over the plan's kernels of inputs still needed + outputs, with no
/// reuse in place. A kr or v written for the cache alone is not an activation.
pub(super) fn peak(
    config: &Config,
    sizes: &Sizes,
    graph: &Graph,
    plan: &Plan,
) -> Result<Peak, CostError> {
    // The last kernel that reads each tensor.
    let mut dies: Vec<Option<usize>> = vec![None; graph.tensors.len()];
    for (index, kernel) in plan.kernels.iter().enumerate() {
        for id in &kernel.reads {
            dies[id.0 as usize] = Some(index);
        }
    }
    let mut best: Option<(u64, usize, Vec<TensorId>)> = None;
    let mut live: Vec<TensorId> = Vec::new();
    for (index, kernel) in plan.kernels.iter().enumerate() {
        live.retain(|id| dies[id.0 as usize].is_some_and(|last| last >= index));
        live.extend(kernel.writes.iter().copied().filter(|id| {
            let kind = graph.tensor_at(*id).kind;
            let read_later = dies[id.0 as usize].is_some();
            counts(kind) && (read_later || kind.place() == Place::Output)
        }));
        let mut bytes = 0u64;
        for id in &live {
            let elements = graph.tensor_at(*id).kind.elements().value(sizes)?;
            bytes = elements
                .checked_mul(config.dtype.bytes())
                .and_then(|b| bytes.checked_add(b))
                .ok_or_else(|| CostError::too_large("the peak of activations"))?;
        }
        if best.as_ref().is_none_or(|(most, ..)| bytes > *most) {
            best = Some((bytes, index, live.clone()));
        }
    }
    let (bytes, index, live) =
        best.ok_or_else(|| CostError::new("a plan without kernels has no peak"))?;
    let kernel = &plan.kernels[index];
    let live = live
        .into_iter()
        .map(|id| {
            let tensor = graph.tensor_at(id);
            Ok(Live {
                tensor,
                bytes: tensor.kind.elements().value(sizes)? * config.dtype.bytes(),
            })
        })
        .collect::<Result<Vec<_>, CostError>>()?;
    Ok(Peak {
        bytes,
        kernel: kernel.name(graph),
        layer: graph.nodes.get(kernel.ops.start).and_then(|n| n.layer),
        live,
    })
}
