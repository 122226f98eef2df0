//! How people spell units: `us` and `µs`, `GFLOPs`, `GB per second`, `2.6 M`.

use super::dimension::Dimension::{self, Bytes, Count, Flop, FlopPerByte, FlopPerSecond};
use super::unit::{Unit, UnitError};

/// Who wrote the text: people may use words and bare prefixes (`2.6 M`,
/// `17 launches`), expressions only symbols, since `M`, `K` and `T` are names there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Typed,
    Expression,
}

/// Reads a unit symbol that follows a number of an expression: `us` of
/// `2.85 us`, `TB/s`. `Ok(None)` where no unit stands at `at`.
pub fn lex_symbol(chars: &[char], at: usize) -> Result<Option<(Unit, usize)>, UnitError> {
    lex(chars, at, Manner::Expression, None)
}

/// Reads the unit at `at`, if any. `asked` settles what `FLOPS` means.
pub(super) fn lex(
    chars: &[char],
    at: usize,
    manner: Manner,
    asked: Option<Dimension>,
) -> Result<Option<(Unit, usize)>, UnitError> {
    if manner == Manner::Typed
        && let Some(found) = phrase(chars, at)
    {
        return Ok(Some(found));
    }
    let Some((word, end)) = word_at(chars, at) else {
        return Ok(None);
    };
    let atom = match atom(&word, manner, asked) {
        Some(atom) => atom,
        // In an expression a word that is no unit is an identifier: not ours.
        None if manner == Manner::Expression => return Ok(None),
        None => {
            return Err(UnitError {
                at,
                message: unknown(&word),
            });
        }
    };
    if manner == Manner::Typed && atom.unit.dimension() == Count {
        return Ok(Some(
            scaled(chars, end, atom.unit, asked).unwrap_or((atom.unit, counted(chars, end))),
        ));
    }
    let Some((below, below_at, next)) = denominator(chars, end, manner) else {
        return Ok(Some((atom.unit, end)));
    };
    let symbol = match (below.as_str(), atom.unit.dimension()) {
        ("s" | "sec" | "second" | "Second", Bytes | Flop) => format!("{}/s", atom.unit.symbol()),
        // `GFLOPS/s` says “per second” twice; everybody means the rate.
        ("s" | "sec" | "second" | "Second", FlopPerSecond) => atom.unit.symbol().to_owned(),
        ("B" | "byte" | "bytes" | "Byte" | "Bytes" | "b", Flop) if atom.unit.numerator() == 1 => {
            "FLOP/B".to_owned()
        }
        ("B" | "byte" | "bytes" | "Byte" | "Bytes", FlopPerSecond)
            if atom.open && atom.unit.numerator() == 1 =>
        {
            "FLOP/B".to_owned()
        }
        _ if manner == Manner::Expression => return Ok(Some((atom.unit, end))),
        _ => {
            let whole: String = chars.get(at..next).unwrap_or_default().iter().collect();
            return Err(UnitError {
                at: below_at,
                message: format!(
                    "“{whole}” is not a unit here. Rates are per second (GB/s, TFLOP/s), intensity is FLOP/B."
                ),
            });
        }
    };
    match Unit::canonical(&symbol) {
        Some(unit) => Ok(Some((unit, next))),
        None => Err(UnitError {
            at,
            message: unknown(&symbol),
        }),
    }
}

struct Atom {
    unit: Unit,
    /// `FLOPS`: a count or a rate, as the question asks.
    open: bool,
}

/// One spelled unit without a denominator.
fn atom(word: &str, manner: Manner, asked: Option<Dimension>) -> Option<Atom> {
    let closed = |unit| Some(Atom { unit, open: false });
    if let Some(unit) = Unit::canonical(word)
        && (manner == Manner::Typed || unit.dimension() != Count)
    {
        return closed(unit);
    }
    if let Some(unit) = alias(word).and_then(Unit::canonical)
        && (manner == Manner::Typed || unit.dimension() != Count)
    {
        return closed(unit);
    }
    if let Some((prefix, tail)) = split_flop(word) {
        let rate = match tail {
            "FLOP" | "FLOPs" | "flop" | "Flop" | "Flops" => Some(false),
            _ => match asked {
                Some(Flop | FlopPerByte) => Some(false),
                Some(FlopPerSecond) => Some(true),
                _ => None,
            },
        };
        let open = rate.is_none();
        let symbol = match rate.unwrap_or(tail == "FLOPS") {
            true => format!("{prefix}FLOP/s"),
            false => format!("{prefix}FLOP"),
        };
        return Unit::canonical(&symbol).map(|unit| Atom { unit, open });
    }
    let lower = word.to_lowercase();
    // Operations are FLOP where FLOP are asked for, and things counted elsewhere.
    let operations = matches!(lower.as_str(), "op" | "ops" | "operation" | "operations");
    if manner == Manner::Typed
        && operations
        && let Some(Flop | FlopPerSecond | FlopPerByte) = asked
    {
        return Unit::canonical("FLOP").and_then(closed);
    }
    if manner == Manner::Typed && (is_word(&lower) || operations) {
        return closed(Unit::NONE);
    }
    if manner == Manner::Typed
        && lower != word
        && let Some(unit) = named(&lower).and_then(Unit::canonical)
    {
        return closed(unit);
    }
    None
}

/// Other spellings of one unit each, whose case says something.
fn alias(word: &str) -> Option<&'static str> {
    Some(match word {
        "us" | "μs" | "µsec" => "µs",
        "KB" => "kB",
        "kiB" | "Kib" => "KiB",
        "Mib" => "MiB",
        "Gib" => "GiB",
        "MBps" => "MB/s",
        "GBps" => "GB/s",
        "TBps" => "TB/s",
        "×" | "X" => "x",
        "K" => "k",
        "bn" => "G",
        _ => return named(word),
    })
}

/// Units by their names, in small letters.
fn named(word: &str) -> Option<&'static str> {
    Some(match word {
        "usec" | "usecs" | "microsec" | "microsecs" | "microsecond" | "microseconds" => "µs",
        "msec" | "msecs" | "millisec" | "millisecs" | "millisecond" | "milliseconds" => "ms",
        "nsec" | "nsecs" | "nanosec" | "nanosecs" | "nanosecond" | "nanoseconds" => "ns",
        "sec" | "secs" | "second" | "seconds" => "s",
        "byte" | "bytes" => "B",
        "kilobyte" | "kilobytes" => "kB",
        "megabyte" | "megabytes" => "MB",
        "gigabyte" | "gigabytes" => "GB",
        "terabyte" | "terabytes" => "TB",
        "kib" | "kibibyte" | "kibibytes" => "KiB",
        "mib" | "mebibyte" | "mebibytes" => "MiB",
        "gib" | "gibibyte" | "gibibytes" => "GiB",
        "percent" | "percents" | "pct" | "pp" => "%",
        "times" | "fold" => "x",
        "thousand" | "thousands" => "k",
        "mio" | "mn" | "million" | "millions" => "M",
        "billion" | "billions" => "G",
        "trillion" | "trillions" => "T",
        _ => return None,
    })
}

/// `GFLOP`, `gflops`, `TFlops` … into canonical prefix and tail.
fn split_flop(word: &str) -> Option<(&'static str, &str)> {
    for tail in ["FLOPS", "FLOPs", "FLOP", "Flops", "Flop", "flops", "flop"] {
        if let Some(prefix) = word.strip_suffix(tail) {
            let prefix = match prefix {
                "" => "",
                "k" | "K" | "kilo" => "k",
                "m" | "M" | "mega" | "Mega" => "M",
                "g" | "G" | "giga" | "Giga" => "G",
                "t" | "T" | "tera" | "Tera" => "T",
                "p" | "P" => "P",
                _ => return None,
            };
            return Some((prefix, tail));
        }
    }
    // TF and GF, as data sheets abbreviate.
    let prefix = ["G", "T", "P"]
        .into_iter()
        .find(|p| *p == word.trim_end_matches('F'));
    prefix
        .filter(|p| word.len() == p.len() + 1)
        .map(|p| (p, "FLOPS"))
}

/// Things that are counted; they say what a number is and scale nothing.
fn is_word(word: &str) -> bool {
    matches!(
        word,
        "launch"
            | "launches"
            | "kernel"
            | "kernels"
            | "token"
            | "tokens"
            | "parameter"
            | "parameters"
            | "params"
            | "weights"
            | "element"
            | "elements"
            | "block"
            | "blocks"
            | "head"
            | "heads"
            | "word"
            | "words"
            | "read"
            | "reads"
            | "write"
            | "writes"
            | "product"
            | "products"
            | "layer"
            | "layers"
            | "thread"
            | "threads"
            | "tile"
            | "tiles"
            | "row"
            | "rows"
            | "sequence"
            | "sequences"
            | "barrier"
            | "barriers"
            | "warp"
            | "warps"
            | "phase"
            | "phases"
            | "tensor"
            | "tensors"
    )
}

/// Units of several words, or with a hyphen before them: `per cent`, `-fold`.
fn phrase(chars: &[char], at: usize) -> Option<(Unit, usize)> {
    if chars.get(at) == Some(&'-') {
        let (word, end) = word_at(chars, at + 1)?;
        return matches!(word.as_str(), "fold" | "times").then_some((Unit::FACTOR, end));
    }
    let (per, end) = word_at(chars, at)?;
    let gap = chars.get(end..)?.iter();
    let blank = gap.take_while(|c| c.is_whitespace()).count();
    let (word, next) = word_at(chars, end + blank)?;
    let both = [per.to_lowercase(), word.to_lowercase()];
    match both.each_ref().map(String::as_str) {
        ["per", "cent"] | ["percentage", "points"] | ["percent" | "%", "points"] => {
            Some((Unit::PERCENT, next))
        }
        _ => None,
    }
}

/// `33.55 million FLOP`, `2.1 billion bytes`: a prefix in words, and its unit.
fn scaled(
    chars: &[char],
    end: usize,
    prefix: Unit,
    asked: Option<Dimension>,
) -> Option<(Unit, usize)> {
    let gap = chars.get(end..).unwrap_or_default();
    let at = end + gap.iter().take_while(|c| c.is_whitespace()).count();
    let (word, next) = word_at(chars, at)?;
    let base = atom(&word, Manner::Typed, asked.or(Some(Flop)))?.unit;
    let whole = base.numerator() == 1 && matches!(base.dimension(), Bytes | Flop);
    let symbol = format!("{}{}", prefix.symbol(), base.symbol());
    let unit = Unit::canonical(&symbol).filter(|_| whole && prefix.numerator() > 1)?;
    Some((unit, next))
}

/// Behind `2.6 M` or `17 kernel`: the words that say what is counted.
fn counted(chars: &[char], mut end: usize) -> usize {
    loop {
        let gap = chars.get(end..).unwrap_or_default();
        let at = end + gap.iter().take_while(|c| c.is_whitespace()).count();
        match word_at(chars, at) {
            Some((word, next)) if is_word(&word) => end = next,
            _ => return end,
        }
    }
}

/// The sentence for a spelling that is no unit, with the likely correction.
pub(super) fn unknown(word: &str) -> String {
    let lower = word.to_ascii_lowercase();
    let megabit = matches!(
        word,
        "kb" | "mb" | "gb" | "tb" | "b" | "Kb" | "Mb" | "Gb" | "Tb"
    );
    if megabit {
        let prefix = match lower.chars().next() {
            Some('k') => "k",
            Some('m') => "M",
            Some('g') => "G",
            Some('t') => "T",
            _ => "",
        };
        return format!("“{word}” may be bits or bytes. Write {prefix}B for bytes.");
    }
    if lower.ends_with("mac") || lower.ends_with("macs") {
        return format!(
            "“{word}” counts multiply-accumulates. Here one of them is 2 FLOP: write FLOP."
        );
    }
    if lower.starts_with("bit") || lower.ends_with("bit") || lower.ends_with("bits") {
        return format!("“{word}” counts bits. Write bytes: B, kB, MB or MiB.");
    }
    format!(
        "“{word}” is not a unit here. Units are such as B kB MB GB KiB MiB GiB, FLOP MFLOP GFLOP TFLOP, s ms us ns, GB/s, TFLOP/s, FLOP/B, %."
    )
}

/// The run of letters at `at`; `%` and `×` stand alone.
fn word_at(chars: &[char], at: usize) -> Option<(String, usize)> {
    let first = *chars.get(at)?;
    if first == '%' || first == '×' {
        return Some((first.to_string(), at + 1));
    }
    let tail = chars.get(at..)?;
    let len = tail
        .iter()
        .take_while(|c| c.is_alphabetic() || **c == 'µ')
        .count();
    (len > 0).then(|| (tail.iter().take(len).collect(), at + len))
}

/// The word below `/` or after `per`: (word, where it starts, where it ends).
fn denominator(chars: &[char], end: usize, manner: Manner) -> Option<(String, usize, usize)> {
    let skip = |mut i: usize| {
        while chars.get(i).is_some_and(|c| c.is_whitespace()) {
            i += 1;
        }
        i
    };
    if manner == Manner::Expression {
        // `GB/s` is one unit; `GB / s` divides by the identifier.
        if chars.get(end) != Some(&'/') {
            return None;
        }
        let (word, next) = word_at(chars, end + 1)?;
        return Some((word, end + 1, next));
    }
    let at = skip(end);
    let below = if chars.get(at) == Some(&'/') {
        skip(at + 1)
    } else {
        match word_at(chars, at) {
            Some((per, next)) if per == "per" => skip(next),
            _ => return None,
        }
    };
    let (word, next) = word_at(chars, below)?;
    Some((word, below, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(text: &str) -> String {
        Unit::parse(text).map_or_else(|e| e.message, |u| u.symbol().to_owned())
    }

    #[test]
    fn spellings_of_one_unit() {
        for (typed, canonical) in [
            ("us", "µs"),
            ("µs", "µs"),
            ("μs", "µs"),
            ("microseconds", "µs"),
            ("KB", "kB"),
            ("bytes", "B"),
            ("GFLOPs", "GFLOP"),
            ("gflop", "GFLOP"),
            ("TFLOP/s", "TFLOP/s"),
            ("TFLOPS", "TFLOP/s"),
            ("TFLOPs/s", "TFLOP/s"),
            ("TFLOPS/s", "TFLOP/s"),
            ("FLOPs/byte", "FLOP/B"),
            ("FLOP per byte", "FLOP/B"),
            ("FLOPS/byte", "FLOP/B"),
            ("GB / s", "GB/s"),
            ("percent", "%"),
            ("per cent", "%"),
            ("Microseconds", "µs"),
            ("Bytes", "B"),
            ("MEGABYTES", "MB"),
            ("trillion", "T"),
            ("launches", ""),
            ("Kernels", ""),
            ("megaflops", "MFLOP"),
            ("Gigaflop", "GFLOP"),
        ] {
            assert_eq!(symbol(typed), canonical, "{typed}");
        }
    }

    #[test]
    fn bits_and_macs_are_named() {
        assert!(symbol("mb").contains("may be bits or bytes. Write MB"));
        assert!(symbol("GMACs").contains("one of them is 2 FLOP"));
        assert!(symbol("GB/ms").contains("Rates are per second"));
        assert!(symbol("furlong").contains("is not a unit here"));
    }

    #[test]
    fn flops_follow_the_question() {
        let read = |asked| {
            let chars: Vec<char> = "GFLOPS".chars().collect();
            lex(&chars, 0, Manner::Typed, asked)
                .unwrap()
                .unwrap()
                .0
                .symbol()
        };
        assert_eq!(read(Some(Flop)), "GFLOP");
        assert_eq!(read(Some(FlopPerSecond)), "GFLOP/s");
        assert_eq!(read(None), "GFLOP/s");
    }

    #[test]
    fn names_of_an_expression_are_not_units() {
        for name in ["T", "M", "K", "d", "launches", "block"] {
            let chars: Vec<char> = name.chars().collect();
            assert_eq!(lex_symbol(&chars, 0), Ok(None), "{name}");
        }
    }
}
