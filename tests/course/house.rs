//! Holds the map in `ARCHITECTURE.md`: which crate may import which, which rooms of
//! a crate may, and which are pure.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each crate of `src/` with those of ours that its manifest may name; the root
/// package has the terminal and the command line, and may name all.
const CRATES: &[(&str, &[&str])] = &[
    ("files", &[]),
    ("plan", &[]),
    ("simt", &[]),
    ("text", &[]),
    ("study", &["plan"]),
    ("backend", &["files", "plan", "simt"]),
    ("course", &["files", "plan", "study", "text"]),
    ("app", &["course", "plan", "study", "text"]),
    (
        "host",
        &["app", "backend", "course", "files", "plan", "study"],
    ),
];

/// What the terminal and the command line leave to `host`, which carries effects out:
/// a sheet is opened, a verdict kept and a run for a question made in one place.
const CARRIED_OUT: &[&str] = &[
    "Sheet::open",
    "Event::checked",
    "Event::locked",
    "attempt::attempt",
    "attempt::told",
    "engine::probe",
    "Runner::",
    "\"EDITOR\"",
];

/// A room, with its neighbours that it may import.
type Room = (&'static str, &'static [&'static str]);

/// The rooms within a crate.
const ROOMS: &[(&str, &[Room])] = &[
    (
        "plan",
        &[
            ("near", &[]),
            ("sentence", &[]),
            ("units", &[]),
            ("model", &["near", "units"]),
            ("kernels", &["model"]),
            ("fusion", &["model", "near", "units"]),
            ("cost", &["fusion", "model", "near", "units"]),
            ("run", &["cost", "fusion", "model", "near", "units"]),
        ],
    ),
    (
        "study",
        &[
            ("timing", &[]),
            ("calibration", &[]),
            ("search", &[]),
            ("baseline", &["timing"]),
            ("learned", &["calibration", "timing"]),
            ("findings", &["baseline", "learned"]),
            ("kept", &["findings"]),
            ("offer", &["kept"]),
            ("lab", &["findings", "profile", "timing"]),
            // The list of the studies names each of them.
            ("evidence", &["timing"]),
            ("catalogue", &["evidence", "findings", "studies"]),
            (
                "studies",
                &[
                    "baseline",
                    "calibration",
                    "catalogue",
                    "evidence",
                    "findings",
                    "kept",
                    "learned",
                    "search",
                    "timing",
                ],
            ),
            ("profile", &[]),
        ],
    ),
];

/// Modules of `app` that are part of a page, with the page. The live blocks stand in
/// a lesson's text, and keys that they have no use for turn its pages.
const PARTS: &[(&str, &str)] = &[("live", "lesson")];

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
const PURE: &[&str] = &[
    "plan",
    "study",
    "app",
    "course/answer",
    "course/present",
    "course/ribbon",
];

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

/// The modules of a crate that the code of one of them names, each with its
/// submodules counted as one: `crate::lab`, `super::lab`, `super::{lab, key::Key}`,
/// and names that the crate's root passes on.
fn neighbours(name: &str) -> BTreeMap<String, BTreeSet<String>> {
    let folder = src().join(name);
    let files = code_below(name);
    let inside = |file: &Path| file.strip_prefix(&folder).unwrap().with_extension("");
    let module = |file: &Path| {
        let inside = inside(file);
        inside.iter().next().unwrap().to_string_lossy().into_owned()
    };
    let modules: BTreeSet<String> = files.iter().map(|(file, _)| module(file)).collect();
    let root = files
        .iter()
        .find(|(file, _)| inside(file) == Path::new("lib"));
    let passed: Vec<(String, String)> = root
        .map(|(_, code)| code.split("pub use ").skip(1))
        .into_iter()
        .flatten()
        .filter_map(|line| line.split_once(';')?.0.split_once("::"))
        .flat_map(|(from, names)| {
            let names = names.split(|c: char| !c.is_alphanumeric() && c != '_');
            names.map(move |name| (name.to_owned(), from.to_owned()))
        })
        .collect();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, code) in &files {
        let here = module(file);
        if here == "lib" {
            continue;
        }
        // In a module's own file `super` is the root; in one of its submodules it is
        // the module, and each further `super` one up.
        let depth = inside(file).iter().count();
        let up = "super::".repeat(depth);
        let code = code.replace(&up, "crate::");
        let named = imports(&code).into_iter().map(|name| {
            let from = passed.iter().find(|(passed, _)| *passed == name);
            from.map_or(name, |(_, from)| from.clone())
        });
        let others = named.filter(|name| *name != here && modules.contains(name));
        found.entry(here.clone()).or_default().extend(others);
    }
    found
}

#[test]
fn no_page_imports_a_page() {
    let folder = src().join("app");
    let pages: BTreeSet<String> = code_below("app")
        .into_iter()
        .filter(|(_, code)| code.contains("impl Screen for"))
        .map(|(file, _)| {
            let inside = file.strip_prefix(&folder).unwrap().with_extension("");
            inside.iter().next().unwrap().to_string_lossy().into_owned()
        })
        .collect();
    assert!(pages.len() > 9, "pages implement Screen: {pages:?}");
    let found = neighbours("app");
    let page_of = |module: &str| {
        let part = PARTS.iter().find(|(part, _)| *part == module);
        let page = part.map_or(module, |(_, page)| *page);
        pages.contains(page).then(|| page.to_owned())
    };
    for (module, named) in &found {
        let Some(page) = page_of(module) else {
            continue;
        };
        for other in named.iter().filter_map(|name| page_of(name)) {
            assert!(
                other == page,
                "{module} imports {other}: one page wants an intent of another"
            );
        }
    }
    for (part, page) in PARTS {
        let imports = |a: &str, b: &str| found.get(a).is_some_and(|named| named.contains(b));
        assert!(
            imports(part, page),
            "{part} does not import {page} any more: take it off the list"
        );
    }
}

/// The modules that can be reached from one.
fn reached<'g>(graph: &'g BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<&'g str> {
    let mut found = BTreeSet::new();
    let mut next: Vec<&str> = vec![from];
    while let Some(at) = next.pop() {
        for to in graph.get(at).into_iter().flatten() {
            if found.insert(to.as_str()) {
                next.push(to);
            }
        }
    }
    found
}

#[test]
fn circles_of_imports_hold_two_modules_at_most() {
    let graph = neighbours("app");
    for module in graph.keys() {
        let back = |to: &&str| reached(&graph, to).contains(module.as_str());
        let circle: Vec<&str> = reached(&graph, module).into_iter().filter(back).collect();
        assert!(circle.len() <= 2, "a circle of imports in app: {circle:?}");
    }
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
fn effects_have_one_carrier() {
    for room in ["tui", "cli"] {
        for (file, code) in code_below(room) {
            for word in CARRIED_OUT {
                assert!(!code.contains(word), "{}: {word} is host's", file.display());
            }
        }
    }
    let carried: String = code_below("host")
        .into_iter()
        .map(|(_, code)| code)
        .collect();
    for word in CARRIED_OUT.iter().filter(|word| word.contains("Event::")) {
        assert!(carried.contains(word), "{word} is not carried out any more");
    }
}

/// Keys and messages change the state in `app`; the terminal tells it how much of a
/// text fits, in functions named so, and owns it where events come in.
#[test]
fn drawing_does_not_write_state() {
    for (file, code) in code_below("tui") {
        if file.ends_with("events.rs") {
            continue;
        }
        for place in code.split("fn ").skip(1) {
            let head = place.split('{').next().unwrap();
            let name = head.split('(').next().unwrap();
            assert!(
                name == "fit" || !place.contains("&mut State"),
                "{}: {name} takes the state to be changed",
                file.display()
            );
        }
        for word in ["RefCell", "OnceCell", "AtomicU", "thread_local"] {
            let draws = !file.ends_with("input.rs");
            assert!(!draws || !code.contains(word), "{}: {word}", file.display());
        }
    }
}

#[test]
fn the_import_scanner_reads_both_forms() {
    let code = "use crate::cost::price;\nuse crate::{fusion::{Cut, Plan}, model::Graph};\n";
    let found: Vec<String> = imports(code).into_iter().collect();
    assert_eq!(found, ["cost", "fusion", "model"]);
}

#[test]
fn the_neighbours_of_a_module_are_found_in_every_spelling() {
    let found = neighbours("app");
    let lab = &found["lab"];
    // `use super::keymap::…` in lab.rs, `use crate::bench::…` in lab/table.rs.
    for name in ["keymap", "bench", "shared", "screen"] {
        assert!(lab.contains(name), "lab imports {name}: {lab:?}");
    }
    assert!(!lab.contains("lab") && !lab.contains("Bench"));
    // `update` names its neighbours in one list, `live` in submodules only.
    assert!(found["update"].contains("exercise") && found["update"].contains("live"));
}
