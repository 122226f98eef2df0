//! Columns of a table: one unit, fixed decimals, points below each other.

use super::arith::Quantity;
use super::dimension::Dimension;
use super::figure::{below, reads_as_nothing};
use super::format::{fixed, largest_below};
use super::unit::Unit;

/// How the numbers of one column are written: the unit goes into its head.
///
/// ```
/// use plan::units::{Column, Quantity};
/// let bytes = [9_963_520, 2_623_488].map(Quantity::bytes);
/// let column = Column::fit(&bytes);
/// assert_eq!(column.unit().symbol(), "MB");
/// assert_eq!(column.cells(&bytes), ["9.964", "2.623"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    unit: Unit,
    decimals: u8,
}

impl Column {
    /// Unit and decimals for these values: the largest is at least 1 and below
    /// 1000 of the unit where the family allows, with four digits; whole counts
    /// have no decimals.
    pub fn fit(values: &[Quantity]) -> Self {
        let largest = values.iter().map(|q| q.value().abs()).fold(0.0, f64::max);
        let dimension = values.first().map_or(Dimension::Count, Quantity::dimension);
        let unit = match dimension {
            Dimension::Count => Unit::NONE,
            Dimension::Ratio if largest <= 1.0 => Unit::PERCENT,
            Dimension::Ratio => Unit::base(Dimension::Ratio),
            _ => largest_below(dimension, largest),
        };
        Self::with_unit(values, unit)
    }

    /// Decimals for these values in a given unit.
    pub fn with_unit(values: &[Quantity], unit: Unit) -> Self {
        let whole = |q: &Quantity| {
            unit.denominator() == 1
                && q.exact()
                    .is_some_and(|n| n % i128::from(unit.numerator()) == 0)
        };
        let largest = values
            .iter()
            .map(|q| q.in_unit(unit).abs())
            .fold(0.0, f64::max);
        let decimals = match largest {
            _ if values.iter().all(whole) => 0,
            v if v < 9.9995 => 3,
            v if v < 99.995 => 2,
            v if v < 9999.5 => 1,
            _ => 0,
        };
        Self { unit, decimals }
    }

    /// A column that is given by its author.
    pub const fn new(unit: Unit, decimals: u8) -> Self {
        Self { unit, decimals }
    }

    /// The same column with other decimals.
    #[must_use]
    pub const fn decimals(self, decimals: u8) -> Self {
        Self { decimals, ..self }
    }

    /// The unit for the head of the column.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// One number without its unit, unpadded. What is there and has none of the decimals is
    /// less than the last: `<0.001`.
    pub fn number(&self, q: &Quantity) -> String {
        let decimals = usize::from(self.decimals);
        let value = q.in_unit(self.unit);
        let text = fixed(value, decimals);
        match value > 0.0 && reads_as_nothing(&text) {
            true => below(decimals),
            false => text,
        }
    }

    /// All numbers, padded to one width so that the points align.
    pub fn cells(&self, values: &[Quantity]) -> Vec<String> {
        let numbers: Vec<String> = values.iter().map(|q| self.number(q)).collect();
        let width = numbers.iter().map(String::len).max().unwrap_or(0);
        numbers
            .into_iter()
            .map(|n| format!("{n:>width$}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unit_for_all() {
        let bytes = [42_046_976, 29_988_352, 24_614_400, 12_686_848].map(Quantity::bytes);
        let column = Column::fit(&bytes);
        assert_eq!(column.unit(), Unit::MB);
        assert_eq!(
            column.decimals(3).cells(&bytes),
            ["42.047", "29.988", "24.614", "12.687"]
        );
        let times = [18.39e-6, 202.31e-6].map(Quantity::seconds);
        let column = Column::fit(&times);
        assert_eq!(
            (column.unit().symbol(), column.cells(&times)),
            ("µs", vec![" 18.4".into(), "202.3".into()])
        );
    }

    #[test]
    fn counts_are_whole() {
        let launches = [71, 7].map(Quantity::count);
        assert_eq!(Column::fit(&launches).cells(&launches), ["71", " 7"]);
        assert!(Column::fit(&[]).cells(&[]).is_empty());
    }
}
