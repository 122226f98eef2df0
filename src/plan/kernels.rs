//! The table of kernels: which lists of ops the GPU backends compute in one launch,
//! by which entry point, in which file of `kernels/`.
//!
//! Data only. What a launch takes (arguments, geometry, definitions) stands in the
//! backend's lowering, which takes entry and file from here; the readers of profiles
//! take the names. A kernel more is a row, or an entry of a row, and its lowering.

use crate::model::{BLOCK_OPS, OpKind};

/// What the kernels of a row have in common: the ops that they stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is the row of its name in KERNELS")]
pub enum Family {
    Embed,
    Norm,
    Product,
    Rope,
    Qk,
    Softmax,
    Pv,
    Residual,
    Silu,
    Mul,
    Qkv,
    Flash,
    ResidualNorm,
    ProductResidual,
    GateUp,
    SiluMul,
    Block,
}

/// Which of a family's kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Any device, any shape.
    Plain,
    /// Few new tokens of a sequence over a longer past.
    Decode,
    /// Warpgroup products and bulk tensor copies: sm_90a.
    Hopper,
    /// To be read beside another; no plan launches it.
    Read,
}

/// An entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its name (`extern "C"`), which profilers show.
    pub name: &'static str,
    /// Its file under `kernels/`.
    pub file: &'static str,
    /// When it is taken.
    pub variant: Variant,
}

/// One row: some lists of ops, and the kernels that compute any of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelRow {
    /// What it is.
    pub family: Family,
    /// The lists of ops, each one launch. Beside them a [`Family::Block`] is the
    /// whole forward.
    pub ops: &'static [&'static [OpKind]],
    /// The kernels; the first is the one after which profiles name the row.
    pub entries: &'static [Entry],
}

use OpKind as O;

/// Every kernel of the GPU backends.
pub const KERNELS: [KernelRow; 17] = [
    row(Family::Embed, &[&[O::Embed]], &[plain("embed", "embed.cu")]),
    row(
        Family::Norm,
        &[&[O::Norm1], &[O::Norm2], &[O::FinalNorm]],
        &[plain("rmsnorm", "rmsnorm.cu")],
    ),
    row(
        Family::Product,
        &[
            &[O::Q],
            &[O::K],
            &[O::V],
            &[O::O],
            &[O::Gate],
            &[O::Up],
            &[O::Down],
            &[O::LmHead],
        ],
        &[
            plain("gemm", "gemm.cu"),
            hopper("gemm", "hopper/gemm.cu"),
            entry("gemm_one_role", "hopper/gemm_one_role.cu", Variant::Read),
        ],
    ),
    row(
        Family::Rope,
        &[&[O::RopeQ, O::RopeK], &[O::RopeQ], &[O::RopeK]],
        &[plain("rope", "rope.cu")],
    ),
    row(Family::Qk, &[&[O::Qk]], &[plain("qk", "qk.cu")]),
    row(
        Family::Softmax,
        &[&[O::Softmax]],
        &[plain("softmax", "softmax.cu")],
    ),
    row(Family::Pv, &[&[O::Pv]], &[plain("pv", "pv.cu")]),
    row(
        Family::Residual,
        &[&[O::Res1], &[O::Res2]],
        &[plain("residual", "residual.cu")],
    ),
    row(Family::Silu, &[&[O::Silu]], &[plain("silu", "silu.cu")]),
    row(Family::Mul, &[&[O::Mul]], &[plain("mul", "mul.cu")]),
    row(
        Family::Qkv,
        &[
            &[O::Q, O::K, O::V],
            &[O::Q, O::K, O::V, O::RopeQ, O::RopeK],
            &[O::Norm1, O::Q, O::K, O::V],
            &[O::Norm1, O::Q, O::K, O::V, O::RopeQ, O::RopeK],
        ],
        &[plain("qkv", "qkv.cu"), hopper("qkv", "hopper/qkv.cu")],
    ),
    row(
        Family::Flash,
        &[&[O::Qk, O::Softmax, O::Pv]],
        &[
            plain("flash", "flash.cu"),
            entry("flash_decode", "flash_decode.cu", Variant::Decode),
        ],
    ),
    row(
        Family::ResidualNorm,
        &[
            &[O::Res1, O::Norm2],
            &[O::Res2, O::Norm1],
            &[O::Res2, O::FinalNorm],
        ],
        &[plain("residual_norm", "residual_norm.cu")],
    ),
    row(
        Family::ProductResidual,
        &[&[O::O, O::Res1], &[O::Down, O::Res2]],
        &[
            plain("gemm_residual", "gemm_residual.cu"),
            hopper("gemm_residual", "hopper/gemm_residual.cu"),
        ],
    ),
    row(
        Family::GateUp,
        &[
            &[O::Gate, O::Up],
            &[O::Norm2, O::Gate, O::Up],
            &[O::Gate, O::Up, O::Silu, O::Mul],
            &[O::Norm2, O::Gate, O::Up, O::Silu, O::Mul],
        ],
        &[
            plain("gate_up", "gate_up.cu"),
            hopper("gate_up", "hopper/gate_up.cu"),
        ],
    ),
    row(
        Family::SiluMul,
        &[&[O::Silu, O::Mul]],
        &[plain("silu_mul", "silu_mul.cu")],
    ),
    row(
        Family::Block,
        &[&BLOCK_OPS],
        &[
            plain("block", "block.cu"),
            hopper("block", "hopper/block.cu"),
            entry("block_decode", "block_decode.cu", Variant::Decode),
        ],
    ),
];

const fn row(
    family: Family,
    ops: &'static [&'static [OpKind]],
    entries: &'static [Entry],
) -> KernelRow {
    KernelRow {
        family,
        ops,
        entries,
    }
}

const fn entry(name: &'static str, file: &'static str, variant: Variant) -> Entry {
    Entry {
        name,
        file,
        variant,
    }
}

const fn plain(name: &'static str, file: &'static str) -> Entry {
    entry(name, file, Variant::Plain)
}

const fn hopper(name: &'static str, file: &'static str) -> Entry {
    entry(name, file, Variant::Hopper)
}

impl Family {
    /// The row of a list of ops; `None` where no kernel of ours computes it.
    pub fn of_ops(ops: &[OpKind]) -> Option<Self> {
        if is_forward(ops) {
            return Some(Self::Block);
        }
        let row = KERNELS.iter().find(|row| row.ops.contains(&ops))?;
        Some(row.family)
    }

    /// The row of an entry point; `None` for another's kernel.
    pub fn of_entry(name: &str) -> Option<Self> {
        let has = |row: &&KernelRow| row.entries.iter().any(|entry| entry.name == name);
        Some(KERNELS.iter().find(has)?.family)
    }

    /// The row of this family.
    pub fn row(self) -> Option<&'static KernelRow> {
        KERNELS.iter().find(|row| row.family == self)
    }

    /// The family's kernel for a case.
    pub fn entry(self, variant: Variant) -> Option<&'static Entry> {
        let mut entries = self.row()?.entries.iter();
        entries.find(|entry| entry.variant == variant)
    }

    /// What profiles call it: its first entry point.
    pub fn name(self) -> &'static str {
        let first = self.row().and_then(|row| row.entries.first());
        first.map_or("", |entry| entry.name)
    }
}

/// Whether these ops are a whole forward: whole blocks between its ends.
fn is_forward(ops: &[OpKind]) -> bool {
    match ops {
        [O::Embed, blocks @ .., O::FinalNorm, O::LmHead] => {
            blocks.chunks(BLOCK_OPS.len()).all(|ops| ops == BLOCK_OPS)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::fusion::{Cut, Plan};
    use crate::model::Graph;

    #[test]
    fn every_list_of_ops_and_every_file_stands_once() {
        let mut lists = HashSet::new();
        let mut files = HashSet::new();
        let mut families = HashSet::new();
        for row in &KERNELS {
            assert!(families.insert(row.family), "{:?}", row.family);
            assert!(row.entries[0].variant == Variant::Plain, "{:?}", row.family);
            for ops in row.ops {
                assert!(lists.insert(*ops), "{ops:?}");
                assert_eq!(Family::of_ops(ops), Some(row.family));
            }
            let mut variants = HashSet::new();
            for entry in row.entries {
                assert!(files.insert(entry.file), "{}", entry.file);
                assert!(variants.insert(entry.variant), "{}", entry.file);
                assert_eq!(Family::of_entry(entry.name), Some(row.family));
            }
        }
    }

    #[test]
    fn a_forward_of_any_depth_is_a_block_and_its_parts_are_not() {
        for layers in 1..4 {
            let graph = Graph::of_layers(layers, false);
            let plan = Plan::new(&graph, Cut::EVERYTHING, false);
            let ops: Vec<OpKind> = plan.kernels[0].op_kinds(&graph).collect();
            assert_eq!(Family::of_ops(&ops), Some(Family::Block));
            assert_eq!(Family::of_ops(&ops[1..]), None);
            assert_eq!(Family::of_ops(&ops[..ops.len() - 1]), None);
        }
        assert_eq!(Family::of_ops(&BLOCK_OPS[..17]), None);
        assert_eq!(Family::of_ops(&[]), None);
        assert_eq!(Family::of_entry("ampere_fp16_gemm"), None);
    }
}
