//! Decimal numbers: digits, separators, exponent, and how many digits count.

use super::arith::Quantity;
use super::dimension::Dimension;
use super::unit::{Unit, UnitError};

/// Exponents beyond this are typing errors.
const LARGEST_EXPONENT: i32 = 40;

/// A number as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// Its value.
    pub value: f64,
    /// All digits as one integer, where they fit: value = mantissa · 10^exponent.
    pub mantissa: Option<i128>,
    /// See `mantissa`.
    pub exponent: i32,
    /// Significant digits as written. Zeros at the end of a whole number
    /// without a point do not count: 33,550,000 claims four digits.
    pub digits: u32,
    /// Those zeros: digits they may be all the same, as in 30 %.
    pub zeros: u32,
    /// Power of ten of the last significant digit.
    pub last_place: i32,
    /// Written without point and exponent.
    pub whole: bool,
}

impl Number {
    /// The number as a quantity in `unit` (base units inside).
    pub fn in_unit(&self, unit: Unit) -> Quantity {
        let (num, den) = (i128::from(unit.numerator()), i128::from(unit.denominator()));
        let exact = self.exact_times(num, den);
        match exact {
            Some(n) => Quantity::whole(n, unit.dimension()),
            None => Quantity::new(self.value * num as f64 / den as f64, unit.dimension()),
        }
    }

    /// The plain number: a count where it is whole, a ratio otherwise.
    pub fn plain(&self) -> Quantity {
        match self.exact_times(1, 1) {
            Some(n) => Quantity::whole(n, Dimension::Count),
            None => Quantity::new(self.value, Dimension::Ratio),
        }
    }

    /// mantissa · 10^exponent · num / den, where that is a whole number in range.
    fn exact_times(&self, num: i128, den: i128) -> Option<i128> {
        let up = self.mantissa?.checked_mul(num)?;
        let ten = 10_i128.checked_pow(self.exponent.unsigned_abs())?;
        let (up, down) = if self.exponent >= 0 {
            (up.checked_mul(ten)?, den)
        } else {
            (up, den.checked_mul(ten)?)
        };
        (up % down == 0).then_some(up / down)
    }
}

/// Reads the number of an expression that starts at `at`; `Ok(None)` where none
/// starts there. Only `_` separates digits, since a comma separates arguments.
///
/// # Errors
/// [`UnitError`] with the offset in characters.
pub fn lex_number(chars: &[char], at: usize) -> Result<Option<(Number, usize)>, UnitError> {
    lex(chars, at, true).map_err(|e| UnitError {
        at: e.at,
        message: e.message,
    })
}

/// Why a number is not read: offset in characters and a sentence.
pub(super) struct NumberError {
    pub at: usize,
    pub message: String,
}

/// Reads the number that starts at `at`; `None` where none starts there.
///
/// Separators of thousands are `_`, `,`, an apostrophe and a space; each of the
/// latter three only before groups of exactly three digits. In expressions
/// (`plain`) only `_` separates, since a comma separates arguments there.
pub(super) fn lex(
    chars: &[char],
    at: usize,
    plain: bool,
) -> Result<Option<(Number, usize)>, NumberError> {
    let digit = |i: usize| chars.get(i).is_some_and(char::is_ascii_digit);
    let point_first = chars.get(at) == Some(&'.') && digit(at + 1);
    if !digit(at) && !point_first {
        return Ok(None);
    }
    let mut digits = String::new();
    let mut i = at;
    if !point_first {
        i = whole_part(chars, at, plain, &mut digits)?;
    }
    let whole_digits = digits.len();
    let mut whole = true;
    if chars.get(i) == Some(&'.') && chars.get(i + 1) != Some(&'.') {
        whole = false;
        i += 1;
        while let Some(c) = chars.get(i) {
            match c {
                '0'..='9' => digits.push(*c),
                '_' if digit(i + 1) => {}
                _ => break,
            }
            i += 1;
        }
        if chars.get(i) == Some(&'.') {
            return Err(NumberError {
                at: i,
                message: "a number has one decimal point; thousands are 1,048,576 or 1_048_576"
                    .to_owned(),
            });
        }
    }
    let fraction = digits.len() - whole_digits;
    let mut exponent = -i32::try_from(fraction).unwrap_or(i32::MAX);
    if let Some((e, next)) = exponent_part(chars, i)? {
        exponent = exponent.saturating_add(e);
        whole = false;
        i = next;
    }
    Ok(Some((finish(&digits, exponent, whole), i)))
}

fn whole_part(
    chars: &[char],
    at: usize,
    plain: bool,
    digits: &mut String,
) -> Result<usize, NumberError> {
    let digit = |i: usize| chars.get(i).is_some_and(char::is_ascii_digit);
    let run = |from: usize| {
        chars
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|c| c.is_ascii_digit())
            .count()
    };
    let mut i = at;
    let mut grouped: Option<char> = None;
    while let Some(c) = chars.get(i) {
        match c {
            '0'..='9' => digits.push(*c),
            '_' if digit(i + 1) => {}
            ',' if !plain && digit(i + 1) => {
                // “0,655” has no thousands: its comma is meant as a decimal sign.
                let first = (1..=3).contains(&digits.len()) && !digits.starts_with('0');
                let fits = run(i + 1) == 3 && (grouped == Some(',') || first);
                if !fits {
                    return Err(NumberError {
                        at: i,
                        message: "a comma only separates groups of three digits (1,048,576); the decimal sign is a point (12.6)".to_owned(),
                    });
                }
                grouped = Some(',');
            }
            ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '’' if !plain && run(i + 1) == 3 => {
                let sign = if matches!(c, '\'' | '’') { '\'' } else { ' ' };
                let fits =
                    grouped == Some(sign) || (grouped.is_none() && (1..=3).contains(&digits.len()));
                if !fits {
                    break;
                }
                grouped = Some(sign);
            }
            _ => break,
        }
        i += 1;
    }
    Ok(i)
}

/// `e11`, `E-3`, `e+6`; an `e` without digits belongs to whatever follows.
fn exponent_part(chars: &[char], at: usize) -> Result<Option<(i32, usize)>, NumberError> {
    if !matches!(chars.get(at), Some('e' | 'E')) {
        return Ok(None);
    }
    let (sign, start) = match chars.get(at + 1) {
        Some('+') => (1, at + 2),
        Some('-' | '−') => (-1, at + 2),
        _ => (1, at + 1),
    };
    let mut value = 0_i32;
    let mut i = start;
    while let Some(d) = chars.get(i).and_then(|c| c.to_digit(10)) {
        value = value.saturating_mul(10).saturating_add(d as i32);
        i += 1;
    }
    if i == start {
        return Ok(None);
    }
    if value > LARGEST_EXPONENT {
        return Err(NumberError {
            at,
            message: format!("the exponent is beyond ±{LARGEST_EXPONENT}"),
        });
    }
    Ok(Some((sign * value, i)))
}

fn finish(digits: &str, exponent: i32, whole: bool) -> Number {
    let significant = digits.trim_start_matches('0');
    let trailing = significant.len() - significant.trim_end_matches('0').len();
    let (count, last_place) = if whole {
        (significant.len() - trailing, trailing as i32)
    } else {
        (significant.len(), exponent)
    };
    Number {
        value: format!("{digits}e{exponent}")
            .parse()
            .unwrap_or(f64::INFINITY),
        mantissa: digits.parse().ok(),
        exponent,
        digits: u32::try_from(count.max(1)).unwrap_or(u32::MAX),
        zeros: if whole && count > 0 {
            u32::try_from(trailing).unwrap_or(u32::MAX)
        } else {
            0
        },
        last_place,
        whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Number {
        let chars: Vec<char> = text.chars().collect();
        let (n, end) = lex(&chars, 0, false).ok().flatten().unwrap();
        assert_eq!(end, chars.len(), "{text} was not read to its end");
        n
    }

    #[test]
    fn thousands_come_in_four_spellings() {
        for text in [
            "1048576",
            "1'048'576",
            "1’048’576",
            "1_048_576",
            "1,048,576",
            "1 048 576",
            "1\u{202f}048\u{202f}576",
        ] {
            assert_eq!(read(text).plain().exact(), Some(1 << 20), "{text}");
        }
    }

    #[test]
    fn significant_digits_as_written() {
        // text, significant digits, power of ten of the last of them
        for (text, digits, place) in [
            ("219.27", 5, -2),
            ("2.1927e11", 5, 7),
            ("33554432", 8, 0),
            ("33,550,000", 4, 4),
            ("0.0833", 3, -4),
            ("100.0", 4, -1),
            ("17", 2, 0),
            ("0", 1, 0),
            (".5", 1, -1),
            ("2e6", 1, 6),
        ] {
            let n = read(text);
            assert_eq!((n.digits, n.last_place), (digits, place), "{text}");
        }
        for (text, zeros) in [
            ("33,550,000", 4),
            ("30", 1),
            ("17", 0),
            ("100.0", 0),
            ("0", 0),
        ] {
            assert_eq!(read(text).zeros, zeros, "{text}");
        }
    }

    #[test]
    fn a_decimal_comma_is_refused() {
        for (text, at) in [("12,6", 2), ("0,655", 1), ("00,655", 2)] {
            let chars: Vec<char> = text.chars().collect();
            assert!(lex(&chars, 0, false).is_err_and(|e| e.at == at), "{text}");
        }
    }

    #[test]
    fn whole_after_scaling_is_exact() {
        let mb = read("12.6").in_unit(Unit::MB);
        assert_eq!(mb.exact(), Some(12_600_000));
        assert_eq!(read("9223372036854775808").plain().exact(), Some(1 << 63));
    }
}
