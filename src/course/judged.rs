//! A question as the course writes it, in the form that the judge reads.

use super::exercise::{Kernel, Key, Slip, Table};
use super::fields::Phrase;
use crate::answer::{self, Expr, Grid, SlipValue};
use plan::units::Spec;

impl Key {
    /// The judge's form of this question, its whole configuration included.
    ///
    /// # Errors
    /// A sentence that names what cannot be read: a fault of the course, which
    /// `lint` finds with its place.
    pub fn judged(&self) -> Result<answer::Key, String> {
        let unit = match &self.unit {
            Some(unit) => Some(Spec::parse(unit.as_str()).map_err(|e| e.message)?),
            None => None,
        };
        Ok(answer::Key {
            name: self.name.text.clone(),
            ask: self.ask.text.clone(),
            kind: self.kind,
            answer: self.answer.as_ref().map(expression).transpose()?,
            grid: self.table.as_ref().map(grid).transpose()?,
            needs_number: self.needs_number,
            tolerance: self.tolerance,
            unit,
            options: self.options.iter().map(|o| o.text.clone()).collect(),
            lines: self.kernel.as_ref().map_or_else(Vec::new, lines),
            slips: self.slips.iter().map(judged).collect::<Result<_, _>>()?,
            hints: self.hints.iter().map(|h| h.text.clone()).collect(),
            settings: self.setup.meaning(),
        })
    }
}

/// The lines among which the defective one is looked for.
fn lines(kernel: &Kernel) -> Vec<String> {
    if kernel.is_written() {
        return Vec::new();
    }
    let excerpt = kernel.listing.excerpt().into_iter();
    excerpt.map(|line| line.text.to_string()).collect()
}

fn judged(slip: &Slip) -> Result<answer::Slip, String> {
    Ok(answer::Slip {
        value: match (&slip.answer, &slip.printed) {
            (Some(answer), _) => SlipValue::Expr(expression(answer)?),
            (None, Some(printed)) => SlipValue::Printed(printed.text.clone()),
            (None, None) => SlipValue::SameAnswer,
        },
        settings: slip.convention.meaning(),
        row: slip.row.as_ref().map(|r| r.text.clone()),
        column: slip.column.as_ref().map(|c| c.text.clone()),
        accept: slip.accept,
        say: slip.say.text.clone(),
        claim: slip.claim.as_ref().map(|c| c.text.clone()),
    })
}

fn grid(table: &Table) -> Result<Grid, String> {
    let names = |phrases: &[Phrase]| phrases.iter().map(|p| p.text.clone()).collect();
    let row = |cells: &Vec<Phrase>| cells.iter().map(expression).collect::<Result<_, _>>();
    Ok(Grid {
        columns: names(&table.columns),
        rows: names(&table.rows),
        answers: table.answers.iter().map(row).collect::<Result<_, _>>()?,
    })
}

fn expression(text: &Phrase) -> Result<Expr, String> {
    Expr::parse(text.as_str()).map_err(|e| e.to_string())
}
