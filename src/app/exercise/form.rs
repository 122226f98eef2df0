//! What the keys do in a form: between its questions, over its lines, and with the question
//! under the cursor.

use super::{Exercises, current, shown, titled, variant};
use crate::answering::{self, grid};
use crate::intent::Out;
use crate::keymap::Action;
use crate::note::Tone;
use crate::onward;
use crate::shared::Shared;
use course::{Exercise, Key};

/// What the questions of an exercise ask, as they are searched: the first is also found by
/// the name of the exercise.
pub(super) fn asks(exercise: &Exercise) -> Vec<String> {
    let ask = |(row, key): (usize, &Key)| {
        let named = if row == 0 {
            titled(exercise)
        } else {
            String::new()
        };
        format!("{named} {} {}", key.name.text, key.ask.text)
    };
    exercise.keys.iter().enumerate().map(ask).collect()
}

/// Puts the cursor on a question.
pub(super) fn to(page: &mut Exercises, shared: &mut Shared, row: usize) {
    if let Some(form) = &mut page.form {
        form.row = row;
    }
    shared.questions.reveal = true;
    drop(answering::forget_draft(shared));
    shared.questions.disarm();
}

/// Acts on the form.
pub(super) fn act(page: &mut Exercises, shared: &mut Shared, action: Action, out: &mut Out) {
    let rows = shown(page, shared).map_or(0, |e| e.keys.len());
    let last = rows.saturating_sub(1);
    let (lines, room) = page.extent;
    let end = lines.saturating_sub(room);
    let moved = |page: &mut Exercises, shared: &mut Shared, row: fn(usize, usize) -> usize| {
        let at = page.form.as_ref().map_or(0, |form| form.row);
        to(page, shared, row(at, last));
    };
    let scrolled = |page: &mut Exercises, to: &dyn Fn(usize) -> usize| {
        if let Some(form) = &mut page.form {
            form.scroll = to(form.scroll).min(end);
        }
    };
    if action != Action::Variant {
        shared.questions.varying = None;
    }
    shared.questions.resetting = None;
    if matches!(action, Action::Up | Action::Down)
        && let Some(asked) = current(page, shared)
        && (grid::row(shared, &asked, action == Action::Up)
            || answering::line(shared, &asked, action == Action::Up))
    {
        return;
    }
    let follows = page.follows();
    match action {
        Action::Variant => variant::next(page, shared, out),
        Action::PathBack if follows => {
            if let Some(asked) = current(page, shared) {
                onward::back(shared, &asked, out);
            }
        }
        Action::Up => moved(page, shared, |row, _| row.saturating_sub(1)),
        Action::Down => moved(page, shared, |row, last| (row + 1).min(last)),
        Action::NextPart => moved(
            page,
            shared,
            |row, last| if row < last { row + 1 } else { 0 },
        ),
        Action::PreviousPart => moved(page, shared, |row, last| row.checked_sub(1).unwrap_or(last)),
        Action::Top => moved(page, shared, |_, _| 0),
        Action::End => moved(page, shared, |_, last| last),
        Action::PageDown => scrolled(page, &|s| s + room.saturating_sub(1)),
        Action::PageUp | Action::PathBack => {
            scrolled(page, &|s| s.saturating_sub(room.saturating_sub(1)));
        }
        _ => {
            let Some(asked) = current(page, shared) else {
                return;
            };
            // What is acted upon is seen, and what is graded before that.
            let comes = std::mem::replace(&mut shared.questions.reveal, true);
            let answered = !answering::now(shared, &asked).is_empty();
            if action == Action::Open && answered && !comes && page.out_of_view() {
                let text = "This is the question with the keys: Enter again acts on it.";
                shared.notes.say(Tone::Plain, text);
                return;
            }
            // A solution that was looked at is not asked for any more: nothing is marked.
            let given_up = shared
                .study
                .progress
                .key(&asked.exercise, &asked.key)
                .given_up;
            let through = follows && given_up && !onward::is_next(shared, &asked);
            if action == Action::Flip && through {
                onward::forth(shared, &asked, out);
                return;
            }
            if answering::question(shared, &asked, action, out) || action != Action::Flip {
                return;
            }
            if follows && onward::is_next(shared, &asked) {
                let text = "The path asks this: Enter checks, s twice shows it solved.";
                shared.notes.say(Tone::Plain, text);
            } else if follows {
                onward::forth(shared, &asked, out);
            } else {
                match answering::next_open(shared, &asked) {
                    Some(next) => to(page, shared, next),
                    None => shared.notes.say(
                        Tone::Plain,
                        "No other question of this exercise is open. Esc leads back.",
                    ),
                }
            }
        }
    }
}
