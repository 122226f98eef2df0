//! Every kernel and every variant, compiled by the real NVRTC for each
//! architecture: no GPU is needed. What they need is recorded in
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

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tinyllama_tutor::backend::gpu::Unit;
use tinyllama_tutor::backend::gpu::compile::{Cache, Compiler, Form, compile_all, unit_hash};
use tinyllama_tutor::backend::gpu::cuda::Nvrtc;
use tinyllama_tutor::backend::gpu::resources::{Recorded, RecordedKernel, Resources};
use tinyllama_tutor::backend::gpu::units::units_of;

/// What is compiled: A100, Hopper, Blackwell; and Turing, which has none of the
/// copies and matrix products that the prefix knows, for the plain paths.
const ARCHS: [&str; 4] = ["sm_75", "sm_80", "sm_90a", "sm_100"];

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/kernels.toml");

const AGAIN: &str = "RECORD_KERNELS=1 cargo test --test nvrtc";

/// The first half of a unit's hash: enough to see a change.
fn short_hash(unit: &Unit) -> String {
    unit_hash(unit).chars().take(16).collect()
}

/// The units of an architecture, by title and hash.
fn sources(arch: &str) -> BTreeMap<String, String> {
    units_of(arch)
        .keys()
        .map(|unit| (unit.title(), short_hash(unit)))
        .collect()
}

#[test]
fn the_recorded_table_is_of_these_sources() {
    if std::env::var_os("RECORD_KERNELS").is_some() {
        return;
    }
    let recorded = Recorded::parse(&fs::read_to_string(TABLE).unwrap()).unwrap();
    for arch in ARCHS {
        let there: BTreeMap<String, String> = recorded
            .kernels
            .iter()
            .filter(|k| k.arch == arch)
            .map(|k| (k.unit.clone(), k.source.clone()))
            .collect();
        for (unit, source) in sources(arch) {
            assert_eq!(
                there.get(&unit),
                Some(&source),
                "{unit} for {arch} has changed since assets/kernels.toml was made; run {AGAIN}"
            );
        }
        assert_eq!(
            there.len(),
            sources(arch).len(),
            "assets/kernels.toml has kernels for {arch} that are gone; run {AGAIN}"
        );
    }
}

#[test]
fn every_kernel_compiles_and_needs_what_is_recorded() {
    let nvrtc = match Nvrtc::find(u32::MAX) {
        Ok(nvrtc) => nvrtc,
        Err(e) => {
            eprintln!("skipped: {e}");
            return;
        }
    };
    let compiler = nvrtc.version();
    let cache = Cache::of_user();
    let mut recorded = Recorded::parse(&fs::read_to_string(TABLE).unwrap()).unwrap();
    let mut made = Recorded::default();
    for arch in ARCHS {
        let units: Vec<Unit> = units_of(arch).into_keys().collect();
        let all: Vec<&Unit> = units.iter().collect();
        let built = compile_all(
            nvrtc,
            cache.as_ref(),
            &all,
            arch,
            Form::Machine,
            &mut |_, _, _| {},
        )
        .unwrap_or_else(|e| panic!("{arch}: {e}"));
        let mut kernels = Vec::new();
        for (unit, built) in units.iter().zip(built) {
            let title = unit.title();
            let resources = Resources::of_log(&built.log, unit.entry).unwrap_or_else(|| {
                panic!(
                    "{title} for {arch}: ptxas does not say what it needs:\n{}",
                    built.log
                )
            });
            kernels.push(RecordedKernel {
                unit: title,
                arch: arch.to_owned(),
                source: short_hash(unit),
                resources,
            });
        }
        eprintln!("{arch}: {} kernels compiled by {compiler}", units.len());
        made.replace(arch, &compiler, kernels);
    }
    if std::env::var_os("RECORD_KERNELS").is_some() {
        for arch in ARCHS {
            let kernels = made.kernels.iter().filter(|k| k.arch == arch);
            recorded.replace(arch, &compiler, kernels.cloned().collect());
        }
        fs::write(Path::new(TABLE), recorded.write()).unwrap();
        return;
    }
    for kernel in &made.kernels {
        let with = recorded.compilers.get(&kernel.arch);
        if with != Some(&compiler) {
            // Another compiler gives out registers otherwise.
            eprintln!("recorded with {with:?}: figures not compared");
            return;
        }
        assert_eq!(
            recorded.of(&kernel.unit, &kernel.arch),
            Some(&kernel.resources),
            "{} for {} needs other resources than assets/kernels.toml says; run {AGAIN}",
            kernel.unit,
            kernel.arch
        );
    }
}
