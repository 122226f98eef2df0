//! Carries effects out: whatever leaves the pure world does it here, for the terminal
//! and for subcommands alike, so that Enter on a form and `check` in a shell walk the
//! same code.
//!
//! | part | carries out |
//! |---|---|
//! | [`Host`] | course, places, progress and sheets: opened, read, recorded, saved |
//! | [`Runs`] | the runs that a question asks for, kept while they are needed |
//! | [`carry_out`] | plans that are timed in turns |
//! | [`studies`] | studies, carried out and kept; [`learned`]: what they leave to later runs |
//! | [`Graded`] | one answer, from what is typed to what is kept of its verdict |
//! | [`Clerk`] | the learner's files for the terminal, on a thread of its own, watched |
//! | [`Away`] | what takes long, each on a thread of its own, answered by a message |
//! | [`device`] | which GPU the course speaks of |
//! | [`machine`] | what this machine has, and the ceilings of its devices |
//! | [`book`](fn@book), [`answer`] | kernels of a plan, what a live block asks |
//! | [`follow`] | this program as a child that may hang or die |
//! | [`edit`] | the learner's editor, in a terminal that was lent |
//!
//! The verdict itself is no effect: the judge is pure, and both sides ask it.

mod apart;
mod ask;
mod away;
mod book;
mod clerk;
mod desk;
mod device;
mod editor;
mod export;
pub mod follow;
mod grade;
mod keep;
mod kernel;
pub mod learned;
pub mod machine;
mod micro;
mod pace;
pub mod proved;
mod rounds;
mod runs;
pub mod studies;
mod trouble;

pub use ask::{answer, excerpt};
pub use away::{Away, Facts};
pub use book::book;
pub use clerk::Clerk;
pub use desk::Host;
pub use device::device;
pub use editor::edit;
pub use grade::Graded;
pub use keep::{keep_runs, kept};
pub use rounds::carry_out;
pub use runs::Runs;
pub use trouble::Trouble;
