//! Kernels compiled by the real NVRTC for each architecture: no GPU is needed. What they need is recorded in
//! `assets/kernels.toml`, which has to be current.
//!
//! NVRTC is looked for as the program looks for it (`NVRTC_LIBRARY`, the
//! system's, a Python environment's); where there is none, the part that
//! compiles says so and is skipped. `.ci/run` installs it from PyPI.

#![cfg(feature = "cuda")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use tinyllama_tutor::backend::gpu::CompileUnit;
use tinyllama_tutor::backend::gpu::compile::{Cache, Form, compile_all};
use tinyllama_tutor::backend::gpu::cuda::Nvrtc;
use tinyllama_tutor::backend::gpu::resources::{RecordedKernel, Resources};

use crate::table::{assert_of_these_sources, chosen, settle, short_hash};

/// What is compiled: A100, Hopper, Blackwell; and Turing, which has none of the
/// copies and matrix products that the prefix knows, for the plain paths.
const ARCHS: [&str; 4] = ["sm_75", "sm_80", "sm_90a", "sm_100"];

#[test]
fn the_recorded_table_is_of_these_sources() {
    assert_of_these_sources(&ARCHS);
}

#[test]
fn kernels_compile_and_need_what_is_recorded() {
    let nvrtc = match Nvrtc::find(u32::MAX) {
        Ok(nvrtc) => nvrtc,
        Err(e) => {
            eprintln!("skipped: {e}");
            return;
        }
    };
    let cache = Cache::of_user();
    for arch in ARCHS {
        let needed = chosen(arch, nvrtc);
        let units: Vec<&CompileUnit> = needed.keys().collect();
        let built = compile_all(
            nvrtc,
            cache.as_ref(),
            &units,
            arch,
            Form::Machine,
            &mut |_, _, _| {},
        )
        .unwrap_or_else(|e| panic!("{arch}: {e}"));
        let mut made = Vec::new();
        for (unit, built) in units.into_iter().zip(built) {
            let title = unit.title();
            let resources = Resources::of_log(&built.log, unit.entry).unwrap_or_else(|| {
                panic!(
                    "{title} for {arch}: ptxas does not say what it needs:\n{}",
                    built.log
                )
            });
            made.push(RecordedKernel {
                unit: title,
                arch: arch.to_owned(),
                source: short_hash(unit),
                resources,
            });
        }
        settle(arch, nvrtc, made);
    }
}
