//! What is asked of a machine and what it answers. Data only: no clock, no
//! thread, no device. Backends fill a [`Report`]; the lab compares reports; the
//! command line prints them as schema 1.

mod bare;
mod counted;
mod error;
mod host;
pub mod listing;
mod memory;
mod micro;
pub mod mutants;
mod observer;
mod proof;
mod protocol;
mod report;
mod request;
mod submission;
mod trace;
mod troubles;
mod tuned;

pub use counted::{BufferReport, KernelReport, LineReport, WorkReport};
pub use error::{RunError, RunErrorKind};
pub use host::{
    HOST_READS, HostCase, HostReport, HostRequest, HostSeries, HostWay, host_batches, host_middle,
    host_sizes,
};
pub use memory::{CacheSize, MemoryReport, MemoryRequest, MemoryRow};
pub use micro::{
    EXPERIMENTS, Experiment, Metric, MicroCounts, MicroReport, MicroRequest, MicroRow, Takes,
};
pub use observer::{Observer, Phase, Progress, Unwatched};
pub use proof::Proof;
pub use protocol::{Answer, Ask, BackendState, WireTicket};
pub use report::{
    BytesReport, CheckReport, LaunchReport, LookUps, OutputReport, PlanReport, Report,
    TensorReport, Timing, WrongReport, mad, median,
};
pub use request::{A100_L2, BackendKind, Gemm, Request, WeightsFrom};
pub use submission::{
    Bounds, Candidate, Criterion, Outcome as SubmissionOutcome, Refusal, Submission,
};
pub use trace::{Axis, PhaseReport, SpanReport, TraceReport};
pub use troubles::{Pair, Troubles};
pub use tuned::{Knob, Settings, TUNABLE, Tunable, Tuned, knobs};
