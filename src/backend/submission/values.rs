//! Are the values right, and how the first that is not is told.

use super::task::{Case, Task};

/// An error that any order of additions may make, relative to the largest value.
const SLACK: f64 = 1e-6;
/// The bits of memory that nothing has written.
const UNWRITTEN: u32 = u32::MAX;
/// Digits that are shown at least.
const DIGITS: usize = 6;

/// An output as it should be.
pub(super) struct Right {
    name: &'static str,
    exact: Vec<f64>,
    /// How far a value may lie from its exact one.
    pub allowed: f64,
}

impl Right {
    fn off(&self, got: f32, exact: f64) -> bool {
        let distance = (f64::from(got) - exact).abs();
        distance.is_nan() || distance > self.allowed
    }

    /// Indices of the values that are wrong.
    fn wrong(&self, got: &[f32]) -> Vec<usize> {
        let pairs = got.iter().zip(&self.exact).enumerate();
        pairs
            .filter(|(_, (got, exact))| self.off(**got, **exact))
            .map(|(index, _)| index)
            .collect()
    }
}

/// The outputs of a case as they should be.
pub(super) fn right(task: &Task, case: &Case) -> Vec<Right> {
    let frame = (task.frame)(&case.extents);
    let exact = (task.reference.0)(&case.extents, &case.inputs);
    let plain = (task.reference.1)(&case.extents, &case.inputs);
    let outputs = frame.outputs.iter().zip(exact.into_iter().zip(plain));
    outputs
        .map(|((name, _), (exact, plain))| {
            let largest = exact.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
            let error = exact
                .iter()
                .zip(plain)
                .fold(0.0, |most: f64, (e, p)| most.max((e - f64::from(p)).abs()));
            Right {
                name,
                exact,
                allowed: 2.0 * error + SLACK * largest,
            }
        })
        .collect()
}

/// A value as the machine's memory holds it: what nothing has written has bits of its
/// own, which no number that was stored has.
pub(super) fn value(bits: u32, written: bool) -> f32 {
    match f32::from_bits(bits) {
        _ if !written => f32::from_bits(UNWRITTEN),
        stored if stored.is_nan() => f32::NAN,
        stored => stored,
    }
}

fn unwritten(value: f32) -> bool {
    value.to_bits() == UNWRITTEN
}

/// Whether two kernels stored the same value, up to rounding.
pub(super) fn equal(a: f32, b: f32, allowed: f64) -> bool {
    if unwritten(a) || unwritten(b) || a.is_nan() || b.is_nan() {
        return unwritten(a) == unwritten(b) && a.is_nan() == b.is_nan();
    }
    let (a, b) = (f64::from(a), f64::from(b));
    let size = a.abs().max(b.abs());
    match size.is_finite() {
        true => (a - b).abs() <= allowed.max(SLACK * size),
        false => a.total_cmp(&b).is_eq(),
    }
}

/// The first value that is wrong, and how many are.
pub(super) fn wrong(task: &Task, outputs: &[Vec<f32>], case: &Case) -> Option<String> {
    let rights = right(task, case);
    let each: Vec<(&Right, &Vec<f32>, Vec<usize>)> = rights
        .iter()
        .zip(outputs)
        .map(|(right, got)| (right, got, right.wrong(got)))
        .filter(|(.., all)| !all.is_empty())
        .collect();
    let (right, got, all) = each.first()?;
    let index = *all.first()?;
    let name = right.name;
    let place = match (task.frame)(&case.extents).row {
        0 => format!("{name}[{index}]"),
        row => format!("{name}[{}][{}]", index / row, index % row),
    };
    let (got, exact) = (*got.get(index)?, *right.exact.get(index)?);
    let (wrote, should) = apart(f64::from(got), exact);
    let is = match unwritten(got) {
        true => "was never written".to_owned(),
        false => format!("is {wrote}"),
    };
    let total: usize = each.iter().map(|(.., all)| all.len()).sum();
    let others = match (total, each.len()) {
        (1, _) => String::new(),
        (_, 1) => format!(" ({total} values are wrong)"),
        _ => {
            let of = each
                .iter()
                .map(|(right, _, all)| format!("{} of {}", all.len(), right.name));
            let of: Vec<String> = of.collect();
            format!(" ({total} values are wrong: {})", of.join(", "))
        }
    };
    Some(format!(
        "at {}, {place} {is}, and should be {should}{others}.",
        case.name,
    ))
}

/// A tiny case in full.
pub(super) fn printed(task: &Task, case: &Case, outputs: &[Vec<f32>]) -> String {
    let frame = (task.frame)(&case.extents);
    let line = |name: &str, values: Vec<String>| format!("\n  {name} = {}", values.join(" "));
    let mut text = String::new();
    for ((name, _), values) in frame.inputs.iter().zip(&case.inputs) {
        let values = values.iter().map(|v| short(f64::from(*v), DIGITS));
        text.push_str(&line(name, values.collect()));
    }
    for (right, got) in right(task, case).iter().zip(outputs) {
        // What is right is shown as its exact value, so that all that looks different is.
        let told: Vec<(Option<f64>, f64)> = got
            .iter()
            .zip(&right.exact)
            .map(|(got, exact)| match *got {
                got if unwritten(got) => (None, *exact),
                got if right.off(got, *exact) => (Some(f64::from(got)), *exact),
                _ => (Some(*exact), *exact),
            })
            .collect();
        let digits = told.iter().filter_map(|(got, exact)| {
            let got = got.filter(|got| got != exact)?;
            digits(got, *exact)
        });
        let digits = digits.max().unwrap_or(DIGITS);
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), |v| short(v, digits));
        text.push_str(&line(
            right.name,
            told.iter().map(|(got, _)| shown(*got)).collect(),
        ));
        text.push_str(&line(
            "  right",
            told.iter().map(|(_, exact)| shown(Some(*exact))).collect(),
        ));
    }
    text
}

/// Digits that always tell two floats apart.
const ALL_DIGITS: usize = 17;

/// How many digits tell two values apart, six at least; `None` where none do.
fn digits(a: f64, b: f64) -> Option<usize> {
    (DIGITS..=ALL_DIGITS).find(|&digits| short(a, digits) != short(b, digits))
}

/// Two values with as many digits as tell them apart.
fn apart(a: f64, b: f64) -> (String, String) {
    let digits = digits(a, b).unwrap_or(DIGITS);
    (short(a, digits), short(b, digits))
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
