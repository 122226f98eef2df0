//! Whether what was typed answers what was asked: unit missing, wrong kind.

use super::dimension::Dimension;
use super::read::read_like;
use super::typed::{ReadError, Typed};
use super::unit::Unit;

/// A plain whole number below this is no count of bytes or FLOP that anybody
/// meant: it lacks its unit.
const PLAIN_FROM: f64 = 1e4;
/// A fraction beyond this is no share that anybody meant.
const MOST_WHOLES: f64 = 10.0;

/// What a question wants to hear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// The dimension of the answer.
    pub dimension: Dimension,
    /// The unit that the question names, if it names one.
    pub unit: Option<Unit>,
}

impl Asked {
    /// A question for this dimension that names no unit.
    pub fn new(dimension: Dimension) -> Self {
        Self {
            dimension,
            unit: None,
        }
    }

    /// A question that names its unit.
    pub fn in_unit(unit: Unit) -> Self {
        Self {
            dimension: unit.dimension(),
            unit: Some(unit),
        }
    }

    /// What an answer to it looks like.
    pub fn example(self) -> String {
        let named =
            |unit: &Unit| !matches!(unit.symbol(), "B" | "FLOP") && !unit.dimension().is_plain();
        match self.unit.filter(named) {
            _ if self.percent() => "61.8 %".to_owned(),
            Some(unit) => format!("1.25 {unit}"),
            None => self.dimension.example().to_owned(),
        }
    }

    fn percent(self) -> bool {
        self.unit == Some(Unit::PERCENT)
    }
}

/// Reads a typed answer to a question for `asked`; the quantity that comes back
/// has the dimension asked for (`Count` and `Ratio` stay as they were typed).
///
/// Without a unit these are read: counts, ratios, intensities; and for bytes
/// and FLOP a product (`2*4*512*2048^2`) or a whole number from 10,000 on,
/// since those are counts of the base unit. `12.6` bytes is not. A bare prefix
/// belongs to the unit asked for: `33.6M` FLOP. A share asked for in per cent
/// has its sign (`94.1%`), is a fraction (`16/17`), or at most 1 (`0.375`).
///
/// # Errors
/// [`ReadError`]: unreadable, without the unit it needs, or of another kind.
pub fn read_as(text: &str, asked: Asked) -> Result<Typed, ReadError> {
    let mut typed = read_like(text, Some(asked.dimension), &asked.example())?;
    let shown = quoted(text);
    if let Some((unit, column)) = typed.unit.filter(|(u, _)| *u != Unit::NONE) {
        let bare = text.chars().skip(column.saturating_sub(1));
        let bare = !bare
            .collect::<String>()
            .trim()
            .contains(char::is_whitespace);
        return fits(&mut typed, asked, &shown, (unit, column), bare).map(|()| typed);
    }
    let q = typed.quantity;
    if !q.dimension().is_plain() {
        return Err(kind(&shown, q.dimension(), asked, 1));
    }
    let many = q.value().abs() >= PLAIN_FROM;
    let whole = q.exact().is_some();
    let base_count = whole && (typed.computed || many) || typed.computed && many;
    // “17 launches” for bytes is a count by its own word.
    if let Some((_, column)) = typed.unit
        && !asked.dimension.is_plain()
    {
        return Err(kind(&shown, Dimension::Count, asked, column));
    }
    let read_plain = match asked.dimension {
        Dimension::Count | Dimension::FlopPerByte => true,
        Dimension::Ratio => !asked.percent() || share(&typed),
        Dimension::Bytes | Dimension::Flop => base_count,
        _ => false,
    };
    if !read_plain && q.value() != 0.0 {
        return Err(ReadError {
            // Where the unit should stand: behind the last character.
            column: text.chars().count() + 1,
            message: missing(&shown, asked),
        });
    }
    if !asked.dimension.is_plain() {
        typed.quantity = q.with_dimension(asked.dimension);
    }
    Ok(typed)
}

/// A share as a number: at most 1, or a fraction that is written as one and may
/// be more than the whole. `100*16/17` is a number of per cent.
fn share(typed: &Typed) -> bool {
    let most = if typed.computed { MOST_WHOLES } else { 1.0 };
    typed.quantity.value().abs() <= most
}

fn fits(
    typed: &mut Typed,
    asked: Asked,
    shown: &str,
    (unit, column): (Unit, usize),
    bare: bool,
) -> Result<(), ReadError> {
    let dimension = typed.quantity.dimension();
    if asked.dimension.agrees(dimension) {
        return Ok(());
    }
    // “2.6 M” says how many; of what, the question says. “2.6 M parameters” does.
    let prefix = bare && unit.dimension() == Dimension::Count && dimension.is_plain();
    let counted = matches!(
        asked.dimension,
        Dimension::Bytes
            | Dimension::Flop
            | Dimension::BytesPerSecond
            | Dimension::FlopPerSecond
            | Dimension::FlopPerByte
    );
    if prefix && counted {
        typed.quantity = typed.quantity.with_dimension(asked.dimension);
        return Ok(());
    }
    let error = kind(shown, dimension, asked, column);
    // A number of per cent is no plain one to whoever typed its sign.
    Err(match unit == Unit::PERCENT {
        true => ReadError {
            message: format!(
                "{shown} is a share; this asks for {}.",
                asked.dimension.noun()
            ),
            ..error
        },
        false => error,
    })
}

fn kind(shown: &str, typed: Dimension, asked: Asked, column: usize) -> ReadError {
    let (is, asks) = match (typed, asked.dimension) {
        (Dimension::FlopPerSecond, Dimension::Flop) => {
            ("a rate".to_owned(), "a count. Write GFLOP")
        }
        (Dimension::Flop, Dimension::FlopPerSecond) => {
            ("a count".to_owned(), "a rate. Write TFLOP/s")
        }
        (Dimension::Other(_), d) => (format!("in {typed}"), d.noun()),
        _ if asked.percent() => (typed.noun().to_owned(), "a share in %"),
        (_, d) => (typed.noun().to_owned(), d.noun()),
    };
    ReadError {
        column,
        message: format!("{shown} is {is}; this asks for {asks}."),
    }
}

fn missing(shown: &str, asked: Asked) -> String {
    let units = match asked.dimension {
        Dimension::Bytes => "Bytes, kB, MB, MiB?",
        Dimension::Flop => "FLOP, MFLOP, GFLOP?",
        Dimension::Time => "s, ms, us, ns?",
        Dimension::BytesPerSecond => "GB/s, TB/s?",
        Dimension::FlopPerSecond => "GFLOP/s, TFLOP/s?",
        Dimension::Ratio => "A share is written 37.5%, 0.375 or 3/8.",
        _ => "Write it as in 2.5 FLOP/B.",
    };
    format!("{shown} has no unit. {units}")
}

/// The typed text in quotation marks, shortened and without control characters.
fn quoted(text: &str) -> String {
    let clean: String = text.trim().chars().filter(|c| !c.is_control()).collect();
    let mut short: String = clean.chars().take(40).collect();
    if clean.chars().count() > 40 {
        short.push('…');
    }
    format!("“{short}”")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str, asked: Asked) -> String {
        read_as(text, asked).map_or_else(
            |e| e.to_string(),
            |t| format!("read: {}", t.quantity.value()),
        )
    }

    fn bytes() -> Asked {
        Asked::new(Dimension::Bytes)
    }

    #[test]
    fn a_missing_unit_is_named() {
        assert_eq!(
            fault("12.6", bytes()),
            "“12.6” has no unit. Bytes, kB, MB, MiB? Column 5."
        );
        assert!(fault("2.6 M parameters", bytes()).contains("is a count"));
        assert!(fault("219", Asked::new(Dimension::Flop)).contains("FLOP, MFLOP, GFLOP?"));
        assert!(fault("433.5", Asked::new(Dimension::Time)).contains("s, ms, us, ns?"));
    }

    #[test]
    fn another_kind_is_named_with_its_column() {
        assert_eq!(
            fault("12.6 ms", bytes()),
            "“12.6 ms” is a time; this asks for bytes. Column 6."
        );
        assert_eq!(
            fault("219.27 GFLOP/s", Asked::new(Dimension::Flop)),
            "“219.27 GFLOP/s” is a rate; this asks for a count. Write GFLOP. Column 8."
        );
        assert_eq!(
            fault("17 B", Asked::new(Dimension::Count)),
            "“17 B” is bytes; this asks for a count. Column 4."
        );
        assert!(fault("17 launches", bytes()).contains("is a count; this asks for bytes"));
        let share = Asked::in_unit(Unit::PERCENT);
        let intensity = Asked::new(Dimension::FlopPerByte);
        assert!(fault("8.3%", intensity).contains("is a share; this asks for an intensity"));
        assert!(fault("5.26 MB", share).contains("is bytes; this asks for a share in %"));
    }

    #[test]
    fn base_units_may_stay_unwritten_where_nothing_else_is_meant() {
        for text in [
            "2361344",
            "2,361,344",
            "2.361344e6",
            "2.361*10^6",
            "2.361M",
            "2.361 million",
            "2*4*512*2048^2",
            "2361 thousand",
        ] {
            let typed = read_as(text, bytes()).unwrap();
            assert_eq!(typed.quantity.dimension(), Dimension::Bytes, "{text}");
        }
        // A ratio of numbers with prefixes is a number like others: facts/cost-model's ridge
        // of an MI250X die, 23.95 TFLOP/s over 1638.4 GB/s.
        let intensity = |text| read_as(text, Asked::new(Dimension::FlopPerByte)).unwrap();
        for text in ["14.618", "23.95T/1638.4G", "23.95e12/1638.4e9"] {
            let typed = intensity(text).quantity;
            assert_eq!(typed.dimension(), Dimension::FlopPerByte, "{text}");
            assert!((typed.value() - 14.618).abs() < 1e-3, "{text}");
        }
    }

    #[test]
    fn per_cent_wants_its_sign_or_a_share() {
        let percent = Asked::in_unit(Unit::PERCENT);
        for text in [
            "94.1%",
            "94.1 percent",
            "94.1 per cent",
            "16/17",
            "1 - 1/17",
            "0.375",
            "1",
            "4/3",
            "two thirds",
        ] {
            assert!(read_as(text, percent).is_ok(), "{text}");
        }
        for text in ["94.1", "100*16/17"] {
            assert!(
                fault(text, percent).contains("A share is written 37.5%, 0.375 or 3/8"),
                "{text}"
            );
        }
        assert!(read_as("1.037x", Asked::in_unit(Unit::FACTOR)).is_ok());
        // What it looks like is told in the unit that is asked for.
        assert!(fault("6.3 % 1", percent).contains("An answer looks like 61.8 %."));
        let time = Asked::in_unit(Unit::parse("µs").unwrap());
        assert!(fault("1 2", time).contains("An answer looks like 1.25 µs."));
    }

    #[test]
    fn flops_is_read_as_the_question_asks() {
        let typed = read_as("219.27 GFLOPS", Asked::new(Dimension::Flop)).unwrap();
        assert_eq!(typed.quantity.exact(), Some(219_270_000_000));
        let rate = read_as("51 TFLOPS", Asked::new(Dimension::FlopPerSecond)).unwrap();
        assert_eq!(rate.quantity.value(), 51e12);
    }
}
