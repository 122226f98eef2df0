//! The lesson reader and the exercise form: keys in, cells out.
//!
//! The course is a small one of the tests' own (`tests/data/reader`); what must
//! hold for every text is tried on the built-in course.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod blocks;
mod every;
mod form;
mod sections;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::cells;
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::study::Study;
use tinyllama_tutor::app::{Effect, Event, Look, Message, SheetRead, State, update};
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::course::{self, Course, Progress};
use tinyllama_tutor::tui::Painter;

pub(crate) struct Screen {
    pub(crate) state: State,
    pub(crate) effects: Vec<Effect>,
    pub(crate) painter: Painter,
}

impl Screen {
    pub(crate) fn with(course: Course, columns: u16, rows: u16) -> Self {
        let state = State::new((columns, rows), Look::default()).unwrap();
        let mut screen = Screen {
            state,
            effects: Vec::new(),
            painter: Painter::default(),
        };
        screen.tell(loaded(course));
        screen
    }

    /// The fixture course with its first lesson open.
    pub(crate) fn reader(columns: u16, rows: u16) -> Self {
        Screen::with(fixture(), columns, rows).press(&[ch('2')])
    }

    pub(crate) fn tell(&mut self, message: Message) {
        let effects = update(&mut self.state, Event { at: 0, message });
        self.effects.extend(effects);
        self.painter.fit(&mut self.state);
    }

    pub(crate) fn press(mut self, keys: &[Key]) -> Self {
        for k in keys {
            self.tell(Message::Key(*k));
        }
        self
    }

    /// So many milliseconds later.
    pub(crate) fn later(mut self, ms: u64) -> Self {
        let at = self.state.shared.now + ms;
        let message = Message::Tick;
        update(&mut self.state, Event { at, message });
        self
    }

    pub(crate) fn typed(self, text: &str) -> Self {
        let keys: Vec<Key> = text.chars().map(ch).collect();
        self.press(&keys)
    }

    pub(crate) fn rows(&self) -> Vec<String> {
        cells::rows(&self.painter, &self.state)
    }

    #[track_caller]
    pub(crate) fn shows(self, text: &str) -> Self {
        let rows = self.rows();
        assert!(
            rows.iter().any(|row| row.contains(text)),
            "“{text}” is not on the screen:\n{}",
            rows.join("\n")
        );
        self
    }

    #[track_caller]
    pub(crate) fn hides(self, text: &str) -> Self {
        let rows = self.rows();
        assert!(
            !rows.iter().any(|row| row.contains(text)),
            "“{text}” is on the screen:\n{}",
            rows.join("\n")
        );
        self
    }

    pub(crate) fn recorded(&self) -> Vec<course::Event> {
        let events = self.effects.iter().filter_map(|effect| match effect {
            Effect::Record(event) => Some(event.clone()),
            _ => None,
        });
        events.collect()
    }
}

pub(crate) const TAB: Key = key(Code::Tab);
pub(crate) const ENTER: Key = key(Code::Enter);
pub(crate) const ESC: Key = key(Code::Esc);
pub(crate) const RIGHT: Key = key(Code::Right);
pub(crate) const SPACE: Key = ch(' ');

/// The course of these tests.
fn fixture() -> Course {
    Course::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/reader"))
}

/// A course that was read, with the table of GPUs.
pub(crate) fn loaded(course: Course) -> Message {
    Message::Loaded(Box::new(Study {
        course: Arc::new(course),
        gpus: Some(Arc::new(GpuDatabase::embedded().unwrap())),
        loaded: true,
        ..Study::default()
    }))
}

/// A sheet that holds these answers, with nothing kept of its exercise.
pub(crate) fn sheet_read(id: &str, answers: BTreeMap<String, String>, again: bool) -> Message {
    let kept = Some(Progress::default());
    let read = SheetRead {
        answers,
        kept,
        again,
    };
    Message::Sheet(id.to_owned(), Box::new(read))
}
