//! `init`, `new`, `lint`, and courses that are not as they should be.

use crate::program::Home;

const LESSON: &str =
    "+++\ntitle = \"Mine\"\nversion = \"v1\"\nminutes = 5\n+++\n## Only section\nProse.\n\n";

#[test]
fn an_empty_course_folder_is_code_4() {
    let home = Home::new();
    std::fs::create_dir(home.path().join("empty")).unwrap();
    for line in [
        "--course empty lessons",
        "--course empty check ex1",
        "lint empty",
    ] {
        home.line(line)
            .refused(4, "this course folder holds no text");
    }
}

#[test]
fn a_broken_live_block_is_shown_said_and_code_4() {
    let home = Home::new();
    let text = format!("{LESSON}```lab\nstart = \"v9\"\nspeed = 3\n```\n\nAfter it.\n");
    home.write("mine/lessons/40-mine.md", &text);
    let ran = home.line("--course mine show 40");
    assert_eq!(ran.code, 4);
    assert!(
        ran.out.contains("After it."),
        "the rest is shown: {}",
        ran.out
    );
    // file:line:column of the unknown key, line 11.
    assert!(ran.err.contains("lessons/40-mine.md:11:1: "), "{}", ran.err);
    let lint = home.line("lint mine");
    assert_eq!(lint.code, 4);
    assert!(
        lint.out.contains("lessons/40-mine.md:11:1: "),
        "{}",
        lint.out
    );
    // Other lessons are not touched by it.
    assert_eq!(home.line("--course mine show 7").code, 0);
}

#[test]
fn a_question_that_cannot_be_read_is_not_passed_over() {
    let home = Home::new();
    home.write(
        "mine/exercises/ex60.md",
        "+++\ntitle = \"Mine\"\nlesson = \"07-v1-census\"\nminutes = 5\n\n[[key]]\nname = \"a\"\nask = \"One?\"\nanswer = \"block.launches\"\ntolerance = \"exact\"\n\n[[key]]\nname = \"b\"\nask = \"Two?\"\nanswer = \"block.bites +\"\n+++\nText.\n",
    );
    let ran = home.line("--course mine check ex60 --answer a=17");
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.err.contains("exercises/ex60.md:15:"), "{}", ran.err);
    assert!(ran.out.contains("1 right"), "{}", ran.out);
}

#[test]
fn a_workshop_folder_is_made_once_and_never_overwritten() {
    let home = Home::new();
    let made = home.line("init here");
    assert_eq!((made.code, made.err.as_str()), (0, ""));
    assert!(made.out.contains("made  answers/ex1.toml"), "{}", made.out);
    home.write("here/answers/ex1.toml", "block = \"17\"\n");
    let kept = home.line("init here");
    assert_eq!(kept.code, 0);
    assert!(kept.out.contains("kept  answers/ex1.toml"), "{}", kept.out);
    let sheet = home.path().join("here/answers/ex1.toml");
    assert_eq!(std::fs::read_to_string(sheet).unwrap(), "block = \"17\"\n");
}

#[test]
fn templates_are_sound_and_may_name_built_in_lessons() {
    let home = Home::new();
    assert_eq!(
        home.args(&["new", "lesson", "Tensor cores", "--into", "mine"])
            .code,
        0
    );
    let line = "new exercise ex50 --into mine --lesson 07-v1-census";
    assert_eq!(home.line(line).code, 0);
    let lint = home.line("lint mine");
    assert_eq!(lint.code, 0, "{}", lint.out);
    home.line(line).refused(2, "exists already");
    home.args(&["new", "lesson", ""])
        .refused(2, "needs a value");
    let list = home.line("--course mine lessons").out;
    assert!(list.contains("Tensor cores") && list.contains("07-v1-census"));
}

#[test]
fn the_built_in_course_is_clean() {
    let home = Home::new();
    let ran = home.line("lint");
    assert_eq!(ran.code, 0, "{}", ran.out);
    let findings = home.line("lint --json").json();
    assert_eq!(findings["findings"].as_array().unwrap().len(), 0);
}
