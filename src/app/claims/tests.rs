use super::*;
use crate::State;
use crate::evidence::measured;
use crate::key::{Code, ch, key};
use crate::look::Look;
use crate::message::{Effect, Event, Message};
use crate::page::Page;
use crate::update;
use course::Event as Kept;

fn court() -> State {
    let mut state = State::new((80, 24), Look::default()).unwrap();
    press(&mut state, ch('C'));
    assert_eq!(state.page, Page::Claims);
    state
}

fn press(state: &mut State, key: crate::key::Key) -> Vec<Effect> {
    update(
        state,
        Event {
            at: 0,
            message: Message::Key(key),
        },
    )
}

fn at(state: &mut State, id: &str) {
    assert!(open(&mut state.claims, &mut state.shared, id));
    state.go(Page::Claims);
    assert_eq!(
        current(&state.claims, &state.shared).map(|c| c.id.text.as_str()),
        Some(id)
    );
}

#[test]
fn judging_comes_first_and_is_kept() {
    let mut state = court();
    at(&mut state, "Q-40");
    assert_eq!(standing(&state.shared.study, "Q-40"), Standing::Open);
    press(&mut state, key(Code::Enter));
    // Nothing is chosen yet: Enter twice, as one comes from a lesson, judges nothing.
    assert!(state.claims.choosing && state.claims.chosen.is_none());
    assert!(press(&mut state, key(Code::Enter)).is_empty());
    assert_eq!(standing(&state.shared.study, "Q-40"), Standing::Open);
    // right, right if, wrong: three down.
    press(&mut state, key(Code::Down));
    press(&mut state, key(Code::Down));
    press(&mut state, ch('j'));
    let effects = press(&mut state, key(Code::Enter));
    assert_eq!(
        effects,
        [Effect::Record(Kept::Chose {
            setting: "claim Q-40".into(),
            value: Some("wrong".into()),
        })]
    );
    assert_eq!(
        standing(&state.shared.study, "Q-40"),
        Standing::Judged(Judgement::Wrong)
    );
    assert_eq!(
        (judged(&state.shared.study), tally(&state.shared.study)),
        (1, (1, 1))
    );
    let said = state.shared.notes.shown().map(|n| n.text.clone());
    assert_eq!(said.as_deref(), Some("The evidence says so too: wrong."));
}

#[test]
fn right_if_something_is_assumed_is_said_whole() {
    let assumed = |claim: &&Claim| claim.ruling == Ruling::RightIf;
    let claim = Ledger::built_in().claims().iter().find(assumed).unwrap();
    // right, right if: one or two down.
    for (downs, says) in [(1, "You said: right."), (2, "The evidence says so too:")] {
        let mut state = court();
        at(&mut state, &claim.id.text);
        press(&mut state, key(Code::Enter));
        (0..downs).for_each(|_| drop(press(&mut state, key(Code::Down))));
        press(&mut state, key(Code::Enter));
        let said = state.shared.notes.shown().unwrap().text.clone();
        assert!(said.starts_with(says), "{said}");
        assert!(said.ends_with("right if something is assumed."), "{said}");
    }
}

#[test]
fn escape_leaves_a_claim_open() {
    let mut state = court();
    press(&mut state, key(Code::Enter));
    assert!(state.claims.choosing);
    press(&mut state, key(Code::Esc));
    assert!(!state.claims.choosing);
    assert_eq!(state.page, Page::Claims);
    press(&mut state, key(Code::Esc));
    assert_eq!(state.page, Page::Home);
}

#[test]
fn evidence_without_a_judgement_asks_twice_and_counts_as_none() {
    let mut state = court();
    at(&mut state, "K-V1-12");
    assert!(press(&mut state, ch('s')).is_empty());
    assert_eq!(standing(&state.shared.study, "K-V1-12"), Standing::Open);
    press(&mut state, ch('s'));
    assert_eq!(standing(&state.shared.study, "K-V1-12"), Standing::Shown);
    assert_eq!(
        (judged(&state.shared.study), tally(&state.shared.study)),
        (0, (0, 0))
    );
}

#[test]
fn filters_walk_through_groups_and_documents_and_come_back() {
    let mut state = court();
    let all = listed(&state.claims, &state.shared).len();
    assert_eq!(all, 226);
    let (mut by_group, mut steps) = (0, 0);
    loop {
        press(&mut state, ch('f'));
        steps += 1;
        match state.claims.filter {
            Filter::All => break,
            Filter::Open => assert_eq!(listed(&state.claims, &state.shared).len(), all),
            Filter::Group(_) => by_group += listed(&state.claims, &state.shared).len(),
            Filter::Document(_) => assert!(!listed(&state.claims, &state.shared).is_empty()),
        }
        assert!(steps < 100);
    }
    // Every claim is in one group.
    assert_eq!(by_group, all);
}

#[test]
fn a_search_reads_the_sentences_too() {
    let mut state = court();
    let word = "synchronisation";
    press(&mut state, ch('/'));
    word.chars().for_each(|c| drop(press(&mut state, ch(c))));
    press(&mut state, key(Code::Enter));
    let found = current(&state.claims, &state.shared).unwrap();
    assert!(found.says.text.contains(word) && !found.title.contains(word));
}

#[test]
fn a_search_says_what_the_filter_hides() {
    let mut state = court();
    let has = |state: &State| {
        let listed = listed(&state.claims, &state.shared);
        listed.iter().any(|claim| claim.id.text.contains("K-V4-1"))
    };
    while has(&state) {
        press(&mut state, ch('f'));
    }
    let said = |state: &mut State, text: &str| {
        press(state, ch('/'));
        for c in text.chars() {
            press(state, ch(c));
        }
        press(state, key(Code::Enter));
        state
            .shared
            .notes
            .shown()
            .map_or(String::new(), |n| n.text.clone())
    };
    let before = state.claims.cursor;
    let hidden = said(&mut state, "K-V4-1");
    assert!(
        hidden.contains("; 1 of the others has it: f turns to"),
        "{hidden}"
    );
    assert_eq!(state.claims.cursor, before);
    let nowhere = said(&mut state, "zebra");
    assert!(
        nowhere.contains("“zebra” is not among these claims"),
        "{nowhere}"
    );
}

#[test]
fn what_was_just_judged_stays_until_the_cursor_moves() {
    let mut state = court();
    press(&mut state, ch('f'));
    assert_eq!(state.claims.filter, Filter::Open);
    let first = current(&state.claims, &state.shared)
        .unwrap()
        .id
        .text
        .clone();
    let second = listed(&state.claims, &state.shared)[1].id.text.clone();
    for key in [key(Code::Enter), ch('j'), key(Code::Enter)] {
        press(&mut state, key);
    }
    assert_eq!(
        current(&state.claims, &state.shared).unwrap().id.text,
        first
    );
    press(&mut state, ch('j'));
    assert_eq!(
        current(&state.claims, &state.shared).unwrap().id.text,
        second
    );
    assert!(
        listed(&state.claims, &state.shared)
            .iter()
            .all(|c| c.id.text != first)
    );
}

#[test]
fn the_next_list_is_counted_without_what_was_just_judged() {
    let mut state = court();
    for key in [key(Code::Enter), ch('j'), key(Code::Enter), ch('f')] {
        press(&mut state, key);
    }
    assert_eq!(state.claims.filter, Filter::Open);
    assert_eq!(listed(&state.claims, &state.shared).len(), 225);
    let said = state.shared.notes.shown().map(|n| n.text.clone());
    assert_eq!(said.as_deref(), Some("open: 225 claims."));
}

#[test]
fn where_nothing_runs_no_facts_are_promised_that_are_not_shown() {
    let mut state = court();
    let ledger = Ledger::built_in().claims().iter();
    let mut still = ledger.filter(|c| c.cuts().is_empty() && c.demonstration().is_none());
    at(&mut state, &still.next().unwrap().id.text);
    assert!(press(&mut state, ch('r')).is_empty());
    let said = state.shared.notes.shown().map(|n| n.text.clone());
    let said = said.unwrap();
    assert!(
        said.contains("nothing to run") && !said.contains("below"),
        "{said}"
    );
}

#[test]
fn the_evidence_runs_in_the_setup_of_the_claim() {
    let mut state = court();
    at(&mut state, "Q-AI3X");
    let effects = press(&mut state, ch('r'));
    let [Effect::StartRun(_, request)] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    // The claim is about batch 8 and compares V1 with one merge.
    assert_eq!(request.config.shape.batch, 8);
    // The lab keeps its own plan and setup.
    assert_eq!(state.shared.bench.setup().shape.batch, 1);
    let title = state.shared.runs.running().map(|r| r.title.clone());
    assert_eq!(title.as_deref(), Some("V1 beside V1 + qkv"));
    assert_eq!(
        measured(
            &state.shared,
            current(&state.claims, &state.shared).unwrap()
        )
        .len(),
        2
    );
}

#[test]
fn where_nothing_runs_the_command_is_named() {
    let mut state = court();
    at(&mut state, "H-MI50");
    assert!(press(&mut state, ch('r')).is_empty());
    let said = state.shared.notes.shown().map(|n| n.text.clone());
    assert_eq!(
        said.as_deref(),
        Some("In a shell: tinyllama-tutor gpus mi50")
    );
}
