//! Paths through the course: names that must exist, and time that must be enough.

use super::reading;
use crate::block::Block;
use crate::fault::Fault;
use crate::fields::Phrase;
use crate::lesson::{Lesson, Section};
use crate::library::Course;
use crate::route::{Route, Step, asked};
use plan::nearest;

/// Minutes of a path that counts as short.
const SHORT: u64 = 180;
/// Minutes of reading in a lesson of a short path at most.
const READING: u64 = 15;
/// Claims in a lesson of a short path at most.
const CLAIMS: usize = 1;

/// Everything that is wrong with the paths that lie in the course's own folder.
pub(super) fn check(course: &Course, faults: &mut Vec<Fault>) {
    let file = course.routes_file();
    for route in course.own_routes() {
        for step in &route.steps {
            one(course, file, route, step, faults);
        }
        let taken: u64 = route.steps.iter().map(|step| step.minutes).sum();
        if route.minutes > 0 && taken > route.minutes {
            let say = format!(
                "the steps of {} take {taken} min together, and the path has {}; leave something out.",
                route.name.text, route.minutes
            );
            faults.push(Fault::at(file, route.name.at, say));
        }
    }
}

fn one(course: &Course, file: &str, route: &Route, step: &Step, faults: &mut Vec<Fault>) {
    for question in &step.questions {
        if asked(course, &question.text).is_empty() {
            faults.push(Fault::at(file, question.at, unknown(course, question)));
        }
    }
    let lesson = match course.lesson(&step.lesson.text) {
        Ok(lesson) => lesson,
        Err(say) => {
            faults.push(Fault::at(file, step.lesson.at, say));
            return;
        }
    };
    for name in &step.sections {
        if !lesson.sections.iter().any(|s| s.id == name.text) {
            let ids = lesson.sections.iter().map(|s| s.id.as_str());
            let way_out = match nearest(&name.text, ids.clone()) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("it has {}.", ids.collect::<Vec<_>>().join(", ")),
            };
            let say = format!("{} has no section {}; {way_out}", lesson.id, name.text);
            faults.push(Fault::at(file, name.at, say));
        }
    }
    let named = named(lesson, step);
    let minutes = reading::of_part(lesson, named.iter().copied());
    let at = step.lesson.at;
    if minutes > step.minutes {
        let say = format!(
            "reading alone takes {minutes} min here, and the step has {}; write more, or name fewer sections.",
            step.minutes
        );
        faults.push(Fault::at(file, at, say));
    }
    if route.minutes == 0 || route.minutes > SHORT {
        return;
    }
    if minutes > READING {
        let say = format!(
            "reading takes {minutes} min here, and {READING} are the most on a path of {SHORT} min or less; name fewer sections."
        );
        faults.push(Fault::at(file, at, say));
    }
    let claims = named.iter().flat_map(|section| section.live());
    let claims = claims.filter(|live| matches!(live.content, Ok(Block::Claim { .. })));
    let claims = claims.count();
    if claims > CLAIMS {
        let say = format!(
            "the sections named hold {claims} claims, and {CLAIMS} is the most on a path of {SHORT} min or less; name fewer sections."
        );
        faults.push(Fault::at(file, at, say));
    }
}

/// The sections that a step reads.
fn named<'l>(lesson: &'l Lesson, step: &Step) -> Vec<&'l Section> {
    let wanted = |section: &&Section| {
        step.sections.is_empty() || step.sections.iter().any(|name| name.text == section.id)
    };
    lesson.sections.iter().filter(wanted).collect()
}

fn unknown(course: &Course, question: &Phrase) -> String {
    let (id, key) = question
        .text
        .split_once(' ')
        .unwrap_or((&question.text, ""));
    match course.exercise(id) {
        Err(say) => say,
        Ok(exercise) => crate::exercise::no_such_key(exercise, key.trim()),
    }
}
