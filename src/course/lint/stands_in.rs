//! Exercises that stand in for built-in ones: what built-in lessons show of them, and
//! built-in paths ask, has to be there.

use crate::block::Block;
use crate::exercise::Exercise;
use crate::fault::Fault;
use crate::library::Course;
use crate::route::asked;
use std::collections::BTreeSet;

/// Every question that is missed elsewhere, at the exercise that lacks it.
pub(super) fn check(course: &Course, faults: &mut Vec<Fault>) {
    let own: BTreeSet<&str> = course.own_lessons().map(|l| l.id.as_str()).collect();
    for exercise in course.own_exercises() {
        in_lessons(course, &own, exercise, faults);
        in_paths(course, exercise, faults);
    }
}

fn in_lessons(course: &Course, own: &BTreeSet<&str>, exercise: &Exercise, faults: &mut Vec<Fault>) {
    for lesson in course.lessons().filter(|l| !own.contains(l.id.as_str())) {
        let mut missed = Vec::new();
        for live in lesson.sections.iter().flat_map(|section| section.live()) {
            if let Ok(Block::Question {
                exercise: id,
                key: Some(key),
            }) = &live.content
                && id.text == exercise.id
                && exercise.key(&key.text).is_none()
            {
                missed.push(format!("{} (block {})", key.text, live.number));
            }
        }
        if !missed.is_empty() {
            let say = format!(
                "{0} shows questions that this exercise does not ask, and cannot be shown whole: {1}; ask them here, or write lessons/{0}.md of your own.",
                lesson.id,
                missed.join(", ")
            );
            faults.push(exercise.text.fault(0, say));
        }
    }
}

fn in_paths(course: &Course, exercise: &Exercise, faults: &mut Vec<Fault>) {
    for route in course.routes().iter().filter(|route| !route.own) {
        let questions = route.steps.iter().flat_map(|step| &step.questions);
        let of_it = questions.filter_map(|question| {
            let (id, key) = question.text.split_once(' ')?;
            let missed = id == exercise.id && asked(course, &question.text).is_empty();
            missed.then_some(key.trim())
        });
        let missed: Vec<&str> = of_it.collect();
        if !missed.is_empty() {
            let say = format!(
                "the built-in path {} asks {} of it, which is left out there; ask that here, or write lessons/paths.toml of your own.",
                route.name.text,
                missed.join(", ")
            );
            faults.push(exercise.text.fault(0, say).warning());
        }
    }
}
