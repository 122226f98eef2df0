//! Nothing of an answer is cut in any size: options, gaps and their choices, what is said
//! after a guess.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use super::reader::{ENTER, RIGHT, SPACE, Screen, TAB};
use tinyllama_tutor::app::key::{Code, ch, ctrl, key};
use tinyllama_tutor::app::lesson::Focus;
use tinyllama_tutor::app::question::Asked;
use tinyllama_tutor::app::{Page, live};
use tinyllama_tutor::course::{Course, Key, Kind};

/// The sizes in which one answers: the least one, the usual one, two panes.
const SIZES: [(u16, u16); 3] = [(60, 18), (80, 24), (120, 40)];

/// The text of the right pane, or of the whole screen, as its words: walls, margins and
/// breaks of lines are none.
fn words(rows: &[String]) -> String {
    let wall = rows
        .iter()
        .find_map(|row| row.chars().position(|c| c == '┬'));
    let beside = |row: &String| row.chars().skip(wall.map_or(0, |at| at + 1)).collect();
    let text = rows.iter().map(beside).collect::<Vec<String>>().join(" ");
    let walls = |c: char| c.is_whitespace() || "│┃║".contains(c);
    text.split(walls)
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The last words of a note, behind a number that is worked out in it.
fn tail(note: &str) -> String {
    let tail = note.rsplit('`').next().unwrap();
    let tail: Vec<&str> = tail.split_whitespace().collect();
    tail[tail.len().saturating_sub(3)..].join(" ")
}

/// The form of an exercise of the course.
fn form(exercise: &str, (columns, rows): (u16, u16)) -> Screen {
    let s = Screen::with(Course::built_in(), columns, rows).press(&[ch(':')]);
    s.typed(exercise).press(&[ENTER])
}

/// The question under the cursor.
fn asked(s: &Screen) -> Option<Asked> {
    use tinyllama_tutor::app::screen::Screen as _;
    s.state.exercises.asked(&s.state.shared)
}

#[test]
fn an_option_is_whole_where_the_cursor_is_on_it() {
    let course = Course::built_in();
    let mut tried = 0;
    for exercise in course.exercises() {
        let options = |key: &&Key| {
            matches!(key.kind, Kind::Choice | Kind::Choices | Kind::Ranking) && key.kernel.is_none()
        };
        if !exercise.keys.iter().any(|key| options(&key)) {
            continue;
        }
        for size in SIZES {
            let mut s = form(&exercise.id, size);
            while s.rows().join("").contains("The question stands below") {
                s = s.press(&[key(Code::PageDown)]);
            }
            for (row, question) in exercise.keys.iter().enumerate() {
                if !options(&question) {
                    continue;
                }
                if let Some(before) = row.checked_sub(1) {
                    s.state.exercises.form.as_mut().unwrap().row = before;
                    s = s.press(&[TAB]);
                }
                let mut here = 0;
                assert_eq!(asked(&s).unwrap().key, question.name.text);
                for (at, option) in question.options.iter().enumerate() {
                    let wanted = words(&[option.text.replace('⋅', "·")]);
                    // What is not in view yet has the cursor then.
                    if !words(&s.rows()).contains(&wanted) {
                        s = s.press(&vec![RIGHT; at - here]);
                        here = at;
                    }
                    let rows = s.rows();
                    assert!(
                        words(&rows).contains(&wanted),
                        "{} {} {size:?}: {wanted}\n{}",
                        exercise.id,
                        question.name.text,
                        rows.join("\n")
                    );
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn the_gap_that_is_typed_and_its_first_choice_are_in_view() {
    for exercise in ["ex19", "ex22", "ex24"] {
        let mut s = form(exercise, (60, 18));
        while !s.rows().join("\n").contains("gap form") {
            s = s.press(&[TAB]);
        }
        s = s.press(&[SPACE]);
        let at = asked(&s).unwrap();
        let key = s.state.shared.study.key_of(&at).unwrap().clone();
        let kernel = key.kernel.unwrap();
        for (number, gap) in (1..).zip(kernel.listing.gaps()) {
            let rows = s.rows();
            let head = format!("{number} {}: ", gap.name);
            // The letters that were typed stand in a line of their own above.
            let begins = gap.asks.split_whitespace().next().unwrap();
            let head = format!("{head}{begins}");
            let found = rows.iter().position(|row| row.contains(&head));
            let found = found.unwrap_or_else(|| panic!("{head}\n{}", rows.join("\n")));
            let first = rows[found..].iter().any(|row| row.contains(" a) "));
            assert!(first, "{exercise} {number}\n{}", rows.join("\n"));
            assert!(rows.iter().any(|row| row.contains('▌')));
            s = s.typed("b");
        }
    }
}

#[test]
fn what_is_said_after_a_guess_comes_into_view() {
    let course = Course::built_in();
    let mut tried = 0;
    for size in [(60, 18), (80, 24)] {
        let mut s = Screen::with(Course::built_in(), size.0, size.1).press(&[ch('2')]);
        for (at, lesson) in course.lessons().enumerate() {
            for (section, text) in lesson.sections.iter().enumerate() {
                let takes = text.live().filter(|block| live::takes_keys(block));
                for (block, live) in takes.enumerate() {
                    if live.predict.iter().all(|asked| asked.note.is_none()) {
                        continue;
                    }
                    s.state.go(Page::Lesson);
                    let reader = &mut s.state.reader;
                    (reader.lesson, reader.section, reader.scroll) = (at, section, 0);
                    reader.focus = Focus::Text;
                    s.state.revision += 1;
                    s.painter.fit(&mut s.state);
                    s = s.press(&vec![TAB; block + 1]).press(&[ENTER]);
                    s = s.press(&vec![ENTER; live.predict.len()]);
                    let notes = live.predict.iter().rev();
                    let notes = notes.filter_map(|asked| asked.note.as_ref());
                    for (said, note) in notes.enumerate() {
                        let tail = tail(&note.text);
                        // Of several the last is in view, the others at most a page above.
                        if !words(&s.rows()).contains(&tail) && said > 0 {
                            s = s.press(&[key(Code::PageUp)]);
                        }
                        let rows = s.rows();
                        assert!(
                            words(&rows).contains(&tail),
                            "{} {} {size:?}: {tail}\n{}",
                            lesson.id,
                            text.title,
                            rows.join("\n")
                        );
                        tried += 1;
                    }
                    // What it runs is no part of this.
                    s = s.press(&[ctrl('c'), ch('u')]);
                }
            }
        }
    }
    assert!(tried > 100, "{tried}");
}
