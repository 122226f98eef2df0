//! A lesson read and a question answered in the real program, and found again
//! after leaving.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

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
    p.wait_for("question ex1 block");
    p.press("\t\r");
    p.wait_for("▌");
    p.press("17");
    p.wait_for("read as 17");
    p.press("\r");
    p.wait_for("right");
    p.press("q");
    let (code, state) = p.exit();
    assert_eq!(code, 0);

    let folder = state.path().join("tinyllama-tutor");
    let sheet = std::fs::read_to_string(folder.join("answers/ex1.toml")).unwrap();
    assert!(sheet.contains("block = \"17\""), "{sheet}");
    let progress = std::fs::read_to_string(folder.join("progress.toml")).unwrap();
    assert!(progress.contains("07-v1-census"), "{progress}");

    let mut p = Pty::open_in(state, &[], &[], 80, 24);
    p.wait_for("1 Home");
    p.wait_for("1/12");
    // The lesson opens where it was left, with the answer in its field.
    p.press("2");
    p.wait_for("07 A count needs its list");
    p.wait_for("[ 17 ");
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
    let text = std::fs::read_to_string(&sheet).unwrap();
    // A longer answer, so that the file's length differs in any case.
    std::fs::write(&sheet, text.replace("\"16\"", "\"4 + 13\"")).unwrap();
    p.wait_for("changed on disk: block");
    p.wait_for("[ 4 + 13");
    p.press("q");
    assert_eq!(p.exit().0, 0);
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
