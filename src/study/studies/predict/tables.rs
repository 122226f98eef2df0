//! What `study predict` shows, and the sentence about a plan.

use crate::calibration::{Calibration, Kernel, Seen, title};
use crate::findings::{Cell, Column, Sheet};
use crate::learned::Prediction;
use crate::timing::Timed;
use plan::units::figure::Clock;
use plan::units::{Quantity, format};

/// `V4 workshop B1 S128: 812 µs =, eight of ten between 700 and 950 µs.`
pub(super) fn sentence(prediction: &Prediction) -> String {
    let predicted = prediction.predicted;
    let clock = Clock::of(predicted.high);
    format!(
        "{}: {} {} =, eight of ten between {} and {} {}.",
        title(&prediction.config),
        clock.rounded(predicted.seconds),
        clock.unit,
        clock.rounded(predicted.low),
        clock.rounded(predicted.high),
        clock.unit
    )
}

/// A row per plan.
pub(super) fn plans(rows: &[(Prediction, Option<Timed>)]) -> Sheet {
    let ran = rows.iter().any(|(_, timed)| timed.is_some());
    let mut columns = vec![
        Column::given("plan"),
        Column::modelled("predicted", "µs", 1),
        Column::modelled("from", "µs", 0),
        Column::modelled("to", "µs", 0),
    ];
    if ran {
        columns.extend([
            Column::measured("time", "µs", 1),
            Column::measured("± dev.", "µs", 1),
            Column::measured("off", "%", 1),
        ]);
    }
    let mut sheet = Sheet::new("plans", columns);
    for (prediction, timed) in rows {
        let p = prediction.predicted;
        let mut row: Vec<Cell> = vec![
            prediction.config.effective_cut().title().into(),
            (1e6 * p.seconds).into(),
            (1e6 * p.low).into(),
            (1e6 * p.high).into(),
        ];
        if ran {
            let time = timed.as_ref().and_then(|t| t.report.time_us.as_ref());
            row.push(time.map(|t| t.median).into());
            row.push(time.map(|t| t.mad).into());
            row.push(prediction.off().map(|off| 100.0 * off).into());
        }
        sheet.rows.push(row);
    }
    sheet
}

/// What the parts cost.
pub(super) fn costs(calibration: &Calibration) -> Sheet {
    let c = &calibration.costs;
    let columns = [
        Column::given("part"),
        Column::measured("cost", "", 0),
        Column::given("which is"),
    ];
    let mut sheet = Sheet::new("what the parts cost", columns);
    let time = |seconds: f64| match seconds {
        s if s >= 1e-7 => format!("{:.2} µs", 1e6 * s),
        s => format!("{:.2} ns", 1e9 * s),
    };
    let rate = |seconds: f64, unit: &str| match 1e-9 / seconds {
        many if many >= 1000.0 => format!("{:.1} T{unit}", many / 1000.0),
        few => format!("{few:.1} G{unit}"),
    };
    let cache = match calibration.near_bytes {
        all if all >= f64::MAX => "however much is touched".to_owned(),
        some => format!(
            "where no more than {} is touched",
            format(&Quantity::bytes(some as u64))
        ),
    };
    for (name, cost, what) in [
        (
            "start",
            time(c.start),
            "of a forward, with its end".to_owned(),
        ),
        ("launch", time(c.launch), "of a kernel".into()),
        (
            "wait",
            time(c.wait),
            "of the whole grid inside a kernel".into(),
        ),
        (
            "product",
            rate(c.product, "FLOP/s"),
            "of wide products".into(),
        ),
        (
            "merged",
            format!("×{:.2}", c.merged),
            "as long in a kernel that waits".into(),
        ),
        (
            "step",
            time(c.step),
            "per element of the sums of a narrow product".into(),
        ),
        (
            "weight",
            time(c.weight),
            "per element that passes by".into(),
        ),
        (
            "attention",
            rate(c.attention, "FLOP/s"),
            "of scores and values".into(),
        ),
        (
            "other",
            rate(c.other, "FLOP/s"),
            "of everything else".into(),
        ),
        ("near", rate(c.near, "B/s"), cache),
        ("far", rate(c.far, "B/s"), "beyond that".into()),
    ] {
        sheet.rows.push(vec![name.into(), cost.into(), what.into()]);
    }
    sheet
}

/// The rate of a product by its shape: rows and columns as they occur.
pub(super) fn products(calibration: &Calibration) -> Sheet {
    const WIDTHS: [u64; 3] = [256, 1024, 2048];
    let mut columns = vec![Column::given("rows")];
    let head = |w: u64| Column::modelled(format!("{w} × {w}"), "GFLOP/s", 1);
    columns.extend(WIDTHS.map(head));
    let mut sheet = Sheet::new("products by shape, their launch included", columns);
    for rows in [1u64, 16, 128, 1024] {
        let mut row: Vec<Cell> = vec![rows.to_string().into()];
        for width in WIDTHS {
            let flops = (2 * rows * width * width) as f64;
            let elements = (width * width + 2 * rows * width) as f64;
            let bytes = elements * calibration.dtype.bytes() as f64;
            let kernel = Kernel {
                products: vec![[flops, width as f64, (width * width) as f64]],
                bytes,
                ..Kernel::default()
            };
            let seconds = calibration
                .costs
                .kernel(&kernel, bytes <= calibration.near_bytes);
            row.push((1e-9 * flops / seconds).into());
        }
        sheet.rows.push(row);
    }
    sheet
}

/// Forwards, predicted and measured.
pub(super) fn seen(name: &str, seen: &[Seen]) -> Sheet {
    let columns = [
        Column::given("forward"),
        Column::modelled("predicted", "µs", 1),
        Column::measured("time", "µs", 1),
        Column::measured("off", "%", 1),
    ];
    let mut sheet = Sheet::new(name, columns);
    for s in seen {
        sheet.rows.push(vec![
            s.title.as_str().into(),
            (1e6 * s.predicted).into(),
            (1e6 * s.seconds).into(),
            (100.0 * (s.predicted / s.seconds - 1.0)).into(),
        ]);
    }
    sheet
}

/// Past predictions that were run since, the newest first.
pub(super) fn past(past: &[&Prediction]) -> Sheet {
    let columns = [
        Column::given("forward"),
        Column::modelled("predicted", "µs", 1),
        Column::measured("time", "µs", 1),
        Column::counted("runs", "", 0),
        Column::measured("off", "%", 1),
    ];
    let mut sheet = Sheet::new("past predictions", columns);
    for p in past.iter().rev() {
        sheet.rows.push(vec![
            title(&p.config).into(),
            (1e6 * p.predicted.seconds).into(),
            plan::run::median(&p.measured).map(|s| 1e6 * s).into(),
            (p.measured.len() as u64).into(),
            p.off().map(|off| 100.0 * off).into(),
        ]);
    }
    sheet
}
