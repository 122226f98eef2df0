//! Guesses before a block shows its results: read, kept beside what came out, and never
//! graded.

use crate::answer::{Env, Value};
use crate::block::{Live, Predict};
use crate::lesson::Lesson;
use crate::progress::{Event, Guess, Progress};
use plan::units::{self, Asked, Dimension, Spec};

/// Between the guesses of a block that asks more than once.
const BETWEEN: &str = " | ";

impl Live {
    /// The GPU that its questions are about, of a course on `gpu`; empty: none.
    pub fn guessed_of<'g>(&self, gpu: &'g str) -> &'g str {
        match self.asks_of_gpu() {
            true => gpu,
            false => "",
        }
    }

    /// The guesses that were made, in the order of its questions. What was said of another
    /// device answers nothing that is asked of this one.
    pub fn guesses(&self, progress: &Progress, lesson: &Lesson, gpu: &str) -> Vec<Guess> {
        let gpu = self.guessed_of(gpu);
        let Some(kept) = progress.guess(&lesson.id, self.number as u64, gpu) else {
            return Vec::new();
        };
        let mut outcomes = kept.outcome.split(BETWEEN);
        kept.typed
            .split(BETWEEN)
            .take(self.predict.len())
            .map(|typed| Guess {
                typed: typed.to_owned(),
                outcome: outcomes.next().unwrap_or_default().to_owned(),
            })
            .collect()
    }

    /// The event that keeps these guesses, of the first questions or all of them.
    pub fn guessed(&self, lesson: &Lesson, gpu: &str, all: &[Guess]) -> Event {
        let join = |part: fn(&Guess) -> &str| {
            let parts: Vec<&str> = all.iter().map(part).collect();
            parts.join(BETWEEN)
        };
        Event::Guessed {
            lesson: lesson.id.clone(),
            block: self.number as u64,
            gpu: self.guessed_of(gpu).to_owned(),
            typed: join(|guess| &guess.typed),
            outcome: join(|guess| &guess.outcome),
        }
    }
}

/// A guess as it is kept, where it can be read: a number of the kind that is asked for, or
/// nothing. The unit stands beside the field, so it may be left out.
///
/// # Errors
/// Why it cannot be read.
pub fn read(typed: &str, predict: &Predict, env: Option<&Env<'_>>) -> Result<String, String> {
    let typed = typed.trim().replace('|', "/");
    if typed.is_empty() {
        return Ok(typed);
    }
    let dimension = match env.map(|env| predict.answer.value.evaluate(env)) {
        Some(Ok(Value::Quantity(quantity))) => quantity.dimension(),
        _ => Dimension::Ratio,
    };
    let said = units::read(&typed, Some(dimension)).map_err(|e| e.to_string())?;
    let said = said.quantity.dimension();
    if !said.is_plain() && !dimension.agrees(said) {
        units::read_as(&typed, Asked::new(dimension)).map_err(|e| e.to_string())?;
    }
    Ok(typed)
}

/// A guess as it was typed: in per cent where that was asked, with what a calculation
/// amounts to.
pub fn said(guess: &Guess, unit: Option<&str>) -> String {
    let bare = |typed: &str| typed.chars().all(|c| c.is_ascii_digit() || c == '.');
    match (guess.typed.as_str(), unit) {
        ("", _) => "I do not know".to_owned(),
        (typed, Some("%")) if bare(typed) => format!("{typed} %"),
        (typed, _) => match worked_out(typed, unit) {
            Some(value) => format!("{typed} = {value}"),
            None => typed.to_owned(),
        },
    }
}

/// What a guess amounts to that was typed as a calculation, in the unit that was asked.
fn worked_out(typed: &str, unit: Option<&str>) -> Option<String> {
    let read = units::read(typed, None).ok().filter(|read| read.computed)?;
    let q = read.quantity;
    let spec = unit.and_then(|unit| Spec::parse(unit).ok());
    match spec.filter(|_| q.dimension().is_plain()) {
        Some(spec) => units::format_in(&q.scaled(spec.unit).ok()?, spec.unit, spec.decimals).ok(),
        None => Some(units::format(&q)),
    }
}
