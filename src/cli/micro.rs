//! `micro`: an experiment of the gym, swept, counted and, on a GPU, timed.

use clap::Args;

use super::Outcome;
use super::args::{OutputArgs, whole};
use super::failure::Failure;
use super::out::Out;
use super::table::{Align, Table};
use super::words::wrapped;
use backend::microbenchmark;
use plan::run::{BackendKind, EXPERIMENTS, Experiment, Metric, MicroReport, MicroRequest};

/// A kernel of a few lines, run over and over with one thing changed.
#[derive(Debug, Args)]
pub(super) struct MicroArgs {
    /// The experiment; without it they are listed
    kernel: Option<String>,
    /// Values to run it at, such as 1,2,4; each experiment has usual ones
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = whole::<u32>)]
    sweep: Vec<u32>,
    /// Columns to show, such as sectors,efficiency; each experiment has usual ones
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    show: Vec<String>,
    /// simt counts without a GPU; cuda and hip time as well
    #[arg(long, value_name = "BACKEND", default_value = "simt")]
    backend: String,
}

pub(super) fn micro(output: &OutputArgs, args: &MicroArgs, out: &mut Out) -> Outcome {
    let Some(kernel) = &args.kernel else {
        list(output, out);
        return Ok(0);
    };
    let shows: Vec<Metric> = args
        .show
        .iter()
        .map(|name| metric(name))
        .collect::<Result<_, _>>()?;
    let backend = BackendKind::parse(&args.backend)?;
    let request = MicroRequest::new(kernel, &args.sweep, backend)?;
    let report = microbenchmark::run(&request)?;
    if output.json {
        out.json(&report);
        return Ok(0);
    }
    let title = Experiment::find(kernel).map_or("", |e| e.title);
    out.lines(wrapped(&format!("{kernel}: {title}"), "", "  "));
    out.line("");
    out.lines(table(&report, &shows).lines());
    out.line("");
    out.lines(wrapped(&report.device, "on   ", "     "));
    for note in &report.notes {
        out.lines(wrapped(note, "note ", "     "));
    }
    Ok(0)
}

fn metric(name: &str) -> Result<Metric, Failure> {
    Metric::find(name).ok_or_else(|| {
        Failure::usage(format!(
            "there is no column “{name}”; there are {}",
            Metric::names().join(", ")
        ))
    })
}

/// The table of a report.
pub(super) fn table(report: &MicroReport, shows: &[Metric]) -> Table {
    let (head, rows) = report.table(shows);
    let columns: Vec<(&str, Align)> = head.iter().map(|h| (h.as_str(), Align::Right)).collect();
    let mut table = Table::new(&columns);
    for row in rows {
        table.row(row);
    }
    table
}

fn list(output: &OutputArgs, out: &mut Out) {
    if output.json {
        let all: Vec<_> = EXPERIMENTS
            .iter()
            .map(|e| {
                serde_json::json!({
                    "name": e.name, "title": e.title, "swept": e.swept, "usual": e.usual,
                    "takes": e.range(), "source": e.source(),
                })
            })
            .collect();
        out.json(&serde_json::json!({ "schema": 1, "experiments": all }));
        return;
    }
    let mut table = Table::new(&[
        ("name", Align::Left),
        ("swept", Align::Left),
        ("what it shows", Align::Left),
    ]);
    for e in &EXPERIMENTS {
        table.row(vec![
            e.name.to_owned(),
            e.swept.to_owned(),
            e.title.to_owned(),
        ]);
    }
    out.lines(table.lines());
    out.line("");
    out.line("tinyllama-tutor micro stride --sweep 1,2,4 runs one on the SIMT machine.");
}
