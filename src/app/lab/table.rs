//! This plan against V1, row by row.

use crate::bench::Bench;
use crate::machine::{Machine, Source, Supply};
use crate::runs::{Behind, Runs};
use plan::cost::Cost;
use plan::fusion::{Cut, Version};
use plan::run::{BytesReport, Timing};
use plan::units::figure::{self, Clock, Origin};
use study::timing;

/// Characters of a figure.
const COLUMN: usize = 7;

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
    /// What stands behind them.
    pub behind: Terms,
}

/// What stands behind the numbers of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Terms {
    /// Terms of the model, by the key of `cost::why`.
    Model(&'static str),
    /// The larger of two times of each kernel.
    Floor,
    /// Launches times what one costs.
    Launches,
    /// What a run was asked for, counted.
    Issued,
    /// What a run counted besides, in a sentence.
    Counted(&'static str),
    /// What is made of it behind a cache.
    Cache,
    /// What a clock measured.
    #[default]
    Clock,
}

/// This plan against V1.
pub fn table(bench: &Bench, machine: &Machine, runs: &Runs) -> Vec<Row> {
    let (cost, v1) = (bench.cost(), bench.v1());
    let dtype = bench.setup().dtype;
    let column = figure::byte_column(v1.block.bytes());
    let unit = column.unit().symbol();
    // A figure of more digits than its column has is shown by its power of ten.
    let fitted = |v: f64, text: String| match text.chars().count() > COLUMN {
        true => format!("{v:.1e}"),
        false => text,
    };
    let row = |label: String, plan: f64, v1: f64, show: &dyn Fn(f64) -> String| Row {
        label,
        plan: fitted(plan, show(plan)),
        v1: fitted(v1, show(v1)),
        saved: figure::saved(v1, plan, 1),
        ..Row::default()
    };
    let whole = |v: f64| figure::fixed(v, 0);
    let size = |v: f64| figure::bytes(column, v as u64);
    // V1 is the largest of its row, as far as anything is saved.
    let of = |f: fn(&Cost) -> u64| (f(cost) as f64, f(v1) as f64);
    let (a, b) = of(|c| c.block.launches());
    let why = |key, row: Row| Row {
        behind: Terms::Model(key),
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
    let counted = counted(bench, runs);
    match counted {
        None => {
            let (a, b) = of(|c| c.block.weight_bytes);
            rows.push(why(
                "block.weight_bytes",
                row("  weights =".into(), a, b, &size),
            ));
        }
        // Of the forward, as the counts are: the kinds of bytes one below the
        // other, in place of launches and bytes of a block.
        Some(counted) => {
            rows.remove(0);
            rows.truncate(1);
            rows.extend(kinds(counted, &runs.behind, cost, v1));
        }
    }
    let (a, b) = (cost.block.intensity(), v1.block.intensity());
    rows.push(Row {
        saved: figure::times(b, a),
        behind: Terms::Model("block.intensity"),
        ..row("FLOP/B, block =".into(), a, b, &|v| figure::fixed(v, 2))
    });
    let floors = machine
        .ceilings
        .as_ref()
        .and_then(|c| Some((c.floor(&cost.forward, dtype)?, c.floor(&v1.forward, dtype)?)));
    let floor = match floors {
        Some((a, b)) => {
            let clock = Clock::of(a.max(b));
            let label = format!("floor {}, fwd =", clock.unit);
            row(label, a, b, &|v| clock.number(v))
        }
        None => unknown("floor µs, fwd ="),
    };
    rows.push(Row {
        behind: Terms::Floor,
        ..floor
    });
    let launch = machine.ceilings.as_ref().and_then(|c| c.launch);
    let launches = match launch {
        // The counted bytes take the place of the launches' share.
        _ if counted.is_some() => None,
        Some(l) => {
            let of = match l.source {
                Source::Recorded => "rec.",
                _ => "fwd",
            };
            let times = |c: &Cost| c.forward.launches() as f64 * l.seconds;
            let (a, b) = (times(cost), times(v1));
            let clock = Clock::of(a.max(b));
            let label = format!("launch {}, {of} =", clock.unit);
            Some(row(label, a, b, &|v| clock.number(v)))
        }
        None => Some(unknown("launch µs, fwd =")),
    };
    rows.extend(launches.map(|row| Row {
        behind: Terms::Launches,
        ..row
    }));
    rows.push(times(bench, machine, runs));
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

/// What runs counted of the plan and of V1; `None` where neither was counted.
fn counted(bench: &Bench, runs: &Runs) -> Option<[Option<BytesReport>; 2]> {
    let of = |cut: Cut| {
        let report = runs.of(bench.setup(), cut)?;
        report.bytes.issued.map(|_| report.bytes)
    };
    let both = [of(bench.cut()), of(Version::V1.cut())];
    both.iter().any(Option::is_some).then_some(both)
}

/// The bytes of a forward by kind: modelled, issued, compulsory, DRAM's. DRAM's
/// are the device's own where they were measured, else the estimate.
fn kinds(counted: [Option<BytesReport>; 2], behind: &Behind, cost: &Cost, v1: &Cost) -> [Row; 4] {
    let of = |kind: fn(&BytesReport) -> Option<u64>| {
        counted.map(|bytes| bytes.map(|bytes| kind(&bytes)))
    };
    let measured = of(|b| b.measured_dram);
    let estimate = format!("  DRAM {} =", behind.of);
    let dram = match measured.iter().flatten().any(Option::is_some) {
        true => {
            let terms = Terms::Counted("Measured by the device's own counters, in a run.");
            ("  DRAM @", Origin::Measured, measured, terms)
        }
        // Behind another device's cache it would be another number: not run for this one.
        false => {
            let made = counted.map(|bytes| bytes.filter(|bytes| behind.made(bytes)));
            let estimated = made.map(|bytes| bytes.map(|bytes| bytes.estimated_dram));
            (estimate.as_str(), Origin::Modelled, estimated, Terms::Cache)
        }
    };
    let modelled = [&cost.forward, &v1.forward].map(|p| Some(Some(p.bytes())));
    let rows = [
        (
            "",
            Origin::Modelled,
            modelled,
            Terms::Model("forward.bytes"),
        ),
        (
            "  issued #",
            Origin::Issued,
            of(|b| b.issued),
            Terms::Issued,
        ),
        (
            "  compulsory #",
            Origin::Issued,
            of(|b| b.compulsory),
            Terms::Counted(
                "Counted by a run: the sectors of 32 bytes that a launch touches, once each.",
            ),
        ),
        dram,
    ];
    let largest = rows
        .iter()
        .flat_map(|(_, _, both, _)| both)
        .flatten()
        .flatten();
    let column = figure::byte_column(largest.copied().max().unwrap_or(0));
    let unit = column.unit().symbol();
    let show = |bytes| figure::of_run(bytes, |bytes| figure::bytes(column, bytes));
    rows.map(|(label, origin, [plan, base], behind)| Row {
        label: match label {
            "" => format!("{unit}, forward ="),
            label => label.to_owned(),
        },
        plan: show(plan),
        v1: show(base),
        saved: match (plan.flatten(), base.flatten()) {
            (Some(a), Some(b)) => figure::saved(b as f64, a as f64, 1),
            _ => String::new(),
        },
        origin,
        behind,
    })
}

/// What is said where the cursor stands on a row.
pub(super) fn said(at: usize, bench: &Bench, machine: &Machine, runs: &Runs) -> Option<String> {
    let beaten = || beaten(bench, machine, runs);
    if at + 1 == super::ROWS {
        let said = compared(bench, runs).or_else(|| elsewhere(bench, runs));
        return said.or_else(beaten);
    }
    let rows = table(bench, machine, runs);
    let floor = rows.get(at).filter(|row| row.label.starts_with("floor"));
    let floor = floor.and_then(|_| beaten());
    floor
        .or_else(|| paired(bench, runs).map(str::to_owned))
        .or_else(beaten)
}

/// A sentence where the plan ran faster than the roof of its own device allows.
fn beaten(bench: &Bench, machine: &Machine, runs: &Runs) -> Option<String> {
    let time = runs.of(bench.setup(), bench.cut())?.time_us.as_ref()?;
    let ceilings = machine
        .ceilings
        .as_ref()
        .filter(|_| machine.roof_is_own())?;
    let floor = ceilings.floor(&bench.cost().forward, bench.setup().dtype)? * 1e6;
    (time.median < floor).then(|| {
        format!(
            "Floor {:.2} times its time: faster than DRAM allows; the data sat in cache.",
            floor / time.median
        )
    })
}

/// What can be said of the times of the plan and of V1, where they ran in turns.
fn compared(bench: &Bench, runs: &Runs) -> Option<String> {
    let (cut, v1) = (bench.cut(), Version::V1.cut());
    let (_, verdict) = runs.in_turns(bench.setup(), v1, cut)?;
    (cut != v1).then(|| verdict.sentence(&v1.title(), &cut.title()))
}

/// What is saved where plans ran in turns is no difference of the medians beside it.
pub(super) fn paired(bench: &Bench, runs: &Runs) -> Option<&'static str> {
    let (cut, v1) = (bench.cut(), Version::V1.cut());
    let (_, verdict) = runs.in_turns(bench.setup(), v1, cut)?;
    (cut != v1 && verdict.claimed())
        .then_some("turns: saved compares round by round, so it is not that of the two medians.")
}

/// What is said of a plan that only another build or another device has run.
fn elsewhere(bench: &Bench, runs: &Runs) -> Option<String> {
    let mut cuts = [bench.cut(), Version::V1.cut()].into_iter();
    cuts.find_map(|cut| runs.elsewhere(bench.setup(), cut))
}

/// The row of measured times; where both plans ran in turns, those of that job.
fn times(bench: &Bench, machine: &Machine, runs: &Runs) -> Row {
    let (setup, cut, v1) = (bench.setup(), bench.cut(), Version::V1.cut());
    let pair = runs.in_turns(setup, v1, cut).filter(|_| cut != v1);
    let (base, plan) = match &pair {
        Some(([base, plan], _)) => (Some(*base), Some(*plan)),
        None => (runs.of(setup, v1), runs.of(setup, cut)),
    };
    let [a, b] = [plan, base].map(|report| report.map(|r| r.time_us.as_ref()));
    let [timed, timed_v1] = [a.flatten(), b.flatten()];
    let seconds = |t: Option<&Timing>| t.map_or(0.0, |t| t.median * 1e-6);
    let clock = Clock::of(seconds(timed).max(seconds(timed_v1)));
    let clocked = machine.supplies(Supply::Times);
    let show = |run: Option<Option<&Timing>>| match (run, clocked) {
        (None, false) => figure::NOT_HAD.to_owned(),
        _ => figure::of_run(run, |t| timing::median(t, clock)),
    };
    Row {
        label: match timed.or(timed_v1) {
            None => "time µs, fwd @".to_owned(),
            // Where `saved` is not what the two medians beside it give: `paired` says why.
            Some(_) if paired(bench, runs).is_some() => format!("{}, turns @", clock.unit),
            // Medians with their spread need the room.
            Some(_) => format!("{}, fwd @", clock.unit),
        },
        plan: show(a),
        v1: show(b),
        saved: match (timed, timed_v1, pair) {
            (Some(_), Some(_), Some((_, verdict))) => verdict.cell(),
            (Some(_), Some(_), None) if cut == v1 => String::new(),
            // What counts has no clock that means anything.
            (None, None, _) if a.or(b).is_some() || !clocked => String::new(),
            _ => "r runs".into(),
        },
        origin: Origin::Measured,
        behind: Terms::Clock,
    }
}
