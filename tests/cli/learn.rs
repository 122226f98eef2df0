//! Practice, variants, tables in the shell, progress that travels, undoing.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::json;

use crate::program::{Home, Ran};

/// The command with these lines typed into it.
fn typing(home: &Home, line: &str, typed: &str) -> Ran {
    let mut child = home
        .command()
        .args(line.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(typed.as_bytes())
        .unwrap();
    Ran::of(child.wait_with_output().unwrap())
}

fn kinds() -> String {
    let course = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kinds");
    format!("--course {}", course.display())
}

#[test]
fn practice_asks_judges_shows_and_remembers() {
    let home = Home::new();
    let ran = typing(
        &home,
        "practise launches --seed 5 --count 2",
        "several\n1\n\n\n",
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    for part in [
        "1. How many kernels does one block of this cut launch?",
        "unread  ",
        "wrong   1 is too low",
        "It is ",
        "--why block.launches",
        "2. How many launches does a whole forward",
        "0 of 2 right at the first answer.",
        "launches.block comes back soon.",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let progress = home.line("progress --json").json();
    assert_eq!(progress["practise"], json!({ "asked": 2, "right": 0 }));
    // The same seed asks the same; the value that was shown is right.
    let shown = ran
        .out
        .split("It is ")
        .nth(1)
        .unwrap()
        .split('.')
        .next()
        .unwrap()
        .to_owned();
    let again = typing(
        &Home::new(),
        "practise launches --seed 5 --count 1",
        &format!("{shown}\n"),
    );
    assert_eq!(again.code, 0, "{again:?}");
    assert!(again.out.contains("1 of 1 right at the first answer."));
    // The input may end at any point.
    assert_eq!(typing(&home, "practise bytes", "").code, 1);
    home.line("practise byts")
        .refused(2, "there is no topic “byts”");
}

#[test]
fn a_table_is_answered_by_row_and_by_cell() {
    let home = Home::new();
    let ran = home.args(&[
        "check",
        "ex90",
        "--course",
        kinds().split_once(' ').unwrap().1,
        "--json",
        "--answer",
        "peaks.V1=1,245,184 B | 4,587,520 B",
        "--answer",
        "peaks.V2.128=917,504 B",
        "--answer",
        "peaks.v2.256=1.83 MB",
    ]);
    let document = ran.json();
    let table = &document["keys"][0];
    // 1,835,008 B ± 0.5 %: 1.83 MB is right.
    assert_eq!(table["verdict"], "right", "{table:#}");
    assert_eq!(table["cells"].as_array().unwrap().len(), 4);
    assert_eq!(document["variant"], 0);
    home.args(&[
        "check",
        "ex90",
        "--course",
        kinds().split_once(' ').unwrap().1,
        "--answer",
        "peaks.V9=1",
    ])
    .refused(2, "peaks has no row “V9”; there are V1, V2");
}

#[test]
fn a_prediction_stays_as_it_was_and_free_text_is_kept() {
    let home = Home::new();
    let line = format!("check ex90 {} --answer guess=60", kinds());
    let first = home.line(&line);
    assert!(
        first
            .out
            .contains("You predicted 60, and it came out as 71."),
        "{first:?}"
    );
    let later = home.line(&format!("check ex90 {} --answer guess=71", kinds()));
    assert!(later.out.contains("You predicted 60"), "{later:?}");
    let course = kinds();
    let course = course.split_once(' ').unwrap().1;
    let kept = home.args(&[
        "check",
        "ex90",
        "--course",
        course,
        "--answer",
        "insight=1.05 MB in softmax",
    ]);
    assert!(kept.out.contains("A worked answer:"), "{kept:?}");
    assert!(kept.out.contains("2 kept"), "{kept:?}");
}

#[test]
fn another_variant_begins_with_an_empty_sheet_and_a_reset_can_be_undone() {
    let home = Home::new();
    let course = kinds();
    // Nothing answered yet: the variant is simply taken up.
    let ran = home.line(&format!(
        "check ex90 {course} --variant 1 --answer bytes=1310720"
    ));
    assert!(ran.out.contains("ex90 Kinds, variant 1."), "{ran:?}");
    assert!(ran.out.contains("5 bytes    right"), "{ran:?}");
    let hint = home.line(&format!("hint ex90 bytes {course}"));
    assert_eq!(hint.code, 0);
    home.line(&format!("check ex90 {course} --variant 2"))
        .refused(2, "answers variant 1 of ex90");
    home.line(&format!("check ex90 {course} --variant 9"))
        .refused(2, "ex90 has variants 0 to 2");
    let before = std::fs::read_to_string(home.sheet("ex90")).unwrap();
    assert!(before.contains("variant = 1"), "{before}");
    let reset = home.line(&format!("reset ex90 {course} --variant 2"));
    assert!(reset.out.contains("starts again, variant 2."), "{reset:?}");
    let undone = home.line(&format!("reset --undo {course}"));
    assert_eq!(
        (undone.code, undone.out.as_str()),
        (0, "The last reset is undone: ex90.\n")
    );
    assert_eq!(std::fs::read_to_string(home.sheet("ex90")).unwrap(), before);
    home.line(&format!("reset --undo {course}"))
        .refused(2, "there is no reset to undo");
    let all = home.line(&format!("reset --all {course}"));
    assert_eq!(all.code, 0, "{all:?}");
    home.line(&format!("reset --undo {course}"));
    assert_eq!(std::fs::read_to_string(home.sheet("ex90")).unwrap(), before);
}

#[test]
fn progress_goes_to_another_machine_and_nothing_is_lost() {
    let (here, there) = (Home::new(), Home::new());
    assert_eq!(
        here.line("check ex1 --answer block=17 --answer products=12")
            .code,
        1
    );
    assert_eq!(there.line("check ex1 --answer products=9").code, 1);
    let file = here.path().join("mine.toml");
    let file = file.to_str().unwrap();
    assert_eq!(here.args(&["progress", "export", file]).code, 0);
    here.args(&["progress", "export", file])
        .refused(2, "exists already");
    let taken = there.args(&["progress", "import", file]);
    assert!(
        taken.out.contains("0 sections read and 1 question solved"),
        "{taken:?}"
    );
    assert_eq!(
        there.line("progress --json").json()["questions"]["right"],
        2
    );
    there.write("no.toml", "][");
    there
        .line("progress import no.toml")
        .refused(2, "is not TOML");
    there
        .line("progress import nowhere.toml")
        .refused(2, "cannot be read");
}
