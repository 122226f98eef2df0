//! Kernels judged: by a reference that is kept, twice in an examination, in sampled rows.

use std::sync::atomic::{AtomicU32, Ordering};

use super::{ARCHS, DECODE, PREFILL, request};
use crate::gpu::exec::fake::{Fake, Fault};
use crate::gpu::exec::{Gpu, Swap, sample};
use plan::fusion::Version;
use plan::model::Dtype;
use plan::run::{BackendKind, Observer, Phase, Progress, Unwatched};

/// Counts the stages of a reference that are made: a stage is told of without a kernel.
#[derive(Default)]
struct Stages(AtomicU32);

impl Stages {
    /// Stages that were made since this was asked last.
    fn take(&self) -> u32 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

impl Observer for Stages {
    fn progress(&self, progress: Progress) {
        let making = progress.phase == Phase::Check && progress.subject.is_empty();
        if making && progress.total > 1 {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn cancelled(&self) -> bool {
        false
    }
}

#[test]
fn plans_of_one_setup_are_judged_by_one_reference() {
    let mut gpu = Gpu::new(Fake::new("sm_80"));
    let stages = Stages::default();
    let mut check = |version, shape, dtype| {
        let request = request(version, shape, dtype);
        let outcome = gpu.run(BackendKind::Simt, &request, &stages).unwrap();
        (outcome.report.check.unwrap(), stages.take())
    };
    let all = [Version::V1, Version::V2, Version::V3, Version::Five];
    for dtype in [Dtype::Fp32, Dtype::Bf16] {
        for shape in [DECODE, PREFILL] {
            let made = all.map(|version| {
                let (report, made) = check(version, shape, dtype);
                assert!(report.pass && report.rel_error > 0.0, "{version:?}");
                made
            });
            // The embedding, two blocks, the head: once, and again for what is new.
            assert_eq!(made, [4, 0, 0, 0], "{shape:?} {dtype:?}");
        }
    }
    // What went wrong is seen by a reference that was kept, too.
    gpu.driver.fault = Fault::Short("rmsnorm");
    let request = request(Version::V1, PREFILL, Dtype::Bf16);
    let outcome = gpu.run(BackendKind::Simt, &request, &stages).unwrap();
    let wrong = outcome.report.check.unwrap().first_wrong.unwrap();
    assert!(wrong.starts_with("block 0: n1 is the first"), "{wrong}");
    assert_eq!((outcome.report.time_us, stages.take()), (None, 0));
}

#[test]
fn an_examination_judges_every_kernel_twice() {
    let mut gpu = Gpu::new(Fake::new("sm_80"));
    let plain = request(Version::V1, PREFILL, Dtype::Bf16);
    let examined = gpu.examine(&plain, None, &Unwatched).unwrap();
    assert!(examined.pass);
    assert_eq!((examined.unsteady, examined.planned), (None, 37));
    assert_eq!(examined.kernels.len(), 37);
    assert!(examined.kernels.iter().all(|k| !k.tensors.is_empty()));
    let swap = Swap {
        file: "rmsnorm.cu",
        by: "broken/rmsnorm.cu",
    };
    let examined = gpu.examine(&plain, Some(swap), &Unwatched).unwrap();
    assert!(!examined.pass);
    assert_eq!(examined.first_wrong.unwrap().check.tensor.name(), "n1");
    let fused = request(Version::Five, PREFILL, Dtype::Bf16);
    let swap = Swap {
        file: "softmax.cu",
        by: "broken/softmax.cu",
    };
    let e = gpu.examine(&fused, Some(swap), &Unwatched).unwrap_err();
    assert!(e.to_string().contains("no kernel to be exchanged"), "{e}");
}

#[test]
fn sampled_rows_judge_every_kernel_of_the_first_and_last_block() {
    let dtypes = [Dtype::Fp32, Dtype::Bf16];
    for (arch, dtype) in ARCHS.iter().flat_map(|arch| dtypes.map(|d| (arch, d))) {
        for (shape, version, judged) in [
            (PREFILL, Version::V1, 37),
            (DECODE, Version::V3, 19),
            (PREFILL, Version::Five, 13),
        ] {
            let request = request(version, shape, dtype);
            let sampled = |fault: Fault| {
                let mut gpu = Gpu::new(Fake::new(arch));
                gpu.with_ready(
                    &request,
                    |_| {},
                    &Unwatched,
                    |gpu, _, ready| {
                        gpu.driver.fault = fault;
                        Ok(sample::forward(&mut gpu.driver, &ready, &Unwatched)?.1)
                    },
                )
                .unwrap()
            };
            let report = sampled(Fault::None);
            assert_eq!(report.first_wrong, None, "{arch} {version:?} {dtype:?}");
            assert!(report.pass && report.rel_error > 0.0);
            assert!(report.rel_error <= report.tolerance);
            let kernels = format!("sampled rows of {judged} kernels");
            assert!(report.reference.contains(&kernels), "{}", report.reference);
            // The last element of the last row is poison.
            let entry = if version == Version::Five {
                "gemm_residual"
            } else {
                "gemm"
            };
            let report = sampled(Fault::Short(entry));
            assert!(!report.pass);
            assert!(report.first_wrong.unwrap().contains("NaN"));
        }
    }
}
