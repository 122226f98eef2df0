//! Texts of a course as strangers write them: what is read, and what is said.

#![allow(clippy::expect_used, reason = "a test may stop at the first surprise")]

mod kept;
mod linted;
mod progress;
mod read;
mod sheets;

use std::fs;
use std::path::{Path, PathBuf};
use tinyllama_tutor::course::{Course, Exercise, Fault, Lesson, Places, Surroundings};

fn fixture(file: &str) -> String {
    fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data/course")
            .join(file),
    )
    .expect(file)
}

fn said(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(ToString::to_string).collect()
}

fn lesson(text: &str) -> Vec<String> {
    said(&Lesson::read("x", "x.md", text).faults)
}

fn exercise(text: &str) -> Vec<String> {
    said(&Exercise::read("x", "x.md", text).faults)
}

fn course(files: &[(&str, &str)]) -> (tempfile::TempDir, Course) {
    let root = tempfile::tempdir().expect("a folder");
    for (file, text) in files {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().expect("a shelf")).expect("made");
        fs::write(path, text).expect("written");
    }
    let course = Course::folder(root.path());
    (root, course)
}

/// A learner's machine: a state folder, a workshop folder, and this crate's fixture course.
struct Desk {
    root: tempfile::TempDir,
    places: Places,
}

impl Desk {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let workshop = root.path().join("workshop");
        fs::create_dir_all(workshop.join("answers")).expect("made");
        let around = Surroundings {
            current: workshop,
            home: Some(root.path().to_owned()),
            data: None,
        };
        let course = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/course");
        let places = Places::find(&around, None, Some(&course));
        Self { root, places }
    }

    fn exercise(&self) -> Exercise {
        Course::open(&self.places)
            .exercise("ex1")
            .expect("the fixture")
            .clone()
    }

    fn sheet(&self) -> PathBuf {
        self.root.path().join("workshop/answers/ex1.toml")
    }
}
