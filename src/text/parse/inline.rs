//! Words and what stands among them.

use super::{Builder, DEEPEST};
use crate::element::{Element, Inline, Place, Text, Value};
use std::ops::Range;

/// An open inline element, with what it holds so far.
pub(super) struct Open {
    kind: OpenKind,
    pub(super) text: Text,
}

pub(super) enum OpenKind {
    /// A paragraph, heading or cell.
    Base,
    Strong,
    Emphasis,
    Link {
        target: String,
        image: bool,
    },
    /// Too deep, or a kind that has no look of its own.
    Through,
}

impl Builder<'_> {
    pub(super) fn base(&mut self, place: Place) {
        self.begin = place;
        self.inlines = vec![Open {
            kind: OpenKind::Base,
            text: Vec::new(),
        }];
    }

    pub(super) fn open(&mut self, kind: OpenKind, range: Range<usize>) {
        self.ensure_base(&range);
        let deep = self.inlines.len() > DEEPEST;
        let kind = if deep { OpenKind::Through } else { kind };
        self.inlines.push(Open {
            kind,
            text: Vec::new(),
        });
    }

    pub(super) fn close_inline(&mut self, range: &Range<usize>) {
        let Some(Open { kind, text }) = self.inlines.pop() else {
            return;
        };
        let Some(parent) = self.inlines.last_mut() else {
            return;
        };
        match kind {
            OpenKind::Strong => parent.text.push(Inline::Strong(text)),
            OpenKind::Emphasis => parent.text.push(Inline::Emphasis(text)),
            OpenKind::Link { target, image } => {
                let written = self.places.source(range).rfind("](");
                let at = written.map_or(range.start, |at| range.start + at + 2);
                let place = self.places.at(at);
                parent.text.push(Inline::Link {
                    text,
                    target,
                    place,
                    image,
                });
            }
            OpenKind::Base | OpenKind::Through => parent.text.extend(text),
        }
    }

    /// The words of a tight item come without a paragraph around them.
    pub(super) fn ensure_base(&mut self, range: &Range<usize>) {
        if self.inlines.is_empty() {
            let place = self.place(range.start);
            self.base(place);
        }
    }

    pub(super) fn inline(&mut self, inline: Inline, range: Range<usize>) {
        self.ensure_base(&range);
        if let Some(open) = self.inlines.last_mut() {
            open.text.push(inline);
        }
    }

    pub(super) fn words(&mut self, words: &str, range: Range<usize>) {
        self.ensure_base(&range);
        let place = self.place(range.start);
        let Some(open) = self.inlines.last_mut() else {
            return;
        };
        match open.text.last_mut() {
            Some(Inline::Words { text, .. }) => text.push_str(words),
            _ => open.text.push(Inline::Words {
                text: words.to_owned(),
                place,
            }),
        }
    }

    pub(super) fn inline_code(&mut self, text: String, range: &Range<usize>) -> Inline {
        let raw = self.places.source(range);
        let inside = raw.trim_start_matches('`');
        match text.strip_prefix("= ").map(str::trim) {
            Some(expression) if !expression.is_empty() => {
                let rest = inside.trim_start().trim_start_matches('=').trim_start();
                let place = self.place(range.start + (raw.len() - rest.len()));
                Inline::Value(Value {
                    expression: expression.to_owned(),
                    place,
                    span: range.clone(),
                })
            }
            _ => {
                let place = self.place(range.start + (raw.len() - inside.len()));
                Inline::Code { text, place }
            }
        }
    }

    /// Mathematics between `$$` stands on lines of its own where it can: it
    /// parts a paragraph, but neither a heading nor a cell.
    pub(super) fn display_math(&mut self, text: String, range: Range<usize>) {
        let formula = self.formula(&text, range.start + 2);
        let in_line = self.inlines.len() > 1 || !self.table.alignments.is_empty();
        if in_line {
            return self.inline(Inline::Math(formula), range);
        }
        self.close_paragraph();
        let begin = self.place(range.start);
        self.block(begin, Element::Math(formula));
        let rest = self.place(range.end);
        self.base(rest);
    }

    /// Ends what inline elements are open and yields the words.
    pub(super) fn take_text(&mut self) -> Text {
        while self.inlines.len() > 1 {
            self.close_inline(&(0..0));
        }
        self.inlines.pop().map(|open| open.text).unwrap_or_default()
    }

    pub(super) fn close_paragraph(&mut self) {
        if self.inlines.is_empty() {
            return;
        }
        let text = self.take_text();
        let blank = text.iter().all(|inline| match inline {
            Inline::Words { text, .. } => text.trim().is_empty(),
            Inline::Break => true,
            _ => false,
        });
        if !blank {
            self.block(self.begin, Element::Paragraph(text));
        }
    }
}
