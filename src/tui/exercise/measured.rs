//! What is asked of this machine: the runs and experiments that answer a question.

use crate::tui::live::reported;
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;
use app::Setup;
use app::State;
use app::answering::{asked_figures, asked_runs, micros};
use app::ask::{Ask, Shown};
use app::figure;
use course::Key;
use course::answer::report_value;
use plan::run::{BackendKind, MicroRequest, Report};
use plan::units;

/// What a run of the plan that is asked about showed, or how to have one.
pub fn measured(state: &State, key: &Key, keys: bool, width: usize) -> Vec<Row> {
    let micros = micros(&state.shared, key);
    let runs = if keys { "r runs" } else { "Tab here: r runs" };
    if !micros.is_empty() {
        let each = micros.iter();
        return each
            .flat_map(|(k, v)| experiment(state, k, v, runs, width))
            .collect();
    }
    let asked = asked_runs(key).unwrap_or_default();
    let several = asked.len() > 1;
    asked
        .iter()
        .flat_map(|config| {
            let plan = format!("{} at {}", config.cut.title(), Setup::of(config, 0).title());
            if let Some(running) = state.shared.runs.runs(config) {
                let text = format!(
                    "running {plan} on {} …  Ctrl-C stops it",
                    running.backend.name()
                );
                return words(&text, width, Role::Accent);
            }
            if state.shared.runs.waits(config) {
                let text = format!("{plan} runs next …");
                return words(&text, width, Role::Dim);
            }
            let Some(report) = state.shared.runs.of_config(config) else {
                let what = if several {
                    plan.as_str()
                } else {
                    "the plan that is asked about"
                };
                return words(&format!("{runs} {what}"), width, Role::Dim);
            };
            let whose = if several {
                format!(" of {plan}")
            } else {
                String::new()
            };
            let row = Row::of(
                format!("your run{whose} on {}:  ", report.backend),
                Role::Dim,
            )
            .and(
                format!("{} launches #", report.launches.counted),
                Role::Issued,
            );
            let row = match &report.time_us {
                Some(time) => {
                    let text = format!("   {} @", figure::measured(time.median * 1e-6));
                    row.and(text, Role::Measured)
                }
                None => row,
            };
            let mut rows = vec![row];
            for path in asked_figures(key, config) {
                rows.extend(read_off(report, &path, width));
            }
            rows
        })
        .collect()
}

/// A figure of a run that the answer reads, in a line of its own; nothing of those that the
/// line of the run says.
fn read_off(report: &Report, path: &str, width: usize) -> Vec<Row> {
    let (label, role) = match path {
        "launches.counted" | "time.median" => return Vec::new(),
        "launches.library" => ("launches of a library", Role::Issued),
        "launches.planned" => ("launches of the plan", Role::Modelled),
        "time.min" => ("fastest run", Role::Measured),
        "time.max" => ("slowest run", Role::Measured),
        "time.runs" => ("runs timed", Role::Issued),
        "bytes.modelled" => ("bytes, modelled", Role::Modelled),
        "bytes.issued" => ("bytes issued", Role::Issued),
        "bytes.compulsory" => ("bytes, compulsory", Role::Modelled),
        "bytes.estimated_dram" => ("bytes of DRAM, estimated", Role::Issued),
        "bytes.measured_dram" => ("bytes of DRAM, measured", Role::Measured),
        "held" => ("bytes held", Role::Issued),
        "check.max_abs_error" => ("largest error against fp64", Role::Measured),
        "check.rel_error" => ("error against fp64, relative", Role::Measured),
        other => (other, Role::Text),
    };
    let sign = match role {
        Role::Modelled => " =",
        Role::Issued => " #",
        Role::Measured => " @",
        _ => "",
    };
    match report_value(report, path) {
        // An error is far below a per cent.
        Some(value) if path.starts_with("check.") => words(
            &format!("{label}: {:.2e}{sign}", value.value()),
            width,
            role,
        ),
        Some(value) => {
            let text = format!("{label}: {}{sign}", units::format(&value));
            words(&text, width, role)
        }
        None => {
            let text = format!("{label}: {} does not say it", report.backend);
            words(&text, width, Role::Warn)
        }
    }
}

/// An experiment of the gym: its figures, or how to have them.
fn experiment(state: &State, kernel: &str, values: &[u32], runs: &str, width: usize) -> Vec<Row> {
    let at: Vec<String> = values.iter().map(ToString::to_string).collect();
    let name = format!("the experiment {kernel} at {}", at.join(", "));
    let Ok(request) = MicroRequest::new(kernel, values, BackendKind::Simt) else {
        return Vec::new();
    };
    let ask = Ask::Micro(request);
    match state.shared.asked.answer(&ask) {
        _ if state.shared.asked.waits(&ask) => {
            vec![Row::of(format!("running {name} …"), Role::Dim)]
        }
        Some(Ok(Shown::Micro(report))) => {
            let mut rows = vec![Row::of(name, Role::Dim)];
            rows.extend(reported(state, report, width));
            rows
        }
        Some(Err(why)) => words(why, width, Role::Bad),
        _ => vec![Row::of(format!("{runs} {name}"), Role::Dim)],
    }
}

/// Whether what was predicted is shown by a run.
pub fn runs(key: &Key) -> bool {
    key.asks_for_a_run()
}
