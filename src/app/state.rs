//! Everything that the screen shows, as one value.

use super::keymap::{Action, FooterItem};
use super::look::Look;
use super::message::Millis;
use super::note::Notes;
use super::page::{Mark, Page, Trail};

/// Everything that the screen shows.
#[derive(Clone, Debug)]
pub struct State {
    /// The page on the screen.
    pub page: Page,
    /// The way back.
    pub trail: Trail,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Theme, colours, ASCII.
    pub look: Look,
    /// The message row and the messages before it.
    pub notes: Notes,
    /// The time of the latest event.
    pub now: Millis,
    /// When a [`super::Message::Tick`] is wanted, if ever.
    pub wake: Option<Millis>,
    /// A first Ctrl-C or `q` waits for its second until then.
    pub(super) leaving: Option<(Action, Millis)>,
    /// Scroll of pages that are only read (help, messages, doctor).
    pub scroll: usize,
}

/// Smallest terminal that holds a page.
pub const SMALLEST: (u16, u16) = (80, 24);
/// Smallest terminal that is cut into two panes.
pub const COMFORTABLE: (u16, u16) = (120, 34);

impl State {
    /// The workshop as it opens, on a terminal of `size` columns and rows.
    pub fn new(size: (u16, u16), look: Look) -> Self {
        State {
            page: Page::Home,
            trail: Trail::default(),
            size,
            look,
            notes: Notes::default(),
            now: 0,
            wake: None,
            leaving: None,
            scroll: 0,
        }
    }

    /// The terminal is too small for any page.
    pub fn too_small(&self) -> bool {
        self.size.0 < SMALLEST.0 || self.size.1 < SMALLEST.1
    }

    /// There is room for two panes.
    pub fn two_panes(&self) -> bool {
        self.size.0 >= COMFORTABLE.0 && self.size.1 >= COMFORTABLE.1
    }

    /// Where cursor and scroll of the present page stand.
    pub fn mark(&self) -> Mark {
        Mark {
            item: 0,
            scroll: self.scroll,
        }
    }

    /// Puts cursor and scroll of the present page back.
    fn restore(&mut self, mark: Mark) {
        self.scroll = mark.scroll;
    }

    /// Opens a page; Esc leads back here.
    pub fn go(&mut self, page: Page) {
        if page == self.page {
            return;
        }
        self.trail.push(self.page, self.mark());
        self.page = page;
        self.scroll = 0;
    }

    /// Walks back the way the learner came; stays where there is no way back.
    pub fn back(&mut self) {
        if let Some((page, mark)) = self.trail.pop() {
            self.page = page;
            self.restore(mark);
        }
    }
}

/// The keys that the footer of the present page names.
pub fn footer(state: &State) -> &'static [FooterItem] {
    match state.page {
        Page::Help => &[
            (&[Action::Up, Action::Down], "scroll"),
            (&[Action::Back], "closes"),
            (&[Action::Help], "help"),
        ],
        _ => &[
            (&[Action::Palette], "command"),
            (&[Action::Quit], "leave"),
            (&[Action::Help], "help"),
        ],
    }
}
