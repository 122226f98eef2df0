//! Words into lines of at most a given width.

use super::clean;
use super::element::Inline;
use super::math::Style;
use super::span::{Role, Span, push, width};
use unicode_segmentation::UnicodeSegmentation;

/// Words with roles, ready to be broken into lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    /// Spans without a place to break, save the spaces in them if need be.
    Word(Vec<Span>),
    /// A space, which a line break may replace.
    Space(Role),
    /// A line break that was asked for.
    Break,
}

impl Flow {
    /// The words of `text`; what has no role of its own gets `role`.
    pub(super) fn of(text: &[Inline], role: Role, style: &Style<'_>) -> Self {
        let mut flow = Flow::default();
        flow.inlines(text, role, style);
        flow
    }

    fn inlines(&mut self, text: &[Inline], role: Role, style: &Style<'_>) {
        // A heading stays a heading; within running text the inner role wins.
        let inner = |own| if role == Role::Text { own } else { role };
        for inline in text {
            match inline {
                Inline::Words { text, .. } => self.words(text, role, style),
                Inline::Code { text, .. } => self.words(text, inner(Role::Code), style),
                Inline::Value(value) => {
                    let shown = (style.resolve)(value);
                    self.glued(&shown.clean(style.ascii), shown.role);
                }
                Inline::Math(formula) => {
                    for span in formula.line(style) {
                        let own = span.role;
                        self.glued(&span.text, if own == Role::Text { role } else { own });
                    }
                }
                Inline::Strong(text) => self.inlines(text, inner(Role::Strong), style),
                Inline::Emphasis(text) => self.inlines(text, inner(Role::Emphasis), style),
                Inline::Link { text, target, .. } => {
                    self.inlines(text, inner(Role::Link), style);
                    if target.contains("://") && super::element::words(text) != *target {
                        self.words(&format!(" ({target})"), Role::Dim, style);
                    }
                }
                Inline::Break => self.pieces.push(Piece::Break),
            }
        }
    }

    /// Words that may be parted at their spaces.
    pub(super) fn words(&mut self, text: &str, role: Role, style: &Style<'_>) {
        let folded;
        let text = if style.ascii {
            folded = clean::ascii(text);
            &folded
        } else {
            text
        };
        // Only these part words: a no-break space does not.
        for part in text.split_inclusive([' ', '\n', '\t']) {
            let word = part.trim_end_matches([' ', '\n', '\t']);
            self.glued(word, role);
            if word.len() < part.len() {
                self.pieces.push(Piece::Space(role));
            }
        }
    }

    /// Text that is kept on one line where it fits, spaces and all.
    fn glued(&mut self, text: &str, role: Role) {
        if text.is_empty() {
            return;
        }
        if let Some(Piece::Word(spans)) = self.pieces.last_mut() {
            push(spans, text, role);
        } else {
            self.pieces.push(Piece::Word(vec![Span::new(text, role)]));
        }
    }

    /// Goes on with the words of `other`.
    pub(super) fn append(&mut self, other: Flow) {
        self.pieces.extend(other.pieces);
    }

    /// All on one line, asked-for breaks as spaces.
    pub(super) fn line(&self) -> Vec<Span> {
        let mut out = Vec::new();
        let mut space = None;
        for piece in &self.pieces {
            match piece {
                Piece::Word(spans) => {
                    if let Some(role) = space.take()
                        && !out.is_empty()
                    {
                        push(&mut out, " ", role);
                    }
                    spans.iter().for_each(|s| push(&mut out, &s.text, s.role));
                }
                Piece::Space(role) => space = Some(*role),
                Piece::Break => space = Some(Role::Text),
            }
        }
        out
    }

    /// Lines of at most `columns` columns, at least one. Greedy: what a reader
    /// of a terminal expects, and a change moves only what follows it.
    pub(super) fn wrap(&self, columns: usize) -> Vec<Vec<Span>> {
        let mut lines = Lines {
            columns: columns.max(1),
            done: Vec::new(),
            open: Vec::new(),
            used: 0,
        };
        let mut space = None;
        for piece in &self.pieces {
            match piece {
                Piece::Word(spans) => lines.word(spans, space.take()),
                Piece::Space(role) => space = Some(*role),
                Piece::Break => {
                    lines.end();
                    space = None;
                }
            }
        }
        if lines.used > 0 || !lines.open.is_empty() || lines.done.is_empty() {
            lines.end();
        }
        lines.done
    }
}

struct Lines {
    columns: usize,
    done: Vec<Vec<Span>>,
    open: Vec<Span>,
    used: usize,
}

impl Lines {
    fn word(&mut self, spans: &[Span], space: Option<Role>) {
        let w: usize = spans.iter().map(|s| width(&s.text)).sum();
        let gap = usize::from(space.is_some() && self.used > 0);
        if self.used + gap + w <= self.columns {
            if gap > 0 {
                push(&mut self.open, " ", space.unwrap_or_default());
            }
            spans
                .iter()
                .for_each(|s| push(&mut self.open, &s.text, s.role));
            self.used += gap + w;
        } else if w <= self.columns {
            self.end();
            spans
                .iter()
                .for_each(|s| push(&mut self.open, &s.text, s.role));
            self.used = w;
        } else {
            self.long(spans, space);
        }
    }

    /// A word longer than a line: parted at its own spaces, else anywhere.
    fn long(&mut self, spans: &[Span], space: Option<Role>) {
        let mut parts: Vec<(Vec<Span>, Option<Role>)> = vec![(Vec::new(), space)];
        for span in spans {
            for (i, part) in span.text.split(' ').enumerate() {
                if i > 0 {
                    parts.push((Vec::new(), Some(span.role)));
                }
                if let Some((last, _)) = parts.last_mut() {
                    push(last, part, span.role);
                }
            }
        }
        if parts.len() > 1 {
            // Each part holds no space, so this ends.
            for (part, space) in parts.into_iter().filter(|(part, _)| !part.is_empty()) {
                self.word(&part, space);
            }
            return;
        }
        if self.used > 0 {
            self.end();
        }
        for span in spans {
            for grapheme in span.text.graphemes(true) {
                // Two columns do not fit into one.
                let (grapheme, w) = match width(grapheme) {
                    w if w > self.columns => ("?", 1),
                    w => (grapheme, w),
                };
                if self.used + w > self.columns {
                    self.end();
                }
                push(&mut self.open, grapheme, span.role);
                self.used += w;
            }
        }
    }

    fn end(&mut self) {
        self.done.push(std::mem::take(&mut self.open));
        self.used = 0;
    }
}
