//! Numbers: what is wanted, what is near enough, which slip it is.

use super::{Fits, Judgement, Side, Verdict, said};
use super::{convention, reading, turned};
use crate::answer::Env;
use crate::answer::expr::{Expr, ExprError, Value};
use crate::answer::judge::words::Asking;
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
        let value = number(key.expected()?, env, dry)?;
        let unit = key.unit.map(|spec| spec.unit);
        let share =
            value.dimension() == Dimension::Ratio && matches!(key.tolerance, Tolerance::Points(_));
        let unit = unit.or(share.then_some(Unit::PERCENT));
        let expected = coerced(value, unit);
        let mut wanted = Self {
            expected,
            asked: Asked {
                dimension: expected.dimension(),
                unit,
            },
            tolerance: key.tolerance,
            band: None,
        };
        if key.kind == Kind::Measured
            && let Some(answer) = &key.answer
            && answer.run_path() == Some("time.median")
        {
            let of = |path| number(&answer.with_run_path(path), env, dry).map(|q| q.value());
            wanted.band = Some((of("time.min")? * MEASURED.0, of("time.max")? * MEASURED.1));
        }
        Ok(wanted)
    }

    /// Whether the typed value is near enough to `expected`.
    fn accepts(&self, typed: &Typed, expected: &Quantity, tolerance: Tolerance) -> bool {
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

    fn right(&self, typed: &Typed) -> bool {
        match self.band {
            Some((least, most)) => (least..=most).contains(&typed.quantity.value()),
            None => self.accepts(typed, &self.expected, self.tolerance),
        }
    }

    fn close(&self, typed: &Typed) -> bool {
        if self.band.is_some() {
            return false;
        }
        match self.tolerance {
            Tolerance::Exact if strict(&self.expected) => false,
            Tolerance::Exact => {
                let near = Tolerance::Relative(THREE_DIGITS);
                self.accepts(typed, &self.expected, near) || self.short(typed)
            }
            t => self.accepts(typed, &self.expected, t.times(CLOSE)) || self.short(typed),
        }
    }

    /// Right as far as it goes: two digits or more, the zeros at the end of a
    /// whole number among them, and too few; or cut off behind the third.
    fn short(&self, typed: &Typed) -> bool {
        typed.digits.is_some_and(|digits| {
            digits >= 2 && typed.rounds_to(&self.expected)
                || digits + typed.zeros >= 2 && typed.rounds_in_full(&self.expected)
                || digits >= 3 && typed.cut_short(&self.expected)
        })
    }

    fn side(&self, typed: &Typed) -> Side {
        if typed.quantity.value() > self.expected.value() {
            Side::High
        } else {
            Side::Low
        }
    }

    /// Whether a slip's value is what was typed; for another way of counting that
    /// is `accepted`, within the tolerance of the question.
    pub(super) fn fits(&self, typed: &Typed, slip: &Quantity, accepted: bool) -> bool {
        if !slip.dimension().agrees(self.expected.dimension()) {
            return false;
        }
        let small = self.tolerance == Tolerance::Exact && strict(slip);
        let rounds = !small && typed.digits.is_none_or(|d| d >= 2) && typed.rounds_to(slip);
        let near = match self.tolerance {
            t if accepted => t,
            Tolerance::Relative(share) => Tolerance::Relative(share.min(SLIP)),
            Tolerance::Points(points) => Tolerance::Points(points.min(SLIP_POINTS)),
            t => t,
        };
        self.accepts(typed, slip, near) || rounds
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
        let value = match &slip.value {
            SlipValue::Expr(expr) => number(expr, &env, dry)?,
            SlipValue::SameAnswer => number(key.expected()?, &env, dry)?,
            SlipValue::Printed(text) => printed(text, self.asked)?,
        };
        Ok(coerced(value, Some(Unit::base(self.expected.dimension()))))
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

fn strict(expected: &Quantity) -> bool {
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
    !strict(expected) && typed.digits.is_none_or(|d| d >= 4) && typed.rounds_to(expected)
}

/// A plain number takes the unit of the question: 4·B·S·D elements become bytes
/// where the author says so.
fn coerced(q: Quantity, unit: Option<Unit>) -> Quantity {
    match unit {
        Some(u)
            if q.dimension().is_plain() && (!u.dimension().is_plain() || u == Unit::PERCENT) =>
        {
            q.with_dimension(u.dimension())
        }
        _ => q,
    }
}

fn number(expr: &Expr, env: &Env<'_>, dry: bool) -> Result<Quantity, ExprError> {
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
fn printed(text: &str, asked: Asked) -> Result<Quantity, ExprError> {
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

pub(super) fn echo(typed: &str, key: &Key, env: &Env<'_>) -> Result<String, (usize, String)> {
    let wanted = Wanted::of(key, env, true).map_err(|e| (1, e.message))?;
    match reading::read(typed, &key.ask, wanted.asked) {
        Ok(t) => Ok(t.echo()),
        // In the unit that the question names it may be read all the same.
        Err(_) if wanted.in_asked_unit(typed, key).is_some() => Ok(typed.trim().to_owned()),
        Err(e) => Err((e.column, e.message)),
    }
}

pub(super) fn grade(text: &str, key: &Key, env: &Env<'_>) -> Result<Judgement, ExprError> {
    let unread = |column, message| Ok(Judgement::plain(text, Verdict::Unread { column, message }));
    let wanted = match Wanted::of(key, env, false) {
        Ok(wanted) => wanted,
        // A run that was not made is no fault of the course.
        Err(e) if key.asks_a_machine() && Wanted::of(key, env, true).is_ok() => {
            return unread(text.trim().chars().count() + 1, sentence_case(&e.message));
        }
        Err(e) => return Err(e),
    };
    let typed = match reading::read(text, &key.ask, wanted.asked) {
        Ok(typed) => typed,
        Err(e) => match wanted.in_asked_unit(text, key) {
            // A number without a unit is taken at its word only where that word
            // makes sense: elsewhere it may be meant in any unit.
            Some(typed) if wanted.makes_sense(&typed, key, env)? => typed,
            _ => return unread(e.column, e.message),
        },
    };
    let verdict = verdict(&typed, &wanted, key, env)?;
    if let Verdict::Wrong(_) = verdict {
        if let Some(message) = wanted.no_count(&typed, text) {
            return unread(1, message);
        }
        if let Some((column, message)) = wanted.other_sign(&typed, text, key) {
            return unread(column, message);
        }
    }
    let right = verdict.is_right();
    let near = wanted.tolerance != Tolerance::Exact;
    Ok(Judgement {
        read: Some(typed.echo()),
        exact: right.then(|| in_full(&wanted)),
        tolerance: near.then(|| wanted.tolerance.to_string()),
        // What is right as far as it goes may lie outside of any band.
        close: (near && !wanted.short(&typed)).then(|| wanted.tolerance.times(CLOSE).to_string()),
        ..Judgement::plain(text, verdict)
    })
}

fn verdict(typed: &Typed, wanted: &Wanted, key: &Key, env: &Env<'_>) -> Result<Verdict, ExprError> {
    if wanted.right(typed) {
        return Ok(Verdict::Right { accepted: None });
    }
    // Of each that fits: whether its digits are those typed, and what is said.
    let (mut fitting, mut singled_out) = (Vec::new(), false);
    let mut accepted: Option<(bool, String)> = None;
    for slip in &key.slips {
        let value = match wanted.slip_value(slip, key, env, false) {
            Ok(value) => value,
            Err(_) if key.asks_a_machine() => continue,
            Err(e) => return Err(e),
        };
        if !wanted.fits(typed, &value, slip.accept) {
            continue;
        }
        // The answer rounds to the same digits: they do not single out the slip.
        if wanted.short(typed) && !wanted.accepts(typed, &value, wanted.tolerance) {
            continue;
        }
        let digits = typed.digits.is_none_or(|d| d >= 4) && typed.rounds_to(&value);
        if slip.accept {
            accepted = accepted.or_else(|| Some((digits, said(slip, env))));
            continue;
        }
        singled_out |= digits;
        fitting.push(Fits {
            say: said(slip, env),
            claim: slip.claim.clone(),
        });
    }
    // A slip that has the very digits goes before a way of counting that is
    // only near them; where neither is singled out, both are named.
    if let Some((digits, say)) = accepted.filter(|(digits, _)| *digits || !singled_out) {
        let also: Vec<&str> = fitting
            .iter()
            .filter(|_| !digits)
            .map(|f: &Fits| f.say.as_str())
            .collect();
        let say = match also.as_slice() {
            [] => say,
            several => format!(
                "{say} The same number also fits this: {}",
                several.join(" Or: ")
            ),
        };
        return Ok(Verdict::Right {
            accepted: Some(say),
        });
    }
    if fitting.is_empty() {
        fitting.extend(binary_prefix(typed, wanted));
    }
    if fitting.is_empty() && wanted.band.is_none() && !wanted.short(typed) {
        let answer = |env: &Env<'_>| {
            key.expected()
                .and_then(|answer| number(answer, env, false))
                .ok()
                .map(|q| coerced(q, wanted.asked.unit))
        };
        // A printed value stands for itself under any convention.
        let of_slip = |slip: &Slip, env: &Env<'_>| match slip.value {
            SlipValue::Printed(_) => None,
            _ => wanted.slip_value(slip, key, env, false).ok(),
        };
        fitting.extend(convention::named(
            typed, wanted, env, &answer, &key.slips, &of_slip,
        ));
    }
    if fitting.is_empty() && wanted.band.is_none() && !wanted.close(typed) {
        fitting.extend(turned::named(typed, wanted, key, env));
    }
    Ok(if !fitting.is_empty() {
        Verdict::Slip(fitting)
    } else if wanted.close(typed) {
        Verdict::Close(wanted.side(typed))
    } else {
        Verdict::Wrong(Some(wanted.side(typed)))
    })
}

/// The number of MiB called MB, or of MB called MiB.
fn binary_prefix(typed: &Typed, wanted: &Wanted) -> Option<Fits> {
    let (unit, _) = typed
        .unit
        .filter(|(u, _)| u.dimension() == Dimension::Bytes)?;
    let (decimal, binary) = [("kB", "KiB"), ("MB", "MiB"), ("GB", "GiB"), ("TB", "TiB")]
        .into_iter()
        .find(|(d, b)| *d == unit.symbol() || *b == unit.symbol())?;
    let other = Unit::parse(if unit.is_binary() { decimal } else { binary }).ok()?;
    let factor = other.size() / unit.size();
    let meant = Typed {
        quantity: Quantity::new(typed.quantity.value() * factor, typed.quantity.dimension()),
        half_place: typed.half_place * factor,
        ..typed.clone()
    };
    // What is said below names the typed number: it must be that value, rounded.
    let same = coincide(&meant.quantity, &wanted.expected, Tolerance::Relative(1e-9));
    let rounds = typed.digits.is_none_or(|d| d >= 3) && meant.rounds_to(&wanted.expected);
    if !(same || rounds && wanted.right(&meant)) {
        return None;
    }
    let number = units::significant(typed.quantity.in_unit(unit), 4);
    let power = match decimal {
        "kB" => ("10^3", "2^10"),
        "MB" => ("10^6", "2^20"),
        "GB" => ("10^9", "2^30"),
        _ => ("10^12", "2^40"),
    };
    let say = if unit.is_binary() {
        format!(
            "{number} is the value in {decimal}. In {binary} it is smaller: {} bytes, not {}.",
            power.1, power.0
        )
    } else {
        format!(
            "{number} is the value in {binary}. In {decimal} it is larger: {} bytes, not {}.",
            power.0, power.1
        )
    };
    Some(Fits { say, claim: None })
}

/// The expected value for somebody who has it: all digits of a whole number.
pub(super) fn in_full(wanted: &Wanted) -> String {
    let q = &wanted.expected;
    match (q.exact(), wanted.asked.unit) {
        (Some(n), None) if q.dimension().is_plain() => units::group_thousands(n),
        (Some(_), _) if !q.dimension().is_plain() => {
            units::format_in(q, Unit::base(q.dimension()), None)
                .unwrap_or_else(|_| units::format(q))
        }
        (_, unit) => {
            // As many decimals as the tolerance tells apart.
            let decimals = match wanted.tolerance {
                Tolerance::Absolute(near) => Some((-near.log10()).ceil().clamp(0.0, 12.0) as u8),
                _ => None,
            };
            match unit {
                None if decimals.is_none() => units::format(q),
                unit => units::format_in(q, unit.unwrap_or(Unit::NONE), decimals)
                    .unwrap_or_else(|_| units::format(q)),
            }
        }
    }
}

fn sentence_case(text: &str) -> String {
    let mut chars = text.chars();
    let mut out: String = chars
        .next()
        .map_or_else(String::new, |c| c.to_uppercase().collect());
    out.push_str(chars.as_str());
    if !out.ends_with('.') {
        out.push('.');
    }
    out
}

impl Wanted {
    /// A bare number in the unit that the question names, where it names one.
    fn in_asked_unit(&self, text: &str, key: &Key) -> Option<Typed> {
        let unit = self.asked.unit?;
        let named = !unit.dimension().is_plain() && Asking::of(&key.ask).names(unit);
        let plain = Asked::new(Dimension::Count);
        let typed = named.then(|| reading::read(text, &key.ask, plain).ok())??;
        if typed.unit.is_some() || !typed.quantity.dimension().is_plain() {
            return None;
        }
        Some(Typed {
            quantity: typed.quantity.scaled(unit).ok()?,
            half_place: typed.half_place * unit.size(),
            unit: Some((unit, text.chars().count())),
            ..typed
        })
    }

    /// Whether a number is the answer or one of the key's own slips.
    fn makes_sense(&self, typed: &Typed, key: &Key, env: &Env<'_>) -> Result<bool, ExprError> {
        if self.right(typed) {
            return Ok(true);
        }
        for slip in &key.slips {
            match self.slip_value(slip, key, env, false) {
                Ok(value) if self.fits(typed, &value, slip.accept) => return Ok(true),
                Ok(_) => {}
                Err(_) if key.asks_a_machine() => {}
                Err(e) => return Err(e),
            }
        }
        Ok(false)
    }

    /// What a number that is wrong as it was read may have meant, where that is
    /// the answer: its comma as the decimal sign, or a share in per cent.
    fn other_sign(&self, typed: &Typed, text: &str, key: &Key) -> Option<(usize, String)> {
        let right = |text: &str| {
            let read = reading::read(text, &key.ask, self.asked);
            read.is_ok_and(|typed| self.right(&typed) || self.close(&typed))
        };
        let commas = text.matches(',').count();
        if commas == 1 && right(&text.replace(',', ".")) {
            let column = text
                .split(',')
                .next()
                .map_or(0, |head| head.chars().count())
                + 1;
            let message = format!(
                "The comma of “{}” separates thousands; the decimal sign is a point.",
                text.trim()
            );
            return Some((column, message));
        }
        let bare = typed.unit.is_none() && !typed.computed;
        if self.asked.unit == Some(Unit::PERCENT) && bare && right(&format!("{} %", text.trim())) {
            let message = format!(
                "“{}” is read as a share of 1. Per cent has its sign: 37.5%.",
                text.trim()
            );
            return Some((text.chars().count() + 1, message));
        }
        None
    }

    /// What is said to a fraction where things are counted.
    fn no_count(&self, typed: &Typed, text: &str) -> Option<String> {
        let counted = self.asked.dimension == Dimension::Count && strict(&self.expected);
        (counted && typed.quantity.exact().is_none()).then(|| {
            format!(
                "“{}” is not a whole number, and this asks for a count.",
                text.trim()
            )
        })
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
}
