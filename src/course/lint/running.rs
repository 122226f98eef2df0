//! Running words: what a text says itself, without what it quotes, computes or
//! shows as code.

use crate::fault::Place;
use std::ops::Range;
use text::{Inline, Section, parse_from};

/// Stands for code, mathematics and computed numbers among words.
const OTHER: char = '\u{fffc}';

/// The words of one heading, paragraph or cell.
#[derive(Debug, Default)]
pub(super) struct Running {
    /// The words.
    pub text: String,
    /// Where in the file which byte of them stands.
    from: Vec<(usize, Place)>,
}

impl Running {
    /// The words among inline elements.
    pub fn of(inlines: &[Inline]) -> Self {
        let mut running = Self::default();
        running.add(inlines);
        running
    }

    fn add(&mut self, inlines: &[Inline]) {
        for inline in inlines {
            match inline {
                Inline::Words { text, place } => {
                    self.from.push((self.text.len(), *place));
                    self.text.push_str(text);
                }
                Inline::Strong(text) | Inline::Emphasis(text) | Inline::Link { text, .. } => {
                    self.add(text);
                }
                Inline::Break => self.text.push(' '),
                Inline::Code { .. } | Inline::Value(_) | Inline::Math(_) => self.text.push(OTHER),
            }
        }
    }

    /// Where a byte of the words stands in the file.
    pub fn place(&self, at: usize) -> Place {
        let before = self.from.iter().rev().find(|(from, _)| *from <= at);
        let (from, place) = before.copied().unwrap_or_default();
        place.after(self.text.get(from..at).unwrap_or_default())
    }

    /// Stretches outside quotation marks.
    pub fn unquoted(&self) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut plain = 0;
        let mut at = 0;
        while let Some(step) = self.rest(at).find(['"', '“']) {
            let open = at + step;
            let close = if self.rest(open).starts_with('"') {
                '"'
            } else {
                '”'
            };
            let inside = open + if close == '"' { 1 } else { '“'.len_utf8() };
            match self.rest(inside).find(close) {
                Some(length) => {
                    out.push(plain..open);
                    at = inside + length + close.len_utf8();
                    plain = at;
                }
                None => at = inside,
            }
        }
        out.push(plain..self.text.len());
        out
    }

    fn rest(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or_default()
    }
}

/// The words of a section, heading by heading, paragraph by paragraph.
pub(super) fn running(section: &Section) -> Vec<Running> {
    let mut out = Vec::new();
    section.each_text(|text| out.push(Running::of(text)));
    out
}

/// The words of a text that begins at `start` of its file.
pub(super) fn running_of(text: &str, start: Place) -> Vec<Running> {
    let document = parse_from(text, start, &[]);
    document.sections.iter().flat_map(running).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_left_out_and_places_hold() {
        let start = Place { line: 7, column: 5 };
        let found = running_of("a “b `x` c” d **e** \"f\" g\nh \" i", start);
        let [words] = found.as_slice() else {
            panic!("{found:?}")
        };
        let said: Vec<&str> = words
            .unquoted()
            .into_iter()
            .map(|range| &words.text[range])
            .collect();
        assert_eq!(said, ["a ", " d e ", " g\nh \" i"]);
        let at = words.text.find('h').unwrap();
        assert_eq!(words.place(at), Place { line: 8, column: 1 });
        let at = words.text.find('e').unwrap();
        // "a “b `x` c” d **" are 16 characters behind column 5.
        assert_eq!(
            words.place(at),
            Place {
                line: 7,
                column: 21
            }
        );
    }
}
