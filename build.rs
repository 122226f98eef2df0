//! Builds again when a text of the course or a kernel is added or removed: they are
//! embedded, and the compiler only watches the files that it has seen. Tells
//! the program a digest of what it was built from, by which the workshop and
//! its engine process know that they are the same build.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::Path;

/// What is compiled in.
const SOURCES: &[&str] = &["Cargo.toml", "Cargo.lock", "assets", "kernels", "src"];

fn main() {
    for path in ["lessons", "exercises", "solutions"].iter().chain(SOURCES) {
        println!("cargo::rerun-if-changed={path}");
    }
    let mut digest = DefaultHasher::new();
    for name in ["PROFILE", "OPT_LEVEL", "TARGET"] {
        std::env::var(name).ok().hash(&mut digest);
    }
    for path in SOURCES {
        add(Path::new(path), &mut digest);
    }
    println!(
        "cargo::rustc-env=TINYLLAMA_TUTOR_DIGEST={:016x}",
        digest.finish()
    );
}

/// Adds a file, or a folder's files in the order of their names. What cannot be
/// read is the compiler's to complain about.
fn add(path: &Path, digest: &mut DefaultHasher) {
    if let Ok(entries) = fs::read_dir(path) {
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            add(&path, digest);
        }
    } else if let Ok(bytes) = fs::read(path) {
        path.hash(digest);
        bytes.hash(digest);
    }
}
