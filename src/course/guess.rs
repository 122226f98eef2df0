//! Guesses before a block shows its results: read, kept beside what came out, and never
//! graded.

use crate::answer::{Env, Value};
use crate::block::{Live, Predict};
use crate::lesson::Lesson;
use crate::progress::{Event, Guess, Progress};
use plan::units::{self, Asked, Dimension, Quantity, ReadError, Spec, Unit};

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
    let typed = typed.trim().to_owned();
    if typed.is_empty() {
        return Ok(typed);
    }
    // It parts the guesses of a block where they are kept.
    if typed.contains('|') {
        return Err("“|” is no part of a number; a share is written 1/7.".to_owned());
    }
    let dimension = match env.map(|env| predict.answer.value.evaluate(env)) {
        Some(Ok(Value::Quantity(quantity))) => quantity.dimension(),
        _ => Dimension::Ratio,
    };
    // What is wrong with it is said in the unit that stands beside the field.
    let unit = predict.unit.as_ref().map(|unit| unit.value.unit);
    let asked = unit.map_or(Asked::new(dimension), Asked::in_unit);
    let why = |e: ReadError| units::read_as(&typed, asked).err().unwrap_or(e).to_string();
    let said = units::read(&typed, Some(dimension)).map_err(why)?;
    let said = said.quantity.dimension();
    if !said.is_plain() && !dimension.agrees(said) {
        units::read_as(&typed, asked).map_err(|e| e.to_string())?;
    }
    Ok(typed)
}

/// What was typed, as a question reads it. A bare number that would say too little there is
/// in the unit that stands beside the field.
fn quantity(typed: &str, asked: Asked) -> Result<Quantity, ReadError> {
    let read = units::read_as(typed, asked).map(|read| read.quantity);
    read.or_else(|why| {
        let bare = units::read(typed, Some(asked.dimension))
            .ok()
            .filter(|read| read.unit.is_none() && read.quantity.dimension().is_plain());
        let in_unit = bare
            .zip(asked.unit)
            .and_then(|(read, unit)| read.quantity.scaled(unit).ok());
        in_unit.ok_or(why)
    })
}

/// What was typed amounts to this, in the unit that was asked.
fn amount(typed: &str, spec: &Spec) -> Option<String> {
    let found = quantity(typed, Asked::in_unit(spec.unit)).ok()?;
    units::format_in(&found, spec.unit, spec.decimals).ok()
}

/// How a guess reads that is being typed: what it would be kept as.
///
/// # Errors
/// Why it cannot be read.
pub fn echo(typed: &str, predict: &Predict, env: Option<&Env<'_>>) -> Result<String, String> {
    let typed = read(typed, predict, env)?;
    let asked = predict.unit.as_ref().map(|unit| &unit.value);
    let plain = || units::read(&typed, None).map_or_else(|_| typed.clone(), |read| read.echo());
    Ok(asked
        .and_then(|spec| amount(&typed, spec))
        .unwrap_or_else(plain))
}

/// A guess as it was typed, with the unit in which it was read, and with what a
/// calculation or a share amounts to.
pub fn said(guess: &Guess, unit: Option<&str>) -> String {
    let typed = guess.typed.as_str();
    if typed.is_empty() {
        return "I do not know".to_owned();
    }
    let read = units::read(typed, None).ok();
    let computed = read.as_ref().is_some_and(|read| read.computed);
    let Some(spec) = unit.and_then(|unit| Spec::parse(unit).ok()) else {
        return match read.filter(|_| computed) {
            Some(read) => format!("{typed} = {}", units::format(&read.quantity)),
            None => typed.to_owned(),
        };
    };
    let bare = read.is_some_and(|read| read.unit.is_none());
    let share = bare && spec.unit == Unit::PERCENT;
    let amount = amount(typed, &spec).filter(|_| computed || share);
    match amount {
        // A number of per cent is one, as it was typed.
        Some(_)
            if share && units::read_as(typed, Asked::in_unit(spec.unit)).is_err() && !computed =>
        {
            format!("{typed} %")
        }
        Some(amount) => format!("{typed} = {amount}"),
        None if bare && !spec.unit.dimension().is_plain() => in_unit(typed, &spec),
        None => typed.to_owned(),
    }
}

/// A bare number with the unit in which it was read, or with what it amounts to there.
fn in_unit(typed: &str, spec: &Spec) -> String {
    let read = quantity(typed, Asked::in_unit(spec.unit)).ok();
    let bare = units::read(typed, None).ok();
    let scaled = bare.and_then(|bare| bare.quantity.scaled(spec.unit).ok());
    match (read == scaled, amount(typed, spec)) {
        (false, Some(amount)) => format!("{typed} = {amount}"),
        _ => format!("{typed} {}", spec.unit.symbol()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Course;

    fn guess(typed: &str) -> Guess {
        Guess {
            typed: typed.to_owned(),
            outcome: String::new(),
        }
    }

    #[test]
    fn a_guess_of_a_share_is_read_as_a_question_reads_it() {
        for (typed, says) in [
            ("1/7", "1/7 = 14.29 %"),
            ("0.143", "0.143 = 14.30 %"),
            ("0.97", "0.97 = 97.00 %"),
            ("61.8", "61.8 %"),
            ("61.8 %", "61.8 %"),
            ("100*1/8", "100*1/8 = 12.50 %"),
            ("", "I do not know"),
        ] {
            assert_eq!(said(&guess(typed), Some("%")), says, "{typed}");
        }
        // The product that a question reads as operations.
        let product = said(&guess("2*100*300^2"), Some("MFLOP"));
        assert_eq!(product, "2*100*300^2 = 18 MFLOP");
        assert_eq!(said(&guess("12.6"), Some("MB")), "12.6 MB");
        assert_eq!(said(&guess("12.6 MiB"), Some("MB")), "12.6 MiB");
        assert_eq!(said(&guess("24576"), Some("B")), "24576 B");
        assert_eq!(said(&guess("3*4"), None), "3*4 = 12");
    }

    #[test]
    fn a_guess_says_how_it_reads_before_it_is_kept() {
        let course = Course::built_in();
        let lesson = course.lesson("11-gate-up").unwrap();
        let live = |live: &&Live| !live.predict.is_empty();
        let live = lesson.sections.iter().flat_map(|s| s.live()).find(live);
        let predict = &live.unwrap().predict[0];
        let echo = |typed: &str| echo(typed, predict, None);
        assert_eq!(echo("1/7").as_deref(), Ok("14.29 %"));
        assert_eq!(echo("12.5").as_deref(), Ok("12.50 %"));
        assert_eq!(echo("0.143").as_deref(), Ok("14.30 %"));
        assert!(echo("twelve of").is_err());
    }
}
