//! How a run is watched and stopped.

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Making or reading weights, packing, compiling.
    Prepare,
    /// Filling the cache, where context > seq.
    Prefill,
    /// Runs that are not timed.
    WarmUp,
    /// Comparing with the fp64 reference.
    Check,
    /// Timed runs.
    Timing,
}

impl Phase {
    /// The word on screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prepare => "prepare",
            Self::Prefill => "prefill",
            Self::WarmUp => "warm-up",
            Self::Check => "check",
            Self::Timing => "timing",
        }
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// Steps of this phase that are done.
    pub done: u32,
    /// Steps of this phase in all.
    pub total: u32,
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
