//! A thin scanner for the shape of a lesson: front matter, sections, fences.
//!
//! It finds what the course needs and leaves the rendering of markdown to
//! whoever draws it: `##` headings outside fences start sections, fenced code
//! whose info string is a live block's kind is a live block.

use super::fault::Fault;
use super::text::Text;
use std::borrow::Cow;
use std::ops::Range;

/// Splits off the front matter: the byte range of its TOML and of the body.
///
/// Both `+++` lines stand alone. Without them the TOML is empty and the body is
/// everything, with a fault.
pub(crate) fn front(text: &Text, faults: &mut Vec<Fault>) -> (Range<usize>, Range<usize>) {
    let end = text.body().len();
    let fence = |line: usize| text.slice(text.line(line)).trim_end() == "+++";
    if !fence(1) {
        faults.push(text.fault(0, "there is no front matter; begin the file with a line +++, then title = \"…\" and so on, then a line +++."));
        return (0..0, 0..end);
    }
    let start = text.line(2).start;
    match (2..=text.lines()).find(|&line| fence(line)) {
        Some(last) => (start..text.line(last).start, text.line(last + 1).start..end),
        None => {
            faults.push(text.fault(
                0,
                "the front matter is not closed; put a line +++ after its last key.",
            ));
            // What can be TOML ends at the first heading at the latest.
            let stop = (2..=text.lines())
                .find(|&line| text.slice(text.line(line)).starts_with("## "))
                .map_or(end, |line| text.line(line).start);
            (start..stop, stop..end)
        }
    }
}

/// A fenced block, in lines counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fence {
    /// First word of the info string.
    pub info: String,
    /// Line of the opening fence.
    pub open: usize,
    /// Line of the closing fence; one past the last line when it is missing.
    pub close: usize,
    /// Byte range of what stands between.
    pub body: Range<usize>,
    /// Is there a closing fence?
    pub closed: bool,
}

/// All fences that lie in a byte range.
pub(crate) fn fences(text: &Text, range: Range<usize>) -> Vec<Fence> {
    let first = text.place(range.start).line;
    let last = text.place(range.end).line;
    let mut out = Vec::new();
    let mut line = first;
    while line <= last {
        let Some((mark, width, info)) = opening(text.slice(text.line(line))) else {
            line += 1;
            continue;
        };
        let info = info
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned();
        let close =
            (line + 1..=last).find(|&next| closing(text.slice(text.line(next)), mark, width));
        let body = text.line(line + 1).start..close.map_or(range.end, |next| text.line(next).start);
        let end = close.unwrap_or(last + 1);
        out.push(Fence {
            info,
            open: line,
            close: end,
            body,
            closed: close.is_some(),
        });
        line = end + 1;
    }
    out
}

/// Markdown with its fenced code blanked out, byte for byte.
pub(crate) fn without_fences(markdown: &str) -> Cow<'_, str> {
    if !markdown.contains("```") && !markdown.contains("~~~") {
        return Cow::Borrowed(markdown);
    }
    let mut out = String::with_capacity(markdown.len());
    let mut inside: Option<(char, usize)> = None;
    for line in markdown.split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        let blank = match inside {
            Some((mark, width)) => {
                if closing(bare, mark, width) {
                    inside = None;
                }
                true
            }
            None => {
                inside = opening(bare).map(|(mark, width, _)| (mark, width));
                inside.is_some()
            }
        };
        if blank {
            out.extend(std::iter::repeat_n(' ', bare.len()));
            out.push_str(line.get(bare.len()..).unwrap_or_default());
        } else {
            out.push_str(line);
        }
    }
    Cow::Owned(out)
}

/// The mark, its length and the info string of an opening fence.
fn opening(line: &str) -> Option<(char, usize, &str)> {
    let rest = line.trim_start_matches(' ');
    if line.len() - rest.len() > 3 {
        return None;
    }
    let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = rest.trim_start_matches(mark);
    let width = rest.len() - info.len();
    // An inline code span that begins a line is no fence.
    (width >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, width, info.trim()))
}

fn closing(line: &str, mark: char, width: usize) -> bool {
    let rest = line.trim_start_matches(' ');
    let tail = rest.trim_start_matches(mark);
    line.len() - rest.len() <= 3 && rest.len() - tail.len() >= width && tail.trim().is_empty()
}

/// A section before its parts are read: title, line of its heading, byte range after the heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    /// Text of the heading; empty for what stands before the first one.
    pub title: String,
    /// Line of the heading, or the first line of the opening.
    pub line: usize,
    /// Byte range of the content.
    pub body: Range<usize>,
}

/// Cuts a byte range at its `## ` headings. What precedes the first is kept unless blank.
pub(crate) fn headings(text: &Text, range: Range<usize>, fences: &[Fence]) -> Vec<Heading> {
    if range.is_empty() {
        return Vec::new();
    }
    let first = text.place(range.start).line;
    let last = text.place(range.end).line;
    let mut out = vec![Heading {
        title: String::new(),
        line: first,
        body: range.clone(),
    }];
    let mut fences = fences.iter().peekable();
    let mut line = first;
    while line <= last {
        if let Some(fence) = fences.next_if(|fence| fence.open == line) {
            line = fence.close + 1;
            continue;
        }
        let span = text.line(line);
        if let Some(title) = text.slice(span.clone()).strip_prefix("## ") {
            if let Some(before) = out.last_mut() {
                before.body.end = span.start;
            }
            let title = title.trim().trim_end_matches('#').trim_end().to_owned();
            let start = (span.end + 1).min(range.end);
            out.push(Heading {
                title,
                line,
                body: start..range.end,
            });
        }
        line += 1;
    }
    let opening_is_blank = out
        .first()
        .is_some_and(|opening| text.slice(opening.body.clone()).trim().is_empty());
    if opening_is_blank {
        out.remove(0);
    }
    out
}

/// Pieces of prose in which a scan for inline things makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Running text.
    Plain,
    /// Between backticks.
    Code,
    /// Between dollars.
    Math,
    /// Between quotation marks.
    Quoted,
    /// The address of a link, or a comment.
    Hidden,
}

/// Cuts prose into pieces by byte range. Every byte is in exactly one piece.
pub(crate) fn pieces(prose: &str) -> Vec<(Piece, Range<usize>)> {
    let bytes = prose.as_bytes();
    let mut out: Vec<(Piece, Range<usize>)> = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    while at < bytes.len() {
        let found = match bytes.get(at) {
            Some(b'\\') => {
                at += 1;
                None
            }
            Some(b'`') => code(prose, at),
            Some(b'$') => math(prose, at),
            Some(b'"') => span(prose, at, "\"", "\"").map(|end| (Piece::Quoted, end)),
            Some(b'<') => span(prose, at, "<!--", "-->").map(|end| (Piece::Hidden, end)),
            Some(b']') => span(prose, at, "](", ")").map(|end| (Piece::Hidden, end)),
            Some(0xE2) => span(prose, at, "“", "”").map(|end| (Piece::Quoted, end)),
            _ => None,
        };
        match found {
            Some((piece, end)) => {
                if plain < at {
                    out.push((Piece::Plain, plain..at));
                }
                out.push((piece, at..end));
                at = end;
                plain = end;
            }
            None if bytes.get(at) == Some(&b'`') => {
                at += bytes
                    .iter()
                    .skip(at)
                    .take_while(|byte| **byte == b'`')
                    .count();
            }
            None => at += 1,
        }
    }
    if plain < bytes.len() {
        out.push((Piece::Plain, plain..bytes.len()));
    }
    out
}

/// End of `open … close` that begins at `at` and stays in its paragraph.
fn span(prose: &str, at: usize, open: &str, close: &str) -> Option<usize> {
    let rest = prose.get(at..)?.strip_prefix(open)?;
    let rest = rest
        .split_once("\n\n")
        .map_or(rest, |(paragraph, _)| paragraph);
    let length = rest.find(close)?;
    Some(at + open.len() + length + close.len())
}

/// A code span: as many backticks at the end as at the beginning.
fn code(prose: &str, at: usize) -> Option<(Piece, usize)> {
    let rest = prose.get(at..)?;
    let width = rest.len() - rest.trim_start_matches('`').len();
    let mut from = width;
    while let Some(step) = rest.get(from..)?.find('`') {
        let start = from + step;
        let run = rest.get(start..)?;
        let length = run.len() - run.trim_start_matches('`').len();
        if length == width {
            return (!rest.get(..start)?.contains("\n\n"))
                .then_some((Piece::Code, at + start + length));
        }
        from = start + length;
    }
    None
}

/// `$…$` and `$$…$$`; a dollar before a space or after one is money.
fn math(prose: &str, at: usize) -> Option<(Piece, usize)> {
    if let Some(end) = span(prose, at, "$$", "$$") {
        return Some((Piece::Math, end));
    }
    let end = span(prose, at, "$", "$")?;
    let inner = prose.get(at + 1..end - 1)?;
    let tight = !inner.is_empty() && inner.trim() == inner;
    tight.then_some((Piece::Math, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(body: &str) -> Text {
        Text::new("lessons/t.md", body).0
    }

    #[test]
    fn front_matter_stands_between_plus_lines() {
        let text = text("+++\ntitle = \"a\"\n+++\nbody\n");
        let mut faults = Vec::new();
        let (front, body) = front(&text, &mut faults);
        assert_eq!(text.slice(front), "title = \"a\"\n");
        assert_eq!(text.slice(body), "body\n");
        assert!(faults.is_empty());
    }

    #[test]
    fn front_matter_that_never_ends_stops_at_a_heading() {
        let text = text("+++\ntitle = \"a\"\n## One\nbody");
        let mut faults = Vec::new();
        let (front, body) = front(&text, &mut faults);
        assert_eq!(text.slice(front), "title = \"a\"\n");
        assert_eq!(text.slice(body), "## One\nbody");
        assert_eq!(faults.len(), 1);
    }

    #[test]
    fn sections_begin_at_second_level_headings_outside_fences() {
        let text =
            text("intro\n\n## One\na\n```text\n## not a heading\n```\n### deeper\n## Two ##\nb");
        let all = 0..text.body().len();
        let fences = fences(&text, all.clone());
        assert_eq!(fences.len(), 1);
        assert_eq!(
            (fences[0].info.as_str(), fences[0].open, fences[0].close),
            ("text", 5, 7)
        );
        let found: Vec<(String, usize)> = headings(&text, all, &fences)
            .into_iter()
            .map(|h| (h.title, h.line))
            .collect();
        assert_eq!(
            found,
            [(String::new(), 1), ("One".into(), 3), ("Two".into(), 9)]
        );
    }

    #[test]
    fn fences_end_at_their_own_mark() {
        let text = text("````lab\n```\nx\n````\n~~~ c\ny");
        let found = fences(&text, 0..text.body().len());
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].open, found[0].close, found[0].closed),
            (1, 4, true)
        );
        assert_eq!(text.slice(found[0].body.clone()), "```\nx\n");
        assert_eq!((found[1].info.as_str(), found[1].closed), ("c", false));
        assert_eq!(text.slice(found[1].body.clone()), "y");
    }

    #[test]
    fn fenced_code_is_blanked_and_nothing_moves() {
        let text = "a\n```c\n`= x` é\n```\nb `= y`";
        let blanked = without_fences(text);
        assert_eq!(blanked.len(), text.len());
        assert_eq!(blanked, "a\n    \n        \n   \nb `= y`");
    }

    #[test]
    fn prose_is_cut_into_what_is_read_and_what_is_not() {
        let prose =
            "a `= x | MB` costs $5 and $B S$, “40 %” they say \"so\" [x](40.md) ``a`b`` end `open";
        let shown: Vec<(Piece, &str)> = pieces(prose)
            .into_iter()
            .map(|(piece, range)| (piece, &prose[range]))
            .collect();
        assert_eq!(shown[1], (Piece::Code, "`= x | MB`"));
        assert!(
            shown.contains(&(Piece::Math, "$B S$"))
                || shown.contains(&(Piece::Plain, " costs $5 and "))
        );
        assert!(shown.contains(&(Piece::Quoted, "“40 %”")));
        assert!(shown.contains(&(Piece::Quoted, "\"so\"")));
        assert!(shown.contains(&(Piece::Hidden, "](40.md)")));
        assert!(shown.contains(&(Piece::Code, "``a`b``")));
        assert_eq!(shown.last(), Some(&(Piece::Plain, " end `open")));
    }

    proptest! {
        #[test]
        fn pieces_cover_every_byte_once(prose in "[ab`$\"“”<>!\\-\\]()\n\\\\]{0,60}") {
            let mut at = 0;
            for (_, range) in pieces(&prose) {
                prop_assert_eq!(range.start, at);
                prop_assert!(prose.get(range.clone()).is_some());
                at = range.end;
            }
            prop_assert_eq!(at, prose.len());
        }
    }
}
