//! What a form says of itself and does: where Space leads, what runs, what a run gave, which
//! option has the cursor, and what letters begin.

use super::home;
use crate::reader::{ENTER, ESC, SPACE, Screen, TAB, sheet_read};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::machine::{BackendFacts, Condition};
use tinyllama_tutor::app::{Effect, Message, answering};
use tinyllama_tutor::course::{Event, Mark};
use tinyllama_tutor::run::{CheckReport, Report, Timing};

/// The sizes in which a walk is made: the least one for reading, the usual one, two panes.
const SIZES: [(u16, u16); 3] = [(60, 18), (80, 24), (120, 40)];

/// The form of an exercise of the course, with a question under the cursor.
fn at(exercise: &str, question: &str, (columns, rows): (u16, u16)) -> Screen {
    let s = home(columns, rows).press(&[ch(':')]);
    let s = s.typed(exercise).press(&[ENTER]);
    let keys = &s.state.shared.study.exercise(exercise).unwrap().keys;
    let place = keys.iter().position(|key| key.name.text == question);
    s.press(&vec![TAB; place.unwrap()])
}

fn footer(s: &Screen) -> String {
    s.rows().pop().unwrap_or_default()
}

fn row(s: &Screen) -> usize {
    s.state.exercises.form.as_ref().unwrap().row
}

/// Everything on the screen in one line.
fn text(s: &Screen) -> String {
    let rows = s.rows().join(" ");
    rows.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn solved(s: &mut Screen, exercise: &str, names: &[String]) {
    for name in names {
        s.state.shared.study.progress.apply(&Event::Checked {
            exercise: exercise.to_owned(),
            key: name.clone(),
            typed: "1".to_owned(),
            mark: Mark::Right,
        });
    }
}

#[test]
fn space_goes_round_to_the_first_open_question_and_is_named_where_one_is() {
    for size in SIZES {
        let s = at("ex14", "ratio", size);
        let all = s.state.shared.study.exercise("ex14").unwrap().keys.iter();
        let names: Vec<String> = all.map(|key| key.name.text.clone()).collect();
        let (last, before) = names.split_last().unwrap();
        let mut s = s;
        let sheet = names.iter().map(|name| (name.clone(), "1".to_owned()));
        s.tell(sheet_read("ex14", sheet.collect(), true));
        solved(&mut s, "ex14", std::slice::from_ref(last));
        let s = s.press(&[key(Code::End)]);
        assert_eq!(row(&s), before.len());
        assert!(footer(&s).contains("Space next open"), "{}", footer(&s));
        let mut s = s.press(&[SPACE]);
        assert_eq!(row(&s), 0);
        solved(&mut s, "ex14", before);
        let s = s.press(&[key(Code::End)]);
        assert!(!footer(&s).contains("next open"), "{}", footer(&s));
        let s = s
            .press(&[SPACE])
            .shows("No other question of this exercise is open");
        assert_eq!(row(&s), before.len());
    }
}

/// Answers every run that is asked for with a report.
fn ran(s: &mut Screen, report: &Report) {
    let mut from = 0;
    while let Some(effect) = s.effects.get(from).cloned() {
        from += 1;
        if let Effect::StartRun(ticket, _) = effect {
            s.tell(Message::RunDone(ticket, Box::new(Ok(report.clone()))));
        }
    }
}

#[test]
fn a_question_says_that_its_run_is_under_way_and_shows_what_it_asks_of_it() {
    for size in SIZES {
        let s = at("ex13", "held1", size).shows("r runs the plan");
        // The least sizes have no room for all keys.
        assert!(
            footer(&s).contains("r run") || size.0 < 120,
            "{}",
            footer(&s)
        );
        let s = s.press(&[ch('r')]).hides("r runs");
        let said = text(&s);
        assert!(said.contains("running V1 at "), "{said}");
        assert!(said.contains("Ctrl-C stops it"), "{said}");
        assert!(!footer(&s).contains("r run"), "{}", footer(&s));
        // It is not asked for twice.
        let mut s = s.press(&[ch('r')]).shows("This runs already");
        assert!(!s.state.shared.runs.waiting());
        let mut report = Report::bare("cpu", "16 threads", 71);
        report.time_us = Timing::of(&[3000.0], "a clock around each forward");
        report.held_bytes = Some(123_400_000);
        ran(&mut s, &report);
        s.shows("71 launches").shows("bytes held: 123.4 MB #");
    }
}

#[test]
fn what_is_half_typed_of_a_measured_answer_is_not_replaced() {
    let s = at("ex1", "counted", (80, 24)).typed("24").press(&[ESC]);
    let s = s.shows("[ 24 ").press(&[ch('5')]);
    let s = s.shows("[ 24 ").shows("Enter goes on with what is typed");
    s.press(&[ENTER]).typed("6").shows("[ 246▌");
}

#[test]
fn what_asks_for_its_key_again_waits_for_the_next_key_only() {
    // A key without a use takes the warning away, and what it warned of.
    for idle in ['w', 'u'] {
        let s = at("ex1", "block", (60, 18)).press(&[ch('s')]);
        let s = s.shows("s again shows").press(&[ch(idle), ch('s')]);
        s.shows("s again shows")
            .hides("worked solution")
            .press(&[ch('s')])
            .shows("worked");
    }
    let s = at("ex1", "block", (60, 18)).typed("12").press(&[ENTER]);
    let s = s.press(&[ch('v')]).shows("v again begins");
    s.press(&[ch('u'), ch('v')]).shows("v again begins");
}

#[test]
fn nothing_is_promised_to_run_where_nothing_does() {
    // The last section of lesson 07 asks two questions that need no run.
    let s = home(80, 24).press(&[ch(':')]).typed("07-").press(&[ENTER]);
    let s = s.press(&[ch('o'), key(Code::End), ENTER, ch('r')]);
    let s = s.shows("Nothing in this section runs.");
    // The one before has a lab.
    let s = s.press(&[ch('o'), key(Code::End), key(Code::Up), ENTER, ch('r')]);
    s.shows("r runs the one that has the keys");
}

#[test]
fn a_time_is_not_asked_of_a_machine_without_a_clock() {
    let mut s = at("ex16", "time1", (80, 24));
    s.state.shared.machine.backends = vec![BackendFacts {
        name: "simt".into(),
        condition: Condition::Ready,
        ..BackendFacts::default()
    }];
    let s = s.press(&[ch('r')]).shows("has no clock");
    let started = |effect: &Effect| matches!(effect, Effect::StartRun(..));
    assert!(!s.effects.iter().any(started));
}

#[test]
fn a_question_about_an_error_shows_the_error_of_its_run() {
    for size in SIZES {
        let mut s = at("ex16", "error", size).press(&[ch('r')]);
        let mut report = Report::bare("cpu", "16 threads", 47);
        report.check = Some(CheckReport {
            reference: "fp64".to_owned(),
            max_abs_error: 1e-6,
            rel_error: 3.14e-7,
            tolerance: 1e-4,
            pass: true,
            first_wrong: None,
            tensors: vec![],
            wrong: vec![],
        });
        ran(&mut s, &report);
        s.shows("error against fp64, relative: 3.14e-7 @");
    }
}

#[test]
fn the_cursor_of_an_order_stays_with_the_option_that_it_gives_a_place() {
    let ranked = "qk|softmax, mul|down, rope|qk, o|res1, gate|up, up|silu";
    for size in SIZES {
        let mut s = at("ex17", "rank", size);
        s.tell(sheet_read(
            "ex17",
            [("rank".to_owned(), ranked.to_owned())].into(),
            true,
        ));
        let s = s.shows("►[1] qk | softmax").press(&[ch('3')]);
        let s = s.shows("►[3] qk | softmax").press(&[ch('1')]);
        let s = s.shows("►[1] qk | softmax").press(&[ENTER]).shows("right");
        // Another order than the right one is not called right, and Esc brings that back.
        let s = s.press(&[ch('i'), ch('2')]).shows("►[2] qk | softmax");
        let head = |s: &Screen| {
            let rows = s.rows();
            let row = rows
                .iter()
                .find(|row| row.contains("►1") || row.contains("► 1"));
            row.cloned()
        };
        if let Some(head) = head(&s) {
            assert!(head.contains("typed") && !head.contains("right"), "{head}");
        }
        let asked = s.state.shared.study.question("ex17", Some("rank")).unwrap();
        let word = |s: &Screen| {
            let stands = answering::standing(&s.state.shared, &asked);
            stands.word()
        };
        assert_eq!(word(&s), "typed");
        assert_eq!(word(&s.press(&[ESC])), "right");
    }
}

#[test]
fn letters_begin_an_answer_in_ones_own_words_and_none_is_lost() {
    for size in SIZES {
        let own = || at("ex34", "remaining", size).shows("in your own words");
        for typed in ["weights", "the", "quick", "State", "kernels", "jumps"] {
            own().typed(typed).shows(&format!("{typed}▌"));
        }
        // What the footer names is its key, and begins a word that goes on at once.
        for typed in ["state", "hold", "issue"] {
            let s = own().typed(typed).shows(&format!("{typed}▌"));
            let kept = s.state.shared.study.progress.key("ex34", "remaining");
            assert_eq!((kept.hints, kept.given_up), (0, false), "{typed}");
        }
        let s = own().press(&[ch('h')]).later(1000).hides("▌");
        s.typed("weights").shows("weights▌");
        let s = own().press(&[ch('s'), ch('s')]).hides("▌");
        let kept = s.state.shared.study.progress.key("ex34", "remaining");
        assert!(kept.given_up);
        // Words that stand are not added to.
        let s = own().typed("weights").press(&[ESC]).later(1000);
        s.press(&[ch('g')]).hides("▌");
    }
}

#[test]
fn what_a_gap_asks_for_is_wrapped_once() {
    let gap = |row: &str| row.find("1 load: ");
    for (exercise, columns) in [("ex24", 120), ("ex22", 120), ("ex24", 80), ("ex24", 60)] {
        let s = at(exercise, "kernel", (columns, 40)).press(&[SPACE]);
        let rows = s.rows();
        let first = rows.iter().position(|row: &String| gap(row).is_some());
        let first = first.unwrap_or_else(|| panic!("{}", rows.join("\n")));
        let column = rows[first][..gap(&rows[first]).unwrap()].chars().count();
        let asks = rows[first..].iter().take_while(|row| !row.contains("a) "));
        for row in asks {
            let inside: String = row.chars().skip(column).collect();
            assert!(!inside.starts_with(' '), "{}", rows.join("\n"));
        }
    }
}
