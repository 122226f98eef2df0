//! Where the course cites claims.

use super::Ledger;
use crate::{Course, Lesson, Part};
use std::borrow::Cow;
use std::ops::Range;

/// How a text asks for a claim's judgement: `(judge claim K-V1-12)`.
const JUDGE: &str = "judge";

/// Words that may be ids of claims.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    text.split(part).map(|word| word.trim_matches(['.', '-']))
}

/// The lessons that cite a claim, in order.
pub fn cited<'c>(course: &'c Course, id: &'c str) -> impl Iterator<Item = &'c Lesson> {
    course
        .lessons()
        .filter(move |lesson| words(lesson.text.body()).any(|word| word == id))
}

/// The first section of a lesson that cites a claim, from 0.
pub fn cited_at(lesson: &Lesson, id: &str) -> Option<usize> {
    let cites = |part: &Part| {
        let text = match part {
            Part::Prose { text, .. } => text,
            Part::Live(live) => &live.source,
        };
        words(text).any(|word| word == id)
    };
    let mut sections = lesson.sections.iter();
    sections.position(|section| section.parts.iter().any(cites))
}

/// Citations of claims in a text: `(claim K-V1-12)`, `(judge claims G-33 and G-APP)`, and
/// `, claim K-V1-12` before the end of a parenthesis, with the blank before them.
pub(crate) fn citations(text: &str) -> Vec<Range<usize>> {
    let citation = |(at, word): (usize, &str)| {
        let before = text.get(..at)?.trim_end();
        let before = before.strip_suffix(JUDGE).map_or(before, str::trim_end);
        let behind = text.get(at + word.len()..)?;
        let inner = behind.split_once(')')?.0;
        let close = at + word.len() + inner.len();
        let ids = inner.trim_end_matches('.');
        let (begin, end) = match before.strip_suffix('(') {
            Some(before) => (before.trim_end().len(), close + 1),
            None => (before.strip_suffix(',')?.len(), at + word.len() + ids.len()),
        };
        let ids = ids.strip_prefix('s').unwrap_or(ids);
        let is_list = ids.starts_with(char::is_whitespace) && is_list(ids);
        is_list.then_some(begin..end)
    };
    text.match_indices("claim").filter_map(citation).collect()
}

/// Whether a citation asks for a judgement, and so tells nothing.
pub(crate) fn asks(citation: &str) -> bool {
    words(citation).any(|word| word == JUDGE)
}

/// Ids of claims, joined by commas and `and`, and nothing else.
fn is_list(text: &str) -> bool {
    let ids = text.split(|c: char| c == ',' || c.is_whitespace());
    let mut ids = ids
        .filter(|word| !word.is_empty() && *word != "and")
        .peekable();
    ids.peek().is_some() && ids.all(|id| Ledger::built_in().get(id).is_some())
}

/// A text without its citations of claims.
pub(crate) fn uncited(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut from = 0;
    for citation in citations(text) {
        out += text.get(from..citation.start).unwrap_or_default();
        from = citation.end;
    }
    match from {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(out + text.get(from..).unwrap_or_default()),
    }
}

/// What a text calls a claim: the words after `claim` and `claims`, joined by
/// commas and `and`, as far as they have the form of an id.
#[cfg(test)]
pub(super) fn named(text: &str) -> Vec<&str> {
    let form = |word: &str| {
        let (group, rest) = word.split_once('-').unwrap_or(("", ""));
        matches!(
            group,
            "K" | "L" | "Q" | "G" | "F" | "M" | "R" | "T" | "S" | "H" | "O" | "C" | "B" | "N" | "P"
        ) && !rest.is_empty()
    };
    let mut found = Vec::new();
    let mut after = false;
    for word in words(text).filter(|word| !word.is_empty()) {
        match word {
            "claim" | "claims" | "Claim" | "Claims" => after = true,
            "and" | "id" if after => {}
            id if after && form(id) => found.push(id),
            _ => after = false,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_goes_with_its_parenthesis_and_its_blank() {
        for (with, without) in [
            ("counts both (claim G-33). And", "counts both. And"),
            ("the rule\n(claims G-33 and\nG-APP) holds", "the rule holds"),
            ("of what\n(judge claim G-33)?", "of what?"),
            ("(It has one, judge\nclaim G-33.)", "(It has one.)"),
            (
                "(By a root of three, claim C-BLK.)",
                "(By a root of three.)",
            ),
            (
                "(by a root of three, claim C-BLK) it",
                "(by a root of three) it",
            ),
            ("(claim NO-SUCH) stays", "(claim NO-SUCH) stays"),
            ("a claim (of mine) stays", "a claim (of mine) stays"),
        ] {
            assert_eq!(uncited(with), without);
        }
        assert!(asks("(judge\nclaim G-33)") && !asks("(claim G-33)"));
    }
}
