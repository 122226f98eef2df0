//! The rows of the compare page: what the model says of each plan, what runs counted, and
//! what they took.

use super::{Compare, Scope};
use crate::bench::Bench;
use crate::machine::{Machine, Source, Supply};
use crate::runs::Runs;
use plan::cost::Cost;
use plan::run::{BytesReport, Report, Timing};
use plan::units::figure::{self, Clock, Origin};
use study::lab::counted::of_block;
use study::timing;

/// A row of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// What it is, its unit and its source.
    pub label: String,
    /// A cell per column.
    pub cells: Vec<String>,
    /// Values for bars below the row, where it has bars.
    pub bars: Option<Vec<f64>>,
    /// An empty row stands before it.
    pub gap: bool,
    /// Where the numbers come from.
    pub origin: Origin,
}

/// The rows of the page.
pub fn rows(compare: &Compare, bench: &Bench, machine: &Machine, runs: &Runs) -> Vec<Row> {
    let prices = compare.prices();
    let scope = compare.scope;
    let part = |c: &Cost| scope.of(c).clone();
    let parts: Vec<_> = prices.iter().map(part).collect();
    let dtype = bench.setup().dtype;
    let largest = parts.iter().map(|p| p.bytes()).max().unwrap_or(0);
    let column = figure::byte_column(largest);
    let unit = column.unit().symbol();
    let size = |bytes: u64| figure::bytes(column, bytes);
    let row = |label: &str, cells: Vec<String>| Row {
        label: label.to_owned(),
        cells,
        ..Row::default()
    };
    let each = |f: &dyn Fn(&plan::cost::Priced) -> String| parts.iter().map(f).collect();
    let bars = |f: &dyn Fn(&plan::cost::Priced) -> f64| Some(parts.iter().map(f).collect());
    let none = || vec![figure::NOT_HAD.to_owned(); parts.len()];
    let mut rows = vec![
        Row {
            bars: bars(&|p| p.launches() as f64),
            ..row("launches", each(&|p| p.launches().to_string()))
        },
        Row {
            bars: bars(&|p| p.bytes() as f64),
            ..row(&format!("bytes {unit} ="), each(&|p| size(p.bytes())))
        },
        row("  weights =", each(&|p| size(p.weight_bytes))),
        row(
            "  activations =",
            each(&|p| size(p.read_bytes + p.written_bytes)),
        ),
    ];
    // What no run here supplies is not to be waited for.
    let had = |cells: Vec<String>, figure| match machine.supplies(figure) {
        true => cells,
        false => cells.into_iter().map(not_had).collect(),
    };
    let counted = |label: &str, figure, of: fn(&BytesReport) -> Option<u64>| {
        let origin = match figure {
            Supply::Counters | Supply::Times => Origin::Measured,
            Supply::Issued | Supply::Sectors => Origin::Issued,
        };
        let cells = reported(compare, bench, runs, &|_| true, of, &size);
        Row {
            origin,
            ..row(&format!("{label} {}", origin.sign()), had(cells, figure))
        }
    };
    rows.extend([
        counted("issued", Supply::Issued, |b| b.issued),
        counted("compulsory", Supply::Sectors, |b| b.compulsory),
        Row {
            // Behind another device's cache it would be another number.
            cells: had(
                reported(
                    compare,
                    bench,
                    runs,
                    &|bytes| runs.behind.made(bytes),
                    |b| b.estimated_dram,
                    &size,
                ),
                Supply::Sectors,
            ),
            ..row(&format!("DRAM est., {} =", runs.behind.of), Vec::new())
        },
        counted("DRAM", Supply::Counters, |b| b.measured_dram),
        row("FLOP/B =", each(&|p| figure::fixed(p.intensity(), 3))),
        peaks(prices, compare.scope),
    ]);
    let ceilings = machine.ceilings.as_ref();
    let floors: Option<Vec<f64>> =
        ceilings.and_then(|c| parts.iter().map(|p| c.floor(p, dtype)).collect());
    let slowest = floors.iter().flatten().copied().fold(0.0, f64::max);
    let clock = Clock::of(slowest);
    rows.push(Row {
        gap: true,
        cells: floors
            .as_ref()
            .map_or_else(none, |f| f.iter().map(|s| clock.number(*s)).collect()),
        bars: floors.clone(),
        ..row(&format!("floor {} =", clock.unit), Vec::new())
    });
    let launch = ceilings.and_then(|c| c.launch);
    let label = match launch {
        Some(l) if l.source == Source::Recorded => {
            format!("launch × {:.2} rec. =", l.seconds * 1e6)
        }
        Some(l) => format!("launches × {:.2} =", l.seconds * 1e6),
        None => "launches × cost =".to_owned(),
    };
    let cost_of = |p: &plan::cost::Priced| launch.map_or(0.0, |l| p.launches() as f64 * l.seconds);
    rows.push(Row {
        cells: if launch.is_some() {
            each(&|p| figure::micros(cost_of(p)))
        } else {
            none()
        },
        ..row(&label, Vec::new())
    });
    // A time says something about a roof only where both are one device's.
    let floors = floors.filter(|_| machine.roof_is_own());
    let mut times = measured(compare, bench, runs, floors.as_deref());
    for row in &mut times {
        row.cells = had(std::mem::take(&mut row.cells), Supply::Times);
    }
    rows.extend(times);
    rows
}

/// What stands in place of a figure that was not run yet and cannot be had.
fn not_had(cell: String) -> String {
    match cell == figure::NOT_RUN {
        true => figure::NOT_HAD.to_owned(),
        false => cell,
    }
}

/// Peak activations, in a unit of their own: they may be a thousandth of the
/// bytes that move.
fn peaks(prices: &[Cost], scope: Scope) -> Row {
    let largest = prices.iter().map(|c| c.peak.bytes).max().unwrap_or(0);
    let column = figure::byte_column(largest);
    Row {
        label: format!("{} {} =", scope.peak(), column.unit().symbol()),
        cells: prices
            .iter()
            .map(|c| figure::bytes(column, c.peak.bytes))
            .collect(),
        ..Row::default()
    }
}

/// Bytes that reports of the plans hold, of those whose kind is meant.
fn reported(
    compare: &Compare,
    bench: &Bench,
    runs: &Runs,
    meant: &dyn Fn(&BytesReport) -> bool,
    of: fn(&BytesReport) -> Option<u64>,
    size: &dyn Fn(u64) -> String,
) -> Vec<String> {
    let scoped = |cost: &Cost, report: &Report| match compare.scope {
        Scope::Forward => of(&report.bytes),
        // What a run counted kernel by kernel it counted of a block, too.
        Scope::Block => of(&of_block(report, &cost.block)?),
    };
    let columns = compare.cuts().into_iter().zip(compare.prices());
    columns
        .map(|(cut, cost)| {
            let report = runs.of(bench.setup(), cut);
            let report = report.filter(|report| meant(&report.bytes));
            figure::of_run(report.map(|report| scoped(cost, report)), size)
        })
        .collect()
}

/// What stands where a run was faster than the roof allows.
pub(super) const BEATEN: &str = ">100 %";

/// Measured time, and the part of the roof that it is.
fn measured(compare: &Compare, bench: &Bench, runs: &Runs, floors: Option<&[f64]>) -> Vec<Row> {
    let forward = compare.scope == Scope::Forward;
    let cuts = compare.cuts();
    let timings: Vec<Option<Option<&Timing>>> = cuts
        .iter()
        .map(|cut| Some(runs.of(bench.setup(), *cut)?.time_us.as_ref()))
        .collect();
    let seconds = |t: &Timing| t.median * 1e-6;
    let times: Vec<Option<f64>> = timings.iter().map(|t| t.flatten().map(seconds)).collect();
    // A bar states a difference: each stands only where all of them do.
    let others = cuts.iter().skip(1);
    let mut verdicts = others.map(|cut| runs.in_turns(bench.setup(), *cuts.first()?, *cut));
    let differ = verdicts.all(|found| found.is_some_and(|(_, verdict)| verdict.claimed()));
    let clock = Clock::of(times.iter().flatten().copied().fold(0.0, f64::max));
    // A run measures forwards; what a block takes of it is not known.
    let known = |time: &Option<Option<_>>| if forward { *time } else { Some(None) };
    let time = |t| figure::of_run(known(t), |t| timing::median(t, clock));
    let mut rows = vec![Row {
        cells: timings.iter().map(time).collect(),
        origin: Origin::Measured,
        label: format!("time {} @", clock.unit),
        bars: (forward && differ && times.iter().all(Option::is_some))
            .then(|| times.iter().flatten().copied().collect()),
        ..Row::default()
    }];
    if let Some(floors) = floors {
        let part = |(t, floor): (_, &f64)| {
            figure::of_run(known(t), |t| match floor / seconds(t) {
                // Faster than the memory allows: the data sat in a cache.
                part if part > 1.0 => BEATEN.to_owned(),
                part => figure::percent(part),
            })
        };
        rows.push(Row {
            cells: timings.iter().zip(floors).map(part).collect(),
            label: "floor / time".into(),
            origin: Origin::Measured,
            ..Row::default()
        });
    }
    rows
}
