//! The course that is shipped: it passes its own lint, each lesson asks, and the
//! three-hour path says its words and keeps to its claims.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod typed;

use tinyllama_tutor::course::{Block, Course, Lesson, Part, Section, lint};

#[test]
fn it_has_no_faults() {
    let found: Vec<String> = lint(&Course::built_in())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_lesson_asks_and_predicts() {
    for lesson in Course::built_in().lessons() {
        let blocks: Vec<_> = lesson
            .sections
            .iter()
            .flat_map(|section| &section.parts)
            .filter_map(|part| match part {
                Part::Live(live) => Some(live),
                Part::Prose { .. } => None,
            })
            .collect();
        // Pages to look things up in, and a welcome, ask nothing.
        if lesson.minutes == 0 {
            assert!(lesson.is_reference(), "{} has no minutes", lesson.id);
            continue;
        }
        let asks = blocks
            .iter()
            .any(|live| matches!(live.content, Ok(Block::Question { .. })));
        assert!(asks, "{} has no question", lesson.id);
        // A run is something to be wrong about first.
        for lab in blocks.iter().filter(|live| live.kind == "lab") {
            assert!(
                !lab.predict.is_empty(),
                "{}, block {}: a lab without a prediction",
                lesson.id,
                lab.number
            );
        }
        let last = lesson.sections.last().expect("a lesson has sections");
        let handle: usize = last
            .parts
            .iter()
            .map(|part| match part {
                Part::Prose { text, .. } => {
                    text.matches("\n- **").count() + usize::from(text.starts_with("- **"))
                }
                Part::Live(_) => 0,
            })
            .sum();
        assert_eq!(handle, 3, "{} does not end with its three lines", lesson.id);
    }
}

/// The prose of a section in small letters, without fenced blocks.
fn prose(lesson: &Lesson, section: &Section) -> String {
    let mut fenced = false;
    let mut out = String::new();
    for at in section.lines.clone() {
        let line = lesson.text.slice(lesson.text.line(at));
        if line.starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            out.push_str(&line.to_lowercase());
            out.push(' ');
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn words_are_said_where_the_three_hour_path_first_meets_them() {
    let course = Course::built_in();
    let route = &course.routes()[0];
    let legs = route.legs(&course);
    let sections: Vec<(&Lesson, &Section)> = legs
        .iter()
        .flat_map(|leg| {
            leg.sections
                .iter()
                .map(|at| (leg.lesson, &leg.lesson.sections[*at]))
        })
        .collect();
    let words = [
        "tile",
        "grid",
        "thread block",
        "stream",
        "warp",
        "lane",
        "launch overhead",
        "fusion boundary",
        "claim",
        "replayed graph",
    ];
    for word in words {
        let stands = |text: &str| {
            text.match_indices(word).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                let behind = text[at + word.len()..]
                    .trim_start_matches('s')
                    .chars()
                    .next();
                let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
                !letter(before) && !letter(behind)
            })
        };
        let first = sections
            .iter()
            .find(|(lesson, section)| stands(&prose(lesson, section)));
        let Some((lesson, section)) = first else {
            continue;
        };
        let text = prose(lesson, section);
        // Emphasised, or said in brackets.
        let said = [
            format!("*{word}"),
            format!("a {word} is"),
            format!("{word} ("),
        ];
        assert!(
            said.iter().any(|form| text.contains(form.as_str())),
            "{word} is first met in {} {} and not said there",
            lesson.id,
            section.id
        );
    }
}

#[test]
fn the_three_hour_path_judges_one_claim_of_a_lesson_at_most() {
    let course = Course::built_in();
    let mut claims = 0;
    for leg in course.routes()[0].legs(&course) {
        let sections = leg.sections.iter().map(|at| &leg.lesson.sections[*at]);
        let judged = sections
            .flat_map(Section::live)
            .filter(|live| matches!(live.content, Ok(Block::Claim { .. })));
        let judged = judged.count();
        assert!(judged <= 1, "{}: {judged}", leg.lesson.id);
        claims += judged;
    }
    assert!(claims > 0, "the path judges claims");
}
