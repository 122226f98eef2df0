//! Everything that the screen shows, as one value: what pages share, the pages,
//! and which of them is on the screen.

use super::claims::Claims;
use super::clock::Millis;
use super::compare::Compare;
use super::exercise::Exercises;
use super::find::Find;
use super::glossary::Glossary;
use super::help::Help;
use super::home::Home;
use super::intent::Out;
use super::kernel::KernelPage;
use super::keymap::{Action, Footer, FooterItem};
use super::lab::Lab;
use super::lesson::Reader;
use super::look::Look;
use super::page::{Page, Trail};
use super::palette::Palette;
use super::practise::Practise;
use super::reading::{Doctor, FirstRun, Messages, Terms};
use super::roofline::Roofline;
use super::screen::Screen;
use super::setup_page::SetupPage;
use super::shared::Shared;
use super::studies_page::StudiesPage;
use super::time::Beat;
use plan::cost::CostError;

/// Everything that the screen shows.
#[derive(Clone, Debug)]
pub struct State {
    /// What pages share.
    pub shared: Shared,
    /// Grows with every event that may change a text on the screen: what was laid
    /// out is kept as long as it stays.
    pub revision: u64,
    /// The page on the screen.
    pub page: Page,
    /// The way back.
    pub trail: Trail,
    /// When a [`super::Message::Tick`] is wanted, if ever.
    pub wake: Option<Millis>,
    /// A first Ctrl-C or `q` waits for its second until then.
    pub(super) leaving: Option<(Action, Millis)>,
    /// A value was begun where none is taken: when its last character came, and how many
    /// there are. The rest of the word is no key.
    pub(super) word: Option<Millis>,
    /// A letter that the footer names, where words of one's own are asked for, and when it
    /// came: it may begin a word.
    pub(super) letter: Option<(char, Millis)>,
    /// The number of a line that is being typed, and when its last digit came.
    pub(super) number: Option<(usize, Millis)>,
    /// What the log was told about the time.
    pub(super) beat: Beat,
    /// The palette, while it is open.
    pub palette: Option<Palette>,
    /// What is searched for on this page.
    pub find: Option<Find>,

    /// Contents and progress.
    pub home: Home,
    /// The lesson page.
    pub reader: Reader,
    /// The lab.
    pub lab: Lab,
    /// Versions side by side.
    pub compare: Compare,
    /// The roofline page.
    pub roofline: Roofline,
    /// The kernel page.
    pub kernel: KernelPage,
    /// The exercise page.
    pub exercises: Exercises,
    /// The claims court.
    pub claims: Claims,
    /// What this machine has.
    pub doctor: Doctor,
    /// The page of the very first start.
    pub first_run: FirstRun,
    /// The setup page.
    pub setup: SetupPage,
    /// The terms behind a number.
    pub terms: Terms,
    /// Experiments over many plans or sizes.
    pub studies: StudiesPage,
    /// Fresh questions.
    pub practise: Practise,
    /// Words explained.
    pub glossary: Glossary,
    /// The last messages.
    pub messages: Messages,
    /// Keys that work here.
    pub help: Help,
}

/// The page on the screen, and what pages share, apart: the one dispatch.
macro_rules! screen {
    ($state:expr, $($borrow:tt)+) => {
        match $state.page {
            Page::Home => $($borrow)+ $state.home,
            Page::Lesson => $($borrow)+ $state.reader,
            Page::Lab => $($borrow)+ $state.lab,
            Page::Compare => $($borrow)+ $state.compare,
            Page::Roofline => $($borrow)+ $state.roofline,
            Page::Kernel => $($borrow)+ $state.kernel,
            Page::Exercises => $($borrow)+ $state.exercises,
            Page::Claims => $($borrow)+ $state.claims,
            Page::Doctor => $($borrow)+ $state.doctor,
            Page::FirstRun => $($borrow)+ $state.first_run,
            Page::Setup => $($borrow)+ $state.setup,
            Page::Why => $($borrow)+ $state.terms,
            Page::Studies => $($borrow)+ $state.studies,
            Page::Practise => $($borrow)+ $state.practise,
            Page::Glossary => $($borrow)+ $state.glossary,
            Page::Messages => $($borrow)+ $state.messages,
            Page::Help => $($borrow)+ $state.help,
        }
    };
}

impl State {
    /// The workshop as it opens, on a terminal of `size` columns and rows.
    ///
    /// # Errors
    /// When the default setup cannot be priced, which a test excludes.
    pub fn new(size: (u16, u16), look: Look) -> Result<Self, CostError> {
        Ok(State {
            shared: Shared::new(size, look)?,
            revision: 0,
            page: Page::Home,
            trail: Trail::default(),
            wake: None,
            leaving: None,
            word: None,
            letter: None,
            number: None,
            beat: Beat::default(),
            palette: None,
            find: None,
            home: Home::default(),
            reader: Reader::default(),
            lab: Lab::default(),
            compare: Compare::default(),
            roofline: Roofline::default(),
            kernel: KernelPage::default(),
            exercises: Exercises::default(),
            claims: Claims::default(),
            doctor: Doctor::default(),
            first_run: FirstRun,
            setup: SetupPage::default(),
            terms: Terms::default(),
            studies: StudiesPage::default(),
            practise: Practise::default(),
            glossary: Glossary::default(),
            messages: Messages::default(),
            help: Help::default(),
        })
    }

    /// The page on the screen.
    pub fn screen(&self) -> &dyn Screen {
        screen!(self, &)
    }

    /// The page on the screen, and what pages share.
    pub(super) fn parts(&mut self) -> (&mut dyn Screen, &mut Shared) {
        let screen: &mut dyn Screen = screen!(self, &mut);
        (screen, &mut self.shared)
    }

    /// The same, with what is searched for.
    pub(super) fn searched(&mut self) -> (&mut Option<Find>, &mut dyn Screen, &mut Shared) {
        let screen: &mut dyn Screen = screen!(self, &mut);
        (&mut self.find, screen, &mut self.shared)
    }

    /// The terminal is too small for the page.
    pub fn too_small(&self) -> bool {
        self.shared.lacks(self.page.least())
    }

    /// Keys are typed into a line of text.
    pub fn typing(&self) -> bool {
        self.palette.is_some()
            || self.find.as_ref().is_some_and(|f| f.typing)
            || self.screen().typing(&self.shared)
    }

    /// Steps sideways over what is wider than the page.
    pub const fn shift(&self) -> usize {
        match self.page {
            Page::Studies => self.studies.shift,
            _ => self.reader.shift,
        }
    }

    /// Opens a page; Esc leads back here.
    pub fn go(&mut self, page: Page) {
        self.find = None;
        if page == self.page {
            return;
        }
        let mark = self.screen().mark(&self.shared);
        self.trail.push(self.page, mark);
        self.page = page;
        self.help_of_trail();
        self.parts().0.opened();
    }

    /// Opens a page by its key: it takes up what the one before is about.
    pub(super) fn enter(&mut self, page: Page, out: &mut Out) {
        let from = match page == self.page {
            true => None,
            false => self.screen().lesson(&self.shared),
        };
        self.go(page);
        let (screen, shared) = self.parts();
        screen.entered(shared, from, out);
    }

    /// Walks back the way the learner came; stays where there is no way back.
    pub fn back(&mut self) {
        self.find = None;
        let Some((page, mark)) = self.trail.pop() else {
            return;
        };
        if (self.page, page) == (Page::Lesson, Page::Home) {
            // The list shows where one comes from.
            self.home.cursor = self.reader.lesson;
            self.page = page;
            return;
        }
        self.page = page;
        self.help_of_trail();
        let (screen, shared) = self.parts();
        screen.restore(shared, mark);
    }

    /// Help is about the page behind it.
    fn help_of_trail(&mut self) {
        if self.page == Page::Help {
            self.help.of = self.trail.last().unwrap_or(Page::Home);
        }
    }
}

/// The keys that the footer of the present page names.
pub fn footer(state: &State) -> Footer {
    let named = state.screen().footer(&state.shared);
    if state.find.is_none() {
        return named;
    }
    // A text that is searched for takes the keys of ideas.
    let taken = |(actions, word): &FooterItem| match *actions {
        [Action::NextIdea, ..] => (*actions, "hit"),
        _ => (*actions, *word),
    };
    named.iter().map(taken).collect()
}
