//! What is shown of a trouble: its number sick and healthy, where that comes from, and
//! the way out.

use crate::findings::{Cell, Column, Sheet};
use plan::run::MicroRow;

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// The SIMT machine or the kernel itself counted.
    Counted,
    /// The calculator or the plan.
    Modelled,
    /// A clock on this machine.
    Measured,
    /// A clock on an H200, once.
    Recorded,
}

impl From {
    const fn said(self) -> &'static str {
        match self {
            Self::Counted => "#",
            Self::Modelled => "=",
            Self::Measured => "@",
            Self::Recorded => "recorded, H200",
        }
    }
}

/// One line of the table.
pub(super) struct Shown {
    /// The trouble.
    pub name: &'static str,
    /// What is counted or timed, with its unit.
    pub number: &'static str,
    /// With the trouble.
    pub sick: f64,
    /// Without it.
    pub healthy: f64,
    /// Where both come from.
    pub from: From,
}

/// What an experiment shows of its trouble: the counts, and the times where all launches
/// of one lie above all of the other.
pub(super) fn of_rows(
    name: &'static str,
    kernel: &str,
    sick: &MicroRow,
    healthy: &MicroRow,
) -> Vec<Shown> {
    let mut shown = Vec::new();
    let mut counted = |number, of: &dyn Fn(&MicroRow) -> f64| {
        shown.push(Shown {
            name,
            number,
            sick: of(sick),
            healthy: of(healthy),
            from: From::Counted,
        });
    };
    match kernel {
        "stride" => counted("sectors per load of a warp", &|row| {
            row.counts.sectors as f64 / (row.counts.issued as f64 / 2.0 / 128.0)
        }),
        "columns" => counted("passes per access of shared memory", &|row| {
            row.counts.bank_passes as f64 / row.counts.shared_requests as f64
        }),
        "held" => counted("warp instructions", &|row| row.counts.instructions as f64),
        _ => {}
    }
    if let (Some(slow), Some(fast)) = (&sick.time_us, &healthy.time_us)
        && slow.min > fast.max
    {
        shown.push(Shown {
            name,
            number: "µs of the kernel",
            sick: slow.median,
            healthy: fast.median,
            from: From::Measured,
        });
    }
    shown
}

/// What is different in the sick run, and what is to be done.
fn about(name: &str) -> (&'static str, &'static str) {
    match name {
        "uncoalesced" => (
            "each lane reads 128 bytes from the next",
            "let neighbours read neighbours",
        ),
        "bank-conflict" => (
            "a column of a tile lies in one bank",
            "a column more per row",
        ),
        "spill" => (
            "sums lie in local memory",
            "places known when it is compiled, fewer values",
        ),
        "low-occupancy" => (
            "a block asks for shared memory that it does not use",
            "less shared memory, smaller blocks",
        ),
        "launches" => ("a kernel for every op", "fuse, or replay a graph"),
        "copies" => (
            "the host reads back after every launch",
            "read once, at the end",
        ),
        "clock" => (
            "the device has worked for seconds",
            "rest before a run, say the clock",
        ),
        _ => (
            "exp of scores of 100 without the maximum taken off",
            "take the maximum off",
        ),
    }
}

pub(super) fn sentence(shown: &Shown) -> String {
    let (what, way) = about(shown.name);
    format!(
        "{}: {what}; {}: {}, healthy {} {}. Way out: {way}.",
        shown.name,
        shown.number,
        number(shown.sick),
        number(shown.healthy),
        shown.from.said()
    )
}

/// Whole numbers as such, others with two decimals.
fn number(value: f64) -> String {
    match value.fract() == 0.0 {
        true => format!("{value:.0}"),
        false => format!("{value:.2}"),
    }
}

pub(super) fn sheet(shown: &[Shown]) -> Sheet {
    let mut sheet = Sheet::new(
        "sick and healthy",
        [
            Column::given("trouble"),
            Column::given("number"),
            Column::given("sick"),
            Column::given("healthy"),
            Column::given("times"),
            Column::given("from"),
        ],
    );
    for of in shown {
        let times = of.sick / of.healthy;
        let cells: Vec<Cell> = vec![
            of.name.into(),
            of.number.into(),
            number(of.sick).into(),
            number(of.healthy).into(),
            match times.is_finite() {
                // A share below one keeps its digits: 12.5 of 100 is 0.125.
                true if times < 1.0 => format!("{times:.3}").into(),
                true => format!("{times:.2}").into(),
                false => "–".into(),
            },
            of.from.said().into(),
        ];
        sheet.rows.push(cells);
    }
    sheet
}
