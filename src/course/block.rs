//! Live blocks: fenced code whose info string names the block and whose body is TOML.

mod kernels;
mod profile;
mod read;
mod steps;
mod study;
mod trips;
pub(crate) mod typed;

pub use kernels::Resident;
pub use profile::{Exhibit, Sample};
pub(crate) use read::{mistyped, read};
pub use steps::Picture;
pub use study::Made;
pub use trips::Stretch;

use super::exercise::asks_of_gpu;
use super::fault::Fault;
use super::fields::{Phrase, Typed};
use super::number::Inline;
use super::setup::{GPU, Setup};
use crate::answer::{self, Expr};
use plan::fusion::{Cut, Fusion};
use plan::model::OpKind;
use plan::run::Metric;
use plan::units::Spec;

/// Kinds of live blocks, as info strings name them.
pub const KINDS: [&str; 17] = [
    "lab",
    "compare",
    "staircase",
    "ribbon",
    "trips",
    "roofline",
    "chart",
    "table",
    "steps",
    "question",
    "claim",
    "micro",
    "kernel",
    "profile",
    "study",
    "occupancy",
    MICRO_IN_FULL,
];

/// The whole word for `micro`, taken as well.
const MICRO_IN_FULL: &str = "microbenchmark";

/// Info strings of ordinary code.
pub const LANGUAGES: [&str; 18] = [
    "text", "console", "sh", "bash", "rust", "c", "cpp", "cuda", "hip", "ptx", "python", "toml",
    "json", "markdown", "diff", "asm", "math", "triton",
];

/// Metrics of a `compare` block.
pub const METRICS: [&str; 8] = [
    "launches",
    "flops",
    "bytes",
    "weight_bytes",
    "intensity",
    "peak",
    "floor",
    "time",
];

/// What a chart can sweep.
pub const SWEPT: [&str; 10] = [
    "batch", "seq", "context", "tokens", "hidden", "layers", "heads", "kv_heads", "ffn", "vocab",
];

/// The settings of one point of a chart. `tokens` are one sequence of that length.
pub fn swept(x: &str, value: f64) -> Vec<answer::Setting> {
    let parsed = |name: &str, value: f64| answer::Setting::parse(name, &format!("{value:.0}")).ok();
    match x {
        "tokens" => [parsed("batch", 1.0), parsed("seq", value)]
            .into_iter()
            .flatten()
            .collect(),
        name => parsed(name, value).into_iter().collect(),
    }
}

/// A live block where it stands, readable or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// The info string's word: one of [`KINDS`].
    pub kind: String,
    /// Number of the block in its lesson, from 1: predictions are kept under it.
    pub number: usize,
    /// Line of the opening fence.
    pub line: usize,
    /// The body as written, to show when it cannot be read.
    pub source: String,
    /// Model and shape; what is not set comes from the lesson.
    pub setup: Setup,
    /// What the reader is asked before results show.
    pub predict: Vec<Predict>,
    /// The block, or what is wrong with it.
    pub content: Result<Block, Vec<Fault>>,
}

impl Live {
    /// It puts a document's claim on trial.
    pub fn is_claim(&self) -> bool {
        matches!(self.content, Ok(Block::Claim { .. }))
    }

    /// It is read and nothing else: it asks nothing, and nothing in it can be flipped,
    /// run or turned.
    pub fn is_still(&self) -> bool {
        let kinds = |block: &Block| {
            matches!(
                block,
                Block::Table { .. } | Block::Chart { .. } | Block::Roofline { .. }
            )
        };
        self.predict.is_empty() && self.content.as_ref().is_ok_and(kinds)
    }

    /// Whether what is asked before it shows is asked of the device of the course.
    pub fn asks_of_gpu(&self) -> bool {
        let asks = |predict: &Predict| {
            asks_of_gpu(&predict.ask.text) || asks_of_gpu(predict.answer.as_str())
        };
        self.setup.text(GPU).is_none() && self.predict.iter().any(asks)
    }
}

/// A question asked before a block shows its results.
#[derive(Debug, Clone, PartialEq)]
pub struct Predict {
    /// The question.
    pub ask: Phrase,
    /// Expression of what will show.
    pub answer: Typed<Expr>,
    /// Unit to read and print it in.
    pub unit: Option<Typed<Spec>>,
    /// A sentence shown afterwards.
    pub note: Option<Phrase>,
}

/// The content of a live block.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// The ribbon with fusions to flip and a run.
    Lab {
        /// Plan to start from.
        start: Option<Typed<Cut>>,
        /// Fusions on offer; empty: all.
        toggles: Vec<Typed<Fusion>>,
        /// Backend to run on; none: the chosen one.
        backend: Option<Phrase>,
        /// Ops to show; empty: all.
        ops: Vec<Typed<OpKind>>,
    },
    /// Plans side by side.
    Compare {
        /// The plans, in order.
        plans: Vec<Typed<Cut>>,
        /// Rows: of [`METRICS`].
        metrics: Vec<String>,
        /// Whole forward in place of one block?
        forward: bool,
    },
    /// From V1, one fusion more at each step.
    Staircase {
        /// The fusions in their order; empty: up to one kernel per block.
        order: Vec<Typed<Fusion>>,
        /// Whole forward in place of one block?
        forward: bool,
    },
    /// The ribbon alone.
    Ribbon {
        /// The plan drawn.
        plan: Option<Typed<Cut>>,
        /// Show what every wall costs?
        prices: bool,
    },
    /// What travels between memory and chip.
    Trips(Stretch),
    /// Kernels against roofs.
    Roofline {
        /// The plan whose kernels are drawn.
        plan: Option<Typed<Cut>>,
        /// GPU ids; empty: the chosen one.
        gpus: Vec<Phrase>,
        /// Ops to name in the plot.
        mark: Vec<Typed<OpKind>>,
    },
    /// Expressions over a swept parameter.
    Chart {
        /// The parameter that is swept.
        x: String,
        /// Its values.
        range: Vec<f64>,
        /// Unit of the vertical axis.
        unit: Option<Typed<Spec>>,
        /// What is drawn.
        series: Vec<Series>,
        /// Logarithmic axes?
        log: bool,
    },
    /// Text and numbers in rows.
    Table {
        /// Heads of the columns.
        columns: Vec<Phrase>,
        /// Cells; every row as long as `columns`.
        rows: Vec<Vec<Cell>>,
    },
    /// Steps revealed one by one; they may hold inline numbers.
    Steps {
        /// Title above the steps.
        title: Option<Phrase>,
        /// The steps.
        steps: Vec<Phrase>,
        /// What they speak of.
        picture: Option<Picture>,
    },
    /// One key of an exercise, answered in place.
    Question {
        /// Id of the exercise.
        exercise: Phrase,
        /// Name of its key; none: the first open one.
        key: Option<Phrase>,
    },
    /// A kernel of the gym, run at several values.
    Micro {
        /// Name of the experiment.
        kernel: Phrase,
        /// The values; empty: the usual ones.
        sweep: Vec<u32>,
        /// Columns; empty: the usual ones.
        show: Vec<Metric>,
        /// Backend to run on; none: the chosen one where it can.
        backend: Option<Phrase>,
    },
    /// A part of a kernel's source, with how it is launched.
    Kernel {
        /// The op whose kernel it is.
        op: Option<Typed<OpKind>>,
        /// The plan that the kernel is from; none: V1.
        version: Option<Typed<Cut>>,
        /// A file under `kernels/` in place of an op.
        source: Option<Phrase>,
        /// Name of the idea whose lines are shown; none: the kernel itself.
        part: Option<Phrase>,
    },
    /// What a profiler would write of a plan, generated, and how it is read.
    Profile(Sample),
    /// A study, as it was made on this machine.
    Study(Made),
    /// How many blocks of a kernel fit, and what stops one more.
    Occupancy(Resident),
    /// A claim of a document with its evidence.
    Claim {
        /// Id of the claim.
        id: Phrase,
    },
}

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name, which may hold numbers; empty when there is only one.
    pub name: Phrase,
    /// Expression in the swept parameter.
    pub y: Typed<Expr>,
}

/// One cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Shown as it is.
    Text(Phrase),
    /// Computed.
    Number(Inline),
}
