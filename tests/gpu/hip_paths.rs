//! The table of `docs/amd.md` that names a test for each path of the hip backend.

#![cfg(all(feature = "hip", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::path::Path;

use tinyllama_tutor::study::catalogue::STUDIES;

use crate::table::recorded;

/// The texts of all files of a folder, and of those in it.
fn below(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .map(|path| match path.is_dir() {
            true => below(&path),
            false => fs::read_to_string(path).unwrap(),
        })
        .collect()
}

#[test]
fn every_path_of_the_page_has_a_test_that_there_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/amd.md")).unwrap();
    let (_, section) = page.split_once("## Every path").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| path"))
        .map(|line| line.split(" | ").collect())
        .collect();
    let tests = below(&root.join("tests/gpu"));
    let quoted = |cell: &str| -> Vec<String> {
        let parts = cell.split('`').skip(1).step_by(2);
        parts.map(str::to_owned).collect()
    };
    for row in &rows {
        let names = quoted(row[3]);
        assert!(!names.is_empty(), "{row:?} has no test");
        for name in names {
            let there = tests.contains(&format!("#[test]\nfn {name}()"));
            assert!(there, "{name} is no test below tests/gpu");
        }
    }
    let paths: Vec<String> = rows.iter().flat_map(|row| quoted(row[0])).collect();
    for study in STUDIES {
        let found = paths.iter().any(|path| path.ends_with(study.name));
        assert!(found, "study {} is not in the table", study.name);
    }
}

#[test]
fn the_page_says_how_many_kernels_of_gfx906_spill() {
    let kernels = recorded().kernels;
    let all: Vec<_> = kernels.iter().filter(|k| k.arch == "gfx906").collect();
    let spilled = all.iter().filter(|k| k.resources.spill_stores > 0).count();
    let said = format!("{spilled} of {} kernels for gfx906 spill", all.len());
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/amd.md");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains(&said), "“{said}” is not in docs/amd.md");
}
