//! `run`: a plan on a backend, checked, counted and timed.

mod told;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;

use super::args::{OutputArgs, PlanArgs, SetupArgs, places, whole};
use super::counters::{self, CountOptions};
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::out::Out;
use super::study::auto;
use super::{Outcome, kept, profile, written};
use backend::engine::{Engine, Here, serve_standard_streams};
use backend::{model_of_folder, tokens_of_file};
use files::plain;
use host::carry_out;
use host::learned::Learned;
use plan::cost::{GpuDatabase, price};
use plan::fusion::Cut;
use plan::run::{BackendKind, Gemm, Report, Request, RunError, WeightsFrom};
use study::timing::Rounds;
use told::tell;

/// How a run is made.
#[derive(Debug, Args)]
pub(super) struct RunOptions {
    /// auto (cuda where it is usable, hip where its self-test passed, else cpu), cpu, simt,
    /// cuda or hip
    #[arg(
        long,
        value_name = "BACKEND",
        default_value = "auto",
        help_heading = "Run"
    )]
    backend: String,
    /// Seed of weights and tokens
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true, default_value_t = 1, help_heading = "Run")]
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
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true, default_value_t = RUNS, help_heading = "Run")]
    runs: u32,
    /// Milliseconds of rest before each timed run: a GPU under load lowers its clock
    #[arg(long, value_name = "MS", value_parser = whole::<u32>, allow_negative_numbers = true, default_value_t = 0, hide_default_value = true, help_heading = "Run")]
    pause: u32,
    /// Threads of the CPU backend; all cores where nothing is said
    #[arg(long, value_name = "N", value_parser = some_threads, help_heading = "Run")]
    threads: Option<u16>,
    /// Do not compare the tensors with the fp64 reference
    #[arg(long, help_heading = "Run")]
    no_check: bool,
    /// Who computes the matrix products on a GPU: own or library
    #[arg(
        long,
        value_name = "own|library",
        default_value = "own",
        hide_default_value = true,
        help_heading = "Run"
    )]
    gemm: String,
    /// Replay a graph of the launches where a GPU times them
    #[arg(long, help_heading = "Run")]
    graph: bool,
    /// Do not look for races and reads of unwritten memory: the SIMT machine is
    /// about three times as fast then
    #[arg(long, help_heading = "Run")]
    no_races: bool,
    /// Leave out the settings that study tune found
    #[arg(long, help_heading = "Run")]
    untuned: bool,
}

/// A number of threads: at least one.
fn some_threads(typed: &str) -> Result<u16, String> {
    match whole::<u16>(typed)? {
        0 => Err("no thread computes nothing; take 1 or more".to_owned()),
        threads => Ok(threads),
    }
}

impl RunOptions {
    /// Refuses what says how a plan is run where none is: without --run.
    pub(super) fn only_with(&self, measure: bool) -> Result<(), Failure> {
        let given = [
            ("--backend", self.backend != "auto"),
            ("--runs", self.runs != RUNS),
            ("--pause", self.pause != 0),
            ("--threads", self.threads.is_some()),
            ("--no-check", self.no_check),
            ("--gemm", self.gemm != Gemm::Own.name()),
            ("--graph", self.graph),
            ("--no-races", self.no_races),
            ("--untuned", self.untuned),
        ];
        match given.into_iter().find(|(_, given)| *given && !measure) {
            Some((option, _)) => Err(not_run(option)),
            None => Ok(()),
        }
    }
}

/// Why an option of a run is refused where nothing is run.
pub(super) fn not_run(option: &str) -> Failure {
    Failure::usage(format!(
        "{option} says how plans are run, and without --run only the model speaks; add --run, or leave {option} out"
    ))
}

/// Timed runs where nothing is said.
const RUNS: u32 = 30;

/// A model, its shape, and how it is run.
#[derive(Debug, Args)]
pub(super) struct RunOfSetup {
    #[command(flatten)]
    pub(super) setup: SetupArgs,
    #[command(flatten)]
    pub(super) options: RunOptions,
}

impl RunOfSetup {
    pub(super) fn request(&self, cut: Cut, learned: &Learned) -> Result<Request, Failure> {
        request(&self.setup, &self.options, cut, learned)
    }
}

/// The same of a plan.
#[derive(Debug, Args)]
pub(super) struct RunOfPlan {
    #[command(flatten)]
    pub(super) plan: PlanArgs,
    #[command(flatten)]
    pub(super) of: RunOfSetup,
}

impl RunOfPlan {
    pub(super) fn request(&self, learned: &Learned) -> Result<Request, Failure> {
        self.of.request(self.plan.cut()?, learned)
    }
}

/// Run a plan: outputs checked, launches counted, then timed.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    run: RunOfPlan,
    #[command(flatten)]
    bytes: CountOptions,
    /// Write the logits here: npy, float32, batch × seq × vocab
    #[arg(long, value_name = "OUT.npy", help_heading = "Run")]
    logits: Option<PathBuf>,
    /// Do not run: print the profiler's commands for this run on a GPU
    #[arg(long, help_heading = "Run", conflicts_with = "logits")]
    profile: bool,
}

/// The request of a cut, with the settings that were found for its kernels.
pub(super) fn request(
    setup: &SetupArgs,
    run: &RunOptions,
    cut: Cut,
    learned: &Learned,
) -> Result<Request, Failure> {
    let backend = BackendKind::parse(&run.backend)?;
    let (model, weights) = match &run.weights {
        Some(folder) => (
            model_of_folder(folder)?,
            WeightsFrom::Folder(folder.clone()),
        ),
        None => (setup.model()?.0, WeightsFrom::Seed(run.seed)),
    };
    let tokens = match &run.tokens {
        Some(file) => Some(tokens_of_file(file, model.vocab)?),
        None => None,
    };
    let mut setup = setup.clone();
    if let Some(rows) = &tokens {
        // The tokens say how many sequences there are and how long.
        setup.batch.get_or_insert(rows.len() as u64);
        let length = rows.first().map_or(0, Vec::len) as u64;
        let context = *setup.context.get_or_insert(length);
        setup.seq.get_or_insert(context);
    }
    let mut config = setup.config(cut)?;
    config.model = model;
    config.shape.check(&config.model)?;
    let mut request = Request {
        backend,
        weights,
        seed: run.seed,
        tokens,
        runs: run.runs,
        pause_ms: run.pause,
        check: !run.no_check,
        threads: run.threads.map(usize::from),
        gemm: Gemm::parse(&run.gemm)?,
        graph: run.graph,
        races: !run.no_races,
        ..Request::new(config)
    };
    if !run.untuned {
        learned.serve(&mut request);
    }
    Ok(request)
}

pub(super) fn run(output: &OutputArgs, args: &RunArgs, out: &mut Out) -> Outcome {
    let places = places(output);
    let learned = Learned::of(&places);
    let plan = &args.run.plan;
    let mut request = args.run.of.request(plan.cut_or_auto()?, &learned)?;
    request.count_bytes = args.bytes.count_bytes;
    let database = GpuDatabase::embedded()?;
    let gpu = database.get(places.device())?;
    request.behind = Some(gpu.last_cache_bytes());
    let mut planned = None;
    if plan.is_auto() {
        let auto = auto(&request.config, request.backend, places.device(), &learned)?;
        request.config.cut = auto.cut().map_err(Failure::usage)?;
        planned = Some(auto.source());
    }
    // Sizes that no machine holds are refused as sizes, not as memory.
    let cost = price(&request.config)?;
    if args.profile {
        return profile::commands(request.backend, output.json, out);
    }
    if let Some(path) = &args.logits {
        writable(path)?;
    }
    let watch = Interrupt::watch(!output.json && std::io::stderr().is_terminal());
    let mut rounds = Rounds::new(vec![request.clone()], request.seed);
    carry_out(
        &mut Engine::default(),
        &mut rounds,
        args.logits.as_deref(),
        &watch,
    )?;
    let timed = rounds
        .of(0)
        .ok_or_else(|| RunError::failed("the run did not begin"))??;
    let mut report = timed.report;
    learned.ran(&request.config, &report);
    report.notes.extend(planned);
    report.notes.extend(idle(&request, &report.backend));
    if args.bytes.counters {
        counters::fill(&mut report, &request, &watch);
    }
    kept::keep(
        &places,
        std::slice::from_ref(&request),
        &rounds,
        &[Some(&report)],
    );
    drop(watch);
    if output.json {
        out.json(&report);
    } else {
        tell(&cost, &report, gpu, out);
    }
    Ok(verdict(&report))
}

/// What was asked for and does nothing on the backend that ran, a sentence each.
pub(super) fn idle(request: &Request, backend: &str) -> Vec<String> {
    let Ok(ran) = BackendKind::parse(backend) else {
        return Vec::new();
    };
    let asked = [
        (
            request.gemm != Gemm::Own && !ran.is_gpu(),
            format!("--gemm {}", request.gemm.name()),
            "a GPU's library",
        ),
        (
            request.graph && !ran.is_gpu(),
            "--graph".to_owned(),
            "launches on a GPU",
        ),
        (
            request.threads.is_some() && ran != BackendKind::Cpu,
            "--threads".to_owned(),
            "the backend cpu",
        ),
        (
            !request.races && ran != BackendKind::Simt,
            "--no-races".to_owned(),
            "the backend simt",
        ),
    ];
    let idle = asked.into_iter().filter(|(idle, _, _)| *idle);
    idle.map(|(_, option, of)| format!("{option} does nothing on {backend}: it is about {of}"))
        .collect()
}

/// The engine process: it ends when the parent closes its end.
pub(super) fn engine() -> Outcome {
    serve_standard_streams(&mut Here::all())
        .map(|()| 0)
        .map_err(|e| Failure::lacking(format!("the parent process cannot be reached: {e}")))
}

/// Refuses a file that cannot be made, before a long run is made for it.
fn writable(path: &Path) -> Result<(), Failure> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let refused =
        |why: &dyn std::fmt::Display| Failure::usage(format!("--logits {}: {why}", path.display()));
    if !folder.is_dir() {
        return Err(refused(&format!("there is no folder {}", folder.display())));
    }
    written::free(path).map_err(|failure| refused(&failure.sentence()))?;
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(e) => Err(refused(&format!(
            "{} cannot be written: {}; name a file in a folder of yours",
            folder.display(),
            plain(&e)
        ))),
    }
}

/// 1 where the outputs or the launches are wrong.
pub(super) fn verdict(report: &Report) -> u8 {
    let right = report.check.as_ref().is_none_or(|c| c.pass)
        && report.launches.matches(report.plan.launches);
    u8::from(!right)
}
