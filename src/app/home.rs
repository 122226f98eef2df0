//! Contents and progress.

use super::contents::Contents;
use super::keymap::{Action, FooterItem};
use super::page::{Mark, Page};

/// What the home page remembers.
#[derive(Clone, Debug, Default)]
pub struct Home {
    /// The lesson under the cursor.
    pub cursor: usize,
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
    pub fn restore(&mut self, contents: &Contents, mark: Mark) {
        self.cursor = mark.item.min(contents.lessons.len().saturating_sub(1));
    }

    /// Moves the cursor.
    pub fn walk(&mut self, contents: &Contents, action: Action) {
        let last = contents.lessons.len().saturating_sub(1);
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
