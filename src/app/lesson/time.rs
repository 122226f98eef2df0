//! Time with a lesson: the log is told while keys arrive, and works out the rest.

use crate::exercise;
use crate::message::{Effect, Millis};
use crate::page::Page;
use crate::state::State;
use course::Event;

/// Between two notes about one lesson: a write of the disk now and then, and
/// little is lost where the program is killed.
const BEAT: Millis = 30_000;

/// The lesson that was noted last, and when.
#[derive(Clone, Debug, Default)]
pub struct Beat(Option<(String, Millis)>);

/// A key was pressed. Where a lesson, or an exercise of one, is open, that is
/// noted at the first key and then twice a minute; silence is not noted, and the
/// log counts none that lasts.
pub fn key(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(lesson) = open(state) else { return };
    let now = state.now;
    let known = state.reader.beat.0.as_ref();
    if known.is_some_and(|(id, at)| *id == lesson && now < at + BEAT) {
        return;
    }
    state.reader.beat.0 = Some((lesson.clone(), now));
    effects.push(Effect::Record(Event::Worked { lesson }));
}

/// The workshop is left: what came since the last note is noted.
pub fn left(state: &State, effects: &mut Vec<Effect>) {
    if let Some((lesson, at)) = &state.reader.beat.0
        && *at < state.now
    {
        let lesson = lesson.clone();
        effects.push(Effect::Record(Event::Worked { lesson }));
    }
}

/// The lesson that is worked on.
fn open(state: &State) -> Option<String> {
    if state.page == Page::Exercises && state.exercises.form.is_some() {
        let exercise = exercise::shown(state)?;
        return exercise.lesson.as_ref().map(|lesson| lesson.text.clone());
    }
    let read = state.reader.opened.then(|| super::lesson(state)).flatten();
    read.map(|lesson| lesson.id.clone())
}
