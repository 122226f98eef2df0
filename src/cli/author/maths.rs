//! Mathematics that the screen cannot draw, in texts of the course.
//!
//! It is looked for here because `course` knows nothing of `markup`.

use course::{Course, Exercise, Fault, Key, Lesson, Part, Phrase, Place};
use plan::nearest;
use text::math::symbols::{FUNCTIONS, SIGNS, SPACES, WORDS};
use text::parse_from;

/// Macros that take arguments.
const BUILT: [&str; 4] = ["frac", "sqrt", "left", "right"];

/// Faults of the formulas in every text that lint looks at.
pub(super) fn findings(course: &Course) -> Vec<Fault> {
    let lessons = course.own_lessons().flat_map(lesson);
    let exercises = course.own_exercises().flat_map(exercise);
    let solutions = course.own_solutions().flat_map(|solution| {
        let file = solution.text.file();
        let parts = solution.parts.iter();
        parts.flat_map(move |part| markdown(file, &part.body, line(part.body_line)))
    });
    lessons.chain(exercises).chain(solutions).collect()
}

fn lesson(lesson: &Lesson) -> Vec<Fault> {
    let file = lesson.text.file();
    let parts = lesson.sections.iter().flat_map(|section| &section.parts);
    parts
        .flat_map(|part| match part {
            Part::Prose { body, .. } => said(file, body.faults()),
            Part::Live(_) => Vec::new(),
        })
        .collect()
}

fn exercise(exercise: &Exercise) -> Vec<Fault> {
    let file = exercise.text.file();
    let said = |key: &Key| -> Vec<Phrase> {
        let slips = key.slips.iter().map(|slip| &slip.say);
        let hints = key.hints.iter().chain(&key.model);
        slips.chain(hints).chain([&key.ask]).cloned().collect()
    };
    let phrases = exercise.keys.iter().flat_map(said);
    markdown(file, &exercise.body, line(exercise.body_line))
        .into_iter()
        .chain(phrases.flat_map(|phrase| markdown(file, &phrase.text, phrase.at)))
        .collect()
}

fn line(line: usize) -> Place {
    Place { line, column: 1 }
}

/// Faults of the formulas in markdown that begins at `start`.
fn markdown(file: &str, text: &str, start: Place) -> Vec<Fault> {
    said(file, parse_from(text, start, &[]).faults())
}

fn said(file: &str, faults: Vec<text::Fault>) -> Vec<Fault> {
    let say = |message: &str| format!("{message}; {}", way_out(message));
    let fault = |found: text::Fault| Fault::at(file, found.place, say(&found.message));
    faults.into_iter().map(fault).collect()
}

fn way_out(message: &str) -> String {
    let Some((_, name)) = message.split_once("unknown macro \\") else {
        return "until then the page shows it as it is written.".to_owned();
    };
    let known = SIGNS
        .iter()
        .map(|sign| sign.0)
        .chain(FUNCTIONS.iter().map(|function| function.0))
        .chain(SPACES.iter().map(|space| space.0))
        .chain(WORDS.iter().copied())
        .chain(BUILT);
    match nearest(name, known) {
        Some(name) => format!("did you mean \\{name}?"),
        None => "write the sign itself, or \\text{…}.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_that_cannot_be_drawn_has_its_place_and_a_way_out() {
        let said = |text: &str, at: Place| -> Vec<String> {
            let faults = markdown("a.md", text, at);
            faults.iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            said("one\n$\\frc{a}{b}$ and $x$", line(7)),
            ["a.md:8:2: unknown macro \\frc; did you mean \\frac?"]
        );
        assert_eq!(
            said(
                "so $\\bogusness x$",
                Place {
                    line: 3,
                    column: 10
                }
            ),
            ["a.md:3:14: unknown macro \\bogusness; write the sign itself, or \\text{…}."]
        );
        assert_eq!(said("$$\\sum_i x_i$$", line(1)), Vec::<String>::new());
    }
}
