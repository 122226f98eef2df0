//! What an author must hear about a key before a learner sees it.

use super::Env;
use super::expr::{ExprError, Value};
use super::judge::{Wanted, coincide};
use super::key::{Key, Kind, SlipValue, Tolerance};
use crate::units::{self, Dimension, Quantity, Unit};

/// Faults of a key in the exercise's environment, each one sentence that says
/// which part of the key it is about. None means that the key may be asked.
///
/// A slip whose value cannot be told from the answer at these parameters
/// refuses the question: whoever makes the mistake would be called right.
pub fn lint(key: &Key, env: &Env<'_>) -> Vec<String> {
    let env = &env.with(&key.settings);
    let mut faults = Vec::new();
    match key.kind {
        Kind::Text => {}
        Kind::Choice | Kind::Choices | Kind::Ranking => options(key, env, &mut faults),
        Kind::Number | Kind::Measured => number(key, env, &mut faults),
    }
    faults
}

/// Whether a printed value is the answer of the key: what a hint must not show.
///
/// # Errors
/// [`ExprError`] where the key's answer cannot be evaluated.
pub fn reveals(value: &Value, key: &Key, env: &Env<'_>) -> Result<bool, ExprError> {
    let env = &env.with(&key.settings);
    if key.answer.asks_for_a_run() || key.kind == Kind::Text {
        return Ok(false);
    }
    match value {
        Value::Quantity(q) if matches!(key.kind, Kind::Number | Kind::Measured) => {
            let wanted = Wanted::of(key, env, true)?;
            let agrees = q.dimension().agrees(wanted.expected.dimension())
                || q.dimension().is_plain() && !wanted.expected.dimension().is_plain();
            Ok(agrees && coincide(q, &wanted.expected, wanted.tolerance))
        }
        Value::Quantity(_) => Ok(false),
        _ => Ok(*value == key.answer.check(env)?),
    }
}

fn number(key: &Key, env: &Env<'_>, faults: &mut Vec<String>) {
    let wanted = match Wanted::of(key, env, true) {
        Ok(wanted) => wanted,
        Err(e) => {
            faults.push(format!("answer, {e}"));
            return;
        }
    };
    if key.kind == Kind::Measured && !key.answer.asks_for_a_run() {
        faults.push("a measured key asks for run.…, and this answer asks for no run".to_owned());
    }
    if let Some(spec) = key.unit
        && !spec.unit.dimension().agrees(wanted.expected.dimension())
    {
        faults.push(format!(
            "unit {} does not fit the answer, which is {}",
            spec.unit,
            wanted.expected.dimension()
        ));
    }
    if matches!(key.tolerance, Tolerance::Points(_)) && !wanted.expected.dimension().is_plain() {
        faults.push("points are for shares; this answer has a unit".to_owned());
    }
    let invented = key.answer.asks_for_a_run();
    for (index, slip) in key.slips.iter().enumerate() {
        let place = format!("slip {}", index + 1);
        let value = match wanted.slip_value(slip, key, env, true) {
            Ok(value) => value,
            Err(e) => {
                faults.push(format!("{place}, {e}"));
                continue;
            }
        };
        if !value.dimension().agrees(wanted.expected.dimension()) {
            faults.push(format!(
                "{place} is {}, and the answer is {}",
                value.dimension(),
                wanted.expected.dimension()
            ));
        } else if !slip.accept && !invented && coincide(&value, &wanted.expected, wanted.tolerance)
        {
            faults.push(format!(
                "{place} ({}) is {} at these parameters and the answer ({}) is {}: they cannot be told apart, so the question is refused",
                source(&slip.value, key),
                full(&value),
                key.answer.source(),
                full(&wanted.expected),
            ));
        }
    }
}

fn source<'a>(value: &'a SlipValue, key: &'a Key) -> &'a str {
    match value {
        SlipValue::Expr(expr) => expr.source(),
        SlipValue::SameAnswer => key.answer.source(),
        SlipValue::Printed(text) => text,
    }
}

/// A value with all its digits, for the author.
fn full(q: &Quantity) -> String {
    match q.dimension() {
        Dimension::Other(_) => units::spell(q),
        d if q.exact().is_some() => {
            units::format_in(q, Unit::base(d), None).unwrap_or_else(|_| units::spell(q))
        }
        _ => units::format(q),
    }
}

fn options(key: &Key, env: &Env<'_>, faults: &mut Vec<String>) {
    if key.options.len() < 2 {
        faults.push("a choice needs at least two options".to_owned());
    }
    let picked = |env: &Env<'_>, value: &SlipValue| {
        let value = match value {
            SlipValue::Expr(expr) => expr.check(env),
            SlipValue::SameAnswer => key.answer.check(env),
            SlipValue::Printed(text) => Ok(Value::Text(text.clone())),
        };
        among(key, &value.map_err(|e| e.to_string())?)
    };
    let expected = match picked(env, &SlipValue::SameAnswer) {
        Ok(expected) => expected,
        Err(e) => {
            faults.push(format!("answer, {e}"));
            return;
        }
    };
    if key.kind == Kind::Choice && expected.len() != 1 {
        faults.push(format!(
            "a choice has one right option, and the answer has {}",
            expected.len()
        ));
    }
    if key.kind == Kind::Ranking && expected.len() != key.options.len() {
        faults.push("a ranking orders all options, and the answer leaves some out".to_owned());
    }
    for (index, slip) in key.slips.iter().enumerate() {
        let place = format!("slip {}", index + 1);
        match picked(&env.with(&slip.settings), &slip.value) {
            Err(e) => faults.push(format!("{place}, {e}")),
            Ok(value) if value == expected && !slip.accept => {
                faults.push(format!(
                    "{place} is “{}”, which is the answer",
                    value.join(", ")
                ));
            }
            Ok(_) => {}
        }
    }
}

/// The names of a value, where all of them are options.
fn among(key: &Key, value: &Value) -> Result<Vec<String>, String> {
    let names = match value {
        Value::Text(name) => vec![name.clone()],
        Value::List(names) => names.clone(),
        Value::Quantity(_) => {
            return Err(format!("{value} is a number, and an option is expected"));
        }
    };
    match names.iter().find(|n| !key.options.contains(n)) {
        Some(stranger) => Err(format!(
            "“{stranger}” is not among the options: {}",
            key.options.join(", ")
        )),
        None => Ok(names),
    }
}

#[cfg(test)]
mod tests;
