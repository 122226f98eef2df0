//! Experiments over reports: which run is under way, what each plan has shown,
//! and plans side by side. Pure: the thread that runs is the engine's.

mod comparison;
pub mod counted;
mod queue;
mod results;

pub use comparison::{Column, Comparison, Scope};
pub use queue::{Queue, Ticket};
pub use results::{Key, Results};
