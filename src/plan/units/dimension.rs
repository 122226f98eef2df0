//! What kind of thing a number counts.

use std::fmt;

/// Powers of the three base units: FLOP, byte, second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Powers {
    /// Power of FLOP.
    pub flop: i8,
    /// Power of byte.
    pub byte: i8,
    /// Power of second.
    pub second: i8,
}

/// The dimension of a [`Quantity`](super::Quantity).
///
/// `Count` and `Ratio` are both without unit. They are told apart because
/// people read them differently: a count is a whole number with thousands
/// commas, a ratio is a percentage or a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// Launches, tokens, parameters: whole things.
    Count,
    /// A share or a factor.
    Ratio,
    /// Bytes.
    Bytes,
    /// Floating-point operations, a count with a unit of its own.
    Flop,
    /// Seconds.
    Time,
    /// Bandwidth, B/s.
    BytesPerSecond,
    /// Compute rate, FLOP/s.
    FlopPerSecond,
    /// Arithmetic intensity, FLOP/B.
    FlopPerByte,
    /// What arises on the way (B², FLOP·s …) and has no name of its own.
    Other(Powers),
}

impl Dimension {
    /// The powers of FLOP, byte and second.
    pub fn powers(self) -> Powers {
        let (flop, byte, second) = match self {
            Self::Count | Self::Ratio => (0, 0, 0),
            Self::Bytes => (0, 1, 0),
            Self::Flop => (1, 0, 0),
            Self::Time => (0, 0, 1),
            Self::BytesPerSecond => (0, 1, -1),
            Self::FlopPerSecond => (1, 0, -1),
            Self::FlopPerByte => (1, -1, 0),
            Self::Other(p) => return p,
        };
        Powers { flop, byte, second }
    }

    /// The dimension with these powers; without any it is a [`Dimension::Ratio`].
    pub fn from_powers(p: Powers) -> Self {
        match (p.flop, p.byte, p.second) {
            (0, 0, 0) => Self::Ratio,
            (0, 1, 0) => Self::Bytes,
            (1, 0, 0) => Self::Flop,
            (0, 0, 1) => Self::Time,
            (0, 1, -1) => Self::BytesPerSecond,
            (1, 0, -1) => Self::FlopPerSecond,
            (1, -1, 0) => Self::FlopPerByte,
            _ => Self::Other(p),
        }
    }

    /// Whether the value has no unit (a count or a ratio).
    pub fn is_plain(self) -> bool {
        matches!(self, Self::Count | Self::Ratio)
    }

    /// Whether two values of these dimensions may be added or compared.
    pub fn agrees(self, other: Self) -> bool {
        self.powers() == other.powers()
    }

    /// The dimension of a product; `None` when a power leaves its range.
    pub fn times(self, other: Self) -> Option<Self> {
        if self == Self::Count && other == Self::Count {
            return Some(Self::Count);
        }
        let (a, b) = (self.powers(), other.powers());
        Some(Self::from_powers(Powers {
            flop: a.flop.checked_add(b.flop)?,
            byte: a.byte.checked_add(b.byte)?,
            second: a.second.checked_add(b.second)?,
        }))
    }

    /// The dimension of a quotient; `None` when a power leaves its range.
    pub fn over(self, other: Self) -> Option<Self> {
        let (a, b) = (self.powers(), other.powers());
        Some(Self::from_powers(Powers {
            flop: a.flop.checked_sub(b.flop)?,
            byte: a.byte.checked_sub(b.byte)?,
            second: a.second.checked_sub(b.second)?,
        }))
    }

    /// The dimension of an integer power; `None` when a power leaves its range.
    pub fn to_power(self, n: i8) -> Option<Self> {
        if self.is_plain() {
            return Some(if n < 0 { Self::Ratio } else { self });
        }
        let p = self.powers();
        Some(Self::from_powers(Powers {
            flop: p.flop.checked_mul(n)?,
            byte: p.byte.checked_mul(n)?,
            second: p.second.checked_mul(n)?,
        }))
    }

    /// The dimension of a square root; `None` when it has none.
    pub fn root(self) -> Option<Self> {
        if self.is_plain() {
            return Some(Self::Ratio);
        }
        let p = self.powers();
        let half = |n: i8| (n % 2 == 0).then_some(n / 2);
        Some(Self::from_powers(Powers {
            flop: half(p.flop)?,
            byte: half(p.byte)?,
            second: half(p.second)?,
        }))
    }

    /// What the dimension is called in a sentence: “is a time; this asks for bytes”.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Count => "a count",
            Self::Ratio => "a plain number",
            Self::Bytes => "bytes",
            Self::Flop => "a count of FLOP",
            Self::Time => "a time",
            Self::BytesPerSecond => "a bandwidth",
            Self::FlopPerSecond => "a rate of FLOP",
            Self::FlopPerByte => "an intensity",
            Self::Other(_) => "a mixed unit",
        }
    }

    /// An answer of this dimension, to show how one is written: a value that is
    /// the answer to no question.
    pub fn example(self) -> &'static str {
        match self {
            Self::Count => "1,024",
            Self::Ratio => "0.375",
            Self::Bytes => "1.250 MB",
            Self::Flop => "1.250 GFLOP",
            Self::Time => "2.5 ms",
            Self::BytesPerSecond => "1.5 TB/s",
            Self::FlopPerSecond => "2.5 TFLOP/s",
            Self::FlopPerByte => "2.5 FLOP/B",
            Self::Other(_) => "1.5",
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = match self {
            Self::Other(p) => p,
            named => return f.write_str(named.noun()),
        };
        let mut first = true;
        for (name, power) in [("FLOP", p.flop), ("B", p.byte), ("s", p.second)] {
            if power != 0 {
                let dot = if first { "" } else { "·" };
                match power {
                    1 => write!(f, "{dot}{name}")?,
                    n => write!(f, "{dot}{name}^{n}")?,
                }
                first = false;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_over_seconds_is_a_bandwidth() {
        assert_eq!(
            Dimension::Bytes.over(Dimension::Time),
            Some(Dimension::BytesPerSecond)
        );
        assert_eq!(
            Dimension::Flop.over(Dimension::FlopPerSecond),
            Some(Dimension::Time)
        );
        assert_eq!(
            Dimension::FlopPerSecond.over(Dimension::BytesPerSecond),
            Some(Dimension::FlopPerByte)
        );
    }

    #[test]
    fn counts_stay_counts_until_divided() {
        assert_eq!(
            Dimension::Count.times(Dimension::Count),
            Some(Dimension::Count)
        );
        assert_eq!(
            Dimension::Count.over(Dimension::Count),
            Some(Dimension::Ratio)
        );
        assert_eq!(
            Dimension::Bytes.over(Dimension::Bytes),
            Some(Dimension::Ratio)
        );
    }

    #[test]
    fn powers_that_leave_the_range_are_refused() {
        assert_eq!(
            Dimension::Bytes.to_power(127).and_then(|d| d.to_power(2)),
            None
        );
        assert_eq!(Dimension::Bytes.root(), None);
    }

    #[test]
    fn unnamed_dimensions_spell_their_powers() {
        let squared = Dimension::Bytes
            .times(Dimension::Bytes)
            .map(|d| d.to_string());
        assert_eq!(squared.as_deref(), Some("B^2"));
    }
}
