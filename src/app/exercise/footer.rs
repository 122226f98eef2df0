//! The keys that the footer names on the exercise page.

use super::{current, key_of};
use crate::app::keymap::{Action, FooterItem};
use crate::app::page::Page;
use crate::app::state::State;
use crate::course::Kind;

/// The keys that the footer names now.
pub fn footer(state: &State) -> &'static [FooterItem] {
    match state.exercises.form {
        None => LIST,
        Some(_) if state.exercises.field.is_some() => FIELD,
        Some(_) => match current(state).and_then(|a| key_of(state, &a).map(|k| k.kind)) {
            Some(Kind::Choice | Kind::Choices | Kind::Ranking) => CHOICE,
            _ => FORM,
        },
    }
}

/// Keys of the list.
const LIST: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "exercise"),
    (&[Action::Open], "open"),
    (&[Action::Go(Page::Home)], "contents"),
    (&[Action::Find], "find"),
    (&[Action::Palette], "do"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys of the form on a number, outside its field.
const FORM: &[FooterItem] = &[
    (&[Action::Open], "type, check"),
    (&[Action::Up, Action::Down], "question"),
    (&[Action::Hint], "hint"),
    (&[Action::Solution], "solution"),
    (&[Action::Run], "run"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys while an answer or a prediction is typed.
const FIELD: &[FooterItem] = &[
    (&[Action::Open], "check"),
    (&[Action::NextPart], "next field"),
    (
        &[Action::Back],
        "leave field (then h hint, s solution, ? help)",
    ),
];

/// Keys of the form on options.
const CHOICE: &[FooterItem] = &[
    (&[Action::Left, Action::Right], "option"),
    (&[Action::Flip], "mark"),
    (&[Action::Open], "check"),
    (&[Action::Up, Action::Down], "question"),
    (&[Action::Hint], "hint"),
    (&[Action::Solution], "solution"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];
