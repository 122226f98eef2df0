//! The path that is followed: how far one is on it, and what comes next.

use super::contents::number;
use super::study::Study;
use course::{Next, PATH_SETTING, Route, Walk};

/// The path that is followed, as pages show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Its title: `Three hours`.
    pub title: String,
    /// How far the learner is.
    pub walk: Walk,
    /// What comes next, in words; empty at its end.
    pub next: String,
}

impl Followed {
    /// `Three hours: 3 of 15 done, about 120 min left`.
    pub fn line(&self) -> String {
        let left = match self.walk.left {
            0 => String::new(),
            left => format!(", about {left} min left"),
        };
        format!("{}: {}{left}", self.title, self.walk.line())
    }

    /// At its end: that it is through, what was not solved, and how one goes on.
    pub fn through(&self) -> String {
        match self.walk.missing() {
            Some(missing) => format!("The path is through; {missing}. P chooses another."),
            None => "The path is through; P chooses another.".to_owned(),
        }
    }
}

/// The path that the learner chose, else the course's first.
pub fn route(study: &Study) -> Option<&Route> {
    let chosen = study.progress.settings.get(PATH_SETTING);
    study.course.route(chosen.map(String::as_str))
}

/// How far the learner is on it.
pub fn followed(study: &Study) -> Option<Followed> {
    let route = route(study)?;
    let walk = route.walk(&study.course, &study.progress);
    Some(Followed {
        title: route.title.clone(),
        next: walk
            .next
            .as_ref()
            .map_or(String::new(), |n| words(study, n)),
        walk,
    })
}

/// Places of the lessons that the path takes, in its order.
pub fn lessons(study: &Study) -> Vec<usize> {
    let legs = route(study).map(|route| route.legs(&study.course));
    legs.into_iter().flatten().map(|leg| leg.place).collect()
}

/// The sections of a lesson that the path reads; none where it does not take it.
pub fn sections(study: &Study, place: usize) -> Vec<usize> {
    let legs = route(study).map(|route| route.legs(&study.course));
    let leg = legs.into_iter().flatten().find(|leg| leg.place == place);
    leg.map_or(Vec::new(), |leg| leg.sections)
}

/// Lesson and section that the path reads before a section; in a lesson that it does not
/// take, the section before it.
pub fn before(study: &Study, place: usize, section: usize) -> Option<(usize, usize)> {
    let legs = route(study).map(|route| route.legs(&study.course));
    let mut before = None;
    for leg in legs.into_iter().flatten() {
        let mut read = leg.sections.iter().map(|read| (leg.place, *read));
        if leg.place == place {
            return read
                .take_while(|(_, read)| *read < section)
                .last()
                .or(before);
        }
        before = read.next_back().or(before);
    }
    section.checked_sub(1).map(|before| (place, before))
}

/// What comes next, in words.
fn words(study: &Study, next: &Next) -> String {
    match next {
        Next::Section(lesson, section) => {
            let lesson = study.lesson(*lesson);
            let title = lesson.and_then(|l| l.sections.get(*section));
            match (lesson, title) {
                (Some(lesson), Some(section)) => {
                    format!("lesson {}, {}", number(&lesson.id), section.title)
                }
                _ => String::new(),
            }
        }
        Next::Question(exercise, key) => {
            let title = study.exercise(exercise).map_or("", |e| e.title.as_str());
            format!("question {exercise} {key}, {title}")
        }
    }
}
