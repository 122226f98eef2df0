//! The keys that the footer names on the lesson page: those of whatever has the
//! keys now.

use super::{Focus, focused};
use crate::app::keymap::{Action, FooterItem};
use crate::app::live::predict;
use crate::app::page::Page;
use crate::app::state::State;

/// The keys that the footer names now.
pub fn footer(state: &State) -> &'static [FooterItem] {
    match state.reader.focus {
        _ if state.reader.outline.is_some() => OUTLINE,
        Focus::Text => TEXT,
        Focus::Block(_) if state.typing() => TYPING,
        Focus::Block(_) => block_footer(state),
        Focus::Lab => LAB,
    }
}

fn block_footer(state: &State) -> &'static [FooterItem] {
    let Some((lesson, live)) = focused(state) else {
        return TEXT;
    };
    if predict::open(&state.study.progress, lesson, live).is_some() {
        return PREDICT;
    }
    match live.kind.as_str() {
        "lab" => BLOCK,
        "steps" => STEPS,
        "question" => QUESTION,
        _ => SHOWN,
    }
}

/// Keys that the footer names.
const TEXT: &[FooterItem] = &[
    (&[Action::Flip], "next"),
    (&[Action::PageUp], "back"),
    (&[Action::NextPart], "live block"),
    (&[Action::PreviousLesson, Action::NextLesson], "lesson"),
    (&[Action::Outline], "outline"),
    (&[Action::Find], "find"),
    (&[Action::Quit], "leave"),
    (&[Action::Help], "help"),
];

/// Keys of a block that waits for a prediction.
const PREDICT: &[FooterItem] = &[
    (&[Action::Open], "type your number"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a `lab` block.
const BLOCK: &[FooterItem] = &[
    (&[Action::Flip], "flip"),
    (&[Action::Up, Action::Down], "fusion"),
    (&[Action::Undo], "undo"),
    (&[Action::Run], "run"),
    (&[Action::Open], "lab"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a `compare` or `ribbon` block.
const SHOWN: &[FooterItem] = &[
    (&[Action::Open], "open"),
    (&[Action::Run], "run"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys of a `steps` block.
const STEPS: &[FooterItem] = &[
    (&[Action::Flip], "next step"),
    (&[Action::Up], "step back"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys while something is typed in a block.
const TYPING: &[FooterItem] = &[
    (&[Action::Open], "keep, check"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "leave the field"),
];

/// Keys of a question.
const QUESTION: &[FooterItem] = &[
    (&[Action::Open], "type, check"),
    (&[Action::Left, Action::Right], "option"),
    (&[Action::Flip], "mark"),
    (&[Action::Go(Page::Exercises)], "form, hints"),
    (&[Action::NextPart], "next part"),
    (&[Action::Back], "text"),
    (&[Action::Help], "help"),
];

/// Keys while the outline is open.
const OUTLINE: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "section"),
    (&[Action::Open], "go there"),
    (&[Action::Back], "close"),
    (&[Action::Help], "help"),
];

/// Keys while the lab beside the lesson has them.
const LAB: &[FooterItem] = &[
    (&[Action::Flip], "flip"),
    (&[Action::Up, Action::Down], "fusion"),
    (&[Action::NextVersion], "version"),
    (&[Action::Undo], "undo"),
    (&[Action::Run], "run"),
    (&[Action::Open], "lab"),
    (&[Action::NextPart], "lesson"),
    (&[Action::Help], "help"),
];
