//! The columns of an experiment's table: what each is called and takes from a row.

use super::MicroRow;
use crate::units::{Quantity, format};

/// One column of the table: a thing that is counted, or the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Bytes that loads and stores ask for.
    Issued,
    /// Distinct sectors touched, in bytes.
    Compulsory,
    /// Sectors of 32 bytes that the loads move.
    Sectors,
    /// Sectors that the stores move.
    SectorsWritten,
    /// Share of the loaded sectors that was asked for.
    Useful,
    /// Warp instructions that touch shared memory.
    Requests,
    /// Passes through the banks of shared memory.
    Passes,
    /// Passes that conflicts add.
    Conflicts,
    /// Branches at which a warp's lanes went both ways.
    Divergent,
    /// Active lanes per warp instruction.
    Lanes,
    /// Warp instructions.
    Instructions,
    /// Barriers that blocks passed.
    Barriers,
    /// Additions and multiplications.
    Flops,
    /// Blocks of the grid.
    Blocks,
    /// Microseconds on a GPU.
    Time,
}

impl Metric {
    /// Every column with its name in a block and its head.
    pub const ALL: [(&'static str, Self, &'static str); 15] = [
        ("issued", Self::Issued, "issued #"),
        ("compulsory", Self::Compulsory, "compulsory #"),
        ("sectors", Self::Sectors, "sectors read #"),
        ("sectors_written", Self::SectorsWritten, "sectors written #"),
        ("efficiency", Self::Useful, "useful #"),
        ("requests", Self::Requests, "shared requests #"),
        ("passes", Self::Passes, "bank passes #"),
        ("conflicts", Self::Conflicts, "conflicts #"),
        ("divergent", Self::Divergent, "divergent #"),
        ("lanes", Self::Lanes, "lanes active #"),
        ("instructions", Self::Instructions, "warp instr. #"),
        ("barriers", Self::Barriers, "barriers #"),
        ("flops", Self::Flops, "FLOP #"),
        ("blocks", Self::Blocks, "blocks #"),
        ("time", Self::Time, "time µs @"),
    ];

    /// The column of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(n, ..)| *n == name).map(|m| m.1)
    }

    /// Every name.
    pub fn names() -> [&'static str; Self::ALL.len()] {
        Self::ALL.map(|(name, ..)| name)
    }

    /// What stands above the column.
    pub fn head(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|m| m.1 == self)
            .map_or("", |(.., head)| head)
    }

    /// The figure of a row with its unit; `None` where it has none.
    pub fn quantity(self, row: &MicroRow) -> Option<Quantity> {
        let c = &row.counts;
        Some(match self {
            Self::Issued => Quantity::bytes(c.issued),
            Self::Compulsory => Quantity::bytes(c.compulsory),
            Self::Sectors => Quantity::count(c.sectors),
            Self::SectorsWritten => Quantity::count(c.sectors_written),
            Self::Useful => Quantity::ratio(c.useful()?),
            Self::Requests => Quantity::count(c.shared_requests),
            Self::Passes => Quantity::count(c.bank_passes),
            Self::Conflicts => Quantity::count(c.bank_conflicts),
            Self::Divergent => Quantity::count(c.divergent),
            Self::Lanes => Quantity::ratio(c.lanes()?),
            Self::Instructions => Quantity::count(c.instructions),
            Self::Barriers => Quantity::count(c.barriers),
            Self::Flops => Quantity::flop(c.flops),
            Self::Blocks => Quantity::count(c.blocks),
            Self::Time => Quantity::seconds(row.time_us.as_ref()?.median * 1e-6),
        })
    }

    /// The figure as tables show it; a dash where there is none.
    pub fn of(self, row: &MicroRow) -> String {
        let Some(quantity) = self.quantity(row) else {
            return "–".to_owned();
        };
        let value = quantity.value();
        match self {
            Self::Issued | Self::Compulsory => format(&quantity),
            Self::Useful | Self::Lanes => format!("{:.1} %", 100.0 * value),
            Self::Time => format!("{:.1}", 1e6 * value),
            _ => format!("{value:.0}"),
        }
    }
}
