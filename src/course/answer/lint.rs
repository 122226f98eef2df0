//! What an author must hear about a key before a learner sees it.

use super::Env;
use super::expr::{ExprError, Value};
use super::grid::listed;
use super::judge::{Wanted, coincide};
use super::key::{Key, Kind, SlipValue, Tolerance};
use crate::fields::{Phrase, Typed};
use plan::units::{self, Dimension, Quantity, Unit};

/// Faults of a key in the exercise's environment, each one sentence that says
/// which part of the key it is about. None means that the key may be asked.
///
/// A slip whose value cannot be told from the answer at these parameters
/// refuses the question: whoever makes the mistake would be called right.
pub fn lint(key: &Key, env: &Env<'_>) -> Vec<String> {
    let env = &env.with(&key.settings());
    let mut faults = Vec::new();
    match key.kind {
        Kind::Text => {}
        Kind::Choice | Kind::Choices | Kind::Ranking => options(key, env, &mut faults),
        Kind::Number | Kind::Measured | Kind::Predict => number(key, env, &mut faults),
        Kind::Table => table(key, env, &mut faults),
    }
    faults
}

/// Slips of one key that say different things about the same value at these
/// parameters: both would be named, and neither is known to be the cause.
pub fn twins(key: &Key, env: &Env<'_>) -> Vec<(usize, usize)> {
    let env = &env.with(&key.settings());
    let Some(answer) = key.answer.as_ref().filter(|_| !key.asks_a_machine()) else {
        return Vec::new();
    };
    if !matches!(answer.value.check(env), Ok(Value::Quantity(_))) {
        return Vec::new();
    }
    let Ok(wanted) = Wanted::of(key, env, true) else {
        return Vec::new();
    };
    let values: Vec<Option<Quantity>> = key
        .slips
        .iter()
        .map(|slip| wanted.slip_value(slip, key, env, true).ok())
        .collect();
    let mut found = Vec::new();
    for (j, b) in values.iter().enumerate() {
        for (i, a) in values.iter().take(j).enumerate() {
            let same = a.zip(*b).is_some_and(|(a, b)| {
                a.dimension().agrees(b.dimension()) && coincide(&a, &b, Tolerance::Relative(1e-9))
            });
            if same {
                found.push((i, j));
            }
        }
    }
    found
}

/// Which slips of a key explain something at these parameters: a value of their
/// own, neither the answer's nor that of a slip before them.
pub fn told_apart(key: &Key, env: &Env<'_>) -> Vec<bool> {
    let mut kept = Key {
        slips: Vec::new(),
        ..key.clone()
    };
    let mut told = Vec::new();
    for slip in &key.slips {
        kept.slips.push(slip.clone());
        let apart = lint(&kept, env).is_empty() && twins(&kept, env).is_empty();
        if !apart {
            kept.slips.pop();
        }
        told.push(apart);
    }
    told
}

/// Every cell is a question; a slip is refused where it is the answer of every
/// cell that it is about.
fn table(key: &Key, env: &Env<'_>, faults: &mut Vec<String>) {
    let Some(table) = &key.table else {
        faults.push("a table has columns, rows and answers, and here they are missing".to_owned());
        return;
    };
    for (index, slip) in key.slips.iter().enumerate() {
        for (what, name, known) in [
            ("row", &slip.row, &table.rows),
            ("column", &slip.column, &table.columns),
        ] {
            let stranger = |n: &&Phrase| !known.iter().any(|known| known.text == n.text);
            if let Some(name) = name.as_ref().filter(stranger) {
                faults.push(format!(
                    "slip {}, there is no {what} “{}”; there are {}",
                    index + 1,
                    name.text,
                    listed(known)
                ));
            }
        }
    }
    let mut told_apart = vec![false; key.slips.len()];
    for (row, column) in table.places() {
        let Some(cell) = key.cell(row, column) else {
            continue;
        };
        let bare = Key {
            slips: Vec::new(),
            ..cell.clone()
        };
        let mut found = lint(&bare, env);
        let place = |names: &[Phrase], at: usize| names.get(at).cloned().unwrap_or_default().text;
        let here = format!(
            "{}, {}",
            place(&table.rows, row),
            place(&table.columns, column)
        );
        faults.extend(found.drain(..).map(|say| format!("{here}: {say}")));
        for (slip, told) in key.slips.iter().zip(&mut told_apart) {
            if cell.slips.contains(slip) {
                let alone = Key {
                    slips: vec![slip.clone()],
                    ..bare.clone()
                };
                *told |= lint(&alone, env).is_empty();
            }
        }
    }
    for (index, told) in told_apart.iter().enumerate() {
        if !told {
            faults.push(format!(
                "slip {} is the answer of every cell that it is about, or cannot be evaluated in any",
                index + 1
            ));
        }
    }
}

/// Whether a printed value is the answer of the key: what a hint must not show.
///
/// # Errors
/// [`ExprError`] where the key's answer cannot be evaluated.
pub fn reveals(value: &Value, key: &Key, env: &Env<'_>) -> Result<bool, ExprError> {
    let env = &env.with(&key.settings());
    if key.asks_a_machine() || key.answer.is_none() && key.table.is_none() {
        return Ok(false);
    }
    if let Some(table) = &key.table {
        // A few cells of a table may be shown as an example, not most of them.
        let mut shown = 0;
        for (row, column) in table.places() {
            if let Some(cell) = key.cell(row, column) {
                shown += usize::from(reveals(value, &cell, env)?);
            }
        }
        return Ok(2 * shown > table.rows.len() * table.columns.len());
    }
    match value {
        Value::Quantity(q) if matches!(key.kind, Kind::Number | Kind::Measured | Kind::Predict) => {
            let wanted = Wanted::of(key, env, true)?;
            let agrees = q.dimension().agrees(wanted.expected.dimension())
                || q.dimension().is_plain() && !wanted.expected.dimension().is_plain();
            Ok(agrees && coincide(q, &wanted.expected, wanted.tolerance))
        }
        Value::Quantity(_) => Ok(false),
        _ => Ok(*value == key.expected()?.check(env)?),
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
    if key.kind == Kind::Measured && !key.asks_for_a_run() {
        faults.push("a measured key asks for run.…, and this answer asks for no run".to_owned());
    }
    if let Some(spec) = key.unit.as_ref().map(|unit| unit.value)
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
    let invented = key.asks_a_machine();
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
                key.answer.as_ref().map_or("", Typed::as_str),
                full(&wanted.expected),
            ));
        }
    }
}

fn source<'a>(value: &'a SlipValue, key: &'a Key) -> &'a str {
    match value {
        SlipValue::Expr(expr) => expr.as_str(),
        SlipValue::SameAnswer => key.answer.as_ref().map_or("", Typed::as_str),
        SlipValue::Printed(printed) => printed.as_str(),
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
            SlipValue::Expr(expr) => expr.value.check(env),
            SlipValue::SameAnswer => key.expected().and_then(|answer| answer.check(env)),
            SlipValue::Printed(printed) => Ok(Value::Text(printed.text.clone())),
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
    let stand = || key.options.iter().map(|option| &option.text);
    if key.kind == Kind::Ranking && stand().eq(&expected) {
        faults.push(
            "the options stand in the right order: marking them one by one is the answer"
                .to_owned(),
        );
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
    match names
        .iter()
        .find(|n| !key.options.iter().any(|o| o.text == **n))
    {
        Some(stranger) => Err(format!(
            "“{stranger}” is not among the options: {}",
            listed(&key.options)
        )),
        None => Ok(names),
    }
}

#[cfg(test)]
mod tests;
