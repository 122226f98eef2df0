//! A lesson read and a question answered in the real program, and found again
//! after leaving.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::process::Command;

use crate::parity::kept;
use crate::support::pty::Pty;

#[test]
fn an_answer_given_in_a_lesson_is_there_after_leaving() {
    let mut p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    // The first run shows itself once; Enter begins with the first lesson.
    p.press("\r");
    p.wait_for("2 Lesson");
    for _ in 0..7 {
        p.press("]");
    }
    p.wait_for("07 A count needs its list");
    // Outline, its last section, which asks the question.
    p.press("oG\r");
    p.wait_for("question ex1 products");
    p.press("\t\r");
    p.wait_for("▌");
    p.press("9");
    p.wait_for("read as 9");
    p.press("\r");
    p.wait_for("right");
    p.press("q");
    let (code, state) = p.exit();
    assert_eq!(code, 0);

    let folder = state.path().join("tinyllama-tutor");
    let sheet = std::fs::read_to_string(folder.join("answers/ex1.toml")).unwrap();
    assert!(sheet.contains("products = \"9\""), "{sheet}");
    let progress = std::fs::read_to_string(folder.join("progress.toml")).unwrap();
    assert!(progress.contains("07-v1-census"), "{progress}");

    let mut p = Pty::open_in(state, &[], &[], 80, 24);
    p.wait_for("1 Home");
    p.wait_for("1/12");
    // The lesson opens where it was left, with the answer in its field.
    p.press("2");
    p.wait_for("07 A count needs its list");
    p.wait_for("[ 9 ");
    p.press("7");
    p.wait_for("1 of ");
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

#[test]
fn a_sheet_edited_by_hand_is_taken_up_while_the_form_is_open() {
    let mut p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    p.press("7");
    p.wait_for("ex1   V1: a first round");
    p.press("\r\r");
    p.wait_for("▌");
    p.press("16\r");
    p.wait_for("One op is missing");
    let sheet = p.state().join("tinyllama-tutor/answers/ex1.toml");
    p.wait_for("Saved to");
    // Also after another form was open meanwhile.
    p.press("\x1b:ex2\r");
    p.wait_for("FLOPs of the parts");
    p.press(":ex1\r");
    p.wait_for("[ 16");
    let text = std::fs::read_to_string(&sheet).unwrap();
    // A longer answer, so that the file's length differs in any case.
    std::fs::write(&sheet, text.replace("\"16\"", "\"4 + 13\"")).unwrap();
    p.wait_for("changed on disk: block");
    p.wait_for("[ 4 + 13");
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

/// A command in a shell beside the workshop.
fn beside(p: &Pty, line: &str) {
    let ran = Command::new(env!("CARGO_BIN_EXE_tinyllama-tutor"))
        .args(line.split(' '))
        .env_clear()
        .env("HOME", p.state())
        .env("XDG_DATA_HOME", p.state())
        .current_dir(p.state())
        .output()
        .unwrap();
    assert!(ran.status.code() < Some(2), "{line}: {ran:?}");
}

#[test]
fn what_a_shell_checks_counts_in_a_workshop_that_runs() {
    let mut p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    p.press("7");
    p.wait_for("ex1   V1: a first round");
    p.press("\r\r");
    p.wait_for("▌");
    // Typed and not entered.
    p.press("17\x1b");
    p.wait_for("typed");
    p.settled();
    beside(&p, "check ex1");
    p.wait_for("what was found elsewhere");
    p.wait_for("right   ");
    // Also of what was never opened here.
    let answers = p.state().join("tinyllama-tutor/answers");
    std::fs::write(answers.join("ex2.toml"), "qkv = \"1 FLOP\"\n").unwrap();
    p.press("H");
    p.wait_for("1 right");
    beside(&p, "check ex2");
    p.wait_for("1 wrong");
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

#[test]
fn resets_and_variants_of_a_shell_stand_in_a_workshop_that_runs() {
    let mut p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    p.press("7");
    p.wait_for("ex1   V1: a first round");
    p.press("\r\r");
    p.wait_for("▌");
    p.press("17\r");
    p.wait_for("right   ");
    p.wait_for("Saved to");
    // The same, held against what lies on disk once the workshop has written it.
    let rest = |p: &Pty| {
        p.settled();
        kept(p.state(), "ex1")
    };
    let right = rest(&p);
    assert_eq!(right.1["block"]["verdict"].as_str(), Some("right"));
    p.press("v");
    p.wait_for("v again begins variant 1");
    p.press("v");
    p.wait_for("reset --undo");
    p.settled();
    beside(&p, "reset --undo");
    p.wait_for("stands here as it does there");
    p.wait_for("right   ");
    assert_eq!(rest(&p), right);
    beside(&p, "reset ex1 --variant 2");
    p.wait_gone("right   ");
    p.settled();
    beside(&p, "reset --undo");
    p.wait_for("right   ");
    assert_eq!(rest(&p), right);
    // A key that is typed before the workshop has seen it answers the variant that was there.
    p.press("vv");
    p.wait_gone("right   ");
    p.settled();
    beside(&p, "reset --undo");
    p.press("8");
    p.wait_for("right   ");
    assert_eq!(rest(&p), right);
    // A sheet that was broken is read when it is mended.
    let sheet = p.state().join("tinyllama-tutor/answers/ex1.toml");
    std::fs::write(&sheet, "block = \"1").unwrap();
    p.wait_for("answers/ex1.toml");
    std::fs::write(&sheet, right.0.replace("\"17\"", "\"4 + 14\"")).unwrap();
    p.wait_for("[ 4 + 14");
    // So is what was typed while it was broken.
    std::fs::write(&sheet, "block = \"1").unwrap();
    p.wait_for("not TOML here");
    p.press("\t\r");
    p.wait_for("▌");
    p.press("9\r");
    p.wait_for("right   ");
    p.settled();
    std::fs::write(&sheet, &right.0).unwrap();
    p.wait_until("both answers in the sheet", |_| {
        let text = std::fs::read_to_string(&sheet).unwrap();
        text.contains("\"17\"") && text.contains("\"9\"")
    });
    p.press("q");
    let (code, state) = p.exit();
    assert_eq!(code, 0);
    // Nothing was recorded over it.
    assert_eq!(kept(state.path(), "ex1").1["block"], right.1["block"]);
}

#[test]
fn a_lesson_follows_its_file() {
    let course = tempfile::tempdir().unwrap();
    let lessons = course.path().join("lessons");
    std::fs::create_dir(&lessons).unwrap();
    let file = lessons.join("00-welcome.md");
    let text = |body: &str| format!("+++\ntitle = \"Mine\"\n+++\n\n## First\n\n{body}\n");
    std::fs::write(&file, text("Before.")).unwrap();
    let folder = course.path().to_str().unwrap();
    let mut p = Pty::open(&["--course", folder], 80, 24);
    p.wait_for("? help");
    p.press("\r");
    p.wait_for("Before.");
    std::fs::write(&file, text("After an edit.")).unwrap();
    p.wait_for("After an edit.");
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

/// Whoever answers in a shell has the exercise before them, too.
#[test]
fn check_shows_what_its_questions_speak_of_before_it_asks() {
    let mut p = Pty::open(&["check", "ex4", "--gpu", "a100"], 100, 50);
    p.wait_for("MI250X, one die");
    p.wait_for("  > ");
    p.press("\x04");
    assert_eq!(p.exit().0, 1);
}

#[test]
fn keys_that_come_before_the_form_is_drawn_do_not_take_the_place_of_an_answer() {
    let mut p = Pty::open(&[], 80, 24);
    p.wait_for("? help");
    p.press("\r");
    p.wait_for("2 Lesson");
    p.press(":ex2\r");
    p.wait_for("7 Exercises  ex2");
    // 2 · 128 · 256 · 256 operations, half typed the second.
    p.press("33.55 MFLOP\r");
    p.wait_for("right");
    p.press("q");
    let (_, state) = p.exit();
    let sheet = state.path().join("tinyllama-tutor/answers/ex2.toml");
    let before = std::fs::read_to_string(&sheet).unwrap();
    assert!(before.contains("33.55 MFLOP"), "{before}");

    let mut p = Pty::open_in(state, &[], &[], 80, 24);
    p.wait_for("1 Home");
    // The form opens at its first open question; up to the one before.
    p.press(":ex2\r\x1b[A7\r");
    p.wait_for("This is answered right");
    p.press("q");
    let _state = p.exit();
    assert_eq!(std::fs::read_to_string(&sheet).unwrap(), before);
}

#[test]
fn keys_wait_for_a_course_that_is_slow_to_be_read() {
    let state = tempfile::tempdir().unwrap();
    let folder = state.path().join("tinyllama-tutor");
    std::fs::create_dir_all(&folder).unwrap();
    // Progress that is broken is set aside by whoever has the lock: another one, for a second.
    std::fs::write(folder.join("progress.toml"), "version = = 1\n").unwrap();
    let lock = std::fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let mut p = Pty::open_in(state, &[], &[], 80, 24);
    p.wait_until("a page", |screen| !screen.trim().is_empty());
    p.press(":ex2\r");
    std::thread::sleep(std::time::Duration::from_millis(1200));
    drop(lock);
    p.wait_for("7 Exercises  ex2");
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

#[test]
fn answers_given_before_the_folder_was_made_go_there_with_those_after() {
    let state = tempfile::tempdir().unwrap();
    let old = state.path().join("tinyllama-tutor/answers");
    std::fs::create_dir_all(&old).unwrap();
    std::fs::write(old.join("ex2.toml"), "q = \"33.55 MFLOP\"\n").unwrap();
    let mut p = Pty::open_in(state, &[], &[], 80, 24);
    p.wait_for("first run");
    p.press("i");
    p.wait_for("Made ./answers");
    p.press("\r");
    p.wait_for("2 Lesson");
    p.press(":ex1\r");
    p.wait_for("7 Exercises  ex1");
    p.press("17\r");
    p.wait_for("right");
    p.press("q");
    let (_, state) = p.exit();
    let kept = |id: &str| std::fs::read_to_string(state.path().join("answers").join(id)).unwrap();
    assert!(
        kept("ex1.toml").contains("block = \"17\""),
        "{}",
        kept("ex1.toml")
    );
    assert!(kept("ex2.toml").contains("q = \"33.55 MFLOP\""));

    let mut p = Pty::open_in(state, &[], &[], 80, 24);
    p.wait_for("1 Home");
    p.press(":ex1\r");
    p.wait_for("17  right");
    p.press("q");
    assert_eq!(p.exit().0, 0);
}
