//! Are the values right, and how the first that is not is told.

use super::task::{Case, Task};

/// An error that any order of additions may make, relative to the largest value.
const SLACK: f64 = 1e-6;
/// Values of a tiny case that are nearer than this are printed alike.
const ALIKE: f64 = 1e-5;
/// Bits of a float whose sign is left out, and those that fresh memory has.
const UNSIGNED: u32 = u32::MAX >> 1;
const UNWRITTEN: u32 = UNSIGNED;

/// The first value that is wrong.
pub(super) fn wrong(task: &Task, outputs: &[Vec<f32>], case: &Case) -> Option<String> {
    let frame = (task.frame)(&case.extents);
    let exact = (task.reference.0)(&case.extents, &case.inputs);
    let plain = (task.reference.1)(&case.extents, &case.inputs);
    for (((name, _), got), (exact, plain)) in frame
        .outputs
        .iter()
        .zip(outputs)
        .zip(exact.iter().zip(&plain))
    {
        let largest = exact.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
        let error = exact
            .iter()
            .zip(plain)
            .fold(0.0, |most: f64, (e, p)| most.max((e - f64::from(*p)).abs()));
        let allowed = 2.0 * error + SLACK * largest;
        let off = |(got, exact): (&f32, &f64)| {
            let distance = (f64::from(*got) - exact).abs();
            distance.is_nan() || distance > allowed
        };
        let all: Vec<usize> = got
            .iter()
            .zip(exact)
            .enumerate()
            .filter(|(_, pair)| off(*pair))
            .map(|(index, _)| index)
            .collect();
        if let Some(&index) = all.first() {
            let place = match frame.row {
                0 => format!("{name}[{index}]"),
                row => format!("{name}[{}][{}]", index / row, index % row),
            };
            let (got, exact) = (got.get(index)?, exact.get(index)?);
            let (wrote, should) = apart(f64::from(*got), *exact);
            let is = match got.to_bits() & UNSIGNED {
                UNWRITTEN => "was never written".to_owned(),
                _ => format!("is {wrote}"),
            };
            let others = match all.len() {
                1 => String::new(),
                more => format!(" ({more} values are wrong)"),
            };
            return Some(format!(
                "at {}, {place} {is}, and should be {should}{others}.",
                case.name,
            ));
        }
    }
    None
}

/// A tiny case in full.
pub(super) fn printed(task: &Task, case: &Case, outputs: &[Vec<f32>]) -> String {
    let frame = (task.frame)(&case.extents);
    let exact = (task.reference.0)(&case.extents, &case.inputs);
    let line = |name: &str, values: &mut dyn Iterator<Item = f64>| {
        let shown = |value: f64| match (value as f32).to_bits() & UNSIGNED {
            UNWRITTEN => "-".to_owned(),
            _ => number(value),
        };
        let values: Vec<String> = values.map(shown).collect();
        format!("\n  {name} = {}", values.join(" "))
    };
    let mut text = String::new();
    for ((name, _), values) in frame.inputs.iter().zip(&case.inputs) {
        text.push_str(&line(name, &mut values.iter().map(|v| f64::from(*v))));
    }
    for ((name, _), (got, exact)) in frame.outputs.iter().zip(outputs.iter().zip(&exact)) {
        // What differs by less than is shown anywhere is shown alike.
        let told = got
            .iter()
            .zip(exact)
            .map(|(got, exact)| match f64::from(*got) {
                near if (near - exact).abs() <= ALIKE * exact.abs() => *exact,
                other => other,
            });
        text.push_str(&line(name, &mut told.into_iter()));
        text.push_str(&line("  right", &mut exact.iter().copied()));
    }
    text
}

/// Digits that always tell two floats apart.
const ALL_DIGITS: usize = 17;

/// Two values with as many digits as tell them apart, six at least.
fn apart(a: f64, b: f64) -> (String, String) {
    let both = |digits| (short(a, digits), short(b, digits));
    let told = (6..ALL_DIGITS).map(both).find(|(a, b)| a != b);
    told.unwrap_or_else(|| both(6))
}

/// Six digits, short where they are zero.
fn number(value: f64) -> String {
    short(value, 6)
}

/// So many significant digits, short where they are zero.
fn short(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if !(1e-4..1e6).contains(&value.abs()) {
        return format!("{value:.*e}", digits - 1);
    }
    let whole = value.abs().log10().floor() as i64;
    let decimals = usize::try_from(digits as i64 - 1 - whole).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// `6,291,456`.
pub(super) fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_values_are_told_apart() {
        for (a, b, wrote, should) in [
            (0.000_244_1, 0.000_244_2, "0.0002441", "0.0002442"),
            (1.0, 1.000_001, "1", "1.000001"),
            (0.25, 0.5, "0.25", "0.5"),
            (0.0, 1e-9, "0", "1.00000e-9"),
            (1_234_567.0, 1_234_568.0, "1.234567e6", "1.234568e6"),
            (1.5, f64::INFINITY, "1.5", "inf"),
        ] {
            assert_eq!(apart(a, b), (wrote.to_owned(), should.to_owned()));
        }
    }
}
