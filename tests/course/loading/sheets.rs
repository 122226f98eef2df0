//! Answer sheets on disk: what was typed stays, whoever else writes.

use super::Desk;
use std::fs;
use std::path::Path;
use tinyllama_tutor::course::{Course, Places, Progress, Saved, Sheet, Surroundings};

#[test]
fn the_course_is_found_by_number_name_and_nearest_id() {
    let course = Course::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/course"));
    assert_eq!(course.faults(), []);
    for typed in ["01-launches", "1", "01", "launches"] {
        assert_eq!(
            course.lesson(typed).map(|lesson| lesson.id.as_str()),
            Ok("01-launches"),
            "{typed}"
        );
    }
    assert_eq!(
        course.exercise("ex2"),
        Err("there is no exercise “ex2”; did you mean ex1?".into())
    );
    assert_eq!(
        course.exercise("census").map(|exercise| &exercise.id),
        Err("there is no exercise “census”; tinyllama-tutor exercises lists them.".into())
    );
    assert!(course.solution("ex1").is_some());
}

#[test]
fn a_course_folder_that_is_not_there_is_said() {
    let desk = Desk::new();
    let around = Surroundings {
        current: desk.root.path().to_owned(),
        ..Surroundings::default()
    };
    let course = Course::open(&Places::find(&around, None, Some(Path::new("nowhere"))));
    let [fault] = course.faults() else {
        panic!("{:?}", course.faults())
    };
    assert!(fault.to_string().ends_with(
        "nowhere: there is no such course folder; it should hold lessons/ or exercises/."
    ));
}

#[test]
fn a_changed_lesson_is_taken_up() {
    let desk = Desk::new();
    let mine = desk.root.path().join("mine/lessons");
    fs::create_dir_all(&mine).expect("made");
    fs::write(mine.join("50-x.md"), "+++\ntitle = \"One\"\n+++\n## A\na").expect("written");
    let around = Surroundings {
        current: desk.root.path().to_owned(),
        ..Surroundings::default()
    };
    let places = Places::find(&around, None, Some(Path::new("mine")));
    let mut course = Course::open(&places);
    assert_eq!(course.lesson("50").expect("there").title, "One");
    assert_eq!(course.refresh(&places), Vec::<String>::new());
    fs::write(
        mine.join("50-x.md"),
        "+++\ntitle = \"Another\"\n+++\n## A\na",
    )
    .expect("written");
    assert_eq!(course.refresh(&places), ["50-x"]);
    assert_eq!(course.lesson("50").expect("there").title, "Another");
    fs::remove_file(mine.join("50-x.md")).expect("removed");
    assert_eq!(course.refresh(&places), ["50-x"]);
    assert!(course.lesson("50-x").is_err());
}

#[test]
fn a_sheet_is_made_with_its_questions_and_keeps_what_people_write() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    let mut sheet = Sheet::open(&desk.places, &exercise).expect("a new one");
    assert_eq!(sheet.answer("block"), None);
    sheet.set(&exercise, "block", "17");
    let saved = sheet.save(&desk.places, &exercise).expect("saved");
    assert_eq!(saved.to_string(), "Saved to answers/ex1.toml.");
    let expected = "\
# ex1 Launch census of V1
# Type answers as you would write them: \"23\", \"1.234 MB\", \"61.8 %\",
# \"2*3*100*500^2\". \"\" is open.
# tinyllama-tutor check ex1

# 1. How many kernels does one block launch when every op is its own kernel?
block = \"17\"

# 2. Is norm1 memory-bound or compute-bound on an H200?
# (memory, compute)
bound = \"\"
";

    assert_eq!(fs::read_to_string(desk.sheet()).expect("there"), expected);
    // A person edits: a comment, a note of their own, a number without quotes.
    let edited = "# my sheet\nblock = 17 # counted twice\nnote = \"ask about rope\"\n";
    fs::write(desk.sheet(), edited).expect("edited");
    assert!(sheet.changed_on_disk());
    sheet.set(&exercise, "bound", "memory-bound");
    sheet.save(&desk.places, &exercise).expect("saved");
    let expected = "# my sheet\nblock = 17 # counted twice\nnote = \"ask about rope\"\n\n# Is norm1 memory-bound or compute-bound on an H200?\nbound = \"memory-bound\"\n";
    assert_eq!(fs::read_to_string(desk.sheet()).expect("there"), expected);
    let again = Sheet::open(&desk.places, &exercise).expect("opened");
    assert_eq!(again.answer("block").as_deref(), Some("17"));
    assert_eq!(again.answer("bound").as_deref(), Some("memory-bound"));
}

#[test]
fn a_question_that_was_renamed_keeps_what_was_answered() {
    let desk = Desk::new();
    let course = Course::built_in();
    let exercise = course.exercise("ex35").expect("there");
    let path = desk.places.sheet("ex35");
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, "# once\nhopper = \"65.6 %\"\ncdna2 = \"\"\n").expect("written");
    let mut sheet = Sheet::open(&desk.places, exercise).expect("opened");
    assert_eq!(sheet.answer("own").as_deref(), Some("65.6 %"));
    sheet.set(exercise, "cdna2", "75 %");
    sheet.save(&desk.places, exercise).expect("saved");
    let again = Sheet::open(&desk.places, exercise).expect("opened");
    assert_eq!(again.answer("own").as_deref(), Some("65.6 %"));
    assert_eq!(again.answer("cdna2").as_deref(), Some("75 %"));
    let text = "version = 1\n[exercises.ex35.hopper]\nverdict = \"right\"\nsolved = true\n";
    let progress = Progress::read(text).expect("read");
    assert!(progress.key("ex35", "own").solved);
}

#[test]
fn a_sheet_that_is_not_toml_is_placed_and_left_alone() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    let mut sheet = Sheet::open(&desk.places, &exercise).expect("a new one");
    sheet.set(&exercise, "block", "17");
    let broken = "# mine\nblock = 12.6 MB\n";
    fs::write(desk.sheet(), broken).expect("written");
    let fault = Sheet::open(&desk.places, &exercise).expect_err("broken");
    // `block = ` is 8 characters, so the value begins at column 9.
    assert!(
        fault
            .to_string()
            .starts_with("answers/ex1.toml:2:9: not TOML here ("),
        "{fault}"
    );
    assert!(
        fault.to_string().ends_with(
            "nothing was changed. Write answers in quotes, such as bytes = \"1.250 MB\"."
        ),
        "{fault}"
    );
    assert!(sheet.save(&desk.places, &exercise).is_err());
    assert!(sheet.unsaved(), "what was typed is not lost");
    assert_eq!(fs::read_to_string(desk.sheet()).expect("there"), broken);
    fs::write(desk.sheet(), "").expect("repaired");
    sheet.save(&desk.places, &exercise).expect("saved");
    assert_eq!(
        Sheet::open(&desk.places, &exercise)
            .expect("opened")
            .answer("block")
            .as_deref(),
        Some("17")
    );
}

#[test]
fn two_forms_open_at_once_lose_nothing() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    let mut one = Sheet::open(&desk.places, &exercise).expect("opened");
    let mut two = Sheet::open(&desk.places, &exercise).expect("opened");
    one.set(&exercise, "block", "17");
    two.set(&exercise, "bound", "memory");
    one.save(&desk.places, &exercise).expect("saved");
    two.save(&desk.places, &exercise).expect("saved");
    let sheet = Sheet::open(&desk.places, &exercise).expect("opened");
    assert_eq!(sheet.answer("block").as_deref(), Some("17"));
    assert_eq!(sheet.answer("bound").as_deref(), Some("memory"));
}

#[test]
fn answers_that_cannot_be_saved_here_are_kept_in_the_state_folder() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    // A file where the folder should be: nobody, not even root, can write into it.
    let answers = desk.root.path().join("workshop/answers");
    fs::remove_dir(&answers).expect("removed");
    fs::write(&answers, "").expect("written");
    let mut sheet = Sheet::open(&desk.places, &exercise).expect("opened");
    sheet.set(&exercise, "block", "17");
    let saved = sheet.save(&desk.places, &exercise).expect("kept");
    assert!(matches!(saved, Saved::Elsewhere { .. }));
    assert_eq!(
        saved.to_string(),
        "answers/ cannot be written: a file stands where a folder is needed. Answers are kept in ~/.local/share/tinyllama-tutor; --state DIR chooses another folder."
    );
    let again = Sheet::open(&desk.places, &exercise).expect("opened");
    assert_eq!(again.answer("block").as_deref(), Some("17"), "found again");
    // And where nothing can be written, it is said.
    fs::remove_dir_all(&desk.places.state).expect("removed");
    fs::write(&desk.places.state, "").expect("written");
    let fault = sheet.clone().save(&desk.places, &exercise);
    assert!(fault.is_err());
}

#[test]
fn sheets_of_other_editors_are_read() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    let cases = [
        ("block = \"17\"\r\nbound = \"memory\"\r\n", Some("17")),
        ("\u{feff}block = \"17\"\n", Some("17")),
        ("block = [\"a\", \"b\"]\n", Some("a, b")),
        ("block = 1_000\n", Some("1_000")),
        ("block = \"\"\"\n17\n\"\"\"\n", Some("17 ")),
        ("block = \"  \"\n", None),
        ("[block]\nx = 1\n", None),
        ("bound = \"\\u001b[31m\"\n", None),
    ];
    for (text, expected) in cases {
        fs::write(desk.sheet(), text).expect("written");
        let mut sheet = Sheet::open(&desk.places, &exercise).expect(text);
        assert_eq!(sheet.answer("block").as_deref(), expected, "{text:?}");
        assert!(
            !sheet
                .answer("bound")
                .is_some_and(|typed| typed.contains('\u{1b}'))
        );
        sheet.set(&exercise, "bound", "compute");
        sheet.save(&desk.places, &exercise).expect("saved");
        let again = Sheet::open(&desk.places, &exercise).expect("opened");
        assert_eq!(
            (
                again.answer("block").as_deref(),
                again.answer("bound").as_deref()
            ),
            (expected, Some("compute")),
            "{text:?}"
        );
    }
}
