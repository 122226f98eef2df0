//! A question as the course writes it, in the form that the judge reads.

use super::exercise::{Key, Kind, Slip, Tolerance};
use super::fields::Phrase;
use crate::answer::{self, Expr, SlipValue};
use crate::units::Spec;

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
            kind: match self.kind {
                Kind::Number => answer::Kind::Number,
                Kind::Choice => answer::Kind::Choice,
                Kind::Choices => answer::Kind::Choices,
                Kind::Ranking => answer::Kind::Ranking,
                Kind::Measured => answer::Kind::Measured,
            },
            answer: expression(&self.answer)?,
            tolerance: match self.tolerance {
                Tolerance::Exact => answer::Tolerance::Exact,
                Tolerance::Relative(percent) => answer::Tolerance::Relative(percent / 100.0),
                Tolerance::Points(points) => answer::Tolerance::Points(points / 100.0),
            },
            unit,
            options: self.options.iter().map(|o| o.text.clone()).collect(),
            slips: self.slips.iter().map(judged).collect::<Result<_, _>>()?,
            hints: self.hints.iter().map(|h| h.text.clone()).collect(),
            settings: self.setup.meaning(),
        })
    }
}

fn judged(slip: &Slip) -> Result<answer::Slip, String> {
    Ok(answer::Slip {
        value: match (&slip.answer, &slip.printed) {
            (Some(answer), _) => SlipValue::Expr(expression(answer)?),
            (None, Some(printed)) => SlipValue::Printed(printed.text.clone()),
            (None, None) => SlipValue::SameAnswer,
        },
        settings: slip.convention.meaning(),
        accept: slip.accept,
        say: slip.say.text.clone(),
        claim: slip.claim.as_ref().map(|c| c.text.clone()),
    })
}

fn expression(text: &Phrase) -> Result<Expr, String> {
    Expr::parse(text.as_str()).map_err(|e| e.to_string())
}
