//! Modelled and measured numbers as the pages print them. The numbers come
//! from `cost` and `run`, their spelling from the rest of this room; here only
//! ratios are formed.

use super::{Column, Quantity, group_thousands};

/// Per cent that `new` is below `old`, with `decimals`; empty when nothing is
/// saved at that precision. More in place of less is whole per cent, so that
/// the sign needs no room of its own.
pub fn saved(old: f64, new: f64, decimals: usize) -> String {
    if old <= 0.0 || !old.is_finite() || !new.is_finite() {
        return String::new();
    }
    let decimals = if new > old { 0 } else { decimals };
    let text = format!("{:.decimals$}", 100.0 * (1.0 - new / old));
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
    match format!("{:.2}", new / old).as_str() {
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
    micros_in_row(seconds, seconds)
}

/// Microseconds of a row whose largest is `largest`: two decimals, fewer where
/// the number would be longer than seven characters.
pub fn micros_in_row(seconds: f64, largest: f64) -> String {
    let decimals = match largest * 1e6 {
        m if m < 9_999.995 => 2,
        m if m < 99_999.95 => 1,
        _ => 0,
    };
    format!("{:.decimals$}", seconds * 1e6)
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
    fn savings_and_ratios() {
        // 1 - 6.949/9.964 = 30.26 %.
        assert_eq!(saved(9_963_520.0, 6_948_864.0, 2), "30.26 %");
        // 1 - 1919.76/1704.76 = -12.6 %.
        assert_eq!(saved(1704.76, 1919.76, 1), "-13 %");
        assert_eq!(saved(1.0, 1.0, 1), "");
        assert_eq!(saved(1.0, 0.9999, 1), "");
        assert_eq!(saved(0.0, 1.0, 1), "");
        assert_eq!(times(17.0, 30.04), "×1.77");
        assert_eq!(times(17.0, 17.0), "");
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
