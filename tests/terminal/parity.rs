//! One answer, one verdict: what is given to `check` in a shell and what is typed into
//! the form leave the same sheet, the same progress and the same sentence.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tinyllama_tutor::course::Course;
use tinyllama_tutor::course::attempt::choices;
use tinyllama_tutor::run::listing::Listing;

use crate::support::pty::Pty;

const ENTER: &str = "\r";
const TAB: &str = "\t";

/// A course of one exercise, laid over the built-in one.
const EXERCISE: &str = r##"+++
title = "Parity"
lesson = "07-v1-census"
minutes = 5
config = { preset = "workshop", batch = 1, version = "v1" }
KEYS
+++
Whatever is typed here is typed twice.
"##;

fn question(name: &str, fields: &str) -> String {
    format!(
        "\n[[key]]\nname = \"{name}\"\nask = \"What is {name}?\"\n{fields}\nhints = [\"One.\", \"Two.\", \"Three.\"]\n"
    )
}

/// Name, fields, typed, verdict. By hand: 17 kernels in a block of V1, 4 blocks and three
/// kernels outside; x is 128 rows of 256, 4 B each: 131,072 B.
fn questions() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let block = "answer = \"block.launches\"\ntolerance = \"exact\"\nslips = [{ answer = \"block.launches - 1\", say = \"One op is missing.\" }]";
    let bytes = "answer = \"4 B * B*S*D\"\nunit = \"B\"\ntolerance = \"1 %\"";
    vec![
        ("first", block, "17", "right"),
        ("second", bytes, "134000 B", "close"),
        ("third", block, "16", "slip"),
        ("fourth", block, "40", "wrong"),
        ("fifth", block, "banana", "unread"),
        (
            "sixth",
            "kind = \"text\"\nmodel = \"Seventeen.\"",
            "as many as boxes",
            "kept",
        ),
        (
            "seventh",
            "kind = \"predict\"\nanswer = \"forward.launches\"\ntolerance = \"exact\"",
            "71",
            "kept",
        ),
        (
            "eighth",
            "kind = \"measured\"\nanswer = \"run.launches.counted\"\ntolerance = \"exact\"",
            "71",
            "right",
        ),
    ]
}

fn course(folder: &Path) {
    let keys: String = questions()
        .iter()
        .map(|(name, fields, ..)| question(name, fields))
        .collect();
    let exercises = folder.join("exercises");
    fs::create_dir_all(&exercises).unwrap();
    fs::write(exercises.join("ex90.md"), EXERCISE.replace("KEYS\n", &keys)).unwrap();
}

/// `check --json` in a shell, with a home of its own.
fn shell(home: &Path, args: &[&str]) -> Value {
    let ran = Command::new(env!("CARGO_BIN_EXE_tinyllama-tutor"))
        .args(args)
        .env_clear()
        .env("HOME", home)
        .env("XDG_DATA_HOME", home)
        .env("LANG", "C.UTF-8")
        .envs(std::env::var("NVRTC_LIBRARY").map(|library| ("NVRTC_LIBRARY", library)))
        .current_dir(home)
        .output()
        .unwrap();
    let out = String::from_utf8(ran.stdout).unwrap();
    let err = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(err, "");
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}"))
}

/// The words of a screen, whatever frame stands between them.
fn words(screen: &str) -> String {
    let frame = |c: char| ('\u{2500}'..'\u{2600}').contains(&c);
    let bare: String = screen
        .chars()
        .map(|c| if frame(c) { ' ' } else { c })
        .collect();
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Waits until the screen says what `check` said of a question.
#[track_caller]
fn says(p: &Pty, key: &Value) {
    let said = key["message"].as_str().unwrap();
    let said = words(said);
    p.wait_until(&said, |screen| words(screen).contains(&said));
}

/// A sheet, and what progress holds of its exercise.
pub(super) fn kept(home: &Path, exercise: &str) -> (String, toml::Value) {
    let folder = home.join("tinyllama-tutor");
    let sheet = fs::read_to_string(folder.join(format!("answers/{exercise}.toml")));
    let progress = fs::read_to_string(folder.join("progress.toml")).unwrap();
    let progress: toml::Table = progress.parse().unwrap();
    (
        sheet.unwrap_or_default(),
        progress["exercises"][exercise].clone(),
    )
}

#[test]
fn a_shell_and_a_form_come_to_the_same() {
    let folder = tempfile::tempdir().unwrap();
    course(folder.path());
    let course = folder.path().to_str().unwrap();

    let home = tempfile::tempdir().unwrap();
    let mut line = vec!["--course", course, "check", "ex90", "--json"];
    let answers: Vec<String> = questions()
        .iter()
        .map(|(name, _, typed, _)| format!("--answer={name}={typed}"))
        .collect();
    line.extend(answers.iter().map(String::as_str));
    let found = shell(home.path(), &line);

    let mut p = Pty::open(&["--course", course], 80, 40);
    p.wait_for("? help");
    p.press("7");
    p.wait_for("ex1   V1: a first round");
    p.press("G");
    p.wait_for("Parity");
    p.press(ENTER);
    p.wait_for("What is first?");
    let mut open = false;
    for ((name, _, typed, verdict), key) in
        questions().iter().zip(found["keys"].as_array().unwrap())
    {
        assert_eq!(
            (&key["name"], &key["verdict"]),
            (&(*name).into(), &(*verdict).into())
        );
        p.wait_for(&format!("What is {name}?"));
        if *name == "eighth" {
            p.press("r");
            p.wait_for("71 launches #");
        }
        // What is unread leaves its field open, from which Tab opens the next one.
        if !std::mem::replace(&mut open, *verdict == "unread") {
            p.press(ENTER);
        }
        p.wait_for("▌");
        p.press(typed);
        p.press(ENTER);
        says(&p, key);
        p.press(TAB);
    }
    p.press("\x1b\x1b");
    p.settled();
    p.press("q");
    let (code, state) = p.exit();
    assert_eq!(code, 0);
    assert_eq!(kept(state.path(), "ex90"), kept(home.path(), "ex90"));
}

/// The form of an exercise, on its second question.
fn second_question(p: &mut Pty, exercise: &str) {
    p.wait_for("? help");
    p.press("7");
    p.wait_for("ex1   V1: a first round");
    p.press(&format!("/{exercise}{ENTER}"));
    p.wait_for(&format!("►· {exercise}"));
    p.press(ENTER);
    p.wait_for("First the price");
    p.press(TAB);
    p.wait_for("► 2");
}

/// Letters of the gap form, which need no compiler: right ones, then a mistake.
#[test]
fn letters_of_the_gap_form_are_judged_alike() {
    let course = Course::built_in();
    let exercise = course.exercise("ex26").unwrap();
    let kernel = exercise.key("kernel").unwrap().kernel.as_ref().unwrap();
    let mistake = kernel.listing.mistakes().next().unwrap().number;
    let letters = |wrong: Option<u32>| -> String {
        let pick = |gap| {
            let all = choices(gap);
            let wrong = all.iter().find(|c| wrong.is_some() && c.2 == wrong);
            let right = all.iter().find(|c| c.2.is_none());
            wrong.or(right).unwrap().0.to_string()
        };
        kernel
            .listing
            .gaps()
            .map(pick)
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (letters, verdict) in [(letters(None), "right"), (letters(Some(mistake)), "slip")] {
        let home = tempfile::tempdir().unwrap();
        let answer = format!("--answer=kernel={letters}");
        let key = shell(home.path(), &["check", "ex26", &answer, "--json"])["keys"][1].clone();
        assert_eq!(key["verdict"], verdict, "{key}");
        let mut p = Pty::open(&[], 80, 40);
        second_question(&mut p, "ex26");
        p.press(" ");
        p.wait_for("▌");
        p.press(&letters);
        p.press(ENTER);
        says(&p, &key);
        p.press("\x1b\x1b");
        p.settled();
        p.press("q");
        let (_, state) = p.exit();
        assert_eq!(kept(state.path(), "ex26"), kept(home.path(), "ex26"));
    }
}

/// A kernel's file: judged where a compiler is, and told to be without one elsewhere.
#[test]
fn a_kernel_in_a_file_is_judged_alike() {
    let worked = Listing::named("exercises/silu_mul.cu").unwrap().worked();
    let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for home in &homes {
        let answers = home.path().join("tinyllama-tutor/answers");
        fs::create_dir_all(&answers).unwrap();
        fs::write(answers.join("ex19.cu"), &worked).unwrap();
    }
    let [home, typed_in] = homes;
    let key = shell(home.path(), &["check", "ex19", "--json"])["keys"][1].clone();
    let library = std::env::var("NVRTC_LIBRARY").ok();
    let library = library.as_deref().map(|path| ("NVRTC_LIBRARY", path));
    let mut p = Pty::open_in(typed_in, &[], library.as_slice(), 80, 40);
    second_question(&mut p, "ex19");
    p.press(ENTER);
    says(&p, &key);
    p.press("q");
    let (_, state) = p.exit();
    assert_eq!(kept(state.path(), "ex19"), kept(home.path(), "ex19"));
}
