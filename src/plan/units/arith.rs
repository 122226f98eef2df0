//! Quantities and their arithmetic.

use super::dimension::Dimension;
use super::unit::Unit;
use std::fmt;

/// Results beyond this have no meaning here and only arise from typing errors.
const LARGEST: f64 = 1e300;

/// A value in base units (B, FLOP, s), with the exact integer where there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    value: f64,
    exact: Option<i128>,
    dimension: Dimension,
}

/// Why two quantities do not combine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArithmeticError {
    /// Sum, difference or comparison of different dimensions.
    Mismatch(Dimension, Dimension),
    /// A quotient whose divisor is zero.
    DivisionByZero,
    /// Beyond 10³⁰, or a unit to an absurd power.
    TooLarge,
    /// An exponent that is not a plain whole number where one is needed.
    BadExponent,
    /// The square root of a negative value or of a unit that has none.
    BadRoot,
}

impl fmt::Display for ArithmeticError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mismatch(a, b) => write!(f, "{a} and {b} do not add up"),
            Self::DivisionByZero => f.write_str("this divides by zero"),
            Self::TooLarge => f.write_str("this is larger than 10^30"),
            Self::BadExponent => f.write_str(
                "the exponent has to be a plain number, and a whole one if the base has a unit",
            ),
            Self::BadRoot => f.write_str("this has no square root"),
        }
    }
}

impl std::error::Error for ArithmeticError {}

type Result<T> = std::result::Result<T, ArithmeticError>;

impl Quantity {
    /// A value in base units that is not known to be a whole number.
    pub const fn new(value: f64, dimension: Dimension) -> Self {
        Self {
            value,
            exact: None,
            dimension,
        }
    }

    /// An exact whole number of base units.
    pub const fn whole(n: i128, dimension: Dimension) -> Self {
        Self {
            value: n as f64,
            exact: Some(n),
            dimension,
        }
    }

    /// A count from a 64-bit integer, as the cost model gives it.
    pub const fn count(n: u64) -> Self {
        Self::whole(n as i128, Dimension::Count)
    }

    /// Bytes from a 64-bit integer.
    pub const fn bytes(n: u64) -> Self {
        Self::whole(n as i128, Dimension::Bytes)
    }

    /// FLOP from a 64-bit integer.
    pub const fn flop(n: u64) -> Self {
        Self::whole(n as i128, Dimension::Flop)
    }

    /// Seconds.
    pub const fn seconds(s: f64) -> Self {
        Self::new(s, Dimension::Time)
    }

    /// A share or factor.
    pub const fn ratio(r: f64) -> Self {
        Self::new(r, Dimension::Ratio)
    }

    /// The value in base units.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The value as an exact whole number of base units, where it is known to be one.
    pub fn exact(&self) -> Option<i128> {
        self.exact
    }

    /// The dimension.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// The value counted in `unit`, whatever its dimension.
    pub fn in_unit(&self, unit: Unit) -> f64 {
        // Divide before multiplying where that is exact, so that whole numbers stay whole.
        self.value / unit.numerator() as f64 * unit.denominator() as f64
    }

    /// The same number as another dimension: the way a plain product becomes FLOP.
    #[must_use]
    pub fn with_dimension(self, dimension: Dimension) -> Self {
        Self { dimension, ..self }
    }

    /// The same number scaled by a unit: `12.6` in MB.
    pub fn scaled(self, unit: Unit) -> Result<Self> {
        let (num, den) = (i128::from(unit.numerator()), i128::from(unit.denominator()));
        let exact = self
            .exact
            .and_then(|n| n.checked_mul(num))
            .and_then(|n| (n % den == 0).then_some(n / den));
        finite(Self {
            value: exact.map_or(self.value * num as f64 / den as f64, |n| n as f64),
            exact,
            dimension: unit.dimension(),
        })
    }

    /// Sum of two quantities of one dimension.
    pub fn plus(self, other: Self) -> Result<Self> {
        self.combine(other, i128::checked_add, |a, b| a + b)
    }

    /// Difference of two quantities of one dimension.
    pub fn minus(self, other: Self) -> Result<Self> {
        self.combine(other, i128::checked_sub, |a, b| a - b)
    }

    fn combine(
        self,
        other: Self,
        whole: fn(i128, i128) -> Option<i128>,
        float: fn(f64, f64) -> f64,
    ) -> Result<Self> {
        if !self.dimension.agrees(other.dimension) {
            return Err(ArithmeticError::Mismatch(self.dimension, other.dimension));
        }
        let dimension = if self.dimension == other.dimension {
            self.dimension
        } else {
            Dimension::Ratio
        };
        finite(Self::of(
            both(self, other, whole),
            float(self.value, other.value),
            dimension,
        ))
    }

    /// Product.
    pub fn times(self, other: Self) -> Result<Self> {
        let dimension = self
            .dimension
            .times(other.dimension)
            .ok_or(ArithmeticError::TooLarge)?;
        finite(Self::of(
            both(self, other, i128::checked_mul),
            self.value * other.value,
            dimension,
        ))
    }

    /// Quotient; dividing by zero is an error, never infinity.
    pub fn over(self, other: Self) -> Result<Self> {
        if other.value == 0.0 {
            return Err(ArithmeticError::DivisionByZero);
        }
        let dimension = self
            .dimension
            .over(other.dimension)
            .ok_or(ArithmeticError::TooLarge)?;
        let whole = |a: i128, b: i128| (b != 0 && a % b == 0).then_some(a / b);
        finite(Self::of(
            both(self, other, whole),
            self.value / other.value,
            dimension,
        ))
    }

    /// Power. The exponent is plain; a base with a unit needs a whole exponent.
    pub fn power(self, exponent: Self) -> Result<Self> {
        if !exponent.dimension.is_plain() {
            return Err(ArithmeticError::BadExponent);
        }
        if self.value == 0.0 && exponent.value < 0.0 {
            return Err(ArithmeticError::DivisionByZero);
        }
        let whole = exponent.exact;
        let dimension = match whole.and_then(|n| i8::try_from(n).ok()) {
            Some(n) => self
                .dimension
                .to_power(n)
                .ok_or(ArithmeticError::TooLarge)?,
            None if self.dimension.is_plain() => Dimension::Ratio,
            None => return Err(ArithmeticError::BadExponent),
        };
        let exact = match (self.exact, whole.and_then(|n| u32::try_from(n).ok())) {
            (Some(base), Some(n)) => base.checked_pow(n),
            _ => None,
        };
        finite(Self::of(exact, self.value.powf(exponent.value), dimension))
    }

    /// Square root.
    pub fn root(self) -> Result<Self> {
        let dimension = self.dimension.root().ok_or(ArithmeticError::BadRoot)?;
        if self.value < 0.0 {
            return Err(ArithmeticError::BadRoot);
        }
        let exact = self.exact.and_then(|n| {
            let r = n.isqrt();
            (r * r == n).then_some(r)
        });
        finite(Self::of(exact, self.value.sqrt(), dimension))
    }

    /// The quantity with its sign turned.
    #[must_use]
    pub fn negated(self) -> Self {
        Self {
            value: -self.value,
            exact: self.exact.and_then(i128::checked_neg),
            ..self
        }
    }

    /// A float result that replaces the value, made whole where it is one:
    /// the way `round`, `ceil` and `floor_int` end.
    #[must_use]
    pub fn rounded(self, round: fn(f64) -> f64) -> Self {
        if self.exact.is_some() {
            return self;
        }
        let value = round(self.value);
        let dimension = match self.dimension {
            Dimension::Ratio => Dimension::Count,
            d => d,
        };
        Self {
            value,
            exact: Some(value as i128),
            dimension,
        }
    }

    fn of(exact: Option<i128>, value: f64, dimension: Dimension) -> Self {
        Self {
            value: exact.map_or(value, |n| n as f64),
            exact,
            dimension,
        }
    }
}

/// The exact result, where both sides are exact and it does not overflow.
fn both(a: Quantity, b: Quantity, f: impl Fn(i128, i128) -> Option<i128>) -> Option<i128> {
    f(a.exact?, b.exact?)
}

fn finite(q: Quantity) -> Result<Quantity> {
    if q.value.is_finite() && q.value.abs() <= LARGEST {
        Ok(q)
    } else {
        Err(ArithmeticError::TooLarge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_survive_beyond_the_floats() {
        // 2^53 + 1 is the first integer that an f64 cannot hold.
        let q = Quantity::flop((1 << 53) + 1)
            .plus(Quantity::flop(1))
            .unwrap();
        assert_eq!(q.exact(), Some((1 << 53) + 2));
        let big = Quantity::count(2).power(Quantity::count(63)).unwrap();
        assert_eq!(big.exact(), Some(1 << 63));
    }

    #[test]
    fn a_quotient_is_exact_when_it_comes_out_even() {
        let q = Quantity::bytes(12).over(Quantity::bytes(4)).unwrap();
        assert_eq!((q.exact(), q.dimension()), (Some(3), Dimension::Ratio));
        let q = Quantity::count(16).over(Quantity::count(17)).unwrap();
        assert_eq!(q.exact(), None);
    }

    #[test]
    fn blow_ups_are_errors() {
        let nine = Quantity::count(9);
        let tower = nine.power(nine).and_then(|e| nine.power(e));
        assert_eq!(tower, Err(ArithmeticError::TooLarge));
        assert_eq!(
            nine.over(Quantity::count(0)),
            Err(ArithmeticError::DivisionByZero)
        );
        assert_eq!(
            Quantity::bytes(1).plus(Quantity::flop(1)),
            Err(ArithmeticError::Mismatch(Dimension::Bytes, Dimension::Flop))
        );
    }
}
