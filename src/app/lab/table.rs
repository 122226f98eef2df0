//! This plan against V1, row by row.

use crate::app::bench::Bench;
use crate::app::figure;
use crate::app::machine::{Machine, Source};
use crate::app::runs::Runs;
use crate::cost::Cost;
use crate::fusion::{Cut, Version};

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
    /// Where the numbers come from.
    pub origin: Origin,
    /// The key of `cost::why` that explains them.
    pub key: Option<&'static str>,
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
        ..Row::default()
    };
    let whole = |v: f64| format!("{v:.0}");
    let size = |v: f64| figure::bytes(column, v as u64);
    // V1 is the largest of its row, as far as anything is saved.
    let micros_of = |largest: f64| move |v: f64| figure::micros_in_row(v, largest);
    let of = |f: fn(&Cost) -> u64| (f(cost) as f64, f(v1) as f64);
    let (a, b) = of(|c| c.block.launches());
    let why = |key, row: Row| Row {
        key: Some(key),
        ..row
    };
    let mut rows = vec![why(
        "block.launches",
        row("launches, block".into(), a, b, &whole),
    )];
    let (a, b) = of(|c| c.forward.launches());
    rows.push(why(
        "forward.launches",
        row("launches, forward".into(), a, b, &whole),
    ));
    let (a, b) = of(|c| c.block.bytes());
    rows.push(why(
        "block.bytes",
        row(format!("{unit}, block ="), a, b, &size),
    ));
    let issued = issued(bench, runs);
    match &issued {
        None => {
            let (a, b) = of(|c| c.block.weight_bytes);
            rows.push(why(
                "block.weight_bytes",
                row("  weights =".into(), a, b, &size),
            ));
        }
        // Modelled and issued stand below each other, of the same forward.
        Some(row_of) => rows.extend(row_of(cost, v1)),
    }
    let (a, b) = (cost.block.intensity(), v1.block.intensity());
    rows.push(Row {
        saved: figure::times(b, a),
        key: Some("block.intensity"),
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
    rows.extend(match launch {
        // The counted bytes take the place of the launches' share.
        _ if issued.is_some() => None,
        Some(l) => {
            let label = match l.source {
                Source::Recorded => "launch µs, rec. =",
                _ => "launch µs, fwd =",
            };
            let times = |c: &Cost| c.forward.launches() as f64 * l.seconds;
            let (a, b) = (times(cost), times(v1));
            Some(row(label.into(), a, b, &micros_of(a.max(b))))
        }
        None => Some(unknown("launch µs, fwd =")),
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

/// The bytes of a forward, modelled and as a run counted them; `None` where no
/// run has counted any.
#[allow(
    clippy::type_complexity,
    reason = "two rows, made where the unit is known"
)]
fn issued(bench: &Bench, runs: &Runs) -> Option<impl Fn(&Cost, &Cost) -> [Row; 2]> {
    let of = |cut: Cut| runs.of(bench.setup(), cut)?.bytes.issued;
    let (plan, v1) = (of(bench.cut()), of(Version::V1.cut()));
    plan.or(v1)?;
    Some(move |cost: &Cost, base: &Cost| {
        let modelled = [cost.forward.bytes(), base.forward.bytes()];
        let largest = modelled
            .into_iter()
            .chain(plan)
            .chain(v1)
            .max()
            .unwrap_or(0);
        let column = figure::byte_column(largest);
        let unit = column.unit().symbol();
        let row = |sign: char, plan: Option<u64>, v1: Option<u64>| {
            let show = |bytes: Option<u64>| {
                bytes.map_or("·".to_owned(), |bytes| figure::bytes(column, bytes))
            };
            Row {
                label: format!("{unit}, fwd {sign}"),
                plan: show(plan),
                v1: show(v1),
                saved: match (plan, v1) {
                    (Some(a), Some(b)) => figure::saved(b as f64, a as f64, 1),
                    _ => String::new(),
                },
                ..Row::default()
            }
        };
        [
            Row {
                key: Some("forward.bytes"),
                ..row('=', Some(modelled[0]), Some(modelled[1]))
            },
            Row {
                origin: Origin::Issued,
                ..row('#', plan, v1)
            },
        ]
    })
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
        origin: Origin::Measured,
        key: None,
    }
}
