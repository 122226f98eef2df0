//! `compare`: plans side by side, priced, and with `--run` measured.

mod merit;
mod shown;
mod staircase;
mod twice;

use std::io::IsTerminal;

use super::args::{OutputArgs, SetupArgs, places};
use super::counters::{self, CountOptions};
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::out::Out;
use super::run::{RunOptions, idle, not_run, request, verdict};
use super::{Outcome, kept};
use backend::engine::Engine;
use clap::Args;
use course::Places;
use host::carry_out;
use host::learned::Learned;
use plan::cost::GpuDatabase;
use plan::fusion::Cut;
use plan::run::{BackendKind, Report, Request};
use shown::{Shown, side_by_side, spoken};
use study::lab::{Comparison, Scope};
use study::timing::Rounds;

/// Plans side by side: modelled, and measured with --run.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// Plans: v1, v2+rope, 'norm1|q k v|…' …
    #[arg(value_name = "PLAN", default_values = ["v1", "v2", "v3", "v4"], conflicts_with = "staircase")]
    plans: Vec<String>,
    /// In place of plans: from V1, one fusion more at each step, up to one kernel per block
    #[arg(long, help_heading = "Plan")]
    staircase: bool,
    /// The fusions of the staircase in their order: rope,qkv,flash …
    #[arg(
        long,
        value_name = "LIST",
        requires = "staircase",
        help_heading = "Plan"
    )]
    order: Option<String>,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    bytes: CountOptions,
    /// Run each plan; without it only the model speaks
    #[arg(long = "run", help_heading = "Run")]
    measure: bool,
    /// Run each plan as a stream of launches and as a graph of them, in turns
    #[arg(
        long,
        requires = "measure",
        conflicts_with_all = ["graph", "staircase"],
        help_heading = "Run"
    )]
    both: bool,
    /// Sum over one block in place of the forward
    #[arg(long, help_heading = "Plan")]
    block: bool,
}

pub(super) fn compare(output: &OutputArgs, args: &CompareArgs, out: &mut Out) -> Outcome {
    args.run.only_with(args.measure)?;
    let counted = [
        ("--count-bytes", args.bytes.count_bytes),
        ("--counters", args.bytes.counters),
    ];
    if let Some((option, _)) = counted.iter().find(|(_, given)| *given && !args.measure) {
        return Err(not_run(option));
    }
    let cuts = args
        .plans
        .iter()
        .map(|p| Cut::parse(p))
        .collect::<Result<Vec<_>, _>>()?;
    let times = if args.both { 2 } else { 1 };
    let cuts: Vec<Cut> = cuts
        .into_iter()
        .flat_map(|cut| std::iter::repeat_n(cut, times))
        .collect();
    let places = places(output);
    let learned = Learned::of(&places);
    let database = GpuDatabase::embedded()?;
    let gpu = database.get(places.device())?;
    let base = request(&args.setup, &args.run, Cut::v1(), &learned)?;
    let base = Request {
        count_bytes: args.bytes.count_bytes,
        behind: Some(gpu.last_cache_bytes()),
        // What counts has no clock for its kernels.
        trace: base.backend != BackendKind::Simt,
        ..base
    };
    let scope = if args.block {
        Scope::Block
    } else {
        Scope::Forward
    };
    let asked = Asked {
        output,
        args,
        places: &places,
        learned: &learned,
        base: &base,
    };
    if args.staircase {
        return staircase::staircase(&asked, gpu, scope, out);
    }
    let mut comparison = Comparison::new(&base.config, &cuts, gpu, scope)?;
    let mut code = 0;
    if args.measure {
        code = asked.measure(&mut comparison)?;
    }
    let columns = &comparison.columns;
    let measured = merit::measured_roof(&places, columns);
    let merits = merit::of(measured.as_ref(), &database, columns);
    let ran = columns.iter().find_map(|c| c.report.as_ref());
    let idle = ran.map_or_else(Vec::new, |report| idle(&base, &report.backend));
    let shown = Shown {
        comparison,
        merits,
        gpu,
        idle,
    };
    if output.json {
        out.json(&shown.documents());
    } else if output.plain {
        spoken(&shown, out);
    } else {
        side_by_side(&shown, out);
    }
    Ok(code)
}

/// What was asked for, and where what comes of it is kept.
struct Asked<'a> {
    output: &'a OutputArgs,
    args: &'a CompareArgs,
    places: &'a Places,
    learned: &'a Learned,
    base: &'a Request,
}

impl Asked<'_> {
    /// Runs the plans in turns; the exit code.
    fn measure(&self, comparison: &mut Comparison) -> Result<u8, Failure> {
        let watch = Interrupt::watch(!self.output.json && std::io::stderr().is_terminal());
        let requests = comparison.columns.iter().map(|column| Request {
            config: column.cost.config.clone(),
            ..self.base.clone()
        });
        let mut requests: Vec<Request> = requests.collect();
        if self.args.both {
            requests = twice::requests(requests);
        }
        let mut rounds = Rounds::new(requests.clone(), self.base.seed).all_or_none();
        carry_out(&mut Engine::default(), &mut rounds, None, &watch)?;
        comparison.measured(rounds.clone())?;
        if self.args.both {
            twice::judged(comparison);
        }
        let mut code = 0;
        for (column, request) in comparison.columns.iter_mut().zip(&requests) {
            let Some(report) = &mut column.report else {
                continue;
            };
            if self.args.bytes.counters {
                counters::fill(report, request, &watch);
            }
            self.learned.ran(&request.config, report);
            code = code.max(verdict(report));
        }
        let reports = comparison.columns.iter().map(|c| c.report.as_ref());
        let reports: Vec<Option<&Report>> = reports.collect();
        kept::keep(self.places, &requests, &rounds, &reports);
        Ok(code)
    }
}

#[cfg(test)]
mod tests;
