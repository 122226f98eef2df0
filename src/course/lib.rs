//! Lessons, exercises, sheets, progress: load, lint, embed.
//!
//! | part | holds |
//! |---|---|
//! | [`Course`] | every text by id: built in, overlaid by folders, read when asked for |
//! | [`Lesson`], [`Section`], [`Part`], [`Live`] | a lesson cut into pages, and its live blocks, typed |
//! | [`present`](mod@present) | what a live block shows, for every surface alike |
//! | [`Route`], [`Walk`] | ways through the course, and how far a learner is |
//! | [`assigned`] | the exercises of the documents by their own names, as paths of questions |
//! | [`Exercise`], [`Key`], [`Solution`] | questions, typed once when they are loaded, derivations |
//! | [`Inline`], [`print`](fn@print), [`fill`] | numbers in prose: found, evaluated, put in place |
//! | [`attempt`] | a learner's kernel: its file, the gap form, what a submission found |
//! | [`Sheet`], [`Saved`] | answers as typed, in `answers/<id>.toml` |
//! | [`Progress`], [`Event`], [`Store`] | what was read, answered and guessed |
//! | [`Places`] | workshop folder, state folder, overlays |
//! | [`Ledger`], [`Claim`] | what the documents state, and what is true of it |
//! | [`Figures`] | figures recorded elsewhere, for `recorded.ID` |
//! | [`lint`](fn@lint), [`init`], [`new_lesson`], [`new_exercise`] | for authors |
//!
//! # Decisions
//! - Reading never fails. A text with faults is still a text: what cannot be
//!   read is shown as written, beside a [`Fault`] that names file, line, column
//!   and the way out. One pass finds all faults of a file.
//! - Whatever a terminal would obey is replaced when a text comes in
//!   ([`Text::new`]), and folders are never left through links.
//! - Files are replaced whole or not at all ([`files`]). Whoever writes reads
//!   again first, under a lock, so that two workshops at once add up.
//!
//! ```
//! use course::answer::{Verdict, grade};
//! use plan::cost::GpuDatabase;
//! use course::{Course, Figures};
//!
//! let course = Course::built_in();
//! let exercise = course.exercise("ex1")?;
//! let key = exercise.key("block").ok_or("no such key")?;
//! let gpus = GpuDatabase::embedded()?;
//! let env = exercise.env(&gpus, Figures::built_in())?;
//! let judgement = grade("17", key, &env)?;
//! assert!(matches!(judgement.verdict, Verdict::Right { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod answer;
pub mod assigned;
pub mod attempt;
mod block;
mod bounds;
pub mod claims;
pub mod csv;
mod document;
mod exercise;
mod fault;
mod fields;
pub mod guess;
mod lesson;
mod library;
mod lint;
pub mod measured;
mod number;
mod paths;
mod preferences;
pub mod present;
mod progress;
mod recorded;
pub mod ribbon;
mod route;
mod setup;
mod sheet;
mod shelf;
mod solution;
mod template;
mod text;
mod workshop;

pub use crate::answer::{Kernel, KernelTask, Key, Kind, Slip, SlipValue, Table, Tolerance};
pub use block::{
    Block, Cell, Exhibit, KINDS, LANGUAGES, Live, METRICS, Picture, Predict, Resident, SWEPT,
    Sample, Series, Stretch, swept,
};
pub use claims::{Claim, Ledger};
pub use exercise::{Draw, Exercise, Marked, Pass, is_name, no_such_key};
pub use fault::{Fault, Level, Place};
pub use fields::{Phrase, Typed};
pub use files::{Lock, Staged, Stamp, create, plain, read_bounded, replace};
pub use lesson::{Lesson, Part, Section, VERSIONS, slug};
pub use library::Course;
pub use lint::{fails, lint};
pub use number::{Inline, fill, numbers, print};
pub use paths::{Places, Surroundings};
pub use preferences::{Known, Preferences};
pub use progress::undo;
pub use progress::{Event, Guess, KeyMark, LessonMark, Log, Mark, Progress, Store, Tally, now};
pub use recorded::{Figures, Recorded};
pub use route::{Leg, Next, Route, SETTING as PATH_SETTING, Step, Walk};
pub use setup::{Setting, Setup};
pub use sheet::{DEVICE, Saved, Sheet, VARIANT};
pub use solution::{Derivation, Solution};
pub use template::{Made, init, new_exercise, new_lesson};
pub use text::{LARGEST, Text, obeyed};
pub use workshop::device_of;
