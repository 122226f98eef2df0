//! What is asked of a machine.

use std::path::PathBuf;

use super::RunError;
use crate::cost::Config;

/// Who is to compute it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BackendKind {
    /// The best that this machine has.
    #[default]
    Auto,
    /// This machine's CPU.
    Cpu,
}

impl BackendKind {
    /// The name that `--backend` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
        }
    }

    /// The backend of this name.
    ///
    /// # Errors
    /// A name that is none, or one that this build does not have.
    pub fn parse(name: &str) -> Result<Self, RunError> {
        match name {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "simt" | "cuda" | "hip" => Err(RunError::missing(format!(
                "this build has no {name} backend; --backend cpu runs every plan"
            ))),
            other => Err(RunError::bad_request(format!(
                "there is no backend “{other}”; use auto or cpu"
            ))),
        }
    }
}

/// Where the weights come from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum WeightsFrom {
    /// Made from a seed.
    Seed(u64),
    /// A folder with `config.json` and safetensors in Hugging Face's Llama names.
    Folder(PathBuf),
}

/// One run of one plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Model, shape, dtype, cut, conventions.
    pub config: Config,
    /// Who computes it.
    pub backend: BackendKind,
    /// Where the weights come from.
    pub weights: WeightsFrom,
    /// Seed of the tokens, where none are given.
    pub seed: u64,
    /// Token ids, one row per sequence, `context` each; `None`: seeded.
    pub tokens: Option<Vec<Vec<u64>>>,
    /// Timed runs; 0 asks for counts and a check only.
    pub runs: u32,
    /// Runs before the clock starts.
    pub warm_up: u32,
    /// Whether every tensor is compared with the fp64 reference.
    pub check: bool,
    /// Threads of the CPU backend; `None`: all cores.
    pub threads: Option<usize>,
}

impl Request {
    /// A checked run of `config` with 30 timed runs, seed 1, on whatever there is.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            backend: BackendKind::Auto,
            weights: WeightsFrom::Seed(1),
            seed: 1,
            tokens: None,
            runs: 30,
            warm_up: 3,
            check: true,
            threads: None,
        }
    }
}
