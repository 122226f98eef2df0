//! A question as it is asked, wherever it is asked.

use super::Prose;
use crate::answer::{Env, Key, Kind};
use crate::exercise::Exercise;
use crate::fields::Phrase;
use plan::units::{Asked, Spec, Unit};

/// A question as it is asked, without what answers it.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Id of its exercise.
    pub exercise: String,
    /// Its name there.
    pub key: String,
    /// What is asked.
    pub ask: Prose,
    /// What is chosen from.
    pub options: Vec<String>,
    /// Heads of the columns and names of the rows that are filled in.
    pub table: Option<(Vec<String>, Vec<String>)>,
    /// The file among whose lines a defect is, and those lines.
    pub listing: Option<(String, Vec<(usize, String)>)>,
    /// The unit that a number is given in; empty for a number without one.
    pub unit: Option<String>,
    /// How it is answered.
    pub kind: Kind,
}

impl Question {
    /// A question of an exercise, its numbers those of its own configuration.
    ///
    /// # Errors
    /// A sentence: a configuration that cannot be.
    pub fn of(exercise: &Exercise, key: &Key, env: &Env<'_>) -> Result<Self, String> {
        let setup = key.setup.answer().map_err(|e| e.to_string())?;
        let env = Env::new(setup, env.gpus, env.records);
        let texts = |phrases: &[Phrase]| phrases.iter().map(|p| p.text.clone()).collect();
        let listing = key.kernel.as_ref().filter(|kernel| !kernel.is_written());
        Ok(Self {
            exercise: exercise.id.clone(),
            key: key.name.text.clone(),
            ask: Prose::of(&key.ask.text, &env),
            options: match listing {
                // The lines themselves are what is chosen from.
                Some(_) => Vec::new(),
                None => texts(&key.options),
            },
            table: key
                .table
                .as_ref()
                .map(|table| (texts(&table.columns), texts(&table.rows))),
            listing: listing.map(|kernel| {
                let lines = kernel.listing.excerpt();
                let line = lines.iter().map(|l| (l.number, l.text.to_string()));
                (kernel.listing.path.to_string(), line.collect())
            }),
            unit: key.unit.as_ref().map(|unit| {
                let word = unit.as_str().split_whitespace().next();
                let word = word.filter(|word| !["x", "plain"].contains(word));
                word.unwrap_or_default().to_owned()
            }),
            kind: key.kind,
        })
    }
}

/// How a number in this unit is written. The unit alone beside a field would look as
/// if it was typed already.
pub fn example(unit: &str) -> String {
    // `plain 6` says how a bare number is printed, and is no unit to be typed.
    Spec::parse(unit).map_or_else(|_| String::new(), |spec| example_of(&spec))
}

/// The same where the unit is known.
pub fn example_of(spec: &Spec) -> String {
    let plain = spec.unit.dimension().is_plain() && spec.unit != Unit::PERCENT;
    match plain {
        true => String::new(),
        false => format!("e.g. {}", Asked::in_unit(spec.unit).example()),
    }
}
