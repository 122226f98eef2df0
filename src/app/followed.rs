//! The path that is followed: how far one is on it, and what comes next.

use super::contents::number;
use super::question::Asked;
use super::study::Study;
use course::{Leg, Next, PATH_SETTING, Route, Walk};

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
    /// `Three hours: 3 of 15 questions done, about 120 min left`; in fewer words where that has
    /// no room in so many columns.
    pub fn line(&self, columns: usize) -> String {
        let (title, done) = (&self.title, self.walk.line());
        let forms = match self.walk.left {
            0 => [format!("{title}: {done}"), done.clone(), done],
            left => [
                format!("{title}: {done}, about {left} min left"),
                format!("{title}: {done}, {left} min"),
                format!("{done}, {left} min"),
            ],
        };
        let fits = |form: &&String| form.chars().count() <= columns;
        forms.iter().find(fits).unwrap_or(&forms[2]).clone()
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

/// What the path reads and asks, in its order.
fn stops(study: &Study) -> Vec<Next> {
    let legs = route(study).map(|route| route.legs(&study.course));
    let of_leg = |leg: Leg<'_>| -> Vec<Next> {
        let read = leg.sections.iter().map(|at| Next::Section(leg.place, *at));
        let asked = leg.asked.iter();
        read.chain(asked.map(|(e, k)| Next::Question(e.clone(), k.clone())))
            .collect()
    };
    legs.into_iter().flatten().flat_map(of_leg).collect()
}

/// Whether the path reads a section.
pub fn is_stop(study: &Study, lesson: usize, section: usize) -> bool {
    stops(study).contains(&Next::Section(lesson, section))
}

/// Where one stands on the path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    stops: Vec<Next>,
    /// So many stops lie before it.
    before: usize,
    /// Place of the stop behind it.
    behind: usize,
}

impl Spot {
    /// At a section, or between those that the path reads of its lesson; none in a lesson
    /// that it does not take.
    pub fn section(study: &Study, place: usize, section: usize) -> Option<Self> {
        let stops = stops(study);
        let of_lesson = |stop: &Next| match stop {
            Next::Section(lesson, at) if *lesson == place => Some(*at),
            _ => None,
        };
        let read = |is: &dyn Fn(usize) -> bool| {
            let here = |stop: &Next| of_lesson(stop).is_some_and(is);
            (stops.iter().position(here), stops.iter().rposition(here))
        };
        let (first, last) = read(&|_| true);
        let before = read(&|at| at < section).1.map(|at| at + 1).or(first)?;
        let behind = read(&|at| at > section).0.or(last.map(|at| at + 1))?;
        Some(Self {
            stops,
            before,
            behind,
        })
    }

    /// At a question; at one that the path does not ask, behind what it asks of the same
    /// exercise.
    pub fn question(study: &Study, asked: &Asked) -> Option<Self> {
        let stops = stops(study);
        let of = |stop: &Next| match stop {
            Next::Question(exercise, key) if *exercise == asked.exercise => Some(*key == asked.key),
            _ => None,
        };
        let at = stops.iter().position(|stop| of(stop) == Some(true));
        let near = stops.iter().rposition(|stop| of(stop).is_some());
        let behind = at.or(near)? + 1;
        Some(Self {
            stops,
            before: at.unwrap_or(behind),
            behind,
        })
    }

    /// The stop before.
    pub fn back(&self) -> Option<&Next> {
        self.stops.get(self.before.checked_sub(1)?)
    }

    /// The stop behind.
    pub fn forth(&self) -> Option<&Next> {
        self.stops.get(self.behind)
    }

    /// The stop behind, where one has been there or further on since the workshop was
    /// opened: who went back to read again goes forth again through the same.
    pub fn again(&self, furthest: Option<&Next>) -> Option<&Next> {
        let been = self.stops.iter().position(|stop| Some(stop) == furthest)?;
        self.forth().filter(|_| been >= self.behind)
    }
}

/// The further one of two stops of the path.
pub fn further(study: &Study, one: Option<Next>, other: Next) -> Next {
    let stops = stops(study);
    let place = |of: &Next| stops.iter().position(|stop| stop == of);
    match one {
        Some(one) if place(&one) > place(&other) => one,
        _ => other,
    }
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
