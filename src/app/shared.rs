//! What pages share: the plan and its setup, the machine, runs, the course and
//! the learner's progress, messages, look, clock and size. It knows no page.

use super::ask::{Ask, Asked};
use super::bench::Bench;
use super::clock::Millis;
use super::contents::Contents;
use super::intent::{Intent, Out};
use super::keep::Keeping;
use super::keymap::Keys;
use super::look::Look;
use super::machine::{Ceilings, Machine};
use super::merge::Merge;
use super::message::Effect;
use super::note::{Notes, Tone};
use super::question::Questions;
use super::ribbon::COUNT;
use super::runs::{Behind, Runs};
use super::setup::Setup;
use super::studies::Studies;
use super::study::Study;
use course::{Event, Next};
use plan::cost::{CostError, Why};

/// What pages share.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Theme, colours, ASCII.
    pub look: Look,
    /// Which key asks for what.
    pub keys: Keys,
    /// The message row and the messages before it.
    pub notes: Notes,
    /// The time of the latest event.
    pub now: Millis,
    /// The plan and the setup.
    pub bench: Bench,
    /// The slot of the ribbon under the cursor; the kernel that holds it is
    /// selected, on every page that shows the plan's kernels.
    pub slot: usize,
    /// The walls that are falling.
    pub merge: Merge,
    /// What this machine has.
    pub machine: Machine,
    /// Runs and their results.
    pub runs: Runs,
    /// Studies: on offer, kept, being made.
    pub studies: Studies,
    /// What of all this outlives the program.
    pub keeping: Keeping,
    /// The course, the learner's progress and answers.
    pub study: Study,
    /// The contents with progress.
    pub contents: Contents,
    /// The furthest stop of the path that one has been at since the workshop was opened.
    pub(super) furthest: Option<Next>,
    /// What was done about questions, wherever they are answered.
    pub questions: Questions,
    /// What live blocks and questions asked the outside.
    pub asked: Asked,
    /// Where the learner's files are kept, as the screen shows it.
    pub place: String,
    /// Whether that is a workshop folder of theirs.
    pub workshop: bool,
}

/// Smallest terminal that is cut into two panes.
pub const COMFORTABLE: (u16, u16) = (120, 34);

impl Shared {
    /// As the workshop opens, on a terminal of `size` columns and rows.
    ///
    /// # Errors
    /// When the default setup cannot be priced, which a test excludes.
    pub fn new(size: (u16, u16), look: Look) -> Result<Self, CostError> {
        Ok(Shared {
            size,
            look,
            keys: Keys::default(),
            notes: Notes::default(),
            now: 0,
            bench: Bench::new(Setup::preset("workshop")?)?,
            slot: 0,
            merge: Merge::default(),
            machine: Machine::default(),
            runs: Runs::default(),
            studies: Studies::default(),
            keeping: Keeping::default(),
            study: Study::default(),
            contents: Contents::default(),
            furthest: None,
            questions: Questions::default(),
            asked: Asked::default(),
            place: String::new(),
            workshop: false,
        })
    }

    /// The terminal is smaller than so many columns and rows.
    pub fn lacks(&self, least: (u16, u16)) -> bool {
        self.size.0 < least.0 || self.size.1 < least.1
    }

    /// There is room for two panes.
    pub fn two_panes(&self) -> bool {
        self.size.0 >= COMFORTABLE.0 && self.size.1 >= COMFORTABLE.1
    }

    /// Puts the cursor on a slot of the ribbon.
    pub fn select(&mut self, slot: usize) {
        self.slot = slot.min(COUNT - 1);
    }

    /// Keeps a choice of the learner for the next time.
    pub(super) fn choose(&mut self, setting: &str, value: &str, out: &mut Out) {
        let event = Event::Chose {
            setting: setting.to_owned(),
            value: Some(value.to_owned()),
        };
        self.study.progress.apply(&event);
        out.push(Effect::Record(event));
    }

    /// The data sheet that stands in for a roof is that of the course's device.
    pub(super) fn on_paper(&mut self) {
        self.estimates();
        let gpu = self.study.course.gpu();
        let known = self.study.gpus.as_ref().and_then(|all| all.get(gpu).ok());
        if let Some(gpu) = known {
            self.machine.take_sheet(Ceilings::of_gpu(gpu));
        }
    }

    /// The device that the course speaks of, as heads of pages name it.
    pub fn course_gpu(&self) -> Option<&str> {
        let gpus = self.study.gpus.as_ref()?;
        let gpu = gpus.get(self.study.course.gpu()).ok()?;
        Some(&gpu.short)
    }

    /// What runs estimate is of the course's device, too.
    pub(super) fn estimates(&mut self) {
        let gpu = self.study.course.gpu();
        let known = self.study.gpus.as_ref().and_then(|all| all.get(gpu).ok());
        if let Some(gpu) = known {
            self.runs.behind = Behind::of(gpu);
        }
    }

    /// Applies an event to the learner's progress and has it written.
    pub fn record(&mut self, event: Event, out: &mut Out) {
        self.study.progress.apply(&event);
        self.contents.refresh(&self.study);
        out.push(Effect::Record(event));
    }

    /// Has the outside find something out, unless the answer is on its way.
    pub(super) fn ask(&mut self, ask: Ask, out: &mut Out) {
        if self.asked.wait_for(&ask) {
            out.push(Effect::Ask(Box::new(ask)));
        }
    }

    /// Shows the terms behind a number, or says why there are none.
    pub(super) fn explain(&mut self, why: Result<Why, CostError>, out: &mut Out) {
        match why {
            Ok(why) => out.want(Intent::Why(Box::new(why))),
            Err(error) => self.notes.say(Tone::Bad, error.to_string()),
        }
    }
}
