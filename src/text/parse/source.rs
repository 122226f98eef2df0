//! Text on its way into the markdown parser and out of it.

use crate::clean::clean;
use crate::element::Place;
use std::borrow::Cow;
use std::ops::Range;

/// Stands for `|` within a value while the text is split into table cells.
const BAR: char = '\u{1f}';

/// The text as the markdown parser gets it, with characters only exchanged one
/// for one, so that places stay true. A value's `|` must not end a table cell.
pub(super) fn prepare(text: &str) -> Cow<'_, str> {
    let text: Cow<'_, str> = if text.contains(['\r', BAR, '\0']) {
        let unix = text.replace("\r\n", "\n");
        Cow::Owned(unix.replace(['\r', BAR, '\0'], "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    };
    if !text.contains("`= ") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while let Some((before, value)) = rest.split_once("`= ") {
            let end = value.find('`').unwrap_or(0);
            let (inside, after) = value.split_at(end);
            out.push_str(before);
            out.push_str("`= ");
            let mut last = ' ';
            for c in inside.chars() {
                // `\|` is how markdown itself asks for a bar in a cell.
                out.push(if c == '|' && last != '\\' { BAR } else { c });
                last = c;
            }
            rest = after;
            if end == 0 {
                break;
            }
            out.push('`');
            rest = rest.get(1..).unwrap_or("");
        }
        out.push_str(rest);
    }
    Cow::Owned(out)
}

/// Text as the reader may see it: bars restored, control characters visible.
/// Entities are decoded by now, so `&#27;` is caught as well.
pub(super) fn shown(text: &str) -> String {
    clean(&text.replace(BAR, "|")).into_owned()
}

/// Byte offsets to places. They are asked for almost in order, so a cursor is
/// all that is kept.
pub(super) struct Places<'a> {
    source: &'a str,
    first: Place,
    cursor: (usize, Place),
}

impl<'a> Places<'a> {
    /// For `source`, which begins at `first` of its file.
    pub(super) fn new(source: &'a str, first: Place) -> Self {
        Self {
            source,
            first,
            cursor: (0, first),
        }
    }

    /// The place of the character at `offset`.
    pub(super) fn at(&mut self, offset: usize) -> Place {
        if offset < self.cursor.0 {
            self.cursor = (0, self.first);
        }
        let (from, place) = self.cursor;
        let place = place.after(self.source.get(from..offset).unwrap_or(""));
        self.cursor = (offset, place);
        place
    }

    /// The source of an event.
    pub(super) fn source(&self, range: &Range<usize>) -> &'a str {
        self.source.get(range.clone()).unwrap_or("")
    }
}
