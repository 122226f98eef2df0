//! Printing: the unit that a person would pick.

use super::arith::Quantity;
use super::dimension::Dimension;
use super::unit::{Unit, UnitError};

/// Significant digits where nobody asks for a number of decimals.
const DIGITS: i32 = 4;

/// A unit with a number of decimals, as formats write it: `MB 3`, `%`, `x 3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The unit.
    pub unit: Unit,
    /// Decimals; `None` leaves four significant digits.
    pub decimals: Option<u8>,
}

impl Spec {
    /// Reads `MB`, `MB 3`, `us 1`, `FLOP/B 2`, `% 1`, `x 3`; `plain 4` is a count
    /// or a ratio as a bare number.
    ///
    /// # Errors
    /// [`UnitError`] with the offset in characters.
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        let named = |unit: &str| match unit.trim() {
            "plain" => Ok(Unit::NONE),
            unit => Unit::parse(unit),
        };
        let Some((unit, decimals)) = text.rsplit_once(char::is_whitespace) else {
            return Ok(Self {
                unit: named(text)?,
                decimals: None,
            });
        };
        match decimals.parse::<u8>() {
            Ok(n) if n <= 9 => Ok(Self {
                unit: named(unit)?,
                decimals: Some(n),
            }),
            _ => Err(UnitError {
                at: unit.chars().count() + 1,
                message: format!("“{decimals}” is no number of decimals: 0 to 9, as in MB 3."),
            }),
        }
    }
}

/// The quantity in the unit a person would pick, with four significant digits:
/// `12.69 MB`, `219.3 GFLOP`, `433.5 µs`, `94.12 %`, `1,048,576`.
///
/// Counts are whole with thousands commas, small byte and FLOP counts (below
/// 10,000) are exact, a ratio up to 1 is in per cent and a larger one plain.
pub fn format(q: &Quantity) -> String {
    if let (Dimension::Count, Some(n)) = (q.dimension(), q.exact()) {
        return group_thousands(n);
    }
    let unit = pick(q.dimension(), q.value());
    let symbol = unit.symbol();
    let exact = q
        .exact()
        .filter(|_| unit.numerator() == 1 && unit.denominator() == 1);
    let number = match exact {
        Some(n) => group_thousands(n),
        None => significant(q.in_unit(unit), DIGITS),
    };
    joined(&number, symbol)
}

/// The quantity in a given unit. Without `decimals`: exact where whole in that
/// unit, else four significant digits.
///
/// # Errors
/// [`UnitError`] where the unit measures something else. A count may be printed
/// as a ratio and the reverse.
pub fn format_in(q: &Quantity, unit: Unit, decimals: Option<u8>) -> Result<String, UnitError> {
    if !q.dimension().agrees(unit.dimension()) {
        let message = match unit.symbol() {
            "" => format!("{} cannot be printed as a plain number", q.dimension()),
            _ => format!("{} cannot be printed in {unit}", q.dimension()),
        };
        return Err(UnitError { at: 0, message });
    }
    let number = match (decimals, q.exact()) {
        (Some(d), _) => fixed(q.in_unit(unit), usize::from(d)),
        (None, Some(n)) if unit.denominator() == 1 && n % i128::from(unit.numerator()) == 0 => {
            group_thousands(n / i128::from(unit.numerator()))
        }
        (None, _) => significant(q.in_unit(unit), DIGITS),
    };
    let symbol = match unit.symbol() {
        // A share, as of an error, and no multiple.
        "x" if q.value().abs() < 0.1 => "",
        symbol => symbol,
    };
    Ok(joined(&number, symbol))
}

/// The quantity as it was read, in full: counts of bytes and FLOP in base units
/// (`2.1927e11 FLOP`, `12,600,000 B`), so that MB and MiB can be told apart;
/// times and rates in the unit that a person would pick (`433.5 µs`).
pub fn spell(q: &Quantity) -> String {
    use Dimension::{BytesPerSecond, FlopPerSecond, Time};
    if matches!(q.dimension(), Time | BytesPerSecond | FlopPerSecond) {
        let unit = pick(q.dimension(), q.value());
        return joined(short(&significant(q.in_unit(unit), 9)), unit.symbol());
    }
    let unit = Unit::base(q.dimension());
    let number = match q.exact() {
        Some(n) if n.unsigned_abs() < 1_000_000_000 => group_thousands(n),
        // Every digit of it, but for noughts at the end.
        Some(n) => format!("{n:e}"),
        None if q.value().abs() >= 1e9 || (q.value() != 0.0 && q.value().abs() < 1e-4) => {
            let text = format!("{:.9e}", q.value());
            let (mantissa, exponent) = text.split_once('e').unwrap_or((text.as_str(), "0"));
            format!("{}e{exponent}", short(mantissa))
        }
        _ => short(&significant(q.value(), 9)).to_owned(),
    };
    joined(&number, unit.symbol())
}

/// Without the zeros at the end of its fraction.
fn short(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

/// The decimal unit in which a value of this size is written.
pub(super) fn pick(dimension: Dimension, value: f64) -> Unit {
    match dimension {
        Dimension::Count => Unit::NONE,
        Dimension::Ratio if value.abs() <= 1.0 => Unit::PERCENT,
        Dimension::Ratio => Unit::base(Dimension::Ratio),
        Dimension::Bytes | Dimension::Flop if value.abs() < 1e4 => Unit::base(dimension),
        _ => largest_below(dimension, value.abs()),
    }
}

/// The largest unit of the family that leaves at least 1 before the point.
pub(super) fn largest_below(dimension: Dimension, value: f64) -> Unit {
    // 999.97 with four digits would print as 1000: step over early.
    let fits = |u: &Unit| value >= u.size() * 0.999_95;
    let mut family = Unit::decimal_family(dimension);
    let first = family.next().unwrap_or(Unit::base(dimension));
    if value == 0.0 {
        return Unit::base(dimension);
    }
    family.filter(fits).last().unwrap_or(first)
}

/// `1234567` as `1,234,567`.
pub fn group_thousands(n: i128) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if n < 0 {
        out.push('-');
    }
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A value with this many significant digits, commas before the point; never in
/// scientific notation up to 10¹⁵.
pub fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    if value.abs() >= 1e15 || value.abs() < 1e-9 {
        let decimals = usize::try_from(digits - 1).unwrap_or(0);
        return format!("{value:.decimals$e}");
    }
    let magnitude = |v: f64| v.abs().log10().floor() as i32;
    let mut decimals = digits - 1 - magnitude(value);
    // 9.9996 rounds up to 10.000: one decimal too many.
    let scale = 10_f64.powi(decimals);
    if magnitude((value * scale).round() / scale) > magnitude(value) {
        decimals -= 1;
    }
    fixed(value, usize::try_from(decimals).unwrap_or(0))
}

/// A number with so many decimals. A half goes away from nothing, as a reader rounds it:
/// 56.25 is 56.3 beside 93.8 for 93.75.
pub(super) fn rounded(value: f64, decimals: usize) -> String {
    // Digits are printed ties to even: a half is pushed over its edge by one last place.
    format!("{:.decimals$}", value * (1.0 + f64::EPSILON))
}

/// Fixed decimals, commas before the point.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = rounded(value, decimals);
    let (whole, fraction) = match text.split_once('.') {
        Some((w, f)) => (w, Some(f)),
        None => (text.as_str(), None),
    };
    let Ok(n) = whole.parse::<i128>() else {
        return text;
    };
    let sign = if n == 0 && whole.starts_with('-') {
        "-"
    } else {
        ""
    };
    match fraction {
        Some(f) => format!("{sign}{}.{f}", group_thousands(n)),
        None => format!("{sign}{}", group_thousands(n)),
    }
}

/// Five characters for a box of the ribbon: `0.263`, `12.58`, `134.2`, ` 1049`; `<.001` for
/// what is there and less.
pub fn compact(value: f64) -> String {
    let decimals = match value.abs() {
        v if value > 0.0 && v < 0.000_5 => return "<.001".to_owned(),
        v if v < 9.9995 => 3,
        v if v < 99.995 => 2,
        v if v < 999.95 => 1,
        _ => 0,
    };
    format!("{:>5}", rounded(value, decimals))
}

fn joined(number: &str, symbol: &str) -> String {
    match symbol {
        "" => number.to_owned(),
        "x" => format!("{number}x"),
        _ => format!("{number} {symbol}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_that_a_person_would_pick() {
        let mb = |n| format(&Quantity::bytes(n));
        assert_eq!(mb(12_686_848), "12.69 MB");
        assert_eq!(mb(2_623_488), "2.623 MB");
        assert_eq!(mb(9_216), "9,216 B");
        assert_eq!(mb(263_168), "263.2 kB");
        assert_eq!(mb(999_999), "1.000 MB");
        assert_eq!(format(&Quantity::flop(219_268_788_224)), "219.3 GFLOP");
        assert_eq!(format(&Quantity::seconds(433.5e-6)), "433.5 µs");
        assert_eq!(format(&Quantity::ratio(16.0 / 17.0)), "94.12 %");
        assert_eq!(format(&Quantity::ratio(1.037)), "1.037");
        assert_eq!(format(&Quantity::count(1 << 20)), "1,048,576");
        assert_eq!(
            format(&Quantity::new(4.8e12, Dimension::BytesPerSecond)),
            "4.800 TB/s"
        );
    }

    #[test]
    fn a_small_share_is_no_multiple() {
        let of = |v| format_in(&Quantity::ratio(v), Unit::FACTOR, None).unwrap();
        assert_eq!(of(0.008_217), "0.008217");
        assert_eq!((of(0.5), of(2.0)), ("0.5000x".into(), "2.000x".into()));
    }

    #[test]
    fn in_a_given_unit() {
        let q = Quantity::bytes(2_623_488);
        let spec = Spec::parse("MB 3").unwrap();
        assert_eq!(format_in(&q, spec.unit, spec.decimals).unwrap(), "2.623 MB");
        assert_eq!(
            format_in(&q, Unit::canonical("MiB").unwrap(), Some(3)).unwrap(),
            "2.502 MiB"
        );
        assert_eq!(
            format_in(&q, Unit::base(Dimension::Bytes), None).unwrap(),
            "2,623,488 B"
        );
        assert_eq!(
            format_in(&Quantity::ratio(1.037), Unit::FACTOR, Some(3)).unwrap(),
            "1.037x"
        );
        assert!(format_in(&q, Unit::base(Dimension::Time), None).is_err());
        assert!(Spec::parse("MB many").is_err_and(|e| e.at == 3));
    }

    #[test]
    fn spelled_as_read() {
        let q = Quantity::whole(219_270_000_000, Dimension::Flop);
        assert_eq!(spell(&q), "2.1927e11 FLOP");
        assert_eq!(spell(&Quantity::bytes(12_600_000)), "12,600,000 B");
        assert_eq!(spell(&Quantity::seconds(433.5e-6)), "433.5 µs");
        assert_eq!(spell(&Quantity::seconds(123_456_790.7)), "123,456,791 s");
        assert_eq!(spell(&Quantity::bytes(1 << 40)), "1.099511627776e12 B");
    }

    #[test]
    fn five_characters_for_a_box() {
        for (value, text) in [
            (0.263, "0.263"),
            (12.58, "12.58"),
            (134.2, "134.2"),
            (9.9999, "10.00"),
            (1049.0, " 1049"),
        ] {
            assert_eq!(compact(value), text);
        }
    }
}
