//! A solution: one derivation per key, numbers filled in when shown.

use super::bounds::bounded;
use super::document::stretches;
use super::fault::Fault;
use super::number::Inline;
use super::text::Text;
use crate::answer::Key;

/// The worked solution of an exercise.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Id of the exercise.
    pub id: String,
    /// One part per key, in order.
    pub parts: Vec<Derivation>,
    /// Markdown before the first key.
    pub opening: String,
    /// Everything that is wrong with the file.
    pub faults: Vec<Fault>,
    /// The text itself, cleaned.
    pub text: Text,
}

/// How the answer to one key comes about.
#[derive(Debug, Clone, PartialEq)]
pub struct Derivation {
    /// Name of the key, as the heading gives it.
    pub key: String,
    /// Line of the heading.
    pub line: usize,
    /// Markdown.
    pub body: String,
    /// Line of the first character of `body`.
    pub body_line: usize,
    /// Its inline numbers, to be evaluated in the key's configuration.
    pub numbers: Vec<Inline>,
}

/// Where the derivation of an answer stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Worked {
    /// In the solution, under the key's name.
    #[default]
    Named,
    /// In the solution, under the name that the key has in the first task.
    Under(String),
    /// Here: the question was drawn.
    Here(Derivation),
}

impl Solution {
    /// Reads a solution. Never fails: what is wrong is in [`Solution::faults`].
    pub fn read(id: &str, file: &str, raw: &str) -> Self {
        let (text, mut faults) = Text::new(file, raw);
        let whole = bounded(&text, 0..text.body().len(), &mut faults);
        let mut opening = String::new();
        let mut parts = Vec::new();
        for heading in stretches(&text, whole, &[]) {
            let written = text.slice(heading.content.clone());
            let shown = written.trim_start();
            let start = heading.content.start + written.len() - shown.len();
            let body = shown.trim_end().to_owned();
            if heading.title.is_empty() {
                opening = body;
                continue;
            }
            let inside = ::text::Section {
                heading: Vec::new(),
                ..heading.drawn
            };
            parts.push(Derivation {
                key: heading.title,
                line: heading.line,
                body,
                body_line: text.place(start).line,
                numbers: inside.values().into_iter().map(Inline::of).collect(),
            });
        }
        Self {
            id: id.to_owned(),
            parts,
            opening,
            faults,
            text,
        }
    }

    /// The derivation of a question, which a drawn one carries itself.
    pub fn of<'s>(&'s self, key: &'s Key) -> Option<&'s Derivation> {
        match &key.worked {
            Worked::Here(derivation) => Some(derivation),
            Worked::Under(name) => self.part(name),
            Worked::Named => self.part(&key.name.text),
        }
    }

    /// The derivation under a heading.
    pub fn part(&self, key: &str) -> Option<&Derivation> {
        self.parts.iter().find(|part| part.key == key)
    }
}
