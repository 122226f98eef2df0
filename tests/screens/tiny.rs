//! A window that is too small for an answer: what is being typed waits behind it, cursor
//! and all, and keys that are pressed meanwhile are none of it.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use super::keys::form;
use super::reader::{ENTER, RIGHT, SPACE, Screen, TAB};
use tinyllama_tutor::app::Message;
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::course::Course;

const DOWN: Key = key(Code::Down);
const LEFT: Key = key(Code::Left);

fn sized(mut s: Screen, (columns, rows): (u16, u16)) -> Screen {
    s.tell(Message::Resize { columns, rows });
    s
}

/// The form of an exercise, at the first question that shows a text.
fn asked(exercise: &str, shows: &str) -> Screen {
    let s = Screen::with(Course::built_in(), 80, 24).press(&[ch(':')]);
    let mut s = s.typed(exercise).press(&[ENTER]);
    while !s.rows().iter().any(|row| row.contains(shows)) {
        s = s.press(&[TAB]);
    }
    s
}

/// Where the cursor stands, and what is marked.
fn stands(s: &Screen) -> Vec<String> {
    let rows = s.rows().into_iter();
    let signs = |row: &String| ['▌', '►'].iter().any(|sign| row.contains(*sign));
    rows.filter(signs).collect()
}

#[test]
fn what_is_being_typed_outlives_a_window_that_is_too_small() {
    let home = || Screen::with(Course::built_in(), 80, 24);
    let typed: [(&str, Screen, &str); 9] = [
        ("number", form().typed("2222").press(&[LEFT]), "222▌2"),
        (
            "prediction",
            Screen::reader(80, 24)
                .press(&[SPACE, SPACE, TAB])
                .typed("173")
                .press(&[LEFT]),
            "> 17▌3",
        ),
        ("cell", asked("ex32", "").typed("21"), "21▌"),
        (
            "own words",
            asked("ex34", "in your own words").typed("the wait"),
            "the wait▌",
        ),
        (
            "letters",
            asked("ex19", "gap form").press(&[SPACE]).typed("ab"),
            "ab▌",
        ),
        (
            "option",
            form().press(&[DOWN, RIGHT, SPACE]),
            "►(x) compute",
        ),
        ("options", form().press(&[DOWN, DOWN, SPACE, RIGHT]), "►[ ]"),
        (
            "verdict",
            home().press(&[ch('8'), ENTER, DOWN, DOWN]),
            "► right if something",
        ),
        ("practice", home().press(&[ch('t')]).typed("33"), "33▌"),
    ];
    for (what, s, shown) in typed {
        for wide in [(80, 24), (60, 18)] {
            let s = Screen {
                state: s.state.clone(),
                effects: Vec::new(),
                painter: Default::default(),
            };
            let s = sized(s, wide).shows(shown);
            let before = stands(&s);
            let kept = s.recorded();
            let s = sized(s, (59, 17)).typed("7a0 j5G");
            let s = s.hides(shown).press(&[ENTER, TAB, DOWN, LEFT]);
            let s = sized(s, (40, 10)).typed("b3x ").press(&[ENTER, SPACE]);
            let s = sized(s, wide);
            assert_eq!(stands(&s), before, "{what}: {}", s.rows().join("\n"));
            assert_eq!(s.recorded(), kept, "{what}");
        }
    }
}

#[test]
fn a_block_flips_what_is_on_the_page_and_opens_no_page_without_room() {
    // Lesson 12: a section with a lab and its list of fusions.
    let s = Screen::with(Course::built_in(), 60, 18).press(&[ch(':')]);
    let s = s
        .typed("12")
        .press(&[ENTER, ch('/')])
        .typed("The rule-made plan");
    let s = s.press(&[ENTER]);
    // Its guess, left open, and back up to the text above it.
    let s = s.press(&[TAB, TAB, ENTER, ENTER, key(Code::PageUp)]);
    let plan = s.state.shared.bench.cut();
    let s = s.press(&[key(Code::Down)]).shows("►[");
    let s = s.press(&[key(Code::PageUp), SPACE]);
    assert_ne!(s.state.shared.bench.cut(), plan);
    let s = s.shows("►[");
    let page = s.state.page;
    let s = s.press(&[ENTER]).shows("needs 80 × 24");
    assert_eq!(s.state.page, page);
}
