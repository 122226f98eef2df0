//! A path with the texts that it names, and how far a learner is on it.

use super::Route;
use crate::lesson::Lesson;
use crate::library::Course;
use crate::progress::Progress;

/// Questions that were read and not solved are named up to so many.
const NAMED: usize = 3;

/// A step with what it names.
#[derive(Debug, Clone)]
pub struct Leg<'c> {
    /// The lesson.
    pub lesson: &'c Lesson,
    /// Its place among the lessons of the course, from 0.
    pub place: usize,
    /// The sections that are read, from 0.
    pub sections: Vec<usize>,
    /// Exercise and key of what is asked.
    pub asked: Vec<(String, String)>,
    /// Minutes of reading and answering.
    pub minutes: u64,
}

/// What comes next on a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// A section: the lesson's place and the section, from 0.
    Section(usize, usize),
    /// A question: exercise and key.
    Question(String, String),
}

/// How far a learner is on a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// Questions solved.
    pub done: usize,
    /// Questions asked.
    pub all: usize,
    /// Exercise and key of those whose solution was read before they were solved: nothing
    /// is left to do of them, and they are not done.
    pub read: Vec<(String, String)>,
    /// Minutes of what is still to be read and answered: of each step's its open share.
    pub left: u64,
    /// What comes next; none: the path is through.
    pub next: Option<Next>,
}

impl Walk {
    /// `14 of 15 questions done, 1 read`.
    pub fn line(&self) -> String {
        let read = match self.read.len() {
            0 => String::new(),
            n => format!(", {n} read"),
        };
        format!("{} of {} questions done{read}", self.done, self.all)
    }

    /// What is said behind the end: which questions were read and not solved.
    pub fn missing(&self) -> Option<String> {
        let named = |(exercise, key): &(String, String)| format!("{exercise} {key}");
        let names: Vec<String> = self.read.iter().take(NAMED).map(named).collect();
        let more = if self.read.len() > NAMED { ", …" } else { "" };
        let was = if self.read.len() == 1 { "was" } else { "were" };
        let names = names.join(", ");
        (!self.read.is_empty()).then(|| format!("{names}{more} {was} read, not solved"))
    }
}

impl Leg<'_> {
    /// What is still to be done of it, what is read before what is asked.
    fn open(&self, progress: &Progress) -> Vec<Next> {
        let mark = progress.lessons.get(&self.lesson.id);
        let unread = |at: &&usize| {
            let section = self.lesson.sections.get(**at);
            section.is_some_and(|s| mark.is_none_or(|mark| !mark.read.contains(&s.id)))
        };
        let unasked = |(exercise, key): &&(String, String)| {
            let mark = progress.key(exercise, key);
            !mark.solved && !mark.given_up && !progress.done_before(exercise, key)
        };
        let sections = self.sections.iter().filter(unread);
        let questions = self.asked.iter().filter(unasked);
        sections
            .map(|section| Next::Section(self.place, *section))
            .chain(questions.map(|(e, k)| Next::Question(e.clone(), k.clone())))
            .collect()
    }

    /// The share of its minutes that so much of it takes, a question as long as a section.
    fn minutes_of(&self, open: usize) -> u64 {
        let all = (self.sections.len() + self.asked.len()).max(1) as u64;
        (self.minutes * open as u64).div_ceil(all)
    }
}

impl Route {
    /// The steps with what they name; what there is not is left out, and lint says so.
    pub fn legs<'c>(&self, course: &'c Course) -> Vec<Leg<'c>> {
        let steps = self.steps(course);
        let leg = |step: &super::Step| {
            let lesson = course.lesson(&step.lesson.text).ok()?;
            let place = course.lessons().position(|other| other.id == lesson.id)?;
            let named = step.sections.iter();
            let place_of = |id: &str| lesson.sections.iter().position(|s| s.id == id);
            let mut sections: Vec<usize> = named.filter_map(|n| place_of(&n.text)).collect();
            // Another text under the lesson's name has other sections.
            if sections.is_empty() {
                sections = (0..lesson.sections.len()).collect();
            }
            let asked = step
                .questions
                .iter()
                .flat_map(|question| asked(course, &question.text))
                .collect();
            Some(Leg {
                lesson,
                place,
                sections,
                asked,
                minutes: step.minutes,
            })
        };
        steps.iter().filter_map(leg).collect()
    }

    /// How far a learner is.
    pub fn walk(&self, course: &Course, progress: &Progress) -> Walk {
        let mut walk = Walk::default();
        for leg in self.legs(course) {
            let solved = |(e, k): &&(String, String)| {
                progress.key(e, k).solved || progress.done_before(e, k)
            };
            walk.all += leg.asked.len();
            walk.done += leg.asked.iter().filter(solved).count();
            let read = |asked: &&(String, String)| {
                !solved(asked) && progress.key(&asked.0, &asked.1).given_up
            };
            walk.read.extend(leg.asked.iter().filter(read).cloned());
            let open = leg.open(progress);
            walk.left += leg.minutes_of(open.len());
            if walk.next.is_none() {
                walk.next = open.into_iter().next();
            }
        }
        walk
    }
}

/// The questions that `ex4 ridge` or `ex4` names.
pub(crate) fn asked(course: &Course, question: &str) -> Vec<(String, String)> {
    let (id, key) = match question.split_once(' ') {
        Some((id, key)) => (id, Some(key.trim())),
        None => (question, None),
    };
    let Ok(exercise) = course.exercise(id) else {
        return Vec::new();
    };
    let names = exercise.keys.iter().map(|k| k.name.text.as_str());
    names
        .filter(|name| key.is_none_or(|key| key == *name))
        .map(|name| (id.to_owned(), name.to_owned()))
        .collect()
}
