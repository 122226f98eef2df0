//! Long names of kernels in short: what tells one from another.

/// A name in a few words: the functor of an elementwise kernel, the tile of a product;
/// others without namespaces.
pub fn short(name: &str) -> String {
    let bare = name.strip_prefix("void ").unwrap_or(name);
    let words = || bare.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    if bare.contains("elementwise_kernel") {
        let tells = |word: &&str| {
            word.ends_with("Functor")
                || word.starts_with("CUDAFunctor")
                || word.ends_with("_kernel_cuda")
                || word.ends_with("_kernel_impl")
                || (word.ends_with("_kernel") && !word.ends_with("elementwise_kernel"))
        };
        // The outer functors say how many operands there are, the inner one which sum.
        let plain =
            |word: &str| !matches!(word, "BinaryFunctor" | "AUnaryFunctor" | "BUnaryFunctor");
        let found = words().filter(tells).find(|word| plain(word));
        let found = found.or_else(|| words().find(tells));
        if let Some(word) = found {
            let ends = ["_kernel_cuda", "_kernel_impl", "_kernel", "Functor"];
            let cut = ends
                .iter()
                .find_map(|end| word.strip_suffix(end))
                .filter(|cut| !cut.is_empty());
            return format!("elementwise {}", cut.unwrap_or(word));
        }
    }
    if let Some((_, behind)) = bare.split_once("tilesize") {
        let tile = behind.split('_').next().unwrap_or_default();
        let kind = bare.split("_gemm").next().unwrap_or_default();
        let split = if bare.contains("split_k") {
            " split sum"
        } else {
            ""
        };
        return format!("{kind} {tile}{split}");
    }
    if let Some((_, behind)) = bare.split_once("cutlass::Kernel2<") {
        return behind.split(['>', '<']).next().unwrap_or(behind).to_owned();
    }
    let open = bare.replace("(anonymous namespace)::", "");
    let end = open.find(['<', '(']).unwrap_or(open.len());
    let head = open.get(..end).unwrap_or(&open);
    head.rsplit("::").next().unwrap_or(head).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_kernels_apart_is_left() {
        for (name, wanted) in [
            (
                "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&)",
                "elementwise Mul",
            ),
            (
                "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}>",
                "elementwise direct_copy",
            ),
            (
                "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)",
                "elementwise CUDAFunctor_add",
            ),
            (
                "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4_execute_split_k_kernel__5x_cublas",
                "sm80_xmma 64x64x8 split sum",
            ),
            (
                "void (anonymous namespace)::softmax_warp_forward<float, float, float, 7, false, false>(float*)",
                "softmax_warp_forward",
            ),
            (
                "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(cutlass_80::Params)",
                "cutlass_80_simt_sgemm_128x32_8x5_nn_align1",
            ),
            ("Memset (Device)", "Memset "),
            ("elementwise_kernel", "elementwise_kernel"),
        ] {
            assert_eq!(short(name).trim(), wanted.trim(), "{name}");
        }
    }
}
