//! The verdict on one typed answer.
//!
//! The order of tests is: readable, right, known slip, close, wrong; so a slip
//! that is nearly right is still named. Nothing that is said before a key is
//! solved contains the expected value or a ratio to it.
//!
//! # Decisions
//! - Exact answers: whole numbers below 10⁴ strictly; larger ones are right
//!   when equal at the precision typed with at least four digits. Zeros at the
//!   end of a plain whole number are not digits: 33,550,000 has four.
//! - Close is four times the tolerance (nothing is where that would reach zero, and
//!   with it every number that is too small), or right to the two or more digits that
//!   were typed (zeros at the end among them), or cut off behind the third. For
//!   exact answers there is no close below 10⁴; above it is 0.5 %, what three
//!   digits leave open; of four digits or more the first three are right.
//! - A range, per cent where things are counted, and a fraction of a count are not
//!   read: nothing is graded. Neither is a comma that is right as a decimal sign.
//! - A bare number is in the unit that the question names, unless it is the answer
//!   or a slip as it stands; a share above 1 is a number of per cent. Elsewhere it
//!   lacks its unit.
//! - A slip fits where it rounds to what was typed with at least two digits (not
//!   for whole numbers below 10⁴), or within 0.1 %, and never where the answer
//!   rounds to the same two; another way of counting that
//!   is accepted, within the tolerance.
//! - The right digits under another prefix, the inverse of a ratio and the rest of
//!   a share are slips of every question.
//! - The value in MiB called MB, and the reverse, is a slip of every byte
//!   answer, for kB, MB, GB and TB alike.
//! - Conventions that no slip of the key mentions (MACs, no grouped heads …)
//!   are tried as well, alone and two at once; those need three and four digits.
//! - Zero is never near anything but zero.

mod choice;
mod convention;
mod free;
mod line;
mod meant;
mod number;
mod options;
mod reading;
mod sentence;
mod table;
mod turned;
mod wanted;
mod words;

pub use options::marked;
pub use sentence::{UNCOUNTED, cells_are};
pub(super) use wanted::{Wanted, coincide};

use super::Env;
use super::expr::ExprError;
use super::key::{Key, Kind, Slip, Tolerance};
use crate::number::fill;

/// Which side of the expected value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Too high.
    High,
    /// Too low.
    Low,
}

/// A slip that fits what was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fits {
    /// The sentence that explains it.
    pub say: String,
    /// The claim that prints the value.
    pub claim: Option<String>,
}

/// What the judge found.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing typed.
    Open,
    /// Right; `accepted` explains another convention under which it is.
    Right {
        /// Why this counts although the course counts otherwise.
        accepted: Option<String>,
    },
    /// One or more known slips have this value.
    Slip(Vec<Fits>),
    /// Outside the tolerance, inside four times it; not counted as a try.
    Close(Side),
    /// None of these. A choice has no side.
    Wrong(Option<Side>),
    /// A kernel does not meet a criterion, and no known slip explains it: which, and what was
    /// seen.
    Unmet(String),
    /// It could not be read, or no run says the answer; nothing was graded.
    Unread {
        /// Column in the typed text, from 1; behind its end where something is missing.
        column: usize,
        /// What is wrong and what to write.
        message: String,
    },
    /// Free text or a prediction: kept and not graded.
    Kept,
}

impl Verdict {
    /// The word of `check --json` and of the screen.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Right { .. } => "right",
            Self::Slip(_) => "slip",
            Self::Close(_) => "close",
            Self::Wrong(_) | Self::Unmet(_) => "wrong",
            Self::Unread { .. } => "unread",
            Self::Kept => "kept",
        }
    }

    /// Whether it counts as a try.
    pub fn is_try(&self) -> bool {
        matches!(
            self,
            Self::Right { .. } | Self::Slip(_) | Self::Wrong(_) | Self::Unmet(_)
        )
    }

    /// Whether the answer is right.
    pub fn is_right(&self) -> bool {
        matches!(self, Self::Right { .. })
    }

    /// Whether nothing more is wanted: right, or kept.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Right { .. } | Self::Kept)
    }
}

/// A graded answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What was typed.
    pub typed: String,
    /// How it was read: `2.1927e11 FLOP`; `None` where it was not.
    pub read: Option<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// The expected value in full, only where the verdict is right.
    pub exact: Option<String>,
    /// That is rounded: the value has more digits.
    pub rounded: bool,
    /// The tolerance in words, where there is one.
    pub tolerance: Option<String>,
    /// Four times it.
    pub close: Option<String>,
    /// Where it is a prediction, what came out.
    pub prediction: Option<Prediction>,
    /// The cells of a table, row by row.
    pub cells: Vec<Cell>,
    /// Several options were asked for: what is wrong may be one that is not marked.
    pub several: bool,
    /// What was typed is compared with what runs gave.
    pub measured: bool,
}

/// What came out, beside a prediction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// The outcome in full; `None` until it is known.
    pub seen: Option<String>,
    /// How far apart the two are, at least 1.
    pub factor: Option<f64>,
    /// The tolerance, where they agree within it.
    pub within: Option<Tolerance>,
    /// What the prediction took for granted, where a known slip gives it.
    pub explained: Vec<String>,
}

/// One cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Name of its row.
    pub row: String,
    /// Name of its column.
    pub column: String,
    /// What was found.
    pub judgement: Judgement,
}

/// Grades what was typed for `key`. `env` is the exercise's; the key's own
/// settings are applied here.
///
/// # Errors
/// [`ExprError`] where the key itself cannot be evaluated: a fault of the
/// course, which `lint` finds, and never of the learner.
pub fn grade(typed: &str, key: &Key, env: &Env<'_>) -> Result<Judgement, ExprError> {
    let (env, typed) = (env.with(&key.settings()), typed.trim());
    if typed.is_empty() {
        return Ok(Judgement::plain(typed, Verdict::Open));
    }
    match key.kind {
        Kind::Text => Ok(free::text(typed, key)),
        Kind::Predict => free::prediction(typed, key, &env),
        Kind::Table => table::judged(typed, key, &env),
        Kind::Choice | Kind::Choices | Kind::Ranking => choice::grade(typed, key, &env),
        Kind::Number | Kind::Measured => {
            let measured = key.kind == Kind::Measured;
            let judged = number::grade(typed, key, &env)?;
            Ok(Judgement { measured, ..judged })
        }
    }
}

/// How an answer reads before it is checked: the echo under a field.
///
/// # Errors
/// The sentence and the column, as [`Verdict::Unread`] has them.
pub fn echo(typed: &str, key: &Key, env: &Env<'_>) -> Result<String, (usize, String)> {
    let (env, typed) = (env.with(&key.settings()), typed.trim());
    match key.kind {
        Kind::Number | Kind::Measured | Kind::Predict => number::echo(typed, key, &env),
        Kind::Table => table::echo(typed, key, &env),
        Kind::Text => Ok(typed.trim().to_owned()),
        Kind::Choice | Kind::Choices | Kind::Ranking => choice::echo(typed, key),
    }
}

/// How near an answer must be, in words.
pub fn tolerance(key: &Key, env: &Env<'_>) -> String {
    let wanted = Wanted::of(key, &env.with(&key.settings()), true);
    match (key.tolerance, wanted) {
        (_, Ok(wanted)) if wanted.band.is_some() => "as your runs scatter".to_owned(),
        (Tolerance::Exact, _) => "exact".to_owned(),
        (tolerance, _) => tolerance.to_string(),
    }
}

/// What a slip says, its inline numbers filled in.
fn said(slip: &Slip, env: &Env<'_>) -> String {
    fill(&slip.say.text, |inline| match inline.show(env) {
        Ok(shown) => shown,
        Err((_, say)) => format!("({say})"),
    })
}

impl Judgement {
    /// A verdict that was found elsewhere.
    pub fn of(typed: &str, verdict: Verdict) -> Self {
        Self::plain(typed, verdict)
    }

    fn plain(typed: &str, verdict: Verdict) -> Self {
        Self {
            typed: typed.trim().to_owned(),
            read: None,
            verdict,
            exact: None,
            rounded: false,
            tolerance: None,
            close: None,
            prediction: None,
            cells: Vec::new(),
            several: false,
            measured: false,
        }
    }
}

#[cfg(test)]
mod tests;
