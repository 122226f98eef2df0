//! State, messages, update -> effects, keymap. Pure.
//!
//! [`update`](fn@update) takes the [`State`] and an [`Event`] and answers with
//! [`Effect`]s, data that the runtime in `tui` carries out. Nothing here knows
//! a terminal, a file, a clock or a thread: time comes with the events, and
//! drawing only reads.
//!
//! What pages share (the plan on its [`Bench`], machine, runs, course, notes) is
//! one value, [`Shared`], which knows no page. A page is a module with its own
//! small state that implements [`screen::Screen`] and knows no other page; what it
//! wants of one is an [`intent::Intent`], carried out in `update`.

pub mod answering;
pub mod ask;
pub mod bench;
pub mod book;
mod change;
pub mod claims;
pub mod clock;
pub mod compare;
pub mod contents;
pub mod evidence;
pub mod exercise;
pub mod field;
pub mod find;
pub mod followed;
pub mod glossary;
pub mod help;
pub mod home;
pub mod intent;
pub mod keep;
pub mod kernel;
pub mod key;
pub mod keymap;
pub mod lab;
pub mod lesson;
pub mod live;
pub mod look;
pub mod machine;
pub mod merge;
pub mod merit;
pub mod message;
pub mod mouse;
pub mod note;
mod numbers;
pub mod onward;
pub mod page;
pub mod palette;
pub mod practise;
pub mod question;
pub mod reading;
mod restore;
pub mod ribbon;
pub mod roofline;
pub mod runs;
pub mod screen;
pub mod setup;
pub mod setup_page;
pub mod shared;
pub mod source;
pub mod studies;
pub mod studies_page;
pub mod study;

mod state;
mod time;
mod update;

pub use plan::units::figure;

pub use bench::Bench;
pub use clock::Millis;
pub use keymap::{Action, FooterItem};
pub use look::{Look, Surroundings};
pub use machine::Machine;
pub use message::{Effect, Event, Message, SheetRead};
pub use note::{Note, Tone};
pub use page::{Mark, Page, SMALL, SMALLEST};
pub use setup::Setup;
pub use shared::{COMFORTABLE, Shared};
pub use state::{State, footer};
pub use update::update;
