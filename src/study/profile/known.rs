//! Names of kernels: those of a plan (`gate+up`), and those that the GPU
//! backends launch ([`plan::kernels`]), each of which may compute several kernels of
//! a plan.

use plan::kernels::Family;
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

/// The row of the table of kernels that an entry point of ours belongs to; none for
/// another's kernel.
pub(super) fn family(name: &str) -> Option<Family> {
    Family::of_entry(bare(name))
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
        assert_eq!(family("flash_decode"), Some(Family::Flash));
        assert_eq!(family("ampere_fp16_gemm"), None);
    }
}
