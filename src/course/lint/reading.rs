//! How long a lesson takes, and whether its front matter says so.

use super::running::running;
use crate::block::Block;
use crate::fault::Fault;
use crate::lesson::{self, Lesson, Part};
use text::{Element, Section};

/// Words that are read in a minute.
const PACE: u64 = 180;
/// Minutes of a live block, and of one that asks a question.
const LIVE: u64 = 1;
const QUESTION: u64 = 2;
/// Minutes by which the front matter may differ.
const SLACK: u64 = 2;
/// Minutes of a lesson at most.
const MOST: u64 = 25;

/// Minutes that a lesson takes, begun ones in full.
fn minutes(lesson: &Lesson) -> u64 {
    of(&lesson.sections)
}

/// Minutes that a part of a lesson takes. All of it takes what the lesson says, as
/// everybody is shown, and no part takes more.
pub(super) fn of_part<'s>(
    lesson: &Lesson,
    part: impl ExactSizeIterator<Item = &'s lesson::Section>,
) -> u64 {
    let whole = part.len() == lesson.sections.len();
    match (lesson.minutes, whole) {
        (0, _) => of(part),
        (all, true) => all,
        (all, false) => of(part).min(all),
    }
}

/// Minutes that some sections take, begun ones in full.
fn of<'s>(sections: impl IntoIterator<Item = &'s lesson::Section>) -> u64 {
    let (mut words, mut live) = (0, 0);
    for section in sections {
        words += count(&section.title);
        for part in &section.parts {
            match part {
                Part::Prose { body, .. } => words += read(body),
                Part::Live(block) => {
                    live += match block.content {
                        Ok(Block::Question { .. }) => QUESTION,
                        _ => LIVE,
                    };
                }
            }
        }
    }
    words.div_ceil(PACE) + live
}

/// Words of prose, where a computed number or a piece of code among them is one,
/// and of code that stands by itself.
fn read(body: &Section) -> u64 {
    let prose: u64 = running(body).iter().map(|words| count(&words.text)).sum();
    let code = body.blocks.iter().map(|block| match &block.element {
        Element::Code { text, .. } => count(text),
        _ => 0,
    });
    prose + code.sum::<u64>()
}

fn count(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// Holds `minutes` to what was computed, where a lesson has it, and a lesson to the
/// most. Reference pages are not read in one go.
pub(super) fn check(lesson: &Lesson, faults: &mut Vec<Fault>) {
    if lesson.is_reference() {
        return;
    }
    let computed = minutes(lesson);
    let text = &lesson.text;
    let line = (1..=text.lines())
        .map(|line| text.line(line))
        .find(|line| text.slice(line.clone()).starts_with("minutes"));
    let at = line.map_or(0, |line| line.start);
    if lesson.minutes > 0 && computed.abs_diff(lesson.minutes) > SLACK {
        faults.push(text.fault(at, format!(
            "the lesson takes {computed} min (words at {PACE} a minute, {LIVE} a live block, {QUESTION} a question); write minutes = {computed}."
        )));
    }
    if computed > MOST {
        faults.push(text.fault(
            at,
            format!("the lesson takes {computed} min, and {MOST} are the most; make it two."),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(minutes: u64, body: &str) -> Lesson {
        let raw = format!("+++\ntitle = \"x\"\nminutes = {minutes}\n+++\n## A title\n\n{body}\n");
        Lesson::read("01-x", "01-x.md", &raw)
    }

    #[test]
    fn words_live_blocks_and_questions_add_up() {
        let lab = "```lab\nstart = \"v1\"\ntoggles = [\"qkv\"]\n```\n\n";
        let question = "```question\nexercise = \"ex1\"\n```\n\n";
        let words = |n: usize| "word ".repeat(n);
        // By hand; the title has two words.
        for (body, expected) in [
            (words(178), 1),
            (words(179), 2),
            (format!("{}\n\n{lab}", words(178)), 2),
            (format!("{question}{}", words(178)), 3),
            (format!("{lab}{question}{lab}{}", words(10)), 5),
            // A computed number, a formula and a piece of code are a word each.
            (format!("{} `= 1 + 2 + 3` $a + b$ `a b c`", words(175)), 1),
            (format!("{} `= 1 + 2 + 3` $a + b$ `a b c`", words(176)), 2),
            // Code that stands by itself is read word by word.
            (format!("```python\n{}\n```", words(178)), 1),
            (format!("```python\n{}\n```", words(179)), 2),
            (format!("| a | b |\n|---|---|\n| {} | c |", words(176)), 2),
        ] {
            assert_eq!(minutes(&lesson(0, &body)), expected, "{body}");
        }
    }

    #[test]
    fn front_matter_is_held_to_it_with_its_line() {
        let body = "word ".repeat(1790);
        let said = |minutes: u64, body: &str| -> Vec<String> {
            let mut faults = Vec::new();
            check(&lesson(minutes, body), &mut faults);
            faults.iter().map(ToString::to_string).collect()
        };
        for fits in [8, 10, 12, 0] {
            assert_eq!(said(fits, &body), Vec::<String>::new());
        }
        for (minutes, body) in [(7, &body), (13, &body)] {
            let found = said(minutes, body);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(
                found[0].starts_with("01-x.md:3:1: the lesson takes 10 min"),
                "{found:?}"
            );
        }
        let long = said(26, &"word ".repeat(4600));
        assert_eq!(long.len(), 1, "{long:?}");
        assert!(long[0].contains("26 min, and 25 are the most"), "{long:?}");
        assert_eq!(said(25, &"word ".repeat(4490)), Vec::<String>::new());
        let page = format!("+++\ntitle = \"x\"\n+++\n## A\n\n{body}\n");
        let mut faults = Vec::new();
        check(&Lesson::read("90-x", "90-x.md", &page), &mut faults);
        assert_eq!(faults, Vec::new());
    }
}
