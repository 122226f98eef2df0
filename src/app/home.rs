//! Contents and progress.

use super::keymap::{Action, FooterItem};
use super::page::{Mark, Page};

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
    (&[Action::Go(Page::Roofline)], "roofline"),
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

    /// Lessons that were read to the end, of all; reference pages are none.
    pub fn read(&self) -> (usize, usize) {
        let lessons = self.lessons.iter().filter(|l| l.minutes > 0);
        let read = lessons.clone().filter(|l| l.read == Read::Done);
        (read.count(), lessons.count())
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
