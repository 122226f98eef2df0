//! `assets/kernels.toml` against the kernels of today. Each row has the hash of all
//! that was compiled; each architecture has its compiler.
//! A kernel whose hash is that of its row is proved by the row: only a sample, one of
//! each kind, is compiled again, and everything with `CI_FULL=1`. `RECORD_KERNELS=1`
//! compiles what has no row yet and writes the table.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use tinyllama_tutor::backend::gpu::CompileUnit;
use tinyllama_tutor::backend::gpu::compile::{Compiler, unit_hash};
use tinyllama_tutor::backend::gpu::resources::{Recorded, RecordedKernel};
use tinyllama_tutor::backend::gpu::units::units_of;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/kernels.toml");

/// Held while the table is written: NVIDIA's and AMD's compilers run side by side.
static WRITING: Mutex<()> = Mutex::new(());

/// How the table is made again.
pub const AGAIN: &str = "RECORD_KERNELS=1 cargo test --test gpu compile";

/// Whether the table is to be written.
pub fn recording() -> bool {
    std::env::var_os("RECORD_KERNELS").is_some()
}

fn full() -> bool {
    std::env::var_os("CI_FULL").is_some_and(|word| word == "1")
}

/// The table as it is on disk.
pub fn recorded() -> Recorded {
    Recorded::parse(&fs::read_to_string(TABLE).unwrap()).unwrap()
}

/// The first half of a unit's hash: enough to see a change.
pub fn short_hash(unit: &CompileUnit) -> String {
    unit_hash(unit).chars().take(16).collect()
}

/// Fails where a kernel of today has no row of its hash, or a row has no kernel.
pub fn assert_of_these_sources(archs: &[&str]) {
    if recording() {
        return;
    }
    let recorded = recorded();
    for arch in archs {
        let now: BTreeMap<String, String> = units_of(arch)
            .keys()
            .map(|unit| (unit.title(), short_hash(unit)))
            .collect();
        let rows = recorded.kernels.iter().filter(|row| row.arch == *arch);
        let there: BTreeMap<String, String> = rows
            .map(|row| (row.unit.clone(), row.source.clone()))
            .collect();
        for (unit, source) in &now {
            assert_eq!(
                there.get(unit),
                Some(source),
                "{unit} for {arch} has changed since assets/kernels.toml was made; run {AGAIN}"
            );
        }
        assert_eq!(
            there.len(),
            now.len(),
            "assets/kernels.toml has kernels for {arch} that are gone; run {AGAIN}"
        );
    }
}

/// What is compiled for an architecture, with the dynamic shared memory of each.
pub fn chosen(arch: &str, compiler: &dyn Compiler) -> BTreeMap<CompileUnit, u32> {
    let mut units = units_of(arch);
    let recorded = recorded();
    let same_compiler = recorded.compilers.get(arch) == Some(&compiler.version());
    if full() || recording() && !same_compiler {
        return units;
    }
    if recording() {
        let row = |unit: &CompileUnit| {
            let title = unit.title();
            let mut rows = recorded.kernels.iter();
            rows.find(|row| row.arch == arch && row.unit == title)
        };
        units.retain(|unit, _| row(unit).is_none_or(|row| row.source != short_hash(unit)));
        return units;
    }
    let mut kinds = BTreeSet::new();
    units.retain(|unit, _| {
        let element = unit.defines.first().cloned();
        kinds.insert((unit.entry, unit.files.clone(), element))
    });
    units
}

/// Compares what was compiled with the table, or writes it there.
pub fn settle(arch: &str, compiler: &dyn Compiler, made: Vec<RecordedKernel>) {
    let _alone = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut recorded = recorded();
    let version = compiler.version();
    let units = units_of(arch);
    eprintln!(
        "{arch}: {} of {} kernels compiled by {version}",
        made.len(),
        units.len()
    );
    if recording() {
        let titles: BTreeSet<String> = units.keys().map(CompileUnit::title).collect();
        let new: BTreeSet<String> = made.iter().map(|row| row.unit.clone()).collect();
        let kept = |row: &&RecordedKernel| {
            row.arch == arch && titles.contains(&row.unit) && !new.contains(&row.unit)
        };
        let kept = recorded.kernels.iter().filter(kept);
        let rows = kept.cloned().chain(made).collect();
        recorded.replace(arch, &version, rows);
        fs::write(Path::new(TABLE), recorded.write()).unwrap();
        return;
    }
    if recorded.compilers.get(arch) != Some(&version) {
        // Another compiler gives out registers otherwise.
        eprintln!("{arch} is recorded with another compiler: figures not compared");
        return;
    }
    for kernel in &made {
        assert_eq!(
            recorded.of(&kernel.unit, arch),
            Some(&kernel.resources),
            "{} for {arch} needs other resources than assets/kernels.toml says; run {AGAIN}",
            kernel.unit
        );
    }
}
