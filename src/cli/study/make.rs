//! What each study takes on the command line, and the value that it makes.

use clap::Args;

use super::Common;
use crate::cli::args::{PlanArgs, SetupArgs, whole};
use crate::cli::failure::Failure;
use crate::cli::run::{RunOptions, request};
use course::Figures;
use host::machine::chosen;
use plan::cost::{Config, Gpu, GpuDatabase, Roof, occupancy};
use plan::fusion::{Cut, Fusion, Version};
use plan::model::Dtype;
use plan::run::{BackendKind, MemoryRequest, MicroRequest, Request};
use plan::units::{Dimension, Quantity, format};
use study::studies::ablate::{self, Ablate, Sets};
use study::studies::batch::BatchSize;
use study::studies::hierarchy::Hierarchy;
use study::studies::occupancy::{COPY, Residents};
use study::studies::planner::{Auto, Has, Toll};
use study::studies::roofline::Roofline;
use study::studies::scale::{Over, Scale};
use study::studies::sick::{NAMES, Recorded, Sick};
use study::studies::timeline::Timeline;
use study::studies::validate::Validate;

/// Fusions whose sets are all made where they are run and none are named.
const RUN: [Fusion; 4] = [
    Fusion::Qkv,
    Fusion::Flash,
    Fusion::Swiglu,
    Fusion::NormResidual,
];

/// Fusions on and off.
#[derive(Debug, Args)]
pub(in crate::cli) struct AblateArgs {
    /// Fusions that go on and off, comma-separated; all below one kernel per
    /// block, or with --run: qkv, flash, swiglu, norm_residual
    #[arg(long, value_name = "LIST", help_heading = "Study")]
    fusions: Option<String>,
    /// Each alone, and all but each, in place of all sets
    #[arg(long, help_heading = "Study")]
    one: bool,
    /// Run each plan; without it only the model speaks
    #[arg(long = "run", help_heading = "Run")]
    measure: bool,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    pub(super) common: Common,
}

impl AblateArgs {
    pub(super) fn study(&self) -> Result<Ablate, Failure> {
        let run = request(&self.setup, &self.run, Cut::v1())?;
        let mut fusions = match (&self.fusions, self.measure && !self.one) {
            (Some(list), _) => Fusion::parse_list(list)?,
            (None, true) => RUN.to_vec(),
            (None, false) => ablate::usual(),
        };
        fusions.dedup();
        if fusions.is_empty() || fusions.len() > ablate::MOST {
            return Err(Failure::usage(format!(
                "--fusions takes 1 to {} names; {} were given",
                ablate::MOST,
                fusions.len()
            )));
        }
        Ok(Ablate {
            config: run.config.clone(),
            fusions,
            sets: match self.one {
                true => Sets::OneAtATime,
                false => Sets::All,
            },
            run: self.measure.then_some(run),
        })
    }
}

/// The planner.
#[derive(Debug, Args)]
pub(in crate::cli) struct AutoArgs {
    /// Whose roof, launches and waits
    #[arg(
        long,
        value_name = "GPU",
        default_value = "h200",
        help_heading = "Study"
    )]
    gpu: String,
    /// Whose kernels: cuda takes those of the table, cpu any run of neighbours
    #[arg(
        long,
        value_name = "BACKEND",
        default_value = "cuda",
        help_heading = "Study"
    )]
    backend: String,
    /// Microseconds of a launch; what was recorded on an H200 where nothing is said
    #[arg(
        long,
        value_name = "US",
        allow_negative_numbers = true,
        help_heading = "Study"
    )]
    launch: Option<f64>,
    /// Microseconds that the whole grid waits between two phases of a kernel
    #[arg(
        long,
        value_name = "US",
        allow_negative_numbers = true,
        help_heading = "Study"
    )]
    barrier: Option<f64>,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    pub(super) common: Common,
}

impl AutoArgs {
    pub(super) fn study(&self) -> Result<Auto, Failure> {
        let seconds = |given: Option<f64>, what: &str| match given {
            Some(us) if us.is_finite() && us >= 0.0 => Ok(Some(us * 1e-6)),
            Some(us) => Err(Failure::usage(format!(
                "--{what} takes microseconds from 0 on, not {us}"
            ))),
            None => Ok(None),
        };
        let config = self.setup.config(Cut::v1())?;
        let mut auto = planner(config, &self.gpu, BackendKind::parse(&self.backend)?)?;
        if let Some(launch) = seconds(self.launch, "launch")? {
            auto.toll.launch = launch;
        }
        if let Some(barrier) = seconds(self.barrier, "barrier")? {
            auto.toll.barrier = barrier;
        }
        Ok(auto)
    }
}

/// The planner under a GPU's roof, with the launches and waits that were recorded on an
/// H200, and with the kernels of a backend.
fn planner(config: Config, gpu: &str, backend: BackendKind) -> Result<Auto, Failure> {
    let database = GpuDatabase::embedded()?;
    let gpu = database.get(gpu)?;
    let recorded = |id: &str| {
        let found = Figures::built_in().get(id).map(|f| f.value.value());
        found.ok_or_else(|| Failure::content(format!("nothing is recorded as {id}")))
    };
    Ok(Auto {
        toll: Toll {
            launch: recorded("h200_launch")?,
            barrier: recorded("h200_barrier")?,
            plain: Roof::of(gpu, config.dtype, false)?,
            product: Roof::of(gpu, config.dtype, true)?,
        },
        device: gpu.name.clone(),
        has: match backend {
            BackendKind::Cpu => Has::All,
            _ => Has::Table,
        },
        config,
    })
}

/// The plan of `--fuse auto`.
pub(in crate::cli) fn auto(
    config: &Config,
    gpu: &str,
    backend: BackendKind,
) -> Result<Cut, Failure> {
    let planned = planner(config.clone(), gpu, backend)?;
    planned.cut().map_err(Failure::usage)
}

/// One size over several values.
#[derive(Debug, Args)]
pub(in crate::cli) struct ScaleArgs {
    /// What varies: seq, batch, context, layers or width
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "seq",
        help_heading = "Study"
    )]
    over: String,
    /// Its values, such as 16,32,64; each size has usual ones
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = whole::<u64>, help_heading = "Study")]
    at: Vec<u64>,
    /// Run each size; without it only the model speaks
    #[arg(long = "run", help_heading = "Run")]
    measure: bool,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    pub(super) common: Common,
}

impl ScaleArgs {
    pub(super) fn study(&self) -> Result<Scale, Failure> {
        let over = Over::parse(&self.over).map_err(Failure::usage)?;
        let run = request(&self.setup, &self.run, self.plan.cut()?)?;
        if run.tokens.is_some() {
            return Err(Failure::usage(
                "--tokens has one size, and study scale varies it; leave it out",
            ));
        }
        let config = run.config.clone();
        let run: Option<Request> = self.measure.then_some(run);
        Scale::new(config, over, &self.at, run).map_err(Failure::usage)
    }
}

/// Batches that fit.
#[derive(Debug, Args)]
pub(in crate::cli) struct BatchArgs {
    /// What may be held: a share of the GPU's memory, or bytes: 80%, 16GB
    #[arg(
        long,
        value_name = "SHARE|BYTES",
        default_value = "80%",
        help_heading = "Study"
    )]
    memory: String,
    /// What a forward may take: 10ms
    #[arg(long, value_name = "TIME", help_heading = "Study")]
    latency: Option<String>,
    /// Whose memory and roof
    #[arg(
        long,
        value_name = "GPU",
        default_value = "h200",
        help_heading = "Study"
    )]
    gpu: String,
    /// Run the first eight batches; without it only the model speaks
    #[arg(long = "run", help_heading = "Run")]
    measure: bool,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    pub(super) common: Common,
}

impl BatchArgs {
    pub(super) fn study(&self) -> Result<BatchSize, Failure> {
        let run = request(&self.setup, &self.run, self.plan.cut()?)?;
        if run.tokens.is_some() {
            return Err(Failure::usage(
                "--tokens has one batch, and study batch-size varies it; leave it out",
            ));
        }
        let database = GpuDatabase::embedded()?;
        let gpu = database.get(&self.gpu)?;
        let (memory, memory_said) = self.memory_of(gpu)?;
        let latency = self.latency.as_deref().map(|text| {
            positive(text, Dimension::Time).ok_or_else(|| {
                Failure::usage(format!("--latency takes a time such as 10ms, not “{text}”"))
            })
        });
        Ok(BatchSize {
            config: run.config.clone(),
            gpu: gpu.clone(),
            memory,
            memory_said,
            latency: latency.transpose()?,
            run: self.measure.then_some(run),
        })
    }

    /// The limit in bytes, and what it is in words.
    fn memory_of(&self, gpu: &Gpu) -> Result<(u64, String), Failure> {
        let text = self.memory.trim();
        let refused = || {
            Failure::usage(format!(
                "--memory takes a share such as 80% or bytes such as 16GB, not “{text}”"
            ))
        };
        if let Some(share) = text.strip_suffix('%') {
            let share: f64 = share.trim().parse().map_err(|_| refused())?;
            if !(f64::MIN_POSITIVE..=100.0).contains(&share) {
                return Err(refused());
            }
            let bytes = share / 100.0 * gpu.memory_gb * 1e9;
            let said = format!("{share} % of the {} GB of {}", gpu.memory_gb, gpu.name);
            return Ok((bytes as u64, said));
        }
        let bytes = positive(text, Dimension::Bytes).ok_or_else(refused)?;
        Ok((bytes as u64, format(&Quantity::bytes(bytes as u64))))
    }
}

/// A quantity above nothing in the base unit of its dimension.
fn positive(text: &str, dimension: Dimension) -> Option<f64> {
    let typed = plan::units::read(text, Some(dimension)).ok()?;
    let value = typed.quantity.value();
    (typed.quantity.dimension() == dimension && value.is_finite() && value > 0.0).then_some(value)
}

/// Plans and element types against fp64.
#[derive(Debug, Args)]
pub(in crate::cli) struct ValidateArgs {
    /// Plans: v1, v2+rope, 'norm1|q k v|…' …
    #[arg(value_name = "PLAN", default_values = ["v1", "v2", "v3", "v4"])]
    plans: Vec<String>,
    /// Element types, comma-separated
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values = ["fp32", "bf16"], help_heading = "Study")]
    dtypes: Vec<String>,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    pub(super) common: Common,
}

impl ValidateArgs {
    pub(super) fn study(&self) -> Result<Validate, Failure> {
        let run = request(&self.setup, &self.run, Version::V1.cut())?;
        let cuts = self.plans.iter().map(|p| Cut::parse(p));
        let dtypes = self.dtypes.iter().map(|d| Dtype::parse(d));
        Ok(Validate {
            config: run.config.clone(),
            cuts: cuts.collect::<Result<_, _>>()?,
            dtypes: dtypes.collect::<Result<_, _>>()?,
            run,
        })
    }
}

/// Memory over the working set.
#[derive(Debug, Args)]
pub(in crate::cli) struct HierarchyArgs {
    /// Whose memory: cpu, cuda, hip; auto takes the GPU where there is one
    #[arg(
        long,
        value_name = "BACKEND",
        default_value = "auto",
        help_heading = "Study"
    )]
    backend: String,
    /// The smallest working set, in bytes: 4KiB
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "4KiB",
        help_heading = "Study"
    )]
    from: String,
    /// The largest
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "128MiB",
        help_heading = "Study"
    )]
    to: String,
    #[command(flatten)]
    pub(super) common: Common,
}

impl HierarchyArgs {
    pub(super) fn study(&self) -> Result<Hierarchy, Failure> {
        let backend = BackendKind::parse(&self.backend)?;
        let bytes = |option: &str, text: &str| {
            let bytes = positive(text, Dimension::Bytes).map(|bytes| bytes as u64);
            bytes.ok_or_else(|| {
                Failure::usage(format!(
                    "--{option} takes bytes such as 64KiB, not “{text}”"
                ))
            })
        };
        let (from, to) = (bytes("from", &self.from)?, bytes("to", &self.to)?);
        Ok(Hierarchy {
            request: MemoryRequest::new(backend, from, to)?,
        })
    }
}

/// Kernels under their roofs.
#[derive(Debug, Args)]
pub(in crate::cli) struct RooflineArgs {
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    pub(super) common: Common,
}

impl RooflineArgs {
    pub(super) fn study(&self) -> Result<Roofline, Failure> {
        Ok(Roofline {
            run: request(&self.setup, &self.run, self.plan.cut()?)?,
        })
    }
}

/// Kernels on an axis.
#[derive(Debug, Args)]
pub(in crate::cli) struct TimelineArgs {
    /// Where the axis begins: microseconds, on the SIMT machine instructions
    #[arg(
        long,
        value_name = "AT",
        allow_negative_numbers = true,
        help_heading = "Study"
    )]
    from: Option<f64>,
    /// Where it ends
    #[arg(
        long,
        value_name = "AT",
        allow_negative_numbers = true,
        help_heading = "Study"
    )]
    to: Option<f64>,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    pub(super) common: Common,
}

impl TimelineArgs {
    pub(super) fn study(&self) -> Result<Timeline, Failure> {
        if let (Some(from), Some(to)) = (self.from, self.to)
            && (from.is_nan() || to.is_nan() || from >= to)
        {
            return Err(Failure::usage(format!(
                "--from {from} --to {to}: --from lies before --to"
            )));
        }
        Ok(Timeline {
            run: request(&self.setup, &self.run, self.plan.cut()?)?,
            from: self.from,
            to: self.to,
        })
    }
}

/// How many blocks fit.
#[derive(Debug, Args)]
pub(in crate::cli) struct OccupancyArgs {
    /// Whose limits
    #[arg(
        long,
        value_name = "GPU",
        default_value = "h200",
        help_heading = "Study"
    )]
    gpu: String,
    /// Registers of a thread
    #[arg(long, value_name = "N", default_value = "64", value_parser = whole::<u64>, help_heading = "Study")]
    registers: u64,
    /// Threads of a block
    #[arg(long, value_name = "N", default_value = "256", value_parser = whole::<u64>, help_heading = "Study")]
    threads: u64,
    /// Shared memory of a block: 48KiB
    #[arg(long, value_name = "BYTES", help_heading = "Study")]
    shared: Option<String>,
    /// Who runs the copy: simt counts, cuda and hip time; auto takes the GPU where
    /// there is one
    #[arg(
        long,
        value_name = "BACKEND",
        default_value = "auto",
        help_heading = "Study"
    )]
    backend: String,
    #[command(flatten)]
    pub(super) common: Common,
}

/// Who runs the gym's kernels: the GPU where there is one, else the SIMT machine.
fn gym(backend: &str) -> Result<BackendKind, Failure> {
    Ok(match BackendKind::parse(backend)? {
        BackendKind::Auto => match chosen(BackendKind::Auto) {
            gpu if gpu.is_gpu() => gpu,
            _ => BackendKind::Simt,
        },
        named => named,
    })
}

impl OccupancyArgs {
    pub(super) fn study(&self) -> Result<Residents, Failure> {
        let database = GpuDatabase::embedded()?;
        let shared = match &self.shared {
            None => 0,
            Some(text) if text.trim() == "0" => 0,
            Some(text) => positive(text, Dimension::Bytes).ok_or_else(|| {
                Failure::usage(format!("--shared takes bytes such as 48KiB, not “{text}”"))
            })? as u64,
        };
        let gpu = database.get(&self.gpu)?.clone();
        // What cannot be launched is refused before anything runs.
        occupancy(&gpu, self.registers, self.threads, shared)?;
        Ok(Residents {
            gpu,
            registers: self.registers,
            threads: self.threads,
            shared,
            copy: MicroRequest::new(COPY, &[], gym(&self.backend)?)?,
        })
    }
}

/// Eight sick runs.
#[derive(Debug, Args)]
pub(in crate::cli) struct SickArgs {
    /// One of them: uncoalesced, bank-conflict, spill, low-occupancy, launches,
    /// copies, clock, nan
    #[arg(value_name = "TROUBLE")]
    only: Option<String>,
    /// Who runs them: simt counts, cuda and hip time as well; auto takes the GPU where
    /// there is one
    #[arg(
        long,
        value_name = "BACKEND",
        default_value = "auto",
        help_heading = "Study"
    )]
    backend: String,
    /// Whose limits and floors
    #[arg(
        long,
        value_name = "GPU",
        default_value = "h200",
        help_heading = "Study"
    )]
    gpu: String,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    pub(super) common: Common,
}

impl SickArgs {
    pub(super) fn study(&self) -> Result<Sick, Failure> {
        if let Some(name) = &self.only
            && !NAMES.contains(&name.as_str())
        {
            return Err(Failure::usage(format!(
                "there is no trouble “{name}”; there are {}",
                NAMES.join(", ")
            )));
        }
        let backend = gym(&self.backend)?;
        // Says why where a backend has no gym.
        MicroRequest::new("stride", &[], backend)?;
        let recorded = |id: &str| Figures::built_in().get(id).map(|f| f.value.value());
        let pair = |sick: &str, healthy: &str| recorded(sick).zip(recorded(healthy));
        Ok(Sick {
            backend,
            gpu: GpuDatabase::embedded()?.get(&self.gpu)?.clone(),
            config: self.setup.config(Cut::v1())?,
            recorded: Recorded {
                launch: recorded("h200_launch"),
                copies: pair("h200_copies_each", "h200_copies_once"),
                clock: pair("h200_clock_loaded", "h200_clock_rested"),
            },
            only: self.only.clone(),
        })
    }
}
