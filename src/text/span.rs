//! What layout yields: lines of spans, each with a neutral role.

use super::element::Place;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The meaning of a span. A theme gives it a colour; without colour the text
/// must do alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// Running text, in the terminal's own colour.
    #[default]
    Text,
    /// In second place: heads of tables, bullets, marks of clipped text.
    Dim,
    /// What the eye should find first.
    Accent,
    /// `**strong**`.
    Strong,
    /// `*emphasis*`.
    Emphasis,
    /// Code, inline or in a block, that has no finer role.
    Code,
    /// Title of a section or a smaller heading.
    Heading,
    /// The text of a link.
    Link,
    /// A number that was computed, not typed.
    Value,
    /// A keyword of the code's language.
    Keyword,
    /// A type of the code's language.
    Type,
    /// What the language brings along: an intrinsic, a variable of the thread.
    Builtin,
    /// A number in code.
    Number,
    /// A comment in code.
    Comment,
    /// A string in code.
    String,
    /// A fault of the lesson, shown in its place.
    Error,
}

/// Text of one role on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The characters, free of control characters.
    pub text: String,
    /// Their meaning.
    pub role: Role,
}

impl Span {
    /// A span of `text` in `role`.
    pub fn new(text: impl Into<String>, role: Role) -> Self {
        Self {
            text: text.into(),
            role,
        }
    }
}

/// What a line is part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineKind {
    /// Anything that is read from left to right and fits.
    #[default]
    Text,
    /// A line of code; `width` is that of the whole source line in columns.
    Code {
        /// Columns of the line before clipping.
        width: usize,
    },
    /// A row of a table.
    Table {
        /// Columns of the table that this page does not show.
        hidden: usize,
    },
    /// Stands for the live block of this index, whose height the screen knows.
    Live(usize),
}

/// One line of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// What the line is part of.
    pub kind: LineKind,
    /// Its text from left to right.
    pub spans: Vec<Span>,
    /// Where its element stands in the lesson file.
    pub place: Place,
}

impl Line {
    /// A line of `spans`, of an element at `place`.
    pub(super) fn new(spans: Vec<Span>, place: Place) -> Self {
        Self {
            kind: LineKind::Text,
            spans,
            place,
        }
    }

    /// The text without roles.
    pub fn text(&self) -> String {
        self.spans.iter().map(|s| s.text.as_str()).collect()
    }

    /// Columns that the line takes on a screen.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|s| width(&s.text)).sum()
    }
}

/// Columns that `text` takes: the sum over its graphemes, which is how a
/// screen made of cells counts.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// The columns `from .. from + columns` of `spans`. A mark stands in the first
/// or last of them where text is cut on that side; a wide character that is
/// cut in two gives way to a space.
///
/// `ascii` chooses the marks `<` and `>` over `◄` and `►`.
pub fn clip(spans: &[Span], from: usize, columns: usize, ascii: bool) -> Vec<Span> {
    let total: usize = spans.iter().map(|s| width(&s.text)).sum();
    if from == 0 && total <= columns {
        return spans.to_vec();
    }
    let (left_mark, right_mark) = if ascii { ("<", ">") } else { ("◄", "►") };
    let cut_left = from > 0 && total > 0 && columns > 0;
    let cut_right = total > from + columns && columns > usize::from(cut_left);
    let first = from + usize::from(cut_left);
    let last = (from + columns) - usize::from(cut_right);

    let mut out: Vec<Span> = Vec::new();
    if cut_left {
        out.push(Span::new(left_mark, Role::Dim));
    }
    let mut at = 0;
    for span in spans {
        let mut text = String::new();
        for g in span.text.graphemes(true) {
            let (start, end) = (at, at + width(g));
            at = end;
            if start >= first && end <= last {
                text.push_str(g);
            } else {
                let seen = end.min(last).saturating_sub(start.max(first));
                text.extend(std::iter::repeat_n(' ', seen));
            }
        }
        push(&mut out, text, span.role);
    }
    if cut_right {
        out.push(Span::new(right_mark, Role::Dim));
    }
    out
}

/// Appends `text`, joining it to the last span when the role is the same.
pub(super) fn push(spans: &mut Vec<Span>, text: impl AsRef<str>, role: Role) {
    let text = text.as_ref();
    if text.is_empty() {
        return;
    }
    match spans.last_mut() {
        Some(last) if last.role == role => last.text.push_str(text),
        _ => spans.push(Span::new(text, role)),
    }
}

/// `n` spaces.
pub(super) fn blanks(n: usize) -> String {
    " ".repeat(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, from: usize, columns: usize) -> String {
        let spans = clip(&[Span::new(text, Role::Code)], from, columns, false);
        spans.iter().map(|s| s.text.as_str()).collect()
    }

    #[test]
    fn clipping_marks_the_side_that_was_cut() {
        assert_eq!(shown("abcdef", 0, 6), "abcdef");
        assert_eq!(shown("abcdef", 0, 4), "abc►");
        assert_eq!(shown("abcdef", 2, 4), "◄def");
        assert_eq!(shown("abcdef", 1, 3), "◄c►");
        assert_eq!(shown("abcdef", 9, 3), "◄");
        assert_eq!(shown("", 3, 3), "");
        assert_eq!(shown("abc", 0, 0), "");
    }

    #[test]
    fn a_wide_character_is_never_halved() {
        assert_eq!(shown("a漢b", 0, 3), "a ►");
        assert_eq!(width("a漢b"), 4);
    }
}
