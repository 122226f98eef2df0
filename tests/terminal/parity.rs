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

/// A sheet, and what progress holds of its exercise.
fn kept(home: &Path, exercise: &str) -> (String, toml::Value) {
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

    let mut p = Pty::open(&["--course", course], 120, 40);
    p.wait_for("? help");
    p.press("7");
    p.wait_for("ex1   Launch census");
    p.press("G");
    p.wait_for("Parity");
    p.press(ENTER);
    p.wait_for("What is first?");
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
            p.wait_for("launches 71 #");
        }
        p.press(ENTER);
        p.wait_for("▌");
        p.press(typed);
        p.press(ENTER);
        let said = key["message"].as_str().unwrap();
        // How an answer was read stands under its field on the screen.
        let said = words(said.split(" Read as ").next().unwrap());
        p.wait_until(&format!("{name}: {said}"), |screen| {
            words(screen).contains(&said)
        });
        p.press(TAB);
    }
    p.press("\x1b\x1b");
    p.settled();
    p.press("q");
    let (code, state) = p.exit();
    assert_eq!(code, 0);
    assert_eq!(kept(state.path(), "ex90"), kept(home.path(), "ex90"));
}

/// A kernel's file, judged where a compiler is and told to be without one where none
/// is; and letters of the gap form, which need none.
#[test]
fn a_kernel_is_judged_alike() {
    let worked = Listing::named("exercises/silu_mul.cu").unwrap().worked();
    let gaps = "# typed by hand\nkernel = \"b\"\n";
    for (exercise, number, file, text) in [
        ("ex19", 2, "ex19.cu", worked.as_str()),
        ("ex26", 2, "ex26.toml", gaps),
    ] {
        let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        for home in &homes {
            let answers = home.path().join("tinyllama-tutor/answers");
            fs::create_dir_all(&answers).unwrap();
            fs::write(answers.join(file), text).unwrap();
        }
        let [home, typed_in] = homes;
        let found = shell(home.path(), &["check", exercise, "--json"]);
        let key = &found["keys"][number - 1];
        let library = std::env::var("NVRTC_LIBRARY").ok();
        let compilers: Vec<(&str, &str)> = library
            .iter()
            .map(|l| ("NVRTC_LIBRARY", l.as_str()))
            .collect();
        let mut p = Pty::open_in(typed_in, &[], &compilers, 120, 40);
        p.wait_for("? help");
        p.press("7");
        p.wait_for("ex1   Launch census");
        p.press(&format!("/{exercise}{ENTER}{ENTER}{ENTER}"));
        p.wait_for("Write: ");
        p.press(TAB);
        p.press(ENTER);
        let said = key["message"].as_str().unwrap();
        let said = words(said.split(" Read as ").next().unwrap());
        p.wait_until(&said, |screen| words(screen).contains(&said));
        p.settled();
        p.signal("HUP");
        let (_, state) = p.exit();
        assert_eq!(kept(state.path(), exercise), kept(home.path(), exercise));
    }
}
