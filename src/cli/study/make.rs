//! What each study takes on the command line, and the value that it makes.

use std::path::PathBuf;

use clap::Args;

use super::Common;
use crate::cli::args::{SetupArgs, whole};
use crate::cli::failure::Failure;
use crate::cli::run::{RunOfPlan, RunOfSetup, RunOptions, request};
use host::learned::Learned;
use plan::cost::{Gpu, GpuDatabase};
use plan::fusion::{Cut, Fusion, Version};
use plan::model::{Dtype, Model};
use plan::run::{Request, WeightsFrom};
use plan::units::{Dimension, Quantity, format};
use study::studies::ablate::{self, Ablate, Sets};
use study::studies::batch::BatchSize;
use study::studies::bench::Bench;
use study::studies::regress::Regress;
use study::studies::scale::{Over, Scale};
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
    run: RunOfSetup,
    #[command(flatten)]
    pub(super) common: Common,
}

impl AblateArgs {
    pub(super) fn study(&self, learned: &Learned) -> Result<Ablate, Failure> {
        self.run.options.only_with(self.measure)?;
        let run = self.run.request(Cut::v1(), learned)?;
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

/// One size over several values.
#[derive(Debug, Args)]
pub(in crate::cli) struct ScaleArgs {
    /// What varies: seq, batch, context, layers, width or preset
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "seq",
        help_heading = "Study"
    )]
    over: String,
    /// Its values, such as 16,32,64, or workshop,small; each size has usual ones
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Study"
    )]
    at: Vec<String>,
    /// Run each size; without it only the model speaks
    #[arg(long = "run", help_heading = "Run")]
    measure: bool,
    #[command(flatten)]
    run: RunOfPlan,
    #[command(flatten)]
    pub(super) common: Common,
}

impl ScaleArgs {
    pub(super) fn study(&self, learned: &Learned) -> Result<Scale, Failure> {
        self.run.of.options.only_with(self.measure)?;
        let over = Over::parse(&self.over).map_err(Failure::usage)?;
        let run = self.run.request(learned)?;
        if run.tokens.is_some() {
            return Err(Failure::usage(
                "--tokens has one size, and study scale varies it; leave it out",
            ));
        }
        let config = run.config.clone();
        let run: Option<Request> = self.measure.then_some(run);
        let at = self.at.iter().map(|text| over.value(text));
        let at = at
            .collect::<Result<Vec<u64>, _>>()
            .map_err(Failure::usage)?;
        Scale::new(config, over, &at, run).map_err(Failure::usage)
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
    /// Run the first eight batches; without it only the model speaks
    #[arg(long = "run", help_heading = "Run")]
    measure: bool,
    #[command(flatten)]
    run: RunOfPlan,
    #[command(flatten)]
    pub(super) common: Common,
}

impl BatchArgs {
    pub(super) fn study(&self, device: &str, learned: &Learned) -> Result<BatchSize, Failure> {
        self.run.of.options.only_with(self.measure)?;
        let run = self.run.request(learned)?;
        if run.tokens.is_some() {
            return Err(Failure::usage(
                "--tokens has one batch, and study batch-size varies it; leave it out",
            ));
        }
        let database = GpuDatabase::embedded()?;
        let gpu = database.get(device)?;
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
pub(super) fn positive(text: &str, dimension: Dimension) -> Option<f64> {
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
    run: RunOfSetup,
    #[command(flatten)]
    pub(super) common: Common,
}

impl ValidateArgs {
    pub(super) fn study(&self, learned: &Learned) -> Result<Validate, Failure> {
        let run = self.run.request(Version::V1.cut(), learned)?;
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

/// A suite.
#[derive(Debug, Args)]
pub(in crate::cli) struct BenchArgs {
    /// Plans: v1, v2+rope, 'norm1|q k v|…' …
    #[arg(value_name = "PLAN", default_values = ["v1", "v2", "v3", "v4"])]
    plans: Vec<String>,
    /// Models, comma-separated: presets or model files
    #[arg(long, id = "model", value_name = "LIST", value_delimiter = ',', default_values = ["workshop"], help_heading = "Study")]
    models: Vec<String>,
    /// Batches, comma-separated
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = whole::<u64>, default_values = ["1", "2"], help_heading = "Study")]
    batches: Vec<u64>,
    /// New tokens per sequence, comma-separated
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = whole::<u64>, default_values = ["32", "128"], help_heading = "Study")]
    seqs: Vec<u64>,
    /// Element type: fp32 or bf16
    #[arg(
        long,
        value_name = "DTYPE",
        default_value = "fp32",
        help_heading = "Study"
    )]
    dtype: String,
    /// Write the baseline here, for regress to compare a later build with
    #[arg(long, value_name = "FILE", help_heading = "Study")]
    pub(super) save: Option<PathBuf>,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    pub(super) common: Common,
}

impl BenchArgs {
    pub(super) fn study(&self, learned: &Learned) -> Result<Bench, Failure> {
        let setup = |model: &String| SetupArgs {
            model: Some(model.clone()),
            dtype: Some(self.dtype.clone()),
            ..SetupArgs::default()
        };
        let models = self.models.iter().map(|m| Ok(setup(m).model()?.0));
        let models = models.collect::<Result<Vec<Model>, Failure>>()?;
        let first = self.models.first().cloned().unwrap_or_default();
        let run = request(&setup(&first), &self.run, Cut::v1(), learned)?;
        if run.tokens.is_some() || run.weights != WeightsFrom::Seed(run.seed) {
            return Err(Failure::usage(
                "a suite makes its weights and tokens of --seed; leave --tokens and --weights out",
            ));
        }
        let cuts = self.plans.iter().map(|p| Cut::parse(p));
        let cuts = cuts.collect::<Result<Vec<Cut>, _>>()?;
        Bench::suite(&run, &models, &self.batches, &self.seqs, &cuts).map_err(Failure::usage)
    }
}

/// This build against a baseline.
#[derive(Debug, Args)]
pub(in crate::cli) struct RegressArgs {
    /// What bench --save wrote
    #[arg(long, value_name = "FILE", help_heading = "Study")]
    baseline: PathBuf,
    /// A slowdown counts from here on: 1%
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "1%",
        help_heading = "Study"
    )]
    least: String,
    /// Compare with a baseline of another device or model all the same
    #[arg(long, help_heading = "Study")]
    anyway: bool,
    #[command(flatten)]
    pub(super) common: Common,
}

impl RegressArgs {
    pub(super) fn study(&self) -> Result<Regress, Failure> {
        let shown = self.baseline.display();
        let refused = |why: &dyn std::fmt::Display| {
            Failure::usage(format!("baseline {shown} cannot be compared with: {why}"))
        };
        let kept = host::studies::read(&self.baseline).map_err(|why| refused(&why))?;
        let share = self.least.trim().trim_end_matches('%').trim();
        let least = share
            .parse::<f64>()
            .ok()
            .filter(|p| (0.0..=100.0).contains(p));
        let least = least.ok_or_else(|| {
            Failure::usage(format!(
                "--least takes a share such as 1%, not “{}”",
                self.least
            ))
        })?;
        let backend = kept.findings.cases.first().map(|case| case.request.backend);
        let device = backend.and_then(host::machine::device);
        let build = backend::engine::build().to_owned();
        Regress::new(kept, device.as_deref(), least / 100.0, self.anyway)
            .map(|study| Regress { build, ..study })
            .map_err(|why| refused(&why))
    }
}
