//! The home page: contents and progress.

use super::change::NAME;
use super::intent::{Intent, Out};
use super::keymap::{Action, Footer, FooterItem, without};
use super::message::Effect;
use super::note::Tone;
use super::onward;
use super::page::{Mark, Page};
use super::screen::Screen;
use super::shared::Shared;

/// What the home page remembers.
#[derive(Clone, Debug, Default)]
pub struct Home {
    /// The lesson under the cursor.
    pub cursor: usize,
    /// Enter was pressed before the course was there: the lesson opens then.
    pub(super) waiting: bool,
    /// The path that is looked at, by its place in the course, before it is followed.
    pub look: Option<usize>,
}

/// Keys that the footer names.
const FOOTER: &[FooterItem] = &[
    (&[Action::Flip], "path goes on"),
    (&[Action::Open], "open"),
    (&[Action::Path], "path"),
    (&[Action::Go(Page::Exercises)], "exercises"),
    (&[Action::Go(Page::Lab)], "lab"),
    (&[Action::Quit], "leave"),
    (&[Action::Find], "find"),
    (&[Action::Palette], "do"),
    (&[Action::Help], "help"),
];

/// Keys while a path is looked at.
const LOOKING: &[FooterItem] = &[
    (&[Action::Open], "follow this path"),
    (&[Action::Path], "look at the next"),
    (&[Action::Back], "stay with yours"),
    (&[Action::Help], "help"),
];

impl Screen for Home {
    fn footer(&self, shared: &Shared) -> Footer {
        let route = shared.contents.route.as_ref();
        match self.look {
            Some(_) => LOOKING.into(),
            // Nothing is left of the path: Space leads nowhere.
            None if route.is_some_and(|route| route.walk.next.is_none()) => {
                without(FOOTER, &[Action::Flip])
            }
            None => FOOTER.into(),
        }
    }

    /// From a lesson the cursor goes to it.
    fn entered(&mut self, shared: &mut Shared, from: Option<String>, _: &mut Out) {
        if let Some(at) = from.and_then(|id| shared.study.place_of(&id)) {
            self.cursor = at;
        }
    }

    fn leave(&mut self, _: &mut Shared) -> bool {
        self.look.take().is_some()
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        let last = shared.contents.lessons.len().saturating_sub(1);
        let look = self.look.take();
        self.cursor = match action {
            Action::Open if look.is_some() => {
                onward::follow(shared, look.unwrap_or(0), out);
                self.cursor
            }
            Action::Open if !shared.study.loaded => {
                self.waiting = true;
                self.cursor
            }
            Action::Open => {
                out.want(Intent::Lesson(self.cursor));
                self.cursor
            }
            Action::Flip => {
                onward::go_on(shared, out);
                self.cursor
            }
            Action::Run => {
                shared
                    .notes
                    .say(Tone::Plain, "The report is being written …");
                out.push(Effect::Report);
                self.cursor
            }
            Action::Path => {
                self.look = onward::look(shared, look);
                self.cursor
            }
            Action::Up => self.cursor.saturating_sub(1),
            Action::Down => (self.cursor + 1).min(last),
            Action::PageUp => self.cursor.saturating_sub(10),
            Action::PageDown => (self.cursor + 10).min(last),
            Action::Top => 0,
            Action::End => last,
            _ => self.cursor,
        };
    }

    fn command(&self, _: &Shared) -> String {
        format!("{NAME} lessons")
    }

    fn mark(&self, _: &Shared) -> Mark {
        Mark {
            item: self.cursor,
            scroll: 0,
        }
    }

    fn restore(&mut self, shared: &mut Shared, mark: Mark) {
        let last = shared.contents.lessons.len().saturating_sub(1);
        self.cursor = mark.item.min(last);
    }

    fn items(&self, shared: &Shared) -> Vec<String> {
        let lessons = shared.contents.lessons.iter();
        lessons.map(|l| l.title.clone()).collect()
    }

    fn searched(&self) -> &'static str {
        "among the titles of lessons"
    }

    fn place(&self, _: &Shared) -> usize {
        self.cursor
    }

    fn jump(&mut self, _: &mut Shared, at: usize) {
        self.cursor = at;
    }
}
