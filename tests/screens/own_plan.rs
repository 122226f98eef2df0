//! A plan of the learner's own stays in the lab, or comes back, whatever else is run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use super::reader::{ENTER, SPACE, Screen, TAB};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::{Effect, Page};
use tinyllama_tutor::course::{Course, Kind};
use tinyllama_tutor::fusion::{Cut, Fusion, Version};

/// The lab with a plan of the learner's own.
fn own() -> (Screen, Cut) {
    let own = Version::V2.cut().fuse(Fusion::Rope);
    let s = Screen::with(Course::built_in(), 80, 24).press(&[ch('3')]);
    // v goes to V2, the second fusion is rope.
    let s = s.press(&[ch('v'), key(Code::Down), SPACE]);
    assert_eq!(s.state.shared.bench.cut(), own);
    (s, own)
}

/// The plans that were started.
pub fn started(s: &Screen) -> Vec<Cut> {
    let starts = s.effects.iter().filter_map(|effect| match effect {
        Effect::StartRun(_, request) => Some(request.config.cut),
        _ => None,
    });
    starts.collect()
}

#[test]
fn evidence_runs_on_its_own_and_the_plan_stays_in_the_lab() {
    let (s, own) = own();
    let setup = s.state.shared.bench.setup().clone();
    // A claim whose demonstration runs plans, in its own setup.
    let s = s.press(&[ch(':')]).typed("K-V2-67").press(&[ENTER]);
    assert_eq!(s.state.page, Page::Claims);
    let s = s.press(&[ch('r')]);
    assert_eq!(started(&s).len(), 1);
    assert_ne!(started(&s), [own]);
    assert_eq!(s.state.shared.bench.cut(), own);
    assert_eq!(*s.state.shared.bench.setup(), setup);
}

#[test]
fn a_measured_question_runs_on_its_own_too() {
    let (s, own) = own();
    let setup = s.state.shared.bench.setup().clone();
    let s = s.press(&[ch(':')]).typed("ex1").press(&[ENTER]);
    let row = s.state.shared.study.exercise("ex1").unwrap().keys.iter();
    let measured = row.clone().position(|key| key.kind == Kind::Measured);
    let s = s.press(&vec![TAB; measured.unwrap_or(0)]).press(&[ch('r')]);
    assert!(!started(&s).is_empty());
    assert_eq!(s.state.shared.bench.cut(), own);
    assert_eq!(*s.state.shared.bench.setup(), setup);
}

#[test]
fn whoever_puts_another_plan_in_place_of_ones_own_says_how_that_comes_back() {
    let back = "u in the lab brings back V2 + rope.";
    // A version's key, on the pages that have it.
    for page in ['3', '5', '6'] {
        let (s, own) = own();
        let s = s.press(&[ch(page), ch('v')]).shows(back);
        assert_ne!(s.state.shared.bench.cut(), own);
        let s = s.press(&[ch('3'), ch('u')]);
        assert_eq!(s.state.shared.bench.cut(), own, "{page}");
    }
    // Enter on a column of Compare, and the palette.
    let (s, _) = own();
    s.press(&[ch('4'), ENTER])
        .shows("The lab holds V1 now.")
        .shows(back);
    let (s, _) = own();
    let s = s.press(&[ch(':')]).typed("version v4").press(&[ENTER]);
    s.shows(back);
    // A version is one key away: nothing is said of it.
    let s = Screen::with(Course::built_in(), 80, 24).press(&[ch('4'), ENTER]);
    s.hides("brings back");
}

#[test]
fn a_block_of_a_lesson_says_whose_plan_it_takes_the_place_of() {
    // The fixture's first lesson begins with a lab block in the usual setup.
    let s = Screen::reader(80, 24).press(&[ch('3'), ch('v'), key(Code::Down), SPACE]);
    let own = s.state.shared.bench.cut();
    let s = s
        .press(&[ch('2'), TAB])
        .shows("u in the lab brings back V2 + rope.");
    assert_ne!(s.state.shared.bench.cut(), own);
    let s = s.press(&[ch('L'), ch('u')]);
    assert_eq!(s.state.shared.bench.cut(), own);
}

#[test]
fn a_block_that_changes_a_version_says_so() {
    // The fixture's first lesson begins with a lab block in the usual setup: V1.
    let s = Screen::reader(80, 24).press(&[ch('3'), ch('v'), ch('v')]);
    assert_eq!(s.state.shared.bench.cut(), Version::V3.cut());
    let s = s.press(&[ch('2'), TAB]);
    assert_eq!(s.state.shared.bench.cut(), Version::V1.cut());
    s.shows("The lab holds V1 now, after V3.");
}

#[test]
fn a_block_shows_its_own_plan_whatever_the_lab_holds_by_now() {
    // The block of the fixture's first lesson begins with V1; its one fusion is flipped there.
    let s = Screen::reader(80, 24).press(&[TAB, SPACE]);
    let own = Version::V1.cut().fuse(Fusion::Qkv);
    assert_eq!(s.state.shared.bench.cut(), own);
    let s = s.shows("[x] qkv").shows("these   1 launch =");
    // The lab goes on to V2, which has three launches there.
    let s = s.press(&[ch('L'), ch('v'), ch('v')]);
    assert_eq!(s.state.shared.bench.cut(), Version::V2.cut());
    let s = s.press(&[ch('2')]);
    let s = s.shows("[x] qkv").shows("these   1 launch =");
    assert_eq!(s.state.shared.bench.cut(), Version::V2.cut());
    // Who goes into the block has its plan in the lab again, and is told.
    let s = s
        .press(&[TAB, TAB])
        .shows("The lab holds V1 + qkv now, after V2.");
    assert_eq!(s.state.shared.bench.cut(), own);
}
