//! Modelled and measured numbers as the pages print them. The numbers come
//! from `cost` and `run`, their spelling from the rest of this room; here only
//! ratios are formed.

use super::format::rounded;
use super::{Column, Quantity, group_thousands};

/// Stands where nothing was run yet.
pub const NOT_RUN: &str = "·";
/// Stands where what was asked for cannot be had here.
pub const NOT_HAD: &str = "–";

/// What a run supplies of a figure, or which of the two stands there.
pub fn of_run<T>(run: Option<Option<T>>, show: impl FnOnce(T) -> String) -> String {
    match run {
        None => NOT_RUN.to_owned(),
        Some(None) => NOT_HAD.to_owned(),
        Some(Some(value)) => show(value),
    }
}

/// A number with so many decimals; minus nothing is nothing.
pub fn fixed(value: f64, decimals: usize) -> String {
    match rounded(value, decimals) {
        text if text.bytes().all(|b| matches!(b, b'-' | b'.' | b'0')) => {
            text.trim_start_matches('-').to_owned()
        }
        text => text,
    }
}

/// A number with so many decimals. What is there and has none of them is less than the last,
/// `<0.1`: only nothing reads as nothing. What a sum in floating point leaves of nothing is
/// nothing.
pub fn shown(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    match value > 1e-9 && reads_as_nothing(&text) {
        true => below(decimals),
        false => text,
    }
}

pub(super) fn reads_as_nothing(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b'.' | b'0'))
}

/// What stands for less than so many decimals show: `<0.1`.
pub(super) fn below(decimals: usize) -> String {
    let least = 0.1_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX));
    format!("<{least:.decimals$}")
}

/// A share in per cent, one decimal.
pub fn percent(share: f64) -> String {
    shown(100.0 * share, 1) + " %"
}

/// Per cent that `new` is below `old`, with `decimals`; empty when nothing is
/// saved at that precision. More in place of less is whole per cent, so that
/// the sign needs no room of its own; from twice as much on it is how many times.
pub fn saved(old: f64, new: f64, decimals: usize) -> String {
    if old <= 0.0 || !old.is_finite() || !new.is_finite() {
        return String::new();
    }
    if new >= 2.0 * old {
        return format!("×{}", rounded(new / old, 1));
    }
    let decimals = if new > old { 0 } else { decimals };
    let text = rounded(100.0 * (1.0 - new / old), decimals);
    let nothing = text.chars().all(|c| matches!(c, '0' | '.' | '-'));
    if nothing {
        String::new()
    } else {
        format!("{text} %")
    }
}

/// How many times `old` the new value is: `×1.77`; empty for one.
pub fn times(old: f64, new: f64) -> String {
    if old <= 0.0 || !old.is_finite() {
        return String::new();
    }
    match rounded(new / old, 2).as_str() {
        "1.00" => String::new(),
        text => format!("×{text}"),
    }
}

/// A unit for byte counts whose largest is `largest`: one for a whole table.
pub fn byte_column(largest: u64) -> Column {
    Column::fit(&[Quantity::bytes(largest)]).decimals(3)
}

/// Bytes in megabytes (or the unit that fits `largest`), three decimals.
pub fn bytes(column: Column, bytes: u64) -> String {
    column.number(&Quantity::bytes(bytes))
}

/// FLOPs of one kernel with their unit. A tenth of an MFLOP is still written
/// in MFLOP, so that the kernels of the workshop stand in one unit.
pub fn flops(flops: u64) -> String {
    let q = Quantity::flop(flops);
    let unit_of = if (100_000..1_000_000).contains(&flops) {
        1_000_000
    } else {
        flops
    };
    let unit = Column::fit(&[Quantity::flop(unit_of)]).unit();
    if unit.numerator() == 1 {
        return format!("{} {}", group_thousands(i128::from(flops)), unit.symbol());
    }
    let decimals = if q.in_unit(unit) < 10.0 { 3 } else { 2 };
    let number = Column::new(unit, decimals).number(&q);
    format!("{number} {}", unit.symbol())
}

/// Microseconds with two decimals.
pub fn micros(seconds: f64) -> String {
    rounded(seconds * 1e6, 2)
}

/// The unit of times whose largest is known: one for a row or a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// `µs`, `ms` or `s`.
    pub unit: &'static str,
    /// Of these a second has so many.
    per_second: f64,
}

impl Clock {
    /// The unit in which so many seconds have at most four digits before the point.
    pub fn of(largest: f64) -> Self {
        let (unit, per_second) = match largest {
            s if s < 9.999_995e-3 => ("µs", 1e6),
            s if s < 9.999_995 => ("ms", 1e3),
            _ => ("s", 1.0),
        };
        Clock { unit, per_second }
    }

    /// The number of this unit, with two decimals.
    pub fn number(self, seconds: f64) -> String {
        shown(seconds * self.per_second, 2)
    }

    /// The same with four digits or so: what was measured has no more.
    pub fn rounded(self, seconds: f64) -> String {
        match seconds * self.per_second {
            many if many >= 1000.0 => rounded(many, 0),
            few => shown(few, 1),
        }
    }

    /// What was worked out of one kernel: three decimals as long as they fit beside the digits.
    pub fn fine(self, seconds: f64) -> String {
        match seconds * self.per_second {
            few if few < 999.999_5 => shown(few, 3),
            many => rounded(many, 2),
        }
    }

    /// A part of what is shown rounded: below one it keeps two digits, down to a thousandth.
    pub fn part(self, seconds: f64) -> String {
        match seconds * self.per_second {
            small if small < 0.0995 && small > 0.0 => shown(small, 3),
            few if few < 0.995 && few > 0.0 => shown(few, 2),
            _ => self.rounded(seconds),
        }
    }
}

/// A time that was measured, in the unit of its size: `154.7 ms`.
pub fn measured(seconds: f64) -> String {
    let clock = Clock::of(seconds);
    format!("{} {}", clock.rounded(seconds), clock.unit)
}

/// `1 launch`, `17 launches`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    let word = if n == 1 { one } else { many };
    format!("{} {word}", group_thousands(i128::from(n)))
}

/// Where the numbers of a row come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The cost model, `=`.
    #[default]
    Modelled,
    /// Counted in the machine, `#`.
    Issued,
    /// Measured, `@`.
    Measured,
}

impl Origin {
    /// The sign that labels it.
    pub const fn sign(self) -> char {
        match self {
            Self::Modelled => '=',
            Self::Issued => '#',
            Self::Measured => '@',
        }
    }
}

/// A sentence that the message row of a terminal holds.
pub fn fitted(text: &str, columns: u16) -> String {
    let room = usize::from(columns.saturating_sub(1));
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let cut: String = text.chars().take(room.saturating_sub(1)).collect();
    format!("{cut}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minus_nothing_is_nothing() {
        assert_eq!(fixed(-0.004, 2), "0.00");
        assert_eq!(fixed(-0.005_1, 2), "-0.01");
        assert_eq!(fixed(-0.0, 0), "0");
        assert_eq!(fixed(f64::NEG_INFINITY, 1), "-inf");
    }

    #[test]
    fn what_is_there_never_reads_as_nothing() {
        assert_eq!(shown(0.04, 1), "<0.1");
        assert_eq!(shown(0.05001, 1), "0.1");
        assert_eq!(shown(0.000_3, 3), "<0.001");
        assert_eq!(shown(0.3, 0), "<1");
        assert_eq!(
            (shown(0.0, 1), shown(-0.0, 1)),
            ("0.0".into(), "0.0".into())
        );
        // 100·(1 − 1/(1/3 + 1/3 + 1/3)) and the like.
        assert_eq!(shown(1.1e-14, 2), "0.00");
        assert_eq!(
            (percent(0.0003), percent(0.0)),
            ("<0.1 %".into(), "0.0 %".into())
        );
    }

    #[test]
    fn a_half_is_rounded_as_a_reader_does_it() {
        // 36 and 60 of 64 warps; three halves of a decimal place, and below nothing.
        assert_eq!(percent(36.0 / 64.0), "56.3 %");
        assert_eq!(percent(60.0 / 64.0), "93.8 %");
        let halves = [
            fixed(0.5, 0),
            fixed(2.5, 0),
            fixed(0.125, 2),
            fixed(-6.25, 1),
        ];
        assert_eq!(halves, ["1", "3", "0.13", "-6.3"]);
        assert_eq!(
            [fixed(56.249_999, 1), fixed(0.25 - 1e-9, 1)],
            ["56.2", "0.2"]
        );
    }

    #[test]
    fn parts_of_ten_milliseconds_keep_two_digits() {
        // Norms take 31 µs of 10.4 ms, residuals 420 µs, products 8.3 ms, a copy 300 ns.
        let clock = Clock::of(10.4e-3);
        assert_eq!(clock.unit, "ms");
        let parts = [31e-6, 420e-6, 8.3e-3, 300e-9, 0.0].map(|s| clock.part(s));
        assert_eq!(parts, ["0.031", "0.42", "8.3", "<0.001", "0.0"]);
        assert_eq!(
            (clock.rounded(31e-6), clock.number(4e-6)),
            ("<0.1".into(), "<0.01".into())
        );
    }

    #[test]
    fn savings_and_ratios() {
        // 1 - 6.949/9.964 = 30.26 %.
        assert_eq!(saved(9_963_520.0, 6_948_864.0, 2), "30.26 %");
        // 1 - 1919.76/1704.76 = -12.6 %.
        assert_eq!(saved(1704.76, 1919.76, 1), "-13 %");
        // 5.61 times the bytes are no 461 % more.
        assert_eq!(saved(100.0, 561.0, 1), "×5.6");
        assert_eq!(saved(1.0, 1.0, 1), "");
        assert_eq!(saved(1.0, 0.9999, 1), "");
        assert_eq!(saved(0.0, 1.0, 1), "");
        assert_eq!(times(17.0, 30.04), "×1.77");
        assert_eq!(times(17.0, 17.0), "");
    }

    #[test]
    fn units_follow_the_size() {
        assert_eq!(measured(154_663.2e-6), "154.7 ms");
        assert_eq!(measured(842.31e-6), "842.3 µs");
        assert_eq!(measured(12.04), "12.0 s");
        let clock = Clock::of(0.01);
        assert_eq!((clock.unit, clock.number(0.002).as_str()), ("ms", "2.00"));
    }

    #[test]
    fn flops_of_the_kernels_of_the_workshop() {
        // docs/cost-model.md: softmax 0.786, qkv 33.55, the block 169.36 MFLOP.
        assert_eq!(flops(786_432), "0.786 MFLOP");
        assert_eq!(flops(33_554_432), "33.55 MFLOP");
        assert_eq!(flops(169_362_176), "169.36 MFLOP");
        assert_eq!(flops(219_268_788_224), "219.27 GFLOP");
    }
}
