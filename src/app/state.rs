//! Everything that the screen shows, as one value.

use super::claims::Claims;
use super::compare::Compare;
use super::exercise::Exercises;
use super::find::Find;
use super::home::Home;
use super::kernel::KernelPage;
use super::keymap::{Action, FooterItem};
use super::lab::Lab;
use super::lesson::Reader;
use super::look::Look;
use super::message::Millis;
use super::note::Tone;
use super::page::{Mark, Page, Trail};
use super::palette::Palette;
use super::roofline::Roofline;
use super::setup_page::SetupPage;
use super::shared::Shared;
use super::{claims, compare, exercise, home, kernel, lab, lesson, roofline, setup_page};
use plan::cost::{self, CostError, Why};

/// Everything that the screen shows.
#[derive(Clone, Debug)]
pub struct State {
    /// The page on the screen.
    pub page: Page,
    /// What pages share.
    pub shared: Shared,
    /// The way back.
    pub trail: Trail,
    /// When a [`super::Message::Tick`] is wanted, if ever.
    pub wake: Option<Millis>,
    /// A first Ctrl-C or `q` waits for its second until then.
    pub(super) leaving: Option<(Action, Millis)>,
    /// First line shown of pages that are only read.
    pub scroll: usize,

    /// The terms of the number that was asked about.
    pub why: Option<Why>,

    /// Contents and progress.
    pub home: Home,
    /// The lab.
    pub lab: Lab,
    /// Versions side by side.
    pub compare: Compare,
    /// The roofline page.
    pub roofline: Roofline,
    /// The kernel page.
    pub kernel: KernelPage,
    /// The setup page.
    pub setup: SetupPage,
    /// The lesson page.
    pub reader: Reader,
    /// The exercise page, and questions wherever they are answered.
    pub exercises: Exercises,
    /// The claims court.
    pub claims: Claims,
    /// The palette, while it is open.
    pub palette: Option<Palette>,
    /// What is searched for on this page.
    pub find: Option<Find>,
    /// Enter was pressed before the course was there: the lesson opens then.
    pub(super) begin: bool,
}

impl State {
    /// The workshop as it opens, on a terminal of `size` columns and rows.
    ///
    /// # Errors
    /// When the default setup cannot be priced, which a test excludes.
    pub fn new(size: (u16, u16), look: Look) -> Result<Self, CostError> {
        Ok(State {
            page: Page::Home,
            shared: Shared::new(size, look)?,
            trail: Trail::default(),
            wake: None,
            leaving: None,
            scroll: 0,
            why: None,
            home: Home::default(),
            lab: Lab::default(),
            compare: Compare::default(),
            roofline: Roofline::default(),
            kernel: KernelPage::default(),
            setup: SetupPage::default(),
            reader: Reader::default(),
            exercises: Exercises::default(),
            claims: Claims::default(),
            palette: None,
            find: None,
            begin: false,
        })
    }

    /// Keys are typed into a line of text.
    pub fn typing(&self) -> bool {
        self.palette.is_some()
            || self.find.as_ref().is_some_and(|f| f.typing)
            || self.page == Page::Setup && self.setup.field.is_some()
            || self.page == Page::Lesson && self.reader.typing()
            || self.exercises.field.is_some()
    }

    /// Where cursor and scroll of the present page stand.
    pub fn mark(&self) -> Mark {
        match self.page {
            // Both have their cursor on a kernel of the plan.
            Page::Lab | Page::Roofline => self.lab.mark(self.shared.slot),
            Page::Kernel => self.kernel.mark(),
            Page::Home => self.home.mark(),
            Page::Lesson => self.reader.mark(),
            Page::Exercises => self.exercises.mark(),
            Page::Claims => self.claims.mark(),
            _ => Mark {
                item: 0,
                scroll: self.scroll,
            },
        }
    }

    /// Puts cursor and scroll of the present page back.
    fn restore(&mut self, mark: Mark) {
        match self.page {
            Page::Lab | Page::Roofline => {
                self.shared.select(mark.item);
                self.lab.restore(mark);
            }
            Page::Kernel => self.kernel.restore(mark),
            Page::Home => self.home.restore(&self.shared.contents, mark),
            Page::Lesson => self.reader.restore(mark),
            Page::Exercises => self.exercises.restore(mark),
            Page::Claims => self.claims.restore(mark),
            _ => self.scroll = mark.scroll,
        }
    }

    /// Opens a page; Esc leads back here.
    pub fn go(&mut self, page: Page) {
        self.find = None;
        if page == self.page {
            return;
        }
        self.trail.push(self.page, self.mark());
        self.page = page;
        self.scroll = 0;
    }

    /// Walks back the way the learner came; stays where there is no way back.
    pub fn back(&mut self) {
        self.find = None;
        if let Some((page, mark)) = self.trail.pop() {
            self.page = page;
            self.restore(mark);
        }
    }

    /// Opens the terms of a modelled number, by its key in the cost model.
    pub fn open_why(&mut self, key: &str) {
        match cost::why(self.shared.bench.cost(), key) {
            Ok(why) => {
                self.why = Some(why);
                self.go(Page::Why);
                self.scroll = 0;
            }
            Err(error) => self.shared.notes.say(Tone::Bad, error.to_string()),
        }
    }
}

/// The keys that the footer of the present page names.
pub fn footer(state: &State) -> &'static [FooterItem] {
    match state.page {
        Page::Home => home::FOOTER,
        Page::Lab => lab::FOOTER,
        Page::Compare => compare::FOOTER,
        Page::Roofline => roofline::FOOTER,
        Page::Kernel => kernel::FOOTER,
        Page::Setup if state.setup.field.is_some() => setup_page::TYPING,
        Page::Setup => setup_page::FOOTER,
        Page::FirstRun => &[
            (&[Action::Open], "begin"),
            (&[Action::Ascii], "ASCII"),
            (&[Action::Theme], "theme"),
            (&[Action::Go(Page::Doctor)], "doctor"),
            (&[Action::Quit], "leave"),
            (&[Action::Help], "help"),
        ],
        Page::Doctor => &[
            (&[Action::Up, Action::Down], "scroll"),
            (&[Action::RunAll], "measure"),
            (&[Action::Theme], "theme"),
            (&[Action::Ascii], "ASCII"),
            (&[Action::CommandLine], "command"),
            (&[Action::Back], "back"),
            (&[Action::Help], "help"),
        ],
        Page::Why | Page::Messages => &[
            (&[Action::Up, Action::Down], "scroll"),
            (&[Action::Find], "find"),
            (&[Action::Back], "back"),
            (&[Action::Help], "help"),
        ],
        Page::Help => &[
            (&[Action::Up, Action::Down], "scroll"),
            (&[Action::Find], "find a key"),
            (&[Action::Back, Action::Help], "closes"),
        ],
        Page::Lesson => lesson::footer(state),
        Page::Exercises => exercise::footer(state),
        Page::Claims => claims::footer(state),
    }
}
