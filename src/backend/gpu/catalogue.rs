//! Which groups of ops have a kernel.
//!
//! A plan's kernel is a contiguous list of ops; the catalogue knows the lists
//! that are one launch of ours. Everything else is priced but not run.

use std::fmt;

#[cfg(any(feature = "cuda", feature = "hip"))]
use plan::fusion::{Cut, Fusion};
use plan::fusion::{Kernel, Plan};
use plan::model::{BLOCK_OPS, Graph, OpKind};

/// A list of ops that one kernel of ours computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is the list of ops of its name")]
pub enum Pattern {
    Embed,
    Norm,
    Product,
    Rope,
    RopeQ,
    RopeK,
    Qk,
    Softmax,
    Pv,
    Residual,
    Silu,
    Mul,
    Qkv,
    QkvRope,
    NormQkv,
    NormQkvRope,
    Attention,
    ResidualNorm,
    ProductResidual,
    GateUp,
    NormGateUp,
    SiluMul,
    Swiglu,
    NormSwiglu,
    Block,
    Forward,
}

impl Pattern {
    /// The pattern of a plan's kernel, where there is one.
    pub fn of(kernel: &Kernel, graph: &Graph) -> Option<Self> {
        use OpKind as O;
        let ops: Vec<OpKind> = kernel.op_kinds(graph).collect();
        Some(match ops.as_slice() {
            [O::Embed] => Self::Embed,
            [O::Norm1 | O::Norm2 | O::FinalNorm] => Self::Norm,
            [O::Q | O::K | O::V | O::O | O::Gate | O::Up | O::Down | O::LmHead] => Self::Product,
            [O::RopeQ, O::RopeK] => Self::Rope,
            [O::RopeQ] => Self::RopeQ,
            [O::RopeK] => Self::RopeK,
            [O::Qk] => Self::Qk,
            [O::Softmax] => Self::Softmax,
            [O::Pv] => Self::Pv,
            [O::Res1 | O::Res2] => Self::Residual,
            [O::Silu] => Self::Silu,
            [O::Mul] => Self::Mul,
            [O::Q, O::K, O::V] => Self::Qkv,
            [O::Q, O::K, O::V, O::RopeQ, O::RopeK] => Self::QkvRope,
            [O::Norm1, O::Q, O::K, O::V] => Self::NormQkv,
            [O::Norm1, O::Q, O::K, O::V, O::RopeQ, O::RopeK] => Self::NormQkvRope,
            [O::Qk, O::Softmax, O::Pv] => Self::Attention,
            [O::Res1, O::Norm2] | [O::Res2, O::Norm1 | O::FinalNorm] => Self::ResidualNorm,
            [O::O, O::Res1] | [O::Down, O::Res2] => Self::ProductResidual,
            [O::Gate, O::Up] => Self::GateUp,
            [O::Norm2, O::Gate, O::Up] => Self::NormGateUp,
            [O::Silu, O::Mul] => Self::SiluMul,
            [O::Gate, O::Up, O::Silu, O::Mul] => Self::Swiglu,
            [O::Norm2, O::Gate, O::Up, O::Silu, O::Mul] => Self::NormSwiglu,
            ops if ops == BLOCK_OPS => Self::Block,
            ops if ops.len() == graph.nodes.len() => Self::Forward,
            _ => return None,
        })
    }

    /// Whether the kernel begins with a norm whose rows another kernel made:
    /// that kernel hands over the sums of squares.
    pub const fn takes_row_sums(self) -> bool {
        matches!(
            self,
            Self::NormQkv | Self::NormQkvRope | Self::NormGateUp | Self::NormSwiglu
        )
    }
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

/// The names of the kernels of a plan that have no pattern, each once.
pub fn lacks(plan: &Plan, graph: &Graph) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for kernel in &plan.kernels {
        if Pattern::of(kernel, graph).is_none() {
            let name = kernel.name(graph);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Names of the fusions whose kernels are not in the catalogue.
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
        // cost-model.md: V1–V4, v2eager, five, forward, each fusion alone with
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
