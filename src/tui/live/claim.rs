//! A claim in a lesson.

use crate::app::State;
use crate::course::{Ledger, Phrase};
use crate::tui::claims::evidence;
use crate::tui::rows::Row;

/// The rows inside the box of a `claim` block.
pub fn rows(state: &State, id: &Phrase, columns: usize) -> Result<Vec<Row>, String> {
    let claim = Ledger::built_in().find(&id.text)?;
    Ok(evidence::block(state, claim, columns))
}
