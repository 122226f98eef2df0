//! The course that is shipped: it passes its own lint, each lesson asks, and the
//! three-hour path says its words and keeps to its claims.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod typed;

use tinyllama_tutor::course::{Block, Course, Lesson, Live, Part, Route, Section, lint};

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

/// The prose of a section, without fenced blocks.
fn prose(lesson: &Lesson, section: &Section) -> String {
    let mut fenced = false;
    let mut out = String::new();
    for at in section.lines.clone() {
        let line = lesson.text.slice(lesson.text.line(at));
        if line.starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            out.push_str(line);
            out.push(' ');
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a word stands in a text, plural or not, and is no part of another.
fn stands(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + word.len()..]
            .trim_start_matches('s')
            .chars()
            .next();
        let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
        !letter(before) && !letter(behind)
    })
}

/// A lesson and a section of it.
type Place<'c> = (&'c Lesson, &'c Section);

/// The sections of a path in their order.
fn sections<'c>(course: &'c Course, route: &Route) -> Vec<Place<'c>> {
    let legs = route.legs(course);
    let sections = legs.iter().flat_map(|leg| {
        let lesson = leg.lesson;
        leg.sections
            .iter()
            .map(move |at| (lesson, &lesson.sections[*at]))
    });
    sections.collect()
}

#[test]
fn words_are_said_where_the_three_hour_path_first_meets_them() {
    let course = Course::built_in();
    let sections = sections(&course, &course.routes()[0]);
    let small = |(lesson, section): &Place<'_>| prose(lesson, section).to_lowercase();
    for word in [
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
        "live block",
        "sector",
        "rec.",
        "compulsory",
    ] {
        let first = sections.iter().find(|place| stands(&small(place), word));
        let Some(place @ (lesson, section)) = first else {
            continue;
        };
        let text = small(place);
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
fn letters_are_said_where_the_three_hour_path_first_meets_them() {
    let course = Course::built_in();
    let sections = sections(&course, &course.routes()[0]);
    // Code is no prose: `T` is a key.
    let text = |(lesson, section): &Place<'_>| -> String {
        let prose = prose(lesson, section);
        prose.split('`').step_by(2).collect::<Vec<_>>().join("`")
    };
    for (letter, said) in [
        ("B", "B sequences"),
        ("S", "S tokens"),
        ("I", "I elements, the width"),
        ("D", "D is the width"),
        ("Dkv", "D and Dkv wide (keys and values: Dkv)"),
        ("H", "H heads"),
        ("T", "T is the number of tokens"),
        ("L", "L blocks"),
        ("issued", "issued | launches made and bytes asked for"),
    ] {
        let mut places = sections.iter();
        let first = places.find(|place| stands(&text(place), letter));
        let (lesson, section) = first.unwrap_or_else(|| panic!("{letter} stands nowhere"));
        assert!(
            prose(lesson, section).contains(said),
            "{letter} is first met in {} {} and not said there",
            lesson.id,
            section.id
        );
    }
}

/// What is quoted has a source, which is named before, and once.
#[test]
fn documents_are_introduced_once_and_before_they_are_quoted() {
    let course = Course::built_in();
    let introduced = "the documents that this workshop started from";
    for route in course.routes() {
        let sections = sections(&course, route);
        let text = |(lesson, section): &Place<'_>| prose(lesson, section);
        let name = &route.name.text;
        let count: usize = sections
            .iter()
            .map(|s| text(s).matches("started from").count())
            .sum();
        assert_eq!(count, 1, "{name} says {count} times what the documents are");
        let place = |wanted: &dyn Fn(&Place<'_>) -> bool| sections.iter().position(wanted);
        let at = place(&|s| text(s).contains(introduced)).expect(name);
        // Their words and numbers, their names, and what they claim.
        let document = |s: &Place<'_>| {
            let prose = text(s).to_lowercase();
            let text = ["“", "the document", " text ", "appendix"];
            text.iter().any(|word| prose.contains(word)) || s.1.live().any(Live::is_claim)
        };
        let quoted = place(&document).expect(name);
        assert!(
            at <= quoted,
            "{name}: {} {}",
            sections[quoted].0.id,
            sections[quoted].1.id
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
