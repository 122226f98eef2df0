//! Everything that can be known to be wrong with a course before a learner sees it.
//!
//! Formats are checked while loading. Here come the rules that look across
//! files and into the model: names that must exist, expressions that must
//! evaluate, figures that must be computed, pages that must fit.

mod court;
mod devices;
mod figures;
mod names;
mod page;
mod prose;
mod reading;
mod routes;
mod running;
mod stands_in;
mod told;
mod words;

#[cfg(test)]
pub(crate) use prose::figures as typed_in;

use super::block::{Block, Live};
use super::exercise::{Exercise, asks_of_gpu};
use super::fault::{Fault, Level, Place};
use super::fields::Phrase;
use super::lesson::{Lesson, Part};
use super::library::Course;
use super::solution::Solution;
use crate::answer::Key;
use ::text::parse;
use std::collections::{BTreeMap, BTreeSet};

/// Hints that every key has: a nudge, the formula, the formula with the learner's numbers.
const HINTS: usize = 3;

/// All findings, sorted by file and line.
///
/// Looks at the texts that lie in a folder when there are any, and at the
/// built-in ones otherwise; names may refer to both.
pub fn lint(course: &Course) -> Vec<Fault> {
    let mut faults = course.faults().to_vec();
    let figurer = figures::Figurer::new();
    for text in course.own_lessons() {
        faults.extend(text.faults.iter().cloned());
        lesson(course, text, &mut faults);
        devices::check(&[&text.text], &text.named, &mut faults);
        devices::recorded(text, &mut faults);
        if let Some(figurer) = &figurer {
            figurer.lesson(text, &mut faults);
            figurer.told(course, text, &mut faults);
            if asks_of_gpu(text.text.body()) {
                let on = |gpu| text.on(gpu);
                figurer.devices(on, |f, text, found| f.lesson(text, found), &mut faults);
            }
        }
    }
    routes::check(course, &mut faults);
    if let Some(figurer) = &figurer {
        figurer.along(course, &mut faults);
    }
    stands_in::check(course, &mut faults);
    court::check(course, &mut faults);
    same_name(course, &mut faults);
    circles(course, &mut faults);
    for text in course.own_exercises() {
        faults.extend(text.faults.iter().cloned());
        exercise(course, text, &mut faults);
        let solution = course.solution(&text.id).map(|found| &found.text);
        let texts: Vec<_> = std::iter::once(&text.text).chain(solution).collect();
        devices::check(&texts, &text.named, &mut faults);
        if let Some(solution) = solution {
            devices::unasked(text, solution, &mut faults);
        }
        if let Some(figurer) = &figurer {
            figurer.exercise(text, &mut faults);
            if text.gpu.is_some() {
                let on = |gpu| text.on(gpu);
                figurer.devices(on, |f, text, found| f.variant(text, found), &mut faults);
            }
        }
    }
    for text in course.own_solutions() {
        faults.extend(text.faults.iter().cloned());
        solution(course, text, &mut faults);
        if let (Some(figurer), Ok(exercise)) = (&figurer, course.exercise(&text.id)) {
            figurer.solution(exercise, text, &mut faults);
        }
    }
    let lessons = course.own_lessons().map(|text| &text.text);
    let exercises = course.own_exercises().map(|text| &text.text);
    let solutions = course.own_solutions().map(|text| &text.text);
    for text in lessons.chain(exercises).chain(solutions) {
        words::check(text, &mut faults);
        devices::words(text, &mut faults);
    }
    faults.sort();
    faults.dedup();
    faults
}

/// Does any finding make the course invalid (exit code 4)?
pub fn fails(findings: &[Fault]) -> bool {
    findings.iter().any(|finding| finding.level == Level::Error)
}

fn lesson(course: &Course, lesson: &Lesson, faults: &mut Vec<Fault>) {
    let file = lesson.text.file();
    for needed in &lesson.needs {
        if let Err(say) = course.lesson(&needed.text) {
            faults.push(Fault::at(file, needed.at, say));
        }
    }
    reading::check(lesson, faults);
    for section in &lesson.sections {
        page::section(file, section, faults);
        court::behind(file, section, faults);
        if !lesson.court && !lesson.is_reference() {
            court::before(file, section, faults);
        }
        for part in &section.parts {
            match part {
                Part::Prose { body, .. } => {
                    prose::check(file, body, faults);
                    prose::links(course, lesson, body, faults);
                }
                Part::Live(live) => block(course, file, live, faults),
            }
        }
    }
}

/// Two lessons with one number (`tinyllama-tutor show 7` takes the first), and
/// two texts with one id on file systems that know no capitals.
fn same_name(course: &Course, faults: &mut Vec<Fault>) {
    for lesson in course.own_lessons() {
        let other = course
            .lessons()
            .find(|other| other.id < lesson.id && other.number() == lesson.number());
        if let Some(other) = other.filter(|_| lesson.number().is_some()) {
            let say = format!(
                "{} has the same number; give one of them another.",
                other.id
            );
            faults.push(lesson.text.fault(0, say).warning());
        }
    }
    let lessons = course.own_lessons().map(|text| (&text.id, &text.text));
    let exercises = course.own_exercises().map(|text| (&text.id, &text.text));
    let ids: Vec<&str> = course
        .lessons()
        .map(|text| text.id.as_str())
        .chain(course.exercises().map(|text| text.id.as_str()))
        .collect();
    for (id, text) in lessons.chain(exercises) {
        let alike = |other: &&&str| **other != id && other.eq_ignore_ascii_case(id);
        if let Some(other) = ids.iter().find(alike) {
            let say =
                format!("{other} is the same id but for capitals; give one of them another name.");
            faults.push(text.fault(0, say));
        }
    }
}

/// Lessons that need each other: nobody could read one of them first.
fn circles(course: &Course, faults: &mut Vec<Fault>) {
    let needs: BTreeMap<&str, Vec<(&str, &Phrase)>> = course
        .lessons()
        .map(|lesson| {
            let needed = lesson.needs.iter();
            let found = needed.filter_map(|n| Some((course.lesson(&n.text).ok()?.id.as_str(), n)));
            (lesson.id.as_str(), found.collect())
        })
        .collect();
    // Whoever needs nothing that is left can be read; what remains is in a circle or
    // waits for one.
    let mut left: BTreeSet<&str> = needs.keys().copied().collect();
    loop {
        let waits = |id: &&str| {
            needs
                .get(id)
                .is_some_and(|n| n.iter().any(|n| left.contains(n.0)))
        };
        let next: BTreeSet<&str> = left.iter().copied().filter(waits).collect();
        if next.len() == left.len() {
            break;
        }
        left = next;
    }
    let mut seen = BTreeSet::new();
    for start in &left {
        let mut way: Vec<(&str, &Phrase)> = Vec::new();
        let mut at = *start;
        while seen.insert(at) {
            let mut needed = needs.get(at).into_iter().flatten();
            let Some((next, phrase)) = needed.find(|(id, _)| left.contains(id)) else {
                break;
            };
            way.push((at, phrase));
            at = next;
        }
        let Some(from) = way.iter().position(|(id, _)| *id == at) else {
            continue;
        };
        let circle = way.get(from..).unwrap_or_default();
        let names: Vec<&str> = circle.iter().map(|(id, _)| *id).chain([at]).collect();
        let say = format!(
            "these lessons need each other, in a circle: {}; leave one of the needs out.",
            names.join(" needs ")
        );
        for (id, phrase) in circle {
            if let Some(lesson) = course.own_lessons().find(|lesson| lesson.id == *id) {
                faults.push(Fault::at(lesson.text.file(), phrase.at, say.clone()));
            }
        }
    }
}

fn block(course: &Course, file: &str, live: &Live, faults: &mut Vec<Fault>) {
    for predict in &live.predict {
        phrases(file, predict.note.as_slice(), faults);
    }
    let Ok(content) = &live.content else { return };
    names::block(file, content, faults);
    match content {
        Block::Steps { steps, .. } => phrases(file, steps, faults),
        Block::Question { exercise, key } => match course.exercise(&exercise.text) {
            Err(say) => faults.push(Fault::at(file, exercise.at, say)),
            Ok(found) => {
                let missing = key.as_ref().filter(|key| found.key(&key.text).is_none());
                faults.extend(missing.map(|key| {
                    Fault::at(file, key.at, super::exercise::no_such_key(found, &key.text))
                }));
            }
        },
        _ => {}
    }
}

/// Typed-in figures in texts of the front matter or of a block.
fn phrases(file: &str, phrases: &[Phrase], faults: &mut Vec<Fault>) {
    for phrase in phrases {
        prose::figures(file, &phrase.text, phrase.at, faults);
    }
}

fn exercise(course: &Course, exercise: &Exercise, faults: &mut Vec<Fault>) {
    let file = exercise.text.file();
    let line = |line: usize| Place { line, column: 1 };
    prose::figures(file, &exercise.body, line(exercise.body_line), faults);
    match &exercise.lesson {
        None => faults.push(exercise.text.fault(
            0,
            "the exercise names no lesson; add lesson = \"07-v1-census\".",
        )),
        Some(lesson) => {
            if let Err(say) = course.lesson(&lesson.text) {
                faults.push(Fault::at(file, lesson.at, say));
            }
        }
    }
    if course.solution(&exercise.id).is_none() {
        faults.push(exercise.text.fault(
            0,
            format!(
            "the exercise has no solution; write solutions/{}.md with a heading ## {} and so on.",
            exercise.id,
            exercise.keys.first().map_or("key", |key| key.name.as_str())
        ),
        ));
    }
    for key in &exercise.keys {
        one_key(course, exercise, key, faults);
    }
    for number in (1..=exercise.looked_at()).filter(|_| exercise.draw.is_some()) {
        if let Ok(drawn) = exercise.variant(number) {
            for key in &drawn.keys {
                one_key(course, &drawn, key, faults);
            }
        }
    }
}

fn one_key(course: &Course, exercise: &Exercise, key: &Key, faults: &mut Vec<Fault>) {
    let file = exercise.text.file();
    let (name, hints) = (&key.name, &key.hints);
    if hints.len() < HINTS {
        faults.push(Fault::at(file, name.at, format!(
            "{} has {} of {HINTS} hints; write a nudge, the formula, and the formula with its numbers.",
            name.text, hints.len()
        )));
    }
    for (index, hint) in hints.iter().enumerate() {
        if hint.text.trim().chars().count() < 6 {
            faults.push(Fault::at(
                file,
                hint.at,
                "this hint says nothing; write a sentence.",
            ));
        }
        if hints
            .iter()
            .take(index)
            .any(|other| other.text == hint.text)
        {
            faults.push(Fault::at(
                file,
                hint.at,
                "this hint repeats an earlier one; write another.",
            ));
        }
    }
    phrases(file, hints, faults);
    for slip in &key.slips {
        prose::figures(file, &slip.say.text, slip.say.at, faults);
    }
    if let Some(solution) = course.solution(&exercise.id)
        && solution.of(key).is_none()
    {
        faults.push(solution.text.fault(
            0,
            format!(
                "there is no derivation for the key {0}; add a heading ## {0} and the steps.",
                name.text
            ),
        ));
    }
}

fn solution(course: &Course, solution: &Solution, faults: &mut Vec<Fault>) {
    let file = solution.text.file();
    let start = Place { line: 1, column: 1 };
    prose::figures(file, &solution.opening, start, faults);
    for part in &solution.parts {
        for section in &parse(&part.body, part.body_line, &[]).sections {
            prose::check(file, section, faults);
            page::text(file, section, faults);
        }
    }
    match course.exercise(&solution.id) {
        Err(say) => faults.push(solution.text.fault(0, say)),
        Ok(exercise) => {
            for part in &solution.parts {
                if !exercise.keys.iter().any(|key| key.name.text == part.key) {
                    let at = solution.text.place(solution.text.line(part.line).start);
                    faults.push(Fault::at(
                        file,
                        at,
                        super::exercise::no_such_key(exercise, &part.key),
                    ));
                }
            }
        }
    }
}
