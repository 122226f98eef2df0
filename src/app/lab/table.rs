//! This plan against V1, row by row.

use crate::app::bench::Bench;
use crate::app::figure;
use crate::app::machine::{Machine, Source};
use crate::app::runs::Runs;
use crate::cost::Cost;
use crate::fusion::{Cut, Version};

/// The key of `cost::why` behind a row of the table.
pub fn table_key(row: usize) -> Option<&'static str> {
    match row {
        0 => Some("block.launches"),
        1 => Some("forward.launches"),
        2 => Some("block.bytes"),
        3 => Some("block.weight_bytes"),
        4 => Some("block.intensity"),
        _ => None,
    }
}

/// A row of the table: this plan against V1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// What it is, its unit and its source.
    pub label: String,
    /// Of this plan.
    pub plan: String,
    /// Of V1.
    pub v1: String,
    /// How much less, or how many times.
    pub saved: String,
    /// The row is measured.
    pub measured: bool,
}

/// This plan against V1.
pub fn table(bench: &Bench, machine: &Machine, runs: &Runs) -> Vec<Row> {
    let (cost, v1) = (bench.cost(), bench.v1());
    let dtype = bench.setup().dtype;
    let column = figure::byte_column(v1.block.bytes());
    let unit = column.unit().symbol();
    let row = |label: String, plan: f64, v1: f64, show: &dyn Fn(f64) -> String| Row {
        label,
        plan: show(plan),
        v1: show(v1),
        saved: figure::saved(v1, plan, 1),
        measured: false,
    };
    let whole = |v: f64| format!("{v:.0}");
    let size = |v: f64| figure::bytes(column, v as u64);
    // V1 is the largest of its row, as far as anything is saved.
    let micros_of = |largest: f64| move |v: f64| figure::micros_in_row(v, largest);
    let of = |f: fn(&Cost) -> u64| (f(cost) as f64, f(v1) as f64);
    let (a, b) = of(|c| c.block.launches());
    let mut rows = vec![row("launches, block".into(), a, b, &whole)];
    let (a, b) = of(|c| c.forward.launches());
    rows.push(row("launches, forward".into(), a, b, &whole));
    let (a, b) = of(|c| c.block.bytes());
    rows.push(row(format!("{unit}, block ="), a, b, &size));
    let (a, b) = of(|c| c.block.weight_bytes);
    rows.push(row("  weights =".into(), a, b, &size));
    let (a, b) = (cost.block.intensity(), v1.block.intensity());
    rows.push(Row {
        saved: figure::times(b, a),
        ..row("FLOP/B, block =".into(), a, b, &|v| format!("{v:.2}"))
    });
    let floors = machine
        .ceilings
        .as_ref()
        .and_then(|c| Some((c.floor(&cost.forward, dtype)?, c.floor(&v1.forward, dtype)?)));
    rows.push(match floors {
        Some((a, b)) => row("floor µs, fwd =".into(), a, b, &micros_of(a.max(b))),
        None => unknown("floor µs, fwd ="),
    });
    let launch = machine.ceilings.as_ref().and_then(|c| c.launch);
    rows.push(match launch {
        Some(l) => {
            let label = match l.source {
                Source::Recorded => "launch µs, rec. =",
                _ => "launch µs, fwd =",
            };
            let times = |c: &Cost| c.forward.launches() as f64 * l.seconds;
            let (a, b) = (times(cost), times(v1));
            row(label.into(), a, b, &micros_of(a.max(b)))
        }
        None => unknown("launch µs, fwd ="),
    });
    rows.push(times(bench, runs));
    rows
}

/// A figure that cannot be had here.
fn unknown(label: &str) -> Row {
    Row {
        label: label.to_owned(),
        plan: "–".into(),
        v1: "–".into(),
        ..Row::default()
    }
}

/// The row of measured times.
fn times(bench: &Bench, runs: &Runs) -> Row {
    let of = |cut: Cut| {
        let time = runs.of(bench.setup(), cut)?.time_us.as_ref()?;
        Some(time.median)
    };
    let (plan, v1) = (of(bench.cut()), of(Version::V1.cut()));
    let largest = plan.unwrap_or(0.0).max(v1.unwrap_or(0.0)) * 1e-6;
    let show = |t: Option<f64>| {
        t.map_or("·".to_owned(), |t| {
            figure::micros_in_row(t * 1e-6, largest)
        })
    };
    Row {
        label: "time µs, fwd @".into(),
        plan: show(plan),
        v1: show(v1),
        saved: match (plan, v1) {
            (Some(a), Some(b)) => figure::saved(b, a, 1),
            _ => "r runs".into(),
        },
        measured: true,
    }
}
