//! The programs of a run: the forward that is asked for, and the prefill that
//! fills its cache.

use crate::gpu::lower::{Setup, lower};
use crate::gpu::program::{Program, Step, Target};
use crate::gpu::source::CompileUnit;
use plan::cost::{Config, KeepKv, Planned};
use plan::fusion::{Plan, Version};
use plan::model::Shape;
use plan::run::{Gemm, RunError, Tuned};

/// Cuts that fill a cache, the quickest first; the first that there is for the
/// shape is taken.
const PREFILLS: [Version; 3] = [Version::V3, Version::V2, Version::V1];

/// What a run consists of.
pub(super) struct Programs {
    /// The plan, lowered.
    pub program: Program,
    /// What fills the cache first, where there is a past.
    pub prefill: Option<Program>,
}

impl Programs {
    /// Lowers a plan, with settings that were found for its kernels.
    ///
    /// # Errors
    /// A shape that cannot be; a kernel that is not there.
    pub fn new(
        planned: &Planned,
        gemm: Gemm,
        target: &Target,
        tuned: &[&Tuned],
    ) -> Result<Self, RunError> {
        let config = &planned.cost.config;
        let program = lower(&Setup {
            config,
            graph: &planned.graph,
            plan: &planned.plan,
            target,
            gemm,
            cap: config.shape.context,
            tuned,
        })
        .map_err(|e| RunError::missing(e.to_string()))?;
        let prefill = match config.shape.has_past() {
            true => Some(prefill(config, gemm, target)?),
            false => None,
        };
        Ok(Self { program, prefill })
    }

    /// The programs in the order of running.
    pub fn all(&self) -> Vec<&Program> {
        self.prefill.iter().chain([&self.program]).collect()
    }
}

/// A prefill of the tokens before the new ones, into a cache that has room for
/// all.
fn prefill(config: &Config, gemm: Gemm, target: &Target) -> Result<Program, RunError> {
    let shape = config.shape;
    let mut lacking = None;
    for version in PREFILLS {
        let mut filling = config.with_cut(version.cut());
        filling.shape = Shape::prefill(shape.batch, shape.context - shape.seq);
        filling.conventions.keep_kv = KeepKv::On;
        let graph = filling.graph()?;
        let plan = Plan::new(&graph, filling.effective_cut(), filling.keeps_kv());
        let lowered = lower(&Setup {
            config: &filling,
            graph: &graph,
            plan: &plan,
            target,
            gemm,
            cap: shape.context,
            tuned: &[],
        });
        match lowered {
            Ok(program) => return Ok(program),
            Err(lacks) => lacking = Some(lacks),
        }
    }
    let why = lacking.map(|l| l.to_string()).unwrap_or_default();
    Err(RunError::missing(format!(
        "the cache cannot be filled: {why}"
    )))
}

/// What a step compiles, and the dynamic shared memory that it is launched with.
pub(super) fn unit_of(step: &Step) -> Option<(&CompileUnit, u32)> {
    match step {
        Step::Own(launch) => Some((&launch.unit, launch.shared)),
        Step::Library(_) => None,
    }
}
