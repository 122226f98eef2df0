//! What `init` and `new` write: a workshop folder, a first lesson, a first exercise.
//!
//! Templates pass lint as they are, so an author starts from green. Nothing
//! that exists is ever written over.

use super::exercise::is_name;
use super::lesson::{Lesson, REFERENCE, slug};
use super::library::Course;
use super::sheet::blank;
use super::workshop;
use files::{create, plain};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file that was made, or was there already and left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The file, below the folder given.
    pub path: PathBuf,
    /// Was it made now?
    pub new: bool,
}

/// Makes a workshop folder: `answers/` with a sheet per exercise, a page that explains it,
/// and, where the course lies in the folder `laid` or the device `gpu` was chosen, a file
/// that names them.
/// With a seed every sheet asks for the variant that the seed draws.
///
/// # Errors
/// A sentence: the folder cannot be made or written.
pub fn init(
    folder: &Path,
    course: &Course,
    (laid, gpu): (Option<&Path>, Option<&'static str>),
    seed: Option<u64>,
) -> Result<Vec<Made>, String> {
    let mut made = vec![make(folder, "README.md", WORKSHOP)?];
    if let Some(text) = workshop::text(folder, laid, gpu) {
        made.push(make(folder, workshop::FILE, &text)?);
    }
    for exercise in course.exercises() {
        let sheet = format!("answers/{}.toml", exercise.id);
        let drawn = seed.and_then(|seed| exercise.variant(exercise.drawn(seed)).ok());
        let asked = drawn.as_ref().unwrap_or(exercise);
        made.push(make(folder, &sheet, &blank(asked).to_string())?);
    }
    fs::create_dir_all(folder.join("answers"))
        .map_err(|error| failed(&folder.join("answers"), &error))?;
    Ok(made)
}

/// Writes a lesson to start from into `folder/lessons/`.
///
/// `name` is an id (`40-tensor-cores`) or a title, which gets the next free number.
///
/// # Errors
/// A sentence: the name cannot be an id, the lesson exists, the folder cannot be written.
pub fn new_lesson(folder: &Path, course: &Course, name: &str) -> Result<Vec<Made>, String> {
    let numbered = name
        .split_once('-')
        .filter(|(number, _)| number.parse::<u32>().is_ok());
    let id = if let Some((number, rest)) = numbered {
        format!("{number}-{}", ascii_slug(rest))
    } else {
        let last = course.lessons().filter_map(Lesson::number);
        let next = last
            .filter(|number| *number < REFERENCE)
            .max()
            .map_or(1, |number| number + 1);
        format!("{next:02}-{}", ascii_slug(name))
    };
    let title = match numbered {
        Some((_, rest)) if rest.contains(' ') => rest.to_owned(),
        Some((_, rest)) => capitalised(&rest.replace(['-', '_'], " ")),
        None => name.to_owned(),
    };
    let text = LESSON.replace("TITLE", &quotable(&title));
    fresh(folder, &id, &[(format!("lessons/{id}.md"), text)])
}

/// Writes an exercise and its solution to start from into `folder/exercises/` and `folder/solutions/`.
///
/// `lesson` is the lesson that leads to it; without one, the last lesson of the course
/// that is no reference page.
///
/// # Errors
/// As [`new_lesson`].
pub fn new_exercise(
    folder: &Path,
    course: &Course,
    name: &str,
    lesson: Option<&str>,
) -> Result<Vec<Made>, String> {
    let lesson = match lesson {
        Some(typed) => course.lesson(typed)?.id.clone(),
        None => course
            .lessons()
            .filter(|lesson| !lesson.is_reference())
            .last()
            .map_or_else(|| "01-lesson".to_owned(), |lesson| lesson.id.clone()),
    };
    let text = EXERCISE
        .replace("TITLE", &quotable(name))
        .replace("LESSON", &lesson);
    let files = [
        (format!("exercises/{name}.md"), text),
        (format!("solutions/{name}.md"), SOLUTION.to_owned()),
    ];
    fresh(folder, name, &files)
}

fn fresh(folder: &Path, id: &str, files: &[(String, String)]) -> Result<Vec<Made>, String> {
    if !is_name(id) {
        return Err(format!(
            "“{id}” cannot be an id; use letters, digits, - and _, such as 40-tensor-cores or ex60."
        ));
    }
    // Before anything is written, so that nothing is made by halves.
    if let Some((old, _)) = files
        .iter()
        .find(|(path, _)| fs::symlink_metadata(folder.join(path)).is_ok())
    {
        return Err(format!(
            "{old} exists already and was left as it is; choose another name."
        ));
    }
    files
        .iter()
        .map(|(path, text)| make(folder, path, text))
        .collect()
}

/// A slug that can be an id: letters beyond ASCII part words.
fn ascii_slug(title: &str) -> String {
    let ascii = |c: char| if c.is_ascii() { c } else { ' ' };
    slug(&title.chars().map(ascii).collect::<String>())
}

/// Writes a file unless there is one.
fn make(folder: &Path, path: &str, text: &str) -> Result<Made, String> {
    let full = folder.join(path);
    if let Some(parent) = full.parent() {
        fs::create_dir_all(parent).map_err(|error| failed(parent, &error))?;
    }
    let new = create(&full, text.as_bytes()).map_err(|error| failed(&full, &error))?;
    Ok(Made {
        path: PathBuf::from(path),
        new,
    })
}

fn failed(path: &Path, error: &io::Error) -> String {
    format!(
        "{} cannot be made: {}; choose another folder.",
        path.display(),
        plain(error)
    )
}

/// Words of an id as a title.
fn capitalised(words: &str) -> String {
    let mut rest = words.chars();
    let first = rest.next().map(|first| first.to_uppercase());
    first.into_iter().flatten().chain(rest).collect()
}

/// A title that can stand between quotes.
fn quotable(title: &str) -> String {
    title
        .chars()
        .filter(|c| !matches!(c, '"' | '\\') && !c.is_control())
        .collect()
}

const WORKSHOP: &str = "\
# Fusion workshop

`answers/` holds one sheet per exercise. Type an answer between the quotes, as
you would write it, and check it:

    tinyllama-tutor check ex1

Run `tinyllama-tutor` in this folder and the form on the screen fills in the
same sheets. Comments and lines of your own stay where they are.
";

const LESSON: &str = r#"+++
title = "TITLE"
version = "v1"
minutes = 2
needs = []
config = { preset = "workshop", batch = 1 }
+++

## Predict first

A section is one idea on one page. Numbers are computed where they stand: one
block of V1 makes `= block(v1).launches` launches and moves
`= block(v1).bytes | MB 3`.

```lab
start = "v1"
toggles = ["qkv"]
predict = { ask = "How many launches are left with q, k and v in one kernel?", answer = "block(v1+qkv).launches", note = "Three kernels became one." }
```

## What comes next

- **Now predictable:** say what the reader can do now.
- **Still open:** say which question leads to the next lesson.
"#;

const EXERCISE: &str = r#"+++
title = "TITLE"
lesson = "LESSON"
minutes = 10
config = { preset = "workshop", batch = 1, version = "v1" }

[[key]]
name = "launches"
ask = "How many kernels does one block launch with q, k and v in one kernel?"
answer = "block(v1+qkv).launches"
tolerance = "exact"
slips = [
  { answer = "block(v1).launches", say = "This is the block before the merge. Three kernels became one." },
]
hints = [
  "A nudge: which kernels disappear?",
  "The formula: launches before, less the kernels that merge, plus one.",
  "The formula with its numbers: before the merge the block makes `= block(v1).launches`.",
]
+++

What the reader should know before the first question.
"#;

const SOLUTION: &str = "\
## launches

Before the merge the block makes `= block(v1).launches` launches. Three of them
become one, so `= block(v1).launches` - 3 + 1 = `= block(v1+qkv).launches`.
";
