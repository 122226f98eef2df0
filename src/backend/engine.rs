//! Runs away from the screen.
//!
//! A [`Worker`] is a thread that takes the newest request, reports progress and
//! stops when told to. What it runs with is an [`Engine`]: the CPU computes
//! here; a GPU's driver, compiler and kernels live in a child process, because
//! they can hang or abort. The child is this program again, started as
//! `tinyllama-tutor engine` ([`serve`]), and [`Supervisor`] starts it, watches
//! it, and ends it.
//!
//! The two speak length-framed JSON ([`plan::run::Ask`], [`plan::run::Answer`])
//! on pipes that nothing else writes to: the child moves its standard streams
//! out of the way first, so that a `printf` of a driver or of a kernel lands in
//! the log, whose tail goes into the message when the child dies.

mod child;
mod choose;
mod frame;
mod log;
mod program;
mod serve;
mod submission;
mod supervisor;
mod worker;

pub use choose::{Engine, Here, expected, probe, proved, this_machine_passed};
pub use frame::{read_frame, write_frame};
pub use program::{Program, WRAP, build, running, this_build_is};
pub use serve::{Served, serve, serve_standard_streams};
pub use submission::submission;
pub use supervisor::{Limits, Supervisor};
pub use worker::{Event, Worker};
