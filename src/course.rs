//! Lessons, exercises, sheets, progress: load, lint, embed.

mod block;
mod exercise;
mod fault;
mod fields;
mod file;
mod lesson;
mod library;
mod lint;
mod number;
mod paths;
mod progress;
mod scan;
mod setup;
mod sheet;
mod shelf;
mod solution;
mod text;

pub use block::{Block, Cell, KINDS, LANGUAGES, Live, METRICS, Predict, Series};
pub use exercise::{Exercise, Key, Kind, Slip, Tolerance, is_name, no_such_key};
pub use fault::{Fault, Level, Place, nearest};
pub use fields::{Phrase, Scalar};
pub use file::{Lock, Staged, Stamp, read_bounded, replace};
pub use lesson::{Lesson, Part, Section, VERSIONS, slug};
pub use library::Course;
pub use lint::{fails, lint};
pub use number::{Inline, fill, numbers};
pub use paths::{Places, Surroundings};
pub use progress::{Event, Guess, KeyMark, LessonMark, Mark, Progress, Store};
pub use setup::{COUNTING, SHAPE, Setting, Setup};
pub use sheet::{Saved, Sheet};
pub use solution::{Derivation, Solution};
pub use text::{LARGEST, Text, obeyed};
