//! Profiles: what a vendor's tool wrote, read back and set beside the plan.
//!
//! [`read()`] finds the format by its head and its columns by their names;
//! [`against()`] says which plan explains the calls and what limits the forward;
//! [`sample`] writes, from a plan, a file as each tool would.
//!
//! Sources of the formats: the tools' own documents and writers (rocprofv3's
//! `generateCSV.cpp` and sample data, rocprof-compute's test workloads), and
//! output of nsys, ncu and the PyTorch profiler as people published it.

mod against;
mod amd;
mod analyze;
mod clock;
mod counters;
mod error;
mod explain;
pub mod framework;
mod gathered;
mod json;
mod known;
mod like;
mod nvidia;
mod pair;
mod perfetto;
mod pytorch;
mod read;
mod roofline;
pub mod sample;
pub mod say;
mod sdk;
mod table;
mod wall;

pub use against::{Dram, Limit, Reading, RowReading, against};
pub use counters::{Generation, Half, Traffic, l2, traffic};
pub use error::{NoSuchColumn, NoSuchTool, ProfileError, Unexplained};
pub use explain::{By, Explained};
pub use like::{Asked, Like, like};
pub use pair::{Pair, PairRow, pair};
pub use read::{Found, Reader, read};
pub use roofline::{MeasuredRoof, MeasuredRoofs};
pub use wall::{Wall, walls};

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::cost::Vendor;

/// A file that some profiler writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tool {
    /// rocprofv3 `--stats`: `kernel_stats.csv`.
    Rocprofv3Stats,
    /// rocprofv3 `--kernel-trace`: `kernel_trace.csv`.
    Rocprofv3Trace,
    /// rocprofv3 `--pmc`: `counter_collection.csv`.
    Rocprofv3Counters,
    /// The older rocprof's `results.csv`.
    RocprofResults,
    /// The older rocprof's `results.stats.csv`.
    RocprofStats,
    /// rocprof-compute's `pmc_perf.csv`.
    RocprofCompute,
    /// nsys `cuda_gpu_kern_sum`.
    Nsys,
    /// ncu `--page raw`.
    Ncu,
    /// ncu's details, a row per metric.
    NcuDetails,
    /// The PyTorch profiler's Chrome trace.
    Pytorch,
    /// rocprofv3 `--output-format json`.
    Rocprofv3Json,
    /// rocprof-sys's and rocprofv3's Perfetto trace.
    RocprofSys,
    /// rocprof-sys's `wall_clock.txt`.
    RocprofSysClock,
    /// What `rocprof-compute analyze` prints.
    RocprofAnalyze,
}

impl Tool {
    /// Those that are read and of which no sample is written.
    pub const READ: [Self; 4] = [
        Self::Rocprofv3Json,
        Self::RocprofSys,
        Self::RocprofSysClock,
        Self::RocprofAnalyze,
    ];

    /// Those of which samples are written.
    pub const ALL: [Self; 10] = [
        Self::Rocprofv3Stats,
        Self::Rocprofv3Trace,
        Self::Rocprofv3Counters,
        Self::RocprofResults,
        Self::RocprofStats,
        Self::RocprofCompute,
        Self::Nsys,
        Self::Ncu,
        Self::NcuDetails,
        Self::Pytorch,
    ];

    /// The name that `--sample` and `profile` blocks take.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rocprofv3Stats => "rocprofv3",
            Self::Rocprofv3Trace => "rocprofv3-trace",
            Self::Rocprofv3Counters => "rocprofv3-counters",
            Self::RocprofResults => "rocprof",
            Self::RocprofStats => "rocprof-stats",
            Self::RocprofCompute => "rocprof-compute",
            Self::Nsys => "nsys",
            Self::Ncu => "ncu",
            Self::NcuDetails => "ncu-details",
            Self::Pytorch => "pytorch",
            Self::Rocprofv3Json => "rocprofv3-json",
            Self::RocprofSys => "rocprof-sys",
            Self::RocprofSysClock => "rocprof-sys-wall-clock",
            Self::RocprofAnalyze => "rocprof-compute-analyze",
        }
    }

    /// Every name.
    pub fn names() -> [&'static str; 10] {
        Self::ALL.map(Self::name)
    }

    /// The tool and the file, in words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Rocprofv3Stats => "rocprofv3, kernel_stats.csv",
            Self::Rocprofv3Trace => "rocprofv3, kernel_trace.csv",
            Self::Rocprofv3Counters => "rocprofv3, counter_collection.csv",
            Self::RocprofResults => "rocprof, results.csv",
            Self::RocprofStats => "rocprof, results.stats.csv",
            Self::RocprofCompute => "rocprof-compute, pmc_perf.csv",
            Self::Nsys => "nsys, cuda_gpu_kern_sum",
            Self::Ncu => "ncu, page raw",
            Self::NcuDetails => "ncu, page details",
            Self::Pytorch => "PyTorch profiler, Chrome trace",
            Self::Rocprofv3Json => "rocprofv3, JSON",
            Self::RocprofSys => "rocprof-sys or rocprofv3, Perfetto trace",
            Self::RocprofSysClock => "rocprof-sys, wall_clock.txt",
            Self::RocprofAnalyze => "rocprof-compute, what analyze prints",
        }
    }

    /// What its file is usually called.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Rocprofv3Stats => "kernel_stats.csv",
            Self::Rocprofv3Trace => "kernel_trace.csv",
            Self::Rocprofv3Counters => "counter_collection.csv",
            Self::RocprofResults => "results.csv",
            Self::RocprofStats => "results.stats.csv",
            Self::RocprofCompute => "pmc_perf.csv",
            Self::Nsys => "cuda_gpu_kern_sum.csv",
            Self::Ncu => "ncu_raw.csv",
            Self::NcuDetails => "ncu_details.csv",
            Self::Pytorch => "trace.json",
            Self::Rocprofv3Json => "results.json",
            Self::RocprofSys => "perfetto-trace.proto",
            Self::RocprofSysClock => "wall_clock.txt",
            Self::RocprofAnalyze => "analyze.txt",
        }
    }

    /// The tool of a name.
    ///
    /// # Errors
    /// All names, the nearest first.
    pub fn parse(name: &str) -> Result<Self, NoSuchTool> {
        let found = Self::ALL.into_iter().find(|tool| tool.name() == name);
        found.ok_or_else(|| NoSuchTool(name.to_owned()))
    }

    /// Whether its rows are regions of the host, which hold one another.
    pub const fn is_host(self) -> bool {
        matches!(self, Self::RocprofSysClock)
    }

    /// Whose GPUs it looks at; none: either's.
    pub const fn vendor(self) -> Option<Vendor> {
        match self {
            Self::Nsys | Self::Ncu | Self::NcuDetails => Some(Vendor::Nvidia),
            Self::Pytorch => None,
            _ => Some(Vendor::Amd),
        }
    }
}

/// What a kernel was given, as far as the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Resources {
    /// Registers per thread (AMD: architectural vector registers).
    pub registers: Option<u64>,
    /// AMD's accumulation registers per thread.
    pub accumulation: Option<u64>,
    /// Shared memory (LDS) per block, in bytes.
    pub shared: Option<u64>,
    /// Threads of a block.
    pub threads: Option<u64>,
}

/// All launches of one kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelRow {
    /// Its name as the file has it.
    pub name: String,
    /// How often it was launched.
    pub calls: u64,
    /// Time of all launches, in ns.
    pub total_ns: Option<f64>,
    /// The shortest, in ns.
    pub min_ns: Option<f64>,
    /// The longest, in ns.
    pub max_ns: Option<f64>,
    /// Registers, shared memory, threads.
    pub resources: Resources,
}

/// One launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Dispatch {
    /// Index of its kernel in [`Profile::kernels`].
    pub kernel: usize,
    /// Start and end, in ns on the tool's own clock.
    pub span: Option<(u64, u64)>,
    /// Its time in ns.
    pub ns: Option<f64>,
    /// The device, as the file names it.
    pub device: Arc<str>,
    /// Stream or queue, as the file names it.
    pub stream: Arc<str>,
    /// Blocks, or on AMD work-items, along x, y and z; 0 where not said.
    pub grid: [u64; 3],
    /// Counters that this program understands, in the tool's own unit.
    pub counters: Arc<BTreeMap<&'static str, f64>>,
}

/// What a profiler wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Whose file it is.
    pub tool: Tool,
    /// It says of itself that this program generated it.
    pub generated: bool,
    /// A row per kernel, in the order of the file.
    pub kernels: Vec<KernelRow>,
    /// A row per launch, where the file has them: the first of them where they are very
    /// many.
    pub dispatches: Vec<Dispatch>,
    /// Launches behind those, which are in the sums.
    pub beyond: u64,
    /// The file ends in the middle; what stands before is here.
    pub cut_short: bool,
    /// The GPU, as the file names it.
    pub device: Option<String>,
    /// Metrics that a tool worked out itself.
    pub metrics: Vec<Metric>,
}

/// A metric that a tool worked out.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// As the tool calls it.
    pub name: String,
    /// Its mean.
    pub value: f64,
    /// In this unit, as the tool writes it.
    pub unit: String,
    /// Share of the device's peak.
    pub of_peak: Option<f64>,
}

impl Profile {
    /// Launches of all kernels.
    pub fn calls(&self) -> u64 {
        self.kernels
            .iter()
            .fold(0, |sum, row| sum.saturating_add(row.calls))
    }

    /// Time of all launches, in ns; none where a kernel has none.
    pub fn total_ns(&self) -> Option<f64> {
        self.kernels.iter().map(|row| row.total_ns).sum()
    }

    /// The generation of GPUs that its counters are of, where only one has such.
    pub fn generation(&self) -> Option<Generation> {
        Generation::of(self.dispatches.iter().map(|d| d.counters.as_ref()))
    }

    /// Were launches counted? A tool that counts runs them one after another, with
    /// pauses of its own: kernel times hold, gaps between kernels do not.
    pub fn serialised(&self) -> bool {
        self.dispatches.iter().any(|d| !d.counters.is_empty())
    }
}

#[cfg(test)]
mod mangled;
#[cfg(test)]
mod tests;
