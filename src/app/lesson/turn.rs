//! What keys do on the lesson page: turning pages, walking over live blocks.

use super::{Focus, focused, lesson, number, open, section, show};
use crate::keymap::Action;
use crate::message::Effect;
use crate::note::Tone;
use crate::page::Page;
use crate::state::State;
use crate::{exercise, lab, live};
use course::Block;

/// Acts on the lesson page.
pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    if state.reader.outline.is_some() {
        outline(state, action, effects);
        return;
    }
    match action {
        Action::NextPart | Action::PreviousPart => {
            walk_parts(state, action == Action::NextPart, effects);
        }
        Action::NextLesson | Action::PreviousLesson => {
            turn_lesson(state, action == Action::NextLesson, effects);
        }
        Action::Outline => state.reader.outline = Some(state.reader.section),
        _ => match state.reader.focus {
            Focus::Text => read(state, action, effects),
            Focus::Block(_) => live::act(state, action, effects),
            Focus::Lab => beside(state, action, effects),
        },
    }
}

/// The keys of the text: what turns pages and moves over them.
pub fn read(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    let reader = &mut state.reader;
    let last = reader.extent.lines.saturating_sub(reader.extent.room);
    match action {
        Action::Up => reader.scroll = reader.scroll.saturating_sub(1),
        Action::Down => reader.scroll = (reader.scroll + 1).min(last),
        Action::Left => reader.shift = reader.shift.saturating_sub(1),
        Action::Right => reader.shift = (reader.shift + 1).min(reader.extent.shift),
        Action::Top => reader.scroll = 0,
        Action::End => reader.scroll = last,
        Action::Flip | Action::PageDown => match reader.page_below() {
            Some(line) => reader.scroll = line.min(last),
            None => turn_section(state, true, effects),
        },
        Action::PageUp => match reader.page_above() {
            Some(line) => reader.scroll = line,
            None => turn_section(state, false, effects),
        },
        Action::Open => walk_parts(state, true, effects),
        Action::Run => state.notes.say(
            Tone::Plain,
            "Tab enters a live block; there r runs its plan.",
        ),
        _ => {}
    }
}

/// The lab beside the lesson answers the keys that it has on its own page.
fn beside(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::Open => state.go(Page::Lab),
        Action::PageUp => turn_section(state, false, effects),
        _ => lab::act(state, action, effects),
    }
}

fn turn_section(state: &mut State, forward: bool, effects: &mut Vec<Effect>) {
    let (at, section) = (state.reader.lesson, state.reader.section);
    let count = lesson(state).map_or(0, |l| l.sections.len());
    if forward {
        if section + 1 < count {
            show(state, at, section + 1, effects);
        } else if let Some(next) = state.study.lesson(at + 1) {
            let text = format!(
                "The end of this lesson. ] goes on with {} {}.",
                number(&next.id),
                next.title
            );
            state.notes.say(Tone::Plain, text);
        } else {
            state
                .notes
                .say(Tone::Plain, "The end of the course. 1 shows the contents.");
        }
    } else if section > 0 {
        show(state, at, section - 1, effects);
        // Back means: to the end of what was read before.
        state.reader.scroll = usize::MAX;
    }
}

fn turn_lesson(state: &mut State, forward: bool, effects: &mut Vec<Effect>) {
    let at = state.reader.lesson;
    let to = if forward {
        at.checked_add(1)
    } else {
        at.checked_sub(1)
    };
    match to.filter(|i| state.study.lesson(*i).is_some()) {
        Some(index) => {
            open(state, index, effects);
        }
        None => state.notes.say(
            Tone::Plain,
            if forward {
                "This is the last lesson. 1 shows the contents."
            } else {
                "This is the first lesson. 1 shows the contents."
            },
        ),
    }
}

/// Tab: text, live blocks, the lab where it stands beside, text.
fn walk_parts(state: &mut State, forward: bool, effects: &mut Vec<Effect>) {
    live::leave(state, effects);
    let blocks = section(state).map_or(0, |s| s.live().filter(|b| live::takes_keys(b)).count());
    let mut parts = vec![Focus::Text];
    parts.extend((0..blocks).map(Focus::Block));
    if state.two_panes() {
        parts.push(Focus::Lab);
    }
    let at = parts
        .iter()
        .position(|f| *f == state.reader.focus)
        .unwrap_or(0);
    let to = if forward {
        (at + 1) % parts.len()
    } else {
        (at + parts.len() - 1) % parts.len()
    };
    let focus = parts.get(to).copied().unwrap_or_default();
    if parts.len() == 1 {
        state
            .notes
            .say(Tone::Plain, "This section has no live block.");
    }
    state.reader.focus = focus;
    state.reader.reveal = true;
    if matches!(focus, Focus::Block(_)) {
        live::enter(state);
    }
}

fn outline(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    let last = lesson(state).map_or(0, |l| l.sections.len().saturating_sub(1));
    let at = state.reader.outline.unwrap_or(0).min(last);
    let to = match action {
        Action::Up => at.saturating_sub(1),
        Action::Down => (at + 1).min(last),
        Action::Top => 0,
        Action::End => last,
        Action::Open | Action::Flip => {
            show(state, state.reader.lesson, at, effects);
            return;
        }
        Action::Outline => {
            state.reader.outline = None;
            return;
        }
        _ => at,
    };
    state.reader.outline = Some(to);
}

/// `e` in a question opens its form. `false`: no question has the keys.
pub fn open_form(state: &mut State, effects: &mut Vec<Effect>) -> bool {
    let asked = focused(state).and_then(|(_, live)| match &live.content {
        Ok(Block::Question { exercise: id, key }) => {
            exercise::asked(state, &id.text, key.as_ref().map(|k| k.as_str()))
        }
        _ => None,
    });
    match asked {
        Some(asked) => {
            exercise::leave_field(state, effects);
            exercise::open(state, &asked, effects);
            true
        }
        None => false,
    }
}

/// Esc: out of what has the keys. `false`: the text had them.
pub fn leave(state: &mut State) -> bool {
    let reader = &mut state.reader;
    if reader.outline.take().is_some() {
        return true;
    }
    reader.leave_fields();
    std::mem::take(&mut reader.focus) != Focus::Text
}
