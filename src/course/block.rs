//! Live blocks: fenced code whose info string names the block and whose body is TOML.

mod kernels;
mod profile;
mod steps;
mod study;
mod trips;
pub(crate) mod typed;

pub use kernels::Resident;
pub use profile::{Exhibit, Sample};
pub use steps::Picture;
pub use study::Made;
pub use trips::Stretch;

use super::exercise::asks_of_gpu;
use super::fault::{Fault, Place, way_out};
use super::fields::{Fields, Phrase, Toml, Typed};
use super::number::{Inline, split};
use super::setup::{GPU, Setup};
use super::text::Text;
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

/// Backends that a `lab` may name.
const BACKENDS: [&str; 4] = ["cpu", "simt", "cuda", "hip"];

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

/// Reads a live block of a document whose spans count from `base` of the text.
pub(crate) fn read(text: &Text, live: &::text::Live, base: usize, number: usize) -> Live {
    let range = base + live.within.start..base + live.within.end;
    let toml = Toml {
        text,
        range: range.clone(),
    };
    let kind = match live.kind.as_str() {
        MICRO_IN_FULL => "micro",
        kind => kind,
    };
    let mut faults = Vec::new();
    if !live.closed {
        let at = text.line(live.place.line).start;
        faults.push(text.fault(
            at,
            format!(
                "this {kind} block is not closed; end it with the same fence on a line of its own."
            ),
        ));
    }
    let (setup, predict, block) = toml.read(&mut faults, |fields| {
        let what = format!("a {kind} block");
        let mut scope = fields.renamed(&what);
        content(kind, &mut scope)
    });
    let content = match block {
        Some(block) if faults.is_empty() => Ok(block),
        _ => Err(faults),
    };
    Live {
        kind: kind.to_owned(),
        number,
        line: live.place.line,
        source: text.slice(range).to_owned(),
        setup,
        predict,
        content,
    }
}

fn content(kind: &str, fields: &mut Fields<'_, '_>) -> (Setup, Vec<Predict>, Option<Block>) {
    let setup = match kind {
        "steps" | "question" | "claim" | "micro" | "study" | "occupancy" => Setup::default(),
        "profile" => Setup::of_sample(fields),
        _ => Setup::of_block(fields),
    };
    let predict = match kind {
        "lab" | "compare" | "staircase" | "trips" | "micro" | "profile" | "study" | "occupancy" => {
            fields
                .tables("predict", predict)
                .into_iter()
                .flatten()
                .collect()
        }
        _ => Vec::new(),
    };
    let block = match kind {
        "lab" => {
            let backend = fields.text("backend");
            Some(Block::Lab {
                start: typed::cut(fields, "start"),
                toggles: typed::fusions(fields, "toggles"),
                backend: typed::known(fields, "backend", backend, &BACKENDS).pop(),
                ops: typed::ops(fields, "ops"),
            })
        }
        "compare" => compare(fields),
        "staircase" => Some(Block::Staircase {
            order: steps_of(fields),
            forward: forward(fields),
        }),
        "ribbon" => Some(Block::Ribbon {
            plan: typed::cut(fields, "plan"),
            prices: fields.flag("prices").unwrap_or(false),
        }),
        "trips" => Some(Block::Trips(trips::stretch(fields))),
        "roofline" => {
            let gpus = fields.texts("gpus");
            Some(Block::Roofline {
                plan: typed::cut(fields, "plan"),
                gpus: typed::gpus(fields, gpus),
                mark: typed::ops(fields, "mark"),
            })
        }
        "chart" => chart(fields),
        "table" => table(fields),
        "micro" => kernels::micro(fields),
        "kernel" => kernels::kernel(fields),
        "profile" => profile::profile(fields).map(Block::Profile),
        "study" => study::study(fields).map(Block::Study),
        "occupancy" => kernels::occupancy(fields).map(Block::Occupancy),
        "steps" => steps::steps(fields),
        "question" => {
            let exercise = fields.need_text("exercise", "exercise = \"ex1\"");
            let key = fields.text("key");
            exercise.map(|exercise| Block::Question { exercise, key })
        }
        "claim" => fields
            .need_text("id", "id = \"K-V1-12\"")
            .map(|id| Block::Claim { id }),
        _ => None,
    };
    fields.close();
    (setup, predict, block)
}

fn predict(fields: &mut Fields<'_, '_>) -> Option<Predict> {
    let mut fields = fields.renamed("a prediction");
    let ask = fields.need_text("ask", "ask = \"…\"");
    let answer = fields.need_text("answer", "answer = \"block(v1).launches\"");
    let answer = answer.and_then(|answer| typed::expr(&mut fields, answer));
    let unit = typed::unit(&mut fields, "unit");
    let note = fields.text("note");
    fields.close();
    Some(Predict {
        ask: ask?,
        answer: answer?,
        unit,
        note,
    })
}

fn compare(fields: &mut Fields<'_, '_>) -> Option<Block> {
    let plans = typed::cuts(fields, "plans");
    if plans.is_empty() && !fields.has("plans") {
        fields.report("a compare block has no plans; add plans = [\"v1\", \"v4\"].");
    }
    let mut metrics = Vec::new();
    for metric in fields.texts("metrics") {
        if METRICS.contains(&metric.as_str()) {
            metrics.push(metric.text);
        } else {
            let way_out = way_out(&metric.text, &METRICS);
            fields.report_at(
                metric.at,
                format!("there is no metric “{}”; {way_out}", metric.text),
            );
        }
    }
    if metrics.is_empty() && !fields.has("metrics") {
        metrics = ["launches", "flops", "bytes", "intensity"]
            .map(String::from)
            .to_vec();
    }
    let forward = forward(fields);
    Some(Block::Compare {
        plans,
        metrics,
        forward,
    })
}

/// The fusions of a staircase; a step adds each once.
fn steps_of(fields: &mut Fields<'_, '_>) -> Vec<Typed<Fusion>> {
    let order = typed::fusions(fields, "order");
    for (at, fusion) in order.iter().enumerate() {
        if order
            .iter()
            .take(at)
            .any(|other| other.value == fusion.value)
        {
            let say = format!(
                "{} stands twice in the order; a step adds a fusion once.",
                fusion.value.name()
            );
            fields.report_at(fields.key_place("order"), say);
        }
    }
    order
}

/// Whether the whole forward is meant.
fn forward(fields: &mut Fields<'_, '_>) -> bool {
    fields
        .one_of("scope", &["block", "forward"])
        .is_some_and(|scope| scope.text == "forward")
}

fn chart(fields: &mut Fields<'_, '_>) -> Option<Block> {
    let x = if fields.has("x") {
        fields.one_of("x", &SWEPT)
    } else {
        fields.need_text("x", "x = \"batch\"")
    };
    let range = fields.numbers("range");
    if range.len() < 2 {
        fields.report("a chart needs a range of two values or more, such as range = [1, 8, 64].");
    }
    if range
        .iter()
        .any(|value| *value <= 0.0 || value.fract() != 0.0)
    {
        fields.report("the values of a chart's range are whole numbers of 1 or more.");
    }
    let unit = typed::unit(fields, "unit");
    let log = fields.flag("log").unwrap_or(false);
    let mut series: Vec<Series> = fields
        .tables("series", |fields| {
            let mut fields = fields.renamed("a series");
            let name = fields.need_text("name", "name = \"V1\"");
            let y = fields.need_text("y", "y = \"block(v1).bytes\"");
            let y = y.and_then(|y| typed::expr(&mut fields, y));
            fields.close();
            Some(Series { name: name?, y: y? })
        })
        .into_iter()
        .flatten()
        .collect();
    match fields.text("y") {
        Some(y) if series.is_empty() => {
            let name = Phrase::default();
            series.extend(typed::expr(fields, y).map(|y| Series { name, y }));
        }
        Some(y) => fields.report_at(
            y.at,
            "a chart takes y or series, not both; give y a name and put it among the series.",
        ),
        None if series.is_empty() && !fields.has("series") => {
            fields.report("a chart draws nothing yet; add y = \"block.bytes\" or series = [ { name = \"V1\", y = \"block(v1).bytes\" } ].");
        }
        None => {}
    }
    x.map(|x| Block::Chart {
        x: x.text,
        range,
        unit,
        series,
        log,
    })
}

fn table(fields: &mut Fields<'_, '_>) -> Option<Block> {
    let columns = fields.texts("columns");
    if columns.is_empty() {
        fields.report("a table block has no columns; add columns = [\"kernel\", \"bytes\"].");
    }
    let mut rows = Vec::new();
    for (at, row) in fields.rows("rows") {
        if row.len() != columns.len() {
            fields.report_at(
                at,
                format!(
                    "this row has {} cells and the table {} columns; make them equal.",
                    row.len(),
                    columns.len()
                ),
            );
        }
        rows.push(row.into_iter().map(cell).collect());
    }
    Some(Block::Table { columns, rows })
}

fn cell(phrase: Phrase) -> Cell {
    match split(&phrase.text) {
        None => Cell::Text(phrase),
        Some((expr, unit)) => {
            let before = phrase
                .text
                .find(&expr)
                .and_then(|at| phrase.text.get(..at))
                .unwrap_or_default();
            let at: Place = phrase.at.after(before);
            let range = 0..phrase.text.len();
            Cell::Number(Inline {
                expr: Phrase { text: expr, at },
                unit,
                range,
            })
        }
    }
}

/// A fence that looks like a live block with a typing mistake.
pub(crate) fn mistyped(info: &str) -> Option<&'static str> {
    let known = KINDS.contains(&info) || LANGUAGES.contains(&info);
    (!known && !info.is_empty())
        .then(|| plan::nearest(info, KINDS))
        .flatten()
}
