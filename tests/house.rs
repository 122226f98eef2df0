//! Holds the map of `src/lib.rs`: who may import whom, and which rooms are pure.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each room with the rooms that it may import, as the map in `src/lib.rs` says.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("markup", &[]),
    ("simt", &[]),
    ("model", &["units"]),
    ("fusion", &["model", "units"]),
    ("cost", &["fusion", "model", "units"]),
    ("run", &["cost", "fusion", "model", "units"]),
    (
        "backend",
        &["simt", "run", "cost", "fusion", "model", "units"],
    ),
    (
        "engine",
        &["backend", "run", "cost", "fusion", "model", "units"],
    ),
    ("profile", &["run", "cost", "fusion", "model", "units"]),
    ("lab", &["run", "cost", "fusion", "model", "units"]),
    (
        "answer",
        &["profile", "run", "cost", "fusion", "model", "units"],
    ),
    (
        "course",
        &[
            "answer", "lab", "profile", "run", "cost", "fusion", "model", "units",
        ],
    ),
    (
        "app",
        &[
            "course", "answer", "lab", "profile", "run", "cost", "fusion", "model", "units",
        ],
    ),
    (
        "tui",
        &[
            "app", "markup", "engine", "course", "answer", "lab", "profile", "run", "cost",
            "fusion", "model", "units",
        ],
    ),
    (
        "cli",
        &[
            "tui", "app", "markup", "engine", "backend", "course", "answer", "lab", "profile",
            "run", "cost", "fusion", "model", "units",
        ],
    ),
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

const PURE: &[&str] = &[
    "units", "model", "fusion", "cost", "run", "profile", "lab", "answer", "app",
];

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

/// The code of each room, tests at the end of a file left out.
fn rooms() -> BTreeMap<String, Vec<(PathBuf, String)>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let mut rooms: BTreeMap<String, Vec<(PathBuf, String)>> = BTreeMap::new();
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let room = inside.iter().next().unwrap().to_string_lossy();
        let room = room.trim_end_matches(".rs").to_owned();
        if matches!(room.as_str(), "lib" | "main") || inside.ends_with("tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let code: String = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .map(|line| format!("{line}\n"))
            .collect();
        rooms.entry(room).or_default().push((file, code));
    }
    rooms
}

fn imports(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            // `use crate::{cost::Config, fusion::Cut}`: the first word of each item.
            let mut depth = 0usize;
            let mut word = String::new();
            let mut at_start = true;
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => at_start = true,
                    c if depth == 0 && at_start && (c.is_alphanumeric() || c == '_') => {
                        word.push(c)
                    }
                    _ if depth == 0 && !word.is_empty() => {
                        found.insert(std::mem::take(&mut word));
                        at_start = false;
                    }
                    _ => {}
                }
            }
            if !word.is_empty() {
                found.insert(word);
            }
        } else {
            let word: String = rest
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            found.insert(word);
        }
    }
    found
}

#[test]
fn rooms_import_upward_only() {
    for (room, files) in rooms() {
        let (_, allowed) = MAY_IMPORT
            .iter()
            .find(|(name, _)| *name == room)
            .unwrap_or_else(|| panic_room(&room));
        for (file, code) in files {
            for import in imports(&code) {
                assert!(
                    import == room || allowed.contains(&import.as_str()),
                    "{}: {room} imports {import}, which the map of src/lib.rs does not allow",
                    file.display()
                );
            }
        }
    }
}

#[allow(clippy::panic, reason = "the message names the room")]
fn panic_room(room: &str) -> ! {
    panic!("src/{room} is not on the map of src/lib.rs; put it there and here");
}

#[test]
fn the_middle_is_pure() {
    for (room, files) in rooms() {
        if !PURE.contains(&room.as_str()) {
            continue;
        }
        for (file, code) in files {
            for word in IMPURE {
                assert!(
                    !code.contains(word),
                    "{}: {room} is pure, but names {word}",
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
