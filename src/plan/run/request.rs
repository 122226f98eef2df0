//! What is asked of a machine.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Proof, RunError, Tuned};
use crate::cost::Config;

/// Who is to compute it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackendKind {
    /// The best that this machine has: [`BackendKind::candidates`].
    #[default]
    Auto,
    /// This machine's CPU.
    Cpu,
    /// The GPU kernels on the built-in machine: counts, no times.
    Simt,
    /// An NVIDIA GPU.
    Cuda,
    /// An AMD GPU.
    Hip,
}

impl BackendKind {
    /// Every backend that can be named.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Cpu, Self::Simt, Self::Cuda, Self::Hip];

    /// The name that `--backend` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Simt => "simt",
            Self::Cuda => "cuda",
            Self::Hip => "hip",
        }
    }

    /// Who is tried, in this order: the next where the one before lacks something, or
    /// [has to be proved](Self::needs_proof) and is not.
    pub const fn candidates(self) -> &'static [Self] {
        match self {
            Self::Auto => &[Self::Cuda, Self::Hip, Self::Cpu],
            Self::Cpu => &[Self::Cpu],
            Self::Simt => &[Self::Simt],
            Self::Cuda => &[Self::Cuda],
            Self::Hip => &[Self::Hip],
        }
    }

    /// Whether `auto` takes it only where a self-test has passed: HIP's kernels were
    /// compiled, and executed on the host, but had not run on an AMD GPU when this was
    /// written, and nobody should be the first without having asked for it.
    pub const fn needs_proof(self) -> bool {
        matches!(self, Self::Hip)
    }

    /// What stands beside all that it shows, where that is so.
    pub fn unproved(self) -> Option<String> {
        self.needs_proof().then(|| {
            format!(
                "no AMD GPU was at hand when this was written: it was proved on stand-ins, and selftest --backend {} says whether it is right here",
                self.name()
            )
        })
    }

    /// Whether it runs the GPU kernels, whose loads and stores can be counted.
    pub const fn runs_kernels(self) -> bool {
        self.is_gpu() || matches!(self, Self::Simt)
    }

    /// Whether it runs on a GPU, and therefore in a process of its own.
    pub const fn is_gpu(self) -> bool {
        matches!(self, Self::Cuda | Self::Hip)
    }

    /// The backend of this name.
    ///
    /// # Errors
    /// A name that is none.
    pub fn parse(name: &str) -> Result<Self, RunError> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| {
                RunError::bad_request(format!(
                    "there is no backend “{name}”; there are: {}",
                    Self::ALL.map(Self::name).join(", ")
                ))
            })
    }
}

/// Who computes the matrix products of a GPU run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gemm {
    /// The kernels of this workshop.
    #[default]
    Own,
    /// The vendor's library; its launches are listed apart.
    Library,
}

impl Gemm {
    /// The name that `--gemm` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Library => "library",
        }
    }

    /// The value of this name.
    ///
    /// # Errors
    /// A name that is none.
    pub fn parse(name: &str) -> Result<Self, RunError> {
        [Self::Own, Self::Library]
            .into_iter()
            .find(|gemm| gemm.name() == name)
            .ok_or_else(|| {
                RunError::bad_request(format!("--gemm takes own or library, not “{name}”"))
            })
    }
}

/// Where the weights come from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WeightsFrom {
    /// Made from a seed.
    Seed(u64),
    /// A folder with `config.json` and safetensors in Hugging Face's Llama names.
    Folder(PathBuf),
}

/// Bytes of the L2 of an A100, whose grids the SIMT machine launches.
pub const A100_L2: u64 = 40 << 20;

/// One run of one plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Milliseconds of rest before each timed run.
    #[serde(default)]
    pub pause_ms: u32,
    /// Whether every tensor is compared with the fp64 reference.
    pub check: bool,
    /// Whether the report tells of every tensor that was compared.
    #[serde(default)]
    pub tensors: bool,
    /// Whether the check tells what wrong programs would have given.
    #[serde(default)]
    pub wrong: bool,
    /// Threads of the CPU backend; `None`: all cores.
    pub threads: Option<usize>,
    /// Who computes the matrix products.
    pub gemm: Gemm,
    /// Whether the timed runs replay a graph of the launches.
    pub graph: bool,
    /// Whether the bytes of loads and stores are counted, in a run apart.
    pub count_bytes: bool,
    /// Bytes of the cache behind which the SIMT machine estimates what reaches DRAM; none:
    /// those of the GPU whose grids it launches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<u64>,
    /// Whether the SIMT machine looks for races and reads of unwritten memory.
    pub races: bool,
    /// Whether the SIMT machine tells its counts by line of source, too.
    #[serde(default)]
    pub count_lines: bool,
    /// Whether it is recorded when each kernel runs, in forwards apart.
    #[serde(default)]
    pub trace: bool,
    /// Whether one forward, and nothing else, is shown to an outside profiler.
    #[serde(default)]
    pub profiled: bool,
    /// Whether it is a further round of the same: the first told of the logits, and this
    /// one leaves them where they are.
    #[serde(default)]
    pub again: bool,
    /// Settings that were found for kernels; those that serve this run are used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tuned: Vec<Tuned>,
    /// Where self-tests have passed on this machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proved: Vec<Proof>,
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
            pause_ms: 0,
            check: true,
            tensors: false,
            wrong: false,
            threads: None,
            gemm: Gemm::Own,
            graph: false,
            count_bytes: false,
            behind: None,
            races: true,
            count_lines: false,
            trace: false,
            profiled: false,
            again: false,
            tuned: Vec::new(),
            proved: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fusion::Version;

    #[test]
    fn a_request_crosses_a_wire() {
        let config = Config::preset("tinyllama-1.1b", Version::V3.cut()).unwrap();
        let request = Request {
            backend: BackendKind::Cuda,
            weights: WeightsFrom::Folder(PathBuf::from("a folder/with ü")),
            tokens: Some(vec![vec![1, 31_999]]),
            gemm: Gemm::Library,
            graph: true,
            ..Request::new(config)
        };
        let text = serde_json::to_string(&request).unwrap();
        assert!(text.contains(r#""workload":"forward""#), "{text}");
        assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request);
        // Another build's workload is no request of this one.
        let other = text.replace(r#""forward""#, r#""training-step""#);
        assert!(serde_json::from_str::<Request>(&other).is_err());
    }

    #[test]
    fn names_are_read_back() {
        for kind in BackendKind::ALL {
            assert_eq!(BackendKind::parse(kind.name()), Ok(kind));
        }
        assert!(BackendKind::parse("rocm").is_err());
        assert_eq!(Gemm::parse("library"), Ok(Gemm::Library));
        assert!(Gemm::parse("cublas").is_err());
    }
}
