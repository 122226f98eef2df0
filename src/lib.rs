//! tinyllama-tutor: a terminal workshop on GPU kernel fusion.
//!
//! The rooms are crates below `src/`; `ARCHITECTURE.md` has the map. This one has
//! the terminal and the command line, and names the others for the tests.

pub use app;
pub use backend::{self, engine};
pub use course;
pub use course::answer;
pub use plan::{cost, fusion, model, run, units};
pub use simt;
pub use study::{self, lab, profile};
pub use text as markup;

pub mod cli;
pub mod picture;
pub mod tui;

/// Which build this is: the version, and a digest of what was compiled in.
pub const BUILD: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "+",
    env!("TINYLLAMA_TUTOR_DIGEST")
);
