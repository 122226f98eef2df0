//! Reading an answer as people write it around the number: words before and
//! behind it, the symbol that it is the value of, both sides of an equals sign,
//! `10 of 17`; or a range, which is no number.

use super::words::{Asking, has_number};
use plan::units::{self, Asked, Dimension, Quantity, ReadError, Typed, Unit};

/// What stands between the sides of a statement: the last side is the answer.
const SIGNS: [char; 6] = ['=', '≈', '≃', '≅', '≥', '≤'];

/// Reads what was typed for the question `ask`.
///
/// # Errors
/// [`ReadError`] with the column in `text`.
pub(super) fn read(text: &str, ask: &str, asked: Asked) -> Result<Typed, ReadError> {
    let (text, asking) = (units::unsigned(text), Asking::of(ask));
    let first = statement(text, &asking, asked);
    match &first {
        Err(_) => reasoned(text, &asking, asked).unwrap_or(first),
        Ok(_) => first,
    }
}

/// What separates an answer from words beside it.
const REASONS: [&str; 8] = [
    ", ",
    "; ",
    " because ",
    " since ",
    " as ",
    " — ",
    " – ",
    " - ",
];

/// An answer with words beside it that hold no digit: `256, it gets stuck there`;
/// or what follows from them: `65536/24064 = 2.7, so 2`.
fn reasoned(text: &str, asking: &Asking, asked: Asked) -> Option<Result<Typed, ReadError>> {
    let mut parts = vec![text];
    for sign in REASONS {
        parts = parts.into_iter().flat_map(|p| p.split(sign)).collect();
    }
    if parts.len() < 2 {
        return None;
    }
    let concludes = |part: &&&str| {
        let words = ["so ", "thus ", "hence ", "therefore "];
        words.iter().any(|word| part.trim_start().starts_with(word))
    };
    if let Some(so) = parts.iter().find(concludes) {
        return statement(so, asking, asked).ok().map(Ok);
    }
    let mut numbers = parts.iter().filter(|part| part.contains(char::is_numeric));
    let only = match (numbers.next(), numbers.next()) {
        (Some(one), None) => *one,
        (None, _) => parts.iter().find(|part| has_number(part))?,
        _ => return None,
    };
    let read = |part: &str| statement(part, asking, asked);
    let mut others = parts.iter().filter(|part| **part != only);
    // “none, 1 lane per bank” says two numbers.
    let alone = others.all(|part| read(part).is_err());
    read(only).ok().filter(|_| alone).map(Ok)
}

/// Both sides of an equals sign, or one number, with the words around it.
fn statement(text: &str, asking: &Asking, asked: Asked) -> Result<Typed, ReadError> {
    let whole = asking.unquoted(text);
    let (said, remark) = remark(whole);
    let mut sides: Vec<&str> = said.split(SIGNS).flat_map(labelled).collect();
    let last = sides.pop().unwrap_or(said);
    // A sign with nothing behind it is no empty answer.
    if last.trim().is_empty() && !text.trim().is_empty() {
        return Err(ReadError {
            column: text.chars().count(),
            message: format!("No number stands behind “{}”.", text.trim()),
        });
    }
    let one = |part: &str| side(text, asking.bare(part), asked);
    let answer = one(last)?;
    let mut best = answer.clone();
    // What stands before the last sign is said of the same number, or is a symbol.
    for part in sides.into_iter().chain(remark) {
        let bare = part.trim().trim_end_matches(['<', '>', ':']);
        if bare.is_empty() {
            continue;
        }
        match one(bare) {
            Ok(other) if agree(&answer, &other) => {
                if finer(&other, &best) {
                    best = other;
                }
            }
            Ok(_) => {
                return Err(ReadError {
                    column: column(text, part),
                    message: format!("“{}” contains two numbers.", text.trim()),
                });
            }
            Err(e) if !part.contains(char::is_alphabetic) => return Err(e),
            // A line meant for a shell says nothing of a number.
            Err(_) if bare.contains(" --") || bare.contains("; ") => {
                return Err(ReadError {
                    column: column(text, part),
                    message: format!("“{}” is no number.", bare.trim()),
                });
            }
            Err(_) => {}
        }
    }
    Ok(best)
}

/// One side: a number with its unit, or `10 of 17`.
fn side(text: &str, part: &str, asked: Asked) -> Result<Typed, ReadError> {
    let before = column(text, part) - 1;
    if let Some(column) = range(part) {
        return Err(ReadError {
            column: before + column,
            message: format!("“{}” is a range; write one number.", text.trim()),
        });
    }
    let read = |part: &str| {
        units::read_as(part, asked).map_err(|e| ReadError {
            column: before + e.column,
            ..e
        })
    };
    let typed = match some_of(part, asked).or_else(|| respelled(part, asked)) {
        Some(rewritten) => read(&rewritten)?,
        None => {
            read(part).or_else(|e| named(part, asked).and_then(|bare| read(bare).ok()).ok_or(e))?
        }
    };
    if let Some(factor) = more_or_less(text, &typed, asked) {
        return Ok(factor);
    }
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

/// What the reader of units has no word for: `no FLOPs`, `32-way`, `512 Ki`, `3 floats`.
fn respelled(part: &str, asked: Asked) -> Option<String> {
    let lower = part.trim().to_lowercase();
    if !has_number(&lower) {
        let none = lower.starts_with("no ") && lower.split(' ').count() <= 3;
        return none.then(|| "0".to_owned());
    }
    let behind = |word: &str| {
        let head = part.trim().get(..lower.strip_suffix(word)?.len())?;
        let head = head.trim_end_matches([' ', '-']);
        head.ends_with(|c: char| c.is_ascii_digit()).then_some(head)
    };
    if let Some(head) = behind("way") {
        return Some(head.to_owned());
    }
    let binary = [("ki", "1024"), ("mi", "1024^2"), ("gi", "1024^3")];
    if let Some((head, size)) = binary.iter().find_map(|(w, size)| Some((behind(w)?, size))) {
        return Some(format!("{head} * {size}"));
    }
    let float = behind("floats").or_else(|| behind("float"))?;
    (asked.dimension == Dimension::Bytes).then(|| format!("{float} * 4 B"))
}

/// A number of things with their name: `80 VGPRs`. What the number counts is said
/// by the question.
fn named(part: &str, asked: Asked) -> Option<&str> {
    let (head, noun) = part.trim().rsplit_once(' ')?;
    let joins = ["or", "and", "to", "per", "bis", "oder", "und"];
    let plain = noun.chars().count() >= 3 && noun.chars().all(char::is_alphabetic);
    let unit = Unit::parse(noun).is_ok() || joins.contains(&noun);
    let number = head.trim().ends_with(|c: char| c.is_ascii_digit());
    (asked.dimension == Dimension::Count && plain && !unit && number).then_some(head)
}

/// `50 % more` where a factor is asked for: one and a half of it.
fn more_or_less(part: &str, typed: &Typed, asked: Asked) -> Option<Typed> {
    let (unit, _) = typed.unit?;
    let factor = asked.dimension.is_plain() && asked.unit != Some(Unit::PERCENT);
    if unit != Unit::PERCENT || !factor {
        return None;
    }
    let word = part.split_whitespace().next_back()?.to_lowercase();
    let more = [
        "more", "faster", "higher", "larger", "longer", "bigger", "greater",
    ];
    let less = ["less", "fewer", "lower", "smaller", "shorter"];
    let share = typed.quantity.value();
    let value = match word.as_str() {
        word if more.contains(&word) => 1.0 + share,
        word if less.contains(&word) => 1.0 - share,
        _ => return None,
    };
    let place = 2.0 * typed.half_place;
    let digits = (value.abs() / place).log10().floor();
    Some(Typed {
        quantity: Quantity::new(value, Dimension::Ratio),
        // A share has few places: a factor of 1.5 to 1.0068.
        digits: (place > 0.0 && digits.is_finite()).then_some(digits as u32 + 1),
        unit: None,
        computed: true,
        ..typed.clone()
    })
}

/// The column, from 1, at which a part of `text` begins.
fn column(text: &str, part: &str) -> usize {
    let at = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    text.get(..at).map_or(1, |head| head.chars().count() + 1)
}

/// `launches: 17` is a label and its number; `8:1` is a ratio.
fn labelled(part: &str) -> Vec<&str> {
    match part.split_once(':') {
        Some((label, rest)) if !has_number(label) && label.contains(char::is_alphabetic) => {
            vec![label, rest]
        }
        _ => vec![part],
    }
}

/// What stands in parentheses behind the answer, with a number in it: a remark
/// without one says nothing that is graded.
fn remark(text: &str) -> (&str, Option<&str>) {
    let Some((head, tail)) = text
        .trim_end()
        .strip_suffix(')')
        .and_then(|inside| inside.rsplit_once(" ("))
    else {
        return (text, None);
    };
    let operator = head.trim_end().ends_with([
        '+', '-', '−', '–', '*', '/', '^', '·', '⋅', '×', 'x', '(', '=', '≈', '√', '÷',
    ]);
    if operator || !has_number(head) || tail.contains(['(', ')']) {
        return (text, None);
    }
    (head, has_number(tail).then_some(tail))
}

/// Whether two readings can be of one number: in the same base unit, or without.
fn agree(a: &Typed, b: &Typed) -> bool {
    let near = (a.quantity.value() - b.quantity.value()).abs()
        <= 1e-9 * a.quantity.value().abs().max(b.quantity.value().abs());
    near || a.rounds_to(&b.quantity)
        || b.rounds_to(&a.quantity)
        || a.rounds_in_full(&b.quantity)
        || b.rounds_in_full(&a.quantity)
}

/// Whether the one says more digits than the other.
fn finer(a: &Typed, b: &Typed) -> bool {
    a.digits.unwrap_or(u32::MAX) > b.digits.unwrap_or(u32::MAX)
}

/// `10 of 17`, `10 out of 17`: the first where things are counted, their ratio
/// where a share is asked for; `8:1` as a ratio.
fn some_of(part: &str, asked: Asked) -> Option<String> {
    let number = |text: &str| {
        let typed = units::read(text, None).ok()?;
        let bare = typed.unit.is_none_or(|(unit, _)| unit == Unit::NONE);
        (bare && typed.quantity.dimension().is_plain()).then_some(typed)
    };
    for sign in [" out of ", " of ", ":"] {
        let Some((some, all)) = part.split_once(sign) else {
            continue;
        };
        let all = all.trim().trim_start_matches("the ");
        let (Some(_), Some(_)) = (number(some), number(all)) else {
            continue;
        };
        match asked.dimension {
            Dimension::Count if sign != ":" => return Some(some.to_owned()),
            Dimension::Ratio | Dimension::Count => return Some(format!("({some})/({all})")),
            _ => {}
        }
    }
    None
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
        let operators = ['+', '-', '*', '/', '^', '·', '⋅', '×', '('];
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
    }

    #[test]
    fn words_and_signs_around_a_number() {
        let count = Asked::new(Dimension::Count);
        let ask = "How many kernels does one block launch in a forward of V1?";
        for text in [
            "17",
            " about 17",
            "n = 17",
            "N=17",
            "launches: 17",
            "≥ 17",
            ">= 17",
            "at least 17",
            "17 or more",
            "17 launches per block",
            "17 kernels in total",
            "exactly 17.",
            "17;",
            "“17”",
            "17 (with RoPE)",
            "10 + 7 = 17",
            "10+7=17",
            "17 of 18",
            "17 out of 18 kernels",
            "it launches 17 kernels",
            "seventeen",
            "17?",
            "17 #",
            "17#",
            "17 =",
            "10 + 7 = 17 @",
        ] {
            let read = read(text, ask, count);
            assert_eq!(read.map(|t| t.quantity.exact()), Ok(Some(17)), "{text}");
        }
        for (text, part) in [
            ("17 = 18", "two numbers"),
            ("17 (18)", "two numbers"),
            ("16-18", "a range"),
            ("17 or 18", "“or” is not a unit"),
            ("17 launches per token", "“per” does not belong"),
            ("17 %", "per cent"),
            ("17 MB", "asks for a count"),
            ("", "Nothing is typed"),
            ("n =", "No number stands behind “n =”"),
            ("=", "No number stands behind “=”"),
        ] {
            let error = read(text, ask, count).map(|t| t.quantity).unwrap_err();
            assert!(error.message.contains(part), "{text}: {}", error.message);
        }
    }

    #[test]
    fn words_beside_a_number_are_no_part_of_it() {
        let ask = "How many lanes hit one bank?";
        let read = |text: &str, dimension| {
            let read = read(text, ask, Asked::new(dimension));
            read.ok().map(|typed| typed.quantity.value())
        };
        let count = |text: &str| read(text, Dimension::Count);
        for text in [
            "32, every lane at once",
            "all 32",
            "32-way",
            "thus 32",
            "64/2 = 32, so 32",
        ] {
            assert_eq!(count(text), Some(32.0), "{text}");
        }
        for text in ["32, 16", "none, 1 lane per bank", "32, not 31", "so, many"] {
            assert_eq!(count(text), None, "{text}");
        }
        assert_eq!(count("512 Ki"), Some(524_288.0));
        assert_eq!(count("80 VGPRs"), Some(80.0));
        assert_eq!(read("3 floats", Dimension::Bytes), Some(12.0));
        assert_eq!(read("no FLOPs", Dimension::Flop), Some(0.0));
        let factor = |text: &str| read(text, Dimension::Ratio);
        assert_eq!(factor("50 % more"), Some(1.5));
        assert_eq!(factor("25% less"), Some(0.75));
        assert_eq!(factor("ln(2^128)").map(|v| (v * 1e2).round()), Some(8872.0));
        assert_eq!(factor("ln 1000").map(|v| (v * 1e3).round()), Some(6908.0));
    }

    #[test]
    fn the_side_with_more_digits_counts() {
        let flop = Asked::new(Dimension::Flop);
        for text in [
            "2*128*256*512 = 33.6 MFLOP",
            "33,554,432 FLOP (33.6 MFLOP)",
            "F = 2^25 = 33.55M",
        ] {
            let typed = read(text, "FLOPs?", flop).unwrap();
            assert_eq!(typed.quantity.exact(), Some(1 << 25), "{text}");
        }
        let share = Asked::in_unit(Unit::PERCENT);
        for text in [
            "16/17 = 94.1 %",
            "94.1% saved",
            "16 of 17",
            "94.1 % of the bytes",
            "16:17",
        ] {
            let typed = read(text, "Which share?", share).unwrap();
            assert!((typed.quantity.value() - 0.941).abs() < 3e-4, "{text}");
        }
    }

    #[test]
    fn columns_are_those_of_the_whole_text() {
        let bytes = Asked::new(Dimension::Bytes);
        let column = |text: &str| read(text, "Bytes?", bytes).unwrap_err().column;
        assert_eq!(column("Q = 12.6 ms"), 10);
        assert_eq!(column("about 12.6 mb"), 12);
    }
}
