//! What a key wants to hear, once evaluated: what is right, what is close, which
//! value a slip has.

use super::Side;
use crate::answer::Env;
use crate::answer::expr::{Expr, ExprError, Value};
use crate::answer::key::{Key, Kind, Slip, SlipValue, Tolerance};
use plan::units::{self, Asked, Dimension, Quantity, Typed, Unit};

/// Whole numbers below this are right to the last digit or not at all.
const STRICT_BELOW: f64 = 1e4;
/// What three digits leave open at worst, half a unit of the third: an exact
/// count is close within it.
const THREE_DIGITS: f64 = 5e-3;
/// Close is this many tolerances.
const CLOSE: f64 = 4.0;
/// A slip is named where it is what was typed: rounded, or within this share or
/// these points, whatever the question's tolerance.
const SLIP: f64 = 1e-3;
const SLIP_POINTS: f64 = 2e-4;
/// A measured time may leave the runs that were made by this much.
const MEASURED: (f64, f64) = (0.7, 1.3);
/// Runs further from the median than this factor are the machine's other work: they
/// widen nothing.
const OUTLIER: f64 = 1.3;

/// What a key wants to hear, once evaluated.
pub(in crate::answer) struct Wanted {
    pub expected: Quantity,
    pub asked: Asked,
    pub tolerance: Tolerance,
    /// The least and the largest measured value that count, for times of a run.
    pub band: Option<(f64, f64)>,
}

impl Wanted {
    /// Evaluates the key. With `dry`, a run that was not made counts as 1.
    pub fn of(key: &Key, env: &Env<'_>, dry: bool) -> Result<Self, ExprError> {
        let found = value(key.expected()?, env, dry)?;
        let unit = key.unit.as_ref().map(|spec| spec.value.unit);
        let share =
            found.dimension() == Dimension::Ratio && matches!(key.tolerance, Tolerance::Points(_));
        let unit = unit.or(share.then_some(Unit::PERCENT));
        let expected = coerced(found, unit);
        let mut wanted = Self {
            expected,
            asked: Asked {
                // A value between whole numbers is no count of anything.
                dimension: match (expected.dimension(), expected.exact()) {
                    (Dimension::Count, None) => Dimension::Ratio,
                    (dimension, _) => dimension,
                },
                unit,
            },
            tolerance: key.tolerance,
            band: None,
        };
        if key.kind == Kind::Measured
            && let Ok(answer) = key.expected()
            && answer.run_path() == Some("time.median")
        {
            let of = |path| value(&answer.with_run_path(path), env, dry).map(|q| q.value());
            let median = wanted.expected.value();
            let least = of("time.min")?.max(median / OUTLIER);
            let most = of("time.max")?.min(median * OUTLIER);
            wanted.band = Some((least * MEASURED.0, most * MEASURED.1));
        }
        Ok(wanted)
    }

    /// Whether a whole number is wanted that is right to the last digit.
    pub(super) fn counts(&self) -> bool {
        self.tolerance == Tolerance::Exact && strict(&self.expected)
    }

    /// Whether the typed value is near enough to `expected`.
    pub(super) fn accepts(&self, typed: &Typed, expected: &Quantity, tolerance: Tolerance) -> bool {
        let (t, e) = (typed.quantity.value(), expected.value());
        // Zero passes no tolerance: an answer of all zeros cannot be right.
        if (t == 0.0) != (e == 0.0) || !t.is_finite() {
            return false;
        }
        let apart = (t - e).abs();
        let slack = 1e-9 * e.abs();
        match tolerance {
            Tolerance::Exact => equal(typed, expected),
            Tolerance::Relative(share) => apart <= share * e.abs() + slack,
            Tolerance::Points(points) | Tolerance::Absolute(points) => apart <= points + slack,
        }
    }

    pub(super) fn right(&self, typed: &Typed) -> bool {
        match self.band {
            Some((least, most)) => (least..=most).contains(&typed.quantity.value()),
            None => self.accepts(typed, &self.expected, self.tolerance),
        }
    }

    /// What is right, in words: of a measured time, all that the runs themselves reach.
    pub(super) fn allows(&self) -> String {
        let time = |seconds| units::format(&Quantity::seconds(seconds));
        match self.band {
            Some((least, most)) => format!("{} to {}, as runs scatter", time(least), time(most)),
            None => self.tolerance.to_string(),
        }
    }

    pub(super) fn close(&self, typed: &Typed) -> bool {
        if self.band.is_some() {
            return false;
        }
        match self.tolerance {
            Tolerance::Exact if self.counts() => false,
            Tolerance::Exact => {
                let near = Tolerance::Relative(THREE_DIGITS);
                // Of four digits or more the first three are right.
                let three = typed.digits.is_none_or(|d| d > 3).then(|| {
                    let leading = |value: f64| format!("{value:.2e}");
                    leading(typed.quantity.value()) == leading(self.expected.value())
                });
                let near = self.accepts(typed, &self.expected, near) && three != Some(false);
                near || self.short(typed)
            }
            _ => {
                let near = self.near();
                near.is_some_and(|near| self.accepts(typed, &self.expected, near))
                    || self.short(typed)
            }
        }
    }

    /// Within what a number is close; none where that would reach zero, and with it
    /// every number that is too small.
    pub(super) fn near(&self) -> Option<Tolerance> {
        let near = self.tolerance.times(CLOSE);
        let expected = self.expected.value().abs();
        let reach = match near {
            Tolerance::Exact => return None,
            Tolerance::Relative(share) => share * expected,
            Tolerance::Points(points) | Tolerance::Absolute(points) => points,
        };
        (reach < expected).then_some(near)
    }

    /// Right as far as it goes: two digits or more, the zeros at the end of a
    /// whole number among them, and too few; or cut off behind the third.
    pub(super) fn short(&self, typed: &Typed) -> bool {
        short_of(typed, &self.expected)
    }

    pub(super) fn side(&self, typed: &Typed) -> Side {
        side(typed, &self.expected)
    }

    /// Whether a slip's value is what was typed; for another way of counting that
    /// is accepted, within the tolerance of the question.
    pub(super) fn speaks_of(&self, typed: &Typed, value: &Quantity, slip: &Slip) -> bool {
        match slip.value {
            _ if slip.accept => {
                value.dimension().agrees(self.expected.dimension())
                    && self.accepts(typed, value, self.tolerance)
            }
            // What a document prints is named by its own digits.
            SlipValue::Printed(_) => self.fits(typed, value, 3),
            _ => self.fits(typed, value, 2),
        }
    }

    /// Whether a wrong value is what was typed, with so many digits or nearly.
    pub(super) fn fits(&self, typed: &Typed, value: &Quantity, digits: u32) -> bool {
        if !value.dimension().agrees(self.expected.dimension()) {
            return false;
        }
        let small = self.tolerance == Tolerance::Exact && strict(value);
        let rounds = !small && typed.digits.is_none_or(|d| d >= digits) && typed.rounds_to(value);
        let near = match self.tolerance {
            Tolerance::Relative(share) => Tolerance::Relative(share.min(SLIP)),
            Tolerance::Points(points) => Tolerance::Points(points.min(SLIP_POINTS)),
            t => t,
        };
        self.accepts(typed, value, near) || rounds
    }

    /// Whether a value under some convention is what was typed, and cannot be
    /// taken for the answer: `digits` must have been typed.
    pub(super) fn names(&self, typed: &Typed, value: &Quantity, digits: u32) -> bool {
        typed.digits.is_none_or(|d| d >= digits)
            && typed.quantity.value() != 0.0
            && value.dimension().agrees(self.expected.dimension())
            && typed.rounds_to(value)
            && !coincide(value, &self.expected, self.tolerance)
    }

    /// The value of a slip in the terms of the question; `None` where a run is missing.
    pub fn slip_value(
        &self,
        slip: &Slip,
        key: &Key,
        env: &Env<'_>,
        dry: bool,
    ) -> Result<Quantity, ExprError> {
        let env = env.with(&slip.settings);
        let found = match &slip.value {
            SlipValue::Expr(expr) => value(&expr.value, &env, dry)?,
            SlipValue::SameAnswer => value(key.expected()?, &env, dry)?,
            SlipValue::Printed(printed) => in_print(printed.as_str(), self.asked)?,
        };
        Ok(coerced(found, Some(Unit::base(self.expected.dimension()))))
    }
}

/// Whether two values cannot be told apart under a tolerance.
pub(in crate::answer) fn coincide(a: &Quantity, b: &Quantity, tolerance: Tolerance) -> bool {
    let apart = (a.value() - b.value()).abs();
    match (tolerance, a.exact(), b.exact()) {
        (Tolerance::Exact, Some(x), Some(y)) => x == y,
        (Tolerance::Exact, ..) => apart <= 1e-9 * b.value().abs(),
        (Tolerance::Relative(share), ..) => apart <= share * b.value().abs(),
        (Tolerance::Points(x) | Tolerance::Absolute(x), ..) => apart <= x,
    }
}

/// On which side of a value the typed one lies.
pub(super) fn side(typed: &Typed, value: &Quantity) -> Side {
    match typed.quantity.value() > value.value() {
        true => Side::High,
        false => Side::Low,
    }
}

/// Right as far as it goes, of this value.
pub(super) fn short_of(typed: &Typed, value: &Quantity) -> bool {
    typed.digits.is_some_and(|digits| {
        digits >= 2 && typed.rounds_to(value)
            || digits + typed.zeros >= 2 && typed.rounds_in_full(value)
            || digits >= 3 && typed.cut_short(value)
    })
}

pub(super) fn strict(expected: &Quantity) -> bool {
    expected.exact().is_some() && expected.value().abs() < STRICT_BELOW
}

/// The exact rule.
fn equal(typed: &Typed, expected: &Quantity) -> bool {
    if let (Some(a), Some(b)) = (typed.quantity.exact(), expected.exact())
        && (a == b || strict(expected))
    {
        return a == b;
    }
    let apart = (typed.quantity.value() - expected.value()).abs();
    if apart <= 1e-12 * expected.value().abs() {
        return true;
    }
    let enough = |zeros| typed.digits.is_none_or(|digits| digits + zeros >= 4);
    !strict(expected)
        && (enough(0) && typed.rounds_to(expected)
            || enough(typed.zeros) && typed.rounds_in_full(expected))
}

/// A plain number takes the unit of the question: 4·B·S·D elements become bytes
/// where the author says so.
pub(super) fn coerced(q: Quantity, unit: Option<Unit>) -> Quantity {
    match unit {
        Some(u)
            if q.dimension().is_plain() && (!u.dimension().is_plain() || u == Unit::PERCENT) =>
        {
            q.with_dimension(u.dimension())
        }
        _ => q,
    }
}

pub(super) fn value(expr: &Expr, env: &Env<'_>, dry: bool) -> Result<Quantity, ExprError> {
    let value = if dry {
        expr.check(env)?
    } else {
        expr.evaluate(env)?
    };
    match value {
        Value::Quantity(q) => Ok(q),
        other => Err(ExprError {
            column: 1,
            message: format!("a number is expected, and this is {other}"),
        }),
    }
}

/// A document's printed value; without a unit it is in the question's.
fn in_print(text: &str, asked: Asked) -> Result<Quantity, ExprError> {
    let typed = units::read(text, Some(asked.dimension)).map_err(|e| ExprError {
        column: e.column,
        message: e.message,
    })?;
    let q = typed.quantity;
    if typed.unit.is_none()
        && let Some(unit) = asked.unit
    {
        return q.scaled(unit).map_err(|e| ExprError {
            column: 1,
            message: e.to_string(),
        });
    }
    Ok(q)
}
