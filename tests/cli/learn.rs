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
        "several\n1\n\n\n\n\n",
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
fn one_value_for_many_cells_is_refused_and_what_is_replaced_is_said() {
    let home = Home::new();
    let rope = "table.rope=1 | 1 | 1 | 0";
    home.args(&["check", "ex32", "--answer", rope]);
    let kept = std::fs::read_to_string(home.sheet("ex32")).unwrap();
    for (answer, place) in [
        ("table=17", "table has 9 x 4 cells"),
        (
            "table.rope=17",
            "Row rope of table has 4 cells: V1, V2, V3, V4",
        ),
    ] {
        let ran = home.args(&["check", "ex32", "--answer", answer]);
        ran.refused(2, place);
        assert!(
            ran.err
                .contains("--answer 'table.norms=... | ... | ... | ...'"),
            "{ran:?}"
        );
        assert!(ran.err.contains("table.norms.V1=..."), "{ran:?}");
    }
    assert_eq!(std::fs::read_to_string(home.sheet("ex32")).unwrap(), kept);
    // A whole table in place of what was typed.
    let ran = home.args(&["check", "ex32", "--answer", "table=2 | 2"]);
    assert!(ran.err.contains("table held "), "{ran:?}");
    let back = ran.err.split("--answer ").nth(1).unwrap();
    let back = back.split('\'').nth(1).unwrap();
    let ran = home.args(&["check", "ex32", "--answer", back]);
    assert_eq!(
        std::fs::read_to_string(home.sheet("ex32")).unwrap(),
        kept,
        "{ran:?}"
    );
    // A cell that is named is replaced without many words.
    let ran = home.args(&["check", "ex32", "--answer", "table.rope.V4=1"]);
    assert_eq!(ran.err, "");
}

#[test]
fn a_row_is_named_as_the_sheet_spells_it() {
    let home = Home::new();
    let name = "big.\"MI250X, one die\"=50 %";
    let ran = home.args(&["check", "ex35", "--answer", name, "--json"]);
    let document = ran.json();
    let keys = document["keys"].as_array().unwrap();
    let big = keys.iter().find(|key| key["name"] == "big").unwrap();
    // 131,072 registers / (128 · 256) are 4 blocks: 1,024 of 2,048 threads.
    assert_eq!(big["cells"][1]["verdict"], "right", "{big:#}");
    let ran = home.args(&["check", "ex35", "--answer", "big.MI250X=1"]);
    ran.refused(2, "there are H200, \"MI250X, one die\", MI100");
    let shown = home.line("show ex35 4").out;
    assert!(shown.contains("--answer big.H200=..."), "{shown}");
}

#[test]
fn words_that_are_replaced_can_be_put_back() {
    let home = Home::new();
    home.args(&["check", "ex13", "--answer", "10=long words of my own"]);
    let kept = std::fs::read_to_string(home.sheet("ex13")).unwrap();
    for typed in ["10=y", "10="] {
        let ran = home.args(&["check", "ex13", "--answer", typed]);
        assert!(ran.err.contains("held long words of my own; "), "{ran:?}");
        assert!(
            ran.err.contains("=long words of my own' puts it back."),
            "{ran:?}"
        );
        let back = ran.err.split('\'').nth(1).unwrap().to_owned();
        home.args(&["check", "ex13", "--answer", &back]);
        assert_eq!(std::fs::read_to_string(home.sheet("ex13")).unwrap(), kept);
    }
}

#[test]
fn another_right_answer_is_not_spoken_of_as_wrong() {
    let home = Home::new();
    home.line("check ex1 --answer block=17");
    let ran = home.args(&["check", "ex1", "--answer", "block=10 + 7"]);
    assert!(
        ran.err
            .contains("block is right with this, too; before it held 17"),
        "{ran:?}"
    );
    let ran = home.line("check ex1 --answer block=12");
    assert!(ran.err.contains("block was right with 10 + 7; "), "{ran:?}");
    // Where nothing is kept, nothing is gone.
    home.line("check ex1 --answer block=17");
    let ran = home.line("check ex1 --read-only --answer block=12");
    assert_eq!(ran.err, "");
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
fn a_reset_says_truly_what_starts_again() {
    let home = Home::new();
    for line in [
        "reset ex2",
        "reset ex2 1",
        "reset --all",
        "reset ex1 --variant 2",
    ] {
        let ran = home.line(line);
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
        let promised = ["starts again", "start again", "--undo"];
        assert!(
            promised.iter().all(|p| !ran.out.contains(p)),
            "{line}: {ran:?}"
        );
    }
    home.line("reset ex1 --variant 0");
    // Hints and a solution that was read, and no sheet.
    home.line("hint ex2 1");
    home.line("solution ex2 1 --give-up");
    let marks = |home: &Home| home.line("progress export").out;
    let before = marks(&home);
    for line in ["reset ex2", "reset ex2 1"] {
        let ran = home.line(line);
        assert!(ran.out.contains("starts again."), "{line}: {ran:?}");
        assert!(
            ran.out.ends_with("reset --undo takes this back.\n"),
            "{ran:?}"
        );
        assert_ne!(marks(&home), before);
        assert_eq!(home.line("reset --undo").code, 0);
        assert_eq!(marks(&home), before, "{line}");
    }
    // A kernel of one's own stays.
    home.write("data/tinyllama-tutor/answers/ex22.cu", "// mine\nint x;\n");
    let ran = home.line("reset ex22 kernel");
    assert!(ran.out.contains("ex22 kernel is open already"), "{ran:?}");
    assert!(ran.out.contains("ex22.cu stays as you wrote it"), "{ran:?}");
}

#[test]
fn variants_that_were_answered_come_back_one_by_one() {
    let home = Home::new();
    home.line("check ex1 --answer block=17");
    home.line("reset ex1 --variant 1");
    home.line("check ex1 --answer products=9");
    home.line("reset ex1 --variant 2");
    home.line("check ex2 --answer 1=1");
    let undone = home.line("reset --undo");
    assert!(
        undone
            .out
            .contains("Again, and the one before it is undone."),
        "{undone:?}"
    );
    let sheet = || std::fs::read_to_string(home.sheet("ex1")).unwrap();
    assert!(sheet().contains("variant = 1") && sheet().contains("products = \"9\""));
    let undone = home.line("reset --undo").out;
    assert!(undone.starts_with("The last reset is undone: ex1.\n"));
    assert!(!undone.contains("the one before it"), "{undone}");
    assert!(undone.contains("reset --redo puts it back"), "{undone}");
    assert!(sheet().contains("block = \"17\""), "{}", sheet());
    // And forth again.
    home.line("reset --redo");
    assert!(sheet().contains("products = \"9\""), "{}", sheet());
    home.line("reset --undo");
    assert!(sheet().contains("block = \"17\""), "{}", sheet());
    // What was done elsewhere meanwhile stays.
    let kept = home.line("progress export").out;
    assert!(kept.contains("[exercises.ex2"), "{kept}");
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
