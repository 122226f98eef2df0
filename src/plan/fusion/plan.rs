//! The plan: a cut applied to a forward.

use std::ops::Range;

use super::cut::Boundary;
use super::{Cut, phases};
use crate::model::{BLOCK_OPS, Graph, OpKind, Place, TensorId, TensorKind, WeightId};

/// One kernel, one launch: a contiguous range of the forward's ops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Its ops, as a range of [`Graph::nodes`].
    pub ops: Range<usize>,
    /// Tensors that it reads and did not make, each once.
    pub reads: Vec<TensorId>,
    /// Weights that it uses, each once.
    pub weights: Vec<WeightId>,
    /// Tensors that it makes and writes.
    pub writes: Vec<TensorId>,
    /// Tensors that it makes and nobody else reads: they move 0 bytes.
    pub inside: Vec<TensorId>,
    /// Ranges of ops between which the whole grid must wait.
    pub phases: Vec<Range<usize>>,
}

impl Kernel {
    /// Its ops, in order.
    pub fn op_kinds<'g>(&self, graph: &'g Graph) -> impl Iterator<Item = OpKind> + use<'g> {
        graph.nodes[self.ops.clone()].iter().map(|node| node.op)
    }

    /// Its ops' names; RoPE of q and of k together are one `rope`.
    pub fn op_names(&self, graph: &Graph) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = Vec::new();
        for op in self.op_kinds(graph) {
            if op == OpKind::RopeK && names.last() == Some(&OpKind::RopeQ.name()) {
                names.pop();
                names.push("rope");
            } else {
                names.push(op.name());
            }
        }
        names
    }

    /// What it is called: its ops joined by `+`; `block` and `forward` by name.
    pub fn name(&self, graph: &Graph) -> String {
        if self.ops.len() == graph.nodes.len() {
            return "forward".to_owned();
        }
        if self.op_kinds(graph).eq(BLOCK_OPS) {
            return "block".to_owned();
        }
        let names = self.op_names(graph);
        match names.as_slice() {
            [first, .., last] if names.len() > BLOCK_OPS.len() => format!("{first}…{last}"),
            _ => names.join("+"),
        }
    }
}

/// An ordered list of kernels that together are the whole forward.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The cut that made it.
    pub cut: Cut,
    /// Kernels in the order of launch.
    pub kernels: Vec<Kernel>,
}

impl Plan {
    /// Cuts `graph`. With `keep_kv`, rotated keys and values are written in any
    /// case, because a cache is being filled.
    pub fn new(graph: &Graph, cut: Cut, keep_kv: bool) -> Self {
        let last_reader = last_readers(graph);
        let mut kernels = Vec::new();
        let mut start = 0;
        for index in 0..graph.nodes.len() {
            let last = index + 1 == graph.nodes.len();
            if last || !boundary_after(graph, index).is_some_and(|boundary| cut.is_joined(boundary))
            {
                kernels.push(kernel(graph, start..index + 1, &last_reader, keep_kv));
                start = index + 1;
            }
        }
        Self { cut, kernels }
    }

    /// Launches of the whole forward.
    pub fn launches(&self) -> usize {
        self.kernels.len()
    }

    /// The kernel that holds an op, by the op's index in [`Graph::nodes`].
    pub fn kernel_of(&self, node: usize) -> Option<usize> {
        self.kernels.iter().position(|k| k.ops.contains(&node))
    }
}

/// The boundary between op `index` and the next op of the forward.
fn boundary_after(graph: &Graph, index: usize) -> Option<Boundary> {
    match graph.nodes[index].op {
        OpKind::Embed | OpKind::FinalNorm => Some(Boundary::ENDS),
        OpKind::LmHead => None,
        op => {
            let within = BLOCK_OPS.iter().position(|o| *o == op)?;
            Boundary::after(within)
        }
    }
}

/// For each tensor the index of the last op that reads it.
pub(crate) fn last_readers(graph: &Graph) -> Vec<Option<usize>> {
    let mut last = vec![None; graph.tensors.len()];
    for (index, node) in graph.nodes.iter().enumerate() {
        for id in &node.reads {
            last[id.0 as usize] = Some(index);
        }
    }
    last
}

fn kernel(
    graph: &Graph,
    ops: Range<usize>,
    last_reader: &[Option<usize>],
    keep_kv: bool,
) -> Kernel {
    let mut made = Vec::new();
    let mut reads = Vec::new();
    let mut weights = Vec::new();
    for node in &graph.nodes[ops.clone()] {
        for id in &node.reads {
            if !made.contains(id) && !reads.contains(id) {
                reads.push(*id);
            }
        }
        weights.extend(node.weight);
        made.push(node.writes);
    }
    let (writes, inside) = made.into_iter().partition(|id| {
        let tensor = graph.tensor_at(*id);
        let read_later = last_reader[id.0 as usize].is_some_and(|reader| reader >= ops.end);
        let cached = keep_kv && matches!(tensor.kind, TensorKind::Kr | TensorKind::V);
        read_later || cached || tensor.kind.place() == Place::Output
    });
    Kernel {
        phases: phases::phases(graph, &ops),
        ops,
        reads,
        weights,
        writes,
        inside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fusion::{Fusion, Version};
    use proptest::prelude::*;

    #[test]
    fn launches_are_those_of_the_version_table() {
        // docs/cost-model.md: per forward at L 4: 17L+3, 11L+3, 8L+3, L+3, 1;
        // v2eager 12L+3, v3code 15L+3, v3doc 4L+3, five 5L+3.
        let graph = Graph::of_layers(4, false);
        for (version, launches) in [
            (Version::V1, 71),
            (Version::V2, 47),
            (Version::V3, 35),
            (Version::V4, 7),
            (Version::V2Eager, 51),
            (Version::V3Code, 63),
            (Version::V3Doc, 19),
            (Version::Five, 23),
            (Version::Forward, 1),
        ] {
            let plan = Plan::new(&graph, version.cut(), false);
            assert_eq!(plan.launches(), launches, "{version:?}");
        }
    }

    #[test]
    fn norm_residual_joins_a_block_to_the_next_and_the_last_to_the_final_norm() {
        let graph = Graph::of_layers(2, false);
        let plan = Plan::new(&graph, Cut::v1().fuse(Fusion::NormResidual), false);
        let names: Vec<String> = plan.kernels.iter().map(|k| k.name(&graph)).collect();
        assert_eq!(names.iter().filter(|n| *n == "res2+norm1").count(), 1);
        let last = plan
            .kernels
            .iter()
            .find(|k| k.name(&graph) == "res2+final_norm")
            .unwrap();
        // Its y is read by nobody again, so only nf is written.
        let written: Vec<&str> = last
            .writes
            .iter()
            .map(|id| graph.tensor_at(*id).name())
            .collect();
        assert_eq!(written, ["nf"]);
    }

    #[test]
    fn the_rope_pair_is_one_op_by_name_unless_it_is_split() {
        let graph = Graph::of_layers(1, false);
        let names = |cut: Cut| -> Vec<String> {
            Plan::new(&graph, cut, false)
                .kernels
                .iter()
                .map(|k| k.name(&graph))
                .collect()
        };
        assert!(names(Cut::v1()).contains(&"rope".to_owned()));
        let split = names(Cut::v1().with_rope_split());
        assert!(split.contains(&"rope_q".to_owned()) && split.contains(&"rope_k".to_owned()));
        assert!(names(Version::V4.cut().with_rope_split()).contains(&"block".to_owned()));
    }

    proptest! {
        /// Whatever the cut: every op is in exactly one kernel, in order, and
        /// what a kernel reads was written by an earlier one.
        #[test]
        fn a_plan_covers_the_forward(bits in 0u32..(1 << 19), past: bool, keep: bool) {
            let graph = Graph::of_layers(3, past);
            let cut = (0..19).filter(|b| bits & (1 << b) != 0)
                .fold(Cut::NONE, |cut, b| match b {
                    18 => cut.joined(Boundary::ENDS),
                    b => Boundary::after(b).map_or(cut, |w| cut.joined(w)),
                });
            let plan = Plan::new(&graph, cut, keep);
            let mut next = 0;
            let mut written: Vec<TensorId> = Vec::new();
            for k in &plan.kernels {
                prop_assert_eq!(k.ops.start, next);
                next = k.ops.end;
                for id in &k.reads {
                    let place = graph.tensor_at(*id).kind.place();
                    prop_assert!(written.contains(id) || matches!(place, Place::Input | Place::Cache));
                }
                prop_assert_eq!(k.phases.first().map(|p| p.start), Some(k.ops.start));
                prop_assert_eq!(k.phases.last().map(|p| p.end), Some(k.ops.end));
                written.extend(&k.writes);
            }
            prop_assert_eq!(next, graph.nodes.len());
        }
    }
}
