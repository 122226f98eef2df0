//! Numbers: how they are read, and the verdict.

use super::wanted::{self, Wanted, coerced, coincide, strict};
use super::{Fits, Judgement, Side, Verdict, said};
use super::{convention, reading, turned};
use crate::answer::Env;
use crate::answer::expr::ExprError;
use crate::answer::judge::words::Asking;
use crate::answer::key::{Key, Slip, SlipValue, Tolerance};
use plan::units::{self, Asked, Dimension, Quantity, Typed, Unit};

pub(super) fn echo(typed: &str, key: &Key, env: &Env<'_>) -> Result<String, (usize, String)> {
    let wanted = Wanted::of(key, env, true).map_err(|e| (1, e.message))?;
    let share = wanted.asked.unit == Some(Unit::PERCENT);
    // In the unit that the question names it may be read all the same.
    let bare = wanted.in_asked_unit(typed, key);
    match (reading::read(typed, &key.ask.text, wanted.asked), bare) {
        // As it will be graded: `35.29` and `0.3529` are both 35.29 %.
        (Ok(_), Some(bare)) if share => Ok(wanted.spelled(&bare)),
        (Ok(typed), _) | (Err(_), Some(typed)) => Ok(wanted.spelled(&typed)),
        (Err(e), None) => Err((e.column, e.message)),
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
    let typed = match wanted.typed(text, key, env)? {
        Ok(typed) => typed,
        Err(e) => return unread(e.column, e.message),
    };
    let mut verdict = verdict(&typed, &wanted, key, env)?;
    if let Verdict::Wrong(_) = verdict
        && let Some(side) = side(text, key)
        && let Ok(side) = reading::read(side, &key.ask.text, wanted.asked)
    {
        verdict = self::verdict(&side, &wanted, key, env)?;
    }
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
    let exact = right.then(|| in_full(&wanted));
    Ok(Judgement {
        read: Some(wanted.spelled(&typed)),
        rounded: exact
            .as_ref()
            .is_some_and(|text| is_rounded(text, &wanted.expected)),
        exact,
        tolerance: near.then(|| wanted.allows()),
        // What is right as far as it goes may lie outside of any band.
        close: wanted
            .near()
            .filter(|_| !wanted.short(&typed))
            .map(|near| near.to_string()),
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
    // An accepted way of counting with too few digits.
    let mut short: Option<Side> = None;
    for slip in &key.slips {
        let value = match wanted.slip_value(slip, key, env, false) {
            Ok(value) => value,
            Err(_) if key.asks_a_machine() => continue,
            Err(e) => return Err(e),
        };
        if !wanted.speaks_of(typed, &value, slip) {
            if slip.accept && wanted::short_of(typed, &value) {
                short = Some(wanted::side(typed, &value));
            }
            continue;
        }
        // The answer rounds to the same digits: they do not single out the slip, unless
        // they are all that it has.
        let few = !wanted.counts()
            && typed.digits.is_some_and(|digits| digits <= 2)
            && typed.quantity.value() != value.value();
        if wanted.short(typed) && (few || !wanted.accepts(typed, &value, wanted.tolerance)) {
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
            claim: slip.claim(),
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
    if wanted.band.is_none() && !wanted.short(typed) && short.is_none() {
        let answer = |env: &Env<'_>| {
            key.expected()
                .and_then(|answer| wanted::value(answer, env, false))
                .ok()
                .map(|q| coerced(q, wanted.asked.unit))
        };
        // A printed value stands for itself under any convention.
        let of_slip = |slip: &Slip, env: &Env<'_>| match slip.value {
            SlipValue::Printed(_) => None,
            _ => wanted.slip_value(slip, key, env, false).ok(),
        };
        let slips = (key.slips.as_slice(), fitting.as_slice());
        let also = convention::named(typed, wanted, env, &answer, slips, &of_slip);
        fitting.extend(also);
    }
    if fitting.is_empty() && wanted.band.is_none() && short.is_none() && !wanted.close(typed) {
        fitting.extend(turned::named(typed, wanted, key, env));
    }
    Ok(if !fitting.is_empty() {
        Verdict::Slip(fitting)
    } else if let Some(side) = short {
        Verdict::Close(side)
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
    let near = || wanted.right(&meant) || wanted.short(&meant);
    if !(same || rounds && near()) {
        return None;
    }
    // As many digits as were typed: the others are not known to be right.
    let digits = typed.digits.map_or(4, |d| d.clamp(1, 9) as i32);
    let number = units::significant(typed.quantity.in_unit(unit), digits);
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

/// Whether a text says less than the value: 14.62 FLOP/B of 14.6179.
fn is_rounded(text: &str, value: &Quantity) -> bool {
    let said = units::read(text, Some(value.dimension())).map(|said| said.quantity.value());
    said.is_ok_and(|said| (said - value.value()).abs() > 1e-9 * value.value().abs())
}

/// The one side that `73 x 73` says of a square, where a side is asked for.
fn side<'t>(text: &'t str, key: &Key) -> Option<&'t str> {
    let ask = key.ask.text.to_lowercase();
    let square = ["side", "square", "tile"].iter().any(|w| ask.contains(w));
    let (one, other) = text.split_once(['x', '×', 'X', '*']).filter(|_| square)?;
    (!one.trim().is_empty() && one.trim() == other.trim()).then_some(one.trim())
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
    /// How a number was read, a share as one.
    fn spelled(&self, typed: &Typed) -> String {
        let share = typed.quantity.with_dimension(Dimension::Ratio);
        let shown = units::format_in(&share, Unit::PERCENT, None);
        let shown = shown
            .ok()
            .filter(|_| self.asked.unit == Some(Unit::PERCENT));
        shown.unwrap_or_else(|| typed.echo())
    }

    /// What was typed: as it stands, or a bare number in the unit that the question
    /// names, whichever is the answer or a slip; where neither is, in that unit.
    fn typed(
        &self,
        text: &str,
        key: &Key,
        env: &Env<'_>,
    ) -> Result<Result<Typed, units::ReadError>, ExprError> {
        let read = reading::read(text, &key.ask.text, self.asked);
        let Some(bare) = self.in_asked_unit(text, key) else {
            return Ok(read);
        };
        if let Ok(typed) = &read
            && self.makes_sense(typed, key, env)?
        {
            return Ok(read);
        }
        Ok(Ok(bare))
    }

    /// A bare number in the unit that the question names, where it names one; above
    /// 1 a share is a number of per cent.
    fn in_asked_unit(&self, text: &str, key: &Key) -> Option<Typed> {
        let unit = self.asked.unit?;
        let share = unit == Unit::PERCENT;
        let named = share || !unit.dimension().is_plain() && Asking::of(&key.ask.text).names(unit);
        let plain = Asked::new(Dimension::Ratio);
        let typed = named.then(|| reading::read(text, &key.ask.text, plain).ok())??;
        if typed.unit.is_some() || !typed.quantity.dimension().is_plain() {
            return None;
        }
        // Nobody has a fraction of a byte: `33.55` lacks a prefix.
        if !share && unit.size() == 1.0 && typed.quantity.exact().is_none() {
            return None;
        }
        // `4/3` is a fraction, `100*16/17` a number of per cent.
        let least = if typed.computed { 10.0 } else { 1.0 };
        if share && typed.quantity.value() <= least {
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
                Ok(value) if self.speaks_of(typed, &value, slip) => return Ok(true),
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
            let read = reading::read(text, &key.ask.text, self.asked);
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
                "“{}” reads as {}: a comma separates thousands, and the decimal sign is a point.",
                text.trim(),
                text.trim().replace(',', "")
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
}
