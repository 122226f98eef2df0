//! The gap form of a written kernel: its letters, and what was found of them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use super::reader::{ENTER, ESC, Screen, TAB, sheet_read};
use tinyllama_tutor::app::key::{ch, ctrl};
use tinyllama_tutor::app::question::Asked;
use tinyllama_tutor::app::{Effect, Message, Page};
use tinyllama_tutor::course::answer::{Fits, Judgement, Verdict};
use tinyllama_tutor::course::attempt::{Told, gaps_met, tried_by};
use tinyllama_tutor::course::{Course, Event, Mark};

fn kernel() -> Asked {
    Asked {
        exercise: "ex19".into(),
        key: "kernel".into(),
    }
}

/// ex19 as it is opened again: these letters in its sheet, and what was found of them.
fn found(letters: &str, mark: Mark, size: (u16, u16)) -> Screen {
    let mut s = Screen::with(Course::built_in(), size.0, size.1);
    let typed = tried(&s, letters);
    s.state.shared.study.progress.apply(&Event::Checked {
        exercise: "ex19".into(),
        key: "kernel".into(),
        typed,
        mark,
    });
    let answers = [("kernel".to_owned(), letters.to_owned())];
    let mut s = s.press(&[ch(':')]).typed("ex19").press(&[ENTER]);
    s.tell(sheet_read("ex19", answers.into(), false));
    s.press(&[TAB])
}

fn tried(s: &Screen, letters: &str) -> String {
    let key = s.state.shared.study.key_of(&kernel()).unwrap();
    tried_by(key.kernel.as_ref().unwrap(), letters)
}

#[test]
fn what_was_found_of_letters_stands_after_a_new_start() {
    for size in [(60, 18), (80, 24)] {
        found("aaaa", Mark::Slip, size)
            .shows(" slip")
            .shows("Found the last time");
    }
    found("acba", Mark::Right, (80, 24))
        .shows(" right")
        .hides("Found the last time");
}

#[test]
fn letters_that_are_not_right_do_not_stand_beside_a_file_that_is() {
    let written = |s: &Screen| {
        s.state
            .shared
            .study
            .key_of(&kernel())
            .unwrap()
            .kernel
            .clone()
    };
    let mut met = 0;
    for letters in ["aaaa", "bcab", "acba", "cbac", "bbbb", "abcc"] {
        let s = found(letters, Mark::Right, (120, 60));
        let right = gaps_met(&written(&s).unwrap(), letters);
        met += usize::from(right);
        let line = format!("gap form: {letters}");
        let s = match right {
            true => s.shows(&line),
            false => s.hides(&line),
        };
        // Folded, below the first question.
        let s = s.press(&[ch('g')]);
        match right {
            true => s.shows(letters),
            false => s.hides(letters).shows("answers/ex19.cu"),
        };
    }
    assert!(met < 2);
    // While nothing is right they are what was answered.
    found("abcc", Mark::Slip, (80, 24)).shows("gap form: abcc");
}

#[test]
fn a_file_that_was_judged_says_what_came_of_it_beside_its_question() {
    // No letters: what was found is of the file.
    for (mark, word) in [
        (Mark::Slip, "slip"),
        (Mark::Wrong, "wrong"),
        (Mark::Right, "right"),
    ] {
        let s = found("", mark, (80, 24));
        let row = s
            .rows()
            .into_iter()
            .find(|row| row.contains("2  Now write it"));
        assert!(row.unwrap().trim_end().ends_with(word), "{word}");
    }
}

#[test]
fn new_letters_take_the_place_of_those_that_were_not_right() {
    let s = found("abcb", Mark::Slip, (60, 18)).press(&[ch(' ')]);
    s.shows("abcb▌").typed("a").shows("  a▌");
}

#[test]
fn letters_in_place_of_right_ones_are_judged_and_then_kept() {
    let s = found("acba", Mark::Right, (80, 24)).press(&[ch('i'), ctrl('u')]);
    let mut s = s.typed("caba").press(&[ENTER]);
    let judged = s.effects.iter().rev().find_map(|effect| match effect {
        Effect::Judge { typed, .. } => Some(typed.as_str()),
        _ => None,
    });
    assert_eq!(judged, Some("caba"));
    let saved = |s: &Screen| {
        s.effects.iter().rev().find_map(|effect| match effect {
            Effect::SaveAnswer { typed, .. } => Some(typed.clone()),
            _ => None,
        })
    };
    assert_eq!(saved(&s), None);
    let fits = Fits {
        say: "C2, a tiny case.".into(),
        claim: None,
    };
    let told = Told {
        judgement: Judgement::of("gap form", Verdict::Slip(vec![fits])),
        lines: vec![],
        tried: tried(&s, "caba"),
    };
    s.tell(Message::Judged(kernel(), Box::new(told)));
    assert_eq!(saved(&s).as_deref(), Some("caba"));
    s.shows("slip").shows("C2, a tiny case.");
}

#[test]
fn a_hint_and_a_solution_come_into_view_below_a_long_question() {
    for size in [(60, 18), (80, 24)] {
        // The gap form stands between the question and its hints.
        let s = found("aaaa", Mark::Slip, size);
        let s = s.press(&[ch('h')]).shows("hint 1 of 3");
        let s = s.press(&[ch('h')]).shows("hint 2 of 3");
        s.press(&[ch('s'), ch('s')]).shows("long i = blockIdx.x");
    }
}

#[test]
fn letters_that_cannot_be_read_are_mended_where_they_stand() {
    let s = found("", Mark::Slip, (80, 24)).press(&[ch(' ')]);
    let s = s.typed("acb").press(&[ENTER]).typed("a");
    assert_eq!(s.state.page, Page::Exercises);
    s.shows("acba");
}

#[test]
fn what_was_said_of_the_file_is_not_said_of_letters_typed_since() {
    let mut s = found("", Mark::Slip, (80, 24));
    let fits = Fits {
        say: "C2, a tiny case.".into(),
        claim: None,
    };
    let told = Told {
        judgement: Judgement::of("answers/ex19.cu", Verdict::Slip(vec![fits])),
        lines: vec!["m = - - - - -".into()],
        tried: tried(&s, ""),
    };
    s.tell(Message::Judged(kernel(), Box::new(told)));
    let s = s.shows("C2, a tiny case.").shows("m = - - - - -");
    let s = s.press(&[ch(' ')]).typed("ca").press(&[ESC]);
    s.shows("gap form: ca").hides("a tiny case").hides("m = -");
}

#[test]
fn what_was_found_of_a_file_stays_where_its_letters_are_left_as_they_were() {
    let mut s = found("", Mark::Right, (80, 24)).press(&[ch('i')]);
    let fits = Fits {
        say: "C2, a tiny case.".into(),
        claim: None,
    };
    let told = Told {
        judgement: Judgement::of("answers/ex19.cu", Verdict::Slip(vec![fits])),
        lines: vec![],
        tried: tried(&s, ""),
    };
    s.tell(Message::Judged(kernel(), Box::new(told)));
    let s = s.shows("C2, a tiny case.").press(&[ESC]);
    s.shows("C2, a tiny case.")
        .hides("The answer stays as it was");
}
