//! The page that says where the course has each heading of the documents: every
//! heading once and in one kind, every place that it names there.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use tinyllama_tutor::course::{Course, Ledger};

/// Sections of the page that are about headings of the documents.
const DOCUMENTS: [&str; 5] = ["S0", "S1", "S2", "S3", "S4"];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Does,
    Mentioned,
    Out,
}

/// A line of the page: the headings that share it, its kind, and what stands behind.
struct Row {
    headings: Vec<String>,
    kind: Kind,
    text: String,
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn page() -> String {
    read("lessons/98-documents.md")
}

/// The headings of a document in their order, as they were read from it.
fn headings(document: &str) -> Vec<String> {
    let all = read("assets/headings.txt");
    let (_, own) = all.split_once(&format!("[{document}]\n")).unwrap();
    let own = own.lines().take_while(|line| !line.starts_with("[S"));
    own.map(str::to_owned).collect()
}

/// The rows of a document. Headings hold colons and points themselves, so they are
/// taken off the front of a row one after another, in the document's order.
fn rows(page: &str, document: &str) -> Vec<Row> {
    let mark = format!("({document})");
    let sections = page.split("\n## ").filter(|s| {
        let title = s.lines().next().unwrap_or_default();
        title.contains(&mark)
    });
    let mut left = headings(document).into_iter();
    let mut rows = Vec::new();
    for entry in sections.flat_map(|s| s.split("\n- ").skip(1)) {
        let entry = entry.split_whitespace().collect::<Vec<_>>().join(" ");
        let (mut rest, mut shared) = (entry.as_str(), Vec::new());
        let text = loop {
            let heading = left
                .next()
                .unwrap_or_else(|| panic!("one too many: {rest}"));
            let Some(after) = rest.strip_prefix(heading.as_str()) else {
                panic!("{document}: “{heading}” is due, here stands: {rest}");
            };
            shared.push(heading);
            match (after.strip_prefix(" · "), after.strip_prefix(": ")) {
                (Some(next), _) => rest = next,
                (_, Some(text)) => break text,
                _ => panic!("{document}: {entry}"),
            }
        };
        let kind = match text {
            _ if text.starts_with("mentioned in ") => Kind::Mentioned,
            _ if text.starts_with("out: ") => Kind::Out,
            _ => Kind::Does,
        };
        rows.push(Row {
            headings: shared,
            kind,
            text: text.to_owned(),
        });
    }
    let left: Vec<String> = left.collect();
    assert!(left.is_empty(), "{document}: not on the page: {left:?}");
    rows
}

fn all_rows() -> Vec<Row> {
    let page = page();
    DOCUMENTS.iter().flat_map(|d| rows(&page, d)).collect()
}

/// What stands as code in a text.
fn commands(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// A text without its code, cut into words without the marks around them.
fn words(text: &str) -> Vec<String> {
    let plain: String = text.split('`').step_by(2).collect();
    let trimmed = plain
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned());
    trimmed.collect()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `20.6`: lesson and section.
fn section(word: &str) -> Option<(&str, usize)> {
    let (lesson, section) = word.split_once('.')?;
    let both = lesson.len() == 2 && is_number(lesson) && is_number(section);
    both.then(|| (lesson, section.parse().unwrap()))
}

/// `ex35 (smem, vgpr)`: the exercise, and the questions that are named.
fn exercises(text: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("ex") {
        let before = text[..at].chars().next_back();
        let digits: String = text[at + 2..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        if digits.is_empty() || before.is_some_and(|c| c.is_alphanumeric() || c == '-') {
            continue;
        }
        let after = &text[at + 2 + digits.len()..];
        let keys = after.strip_prefix(" (").and_then(|k| k.split_once(')'));
        let keys = keys.map_or("", |(keys, _)| keys);
        let keys = keys.split(", ").filter(|key| !key.is_empty());
        found.push((format!("ex{digits}"), keys.map(str::to_owned).collect()));
    }
    found
}

/// Each heading of the documents is on the page once, in their order and in one
/// kind: what does it has a place, what is only spoken of or left out a reason.
#[test]
fn every_heading_of_the_documents_has_its_kind() {
    let rows = all_rows();
    let all: usize = DOCUMENTS.iter().map(|d| headings(d).len()).sum();
    let on_page: usize = rows.iter().map(|row| row.headings.len()).sum();
    assert_eq!(on_page, all);
    for row in &rows {
        let places = words(&row.text).iter().any(|w| section(w).is_some())
            || !exercises(&row.text).is_empty()
            || !commands(&row.text).is_empty();
        let (first, reason) = row.text.split_once(". ").unwrap_or((&row.text, ""));
        match row.kind {
            Kind::Does => assert!(places, "{:?} names no place", row.headings),
            Kind::Mentioned => assert!(
                places && !reason.is_empty(),
                "{:?}: where, and why no more?",
                row.headings
            ),
            Kind::Out => assert!(first.len() > "out: ".len(), "{:?}", row.headings),
        }
    }
    for kind in [Kind::Does, Kind::Mentioned, Kind::Out] {
        assert!(rows.iter().any(|row| row.kind == kind), "{kind:?}");
    }
}

/// Sections are there under the titles that they had when the page was held against
/// them: one more in a lesson moves the numbers behind it.
#[test]
fn every_section_that_the_page_names_is_the_one_that_was_read() {
    let course = Course::built_in();
    let kept = read("tests/data/documents/sections.txt");
    let kept: BTreeMap<&str, &str> = kept.lines().filter_map(|l| l.split_once(' ')).collect();
    let mut wrong = Vec::new();
    for row in all_rows() {
        for word in words(&row.text) {
            let Some((number, section)) = section(&word) else {
                continue;
            };
            let prefix = format!("{number}-");
            let title = course
                .lessons()
                .find(|lesson| lesson.id.starts_with(&prefix))
                .and_then(|lesson| lesson.sections.get(section.checked_sub(1)?))
                .map(|section| section.title.as_str());
            let read = kept.get(word.as_str()).copied();
            if title.is_none() || title != read {
                wrong.push(format!(
                    "{word} of {:?}: {title:?}, read: {read:?}",
                    row.headings
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_exercise_and_question_that_the_page_names_is_there() {
    let course = Course::built_in();
    let mut missing = Vec::new();
    for row in all_rows() {
        for (id, keys) in exercises(&row.text) {
            let Ok(exercise) = course.exercise(&id) else {
                missing.push(id);
                continue;
            };
            let there = |key: &String| exercise.keys.iter().any(|k| k.name.text == *key);
            let absent = keys.iter().filter(|key| !there(key));
            missing.extend(absent.map(|key| format!("{id} {key}")));
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

/// The command line takes each command with its options, and knows the exercises of
/// the documents by the names that `check` gets here.
#[test]
fn every_command_that_the_page_names_is_there() {
    let home = tempfile::tempdir().unwrap();
    let tutor = |words: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_tinyllama-tutor"));
        program.current_dir(home.path()).env("HOME", home.path());
        program.arg("--state").arg(home.path()).args(words);
        program.output().unwrap()
    };
    let listed = tutor(&["exercises", "--document"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut named: Vec<String> = Vec::new();
    for row in all_rows() {
        named.extend(commands(&row.text).into_iter().map(str::to_owned));
    }
    named.sort();
    named.dedup();
    assert!(!named.is_empty());
    for command in &named {
        let mut line: Vec<&str> = command.split(' ').collect();
        if let ["check", name] = line[..] {
            assert!(listed.split_whitespace().any(|w| w == name), "{command}");
        }
        line.push("--help");
        let shown = tutor(&line);
        assert!(shown.status.success(), "{command}: {shown:?}");
    }
    let nonsense = tutor(&["study", "nonsense", "--help"]);
    assert!(!nonsense.status.success());
}

/// No claim of the ledger is left out.
#[test]
fn every_claim_is_on_the_page() {
    let flat = page().replace('\n', " ");
    let named = |id: &str| {
        flat.match_indices(id).any(|(at, _)| {
            let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
            !part(flat[..at].chars().next_back()) && !part(flat[at + id.len()..].chars().next())
        })
    };
    let ledger = Ledger::built_in();
    let ids = ledger.claims().iter().map(|claim| claim.id.text.clone());
    let missing: Vec<String> = ids.filter(|id| !named(id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
