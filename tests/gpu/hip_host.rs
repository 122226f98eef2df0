//! The kernels as HIP sees them (AMD's macros, waves of 64 lanes and RDNA's of 32,
//! 64 KiB of LDS), executed on this computer: every unit is compiled by g++ with
//! `tests/hip/host.h`, lanes are fibres. Whole plans run, and every tensor is judged
//! against the fp64 reference; then again with lanes, waves and blocks in the
//! opposite order, and every bit must be the same: a missing barrier shows.
//!
//! It shows indices, exchanges between lanes, tile choice, LDS sizes, the sums. It
//! cannot show memory scopes and fences (one thread executes everything), the matrix
//! units' real layout (imitated as AMD documents it), the hardware's approximate
//! functions, what AMD's compiler makes, or time. Needs g++ on x86-64, else says
//! that it is skipped.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod driver;
mod library;

use driver::Host;
use library::has_compiler;
use tinyllama_tutor::backend::gpu::exec::Gpu;
use tinyllama_tutor::cost::Config;
use tinyllama_tutor::fusion::{Cut, Fusion, Version};
use tinyllama_tutor::model::{Dtype, Model, Shape};
use tinyllama_tutor::run::{Request, Unwatched};

/// Head widths 32, 64 and 128, rows that are whole packs and rows that are not.
fn model(head: u64, ffn: u64) -> Model {
    Model::new("m", 4 * head, 1, 4, 2, ffn, 50).unwrap()
}

const PREFILL: Shape = Shape {
    batch: 2,
    seq: 37,
    context: 37,
};

/// One new token of two sequences, keys of several blocks.
const DECODE: Shape = Shape {
    batch: 2,
    seq: 1,
    context: 75,
};

/// Rows so wide that several waves share one, and sum it through shared memory.
fn wide() -> Model {
    Model::new("wide", 1024, 1, 8, 2, 64, 50).unwrap()
}

fn request(model: &Model, shape: Shape, dtype: Dtype, cut: Cut) -> Request {
    Request::new(Config::forward(model.clone(), shape, dtype, cut))
}

fn examine(gpu: &mut Gpu<Host>, model: &Model, shape: Shape, dtype: Dtype, cut: Cut) {
    let request = request(model, shape, dtype, cut);
    let examined = gpu.examine(&request, None, &Unwatched);
    let fusions: Vec<&str> = cut.fusions().iter().map(|f| f.name()).collect();
    let what = format!("{} {dtype:?} {shape:?} {fusions:?}", gpu.describe());
    let examined = examined.unwrap_or_else(|e| panic!("{what}: {e}"));
    assert!(
        examined.pass,
        "{what}: {:?} {:?}",
        examined.first_wrong, examined.wrong
    );
    assert_eq!(examined.unsteady, None, "{what}");
    assert_eq!(examined.launches.counted, examined.planned, "{what}");
}

const VERSIONS: [Version; 6] = [
    Version::V1,
    Version::V2,
    Version::V3,
    Version::Five,
    Version::V4,
    Version::Forward,
];

#[test]
fn every_version_is_right_with_waves_of_64() {
    if !has_compiler() {
        return;
    }
    let mut gpu = Gpu::new(Host::new("gfx90a"));
    let model = model(32, 96);
    for dtype in [Dtype::Fp32, Dtype::Bf16] {
        for shape in [PREFILL, DECODE] {
            for version in VERSIONS {
                examine(&mut gpu, &model, shape, dtype, version.cut());
            }
            let both = Version::V2.cut().fuse(Fusion::NormResidual);
            examine(&mut gpu, &model, shape, dtype, both);
        }
    }
}

#[test]
fn wider_heads_and_rows_that_are_not_aligned_are_right() {
    if !has_compiler() {
        return;
    }
    let mut gpu = Gpu::new(Host::new("gfx90a"));
    for (head, ffn) in [(64, 90), (128, 96)] {
        for dtype in [Dtype::Fp32, Dtype::Bf16] {
            for version in [Version::V1, Version::V3, Version::V4] {
                examine(&mut gpu, &model(head, ffn), PREFILL, dtype, version.cut());
            }
        }
    }
}

#[test]
fn rows_that_several_waves_share_are_right() {
    if !has_compiler() {
        return;
    }
    let mut gpu = Gpu::new(Host::new("gfx90a"));
    let both = Version::V2.cut().fuse(Fusion::NormResidual);
    for cut in [Version::V1.cut(), both] {
        examine(&mut gpu, &wide(), DECODE, Dtype::Fp32, cut);
    }
}

#[test]
fn architectures_with_other_matrix_units_or_none_are_right_in_bf16() {
    if !has_compiler() {
        return;
    }
    for arch in ["gfx906", "gfx908", "gfx1100"] {
        let mut gpu = Gpu::new(Host::new(arch));
        for version in [Version::V1, Version::V4] {
            examine(
                &mut gpu,
                &model(32, 96),
                PREFILL,
                Dtype::Bf16,
                version.cut(),
            );
        }
    }
}

#[test]
fn a_planted_defect_is_seen() {
    if !has_compiler() {
        return;
    }
    let small = || request(&model(32, 96), PREFILL, Dtype::Fp32, Version::V1.cut());
    let bf16 = |version: Version| request(&model(32, 96), PREFILL, Dtype::Bf16, version.cut());
    let defects: [(&str, &str, Request); 6] = [
        // A warp of 32 where a wave has 64.
        ("#define WARP 64", "#define WARP 32", small()),
        // Shared memory read before all waves have written it.
        (
            "    __syncthreads();\n    int warps",
            "    int warps",
            request(&wide(), DECODE, Dtype::Fp32, Version::V1.cut()),
        ),
        // A stage overwritten while it is read.
        (
            "        __syncthreads(); // this stage has arrived",
            "        // this stage has arrived",
            small(),
        ),
        // A phase that does not wait for the other blocks.
        (
            "        next_phase(call);\n        attention_phase",
            "        __syncthreads();\n        attention_phase",
            bf16(Version::V4),
        ),
        // A result of the matrix unit taken for another row's.
        (
            "* Acc::ROWS + lane_id() / 16 * 4;",
            "* Acc::ROWS + lane_id() / 16;",
            bf16(Version::V1),
        ),
        // A row of queries whose maximum is another's.
        (
            "#define ROW_STRIDE 16",
            "#define ROW_STRIDE 4",
            bf16(Version::V3),
        ),
    ];
    for (from, to, request) in defects {
        let mut host = Host::new("gfx90a");
        host.change = Some((from, to));
        let mut gpu = Gpu::new(host);
        // Wrong, unsteady, or a barrier that is never passed.
        if let Ok(examined) = gpu.examine(&request, None, &Unwatched) {
            assert!(
                !examined.pass || examined.unsteady.is_some(),
                "not seen: {from}"
            );
        }
    }
}
