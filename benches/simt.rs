//! How fast the SIMT machine executes kernels: one tiled product and whole
//! forwards, plain, counted, and with races looked for.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a bench may stop at the first surprise"
)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tinyllama_tutor::backend::gpu::exec::Gpu;
use tinyllama_tutor::backend::gpu::simt::Simt;
use tinyllama_tutor::cost::Config;
use tinyllama_tutor::fusion::Version;
use tinyllama_tutor::model::{Dtype, Shape};
use tinyllama_tutor::run::{BackendKind, Request, Unwatched};
use tinyllama_tutor::simt::{LaunchRequest, Machine, Options, Program};

const TILED: &str = include_str!("../tests/simt/gemm_tile.nvrtc-12.9.ptx");

/// 128×512×256, 4×4 sums per thread.
fn product(c: &mut Criterion) {
    let (m, n, k) = (128_u64, 512, 256);
    let program = Program::parse(TILED).unwrap();
    let mut group = c.benchmark_group("simt/gemm 128x512x256");
    for (name, count, check) in [
        ("plain", false, false),
        ("counted", true, false),
        ("races", true, true),
    ] {
        let mut machine = Machine::new(Options {
            count,
            check,
            ..Options::default()
        });
        let mut params = Vec::new();
        for (name, values) in [("a", m * k), ("b", n * k), ("c", m * n)] {
            let address = machine.alloc(name, 4 * values).unwrap();
            machine.fill(address, 4 * values, 0x3c).unwrap();
            params.extend(address.to_le_bytes());
        }
        for extent in [m, n, k] {
            params.extend((extent as i32).to_le_bytes());
        }
        let request = LaunchRequest {
            entry: "gemm_tile",
            grid: [n.div_ceil(64) as u32, m.div_ceil(64) as u32, 1],
            block: [256, 1, 1],
            shared: 0,
            params: &params,
            cooperative: false,
        };
        let lanes = machine
            .launch(&program, &request)
            .unwrap()
            .lane_instructions();
        group.throughput(Throughput::Elements(lanes));
        group.bench_function(name, |b| {
            b.iter(|| machine.launch(&program, &request).unwrap())
        });
    }
    group.finish();
}

/// From text to a decoded kernel.
fn decode(c: &mut Criterion) {
    let mut group = c.benchmark_group("simt/decode");
    group.throughput(Throughput::Bytes(TILED.len() as u64));
    group.bench_function("gemm_tile", |b| b.iter(|| Program::parse(TILED).unwrap()));
    group.finish();
}

/// A whole forward of the workshop's model, as `run --backend simt` does it: plain,
/// counted, and with races looked for.
fn forward(c: &mut Criterion) {
    let mut group = c.benchmark_group("simt/forward B1");
    group.sample_size(10);
    for (version, seq, dtype) in [
        (Version::V1, 128, Dtype::Fp32),
        (Version::V2, 128, Dtype::Fp32),
        (Version::V2, 128, Dtype::Bf16),
        (Version::V2, 16, Dtype::Fp32),
        (Version::V4, 16, Dtype::Fp32),
    ] {
        let mut config = Config::preset("workshop", version.cut()).unwrap();
        config.shape = Shape {
            batch: 1,
            seq,
            context: seq,
        };
        config.dtype = dtype;
        for (name, count, races) in [
            ("plain", false, false),
            ("counted", true, false),
            ("races", true, true),
        ] {
            let options = Options {
                count,
                check: races,
                ..Options::default()
            };
            let request = Request {
                backend: BackendKind::Simt,
                runs: 0,
                warm_up: 0,
                check: false,
                races,
                ..Request::new(config.clone())
            };
            let mut gpu = Gpu::new(Simt::new(options));
            let title = format!("{version:?} S{seq} {dtype:?} {name}");
            group.bench_function(title, |b| {
                b.iter(|| gpu.run(BackendKind::Simt, &request, &Unwatched).unwrap())
            });
        }
    }
    group.finish();
}

criterion_group!(benches, product, decode, forward);
criterion_main!(benches);
