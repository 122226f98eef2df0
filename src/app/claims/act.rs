//! What keys do in the court, and in a claim that stands in a lesson.

use super::{Claims, SHOWN, Standing, current, hit, listed, setting, standing};
use crate::evidence;
use crate::intent::{Intent, Out};
use crate::keymap::Action;
use crate::message::Effect;
use crate::note::Tone;
use crate::shared::Shared;
use course::answer::claim::{Judgement, Ruling};
use course::claims::{cited, cited_at};
use course::{Claim, Event};

/// The verdicts stand at the end: what does not fit above them is scrolled away.
const VERDICTS: usize = usize::MAX;

/// Acts on the page.
pub fn act(page: &mut Claims, shared: &mut Shared, action: Action, out: &mut Out) {
    if page.choosing {
        choose(page, shared, action, out);
        return;
    }
    let last = listed(page, shared).len().saturating_sub(1);
    let at = page.cursor.min(last);
    match action {
        Action::Up => move_to(page, shared, at.saturating_sub(1)),
        Action::Down => move_to(page, shared, (at + 1).min(last)),
        Action::Top => move_to(page, shared, 0),
        Action::End => move_to(page, shared, last),
        Action::PageUp | Action::PageDown if page.extent.0 <= page.extent.1 => {
            let text = "The whole claim is in view; ↑ and ↓ go to others.";
            shared.notes.say(Tone::Plain, text);
        }
        Action::PageUp => scroll(page, false),
        Action::PageDown => scroll(page, true),
        Action::Filter => filter(page, shared),
        Action::Open => match current(page, shared) {
            Some(claim) if standing(&shared.study, &claim.id.text) == Standing::Open => {
                (page.choosing, page.chosen) = (true, None);
                page.scroll = VERDICTS;
            }
            Some(claim) => to_lesson(shared, claim, out),
            None => {}
        },
        Action::Outline => {
            if let Some(claim) = current(page, shared) {
                to_lesson(shared, claim, out);
            }
        }
        Action::Solution => show(page, shared, out),
        Action::Run | Action::RunAll => {
            if let Some(claim) = current(page, shared) {
                evidence::run(shared, claim, out);
            }
        }
        _ => {}
    }
}

/// Puts the cursor on a claim, by its id. `false`: there is none.
pub fn open(page: &mut Claims, shared: &mut Shared, id: &str) -> bool {
    let listed_at = |page: &Claims| listed(page, shared).iter().position(|c| c.id.text == id);
    let at = listed_at(page).or_else(|| {
        page.filter = super::Filter::All;
        listed_at(page)
    });
    let Some(at) = at else {
        shared
            .notes
            .say(Tone::Warn, format!("There is no claim {id}."));
        return false;
    };
    move_to(page, shared, at);
    true
}

/// Puts the cursor on an item of the list.
pub(super) fn move_to(page: &mut Claims, shared: &mut Shared, at: usize) {
    let wanted = listed(page, shared).get(at).map(|c| c.id.text.as_str());
    page.just = None;
    let listed = listed(page, shared);
    let found = listed
        .iter()
        .position(|c| Some(c.id.text.as_str()) == wanted);
    page.cursor = found.unwrap_or(0);
    page.scroll = 0;
    page.choosing = false;
}

fn scroll(page: &mut Claims, down: bool) {
    let (lines, room) = page.extent;
    // The last row may say that there is more.
    let step = room.saturating_sub(2);
    let at = page.scroll;
    page.scroll = if down {
        at.saturating_add(step).min(lines.saturating_sub(room))
    } else {
        at.saturating_sub(step)
    };
}

/// The next filter; the cursor stays on its claim where that is listed.
fn filter(page: &mut Claims, shared: &mut Shared) {
    let before = current(page, shared).map(|c| c.id.text.as_str());
    page.filter = page.filter.next();
    // The next list begins without the one that was just judged.
    page.just = None;
    let listed = listed(page, shared);
    let kept = listed
        .iter()
        .position(|c| Some(c.id.text.as_str()) == before);
    let count = listed.len();
    move_to(page, shared, kept.unwrap_or(0));
    let title = page.filter.title();
    let claims = if count == 1 { "claim" } else { "claims" };
    shared
        .notes
        .say(Tone::Plain, format!("{title}: {count} {claims}."));
}

/// Up, down, Enter and Esc while the reader judges.
fn choose(page: &mut Claims, shared: &mut Shared, action: Action, out: &mut Out) {
    let last = Judgement::ALL.len() - 1;
    let at = page.chosen;
    match action {
        Action::PageUp | Action::PageDown => {
            scroll(page, action == Action::PageDown);
            return;
        }
        _ => page.scroll = VERDICTS,
    }
    match action {
        Action::Up | Action::PreviousPart => {
            page.chosen = at.and_then(|at| at.checked_sub(1)).or(Some(last));
        }
        Action::Down | Action::NextPart => {
            page.chosen = at.map(|at| at + 1).filter(|at| *at <= last).or(Some(0));
        }
        Action::Top => page.chosen = Some(0),
        Action::End => page.chosen = Some(last),
        Action::Open | Action::Flip => {
            let judgement = at.and_then(|at| Judgement::ALL.get(at));
            match (current(page, shared), judgement) {
                (Some(claim), Some(judgement)) => {
                    page.choosing = false;
                    judge(page, shared, claim, *judgement, out);
                }
                // It is judged once: nobody is taken at a key pressed twice.
                _ => shared
                    .notes
                    .say(Tone::Plain, "↑ and ↓ choose a verdict, then Enter judges."),
            }
        }
        _ => {}
    }
}

fn judge(
    page: &mut Claims,
    shared: &mut Shared,
    claim: &'static Claim,
    judgement: Judgement,
    out: &mut Out,
) {
    keep(page, shared, claim, judgement.word(), out);
    let ruling = match claim.ruling {
        Ruling::RightIf => Judgement::RightIf.says(),
        ruling => ruling.word(),
    };
    let (tone, text) = if hit(claim.ruling, judgement) {
        let text = format!("The evidence says so too: {ruling}.");
        (Tone::Good, text)
    } else {
        let text = format!(
            "You said: {}. The evidence says: {ruling}.",
            judgement.says(),
        );
        (Tone::Warn, text)
    };
    shared.notes.say(tone, text);
}

/// Shows the evidence without a judgement, at the second press.
fn show(page: &mut Claims, shared: &mut Shared, out: &mut Out) {
    let Some(claim) = current(page, shared) else {
        return;
    };
    if standing(&shared.study, &claim.id.text) != Standing::Open {
        return;
    }
    if std::mem::replace(&mut page.armed, true) {
        page.armed = false;
        keep(page, shared, claim, SHOWN, out);
    } else {
        shared.notes.say(
            Tone::Warn,
            "s again shows the evidence; the claim then counts as shown, not as judged.",
        );
    }
}

/// Keeps what was judged.
fn keep(page: &mut Claims, shared: &mut Shared, claim: &'static Claim, word: &str, out: &mut Out) {
    page.just = Some(&claim.id.text);
    (page.scroll, page.reveal) = (0, true);
    let event = Event::Chose {
        setting: setting(&claim.id.text),
        value: Some(word.to_owned()),
    };
    shared.study.progress.apply(&event);
    out.push(Effect::Record(event));
}

/// Opens the first lesson that cites the claim, where it does.
fn to_lesson(shared: &mut Shared, claim: &Claim, out: &mut Out) {
    let id = &claim.id.text;
    let found = cited(&shared.study.course, id).next();
    let found = found.map(|l| (l.id.clone(), cited_at(l, id).unwrap_or_default()));
    let place = found.and_then(|(id, section)| Some((shared.study.place_of(&id)?, section)));
    match place {
        Some((lesson, section)) => out.want(Intent::Part(lesson, section)),
        None => shared.notes.say(
            Tone::Plain,
            format!("No lesson cites {}. The evidence is below.", claim.id.text),
        ),
    }
}
