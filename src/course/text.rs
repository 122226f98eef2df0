//! One text of the course: its lines, and what may not be in it.
//!
//! A text comes from a stranger's folder and goes to a terminal. So characters
//! that a terminal obeys instead of showing never get past this door: they are
//! replaced by U+FFFD, one for one, so that every place stays where it was.

use super::fault::{Fault, Place};
use std::ops::Range;

/// Largest text of the course, in bytes.
pub const LARGEST: usize = 256 * 1024;

/// Findings of one kind reported per file before the rest is summed up.
const MANY: usize = 20;

/// A cleaned text and where its lines begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    file: String,
    body: String,
    starts: Vec<usize>,
}

impl Text {
    /// Cleans `raw`: CRLF becomes LF, a byte order mark goes, characters that a
    /// terminal would obey are replaced and reported with their place.
    pub fn new(file: impl Into<String>, raw: &str) -> (Self, Vec<Fault>) {
        let file = file.into();
        let raw = raw.strip_prefix('\u{feff}').unwrap_or(raw);
        let mut body = String::with_capacity(raw.len());
        let mut bad: Vec<(usize, char)> = Vec::new();
        let mut rest = raw.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '\r' if rest.peek() == Some(&'\n') => {}
                c if obeyed(c) => {
                    bad.push((body.len(), c));
                    body.push(char::REPLACEMENT_CHARACTER);
                }
                c => body.push(c),
            }
        }
        let entities = hide_entities(&mut body);
        let starts = std::iter::once(0)
            .chain(body.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        let text = Self { file, body, starts };
        let mut faults: Vec<Fault> = bad
            .iter()
            .take(MANY)
            .map(|&(at, c)| {
                text.fault(at, format!(
                    "control character U+{:04X}; texts hold printable characters, tabs and line ends only, so remove it.",
                    u32::from(c)
                ))
            })
            .collect();
        if let Some(&(at, _)) = bad.get(MANY) {
            let more = bad.len() - MANY;
            faults.push(text.fault(
                at,
                format!("and {more} more control characters from here on; is this a text file?"),
            ));
        }
        faults.extend(
            entities
                .into_iter()
                .take(MANY)
                .map(|at| text.fault(at, "this entity stands for a control character; remove it.")),
        );
        (text, faults)
    }

    /// The file's name as the user knows it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The whole text.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// A part of the text; empty where the range is not one of this text.
    pub fn slice(&self, range: Range<usize>) -> &str {
        self.body.get(range).unwrap_or_default()
    }

    /// Number of lines; an empty text has one.
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// Byte range of a line (from 1) without its line end.
    pub fn line(&self, line: usize) -> Range<usize> {
        let Some(&start) = line.checked_sub(1).and_then(|index| self.starts.get(index)) else {
            return self.body.len()..self.body.len();
        };
        let end = self
            .starts
            .get(line)
            .map_or(self.body.len(), |next| next - 1);
        start..end
    }

    /// Where the byte offset `at` is; past the end, the end.
    pub fn place(&self, at: usize) -> Place {
        let at = at.min(self.body.len());
        let line = self.starts.partition_point(|&start| start <= at).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let before = self.body.as_bytes().get(start..at).unwrap_or_default();
        // Bytes that continue a character do not count.
        let column = before.iter().filter(|byte| (**byte & 0xC0) != 0x80).count() + 1;
        Place { line, column }
    }

    /// Splits off the front matter: the byte range of its TOML and of the body.
    ///
    /// Both `+++` lines stand alone. Without them the TOML is empty and the body is
    /// everything, with a fault.
    pub(crate) fn front(&self, faults: &mut Vec<Fault>) -> (Range<usize>, Range<usize>) {
        let end = self.body().len();
        let fence = |line: usize| self.slice(self.line(line)).trim_end() == "+++";
        if !fence(1) {
            faults.push(self.fault(0, "there is no front matter; begin the file with a line +++, then title = \"…\" and so on, then a line +++."));
            return (0..0, 0..end);
        }
        let start = self.line(2).start;
        match (2..=self.lines()).find(|&line| fence(line)) {
            Some(last) => (start..self.line(last).start, self.line(last + 1).start..end),
            None => {
                faults.push(self.fault(
                    0,
                    "the front matter is not closed; put a line +++ after its last key.",
                ));
                // What can be TOML ends at the first heading at the latest.
                let stop = (2..=self.lines())
                    .find(|&line| self.slice(self.line(line)).starts_with("## "))
                    .map_or(end, |line| self.line(line).start);
                (start..stop, stop..end)
            }
        }
    }

    /// A fault at a byte offset.
    pub fn fault(&self, at: usize, say: impl Into<String>) -> Fault {
        Fault::at(&self.file, self.place(at), say)
    }
}

/// Does a terminal obey this character, or reorder text by it, in place of showing it?
pub fn obeyed(c: char) -> bool {
    let kept = matches!(c, '\n' | '\t');
    let reorders = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !kept && (c.is_control() || reorders)
}

/// Overwrites markdown entities that stand for obeyed characters (`&#27;`), byte for byte.
fn hide_entities(body: &mut String) -> Vec<usize> {
    let found: Vec<Range<usize>> = body
        .match_indices("&#")
        .filter_map(|(at, _)| {
            let rest = body.get(at + 2..)?;
            // A longer number is no entity in markdown.
            let end = rest.bytes().take(10).position(|byte| byte == b';')?;
            let digits = rest.get(..end)?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            let c = char::from_u32(code)?;
            (obeyed(c) || matches!(c, '\n' | '\t')).then_some(at..at + 2 + end + 1)
        })
        .collect();
    for range in &found {
        body.replace_range(range.clone(), &"?".repeat(range.len()));
    }
    found.into_iter().map(|range| range.start).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let (text, faults) = Text::new("a.md", "one\nzwei µs\n");
        assert!(faults.is_empty());
        assert_eq!(text.lines(), 3);
        assert_eq!(text.place(0), Place { line: 1, column: 1 });
        assert_eq!(text.place(3), Place { line: 1, column: 4 });
        assert_eq!(text.place(4), Place { line: 2, column: 1 });
        // "zwei µs": µ is two bytes, so s is byte 5+2 of its line and column 7.
        assert_eq!(text.place(4 + 7), Place { line: 2, column: 7 });
        assert_eq!(text.place(999), Place { line: 3, column: 1 });
        assert_eq!(text.slice(text.line(2)), "zwei µs");
        assert_eq!(text.slice(text.line(9)), "");
    }

    #[test]
    fn what_a_terminal_obeys_is_replaced_and_named() {
        let (text, faults) = Text::new("a.md", "ok\r\nred \u{1b}[31m and \u{9b}1m, \u{202e}x");
        assert_eq!(
            text.body(),
            "ok\nred \u{fffd}[31m and \u{fffd}1m, \u{fffd}x"
        );
        let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 3);
        assert!(
            said[0].starts_with("a.md:2:5: control character U+001B;"),
            "{}",
            said[0]
        );
        assert!(
            said[1].starts_with("a.md:2:15: control character U+009B;"),
            "{}",
            said[1]
        );
    }

    #[test]
    fn entities_cannot_smuggle_them_in() {
        let (text, faults) = Text::new("a.md", "a &#27;[1m &#x1B; &amp; &#65;");
        assert_eq!(text.body(), "a ?????[1m ?????? &amp; &#65;");
        assert_eq!(faults.len(), 2);
        assert_eq!(faults[0].at, Place { line: 1, column: 3 });
    }

    #[test]
    fn a_binary_file_is_summed_up() {
        let (_, faults) = Text::new("a.md", &"\u{1}".repeat(100));
        assert_eq!(faults.len(), MANY + 1);
        assert!(faults[MANY].say.starts_with("and 80 more"));
    }

    #[test]
    fn front_matter_stands_between_plus_lines() {
        let (text, _) = Text::new("t.md", "+++\ntitle = \"a\"\n+++\nbody\n");
        let mut faults = Vec::new();
        let (front, body) = text.front(&mut faults);
        assert_eq!(text.slice(front), "title = \"a\"\n");
        assert_eq!(text.slice(body), "body\n");
        assert!(faults.is_empty());
    }

    #[test]
    fn front_matter_that_never_ends_stops_at_a_heading() {
        let (text, _) = Text::new("t.md", "+++\ntitle = \"a\"\n## One\nbody");
        let mut faults = Vec::new();
        let (front, body) = text.front(&mut faults);
        assert_eq!(text.slice(front), "title = \"a\"\n");
        assert_eq!(text.slice(body), "## One\nbody");
        assert_eq!(faults.len(), 1);
    }
}
