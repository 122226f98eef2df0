//! What a framework's kernel computes and whose it is, by its name alone.
//!
//! Names as PyTorch 2.11 launches them on an H200 (`at::native`, cuBLAS, cuDNN,
//! CUTLASS, Inductor, Triton), read off profiles; those of ROCm (Tensile's `Cijk_…`,
//! AOTriton's `attn_fwd`, Composable Kernel) from the libraries' own documents. Tools
//! cut names short: `elementwise_kernel` alone is an elementwise kernel of which no more
//! is known.

/// What one launch computes, as far as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Does {
    /// A matrix product.
    Product,
    /// What a product leaves to a second kernel: the sum over its split sum.
    SplitSum,
    /// Scores, softmax and values in one kernel.
    Attention,
    /// Softmax of rows.
    Softmax,
    /// A whole norm.
    Norm,
    /// A reduction of rows.
    Reduce,
    /// Rows of a table, chosen by index.
    Gather,
    /// silu, with the product by `up` where it is one kernel.
    Silu,
    /// Sum of two tensors.
    Add,
    /// Product of two tensors.
    Mul,
    /// Minus.
    Neg,
    /// Tensors put beside each other.
    Cat,
    /// A copy into another layout.
    Copy,
    /// A copy into another element type.
    Cast,
    /// Rotation of q and k, compiled into one kernel.
    Rope,
    /// Cosine or sine.
    Trigonometry,
    /// A constant.
    Fill,
    /// Indices, comparisons, choices.
    Index,
    /// Elementwise, and no more is known.
    Elementwise,
    /// The loss of training.
    Loss,
    /// A gradient.
    Backward,
    /// A step of the optimizer.
    Optimizer,
    /// A copy by the runtime.
    RuntimeCopy,
    /// A memset by the runtime.
    RuntimeFill,
    /// Nothing that is known.
    Unknown,
}

/// One rule: any of these in the name, in lower case.
type Rule = (Does, &'static [&'static str]);

/// Rules in order; the first that fits counts.
const RULES: &[Rule] = &[
    (Does::RuntimeCopy, &["memcpy", "__amd_rocclr_copy"]),
    (Does::RuntimeFill, &["memset", "__amd_rocclr_fill"]),
    (
        Does::Optimizer,
        &[
            "multi_tensor_apply",
            "fusedadam",
            "fused_adam",
            "adam_kernel",
        ],
    ),
    (
        Does::Backward,
        &[
            "backward",
            "fmha_cutlassb",
            "fmhabwd",
            "_bwd",
            "bwd_kernel",
            "attn_bwd",
            "flash_bwd",
        ],
    ),
    (
        Does::Loss,
        &["nll_loss", "cross_entropy", "logsoftmax", "log_softmax"],
    ),
    (
        Does::Attention,
        &[
            "fmha",
            "flash_fwd",
            "flash_attn",
            "flash_attention",
            "flashattn",
            "attn_fwd",
            "attention",
            "sdpa",
        ],
    ),
    (
        Does::SplitSum,
        &[
            "splitkreduce",
            "split_k_kernel",
            "splitk_reduce",
            "postgsu",
            "gemmk1_reduce",
        ],
    ),
    (
        Does::Product,
        &[
            "gemm", "gemv", "nvjet", "cijk_", "cutlass", "matmul", "_xmma_", "gemmsn",
        ],
    ),
    (Does::Softmax, &["softmax"]),
    (
        Does::Norm,
        &["rms_norm", "rmsnorm", "layer_norm", "layernorm"],
    ),
    (
        Does::Gather,
        &["gather_kernel", "indexselect", "index_select", "embedding"],
    ),
    (
        Does::Index,
        &[
            "argmax",
            "argmin",
            "maxnan",
            "minnan",
            "reduceop<long",
            "reduceop<bool",
            "triu_tril",
            "arange",
            "where_kernel",
            "compare",
            "scan",
            "bitwise",
            "masked_fill",
            "isneginf",
            "logical",
            "indexput",
            "index_put",
            "index_elementwise",
            "sort",
            "topk",
            "clamp",
        ],
    ),
    (Does::Reduce, &["reduce_kernel", "reduce_1block"]),
    (Does::Silu, &["silu", "swiglu"]),
    (Does::Trigonometry, &["cos_kernel", "sin_kernel"]),
    (Does::Fill, &["fillfunctor", "fill_kernel"]),
    (Does::Cat, &["catarraybatched"]),
    (Does::Cast, &["float16_copy"]),
    (Does::Copy, &["copy_kernel"]),
    (Does::Neg, &["neg_kernel"]),
    (
        Does::Elementwise,
        &["functoronself_add", "functoronother_add", "unaryfunctor"],
    ),
    (Does::Add, &["functor_add"]),
    (Does::Mul, &["mulfunctor"]),
    (Does::Elementwise, &["elementwise_kernel"]),
];

/// Words of a kernel that Inductor compiled: it names the ops that it joined, as
/// `triton_per_fused_add_mean_mul_pow_rsqrt_3`.
fn compiled(name: &str) -> Does {
    let words: Vec<&str> = name.split('_').collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    if has(&["backward"]) {
        return Does::Backward;
    }
    if has(&["nll", "log"]) {
        return Does::Loss;
    }
    if has(&["softmax"]) {
        return Does::Softmax;
    }
    if has(&["mean", "rsqrt", "norm"]) {
        return Does::Norm;
    }
    if has(&["silu", "sigmoid"]) {
        return Does::Silu;
    }
    if has(&["cumsum", "arange"]) && !has(&["mul"]) {
        return Does::Index;
    }
    if has(&["stack", "cat", "neg", "cos", "sin"]) {
        return Does::Rope;
    }
    if has(&["embedding"]) {
        return Does::Gather;
    }
    match has(&["tem"]) {
        true => Does::Product,
        false => Does::Elementwise,
    }
}

/// What a kernel of this name computes.
pub fn does(name: &str) -> Does {
    let lower = name.to_ascii_lowercase();
    if lower.starts_with("triton_") {
        return compiled(&lower);
    }
    // CUTLASS's entry point, where a tool cut its template.
    if lower == "kernel2" {
        return Does::Product;
    }
    let Some((found, _)) = RULES
        .iter()
        .find(|(_, words)| words.iter().any(|word| lower.contains(word)))
    else {
        return Does::Unknown;
    };
    match found {
        // The flag behind the size: softmax_warp_forward<…, 10, true, false> is log_softmax.
        Does::Softmax if logarithm(&lower) => Does::Loss,
        // A copy that changes the element type is not vectorised.
        Does::Copy if lower.contains("unrolled_elementwise") => Does::Cast,
        found => *found,
    }
}

/// Whether a warp softmax takes the logarithm: the fifth of its template's arguments.
fn logarithm(lower: &str) -> bool {
    let arguments = lower.split_once("softmax_warp_forward<");
    arguments.is_some_and(|(_, rest)| rest.split([',', '>']).nth(4).map(str::trim) == Some("true"))
}

/// Whose a kernel is, by what stands in its name, in lower case.
const MAKERS: &[(&str, &[&str])] = &[
    ("runtime", &["memcpy", "memset", "__amd_rocclr_"]),
    ("cuDNN", &["cudnn"]),
    ("CUTLASS attention", &["fmha_cutlass"]),
    ("FlashAttention", &["flash_fwd", "flash_bwd", "flash::"]),
    ("AOTriton", &["attn_fwd", "attn_bwd", "bwd_kernel_d"]),
    (
        "Composable Kernel",
        &["ck_tile", "ck::", "fmhafwd", "fmhabwd"],
    ),
    ("cuBLASLt", &["nvjet", "cublaslt"]),
    (
        "cuBLAS",
        &[
            "xmma_gemm",
            "cublas",
            "gemvx",
            "gemmsn",
            "gemmk1",
            "sgemm",
            "hgemm",
            "s16816gemm",
            "cutlass",
        ],
    ),
    ("rocBLAS/hipBLASLt", &["cijk_"]),
    ("rocBLAS", &["rocblas"]),
    (
        "Inductor",
        &["triton_poi_", "triton_red_", "triton_per_", "triton_tem_"],
    ),
    (
        "PyTorch",
        &[
            "at::",
            "elementwise_kernel",
            "reduce_kernel",
            "softmax_warp",
            "multi_tensor_apply",
            "catarraybatched",
            "nll_loss",
            "embedding",
        ],
    ),
];

/// Whose a kernel of this name is; `Triton` or another's where nothing says more.
pub fn maker(name: &str) -> &'static str {
    let lower = name.to_ascii_lowercase();
    let found = MAKERS
        .iter()
        .find(|(_, words)| words.iter().any(|word| lower.contains(word)));
    found.map_or("own kernels", |(maker, _)| maker)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names as PyTorch 2.11 launched them on an H200, cut where nothing more follows.
    #[test]
    fn names_of_pytorch_say_what_they_compute() {
        let elementwise = |inner: &str| {
            format!(
                "void at::native::vectorized_elementwise_kernel<4, {inner}, std::array<char*, 3ul> >(int)"
            )
        };
        for (name, what) in [
            (
                "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas",
                Does::Product,
            ),
            (
                "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4_execute_split_k_kernel__5x_cublas",
                Does::SplitSum,
            ),
            (
                "nvjet_sm90_tst_64x64_64x13_4x1_v_bz_splitK_TNT",
                Does::Product,
            ),
            (
                "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float>(cublasLt::cublasSplitKParams<float>)",
                Does::SplitSum,
            ),
            (
                "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(cutlass_80_simt_sgemm_128x32_8x5_nn_align1::Params)",
                Does::Product,
            ),
            (
                "fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float>::Params)",
                Does::Attention,
            ),
            (
                "fmha_cutlassB_f32_aligned_64x64_k64_sm80(PyTorchMemEffAttention::AttentionBackwardKernel)",
                Does::Backward,
            ),
            (
                "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1_cga1x1x1_kernel0_0",
                Does::Attention,
            ),
            (
                "void (anonymous namespace)::softmax_warp_forward<float, float, float, 7, false, false>(float*)",
                Does::Softmax,
            ),
            (
                "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>(float*)",
                Does::Loss,
            ),
            (
                "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4, 4> >",
                Does::Reduce,
            ),
            (
                "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<float>, unsigned int, long, 4, 4> >",
                Does::Index,
            ),
            (
                "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*)",
                Does::Gather,
            ),
            (
                &elementwise(
                    "at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >",
                ),
                Does::Mul,
            ),
            (
                &elementwise("at::native::CUDAFunctor_add<float>"),
                Does::Add,
            ),
            (
                &elementwise("at::native::CUDAFunctorOnSelf_add<float>"),
                Does::Elementwise,
            ),
            (
                &elementwise("at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)"),
                Does::Cast,
            ),
            (
                "triton_per_fused__unsafe_view_add_mean_mul_pow_rsqrt_13",
                Does::Norm,
            ),
            ("triton_poi_fused__unsafe_view_mul_silu_split_4", Does::Silu),
            (
                "triton_poi_fused__scaled_dot_product_efficient_attention__unsafe_view_add_clone_expand_mul_select_slice_stack_sub_transpose_unsqueeze_view_2",
                Does::Rope,
            ),
            ("rmsnorm_kernel", Does::Norm),
            ("Memcpy DtoH (Device -> Pinned)", Does::RuntimeCopy),
            ("elementwise_kernel", Does::Elementwise),
            ("embed_rows", Does::Unknown),
        ] {
            assert_eq!(does(name), what, "{name}");
        }
    }

    /// ROCm's names, from the libraries' documents; none was measured here.
    #[test]
    fn names_of_rocm_say_what_they_compute() {
        for (name, what, whose) in [
            (
                "Cijk_Alik_Bljk_SB_MT64x64x16_MI16x16x4x1_SN_1LDSB0_APM1_GSU4.kd",
                Does::Product,
                "rocBLAS/hipBLASLt",
            ),
            (
                "Cijk_Alik_Bljk_BBS_BH_GB_PostGSU4.kd",
                Does::SplitSum,
                "rocBLAS/hipBLASLt",
            ),
            ("attn_fwd.kd", Does::Attention, "AOTriton"),
            ("bwd_kernel_dk_dv.kd", Does::Backward, "AOTriton"),
            ("__amd_rocclr_copyBuffer", Does::RuntimeCopy, "runtime"),
            (
                "void ck_tile::kentry<256, 1, ck_tile::FmhaFwdKernel<ck_tile::BlockFmhaPipeline>>",
                Does::Attention,
                "Composable Kernel",
            ),
        ] {
            assert_eq!((does(name), maker(name)), (what, whose), "{name}");
        }
    }
}
