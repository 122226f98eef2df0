//! What happens to the workshop, and what it wants done: both plain data.

use super::key::Key;
use super::machine::Machine;
use super::runs::Ticket;
use crate::run::{Progress, Report, Request, RunError};

/// Milliseconds since the workshop was opened. The clock is outside; here
/// time is only ever read from an [`Event`].
pub type Millis = u64;

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
#[non_exhaustive]
pub enum Message {
    /// A key was pressed.
    Key(Key),
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
    /// How far a run is.
    RunProgress(Ticket, Progress),
    /// A run has ended.
    RunDone(Ticket, Box<Result<Report, RunError>>),
    /// A file could not be written, or was: the sentence to show.
    Saved(Result<String, String>),
}

/// Something that the outside is to do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Effect {
    /// Start a run; its answers carry the ticket.
    StartRun(Ticket, Box<Request>),
    /// Stop the run in progress.
    CancelRun,
    /// Write the learner's progress.
    SaveProgress,
    /// Make a workshop folder where the program was started.
    Init,
    /// Put text on the clipboard of the terminal (OSC 52).
    Copy(String),
    /// Give the terminal back and stop this process until it is continued.
    Suspend,
    /// Forget what the terminal shows and draw everything.
    Redraw,
    /// Look at this machine again.
    Probe,
    /// Leave the program with this exit code.
    Quit(u8),
}
