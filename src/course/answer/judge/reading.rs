//! Reading an answer as people write it around the number: a word before it, or
//! a range, which is no number.

use plan::units::{self, Asked, Dimension, ReadError, Typed, Unit};

/// Words that say that a number is rounded; its digits say so already.
const ROUNDLY: [&str; 8] = [
    "about ",
    "approximately ",
    "approx. ",
    "approx ",
    "roughly ",
    "around ",
    "circa ",
    "ca. ",
];

/// Reads what was typed for a question.
///
/// # Errors
/// [`ReadError`] with the column in `text`.
pub(super) fn read(text: &str, asked: Asked) -> Result<Typed, ReadError> {
    let (before, bare) = bare(text);
    if let Some(column) = range(bare) {
        return Err(ReadError {
            column: before + column,
            message: format!("“{}” is a range; write one number.", text.trim()),
        });
    }
    let typed = units::read_as(bare, asked).map_err(|e| ReadError {
        column: before + e.column,
        ..e
    })?;
    match typed.unit {
        Some((unit, column)) if unit == Unit::PERCENT && asked.dimension == Dimension::Count => {
            Err(ReadError {
                column: before + column,
                message: format!("“{}” is per cent; this asks for a count.", text.trim()),
            })
        }
        _ => Ok(typed),
    }
}

/// The text behind such a word, and the characters before it.
fn bare(text: &str) -> (usize, &str) {
    let start = text.trim_start();
    let lead = text.chars().count() - start.chars().count();
    for word in ROUNDLY {
        if start
            .get(..word.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(word))
        {
            let rest = start.get(word.len()..).unwrap_or_default();
            return (lead + word.chars().count(), rest);
        }
    }
    (0, text)
}

/// The column at which the second of two numbers of a range begins: `16-18`,
/// `3.5 – 5.0x`, `16 to 18`, `16..18`. A difference has its larger number first,
/// and one that is written with spaces is meant as one.
fn range(text: &str) -> Option<usize> {
    let number = |part: &str| part.trim().parse::<f64>().ok();
    for sign in [" to ", " bis ", "..", "–", "-"] {
        let Some((left, right)) = text.split_once(sign) else {
            continue;
        };
        let spaced = left.ends_with(' ') || right.starts_with(' ');
        let digits = right.trim_start();
        let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (upper, rest) = digits.split_at(end.unwrap_or(digits.len()));
        let operators = ['+', '-', '*', '/', '^', '·', '×', '('];
        let goes_on = rest.trim_start().starts_with(operators);
        let rises = number(left)
            .zip(number(upper))
            .is_some_and(|(low, high)| low < high);
        if rises && !goes_on && !(spaced && sign == "-") {
            return Some(left.chars().count() + sign.chars().count() + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_no_difference() {
        for text in [
            "16-18",
            "3.5 – 5.0x",
            "60-75 %",
            "16 to 18",
            "1..2",
            "0.6-0.7 us",
        ] {
            assert!(range(text).is_some(), "{text}");
        }
        for text in [
            "17 - 4",
            "18-16",
            "-3",
            "2*3",
            "1 - 12/17",
            "2e-3",
            "",
            "12.6 MB",
        ] {
            assert_eq!(range(text), None, "{text}");
        }
        assert_eq!(bare(" about 17"), (7, "17"));
        assert_eq!(bare("17"), (0, "17"));
    }
}
