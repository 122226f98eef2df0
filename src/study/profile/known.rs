//! Names of kernels: those of a plan (`gate+up`), and those that the GPU
//! backends launch, each of which may compute several kernels of a plan.

use plan::model::{BLOCK_OPS, OpKind};

/// The entry of a fixed list that reads the same.
pub(super) fn find<const N: usize>(list: &[&'static str; N], name: &str) -> Option<&'static str> {
    list.iter().find(|known| **known == name).copied()
}

/// A kernel's name without what compilers and tools put around it: `void`, its
/// arguments, its template's, `[clone .kd]`.
pub(super) fn bare(name: &str) -> &str {
    let name = name.trim();
    let name = name.strip_prefix("void ").unwrap_or(name);
    let end = name.find(['(', '<', '[']).unwrap_or(name.len());
    let name = name.get(..end).unwrap_or(name).trim();
    name.strip_suffix(".kd").unwrap_or(name)
}

/// The ops of a plan's kernel by its name: `gate+up`, `rope`, `block`.
pub(super) fn ops(name: &str) -> Option<Vec<OpKind>> {
    if name == "block" {
        return Some(BLOCK_OPS.to_vec());
    }
    let mut found = Vec::new();
    for word in name.split('+') {
        if word == "rope" {
            found.extend([OpKind::RopeQ, OpKind::RopeK]);
        } else {
            found.push(OpKind::parse(word)?);
        }
    }
    Some(found)
}

/// Entry points of the GPU backends (`kernels/`), and what each stands for.
const ENTRIES: [(&str, &str); 19] = [
    ("embed", "embed"),
    ("rmsnorm", "rmsnorm"),
    ("gemm", "gemm"),
    ("gemm_one_role", "gemm"),
    ("rope", "rope"),
    ("qk", "qk"),
    ("softmax", "softmax"),
    ("pv", "pv"),
    ("residual", "residual"),
    ("silu", "silu"),
    ("mul", "mul"),
    ("qkv", "qkv"),
    ("flash", "flash"),
    ("flash_decode", "flash"),
    ("residual_norm", "residual_norm"),
    ("gemm_residual", "gemm_residual"),
    ("gate_up", "gate_up"),
    ("silu_mul", "silu_mul"),
    ("block", "block"),
];

/// What an entry point of ours stands for; none for another's kernel.
pub fn family(name: &str) -> Option<&'static str> {
    let name = bare(name);
    if name == "block_decode" {
        return Some("block");
    }
    ENTRIES
        .iter()
        .find(|(entry, _)| *entry == name)
        .map(|(_, family)| *family)
}

/// What computes these ops, where the GPU backends have it.
pub fn family_of(ops: &[OpKind]) -> Option<&'static str> {
    use OpKind as O;
    Some(match ops {
        [O::Embed] => "embed",
        [O::Norm1 | O::Norm2 | O::FinalNorm] => "rmsnorm",
        [O::Qk] => "qk",
        [O::Softmax] => "softmax",
        [O::Pv] => "pv",
        [O::Silu] => "silu",
        [O::Mul] => "mul",
        [O::Res1 | O::Res2] => "residual",
        [O::RopeQ] | [O::RopeK] | [O::RopeQ, O::RopeK] => "rope",
        [one] if one.is_weight_product() => "gemm",
        [O::Qk, O::Softmax, O::Pv] => "flash",
        [O::Res1, O::Norm2] | [O::Res2, O::Norm1 | O::FinalNorm] => "residual_norm",
        [O::O, O::Res1] | [O::Down, O::Res2] => "gemm_residual",
        [O::Silu, O::Mul] => "silu_mul",
        [O::Q, O::K, O::V, ..] | [O::Norm1, O::Q, O::K, O::V, ..] if ops.len() <= 6 => "qkv",
        [O::Gate, O::Up, ..] | [O::Norm2, O::Gate, O::Up, ..] if ops.len() <= 5 => "gate_up",
        ops if ops.len() >= BLOCK_OPS.len() => "block",
        _ => return None,
    })
}

/// Copies and fills of the runtimes: launches of no plan.
pub(super) fn is_runtime(name: &str) -> bool {
    let name = bare(name);
    ["__amd_rocclr_", "[CUDA mem", "Memcpy", "Memset"]
        .iter()
        .any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_tools_put_around_them() {
        assert_eq!(
            bare("bodyForce(Body*, float, int) [clone .kd]"),
            "bodyForce"
        );
        assert_eq!(
            bare("void addition_kernel<float>(float*)"),
            "addition_kernel"
        );
        assert_eq!(bare("rmsnorm.kd"), "rmsnorm");
        assert_eq!(family("flash_decode"), Some("flash"));
        assert_eq!(family("ampere_fp16_gemm"), None);
    }
}
