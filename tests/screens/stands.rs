//! A verdict stands with its answer: after a change that was given up, after a new start, and
//! where a shell changed what is kept. Another variant is begun when it is asked for twice.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeMap;

use super::reader::{ENTER, ESC, RIGHT, SPACE, Screen, TAB, sheet_read};
use tinyllama_tutor::app::keep::{Kept, Lab};
use tinyllama_tutor::app::key::{Code, Key, ch, ctrl, key};
use tinyllama_tutor::app::{Effect, Event as AppEvent, Message, Page, SheetRead, update};
use tinyllama_tutor::course::{Course, Event, Kind, Mark, Progress};

/// The form of an exercise as a workshop finds it that was opened anew: these questions hold
/// an answer that was found right.
fn opened(exercise: &str, right: &[(&str, &str)], size: (u16, u16)) -> Screen {
    let mut s = Screen::with(Course::built_in(), size.0, size.1)
        .press(&[ch(':')])
        .typed(exercise)
        .press(&[ENTER]);
    let read = SheetRead {
        kept: Some(kept(exercise, right)),
        answers: sheet(right),
        again: false,
    };
    s.tell(Message::Sheet(exercise.to_owned(), Box::new(read)));
    s
}

fn sheet(right: &[(&str, &str)]) -> BTreeMap<String, String> {
    let own = |(key, typed): &(&str, &str)| ((*key).to_owned(), (*typed).to_owned());
    right.iter().map(own).collect()
}

fn kept(exercise: &str, right: &[(&str, &str)]) -> Progress {
    let mut progress = Progress::default();
    for (key, typed) in right {
        progress.apply(&Event::Checked {
            exercise: exercise.to_owned(),
            key: (*key).to_owned(),
            typed: (*typed).to_owned(),
            mark: Mark::Right,
        });
    }
    progress
}

/// Lines that say of the answer on the page that it is right.
fn said(s: &Screen) -> Vec<String> {
    let rows = s.rows().into_iter().map(|row| row.trim().to_owned());
    rows.filter(|row| row.starts_with("right   ") || row.contains(" right   "))
        .collect()
}

#[test]
fn a_right_answer_says_so_after_esc_and_after_a_new_start() {
    let corpus: toml::Table = include_str!("../data/answers.toml").parse().unwrap();
    let course = Course::built_in();
    let mut tried = BTreeMap::new();
    for question in corpus["question"].as_array().unwrap() {
        let (id, name) = question["key"].as_str().unwrap().split_once('.').unwrap();
        let answers = question["answers"].as_array().unwrap();
        let right = answers
            .iter()
            .find(|answer| answer[1].as_str() == Some("right"));
        let Some(typed) = right.and_then(|answer| answer[0].as_str()) else {
            continue;
        };
        let exercise = course.exercise(id).unwrap();
        let at = exercise.keys.iter().position(|key| key.name.text == name);
        let at = at.unwrap();
        let key = &exercise.keys[at];
        let alone = !matches!(key.kind, Kind::Measured | Kind::Predict) && key.kernel.is_none();
        let times = tried.entry(format!("{:?}", key.kind)).or_insert(0);
        if !alone || *times == 1 {
            continue;
        }
        *times += 1;
        // The form opens at its first question.
        let s = opened(id, &[(name, typed)], (80, 40)).press(&vec![TAB; at]);
        let before = said(&s);
        assert!(!before.is_empty(), "{id}.{name}:\n{}", s.rows().join("\n"));
        let s = s.hides("Enter checks").press(&[ch('i'), ESC]);
        assert_eq!(said(&s), before, "{id}.{name}");
        if !key.options.is_empty() {
            // In an order Space takes no place back.
            let change = match key.kind {
                Kind::Ranking => ch('0'),
                _ => SPACE,
            };
            let s = s.press(&[ch('i'), RIGHT, change]);
            assert_eq!(said(&s), [""; 0], "{id}.{name}:\n{}", s.rows().join("\n"));
            // The cursor of a table stays at its cell, of which it is said beside the whole.
            let after = said(&s.press(&[ESC]));
            assert_eq!((after.len(), after.last()), (before.len(), before.last()));
        } else {
            let s = s.press(&[ch('i'), ch('9'), ESC]);
            if key.table.is_none() {
                assert_eq!(said(&s), before, "{id}.{name}");
            }
        }
    }
    // Ranking, choice, choices, table, number.
    assert!(tried.len() >= 5, "{tried:?}");
}

#[test]
fn v_asks_also_where_all_is_right_and_the_way_back_stays_in_sight() {
    let course = Course::built_in();
    let keys = |id: &str| -> Vec<String> {
        let keys = &course.exercise(id).unwrap().keys;
        keys.iter().map(|key| key.name.text.clone()).collect()
    };
    let all = keys("ex8");
    let right: Vec<(&str, &str)> = all.iter().map(|name| (name.as_str(), "1")).collect();
    let s = opened("ex8", &right, (80, 24)).shows("v another shape");
    let varied = |s: &Screen| s.effects.iter().any(|e| matches!(e, Effect::Vary { .. }));
    let s = s.press(&[ch('v')]).shows("v again begins variant 1");
    assert!(!varied(&s));
    let mut s = s.press(&[ch('v')]);
    assert!(varied(&s));
    s.tell(Message::Kept("Saved to answers/ex8.toml.".to_owned()));
    let s = s.shows("reset --undo");
    // What was earned in the shape before is not forgotten in the list.
    let s = s.press(&[ESC]).shows(&format!("{0}/{0}", all.len()));
    s.hides("Nothing answered yet");
    // Where there is one shape only, no key offers another.
    let all = keys("ex7");
    let right: Vec<(&str, &str)> = all.iter().map(|name| (name.as_str(), "1")).collect();
    opened("ex7", &right, (80, 24))
        .shows("i change it")
        .hides("another shape");
}

#[test]
fn what_one_exercise_was_asked_is_no_answer_of_another() {
    let right = [("rank", "1")];
    let varied = |s: &Screen| s.effects.iter().any(|e| matches!(e, Effect::Vary { .. }));
    let s = opened("ex2", &[("qkv", "33554432")], (80, 24)).press(&[ch('v')]);
    let mut s = s.shows("v again begins variant 1 of ex2");
    s = s.press(&[ch(':')]).typed("ex17").press(&[ENTER]);
    let read = SheetRead {
        kept: Some(kept("ex17", &right)),
        answers: sheet(&right),
        again: false,
    };
    s.tell(Message::Sheet("ex17".to_owned(), Box::new(read)));
    let s = s
        .press(&[ch('v')])
        .shows("v again begins variant 1 of ex17");
    assert!(!varied(&s));
    assert!(varied(&s.press(&[ch('v')])));
    // Where nothing stands, nothing is asked.
    let s = opened("ex2", &[], (80, 24)).press(&[ch('v')]);
    assert!(varied(&s));
}

#[test]
fn what_a_shell_reset_or_undid_stands_in_the_form_and_nothing_is_recorded() {
    let answers = [("block", "17"), ("products", "9")];
    let events = |s: &Screen| s.recorded().len();
    let of = |right: &[(&str, &str)], variant: usize| {
        let mut progress = Progress::default();
        progress.apply(&Event::Varied {
            exercise: "ex1".to_owned(),
            variant,
        });
        progress.take("ex1", &{
            let mut own = kept("ex1", right);
            if variant > 0 {
                own.variants.insert("ex1".to_owned(), variant);
            }
            own
        });
        let mut answers = sheet(right);
        if variant > 0 {
            answers.insert("variant".to_owned(), variant.to_string());
        }
        SheetRead {
            answers,
            kept: Some(progress),
            again: true,
        }
    };
    let solved = |s: &Screen, key: &str| s.state.shared.study.progress.key("ex1", key).solved;
    let tell = |mut s: Screen, read: SheetRead| {
        s.tell(Message::Sheet("ex1".to_owned(), Box::new(read)));
        s
    };
    let s = opened("ex1", &answers, (80, 24)).shows("right");
    let before = events(&s);
    // `reset`, `reset --undo`, `reset --variant 2`, `reset --undo`.
    let s = tell(s, of(&[], 0));
    assert!(!solved(&s, "block") && said(&s).is_empty());
    let s = tell(s, of(&answers, 0)).shows("ex1 changed on disk, and stands here as it does there");
    assert!(solved(&s, "block") && solved(&s, "products") && !said(&s).is_empty());
    let s = tell(s, of(&[], 2));
    assert_eq!(s.state.shared.study.progress.variant("ex1"), 2);
    assert!(!solved(&s, "block"));
    let s = tell(s, of(&answers, 0)).shows("17");
    assert!(solved(&s, "block"));
    assert_eq!(events(&s), before);
    // A sheet of another variant than what is kept was put there by hand.
    let mut other = of(&answers, 1);
    other.kept = Some(kept("ex1", &answers));
    let s = tell(s, other);
    assert!(!solved(&s, "block"));
    assert_eq!(events(&s), before + 1);
}

#[test]
fn a_field_stays_open_while_the_sheet_of_another_exercise_changes() {
    let mut s = opened("ex1", &[], (80, 24))
        .press(&[ENTER])
        .typed("16")
        .shows("▌");
    s.tell(sheet_read("ex2", sheet(&[("variant", "1")]), true));
    s.shows("▌");
}

#[test]
fn the_head_of_the_list_gives_way_at_every_width() {
    let s = Screen::with(Course::built_in(), 60, 40);
    let keys = s
        .state
        .shared
        .study
        .course
        .exercises()
        .flat_map(|exercise| {
            let keys = exercise.keys.iter();
            keys.map(|key| (exercise.id.clone(), key.name.text.clone()))
        });
    let right = keys.take(146).map(|(exercise, key)| Event::Checked {
        exercise,
        key,
        typed: String::new(),
        mark: Mark::Right,
    });
    let right: Vec<Event> = right.collect();
    let mut s = s.press(&[ch('7')]);
    let progress = &mut s.state.shared.study.progress;
    right.iter().for_each(|event| progress.apply(event));
    for columns in 60..=200 {
        s.tell(Message::Resize { columns, rows: 40 });
        let rows = s.rows();
        let head = |row: &&String| row.contains("Exercises ") && row.contains(" of ");
        assert!(
            rows.iter().any(|row| head(&row)),
            "{columns}:\n{}",
            rows.join("\n")
        );
    }
}

#[test]
fn o_says_what_answers_an_option() {
    let o: Key = ch('o');
    opened("ex17", &[], (80, 24))
        .press(&[o])
        .shows("here ←→ and Space answer")
        .hides("Enter types");
}

#[test]
fn a_lesson_says_where_it_begins_and_is_found_by_its_number() {
    let s = Screen::with(Course::built_in(), 80, 24).press(&[ch(':')]);
    let s = s.typed("lesson 6").press(&[ENTER]).shows("06 ");
    let place = s.state.reader.lesson;
    assert!(
        s.state
            .shared
            .study
            .lesson(place)
            .unwrap()
            .id
            .starts_with("06-")
    );
    s.press(&[ch('b')]).shows("This lesson begins here.");
}

#[test]
fn the_first_page_says_where_answers_are_kept_once_a_folder_was_made() {
    let mut s = Screen::with(Course::built_in(), 80, 24);
    s.state.page = Page::FirstRun;
    s.state.shared.place = "~/state".to_owned();
    let mut s = s.shows("kept in ~/state (i: start");
    s.tell(Message::Settled("./answers".to_owned()));
    s.shows("kept in ./answers").hides("i: start");
}

/// What a screen keeps for the next start, a moment after its last key.
fn kept_lab(s: &mut Screen) -> Lab {
    let at = s.state.shared.now + 1000;
    let message = Message::Tick;
    s.effects
        .extend(update(&mut s.state, AppEvent { at, message }));
    let mut all = s.effects.iter().rev();
    let kept = all.find_map(|effect| match effect {
        Effect::KeepLab(lab) => Some((**lab).clone()),
        _ => None,
    });
    // Where nothing changed since, what came back is still there.
    kept.or_else(|| s.state.shared.keeping.last().cloned())
        .unwrap()
}

/// The program anew, with what was kept of the lab.
fn again(size: (u16, u16), lab: Option<Lab>) -> Screen {
    let mut s = Screen::with(Course::built_in(), size.0, size.1);
    let kept = Kept {
        lab,
        ..Kept::default()
    };
    s.tell(Message::Restored(Box::new(kept)));
    s.tell(Message::Found(Box::default()));
    s
}

#[test]
fn practice_goes_on_after_a_new_start_with_what_was_typed() {
    let s = again((80, 24), None).press(&[ch('t')]);
    // Nothing typed: the hint, then the answer. The next one waits with a number.
    let s = s.press(&[ENTER, ENTER, ENTER]).typed("12");
    let mut s = s.press(&[TAB]).typed("34").shows("34▌");
    let premise = |s: &Screen| {
        let task = s.state.practise.task.as_ref();
        task.map(|task| (task.pattern, task.premise.clone()))
    };
    let (lab, before) = (kept_lab(&mut s), premise(&s));
    let s = again((80, 24), Some(lab)).press(&[ch('t')]);
    let s = s.shows("►flops").shows("34▌").shows("0 of 1 right");
    assert_eq!(premise(&s), before);
    s.press(&[key(Code::BackTab)])
        .shows("►launches")
        .shows("12▌");
}

#[test]
fn a_change_of_a_right_answer_is_there_after_a_new_start() {
    let right = [("residual", "1/12")];
    let read = || SheetRead {
        kept: Some(kept("ex4", &right)),
        answers: sheet(&right),
        again: false,
    };
    let at = |mut s: Screen| {
        s = s.press(&[ch(':')]).typed("ex4").press(&[ENTER]);
        s.tell(Message::Sheet("ex4".to_owned(), Box::new(read())));
        s.press(&[TAB]).shows("right")
    };
    let changed = ctrl('u');
    let s = at(again((80, 24), None)).press(&[ch('i'), changed]);
    let mut s = s.typed("0.09").shows("0.09▌");
    let lab = kept_lab(&mut s);
    let s = at(again((80, 24), Some(lab))).press(&[ch('i')]);
    let s = s.shows("0.09▌").shows("What you had begun stands here");
    // Esc leaves the answer as it was, and nothing is begun any more.
    let s = s.press(&[ESC]).shows("right").press(&[ch('i')]);
    s.shows("1/12▌");
}

#[test]
fn a_changed_mark_is_there_after_a_new_start() {
    let at = |mut s: Screen| {
        s = s.press(&[ch(':')]).typed("ex3").press(&[ENTER]);
        let read = SheetRead {
            kept: Some(kept("ex3", &[("worst", "res1")])),
            answers: sheet(&[("worst", "res1")]),
            again: false,
        };
        s.tell(Message::Sheet("ex3".to_owned(), Box::new(read)));
        s.press(&[TAB; 4]).shows("(x) res1")
    };
    let mut s = at(again((80, 24), None)).press(&[ch('i'), ch('1'), SPACE]);
    s = s.shows("(x) q");
    let lab = kept_lab(&mut s);
    let s = at(again((80, 24), Some(lab))).press(&[ch('i')]);
    s.shows("(x) q").shows("What you had begun stands here");
}

#[test]
fn the_rest_of_a_section_of_the_path_waits_after_a_new_start() {
    // The first section is longer than the page.
    let s = again((60, 18), None).press(&[SPACE, ch('1')]);
    let mut s = s.shows("the rest of lesson 00");
    let lab = kept_lab(&mut s);
    let mut s = again((60, 18), Some(lab)).shows("the rest of lesson 00");
    assert_eq!(kept_lab(&mut s).rest.unwrap().0, "00-welcome");
    let s = s.press(&[SPACE]).shows("What this workshop is");
    assert_eq!(s.state.reader.section, 0);
}

#[test]
fn the_lesson_that_was_looked_up_last_is_open_after_a_new_start() {
    // A section of the path was begun, then another lesson was looked up.
    let s = again((60, 18), None).press(&[SPACE, ch(':')]).typed("10-");
    let mut s = s.press(&[ENTER, ch('1')]).shows("the rest of lesson 00");
    let at = s.state.reader.lesson;
    let lab = kept_lab(&mut s);
    let progress = s.state.shared.study.progress.clone();
    let mut s = again((60, 18), None);
    s.state.shared.study.progress = progress;
    let kept = Kept {
        lab: Some(lab),
        ..Kept::default()
    };
    s.tell(Message::Restored(Box::new(kept)));
    let s = s.shows("the rest of lesson 00").press(&[ch('2')]);
    assert_eq!(s.state.reader.lesson, at);
    // Space on Home leads to the rest all the same.
    let s = s.press(&[ch('1'), SPACE]);
    assert_eq!(s.state.reader.lesson, 0);
}

#[test]
fn hints_that_were_seen_before_a_new_start_are_seen_again_before_the_next_one() {
    let mut s = Screen::with(Course::built_in(), 80, 24);
    s.state.shared.study.progress.apply(&Event::Hinted {
        exercise: "ex2".into(),
        key: s.state.shared.study.exercise("ex2").unwrap().keys[0]
            .name
            .text
            .clone(),
        shown: 1,
    });
    let s = s.press(&[ch(':')]).typed("ex2").press(&[ENTER]);
    let s = s.shows("hints 1 of 3 seen, h shows them").press(&[ch('h')]);
    let s = s
        .shows("hint 1 of 3")
        .hides("hint 2 of 3")
        .press(&[ch('h')]);
    s.shows("hint 2 of 3");
}

#[test]
fn a_wrong_answer_keeps_its_verdict_though_another_question_is_answered_with_it() {
    // 17 launches of a block are no count of its products.
    let answers = [("block", "17"), ("products", "17")];
    let mut progress = kept("ex1", &answers[..1]);
    progress.apply(&Event::Checked {
        exercise: "ex1".to_owned(),
        key: "products".to_owned(),
        typed: "17".to_owned(),
        mark: Mark::Wrong,
    });
    let mut s = opened("ex1", &[], (80, 24));
    let read = SheetRead {
        kept: Some(progress),
        answers: sheet(&answers),
        again: false,
    };
    s.tell(Message::Sheet("ex1".to_owned(), Box::new(read)));
    let s = s.press(&[key(Code::Home), key(Code::Down)]);
    let s = s.shows("17 is too high, and no known slip gives it.");
    // What is typed takes its place.
    s.press(&[ch('9')]).shows("[ 9▌");
}
