//! The phases of a kernel: between two of them the whole grid must wait.

use std::collections::HashSet;
use std::ops::Range;

use crate::model::{Graph, Node, OpKind, TensorId};

/// Cuts a kernel's ops into phases. A phase begins at an op that gathers what
/// other blocks of the grid have made: a product or a norm needs whole rows
/// whose width is spread over column tiles or heads, attention needs the keys
/// and values of other rows. What a norm, the embedding or an op element by element
/// makes of the phase's inputs does not count: every block can make it again from
/// them, the whole row of it.
pub(super) fn phases(graph: &Graph, ops: &Range<usize>) -> Vec<Range<usize>> {
    let mut phases = Vec::new();
    let mut start = ops.start;
    let mut spread: HashSet<TensorId> = HashSet::new();
    for index in ops.clone() {
        let node = &graph.nodes[index];
        if gathers(node).iter().any(|t| spread.contains(t)) {
            phases.push(start..index);
            start = index;
            spread.clear();
        }
        let again = match node.op {
            OpKind::Embed => true,
            op if op.is_norm() => true,
            op if op.is_product() => false,
            // Element by element: as far as what it reads.
            _ => !node.reads.iter().any(|t| spread.contains(t)),
        };
        if !again {
            spread.insert(node.writes);
        }
    }
    phases.push(start..ops.end);
    phases
}

/// The operands of which an op needs more than its own tile.
fn gathers(node: &Node) -> &[TensorId] {
    match node.op {
        // Scores need all keys of the sequence, the output all values.
        OpKind::Qk | OpKind::Pv => node.reads.get(1..).unwrap_or_default(),
        op if op.is_product() || op.is_norm() => &node.reads,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fusion::{Plan, Version};

    fn names(graph: &Graph, phases: &[Range<usize>]) -> Vec<Vec<&'static str>> {
        phases
            .iter()
            .map(|p| graph.nodes[p.clone()].iter().map(|n| n.op.name()).collect())
            .collect()
    }

    #[test]
    fn the_block_has_the_five_phases_of_the_five_kernel_plan() {
        // docs/cost-model.md: a norm behind products, and `five`.
        let graph = Graph::of_layers(1, false);
        let plan = Plan::new(&graph, Version::V4.cut(), false);
        assert_eq!(
            names(&graph, &plan.kernels[1].phases),
            vec![
                vec!["norm1", "q", "k", "v", "rope_q", "rope_k"],
                vec!["qk", "softmax", "pv"],
                vec!["o", "res1"],
                vec!["norm2", "gate", "up", "silu", "mul"],
                vec!["down", "res2"],
            ]
        );
    }

    #[test]
    fn plans_without_grid_wide_waits_have_one_phase_per_kernel() {
        let graph = Graph::of_layers(2, false);
        for version in [Version::V1, Version::V2, Version::Five] {
            let plan = Plan::new(&graph, version.cut(), false);
            assert!(
                plan.kernels.iter().all(|k| k.phases.len() == 1),
                "{version:?}"
            );
        }
    }

    #[test]
    fn a_sum_and_the_norm_of_its_row_need_no_wait_and_one_behind_a_product_does() {
        let graph = Graph::of_layers(2, false);
        let v3 = Plan::new(&graph, Version::V3.cut(), false);
        assert!(v3.kernels.iter().all(|k| k.phases.len() == 1));
        // o makes columns of h in many blocks, and norm2 needs them all.
        let at = |op| graph.nodes.iter().position(|n| n.op == op).unwrap();
        let (o, norm2) = (at(OpKind::O), at(OpKind::Norm2));
        assert_eq!(
            names(&graph, &phases(&graph, &(o..norm2 + 1))),
            vec![vec!["o", "res1"], vec!["norm2"]]
        );
        // RoPE on load, and swiglu on load: attention and down make it again.
        let (rope, pv) = (at(OpKind::RopeQ), at(OpKind::Pv));
        assert_eq!(phases(&graph, &(rope..pv + 1)).len(), 1);
        let (silu, down) = (at(OpKind::Silu), at(OpKind::Down));
        assert_eq!(phases(&graph, &(silu..down + 1)).len(), 1);
    }

    #[test]
    fn the_whole_forward_waits_five_times_per_block() {
        // Five phases per block, and the head after the last: 5L waits.
        let graph = Graph::of_layers(4, false);
        let plan = Plan::new(&graph, Version::Forward.cut(), false);
        assert_eq!(plan.kernels.len(), 1);
        assert_eq!(plan.kernels[0].phases.len() - 1, 5 * 4);
    }
}
