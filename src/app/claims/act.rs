//! What keys do in the court, and in a claim that stands in a lesson.

use super::{SHOWN, Standing, current, hit, listed, setting, standing};
use crate::keymap::Action;
use crate::message::Effect;
use crate::note::Tone;
use crate::page::Page;
use crate::state::State;
use crate::study::bench_setup;
use crate::{lab, lesson};
use course::answer::claim::Judgement;
use course::claims::cited;
use course::{Claim, Event};

/// Acts on the page.
pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    if state.claims.choosing.is_some() {
        choose(state, action, effects);
        return;
    }
    if action != Action::Solution {
        state.claims.armed = false;
    }
    let last = listed(state).len().saturating_sub(1);
    let at = state.claims.cursor.min(last);
    match action {
        Action::Up => move_to(state, at.saturating_sub(1)),
        Action::Down => move_to(state, (at + 1).min(last)),
        Action::Top => move_to(state, 0),
        Action::End => move_to(state, last),
        Action::PageUp => scroll(state, false),
        Action::PageDown => scroll(state, true),
        Action::Filter => filter(state),
        Action::Open => match current(state) {
            Some(claim) if standing(&state.study, &claim.id.text) == Standing::Open => {
                state.claims.choosing = Some(0);
                state.claims.scroll = 0;
            }
            Some(claim) => to_lesson(state, claim, effects),
            None => {}
        },
        Action::Outline => {
            if let Some(claim) = current(state) {
                to_lesson(state, claim, effects);
            }
        }
        Action::Solution => show(state, effects),
        Action::Run | Action::RunAll => {
            if let Some(claim) = current(state) {
                run(state, claim, effects);
            }
        }
        _ => {}
    }
}

/// Esc: out of judging. `false`: nothing was being judged.
pub fn leave(state: &mut State) -> bool {
    state.claims.choosing.take().is_some()
}

/// Opens the court at a claim; Esc leads back.
pub fn open(state: &mut State, id: &str) {
    let listed_at = |state: &State| listed(state).iter().position(|c| c.id.text == id);
    let at = listed_at(state).or_else(|| {
        state.claims.filter = super::Filter::All;
        listed_at(state)
    });
    let Some(at) = at else {
        state
            .notes
            .say(Tone::Warn, format!("There is no claim {id}."));
        return;
    };
    state.go(Page::Claims);
    move_to(state, at);
}

/// Puts the cursor on an item of the list.
pub fn jump(state: &mut State, at: usize) {
    move_to(state, at);
}

fn move_to(state: &mut State, at: usize) {
    let wanted = listed(state).get(at).map(|c| c.id.text.as_str());
    state.claims.just = None;
    let listed = listed(state);
    let found = listed
        .iter()
        .position(|c| Some(c.id.text.as_str()) == wanted);
    state.claims.cursor = found.unwrap_or(0);
    state.claims.scroll = 0;
    state.claims.choosing = None;
}

fn scroll(state: &mut State, down: bool) {
    let (lines, room) = state.claims.extent;
    // The last row may say that there is more.
    let step = room.saturating_sub(2);
    let at = state.claims.scroll;
    state.claims.scroll = if down {
        (at + step).min(lines.saturating_sub(room))
    } else {
        at.saturating_sub(step)
    };
}

/// The next filter; the cursor stays on its claim where that is listed.
fn filter(state: &mut State) {
    let before = current(state).map(|c| c.id.text.as_str());
    state.claims.filter = state.claims.filter.next();
    let listed = listed(state);
    let kept = listed
        .iter()
        .position(|c| Some(c.id.text.as_str()) == before);
    let count = listed.len();
    move_to(state, kept.unwrap_or(0));
    let title = state.claims.filter.title();
    let claims = if count == 1 { "claim" } else { "claims" };
    state
        .notes
        .say(Tone::Plain, format!("{title}: {count} {claims}."));
}

/// Up, down, Enter and Esc while the reader judges.
fn choose(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    let last = Judgement::ALL.len() - 1;
    let at = state.claims.choosing.unwrap_or(0);
    match action {
        Action::Up | Action::PreviousPart => {
            state.claims.choosing = Some(at.checked_sub(1).unwrap_or(last));
        }
        Action::Down | Action::NextPart => {
            state.claims.choosing = Some(if at < last { at + 1 } else { 0 });
        }
        Action::Top => state.claims.choosing = Some(0),
        Action::End => state.claims.choosing = Some(last),
        Action::Open | Action::Flip => {
            if let (Some(claim), Some(judgement)) = (current(state), Judgement::ALL.get(at)) {
                state.claims.choosing = None;
                judge(state, claim, *judgement, effects);
            }
        }
        _ => {}
    }
}

fn judge(
    state: &mut State,
    claim: &'static Claim,
    judgement: Judgement,
    effects: &mut Vec<Effect>,
) {
    keep(state, claim, judgement.word(), effects);
    let (tone, text) = if hit(claim.ruling, judgement) {
        let text = format!("The ledger says so too: {}.", claim.ruling);
        (Tone::Good, text)
    } else {
        let text = format!(
            "You said {}; the ledger says {}. The evidence is below.",
            judgement.word(),
            claim.ruling
        );
        (Tone::Warn, text)
    };
    state.notes.say(tone, text);
}

/// Shows the evidence without a judgement, at the second press.
fn show(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(claim) = current(state) else { return };
    if standing(&state.study, &claim.id.text) != Standing::Open {
        return;
    }
    if std::mem::replace(&mut state.claims.armed, true) {
        state.claims.armed = false;
        keep(state, claim, SHOWN, effects);
    } else {
        state.notes.say(
            Tone::Warn,
            "s again shows the evidence; the claim then counts as shown, not as judged.",
        );
    }
}

/// Keeps what was judged.
fn keep(state: &mut State, claim: &'static Claim, word: &str, effects: &mut Vec<Effect>) {
    state.claims.just = Some(&claim.id.text);
    let event = Event::Chose {
        setting: setting(&claim.id.text),
        value: Some(word.to_owned()),
    };
    state.study.progress.apply(&event);
    effects.push(Effect::Record(event));
}

/// Opens the first lesson that cites the claim.
fn to_lesson(state: &mut State, claim: &Claim, effects: &mut Vec<Effect>) {
    let found = cited(&state.study.course, &claim.id.text)
        .next()
        .map(|l| l.id.clone());
    match found.and_then(|id| state.study.place_of(&id)) {
        Some(at) => lesson::open(state, at, effects),
        None => state.notes.say(
            Tone::Plain,
            format!(
                "No lesson cites {}. What is true of it stands below.",
                claim.id.text
            ),
        ),
    }
}

/// Runs the plans of a claim's demonstration, in the claim's own setup.
pub fn run(state: &mut State, claim: &Claim, effects: &mut Vec<Effect>) {
    let cuts = claim.cuts();
    let Some(first) = cuts.first().copied() else {
        let text = match claim.demonstration() {
            Some(command) => format!("In a shell: {command}"),
            None => "Nothing is to be run here: what is true of it settles it.".to_owned(),
        };
        state.notes.say(Tone::Plain, text);
        return;
    };
    let setup = match claim.setup.answer() {
        Ok(setup) => bench_setup(&setup.config, state.bench.setup().seed),
        Err(error) => {
            state.notes.say(Tone::Bad, error.to_string());
            return;
        }
    };
    // Plan and setup are one for all pages: the lab then shows what ran.
    if *state.bench.setup() != setup
        && let Err(error) = state.bench.set_up(setup)
    {
        state.notes.say(Tone::Bad, error.to_string());
        return;
    }
    if let Err(error) = state.bench.put(first) {
        state.notes.say(Tone::Bad, error.to_string());
        return;
    }
    lab::start(state, cuts, effects);
}
