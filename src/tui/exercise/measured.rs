//! What is asked of this machine: the runs and experiments that answer a question.

use crate::tui::live::reported;
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;
use app::Setup;
use app::State;
use app::answering::{asked_runs, micros};
use app::ask::{Ask, Shown};
use app::figure;
use course::Key;
use plan::run::{BackendKind, MicroRequest};

/// What a run of the plan that is asked about showed, or how to have one.
pub fn measured(state: &State, key: &Key, width: usize) -> Vec<Row> {
    let micros = micros(&state.shared, key);
    if !micros.is_empty() {
        let each = micros.iter();
        return each
            .flat_map(|(k, v)| experiment(state, k, v, width))
            .collect();
    }
    let asked = asked_runs(key).unwrap_or_default();
    let several = asked.len() > 1;
    asked
        .iter()
        .map(|config| {
            let plan = format!("{} at {}", config.cut.title(), Setup::of(config, 0).title());
            let Some(report) = state.shared.runs.of_config(config) else {
                let what = if several {
                    plan.as_str()
                } else {
                    "the plan that is asked about"
                };
                return Row::of(format!("r runs {what}"), Role::Dim);
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
            match &report.time_us {
                Some(time) => {
                    let text = format!("   {} @", figure::measured(time.median * 1e-6));
                    row.and(text, Role::Measured)
                }
                None => row,
            }
        })
        .collect()
}

/// An experiment of the gym: its figures, or how to have them.
fn experiment(state: &State, kernel: &str, values: &[u32], width: usize) -> Vec<Row> {
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
        _ => vec![Row::of(format!("r runs {name}"), Role::Dim)],
    }
}

/// Whether what was predicted is shown by a run.
pub fn runs(key: &Key) -> bool {
    key.asks_for_a_run()
}
