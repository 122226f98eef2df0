//! Figures that are looked up, not derived: runs of this machine, and figures
//! that were recorded elsewhere.

use plan::cost::Config;
use plan::run::{Metric, MicroCounts, MicroRow, Report};
use plan::units::{Dimension, Quantity};

/// Where `run.*` and `recorded.*` come from. The caller keeps the reports; the
/// judge only asks.
pub trait Records {
    /// The newest report of a run of this configuration, if there is one.
    fn report(&self, config: &Config) -> Option<&Report>;

    /// The figure with this id in `assets/recorded.toml`.
    fn recorded(&self, id: &str) -> Option<Quantity>;

    /// What the defective kernel of this name yields
    /// ([`plan::run::mutants::MUTANTS`]).
    ///
    /// # Errors
    /// Why it has not been run: one sentence.
    fn mutant(&self, name: &str) -> Result<f64, String> {
        Err(format!(
            "the defective kernel of mutant.{name} has not been run here"
        ))
    }

    /// A column ([`Metric`]) of the newest report of a microbenchmark, at one value
    /// of its sweep.
    fn micro(&self, _kernel: &str, _value: u64, _field: &str) -> Option<Quantity> {
        None
    }

    /// What a reader may say of a claim of the ledger: `right`, `right if`,
    /// `wrong`, `measurable`.
    ///
    /// # Errors
    /// A sentence with the nearest id.
    fn verdict(&self, id: &str) -> Result<String, String> {
        Err(format!("no claim has the id “{id}”"))
    }

    /// Claims of the ledger with this verdict; `total`: all of them.
    ///
    /// # Errors
    /// A sentence that names the verdicts.
    fn claims(&self, verdict: &str) -> Result<u64, String> {
        Err(format!("no claims are counted by “{verdict}”"))
    }
}

/// No run and no recorded figure.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRecords;

impl Records for NoRecords {
    fn report(&self, _: &Config) -> Option<&Report> {
        None
    }

    fn recorded(&self, _: &str) -> Option<Quantity> {
        None
    }
}

/// What stands for a figure of an experiment that was not made yet, while types
/// are checked: one of everything.
pub(super) fn micro_dry(field: &str) -> Option<Quantity> {
    let row = MicroRow {
        value: 1,
        label: String::new(),
        counts: MicroCounts {
            blocks: 1,
            issued: 1,
            compulsory: 1,
            sectors: 1,
            sectors_ideal: 1,
            sectors_written: 1,
            shared_requests: 1,
            bank_passes: 1,
            bank_conflicts: 1,
            divergent: 1,
            lane_instructions: 1,
            instructions: 1,
            barriers: 1,
            flops: 1,
        },
        time_us: None,
    };
    let metric = Metric::find(field)?;
    let time = || (metric == Metric::Time).then(|| Quantity::seconds(1.0));
    metric.quantity(&row).or_else(time)
}

/// Everything that a run can be asked, with its dimension.
pub const RUN_PATHS: [(&str, Dimension); 15] = [
    ("launches.counted", Dimension::Count),
    ("launches.library", Dimension::Count),
    ("launches.planned", Dimension::Count),
    ("time.median", Dimension::Time),
    ("time.min", Dimension::Time),
    ("time.max", Dimension::Time),
    ("time.runs", Dimension::Count),
    ("bytes.modelled", Dimension::Bytes),
    ("bytes.issued", Dimension::Bytes),
    ("bytes.compulsory", Dimension::Bytes),
    ("bytes.estimated_dram", Dimension::Bytes),
    ("bytes.measured_dram", Dimension::Bytes),
    ("held", Dimension::Bytes),
    ("check.max_abs_error", Dimension::Ratio),
    ("check.rel_error", Dimension::Ratio),
];

/// One figure of a report; `None` where the report does not hold it.
pub fn report_value(report: &Report, path: &str) -> Option<Quantity> {
    let time = |us: f64| Quantity::seconds(us * 1e-6);
    let timing = report.time_us.as_ref();
    let check = report.check.as_ref();
    match path {
        "launches.counted" => Some(Quantity::count(report.launches.counted)),
        "launches.library" => Some(Quantity::count(report.launches.library)),
        "launches.planned" => Some(Quantity::count(report.plan.launches)),
        "time.median" => timing.map(|t| time(t.median)),
        "time.min" => timing.map(|t| time(t.min)),
        "time.max" => timing.map(|t| time(t.max)),
        "time.runs" => timing.map(|t| Quantity::count(u64::from(t.runs))),
        "bytes.modelled" => report.bytes.modelled.map(Quantity::bytes),
        "bytes.issued" => report.bytes.issued.map(Quantity::bytes),
        "bytes.compulsory" => report.bytes.compulsory.map(Quantity::bytes),
        "bytes.estimated_dram" => report.bytes.estimated_dram.map(Quantity::bytes),
        "bytes.measured_dram" => report.bytes.measured_dram.map(Quantity::bytes),
        "held" => report.held_bytes.map(Quantity::bytes),
        "check.max_abs_error" => check.map(|c| Quantity::ratio(c.max_abs_error)),
        "check.rel_error" => check.map(|c| Quantity::ratio(c.rel_error)),
        _ => None,
    }
}
