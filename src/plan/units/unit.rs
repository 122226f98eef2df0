//! The units and their sizes.

use super::dimension::Dimension::{
    self, Bytes, BytesPerSecond, Count, Flop, FlopPerByte, FlopPerSecond, Ratio, Time,
};
use super::spelling::{self, Manner};
use std::fmt;

/// A unit: its symbol, its dimension and its size in base units as a fraction.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    symbol: &'static str,
    dimension: Dimension,
    numerator: u64,
    denominator: u64,
}

impl PartialEq for Unit {
    fn eq(&self, other: &Self) -> bool {
        self.symbol == other.symbol && self.dimension == other.dimension
    }
}
impl Eq for Unit {}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol)
    }
}

const fn unit(
    symbol: &'static str,
    dimension: Dimension,
    numerator: u64,
    denominator: u64,
) -> Unit {
    Unit {
        symbol,
        dimension,
        numerator,
        denominator,
    }
}

const K: u64 = 1_000;
const M: u64 = 1_000_000;
const G: u64 = 1_000_000_000;
const T: u64 = 1_000_000_000_000;
const P: u64 = 1_000_000_000_000_000;

/// Every unit that is printed, smallest first within a family.
const UNITS: &[Unit] = &[
    unit("", Count, 1, 1),
    unit("k", Count, K, 1),
    unit("M", Count, M, 1),
    unit("G", Count, G, 1),
    unit("T", Count, T, 1),
    unit("%", Ratio, 1, 100),
    unit("x", Ratio, 1, 1),
    unit("B", Bytes, 1, 1),
    unit("kB", Bytes, K, 1),
    unit("MB", Bytes, M, 1),
    unit("GB", Bytes, G, 1),
    unit("TB", Bytes, T, 1),
    unit("PB", Bytes, P, 1),
    unit("KiB", Bytes, 1 << 10, 1),
    unit("MiB", Bytes, 1 << 20, 1),
    unit("GiB", Bytes, 1 << 30, 1),
    unit("TiB", Bytes, 1 << 40, 1),
    unit("FLOP", Flop, 1, 1),
    unit("kFLOP", Flop, K, 1),
    unit("MFLOP", Flop, M, 1),
    unit("GFLOP", Flop, G, 1),
    unit("TFLOP", Flop, T, 1),
    unit("PFLOP", Flop, P, 1),
    unit("ns", Time, 1, G),
    unit("µs", Time, 1, M),
    unit("ms", Time, 1, K),
    unit("s", Time, 1, 1),
    unit("B/s", BytesPerSecond, 1, 1),
    unit("kB/s", BytesPerSecond, K, 1),
    unit("MB/s", BytesPerSecond, M, 1),
    unit("GB/s", BytesPerSecond, G, 1),
    unit("TB/s", BytesPerSecond, T, 1),
    unit("PB/s", BytesPerSecond, P, 1),
    unit("KiB/s", BytesPerSecond, 1 << 10, 1),
    unit("MiB/s", BytesPerSecond, 1 << 20, 1),
    unit("GiB/s", BytesPerSecond, 1 << 30, 1),
    unit("TiB/s", BytesPerSecond, 1 << 40, 1),
    unit("FLOP/s", FlopPerSecond, 1, 1),
    unit("kFLOP/s", FlopPerSecond, K, 1),
    unit("MFLOP/s", FlopPerSecond, M, 1),
    unit("GFLOP/s", FlopPerSecond, G, 1),
    unit("TFLOP/s", FlopPerSecond, T, 1),
    unit("PFLOP/s", FlopPerSecond, P, 1),
    unit("FLOP/B", FlopPerByte, 1, 1),
];

impl Unit {
    /// Plain counts and ratios: no unit at all.
    pub const NONE: Self = unit("", Count, 1, 1);
    /// Per cent.
    pub const PERCENT: Self = unit("%", Ratio, 1, 100);
    /// A factor, as in 1.037x.
    pub const FACTOR: Self = unit("x", Ratio, 1, 1);
    /// 10⁶ bytes.
    pub const MB: Self = unit("MB", Bytes, M, 1);

    /// The symbol, `µs` with its micro sign.
    pub fn symbol(self) -> &'static str {
        self.symbol
    }

    /// The dimension it measures.
    pub fn dimension(self) -> Dimension {
        self.dimension
    }

    /// Size in base units: numerator.
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// Size in base units: denominator.
    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// Size in base units.
    pub fn size(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// Whether it is one of the 2¹⁰ family.
    pub fn is_binary(self) -> bool {
        self.symbol.contains("iB")
    }

    /// The unit with this canonical symbol.
    pub(super) fn canonical(symbol: &str) -> Option<Self> {
        UNITS.iter().copied().find(|u| u.symbol == symbol)
    }

    /// The decimal units of a dimension that [`format`](super::format()) chooses from.
    pub(super) fn decimal_family(dimension: Dimension) -> impl Iterator<Item = Self> {
        UNITS
            .iter()
            .copied()
            .filter(move |u| u.dimension == dimension && !u.is_binary())
    }

    /// The base unit of a dimension: B, FLOP, s, B/s, FLOP/s, FLOP/B, none.
    pub fn base(dimension: Dimension) -> Self {
        match dimension {
            Ratio => Self {
                dimension: Ratio,
                ..Self::NONE
            },
            d => UNITS
                .iter()
                .copied()
                .find(|u| u.dimension == d && u.numerator == 1 && u.denominator == 1)
                .unwrap_or(Self::NONE),
        }
    }

    /// A unit as an author writes it in a format (`MB`, `us`, `FLOP/B`, `%`, `x`).
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        let chars: Vec<char> = text.trim().chars().collect();
        match spelling::lex(&chars, 0, Manner::Typed, None)? {
            Some((unit, next)) if next == chars.len() => Ok(unit),
            _ => Err(UnitError {
                at: 0,
                message: spelling::unknown(text.trim()),
            }),
        }
    }
}

/// Why a unit is not read: offset in characters and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// Offset in characters from the beginning of the text.
    pub at: usize,
    /// What is wrong with it and what to write.
    pub message: String,
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UnitError {}
