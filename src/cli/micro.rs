//! `micro`: an experiment of the gym, swept, counted and, on a GPU, timed.

use clap::Args;

use super::Outcome;
use super::args::{OutputArgs, whole};
use super::failure::Failure;
use super::out::Out;
use super::table::{Align, Table};
use backend::microbenchmark;
use plan::run::{
    BackendKind, EXPERIMENTS, Experiment, Metric, MicroReport, MicroRequest, RunError,
};

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
    out.line(format!("{kernel}: {title}"));
    out.line("");
    out.lines(table(&report, &shows).lines());
    out.line("");
    out.line(format!("on   {}", report.device));
    for note in &report.notes {
        out.line(format!("note {note}"));
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

/// Runs an experiment for the screen: on the SIMT machine here, on a GPU in a
/// process of its own, which may hang or die.
pub(super) fn away(request: &MicroRequest) -> Result<MicroReport, String> {
    if !request.backend.is_gpu() {
        return microbenchmark::run(request).map_err(|e| e.to_string());
    }
    apart::run(request).map_err(|e| e.to_string())
}

mod apart {
    use std::process::{Command, Stdio};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::{MicroReport, MicroRequest, RunError};

    /// How long a sweep may take with the compilation of its kernels.
    const LONGEST: Duration = Duration::from_secs(120);

    pub(super) fn run(request: &MicroRequest) -> Result<MicroReport, RunError> {
        let failed = |e: std::io::Error| {
            RunError::failed(format!("the experiment's process cannot be started: {e}"))
        };
        let sweep: Vec<String> = request.sweep.iter().map(u32::to_string).collect();
        let mut child = Command::new(std::env::current_exe().map_err(failed)?)
            .args(["micro", &request.kernel, "--sweep", &sweep.join(",")])
            .args(["--backend", request.backend.name(), "--json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (say, ended) = mpsc::channel();
        let (output, error) = (child.stdout.take(), child.stderr.take());
        let reader = |pipe: Option<Box<dyn std::io::Read + Send>>| {
            thread::spawn(move || {
                let mut text = String::new();
                if let Some(mut pipe) = pipe {
                    // What cannot be read is not there.
                    let _ = pipe.read_to_string(&mut text);
                }
                text
            })
        };
        let output = reader(output.map(|p| Box::new(p) as _));
        let error = reader(error.map(|p| Box::new(p) as _));
        thread::spawn(move || {
            let _ = say.send((output.join(), error.join()));
        });
        let Ok((output, error)) = ended.recv_timeout(LONGEST) else {
            // It may just have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
            return Err(RunError::failed(format!(
                "the experiment took more than {} s and was stopped",
                LONGEST.as_secs()
            )));
        };
        let _ = child.wait();
        let (output, error) = (output.unwrap_or_default(), error.unwrap_or_default());
        serde_json::from_str(&output).map_err(|_| {
            let said: Option<serde_json::Value> = error
                .lines()
                .last()
                .and_then(|l| serde_json::from_str(l).ok());
            let said = said.as_ref().and_then(|v| v.get("error")?.as_str());
            RunError::failed(said.unwrap_or("the experiment's process ended").to_owned())
        })
    }
}
