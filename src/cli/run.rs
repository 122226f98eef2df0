//! `run` and `compare`: plans on a backend, checked, counted and timed.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;

use super::args::{OutputArgs, PlanArgs, SetupArgs};
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::out::Out;
use super::table::{Align, Table};
use super::{Outcome, cost};
use crate::backend::{Outcome as Ran, Runner, model_of_folder, npy, tokens_of_file};
use crate::cost::{Config, Gpu, GpuDatabase, Priced, cost_json, price};
use crate::fusion::Cut;
use crate::lab::{Comparison, Scope};
use crate::run::{BackendKind, Report, Request, WeightsFrom};
use crate::units::{Column, Quantity, Unit, format};

/// How a run is made.
#[derive(Debug, Args)]
pub(super) struct RunOptions {
    /// auto or cpu
    #[arg(
        long,
        value_name = "BACKEND",
        default_value = "auto",
        help_heading = "Run"
    )]
    backend: String,
    /// Seed of weights and tokens
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Run")]
    seed: u64,
    /// Weights in Hugging Face's Llama names: a folder with config.json and
    /// safetensors
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with = "model",
        help_heading = "Run"
    )]
    weights: Option<PathBuf>,
    /// Token ids: a JSON list of lists, one list per sequence
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    tokens: Option<PathBuf>,
    /// Timed runs; 0 counts and checks only
    #[arg(long, value_name = "N", default_value_t = 30, help_heading = "Run")]
    runs: u32,
    /// Threads of the CPU backend; all cores where nothing is said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Run")]
    threads: Option<u16>,
    /// Do not compare the tensors with the fp64 reference
    #[arg(long, help_heading = "Run")]
    no_check: bool,
}

/// Run a plan: outputs checked, launches counted, then timed.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    run: RunOptions,
    /// Write the logits here: npy, float32, batch × seq × vocab
    #[arg(long, value_name = "OUT.npy", help_heading = "Run")]
    logits: Option<PathBuf>,
}

/// Plans side by side: modelled, and measured with --run.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// Plans: v1, v2+rope, 'norm1|q k v|…' …
    #[arg(value_name = "PLAN", default_values = ["v1", "v2", "v3", "v4"])]
    plans: Vec<String>,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    run: RunOptions,
    /// Run each plan; without it only the model speaks
    #[arg(long = "run", help_heading = "Run")]
    measure: bool,
    /// Sum over one block in place of the forward
    #[arg(long, help_heading = "Plan")]
    block: bool,
    /// Whose roofline gives the floors (see `gpus`)
    #[arg(
        long,
        value_name = "GPU",
        default_value = "h200",
        help_heading = "Plan"
    )]
    gpu: String,
}

/// The configuration and the request of a cut.
fn request(setup: &SetupArgs, run: &RunOptions, cut: Cut) -> Result<Request, Failure> {
    let backend = BackendKind::parse(&run.backend)?;
    let mut config = setup.config(cut)?;
    let mut weights = WeightsFrom::Seed(run.seed);
    if let Some(folder) = &run.weights {
        config.model = model_of_folder(folder)?;
        weights = WeightsFrom::Folder(folder.clone());
    }
    let tokens = match &run.tokens {
        Some(file) => Some(tokens_of_file(file, config.model.vocab)?),
        None => None,
    };
    if let Some(rows) = &tokens {
        // The tokens say how many sequences there are and how long.
        let context = rows.first().map_or(0, Vec::len) as u64;
        config.shape.batch = setup.batch.unwrap_or(rows.len() as u64);
        config.shape.context = setup.context.unwrap_or(context);
        config.shape.seq = setup.seq.unwrap_or(config.shape.context);
    }
    config.shape.check(&config.model)?;
    Ok(Request {
        backend,
        weights,
        seed: run.seed,
        tokens,
        runs: run.runs,
        check: !run.no_check,
        threads: run.threads.map(usize::from),
        ..Request::new(config)
    })
}

pub(super) fn run(output: &OutputArgs, args: &RunArgs, out: &mut Out) -> Outcome {
    let request = request(&args.setup, &args.run, args.plan.cut()?)?;
    let watch = Interrupt::watch(!output.json && std::io::stderr().is_terminal());
    let ran = Runner::default().run(&request, &watch)?;
    drop(watch);
    if let Some(path) = &args.logits {
        let shape: Vec<usize> = ran
            .report
            .output
            .shape
            .iter()
            .map(|n| usize::try_from(*n).unwrap_or(usize::MAX))
            .collect();
        npy::save(path, &shape, &ran.logits).map_err(|e| Failure::usage(e.to_string()))?;
    }
    if output.json {
        out.json(&ran.report);
    } else {
        tell(&request.config, &ran, output, out)?;
    }
    Ok(verdict(&ran.report))
}

/// 1 where the outputs or the launches are wrong.
fn verdict(report: &Report) -> u8 {
    let right = report.check.as_ref().is_none_or(|c| c.pass)
        && report.launches.counted == report.plan.launches;
    u8::from(!right)
}

fn tell(config: &Config, ran: &Ran, output: &OutputArgs, out: &mut Out) -> Result<(), Failure> {
    let report = &ran.report;
    let mut config = config.clone();
    if config.model.name.is_empty() {
        config.model.name = "model".to_owned();
    }
    let cost = price(&config)?;
    let mut lines = vec![cost::heading(&cost), String::new()];
    lines.push(format!("on         {} ({})", report.backend, report.device));
    lines.push(format!(
        "launches   {} # counted where kernels start, {} = in the plan: {}",
        report.launches.counted,
        report.plan.launches,
        if report.launches.counted == report.plan.launches {
            "equal"
        } else {
            "not equal, which is this program's fault"
        }
    ));
    lines.push(match &report.check {
        Some(c) if c.pass => format!(
            "check      pass: error {:.1e} of the logits, {:.1e} allowed, against {}",
            c.rel_error, c.tolerance, c.reference
        ),
        Some(c) => format!(
            "check      failed: {}",
            c.first_wrong.as_deref().unwrap_or("the logits are wrong")
        ),
        None => "check      none".to_owned(),
    });
    if let Some(t) = &report.time_us {
        let seconds = |us: f64| format(&Quantity::seconds(us / 1e6));
        lines.push(format!(
            "time       {} @ median of {} runs, {} to {}",
            seconds(t.median),
            t.runs,
            seconds(t.min),
            seconds(t.max)
        ));
        lines.push(format!("           {}", t.how));
        if t.spread() > 0.5 {
            lines.push(
                "           the runs differ by more than half: something else may use this machine"
                    .to_owned(),
            );
        }
    }
    let bytes = report.bytes.modelled.unwrap_or(0);
    lines.push(format!(
        "bytes      {} = modelled; issued and DRAM bytes cannot be had on a CPU",
        format(&Quantity::bytes(bytes))
    ));
    if let Some(held) = report.held_bytes {
        lines.push(format!(
            "held       {} of weights, tensors and tiles",
            format(&Quantity::bytes(held))
        ));
    }
    lines.push(format!(
        "logits     {} …  sha256 {}",
        report
            .output
            .sample
            .iter()
            .map(|x| format!("{x:.4}"))
            .collect::<Vec<_>>()
            .join(" "),
        report.output.sha256.get(..12).unwrap_or_default()
    ));
    for note in &report.notes {
        lines.push(format!("note       {note}"));
    }
    for line in lines {
        out.line(plain_ascii(&line, output.ascii));
    }
    Ok(())
}

fn plain_ascii(line: &str, ascii: bool) -> String {
    if ascii {
        line.replace('µ', "u").replace('·', "-").replace('…', "...")
    } else {
        line.to_owned()
    }
}

pub(super) fn compare(output: &OutputArgs, args: &CompareArgs, out: &mut Out) -> Outcome {
    let cuts = args
        .plans
        .iter()
        .map(|p| Cut::parse(p))
        .collect::<Result<Vec<_>, _>>()?;
    let base = request(&args.setup, &args.run, Cut::v1())?;
    let database = GpuDatabase::embedded()?;
    let gpu = database.get(&args.gpu)?;
    let scope = if args.block {
        Scope::Block
    } else {
        Scope::Forward
    };
    let mut comparison = Comparison::new(&base.config, &cuts, gpu, scope)?;
    let mut code = 0;
    if args.measure {
        let watch = Interrupt::watch(!output.json && std::io::stderr().is_terminal());
        let mut runner = Runner::default();
        for column in &mut comparison.columns {
            let request = Request {
                config: column.cost.config.clone(),
                ..base.clone()
            };
            let report = runner.run(&request, &watch)?.report;
            code = code.max(verdict(&report));
            column.report = Some(report);
        }
    }
    if output.json {
        let list: Vec<_> = comparison
            .columns
            .iter()
            .map(|c| {
                let mut object = match &c.report {
                    Some(r) => serde_json::to_value(r),
                    None => Ok(serde_json::json!({ "schema": 1 })),
                }
                .unwrap_or_default();
                object["cost"] = serde_json::to_value(cost_json(&c.cost)).unwrap_or_default();
                object
            })
            .collect();
        out.json(&list);
    } else if output.plain {
        spoken(&comparison, gpu, out);
    } else {
        side_by_side(&comparison, gpu, output.ascii, out);
    }
    Ok(code)
}

/// What is compared: `workshop B1 S128 fp32, per forward`.
fn title(comparison: &Comparison) -> String {
    let scope = match comparison.scope {
        Scope::Block => "per block",
        Scope::Forward => "per forward",
    };
    comparison.columns.first().map_or(String::new(), |c| {
        let config = &c.cost.config;
        format!(
            "{} B{} S{} {}, {scope}",
            config.model.name,
            config.shape.batch,
            config.shape.seq,
            config.dtype.name()
        )
    })
}

fn side_by_side(comparison: &Comparison, gpu: &Gpu, ascii: bool, out: &mut Out) {
    let columns = &comparison.columns;
    let scope = comparison.scope;
    out.line(format!(
        "{} · roof: {}, data sheet",
        title(comparison),
        gpu.name
    ));
    out.gap();
    let mut heads = vec![(String::new(), Align::Left)];
    heads.extend(columns.iter().map(|c| (c.title.clone(), Align::Right)));
    let heads: Vec<(&str, Align)> = heads.iter().map(|(h, a)| (h.as_str(), *a)).collect();
    let mut table = Table::new(&heads);
    let mut row = |name: String, cells: Vec<String>| {
        table.row(std::iter::once(name).chain(cells).collect());
    };
    let of = |figure: &dyn Fn(&Priced) -> u64| -> Vec<Quantity> {
        columns
            .iter()
            .map(|c| Quantity::bytes(figure(c.priced(scope))))
            .collect()
    };
    let bytes = of(&|p| p.bytes());
    let weights = of(&|p| p.weight_bytes);
    let activations = of(&|p| p.bytes() - p.weight_bytes);
    let peaks: Vec<Quantity> = columns
        .iter()
        .map(|c| Quantity::bytes(c.cost.peak.bytes))
        .collect();
    let unit = Column::fit(&bytes).decimals(3);
    let launches = |c: &crate::lab::Column| c.priced(scope).launches().to_string();
    row(
        "launches =".to_owned(),
        columns.iter().map(launches).collect(),
    );
    row(format!("bytes {} =", unit.unit()), unit.cells(&bytes));
    row("  weights".to_owned(), unit.cells(&weights));
    row("  activations".to_owned(), unit.cells(&activations));
    row(
        "FLOP/B =".to_owned(),
        columns
            .iter()
            .map(|c| format!("{:.3}", c.priced(scope).intensity()))
            .collect(),
    );
    row(format!("peak act. {} =", unit.unit()), unit.cells(&peaks));
    let floors: Vec<Quantity> = columns
        .iter()
        .map(|c| Quantity::seconds(c.floor_seconds))
        .collect();
    let time_unit = Column::with_unit(&floors, Unit::parse("us").unwrap_or(Unit::NONE)).decimals(2);
    row("floor µs =".to_owned(), time_unit.cells(&floors));
    if columns.iter().any(|c| c.report.is_some()) {
        let counted = |c: &crate::lab::Column| {
            c.report
                .as_ref()
                .map_or("·".to_owned(), |r| r.launches.counted.to_string())
        };
        row(
            "launches #, forward".to_owned(),
            columns.iter().map(counted).collect(),
        );
        let time = |c: &crate::lab::Column| {
            c.report
                .as_ref()
                .and_then(|r| r.time_us.as_ref())
                .map_or("·".to_owned(), |t| format!("{:.1}", t.median))
        };
        row(
            "time µs @, forward".to_owned(),
            columns.iter().map(time).collect(),
        );
        let spread = |c: &crate::lab::Column| {
            c.report
                .as_ref()
                .and_then(|r| r.time_us.as_ref())
                .map_or(String::new(), |t| format!("{:.1}–{:.1}", t.min, t.max))
        };
        row(
            "  least–most".to_owned(),
            columns.iter().map(spread).collect(),
        );
        let check = |c: &crate::lab::Column| {
            c.report
                .as_ref()
                .and_then(|r| r.check.as_ref())
                .map_or("none", |k| if k.pass { "pass" } else { "failed" })
                .to_owned()
        };
        row("check".to_owned(), columns.iter().map(check).collect());
    }
    for line in table.lines(ascii) {
        out.line(plain_ascii(
            &line.replace('–', if ascii { "-" } else { "–" }),
            ascii,
        ));
    }
    out.gap();
    for line in closing(comparison) {
        out.line(line);
    }
}

/// What was saved, and how it was measured.
fn closing(comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    let (first, last) = match comparison.columns.as_slice() {
        [first, .., last] => (first, last),
        _ => return lines,
    };
    let percent =
        |share: Option<f64>| share.map_or("–".to_owned(), |s| format!("{:.2} %", s * 100.0));
    lines.push(format!(
        "{} to {}: {} fewer launches; {} fewer bytes.",
        first.title,
        last.title,
        percent(comparison.saved(Priced::launches)),
        percent(comparison.saved(Priced::bytes))
    ));
    let time = |c: &crate::lab::Column| Some(c.report.as_ref()?.time_us.as_ref()?.median);
    if let (Some(a), Some(b)) = (time(first), time(last)) {
        lines.push(format!(
            "{} takes {:.3} times the time of {} @.",
            first.title,
            a / b,
            last.title
        ));
    }
    if let Some(report) = &first.report {
        lines.push(format!(
            "Measured on {}: {}.",
            report.backend, report.device
        ));
        if let Some(t) = &report.time_us {
            lines.push(format!("{} runs each, {}.", t.runs, t.how));
        }
    }
    lines
}

fn spoken(comparison: &Comparison, gpu: &Gpu, out: &mut Out) {
    out.line(format!(
        "Compare, {}. Roof: {}, data sheet.",
        title(comparison),
        gpu.name
    ));
    for c in &comparison.columns {
        let p = c.priced(comparison.scope);
        let time = match c.report.as_ref().and_then(|r| r.time_us.as_ref()) {
            Some(t) => format!("time {:.1} us measured, median of {}", t.median, t.runs),
            None => "time not run".to_owned(),
        };
        out.line(format!(
            "{}: {} launches; {} modelled, {} of them weights; {:.3} FLOP/B; floor {:.2} us modelled; {time}.",
            c.title,
            p.launches(),
            format(&Quantity::bytes(p.bytes())),
            format(&Quantity::bytes(p.weight_bytes)),
            p.intensity(),
            c.floor_seconds * 1e6,
        ));
    }
    for line in closing(comparison) {
        out.line(line);
    }
}
