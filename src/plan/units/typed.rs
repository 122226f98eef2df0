//! What was typed, and how precisely; or where it could not be read.

use super::arith::Quantity;
use super::dimension::Dimension;
use super::unit::Unit;
use std::fmt;

/// A quantity as somebody typed it.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    /// What it says, in base units.
    pub quantity: Quantity,
    /// The unit that was written last, if any, and its column (from 1).
    pub unit: Option<(Unit, usize)>,
    /// Fewest significant digits among its rounded parts; `None` when it was
    /// computed from whole numbers only and nothing was rounded.
    pub digits: Option<u32>,
    /// Zeros at the end of a whole number, not counted in `digits` and perhaps
    /// meant as such: `30 %` may say two digits. 0 for anything else.
    pub zeros: u32,
    /// Half of the last written place, in base units: how far the typed value
    /// may be from the meant one. 0 when nothing was rounded.
    pub half_place: f64,
    /// Whether it is an expression (`2*4*512`) and not one number.
    pub computed: bool,
}

impl Typed {
    /// Whether `expected` (base units) rounds to what was typed, at the
    /// precision typed: `219.27 GFLOP` says 219,268,788,224 FLOP.
    pub fn rounds_to(&self, expected: &Quantity) -> bool {
        if let (Some(a), Some(b)) = (self.quantity.exact(), expected.exact())
            && a == b
        {
            return true;
        }
        let apart = (self.quantity.value() - expected.value()).abs();
        // The slack is for the float arithmetic of a tie, nothing more.
        apart <= self.half_place * (1.0 + 1e-9) || apart <= expected.value().abs() * 1e-12
    }

    /// The same where the zeros at the end of a whole number are digits as well:
    /// `30 %` says 29.63 %, and `200 MB` does not say 205.
    pub fn rounds_in_full(&self, expected: &Quantity) -> bool {
        let zeros = i32::try_from(self.zeros).unwrap_or(i32::MAX);
        let all = Self {
            half_place: self.half_place / 10_f64.powi(zeros),
            ..self.clone()
        };
        all.rounds_to(expected)
    }

    /// Whether `expected` was cut off at the last place written, in place of
    /// rounded: `16.7` for 16.78.
    pub fn cut_short(&self, expected: &Quantity) -> bool {
        let (typed, expected) = (self.quantity.value().abs(), expected.value().abs());
        typed < expected && expected - typed < 2.0 * self.half_place
    }

    /// The typed value as it was read, in the unit of its own text where it had
    /// one: the echo under a field.
    pub fn echo(&self) -> String {
        let q: &Quantity = &self.quantity;
        match (q.dimension(), q.exact()) {
            (Dimension::Ratio, _) if self.unit.is_some_and(|(u, _)| u == Unit::PERCENT) => {
                super::format_in(q, Unit::PERCENT, None).unwrap_or_else(|_| super::format(q))
            }
            _ => super::spell(q),
        }
    }
}

/// What could not be read: the column (characters, from 1) and a sentence with
/// what was expected and an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Column in the typed text, from 1.
    pub column: usize,
    /// The sentence, without the column.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Column {}.", self.message, self.column)
    }
}

impl std::error::Error for ReadError {}
