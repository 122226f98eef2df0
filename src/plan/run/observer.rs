//! How a run is watched and stopped.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// Opening the device and its libraries.
    Open,
    /// Making or reading weights, packing them, copying them to the device.
    Prepare,
    /// Compiling or loading kernels.
    Compile,
    /// Filling the cache, where context > seq.
    Prefill,
    /// Runs that are not timed.
    WarmUp,
    /// Comparing with the fp64 reference.
    Check,
    /// A run whose loads and stores are counted.
    Count,
    /// Timed runs.
    Timing,
}

impl Phase {
    /// The word on screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Prepare => "prepare",
            Self::Compile => "compile",
            Self::Prefill => "prefill",
            Self::WarmUp => "warm-up",
            Self::Check => "check",
            Self::Count => "count",
            Self::Timing => "timing",
        }
    }

    /// What is being done, as it stands after "while".
    pub const fn doing(self) -> &'static str {
        match self {
            Self::Open => "opening",
            Self::Prepare => "preparing",
            Self::Compile => "compiling",
            Self::Prefill => "filling the cache",
            Self::WarmUp => "warming up",
            Self::Check => "checking",
            Self::Count => "counting",
            Self::Timing => "timing",
        }
    }
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// Steps of this phase that are done.
    pub done: u32,
    /// Steps of this phase in all.
    pub total: u32,
    /// To what: `flash for sm_90a`; empty where the phase says it all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
}

impl Progress {
    /// `done` of `total` steps of a phase.
    pub const fn new(phase: Phase, done: u32, total: u32) -> Self {
        Self {
            phase,
            done,
            total,
            subject: String::new(),
        }
    }

    /// The same step, and what it is about.
    #[must_use]
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }
}

impl fmt::Display for Progress {
    /// As it stands after "while": `compiling flash for sm_90a`,
    /// `timing, run 18 of 30`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.phase.doing())?;
        if !self.subject.is_empty() {
            write!(f, " {}", self.subject)?;
        }
        if self.total > 1 {
            let next = self.done.saturating_add(1).min(self.total);
            write!(f, ", {next} of {}", self.total)?;
        }
        Ok(())
    }
}

/// Somebody who watches a run and may stop it. Called from the thread that runs.
pub trait Observer: Sync {
    /// The run got this far.
    fn progress(&self, progress: Progress);
    /// Whether the run is to stop as soon as it can.
    fn cancelled(&self) -> bool;
}

/// Nobody watches, nobody stops it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Observer for Unwatched {
    fn progress(&self, _: Progress) {}

    fn cancelled(&self) -> bool {
        false
    }
}
