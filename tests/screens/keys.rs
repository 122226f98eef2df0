//! One meaning per key: what is asked and has the keys takes what is typed; Space,
//! Enter and Esc mean the same in every block; what is right stays.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod blocks;
mod forms;
mod moves;
mod path;
mod seen;
mod stays;
mod typed;

use super::reader::{ENTER, Screen};
use tinyllama_tutor::app::Effect;
use tinyllama_tutor::app::key::ch;
use tinyllama_tutor::course::Course;

/// The form of ex1 with its first question under the cursor.
pub(crate) fn form() -> Screen {
    Screen::reader(80, 24).press(&[ch('e'), ENTER])
}

/// What was last to be kept of a question.
pub(crate) fn kept(s: &Screen, name: &str) -> Option<String> {
    let kept = s.effects.iter().rev().find_map(|effect| match effect {
        Effect::SaveAnswer { key, typed, .. } if key == name => Some(typed.clone()),
        _ => None,
    });
    kept.clone()
}

/// The built-in course on its contents page.
fn home(columns: u16, rows: u16) -> Screen {
    Screen::with(Course::built_in(), columns, rows)
}
