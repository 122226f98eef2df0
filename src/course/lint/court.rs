//! What a text says of claims: it waits until they were judged, and is not there where
//! the claims court is switched off.

use crate::block::{Block, Live};
use crate::claims::{Ledger, asks, citations, words};
use crate::exercise::{Draw, Exercise};
use crate::fault::{Fault, Place};
use crate::lesson::{Lesson, Part, Section};
use crate::library::Course;
use crate::text::Text;
use std::ops::Range;

/// Words of the court.
const WORDS: [&str; 6] = ["claim", "claims", "court", "docket", "ledger", "acquitted"];

/// Keys of exercises whose values nobody is shown.
const UNSHOWN: [&str; 5] = ["named", "name", "lesson", "source", "claim"];

/// What stands behind a claim in its section: words and still pictures.
pub(super) fn behind(file: &str, section: &Section, faults: &mut Vec<Fault>) {
    let mut claims = section.live().filter(|live| live.is_claim());
    let second = claims.nth(1);
    let taking = |(part, claim): (&'_ Part, Option<&Live>)| match (part, claim) {
        (Part::Live(live), Some(_)) if live.content.is_ok() && !live.is_still() => Some(live.line),
        _ => None,
    };
    let mut say = |line: usize, text: &str| {
        faults.push(Fault::at(file, Place { line, column: 1 }, text));
    };
    if let Some(live) = second {
        say(
            live.line,
            "a second claim; give it a section of its own, for what stands behind a claim is shown once that was judged.",
        );
    }
    section.told().filter_map(taking).for_each(|line| {
        say(
            line,
            "what stands behind a claim is shown once that was judged, and this block asks something or takes keys; put it before the claim or into a section of its own.",
        );
    });
}

/// Warns of what a section tells of claims that it does not put on trial before.
pub(super) fn before(file: &str, section: &Section, faults: &mut Vec<Fault>) {
    for (part, claim) in section.told() {
        let (text, line) = match part {
            Part::Prose { text, line, .. } => (text, *line),
            Part::Live(live) => (&live.source, live.line + 1),
        };
        let judged = match claim.map(|live| &live.content) {
            Some(Ok(Block::Claim { id })) => Some(id.as_str()),
            _ => None,
        };
        for citation in citations(text) {
            let at =
                Place { line, column: 1 }.after(text.get(..citation.start).unwrap_or_default());
            let citation = text.get(citation).unwrap_or_default();
            let id = |word: &&str| Ledger::built_in().get(word).is_some() && Some(*word) != judged;
            if let Some(id) = words(citation).find(id).filter(|_| !asks(citation)) {
                let say = format!(
                    "this tells of claim {id} before it was judged; ask for that, as (judge claim {id}), or put it behind the claim's block."
                );
                faults.push(Fault::at(file, at, say).warning());
            }
        }
    }
}

/// Warns of words of the court where they would be read with the court switched off.
pub(super) fn check(course: &Course, faults: &mut Vec<Fault>) {
    let gone = |id: &str| {
        let trial = course.exercise(id).is_ok_and(trial);
        trial || course.lesson(id).is_ok_and(|lesson| lesson.court)
    };
    for text in course.own_lessons().filter(|text| !text.court) {
        lesson(text, &gone, faults);
    }
    for text in course.own_exercises().filter(|text| !trial(text)) {
        source(&text.text, faults);
        if let Some(solution) = course.solution(&text.id) {
            source(&solution.text, faults);
        }
    }
}

fn trial(exercise: &Exercise) -> bool {
    exercise.draw == Some(Draw::Claims)
}

/// A text with blanks in place of its citations, so that every place stays.
fn blanked(text: &str) -> String {
    let mut out = text.to_owned();
    for citation in citations(text) {
        let blank: String = text
            .get(citation.clone())
            .unwrap_or_default()
            .bytes()
            .map(|byte| if byte == b'\n' { '\n' } else { ' ' })
            .collect();
        out.replace_range(citation, &blank);
    }
    out
}

fn lesson(lesson: &Lesson, gone: &dyn Fn(&str) -> bool, faults: &mut Vec<Fault>) {
    let file = lesson.text.file();
    let mut left = Lesson::read(&lesson.id, file, &blanked(lesson.text.body()));
    left.without_court(gone);
    for section in &left.sections {
        let at = Place {
            line: section.lines.start,
            column: 1,
        };
        found(file, &section.title, at, faults);
        for part in &section.parts {
            match part {
                Part::Prose { body, .. } => body.each_inline(|inline| match inline {
                    text::Inline::Words { text, place } | text::Inline::Code { text, place } => {
                        found(file, text, *place, faults);
                    }
                    _ => {}
                }),
                Part::Live(live) => {
                    let at = Place {
                        line: live.line + 1,
                        column: 1,
                    };
                    if !matches!(live.content, Ok(Block::Question { .. })) {
                        found(file, &live.source, at, faults);
                    }
                }
            }
        }
    }
}

/// An exercise or a solution: every line that is shown.
fn source(text: &Text, faults: &mut Vec<Fault>) {
    let shown = blanked(text.body());
    for (number, line) in (1..).zip(shown.lines()) {
        let key = line.split('=').next().unwrap_or_default().trim();
        if UNSHOWN.contains(&key) {
            continue;
        }
        let at = Place {
            line: number,
            column: 1,
        };
        found(text.file(), &slipless(line), at, faults);
    }
}

/// A line with blanks in place of the claims that its slips name.
fn slipless(line: &str) -> String {
    const KEY: &str = "claim = \"";
    let mut out = line.to_owned();
    while let Some(at) = out.find(KEY) {
        let rest = out.get(at + KEY.len()..).unwrap_or_default();
        let end = at + KEY.len() + rest.find('"').map_or(rest.len(), |quote| quote + 1);
        out.replace_range(at..end, &" ".repeat(end - at));
    }
    out
}

fn found(file: &str, text: &str, from: Place, faults: &mut Vec<Fault>) {
    for Range { start, end } in spoken(text) {
        let word = text.get(start..end).unwrap_or_default();
        let say = format!(
            "“{word}” is read where the claims court is switched off, too; cite as (judge claim ID), put it behind the claim's block, or into a lesson with court = true."
        );
        let at = from.after(text.get(..start).unwrap_or_default());
        faults.push(Fault::at(file, at, say).warning());
    }
}

/// Words of the court, and ids of claims.
fn spoken(text: &str) -> Vec<Range<usize>> {
    let place = |word: &str| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        start..start + word.len()
    };
    let id = |word: &&str| Ledger::built_in().get(word).is_some();
    let ids = words(text).filter(id).map(place);
    let plain = text.split(|c: char| !c.is_alphabetic());
    let plain = plain.filter(|word| WORDS.contains(&word.to_lowercase().as_str()));
    ids.chain(plain.map(place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_read_without_the_court_speaks_of_it() {
        let mut faults = Vec::new();
        check(&Course::built_in(), &mut faults);
        let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(said, Vec::<String>::new());
    }

    #[test]
    fn words_of_the_court_and_ids_are_found_with_their_places() {
        let words = |text: &str| -> Vec<String> {
            let found = spoken(text).into_iter();
            found.map(|range| text[range].to_owned()).collect()
        };
        assert_eq!(words("one K-V1-12, and Claims."), ["K-V1-12", "Claims"]);
        assert_eq!(words("it reclaims a courtyard"), Vec::<String>::new());
        let text = "one\ntwo (claim G-33) three (claim NO)\n";
        let blank = blanked(text);
        assert_eq!((blank.len(), spoken(&blank).len()), (text.len(), 1));
        assert_eq!(
            slipless("{ claim = \"G-33\", say = \"a\" }").trim(),
            "{               , say = \"a\" }"
        );
    }

    #[test]
    fn a_claim_is_told_of_behind_its_block_only() {
        let found = |text: &str| -> Vec<usize> {
            let lesson = Lesson::read("01-a", "a.md", &format!("## One\n\n{text}"));
            let mut faults = Vec::new();
            before("a.md", &lesson.sections[0], &mut faults);
            faults.iter().map(|fault| fault.at.line).collect()
        };
        let claim = "```claim\nid = \"G-33\"\n```\n\n";
        assert_eq!(found("It is\nwrong (claim G-33).\n"), [4]);
        assert_eq!(
            found(&format!("{claim}Wrong (claim G-33).\n")),
            Vec::<usize>::new()
        );
        assert_eq!(
            found(&format!("{claim}Wrong (claims G-33 and G-APP).\n")),
            [7]
        );
        assert_eq!(found("Is it (judge claim G-33)?\n"), Vec::<usize>::new());
    }

    #[test]
    fn what_takes_keys_does_not_stand_behind_a_claim() {
        let claim = "```claim\nid = \"G-33\"\n```\n";
        let found = |rest: &str| -> Vec<usize> {
            let lesson = Lesson::read("01-a", "a.md", &format!("## One\n\n{claim}\n{rest}"));
            let mut faults = Vec::new();
            behind("a.md", &lesson.sections[0], &mut faults);
            faults.iter().map(|fault| fault.at.line).collect()
        };
        assert_eq!(found("Text.\n"), Vec::<usize>::new());
        assert_eq!(found("```question\nexercise = \"ex1\"\n```\n"), [7]);
        assert_eq!(found(claim), [7]);
    }
}
