//! Contents and progress.

use super::keymap::{Action, FooterItem};
use super::page::{Mark, Page};
use crate::course::{Course, Mark as Verdict, Progress};

/// How far a lesson was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Read {
    /// Not begun.
    #[default]
    Not,
    /// So many of so many sections.
    Part(usize, usize),
    /// To the end.
    Done,
}

/// A line of the contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonLine {
    /// The lesson's id.
    pub id: String,
    /// The number that the list shows: `04`.
    pub number: String,
    /// Title.
    pub title: String,
    /// The version that it is about: `V2`, `all`.
    pub version: String,
    /// Minutes it takes.
    pub minutes: u64,
    /// How far it was read.
    pub read: Read,
    /// Questions answered right.
    pub right: usize,
    /// Questions.
    pub questions: usize,
}

/// What the home page shows.
#[derive(Clone, Debug, Default)]
pub struct Home {
    /// Lessons, in order.
    pub lessons: Vec<LessonLine>,
    /// The lesson under the cursor.
    pub cursor: usize,
    /// The lesson and section where the learner stopped, with its heading.
    pub stopped: Option<Stopped>,
    /// Questions that were answered with a slip, by exercise id.
    pub slips: Vec<String>,
    /// What the course is: `course 1.0, embedded`.
    pub course: String,
}

/// Where the learner stopped reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stopped {
    /// Index of the lesson.
    pub lesson: usize,
    /// Section, from 1.
    pub section: usize,
    /// Sections of the lesson.
    pub of: usize,
    /// The section's heading.
    pub heading: String,
}

/// Keys that the footer names.
pub const FOOTER: &[FooterItem] = &[
    (&[Action::Open], "open"),
    (&[Action::Go(Page::Exercises)], "exercises"),
    (&[Action::Go(Page::Lab)], "lab"),
    (&[Action::Go(Page::Compare)], "compare"),
    (&[Action::Go(Page::Doctor)], "doctor"),
    (&[Action::Find], "find"),
    (&[Action::Palette], "do"),
    (&[Action::Quit], "leave"),
    (&[Action::Help], "help"),
];

impl Home {
    /// Cursor and scroll, for the way back.
    pub fn mark(&self) -> Mark {
        Mark {
            item: self.cursor,
            scroll: 0,
        }
    }

    /// Puts the cursor back.
    pub fn restore(&mut self, mark: Mark) {
        self.cursor = mark.item.min(self.lessons.len().saturating_sub(1));
    }

    /// Takes contents and progress anew; the cursor stays on its lesson.
    pub fn refresh(&mut self, course: &Course, progress: &Progress) {
        let here = self.lessons.get(self.cursor).map(|l| l.id.clone());
        self.lessons = course
            .lessons()
            .map(|lesson| {
                let mark = progress.lessons.get(&lesson.id);
                let sections = lesson.sections.len();
                let read = lesson
                    .sections
                    .iter()
                    .filter(|s| mark.is_some_and(|m| m.read.contains(&s.id)))
                    .count();
                let (right, questions) = answered(course, progress, &lesson.id);
                LessonLine {
                    id: lesson.id.clone(),
                    number: lesson.id.split('-').next().unwrap_or_default().to_owned(),
                    title: lesson.title.clone(),
                    version: lesson.version.replace('v', "V"),
                    minutes: lesson.minutes,
                    read: match read {
                        0 => Read::Not,
                        n if n == sections => Read::Done,
                        n => Read::Part(n, sections),
                    },
                    right,
                    questions,
                }
            })
            .collect();
        self.stopped = stopped(course, progress);
        self.slips = course
            .exercises()
            .filter(|e| {
                e.keys.iter().any(|k| {
                    let mark = progress.key(&e.id, k.name.as_str());
                    !mark.solved && mark.verdict == Some(Verdict::Slip)
                })
            })
            .map(|e| e.id.clone())
            .collect();
        let keep = here.and_then(|id| self.lessons.iter().position(|l| l.id == id));
        self.cursor = keep.unwrap_or_else(|| self.stopped.as_ref().map_or(0, |s| s.lesson));
    }

    /// Lessons that were read to the end.
    pub fn read(&self) -> usize {
        self.lessons.iter().filter(|l| l.read == Read::Done).count()
    }

    /// Questions answered right.
    pub fn right(&self) -> usize {
        self.lessons.iter().map(|l| l.right).sum()
    }

    /// Questions of the course.
    pub fn questions(&self) -> usize {
        self.lessons.iter().map(|l| l.questions).sum()
    }

    /// Moves the cursor.
    pub fn walk(&mut self, action: Action) {
        let last = self.lessons.len().saturating_sub(1);
        self.cursor = match action {
            Action::Up => self.cursor.saturating_sub(1),
            Action::Down => (self.cursor + 1).min(last),
            Action::PageUp => self.cursor.saturating_sub(10),
            Action::PageDown => (self.cursor + 10).min(last),
            Action::Top => 0,
            Action::End => last,
            _ => self.cursor,
        };
    }
}

/// Questions of a lesson's exercises: answered right, and all.
fn answered(course: &Course, progress: &Progress, lesson: &str) -> (usize, usize) {
    course
        .exercises()
        .filter(|e| e.lesson.as_ref().is_some_and(|l| l.as_str() == lesson))
        .flat_map(|e| e.keys.iter().map(move |k| (e, k)))
        .fold((0, 0), |(right, all), (e, k)| {
            let solved = progress.key(&e.id, k.name.as_str()).solved;
            (right + usize::from(solved), all + 1)
        })
}

/// Where the learner stopped, if that place still exists.
fn stopped(course: &Course, progress: &Progress) -> Option<Stopped> {
    let (id, section) = progress.stopped.as_ref()?;
    let (at, lesson) = course.lessons().enumerate().find(|(_, l)| l.id == *id)?;
    let place = lesson.sections.iter().position(|s| s.id == *section)?;
    Some(Stopped {
        lesson: at,
        section: place + 1,
        of: lesson.sections.len(),
        heading: lesson.sections.get(place)?.title.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::Event;

    #[test]
    fn contents_and_progress_of_the_built_in_course() {
        let course = Course::built_in();
        let mut progress = Progress::default();
        let mut home = Home::default();
        home.refresh(&course, &progress);
        assert_eq!(home.lessons.len(), course.lessons().len());
        assert_eq!(home.read(), 0);
        let lesson = course.lessons().nth(1).unwrap();
        progress.apply(&Event::Read {
            lesson: lesson.id.clone(),
            section: lesson.sections[0].id.clone(),
        });
        let mut home = Home::default();
        home.refresh(&course, &progress);
        assert_eq!(
            home.cursor, 1,
            "the cursor starts where the learner stopped"
        );
        assert_eq!(home.lessons[1].read, Read::Part(1, lesson.sections.len()));
    }
}
