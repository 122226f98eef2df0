//! What happens to the workshop, and what it wants done: both plain data.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ask::{Ask, Shown};
use super::book::{Book, Wanted};
use super::clock::Millis;
use super::keep;
use super::key::Key;
use super::machine::{Ceilings, Machine};
use super::mouse::Target;
use super::question::Asked;
use super::runs::Ticket;
use super::studies::{Kept, Listed};
use super::study::Study;
use course::attempt::Told;
use course::{self, Course};
use plan::run::{BackendKind, Progress, Report, Request, RunError};

/// A message and when it came.
#[derive(Clone, Debug)]
pub struct Event {
    /// When.
    pub at: Millis,
    /// What.
    pub message: Message,
}

/// Something that happened.
#[derive(Clone, Debug)]

pub enum Message {
    /// A key was pressed.
    Key(Key),
    /// Something was clicked.
    Click(Target),
    /// The wheel was turned; `true`: up.
    Wheel(bool),
    /// Text was pasted.
    Paste(String),
    /// The terminal has a new size.
    Resize {
        /// Columns of the terminal.
        columns: u16,
        /// Rows of the terminal.
        rows: u16,
    },
    /// The moment asked for in `State::wake` has come.
    Tick,
    /// The process goes on after Ctrl-Z; the terminal may have changed.
    Resumed,
    /// The system asks the program to end; the code to leave with.
    Terminate(u8),
    /// What this machine has.
    Found(Box<Machine>),
    /// The ceilings of this backend's device were measured, or why not.
    Ceilings(String, Result<Ceilings, String>),
    /// How far a run is.
    RunProgress(Ticket, Progress),
    /// A run has ended.
    RunDone(Ticket, Box<Result<Report, RunError>>),
    /// What was kept of the lab.
    Restored(Box<keep::Kept>),
    /// The course and what the learner made of it.
    Loaded(Box<Study>),
    /// The course was read again: texts of its folder changed.
    Reloaded(Arc<Course>, String),
    /// What the study of this number says of how far it is.
    StudyHeard(Ticket, String),
    /// The study of this number has ended, or why there is none.
    StudyMade(Ticket, Result<Arc<Kept>, String>),
    /// The studies that are kept, the newest first.
    Studies(Vec<Listed>),
    /// A sheet was read.
    Sheet(String, Box<SheetRead>),
    /// Progress as it stands on disk, where another process wrote to it.
    Elsewhere(Box<course::Progress>),
    /// Where an answer was kept: said where nothing else is.
    Kept(String),
    /// Answers are kept in a workshop folder from now on, which the screen calls so.
    Settled(String),
    /// What the judge found of a learner's kernel.
    Judged(Asked, Box<Told>),
    /// The file of an exercise's kernel was written by somebody.
    KernelSaved(String),
    /// What defective kernels yield, by name.
    Mutants(BTreeMap<String, f64>),
    /// The kernels of a plan, or why it has none.
    Kernels(Box<Wanted>, Result<Arc<Book>, String>),
    /// What a live block asked, and what came of it.
    Asked(Box<Ask>, Result<Box<Shown>, String>),
    /// A file could not be written, or was: the sentence to show.
    Saved(Result<String, String>),
}

/// The sheet of an exercise as it lies on disk, and how its questions stand there.
#[derive(Clone, Debug, Default)]
pub struct SheetRead {
    /// What is typed, by key; which variant and which device that is about.
    pub answers: BTreeMap<String, String>,
    /// What is kept of the exercise, and of no other; `None`: that cannot be read.
    pub kept: Option<course::Progress>,
    /// It was read again, because it changed on disk.
    pub again: bool,
}

/// Something that the outside is to do.
#[derive(Clone, Debug, PartialEq)]

pub enum Effect {
    /// Start a run; its answers carry the ticket.
    StartRun(Ticket, Box<Request>),
    /// Stop the run in progress.
    CancelRun,
    /// Make the study of these words of a command line.
    MakeStudy(Ticket, Vec<String>),
    /// Stop it; what was measured is kept.
    StopStudy,
    /// Read the studies that are kept.
    ListStudies,
    /// Add an event to the learner's progress on disk.
    Record(course::Event),
    /// Keep the plan, its setup and the measured roofs for the next time.
    KeepLab(Box<keep::Lab>),
    /// Keep the runs of a job with those before.
    KeepRuns(Vec<keep::Run>),
    /// Read the sheet of this exercise, and again whenever it changes.
    OpenSheet(String),
    /// Write an answer into its sheet.
    SaveAnswer {
        /// Id of the exercise.
        exercise: String,
        /// Name of the key.
        key: String,
        /// As typed; empty opens the question again.
        typed: String,
    },
    /// Empty the sheet of this exercise, for this variant; `reset --undo` in a shell
    /// takes it back.
    Vary {
        /// Id of the exercise.
        exercise: String,
        /// Number of the variant.
        variant: usize,
    },
    /// Open the course for another device, by its id in the data sheets.
    Device(&'static str),
    /// Open the file of a kernel in the learner's editor.
    Edit(Asked),
    /// Judge a learner's kernel, or the letters of its gap form.
    Judge {
        /// The question.
        asked: Asked,
        /// The letters; empty: the file.
        typed: String,
    },
    /// Make a workshop folder where the program was started.
    Init,
    /// Write the session as one file of each kind where the program was started.
    Report,
    /// Look up the kernels of a plan.
    Kernels(Box<Wanted>),
    /// Find out what a live block asks.
    Ask(Box<Ask>),
    /// Put text on the clipboard of the terminal (OSC 52).
    Copy(String),
    /// Keep what is on the screen as a picture, and its numbers where it has any.
    Export {
        /// What the files are called.
        name: String,
        /// CSV.
        numbers: Option<String>,
    },
    /// Give the terminal back and stop this process until it is continued.
    Suspend,
    /// Forget what the terminal shows and draw everything.
    Redraw,
    /// Look at this machine again.
    Probe,
    /// Measure the ceilings of this backend's device.
    Measure(BackendKind),
    /// Leave the program with this exit code.
    Quit(u8),
}
