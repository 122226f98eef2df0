//! What a parent asks of the engine process, and what that answers.
//!
//! Weights never cross: they are made from a seed, or read from their folder,
//! where they are used. Logits do not either: they go into the file that was
//! asked for.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{BackendKind, Progress, Report, Request, RunError};

/// Number of a request on one wire; later ones are larger.
pub type WireTicket = u64;

/// From the parent to the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Run this, and answer [`Answer::Done`].
    Run {
        /// The number that the answers carry.
        ticket: WireTicket,
        /// What to run.
        request: Box<Request>,
        /// Where to write the logits, as npy.
        logits: Option<PathBuf>,
    },
    /// Stop this run, and every one before it, as soon as it can be.
    Cancel(WireTicket),
    /// Look which backends can run, and answer [`Answer::Found`].
    Probe,
}

/// From the engine to its parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The greeting, once and first: which build this is.
    Hello {
        /// The program's version and the digest of its sources.
        build: String,
    },
    /// A run got this far.
    Progress(WireTicket, Progress),
    /// A run has ended.
    Done(WireTicket, Result<Box<Report>, RunError>),
    /// The backends that need an engine.
    Found(Vec<BackendState>),
}

/// How a backend stands on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackendState {
    /// Which.
    pub backend: BackendKind,
    /// Whether it can run.
    pub ready: bool,
    /// The device in a word: `H200`; empty where there is none.
    pub device: String,
    /// The device in a line, `NVIDIA H200, driver 580, NVRTC 13.0`; or why it
    /// cannot run, `libcuda.so not found`.
    pub line: String,
    /// Names of the fusions that it has no kernel for.
    pub lacks: Vec<String>,
    /// What was found where, and what to install, in sentences.
    pub notes: Vec<String>,
}

impl BackendState {
    /// A backend that cannot run, and why.
    pub fn none(backend: BackendKind, why: impl Into<String>) -> Self {
        Self {
            backend,
            ready: false,
            device: String::new(),
            line: why.into(),
            lacks: Vec::new(),
            notes: Vec::new(),
        }
    }
}
