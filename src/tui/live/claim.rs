//! A claim in a lesson.

use crate::tui::claims::evidence;
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;
use app::claims::{Standing, standing};
use app::{State, lesson};
use course::{Ledger, Phrase};

/// The rows inside the box of a `claim` block.
pub fn rows(state: &State, id: &Phrase, columns: usize) -> Result<Vec<Row>, String> {
    let claim = Ledger::built_in().find(&id.text)?;
    if lesson::asks(&state.reader, &state.shared) {
        let mut rows = evidence::said(claim, columns);
        let wait = "What the model says to it is shown once this section is answered.";
        rows.extend(words(wait, columns, Role::Dim));
        return Ok(rows);
    }
    if standing(&state.shared.study, &claim.id.text) == Standing::Open {
        let mut rows = evidence::said(claim, columns);
        rows.push(Row::default());
        let wait = "You judge it first: Enter opens it in the court, Esc comes back. Then this shows what the model says.";
        rows.extend(words(wait, columns, Role::Dim));
        return Ok(rows);
    }
    Ok(evidence::block(state, claim, columns))
}
