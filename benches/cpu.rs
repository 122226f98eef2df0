//! How long a forward takes on this machine's CPU, version by version.
//!
//! `cargo bench --bench cpu` measures the workshop's shape; `CPU_BENCH=all`
//! adds the sizes at which scores and FFN tensors leave the cache.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a bench may stop at the first surprise"
)]

use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tinyllama_tutor::backend::cpu::{Isa, PackedModel, ReadyPlan, Threads};
use tinyllama_tutor::backend::tokens::Tokens;
use tinyllama_tutor::backend::weights::Weights;
use tinyllama_tutor::cost::{Config, Planned};
use tinyllama_tutor::fusion::Version;
use tinyllama_tutor::model::{Dtype, Shape};
use tinyllama_tutor::run::{RunError, Unwatched};

fn ready(preset: &str, shape: Shape, dtype: Dtype, version: Version) -> ReadyPlan {
    let mut config = Config::preset(preset, version.cut()).unwrap();
    config.shape = shape;
    config.dtype = dtype;
    let weights = Weights::seeded(&config.model, 1, dtype).unwrap();
    let load = |id| {
        weights
            .tensor(id)
            .map_err(|e| RunError::bad_request(e.to_string()))
    };
    let packed = PackedModel::pack(&config.model, dtype, Isa::detect(), load).unwrap();
    let planned = Planned::of(&config).unwrap();
    let mut ready = ReadyPlan::new(Arc::new(packed), Threads::new(None), planned).unwrap();
    let (batch, context) = (shape.batch as usize, shape.context as usize);
    let tokens = Tokens::seeded(1, batch, context, config.model.vocab);
    ready.start(tokens.ids(), &Unwatched).unwrap();
    ready
}

fn forwards(c: &mut Criterion) {
    let decode = Shape {
        batch: 1,
        seq: 1,
        context: 128,
    };
    let mut cases = vec![
        ("workshop", Shape::prefill(1, 128), Dtype::Fp32),
        ("workshop", Shape::prefill(1, 128), Dtype::Bf16),
        ("workshop", Shape::prefill(8, 128), Dtype::Fp32),
        ("workshop", decode, Dtype::Fp32),
    ];
    if std::env::var("CPU_BENCH").is_ok_and(|v| v == "all") {
        cases.extend([
            ("workshop", Shape::prefill(1, 512), Dtype::Fp32),
            ("workshop", Shape::prefill(1, 1024), Dtype::Fp32),
            ("workshop", Shape::prefill(1, 2048), Dtype::Fp32),
            ("small", Shape::prefill(8, 128), Dtype::Fp32),
        ]);
    }
    for (preset, shape, dtype) in cases {
        let name = format!(
            "{preset} B{} S{} T{} {}",
            shape.batch,
            shape.seq,
            shape.context,
            dtype.name()
        );
        let mut group = c.benchmark_group(name);
        group.sample_size(20);
        for version in Version::WORKSHOP {
            let ready = ready(preset, shape, dtype, version);
            group.bench_function(BenchmarkId::from_parameter(version.title()), |b| {
                b.iter(|| ready.forward(&Unwatched).unwrap());
            });
        }
        group.finish();
    }
}

criterion_group!(benches, forwards);
criterion_main!(benches);
