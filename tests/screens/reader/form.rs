//! The exercise form: fields, options, hints and solution, sheets that change below it.

use std::collections::BTreeMap;

use super::{ENTER, ESC, RIGHT, SPACE, Screen, TAB, sheet_read};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::{Effect, Page};
use tinyllama_tutor::course;

#[test]
fn a_form_opens_with_no_field_being_edited() {
    let s = Screen::reader(80, 24)
        .press(&[ch('e')])
        .shows("7 Exercises")
        .shows("ex1   QKV in bytes")
        .press(&[ENTER])
        .shows("7 Exercises  ex1 QKV in bytes")
        .shows("n1 has 32,768 elements")
        .shows("hints 0 of 3 seen   misses 0   solution: once solved, or s twice");
    assert!(s.effects.contains(&Effect::OpenSheet("ex1".into())));
    // A digit begins the answer, and so does everything behind it.
    let s = s.typed("3q?").shows("3q?▌");
    assert_eq!(s.state.page, Page::Exercises);
    // Esc leaves the field and keeps what was typed.
    let s = s.press(&[ESC]).shows("[ 3q?");
    assert!(s.effects.contains(&Effect::SaveAnswer {
        exercise: "ex1".into(),
        key: "gqa1".into(),
        typed: "3q?".into(),
    }));
}

#[test]
fn hints_are_counted_and_the_solution_is_asked_for_twice() {
    let s = Screen::reader(80, 24)
        .press(&[ch('e'), ENTER, ch('h')])
        .shows("hint 1 of 3")
        .shows("hints 1 of 3 seen")
        .press(&[ch('s')])
        .shows("s again shows the solution")
        // Anything else takes the first press back.
        .press(&[ch('h'), ch('s')])
        .shows("s again shows the solution")
        .hides("worked solution")
        .press(&[ch('s')]);
    let gave_up = |s: &Screen| {
        let is = |e: &course::Event| matches!(e, course::Event::GaveUp { .. });
        s.recorded().iter().filter(|e| is(e)).count()
    };
    assert_eq!(gave_up(&s), 1);
    s.press(&[key(Code::PageDown)])
        .shows("worked solution, ex1 gqa1")
        .shows("22.22 %")
        .shows("it counts as read, not as solved");
}

#[test]
fn the_solution_is_free_once_solved() {
    let s = Screen::reader(80, 24)
        .press(&[ch('e'), ENTER, ENTER])
        .typed("22.22 %")
        .press(&[ENTER])
        .shows("right")
        .shows("s shows the solution")
        .press(&[ch('s')]);
    let is = |e: &course::Event| matches!(e, course::Event::GaveUp { .. });
    assert!(!s.recorded().iter().any(is));
    s.press(&[key(Code::PageDown)]).shows("worked solution");
}

#[test]
fn options_are_marked_and_ranked() {
    let s = Screen::reader(80, 24)
        .press(&[ch('e'), ENTER, key(Code::Down)])
        .shows("( ) memory")
        .press(&[SPACE])
        .shows("(x) memory")
        .press(&[RIGHT, SPACE])
        .shows("(x) compute")
        .press(&[ENTER])
        // 36.57 FLOP/B is above the H200's ridge of 13.94.
        .shows("right")
        .shows("Next: question 3.")
        // Several: the order of marking does not matter.
        .press(&[key(Code::Down), RIGHT, RIGHT, RIGHT, SPACE, RIGHT, SPACE])
        .press(&[key(Code::Left), key(Code::Left), SPACE])
        .shows("[x] embed")
        .shows("[ ] norm1")
        .press(&[ENTER])
        .shows("right");
    // facts: softmax 1.049, q 0.524, norm1 0.263 MB.
    s.press(&[key(Code::Down), ch('3')])
        .shows("the last that can be given here is 1.")
        .hides("[1]")
        .press(&[RIGHT, SPACE, key(Code::Left), SPACE, RIGHT, RIGHT, SPACE])
        .shows("[2] q")
        .shows("[1] softmax")
        .shows("[3] norm1")
        .press(&[ENTER])
        .shows("right");
}

#[test]
fn tab_keeps_what_was_typed_and_goes_on() {
    let s = Screen::reader(80, 24)
        .press(&[ch('e'), ENTER, ENTER])
        .typed("20 %")
        .press(&[TAB]);
    assert_eq!(s.state.exercises.form.as_ref().map(|f| f.row), Some(1));
    // The next one is a choice, which has no field.
    assert!(s.state.shared.questions.field.is_none());
    s.shows("20 %").shows("typed");
}

#[test]
fn a_sheet_that_changed_on_disk_is_taken_up_and_said() {
    let mut s = Screen::reader(80, 24).press(&[ch('e'), ENTER]);
    let answers = |typed: &str| BTreeMap::from([("gqa1".to_owned(), typed.to_owned())]);
    s.tell(sheet_read("ex1", answers("20 %"), false));
    let mut s = s.shows("[ 20 %").hides("changed on disk");
    s.tell(sheet_read("ex1", answers("22.2 %"), true));
    s.shows("[ 22.2 %")
        .shows("The sheet of ex1 changed on disk: gqa1.");
}

#[test]
fn what_is_answered_while_the_sheet_is_being_read_stays() {
    let mut s = Screen::reader(80, 24)
        .press(&[ch('e'), ENTER, ENTER])
        .typed("20 %")
        .press(&[ENTER]);
    let judged = s.rows();
    // The sheet as it lay on disk before: without this answer.
    s.tell(sheet_read("ex1", BTreeMap::new(), false));
    assert_eq!(s.rows(), judged);
    s.shows("[ 20 %");
}
