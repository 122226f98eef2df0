//! State, messages, update -> effects, keymap. Pure.
//!
//! [`update`](fn@update) takes the [`State`] and an [`Event`] and answers with
//! [`Effect`]s, data that the runtime in `tui` carries out. Nothing here knows
//! a terminal, a file, a clock or a thread: time comes with the events, and
//! drawing only reads.
//!
//! A page is a module with its own small state and the actions it answers.
//! Plan and setup are not a page's: there is one [`Bench`], shared by lab,
//! compare and the live blocks of lessons.

pub mod bench;
pub mod claims;
pub mod compare;
pub mod exercise;
pub mod field;
pub mod figure;
pub mod find;
pub mod home;
pub mod kernel;
pub mod key;
pub mod keymap;
pub mod lab;
pub mod lesson;
pub mod live;
pub mod look;
pub mod machine;
pub mod message;
pub mod note;
pub mod page;
pub mod palette;
pub mod ribbon;
pub mod roofline;
pub mod runs;
pub mod setup;
pub mod setup_page;
pub mod study;

mod state;
mod update;

pub use bench::Bench;
pub use keymap::{Action, FooterItem};
pub use look::{Look, Surroundings};
pub use machine::Machine;
pub use message::{Effect, Event, Message, Millis};
pub use note::{Note, Tone};
pub use page::{Mark, Page};
pub use setup::Setup;
pub use state::{COMFORTABLE, SMALLEST, State, footer};
pub use update::update;
