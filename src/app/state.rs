//! Everything that the screen shows, as one value.

use super::bench::Bench;
use super::claims::Claims;
use super::compare::Compare;
use super::exercise::Exercises;
use super::find::Find;
use super::home::Home;
use super::kernel::KernelPage;
use super::keymap::{Action, FooterItem};
use super::lab::Lab;
use super::lesson::Reader;
use super::live::ask::Asked;
use super::look::Look;
use super::machine::Machine;
use super::message::Millis;
use super::note::{Notes, Tone};
use super::page::{Mark, Page, Trail};
use super::palette::Palette;
use super::roofline::Roofline;
use super::runs::Runs;
use super::setup::Setup;
use super::setup_page::SetupPage;
use super::study::Study;
use super::{claims, compare, exercise, home, kernel, lab, lesson, roofline, setup_page};
use plan::cost::{self, CostError, Why};

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
    /// First line shown of pages that are only read.
    pub scroll: usize,

    /// The plan and the setup.
    pub bench: Bench,
    /// What this machine has.
    pub machine: Machine,
    /// Runs and their results.
    pub runs: Runs,
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
    /// The course, the learner's progress and answers.
    pub study: Study,
    /// The lesson page.
    pub reader: Reader,
    /// What live blocks asked the outside.
    pub asked: Asked,
    /// The exercise page, and questions wherever they are answered.
    pub exercises: Exercises,
    /// The claims court.
    pub claims: Claims,
    /// The palette, while it is open.
    pub palette: Option<Palette>,
    /// What is searched for on this page.
    pub find: Option<Find>,
    /// Where the learner's files are kept, as the screen shows it.
    pub place: String,
    /// Enter was pressed before the course was there: the lesson opens then.
    pub(super) begin: bool,
}

/// Smallest terminal that holds a page.
pub const SMALLEST: (u16, u16) = (80, 24);
/// Smallest terminal that is cut into two panes.
pub const COMFORTABLE: (u16, u16) = (120, 34);

impl State {
    /// The workshop as it opens, on a terminal of `size` columns and rows.
    ///
    /// # Errors
    /// When the default setup cannot be priced, which a test excludes.
    pub fn new(size: (u16, u16), look: Look) -> Result<Self, CostError> {
        Ok(State {
            page: Page::Home,
            trail: Trail::default(),
            size,
            look,
            notes: Notes::default(),
            now: 0,
            wake: None,
            leaving: None,
            scroll: 0,
            bench: Bench::new(Setup::preset("workshop")?)?,
            machine: Machine::default(),
            runs: Runs::default(),
            why: None,
            home: Home::default(),
            lab: Lab::default(),
            compare: Compare::default(),
            roofline: Roofline::default(),
            kernel: KernelPage::default(),
            setup: SetupPage::default(),
            study: Study::default(),
            reader: Reader::default(),
            asked: Asked::default(),
            exercises: Exercises::default(),
            claims: Claims::default(),
            palette: None,
            find: None,
            place: String::new(),
            begin: false,
        })
    }

    /// The terminal is too small for any page.
    pub fn too_small(&self) -> bool {
        self.size.0 < SMALLEST.0 || self.size.1 < SMALLEST.1
    }

    /// There is room for two panes.
    pub fn two_panes(&self) -> bool {
        self.size.0 >= COMFORTABLE.0 && self.size.1 >= COMFORTABLE.1
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
            Page::Lab | Page::Roofline => self.lab.mark(),
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
            Page::Lab | Page::Roofline => self.lab.restore(mark),
            Page::Kernel => self.kernel.restore(mark),
            Page::Home => self.home.restore(mark),
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

    /// Brings the contents up to date with the learner's progress.
    pub(super) fn list_lessons(&mut self) {
        self.home.lessons = lesson::lines(&self.study);
        self.home.stopped = lesson::stopped_line(&self.study);
        self.home.slips = exercise::slips(&self.study);
    }

    /// Opens the terms of a modelled number, by its key in the cost model.
    pub fn open_why(&mut self, key: &str) {
        match cost::why(self.bench.cost(), key) {
            Ok(why) => {
                self.why = Some(why);
                self.go(Page::Why);
                self.scroll = 0;
            }
            Err(error) => self.notes.say(Tone::Bad, error.to_string()),
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
