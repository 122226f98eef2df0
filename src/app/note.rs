//! The message row: one message, replaced and never stacked; the last fifty
//! are kept.

use std::collections::VecDeque;

/// How a message is meant; each tone has a word of its own in the text, so
/// that colour is never needed to read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Said in passing.
    #[default]
    Plain,
    /// Something went well.
    Good,
    /// Something to look at.
    Warn,
    /// Something failed.
    Bad,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// How it is meant.
    pub tone: Tone,
    /// What is so, where, and the way out, in a sentence.
    pub text: String,
}

/// How many messages are kept.
pub const KEPT: usize = 50;

/// The message shown now and those before it.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    shown: Option<Note>,
    log: VecDeque<Note>,
}

impl Notes {
    /// Shows a message in place of the one before.
    pub fn say(&mut self, tone: Tone, text: impl Into<String>) {
        let note = Note {
            tone,
            text: text.into(),
        };
        if self.log.back() != Some(&note) {
            if self.log.len() == KEPT {
                self.log.pop_front();
            }
            self.log.push_back(note.clone());
        }
        self.shown = Some(note);
    }

    /// Keeps a message without showing it: a card says the same at length.
    pub fn keep(&mut self, tone: Tone, text: impl Into<String>) {
        let shown = self.shown.take();
        self.say(tone, text);
        self.shown = shown;
    }

    /// Takes the message off the row; it stays in the log.
    pub fn clear(&mut self) {
        self.shown = None;
    }

    /// The message on the row.
    pub fn shown(&self) -> Option<&Note> {
        self.shown.as_ref()
    }

    /// The last messages, oldest first.
    pub fn log(&self) -> impl DoubleEndedIterator<Item = &Note> + ExactSizeIterator {
        self.log.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifty_are_kept_and_the_same_is_not_kept_twice_running() {
        let mut notes = Notes::default();
        for i in 0..60 {
            notes.say(Tone::Plain, format!("message {i}"));
            notes.say(Tone::Plain, format!("message {i}"));
        }
        assert_eq!(notes.log().len(), KEPT);
        assert_eq!(
            notes.log().next().map(|n| n.text.as_str()),
            Some("message 10")
        );
        notes.clear();
        assert!(notes.shown().is_none());
        assert_eq!(notes.log().len(), KEPT);
    }
}
