//! What keys do on the page of studies, view by view.

use std::sync::Arc;

use super::{StudiesPage, View};
use crate::field::Field;
use crate::intent::Out;
use crate::keymap::Action;
use crate::note::Tone;
use crate::shared::Shared;
use plan::cost::{self, price};
use study::kept::split;
use study::offer::{Offered, Takes};

/// Keys of the list.
pub(super) fn list(page: &mut StudiesPage, shared: &mut Shared, action: Action, out: &mut Out) {
    let last = StudiesPage::lines(shared).saturating_sub(1);
    match action {
        Action::Open => page.open(shared),
        Action::Run => match page.offered(shared) {
            // What can be set is seen before it is made.
            Some(_) => page.open(shared),
            None => again(page, shared, out),
        },
        _ => page.cursor = moved(page.cursor, last, action),
    }
}

/// Makes a kept study once more.
fn again(page: &mut StudiesPage, shared: &mut Shared, out: &mut Out) {
    let Some((_, Ok(kept))) = page.listed(shared) else {
        let text = "It cannot be read, so it cannot be made again; Enter says why.";
        shared.notes.say(Tone::Warn, text);
        return;
    };
    let words = split(&kept.command);
    page.begin(shared, words, out);
}

/// Keys of what can be set.
pub(super) fn settings(page: &mut StudiesPage, shared: &mut Shared, action: Action, out: &mut Out) {
    let studies = Arc::clone(&shared.studies.offered);
    let View::Settings(at) = page.view else {
        return;
    };
    let Some(offered) = studies.get(at) else {
        return;
    };
    if action == Action::Run {
        let words = page.words(shared, offered);
        page.refused = None;
        page.begin(shared, words, out);
        return;
    }
    if action == Action::RunAll {
        return make_smaller(page, shared, offered, out);
    }
    let last = offered.settings.len().saturating_sub(1);
    let Some(setting) = offered.settings.get(page.row) else {
        return;
    };
    let (value, _) = page.value(shared, offered, setting);
    let moves = matches!(
        action,
        Action::Open | Action::Flip | Action::Left | Action::Right
    );
    if moves && shared.studies.making().is_some() {
        // The command on the page is the one that runs.
        let text = "A study is being made as it was set; settings change when it has ended.";
        return shared.notes.say(Tone::Plain, text);
    }
    match (action, &setting.takes) {
        (Action::Open | Action::Flip | Action::Left | Action::Right, Takes::Switch) => {
            let on = value.is_empty().then(|| "on".to_owned());
            page.set(offered, setting, on);
        }
        (Action::Left | Action::Right | Action::Flip, Takes::Choice(all)) if !all.is_empty() => {
            let at = all.iter().position(|one| *one == value).unwrap_or(0);
            let step = match action {
                Action::Left => all.len() - 1,
                _ => 1,
            };
            let next = all.get((at + step) % all.len()).cloned();
            page.set(offered, setting, next);
        }
        (Action::Open, _) => page.field = Some(Field::replacing(&value)),
        (Action::Left | Action::Right | Action::Flip, _) => shared.notes.say(
            Tone::Plain,
            "Enter types a value; an empty one is the usual.",
        ),
        _ => page.row = moved(page.row, last, action),
    }
}

/// Sets what a refusal offers, and makes the study so.
fn make_smaller(page: &mut StudiesPage, shared: &mut Shared, offered: &Offered, out: &mut Out) {
    let less = page.smaller(offered);
    if less.is_empty() {
        let text = "Nothing smaller is offered; r makes the study as it is set.";
        return shared.notes.say(Tone::Plain, text);
    }
    for (setting, value) in less {
        page.set(offered, setting, Some(value));
    }
    let words = page.words(shared, offered);
    page.begin(shared, words, out);
}

/// Keys of what one found out.
pub(super) fn found(page: &mut StudiesPage, shared: &mut Shared, action: Action, out: &mut Out) {
    let (lines, room, shifts) = page.extent;
    let last = lines.saturating_sub(room);
    match action {
        Action::Left => page.shift = page.shift.saturating_sub(1),
        Action::Right => page.shift = (page.shift + 1).min(shifts),
        Action::PageUp => page.scroll = page.scroll.saturating_sub(room),
        Action::PageDown | Action::Flip => page.scroll = (page.scroll + room).min(last),
        Action::NextPart | Action::PreviousPart => {
            let all = terms(page, shared);
            let step = match action {
                Action::NextPart => 1,
                _ => all.saturating_sub(1),
            };
            page.figure = (page.figure + step) % all.max(1);
        }
        Action::Why => why(page, shared, out),
        Action::Run => {
            if let Some(Ok(kept)) = page.found(shared) {
                let words = split(&kept.command);
                page.begin(shared, words, out);
            }
        }
        _ => page.scroll = moved(page.scroll, last, action),
    }
}

/// Figures of the shown study whose terms can be seen.
fn terms(page: &StudiesPage, shared: &Shared) -> usize {
    match page.found(shared) {
        Some(Ok(kept)) => kept.findings.terms().len(),
        _ => 0,
    }
}

/// Opens the terms behind the figure that Tab chose.
fn why(page: &StudiesPage, shared: &mut Shared, out: &mut Out) {
    let Some(Ok(kept)) = page.found(shared).cloned() else {
        return;
    };
    let terms = kept.findings.terms();
    match terms.get(page.figure) {
        Some(term) => {
            let why = price(term.config).and_then(|cost| cost::why(&cost, &term.key()));
            shared.explain(why, out);
        }
        None => shared.notes.say(
            Tone::Plain,
            "None of these figures is kept with the terms of the cost model.",
        ),
    }
}

fn moved(at: usize, last: usize, action: Action) -> usize {
    match action {
        Action::Up => at.saturating_sub(1),
        Action::Down => at + 1,
        Action::PageUp => at.saturating_sub(8),
        Action::PageDown => at + 8,
        Action::Top => 0,
        Action::End => last,
        _ => at,
    }
    .min(last)
}
