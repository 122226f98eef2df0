//! The lines that layout yields, and the text that values get in them.

use super::clean;
use super::span::{Line, LineKind, Role, Span};

/// What a value says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The number with its unit, or what is wrong with the expression.
    pub text: String,
    /// [`Role::Value`], [`Role::Error`] or a role of the caller's choice.
    pub role: Role,
}

impl Resolved {
    /// A computed number.
    pub fn value(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            role: Role::Value,
        }
    }

    /// What is wrong, to be seen in the number's place.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            role: Role::Error,
        }
    }

    /// The text on one line and safe to show.
    pub(super) fn clean(&self, ascii: bool) -> String {
        let text = clean::clean(&self.text).replace(['\n', '\t'], " ");
        if ascii {
            clean::ascii(&text).into_owned()
        } else {
            text
        }
    }
}

/// Lines of a section or of blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// From top to bottom.
    pub lines: Vec<Line>,
    /// Largest [`Layout::shift`](super::Layout::shift) that shows something new; 0 if all fits.
    pub max_shift: usize,
}

impl Page {
    /// The lines without roles; a live block is shown as `[live 0]`.
    pub fn text(&self) -> String {
        let lines: Vec<String> = self
            .lines
            .iter()
            .map(|line| match line.kind {
                LineKind::Live(index) => format!("[live {index}]"),
                _ => line.text(),
            })
            .collect();
        lines.join("\n")
    }

    pub(super) fn add(&mut self, line: Line) {
        self.lines.push(line);
    }

    pub(super) fn append(&mut self, other: Page) {
        self.lines.extend(other.lines);
        self.max_shift = self.max_shift.max(other.max_shift);
    }

    /// Puts `first` before the first line and `rest` before the others.
    pub(super) fn behind(mut self, first: &Span, rest: &Span) -> Self {
        for (i, line) in self.lines.iter_mut().enumerate() {
            let prefix = if i == 0 { first } else { rest };
            let empty = line.spans.is_empty() && prefix.text.trim().is_empty();
            if !empty && !matches!(line.kind, LineKind::Live(_)) {
                line.spans.insert(0, prefix.clone());
            }
        }
        self
    }

    pub(super) fn behind_if(self, indented: bool, indent: &Span) -> Self {
        if indented {
            self.behind(indent, indent)
        } else {
            self
        }
    }
}
