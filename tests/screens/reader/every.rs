//! Every page and form of the built-in course, and whatever is pressed: a screen comes out,
//! laid out no more often than a text changed.

use proptest::prelude::*;

use super::{ENTER, ESC, RIGHT, SPACE, Screen, TAB};
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::{Message, Page};
use tinyllama_tutor::course::Course;

#[test]
fn every_page_of_the_course_can_be_drawn_in_ascii_and_says_no_fault() {
    for (columns, rows) in [(60, 18), (80, 24), (120, 40), (200, 60)] {
        let mut s = Screen::with(Course::built_in(), columns, rows);
        s.state.shared.look.ascii = true;
        s = s.press(&[ch('2')]);
        let lessons = s.state.shared.study.course.lessons().len();
        assert!(lessons > 0);
        for lesson in 0..lessons {
            let sections = s.state.shared.study.lesson(lesson).unwrap().sections.len();
            for section in 0..sections {
                s.state.reader.lesson = lesson;
                s.state.reader.section = section;
                s.state.reader.scroll = 0;
                s.painter.fit(&mut s.state);
                let text = &s.state.reader.extent.text;
                for line in text {
                    assert!(!line.contains("(as it is written)"), "{text:?}");
                    assert!(!(line.contains('[') && line.contains(": the ")), "{line}");
                }
                for row in s.rows() {
                    assert!(row.is_ascii(), "{lesson} {section}: {row}");
                }
            }
        }
    }
}

#[test]
fn every_form_of_the_course_can_be_drawn() {
    for (columns, rows) in [(60, 18), (120, 40)] {
        let mut s = Screen::with(Course::built_in(), columns, rows).press(&[ch('7')]);
        let count = s.state.shared.study.course.exercises().len();
        for exercise in 0..count {
            s.state.exercises.cursor = exercise;
            s = s.press(&[ENTER, ch('h'), ch('s'), ch('s')]);
            for _ in 0..12 {
                s = s.press(&[key(Code::Down), ch('h'), ENTER]);
                let rows = s.rows();
                assert!(rows.iter().all(|row| !row.contains("fault of the course")));
                s = s.press(&[ESC]);
                if s.state.exercises.form.is_none() {
                    s = s.press(&[ENTER]);
                }
            }
            s = s.press(&[ESC]);
            if s.state.page != Page::Exercises {
                s = s.press(&[ch('7')]);
            }
        }
    }
}

/// Keys that mean something on the two pages, text included.
fn any_key() -> impl Strategy<Value = Key> {
    let special = [
        TAB,
        ENTER,
        ESC,
        RIGHT,
        SPACE,
        key(Code::Left),
        key(Code::Up),
        key(Code::Down),
        key(Code::PageUp),
        key(Code::PageDown),
        key(Code::Home),
        key(Code::End),
        key(Code::BackTab),
        key(Code::Backspace),
        key(Code::Delete),
    ];
    prop_oneof![
        3 => prop::sample::select(special.to_vec()),
        2 => prop::sample::select("b[]oge257hsuvwWdtrx=/nN".chars().map(ch).collect::<Vec<_>>()),
        1 => prop::sample::select("17.MB%é漢*^(µ|".chars().map(ch).collect::<Vec<_>>()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is pressed, at whatever size: a screen comes out, and the text
    /// is never scrolled past its end.
    #[test]
    fn no_keys_break_the_pages(
        keys in prop::collection::vec(any_key(), 1..80),
        columns in 80u16..140,
        rows in 24u16..50,
        ascii: bool,
    ) {
        let mut s = Screen::reader(columns, rows);
        s.state.shared.look.ascii = ascii;
        for key in keys {
            s = s.press(&[key]);
            let shown = s.rows();
            prop_assert_eq!(shown.len(), usize::from(rows));
            let reader = &s.state.reader;
            let last = reader.extent.lines.saturating_sub(reader.extent.room);
            prop_assert!(s.state.page != Page::Lesson || reader.scroll <= last);
            if ascii {
                // What a learner types is shown as it is, as far as it can be.
                prop_assert!(shown.iter().all(|row| row.is_ascii()));
            }
        }
    }
}

/// What was laid out is kept: only what changes a text lays it out again.
#[test]
fn a_frame_that_changes_nothing_lays_out_nothing() {
    let mut s = Screen::reader(80, 24);
    let laid = s.painter.layouts();
    assert!(laid > 0 && s.painter.knows(&s.state));
    let same = |s: &mut Screen, message: Message, what: &str| {
        s.tell(message);
        assert_eq!(s.painter.layouts(), laid, "{what}");
        // Drawing finds it laid out.
        assert!(s.painter.knows(&s.state), "{what}");
    };
    same(&mut s, Message::Tick, "nothing");
    for key in [ch('j'), ch('k'), key(Code::End), key(Code::Home)] {
        same(&mut s, Message::Key(key), "moving over the text");
    }
    let (columns, rows) = s.state.shared.size;
    same(&mut s, Message::Resize { columns, rows }, "the same size");
    // A key in a block, another width, another look: once each, for fitting and
    // drawing together.
    let wider = Message::Resize {
        columns: columns + 40,
        rows: rows + 16,
    };
    let changes = [
        Message::Key(key(Code::Tab)),
        Message::Key(ch(' ')),
        wider,
        Message::Key(ch('t')),
    ];
    for (n, message) in (1..).zip(changes) {
        s.tell(message);
        assert_eq!(s.painter.layouts(), laid + n);
        assert!(s.painter.knows(&s.state));
    }
}
