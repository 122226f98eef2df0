//! The kinds of bytes of a forward, kernel by kernel, as a table.

use super::table::{Align, Table};
use plan::run::{BytesReport, Report};
use plan::units::{Column, Quantity};
use study::lab::counted::{Launches, surplus, together};

/// A kind of bytes.
pub(super) struct Kind {
    /// Over a column, with its sign; `est.` stands for the device of an estimate.
    head: &'static str,
    /// Behind a number that is read out.
    pub word: &'static str,
    /// Where a report has it.
    pub of: fn(&BytesReport) -> Option<u64>,
}

impl Kind {
    /// Over a column, with its sign.
    pub(super) fn head(&self, behind: &str) -> String {
        self.head.replace("est.", behind)
    }
}

/// The kinds in the order of screens: from the model to the metal.
pub(super) const KINDS: [Kind; 5] = [
    Kind {
        head: "modelled =",
        word: "modelled",
        of: |b| b.modelled,
    },
    Kind {
        head: "issued #",
        word: "issued",
        of: |b| b.issued,
    },
    Kind {
        head: "compulsory #",
        word: "compulsory",
        of: |b| b.compulsory,
    },
    Kind {
        head: "DRAM est. =",
        word: "estimated to reach DRAM",
        of: |b| b.estimated_dram,
    },
    Kind {
        head: "DRAM @",
        word: "measured at DRAM",
        of: |b| b.measured_dram,
    },
];

/// The table of a run that counted kernel by kernel, the launches of one kernel
/// together, and a sentence for each kernel that moves more than the model says. `behind`:
/// the device whose cache the estimate is made with.
pub(super) fn lines(report: &Report, behind: &str) -> Vec<String> {
    let kernels = together(report);
    if kernels.is_empty() {
        return Vec::new();
    }
    let known = |kind: &Kind| kernels.iter().any(|k| (kind.of)(&k.bytes).is_some());
    let kinds: Vec<Kind> = KINDS.into_iter().filter(known).collect();
    let all: Vec<Quantity> = kernels
        .iter()
        .flat_map(|k| kinds.iter().filter_map(|kind| (kind.of)(&k.bytes)))
        .map(Quantity::bytes)
        .collect();
    let unit = Column::fit(&all).decimals(3);
    let first = format!("{}, kernel", unit.unit());
    let mut heads = vec![(first.as_str(), Align::Left), ("launches", Align::Right)];
    let names: Vec<String> = kinds.iter().map(|kind| kind.head(behind)).collect();
    heads.extend(names.iter().map(|head| (head.as_str(), Align::Right)));
    let mut table = Table::new(&heads);
    let row = |name: String, launches: u64, bytes: &BytesReport| {
        let cell = |kind: &Kind| match (kind.of)(bytes) {
            Some(bytes) => unit.number(&Quantity::bytes(bytes)),
            None => "–".to_owned(),
        };
        let cells = kinds.iter().map(cell);
        [name, launches.to_string()]
            .into_iter()
            .chain(cells)
            .collect()
    };
    for kernel in &kernels {
        table.row(row(name(kernel), kernel.launches, &kernel.bytes));
    }
    table.rule();
    table.row(row(
        "forward".to_owned(),
        report.launches.counted,
        &report.bytes,
    ));
    let mut lines = table.lines();
    for kernel in &kernels {
        if kernel.first.between_phases() > 0
            && let Some(more) = surplus(kernel.first)
        {
            lines.push(format!("{}: {more}.", kernel.first.name));
        }
    }
    lines
}

/// Columns of a kernel's name.
const NAME: usize = 22;

/// Its name without its block; the ends of a long list of ops.
fn name(kernel: &Launches<'_>) -> String {
    let all = kernel.first.name.rsplit(": ").next().unwrap_or_default();
    let ops = &kernel.first.ops;
    match (ops.first(), ops.last()) {
        (Some(first), Some(last)) if all.chars().count() > NAME => {
            format!("{first} … {last}")
        }
        _ => all.to_owned(),
    }
}
