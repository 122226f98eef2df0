//! What the table of kernels ([`plan::kernels`]) lacks of a plan: such kernels are
//! priced but not run.

use std::fmt;

#[cfg(any(feature = "cuda", feature = "hip"))]
use plan::fusion::{Cut, Fusion};
use plan::fusion::{Kernel, Plan};
use plan::kernels::Family;
use plan::model::{Graph, OpKind};

/// The row of the table that computes a plan's kernel, and the kernel's ops.
pub(super) fn find(kernel: &Kernel, graph: &Graph) -> Option<(Family, Vec<OpKind>)> {
    let ops: Vec<OpKind> = kernel.op_kinds(graph).collect();
    Some((Family::of_ops(&ops)?, ops))
}

/// Whether a kernel begins with a norm whose rows another kernel made: that kernel
/// hands over the sums of squares.
pub(super) fn takes_row_sums(family: Family, ops: &[OpKind]) -> bool {
    matches!(family, Family::Qkv | Family::GateUp)
        && matches!(ops.first(), Some(OpKind::Norm1 | OpKind::Norm2))
}

/// A kernel of a plan that no GPU kernel of ours computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacks {
    /// The plan's name of the kernel, or the shape that it does not take.
    pub what: String,
}

impl Lacks {
    /// A kernel, or a kernel at a shape, that is not there.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

impl fmt::Display for Lacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "there is no GPU kernel for {}; the model prices it, and --backend cpu runs it",
            self.what
        )
    }
}

impl std::error::Error for Lacks {}

/// The names of the kernels of a plan that are not in the table, each once.
pub fn lacks(plan: &Plan, graph: &Graph) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for kernel in &plan.kernels {
        if find(kernel, graph).is_none() {
            let name = kernel.name(graph);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Names of the fusions whose kernels are not in the table.
#[cfg(any(feature = "cuda", feature = "hip"))]
pub(super) fn fusions_without_kernels() -> Vec<String> {
    let graph = Graph::of_layers(2, false);
    Fusion::ALL
        .into_iter()
        .filter(|fusion| {
            let plan = Plan::new(&graph, Cut::v1().fuse(*fusion), false);
            !lacks(&plan, &graph).is_empty()
        })
        .map(|fusion| fusion.name().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::fusion::{Cut, Fusion, Version};

    fn lacking(cut: Cut) -> Vec<String> {
        let graph = Graph::of_layers(2, false);
        lacks(&Plan::new(&graph, cut, false), &graph)
    }

    #[test]
    fn every_set_that_the_cost_model_promises_has_its_kernels() {
        // docs/cost-model.md: V1–V4, v2eager, five, forward, each fusion alone with
        // what it implies, and norm_residual together with V2's.
        let none: Vec<String> = Vec::new();
        for version in [
            Version::V1,
            Version::V2,
            Version::V3,
            Version::V4,
            Version::V2Eager,
            Version::V3Code,
            Version::Five,
            Version::Forward,
        ] {
            assert_eq!(lacking(version.cut()), none, "{version:?}");
        }
        for fusion in Fusion::ALL {
            assert_eq!(lacking(Cut::v1().fuse(fusion)), none, "{fusion:?}");
        }
        assert_eq!(lacking(Version::V2.cut().fuse(Fusion::NormResidual)), none);
        assert_eq!(lacking(Cut::v1().with_rope_split()), none);
    }

    #[test]
    fn a_cut_by_hand_without_a_kernel_is_named() {
        let cut = Cut::parse_groups(
            "norm1|q|k|v|rope qk|softmax|pv|o|res1|norm2|gate|up|silu|mul|down|res2",
        )
        .unwrap();
        assert_eq!(lacking(cut), ["rope+qk"]);
    }
}
