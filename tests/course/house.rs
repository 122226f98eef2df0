//! Holds the map in `ARCHITECTURE.md`: which crate may import which, which rooms of
//! a crate may, and which are pure.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each crate of `src/` with those of ours that its manifest may name; the root
/// package has the terminal and the command line, and may name all.
const CRATES: &[(&str, &[&str])] = &[
    ("plan", &[]),
    ("simt", &[]),
    ("text", &[]),
    ("study", &["plan"]),
    ("backend", &["plan", "simt"]),
    ("course", &["plan", "study", "text"]),
    ("app", &["course", "plan", "study", "text"]),
];

/// Rooms within a crate, each with its neighbours that it may import.
const ROOMS: &[(&str, &[(&str, &[&str])])] = &[
    (
        "plan",
        &[
            ("units", &[]),
            ("model", &["units"]),
            ("fusion", &["model", "units"]),
            ("cost", &["fusion", "model", "units"]),
            ("run", &["cost", "fusion", "model", "units"]),
        ],
    ),
    ("study", &[("lab", &[]), ("profile", &[])]),
];

/// What a pure room may not name.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::io",
    "std::thread",
    "std::process",
    "std::net",
    "std::env",
    "Instant::now",
    "SystemTime",
    "crossterm",
    "ratatui",
    "println!",
    "eprintln!",
];

/// Pure crates, and folders of crates that are not pure as a whole.
const PURE: &[&str] = &["plan", "study", "app", "course/answer"];

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rust_files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The code of the files below a folder of `src`, tests and comments left out.
fn code_below(folder: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    rust_files(&src().join(folder), &mut files);
    files.sort();
    files.retain(|file| !file.ends_with("tests.rs"));
    let code = |file: PathBuf| {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let code = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .map(|line| format!("{line}\n"))
            .collect();
        (file, code)
    };
    files.into_iter().map(code).collect()
}

/// The first names after `crate::` in a piece of code, both in `crate::a::b` and
/// in `crate::{a::b, c}`.
fn imports(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let word = |text: &str| -> String {
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    for (at, start) in code.match_indices("crate::") {
        let rest = &code[at + start.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            found.insert(word(rest));
            continue;
        };
        let mut depth = 0usize;
        let mut item = true;
        for (at, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => item = true,
                c if depth == 0 && item && c.is_alphanumeric() => {
                    found.insert(word(&list[at..]));
                    item = false;
                }
                _ => {}
            }
        }
    }
    found
}

#[test]
fn crates_depend_upward_only() {
    let mut folders: Vec<String> = fs::read_dir(src())
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().join("Cargo.toml").exists())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    folders.sort();
    let mut named: Vec<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    named.sort_unstable();
    assert_eq!(folders, named, "the crates of src/ and those on the map");

    for (name, allowed) in CRATES {
        let manifest = fs::read_to_string(src().join(name).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        for part in ["dependencies", "dev-dependencies"] {
            let Some(toml::Value::Table(needs)) = manifest.get(part) else {
                continue;
            };
            let ours = needs.keys().filter(|need| named.contains(&need.as_str()));
            for need in ours {
                assert!(
                    allowed.contains(&need.as_str()),
                    "{name} depends on {need}, which the map does not allow"
                );
            }
        }
    }
}

#[test]
fn rooms_of_a_crate_import_upward_only() {
    for (name, rooms) in ROOMS {
        let known: BTreeMap<&str, &[&str]> = rooms.iter().copied().collect();
        for (file, code) in code_below(name) {
            let inside = file.strip_prefix(src().join(name)).unwrap().to_owned();
            let room = inside.iter().next().unwrap().to_string_lossy();
            let room = room.trim_end_matches(".rs");
            if room == "lib" {
                continue;
            }
            let allowed = known.get(room).copied();
            assert!(allowed.is_some(), "src/{name}/{room} is not on the map");
            for import in imports(&code) {
                assert!(
                    import == room || allowed.unwrap().contains(&import.as_str()),
                    "{}: {room} imports {import}, which the map does not allow",
                    file.display()
                );
            }
        }
    }
}

#[test]
fn the_middle_is_pure() {
    for folder in PURE {
        for (file, code) in code_below(folder) {
            for word in IMPURE {
                assert!(
                    !code.contains(word),
                    "{}: {folder} is pure, but names {word}",
                    file.display()
                );
            }
        }
    }
}

#[test]
fn the_import_scanner_reads_both_forms() {
    let code = "use crate::cost::price;\nuse crate::{fusion::{Cut, Plan}, model::Graph};\n";
    let found: Vec<String> = imports(code).into_iter().collect();
    assert_eq!(found, ["cost", "fusion", "model"]);
}
