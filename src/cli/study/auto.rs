//! `study plan` and `--fuse auto`: whose prices the planner takes.

use clap::Args;

use super::Common;
use crate::cli::args::{SetupArgs, number};
use crate::cli::failure::Failure;
use backend::engine::expected;
use course::Figures;
use host::learned::Learned;
use plan::cost::{Config, GpuDatabase, Roof};
use plan::fusion::Cut;
use plan::run::BackendKind;
use study::studies::planner::{Auto, Has, Prices, Toll};

/// The planner.
#[derive(Debug, Args)]
pub(in crate::cli) struct AutoArgs {
    /// Whose kernels: cuda takes those of the table, cpu any run of neighbours. Prices
    /// are this machine's where study predict measured them for it, and a GPU is the
    /// device of the course; else those of that device's data sheet
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
        value_parser = number,
        allow_negative_numbers = true,
        help_heading = "Study"
    )]
    launch: Option<f64>,
    /// Microseconds that the whole grid waits between two phases of a kernel
    #[arg(
        long,
        value_name = "US",
        value_parser = number,
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
    pub(super) fn study(&self, device: &str, learned: &Learned) -> Result<Auto, Failure> {
        let seconds = |given: Option<f64>, what: &str| match given {
            Some(us) if us.is_finite() && us >= 0.0 => Ok(Some(us * 1e-6)),
            Some(us) => Err(Failure::usage(format!(
                "--{what} takes microseconds from 0 on, not {us}"
            ))),
            None => Ok(None),
        };
        let (launch, barrier) = (
            seconds(self.launch, "launch")?,
            seconds(self.barrier, "barrier")?,
        );
        let config = self.setup.config(Cut::v1())?;
        let backend = BackendKind::parse(&self.backend)?;
        if launch.is_none() && barrier.is_none() {
            let auto = planner(config.clone(), device, backend, Some(learned))?;
            let sheets = GpuDatabase::embedded()?;
            // Another device than the one that was calibrated is priced by its data sheet.
            if auto.has == Has::All || sheets.named_in(&auto.device) == Some(sheets.get(device)?) {
                return Ok(auto);
            }
        }
        let mut auto = planner(config, device, backend, None)?;
        if let Prices::Roof(toll) = &mut auto.prices {
            toll.launch = launch.unwrap_or(toll.launch);
            toll.barrier = barrier.unwrap_or(toll.barrier);
        }
        for (recorded, given) in auto.recorded.iter_mut().zip([launch, barrier]) {
            recorded.take_if(|_| given.is_some());
        }
        Ok(auto)
    }
}

/// The planner with the kernels of a backend: with this machine's prices where it was
/// calibrated, else under a GPU's roof with the launches and waits of an H200.
fn planner(
    config: Config,
    gpu: &str,
    backend: BackendKind,
    learned: Option<&Learned>,
) -> Result<Auto, Failure> {
    let backend = expected(backend);
    let has = match backend {
        BackendKind::Cpu => Has::All,
        _ => Has::Table,
    };
    if let Some(known) = learned.and_then(|l| l.calibration(backend, config.dtype)) {
        return Ok(Auto {
            device: known.device.clone(),
            prices: Prices::Machine(Box::new(known)),
            recorded: [None, None],
            has,
            config,
        });
    }
    let database = GpuDatabase::embedded()?;
    let gpu = database.get(gpu)?;
    let recorded = |id: &str| {
        let found = Figures::built_in().get(id);
        found.ok_or_else(|| Failure::content(format!("nothing is recorded as {id}")))
    };
    let (launch, barrier) = (recorded("h200_launch")?, recorded("h200_barrier")?);
    let toll = Toll {
        launch: launch.value.value(),
        barrier: barrier.value.value(),
        plain: Roof::of(gpu, config.dtype, false)?,
        product: Roof::of(gpu, config.dtype, true)?,
    };
    Ok(Auto {
        prices: toll.into(),
        device: gpu.name.clone(),
        recorded: [launch, barrier].map(|figure| Some(figure.device.clone())),
        has,
        config,
    })
}

/// The planner of `--fuse auto`.
pub(in crate::cli) fn auto(
    config: &Config,
    backend: BackendKind,
    device: &str,
    learned: &Learned,
) -> Result<Auto, Failure> {
    planner(config.clone(), device, backend, Some(learned))
}

/// The same under a GPU's roof, whatever this machine is.
pub(in crate::cli) fn auto_of(config: &Config, gpu: &str) -> Result<Auto, Failure> {
    planner(config.clone(), gpu, BackendKind::Cuda, None)
}
