//! What the studies of kernels and of memory take: `hierarchy`, `host-memory`, `roofline`,
//! `timeline`, `occupancy`, `sick`.

use clap::Args;

use super::Common;
use super::make::positive;
use crate::cli::args::{SetupArgs, number, whole};
use crate::cli::failure::Failure;
use crate::cli::run::RunOfPlan;
use course::Figures;
use host::learned::Learned;
use host::machine::chosen;
use plan::cost::{GpuDatabase, occupancy};
use plan::fusion::Cut;
use plan::run::{BackendKind, HostCase, HostRequest, MemoryRequest, MicroRequest};
use plan::units::Dimension;
use study::studies::hierarchy::Hierarchy;
use study::studies::host_memory::HostMemory;
use study::studies::occupancy::{COPY, Residents};
use study::studies::roofline::Roofline;
use study::studies::sick::{NAMES, Recorded, Sick};
use study::studies::timeline::Timeline;

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
        let (from, to) = (bytes("from", &self.from)?, bytes("to", &self.to)?);
        Ok(Hierarchy {
            request: MemoryRequest::new(backend, from, to)?,
        })
    }
}

/// Copies between host and device.
#[derive(Debug, Args)]
pub(in crate::cli) struct HostMemoryArgs {
    /// One of them: copies, batches, overlap, zero-copy, pool
    #[arg(value_name = "CASE")]
    only: Option<String>,
    /// Who copies: cuda or hip; auto takes the GPU where there is one, and prices by the
    /// data sheet where there is none
    #[arg(
        long,
        value_name = "BACKEND",
        default_value = "auto",
        value_parser = ["auto", "cuda", "hip"],
        help_heading = "Study"
    )]
    backend: String,
    /// The largest copy
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "256MiB",
        help_heading = "Study"
    )]
    to: String,
    #[command(flatten)]
    pub(super) common: Common,
}

impl HostMemoryArgs {
    pub(super) fn study(&self, device: &str) -> Result<HostMemory, Failure> {
        let largest = bytes("to", &self.to)?;
        // Says what is wrong with the size also where nothing runs.
        HostRequest::new(BackendKind::Cuda, HostCase::Copies, largest)?;
        let cases = match &self.only {
            Some(name) => vec![HostCase::parse(name)?],
            None => HostCase::ALL.to_vec(),
        };
        let backend = chosen(BackendKind::parse(&self.backend)?);
        let recorded = |id: &str| Figures::built_in().get(id).map(|f| f.value.value());
        let copies = recorded("h200_copies_each").zip(recorded("h200_copies_once"));
        Ok(HostMemory {
            gpu: GpuDatabase::embedded()?.get(device)?.clone(),
            largest,
            cases,
            backend: backend.is_gpu().then_some(backend),
            waited: copies.map(|(each, once)| each - once),
        })
    }
}

/// So many bytes: a number alone, or one with its unit.
fn whole_bytes(text: &str) -> Option<u64> {
    let alone = text.trim().parse().ok();
    alone.or_else(|| positive(text, Dimension::Bytes).map(|bytes| bytes as u64))
}

/// A size in bytes.
fn bytes(option: &str, text: &str) -> Result<u64, Failure> {
    whole_bytes(text).ok_or_else(|| {
        Failure::usage(format!(
            "--{option} takes bytes such as 64KiB, not “{text}”"
        ))
    })
}

/// Kernels under their roofs.
#[derive(Debug, Args)]
pub(in crate::cli) struct RooflineArgs {
    #[command(flatten)]
    run: RunOfPlan,
    #[command(flatten)]
    pub(super) common: Common,
}

impl RooflineArgs {
    pub(super) fn study(&self, learned: &Learned) -> Result<Roofline, Failure> {
        Ok(Roofline {
            run: self.run.request(learned)?,
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
        value_parser = number,
        allow_negative_numbers = true,
        help_heading = "Study"
    )]
    from: Option<f64>,
    /// Where it ends
    #[arg(
        long,
        value_name = "AT",
        value_parser = number,
        allow_negative_numbers = true,
        help_heading = "Study"
    )]
    to: Option<f64>,
    #[command(flatten)]
    run: RunOfPlan,
    #[command(flatten)]
    pub(super) common: Common,
}

impl TimelineArgs {
    pub(super) fn study(&self, learned: &Learned) -> Result<Timeline, Failure> {
        if let (Some(from), Some(to)) = (self.from, self.to)
            && (from.is_nan() || to.is_nan() || from >= to)
        {
            return Err(Failure::usage(format!(
                "--from {from} --to {to}: --from lies before --to"
            )));
        }
        Ok(Timeline {
            run: self.run.request(learned)?,
            from: self.from,
            to: self.to,
        })
    }
}

/// How many blocks fit.
#[derive(Debug, Args)]
pub(in crate::cli) struct OccupancyArgs {
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
        value_parser = GYM,
        help_heading = "Study"
    )]
    backend: String,
    #[command(flatten)]
    pub(super) common: Common,
}

/// Who runs the gym's kernels.
const GYM: [&str; 4] = ["auto", "simt", "cuda", "hip"];

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
    pub(super) fn study(&self, device: &str) -> Result<Residents, Failure> {
        let database = GpuDatabase::embedded()?;
        let shared = match &self.shared {
            None => 0,
            Some(text) => bytes("shared", text)?,
        };
        let gpu = database.get(device)?.clone();
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
        value_parser = GYM,
        help_heading = "Study"
    )]
    backend: String,
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    pub(super) common: Common,
}

impl SickArgs {
    pub(super) fn study(&self, device: &str) -> Result<Sick, Failure> {
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
            gpu: GpuDatabase::embedded()?.get(device)?.clone(),
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
