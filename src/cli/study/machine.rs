//! What the studies of this machine take: `precision`, `predict`, `tune`.

use clap::Args;

use super::Common;
use crate::cli::args::whole;
use crate::cli::failure::Failure;
use crate::cli::run::{RunOfPlan, RunOfSetup};
use backend::device;
use backend::engine::expected;
use host::learned::Learned;
use plan::cost::GpuDatabase;
use plan::fusion::{Cut, Version};
use plan::run::{BackendKind, knobs};
use study::calibration::Extent;
use study::search::Space;
use study::studies::precision::Precision;
use study::studies::predict::Predict;
use study::studies::tune::{self, Tune};

/// Element types beside one another.
#[derive(Debug, Args)]
pub(in crate::cli) struct PrecisionArgs {
    /// Run each type that the backend has; without it only the model speaks
    #[arg(long = "run", help_heading = "Run")]
    measure: bool,
    #[command(flatten)]
    run: RunOfPlan,
    #[command(flatten)]
    pub(super) common: Common,
}

impl PrecisionArgs {
    pub(super) fn study(&self, device: &str, learned: &Learned) -> Result<Precision, Failure> {
        if let Some(dtype) = &self.run.of.setup.dtype {
            return Err(Failure::usage(format!(
                "study precision varies the element type; leave --dtype {dtype} out"
            )));
        }
        self.run.of.options.only_with(self.measure)?;
        let run = self.run.request(learned)?;
        let database = GpuDatabase::embedded()?;
        Ok(Precision {
            config: run.config.clone(),
            gpu: database.get(device)?.clone(),
            run: self.measure.then_some(run),
        })
    }
}

/// Times before they are measured.
#[derive(Debug, Args)]
pub(in crate::cli) struct PredictArgs {
    /// Plans: v1, v2+rope, 'norm1|q k v|…' …
    #[arg(value_name = "PLAN", default_values = ["v1", "v2", "v3", "v4", "five"])]
    plans: Vec<String>,
    /// Calibrate this machine again
    #[arg(long, help_heading = "Study")]
    calibrate: bool,
    /// Forwards of other sizes that are predicted and run, to see how far off it is
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true, default_value_t = 0, hide_default_value = true, help_heading = "Study")]
    held_out: u32,
    /// Run the plans as well, and compare
    #[arg(long = "run", help_heading = "Run")]
    measure: bool,
    #[command(flatten)]
    run: RunOfSetup,
    #[command(flatten)]
    pub(super) common: Common,
}

/// Most forwards of other sizes.
const HELD_OUT: u32 = 60;

impl PredictArgs {
    pub(super) fn study(&self, learned: &Learned) -> Result<Predict, Failure> {
        let run = self.run.request(Version::V1.cut(), learned)?;
        if self.held_out > HELD_OUT {
            return Err(Failure::usage(format!(
                "--held-out takes up to {HELD_OUT} forwards, not {}",
                self.held_out
            )));
        }
        if run.backend == BackendKind::Simt {
            return Err(Failure::usage(
                "the SIMT machine has no clock, so no time of it can be predicted; use --backend cpu, cuda or hip",
            ));
        }
        if run.runs == 0 {
            return Err(Failure::usage(
                "--runs takes 1 or more here: a time is predicted from times",
            ));
        }
        let cuts = self.plans.iter().map(|p| Cut::parse(p));
        let known = learned.calibration(run.backend, run.config.dtype);
        let extent = match expected(run.backend).is_gpu() {
            true => Extent::Large,
            false => Extent::Small,
        };
        Ok(Predict {
            config: run.config.clone(),
            cuts: cuts.collect::<Result<_, _>>()?,
            measure: self.measure,
            known: known.filter(|_| !self.calibrate),
            extent,
            held_out: self.held_out as usize,
            past: learned.predictions(run.backend),
            run,
        })
    }
}

/// Settings of a kernel.
#[derive(Debug, Args)]
pub(in crate::cli) struct TuneArgs {
    /// tiles on a CPU; gemm, gemm_residual, qkv or gate_up on a GPU
    #[arg(value_name = "KERNEL")]
    kernel: Option<String>,
    /// Settings that are timed: all where there are fewer
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true, default_value_t = tune::POINTS as u32, help_heading = "Study")]
    points: u32,
    #[command(flatten)]
    run: RunOfPlan,
    #[command(flatten)]
    pub(super) common: Common,
}

/// Most settings that are timed.
const POINTS: u32 = 1000;
/// Fewer runs give too few rounds to choose on and to confirm on.
const RUNS: u32 = 36;

impl TuneArgs {
    pub(super) fn study(&self, sheet: &str, learned: &Learned) -> Result<Tune, Failure> {
        let cut = match self.run.plan.is_given() {
            true => self.run.plan.cut()?,
            false => Version::V3.cut(),
        };
        let mut run = self.run.of.request(cut, learned)?;
        run.runs = run.runs.max(RUNS);
        // Settings that a device refuses are not tried on another.
        let backend = expected(run.backend);
        run.backend = backend;
        let gpu = backend.is_gpu();
        let usual = if gpu { "gemm" } else { "tiles" };
        let kernel = self.kernel.as_deref().unwrap_or(usual);
        let space = Space::all(knobs(kernel, backend, &run.config)?);
        if !(2..=POINTS).contains(&self.points) {
            return Err(Failure::usage(format!(
                "--points takes 2 to {POINTS} settings, not {}",
                self.points
            )));
        }
        let database = GpuDatabase::embedded()?;
        let sheet = database.get(sheet)?;
        Ok(Tune {
            kernel: kernel.to_owned(),
            space: Tune::sample(space, self.points as usize),
            config: run.config.clone(),
            gpu: gpu.then(|| sheet.clone()),
            threads: run.threads.unwrap_or_else(device::threads) as u64,
            run,
        })
    }
}
