//! What a live block shows, worked out once: the terminal, plain text, a page and a
//! picture draw the same pieces, and nothing else.
//!
//! A piece says what there is, in the order in which it is read; where it stands and
//! which colour it has is for whoever draws it. What is interactive, a cursor or a
//! field, belongs to the page.

mod chart;
mod claim;
mod grid;
mod kernel;
mod lab;
mod numbers;
mod occupancy;
mod prose;
mod question;
mod roofline;
mod scene;
mod staircase;
pub mod study;
mod trips;

pub use chart::{Chart, Line};
pub use grid::Grid;
pub use kernel::{Excerpt, Of, Wanted, reported};
pub use lab::{Boxed, Lab, Ribbon, Sum, Toggle, Wall, less};
pub use prose::Prose;
pub use question::{Question, example, example_of};
pub use roofline::{Point, Roofline};
pub use scene::{Board, Mark, Scene, Square};
pub use trips::{Kept, Stop, Trip, Trips, Within};

use crate::answer::{Env, Key};
use crate::block::{Block, Live, Predict, Sample};
use crate::claims::Ledger;
use crate::exercise::Exercise;
use crate::fields::Typed;
use crate::number::{fill, print};
use ::study::kept::Kept as KeptStudy;
use plan::cost::{Bound, Config, KernelCost, Priced};
use plan::fusion::Cut;
use plan::model::{Dtype, preset};
use plan::run::{BackendKind, MicroReport, MicroRequest};
use plan::units::figure::Origin;
use std::sync::Arc;

/// A part of a live block.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// To be predicted before anything else is read.
    Ask(Prose),
    /// Words.
    Words(Weight, String),
    /// Markdown.
    Text(Prose),
    /// A word, and what is said of it.
    Said(String, String),
    /// Names with their numbers.
    Figures(Vec<Figure>),
    /// Cells in rows.
    Table(Grid),
    /// Kernels and the roofs over them.
    Roofline(Roofline),
    /// Lines over a parameter.
    Chart(Chart),
    /// The boxes of a plan.
    Ribbon(Ribbon),
    /// A plan and what can be flipped in it.
    Lab(Lab),
    /// What travels between memory and chip, kernel by kernel.
    Trips(Trips),
    /// A derivation, step by step.
    Steps(Vec<Step>),
    /// Lines of a file under `kernels/` by their numbers.
    Code(String, Vec<(usize, String)>),
    /// Lines of a file as they are.
    Lines(Vec<String>),
    /// A question of an exercise.
    Question(Box<Question>),
    /// What came of a prediction, with the author's sentence; behind all else.
    Outcome(Result<String, String>, Option<String>),
    /// What runs it in a shell, without the program's name.
    Run(String),
}

/// One step of a derivation.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What is said.
    pub text: Prose,
    /// What it speaks of, as a picture.
    pub scene: Option<Scene>,
}

/// How words stand to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// A title.
    Title,
    /// Running text.
    Text,
    /// In second place.
    Aside,
    /// Where something stands: a line of its own.
    Place,
    /// What went wrong.
    Fault,
}

/// A name and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What it is.
    pub label: String,
    /// The number, or why there is none.
    pub value: Result<String, String>,
    /// Where it comes from; None for what a document prints.
    pub origin: Option<Origin>,
}

/// What the model does not know: this machine and what ran on it, the sources, what
/// the reader did.
pub trait Facts {
    /// The least seconds that a plan takes under this machine's roof.
    fn floor(&self, priced: &Priced, dtype: Dtype) -> Option<f64>;
    /// Whose roof that is, or why there is none, in a sentence.
    fn roof(&self) -> String;
    /// Which side of that roof a kernel meets.
    fn bound(&self, kernel: &KernelCost, dtype: Dtype) -> Option<Bound>;
    /// What a forward showed that was run.
    fn ran(&self, config: &Config) -> Option<Ran>;
    /// The plan that the reader changed the block's own to.
    fn plan(&self) -> Option<Cut>;
    /// Who runs experiments, where a block names a backend or none.
    fn gym(&self, named: Option<&str>) -> BackendKind;
    /// What an experiment showed, once it was run.
    fn micro(&self, request: &MicroRequest) -> Option<Result<MicroReport, String>>;
    /// What a study found that a command line made on this machine, the newest of them.
    fn study(&self, command: &str) -> Option<Arc<KeptStudy>>;
    /// Lines of a source, once they were looked up.
    fn source(&self, wanted: &Wanted) -> Option<Result<Excerpt, String>>;
    /// A question of an exercise: the named one, else the first that is open.
    ///
    /// # Errors
    /// A sentence: there is none.
    fn question(&self, exercise: &str, key: Option<&str>) -> Result<(&Exercise, &Key), String>;
    /// Why the model's word on a claim is not shown yet, where something is still asked that
    /// it may answer, or the reader judges the claim first.
    fn withholds(&self, claim: &str) -> Option<&'static str>;
}

/// What of a run is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// Launches, counted.
    pub launches: u64,
    /// Bytes issued, where they were counted.
    pub issued: Option<u64>,
    /// The median of its microseconds, where times were taken.
    pub micros: Option<f64>,
    /// The backend's name.
    pub backend: String,
    /// The device.
    pub device: String,
}

/// A block by kind, and by what it is about: `lab`, `question ex1 block`, a claim by its
/// title: `claim: 12 launches per block (K-V1-12)`.
pub fn caption(live: &Live) -> String {
    match &live.content {
        Ok(Block::Question { exercise, key }) => match key {
            Some(key) => format!("question {} {}", exercise.text, key.text),
            None => format!("question {}", exercise.text),
        },
        Ok(Block::Claim { id }) => match Ledger::built_in().get(&id.text) {
            Some(claim) => format!("claim: {} ({})", claim.title, id.text),
            None => format!("claim {}", id.text),
        },
        _ => live.kind.clone(),
    }
}

/// What a live block shows, in reading order: what is to be predicted, the block, what
/// came of the predictions. `env` is that of the lesson with the block's own setup.
///
/// # Errors
/// What is wrong with it, a sentence each: it cannot be read, or something that it
/// names cannot be. An expression without a value says so in its place.
pub fn present(live: &Live, env: &Env<'_>, facts: &dyn Facts) -> Result<Vec<Piece>, Vec<String>> {
    let block = match &live.content {
        Ok(block) => block,
        Err(faults) => return Err(faults.iter().map(ToString::to_string).collect()),
    };
    let asks = live.predict.iter();
    let mut out: Vec<Piece> = asks
        .map(|predict| Piece::Ask(Prose::of(&predict.ask.text, env)))
        .collect();
    out.extend(content(block, env, facts).map_err(|why| vec![why])?);
    out.extend(live.predict.iter().map(|predict| {
        let note = predict.note.as_ref().map(|note| filled(&note.text, env));
        Piece::Outcome(outcome(predict, env), note)
    }));
    Ok(out)
}

/// A text with its inline numbers; one without a value says why in its place.
fn filled(text: &str, env: &Env<'_>) -> String {
    fill(text, |inline| match inline.show(env) {
        Ok(shown) => shown,
        Err((_, why)) => format!("({why})"),
    })
}

/// What a prediction asks for, as the block shows it.
///
/// # Errors
/// A sentence: it has no value.
pub fn outcome(predict: &Predict, env: &Env<'_>) -> Result<String, String> {
    let value = predict.answer.value.evaluate(env);
    let unit = predict.unit.as_ref().map(Typed::as_str);
    print(&value.map_err(|e| e.message)?, unit)
}

fn content(block: &Block, env: &Env<'_>, facts: &dyn Facts) -> Result<Vec<Piece>, String> {
    let config = &env.setup.config;
    Ok(match block {
        Block::Lab {
            start,
            toggles,
            ops,
            ..
        } => lab::lab(env, start.as_ref(), toggles, ops, facts)?,
        Block::Ribbon { plan, prices } => lab::ribbon(env, plan.as_ref(), *prices, facts)?,
        Block::Trips(asked) => trips::trips(env, asked, facts)?,
        Block::Table { columns, rows } => vec![Piece::Table(grid::table(env, columns, rows))],
        Block::Compare {
            plans,
            metrics,
            forward,
        } => {
            let grid = grid::compare(env, plans, metrics, *forward, facts)?;
            let names: Vec<String> = plans.iter().map(|plan| quoted(plan.as_str())).collect();
            let plans = format!("{} --run", names.join(" "));
            vec![Piece::Table(grid), Piece::run("compare", config, &plans)]
        }
        Block::Staircase { order, forward } => staircase::staircase(env, order, *forward)?,
        Block::Roofline { plan, gpus, mark } => {
            let found = roofline::roofline(env, plan.as_ref(), gpus, mark)?;
            vec![Piece::Roofline(found)]
        }
        Block::Chart { .. } => vec![Piece::Chart(chart::chart(block, env)?)],
        Block::Steps {
            title,
            steps,
            picture,
        } => {
            let title = title.as_ref().map(|t| t.text.clone());
            let title = title.map(|title| Piece::Words(Weight::Title, title));
            let scenes = picture.as_ref().map_or(Vec::new(), scene::scenes);
            let mut scenes = scenes.into_iter();
            let steps = steps.iter().map(|step| Step {
                text: Prose::of(&step.text, env),
                scene: scenes.next(),
            });
            title
                .into_iter()
                .chain([Piece::Steps(steps.collect())])
                .collect()
        }
        Block::Question { exercise, key } => {
            let named = key.as_ref().map(|key| &*key.text);
            let (exercise, key) = facts.question(&exercise.text, named)?;
            let question = Question::of(exercise, key, env)?;
            let command = format!("check {} --answer {}=...", question.exercise, question.key);
            vec![Piece::Question(Box::new(question)), Piece::Run(command)]
        }
        Block::Claim { id } => claim::claim(&id.text, env, facts)?,
        Block::Micro {
            kernel,
            sweep,
            show,
            backend,
        } => {
            let backend = facts.gym(backend.as_ref().map(|named| &*named.text));
            let request = MicroRequest::new(&kernel.text, sweep, backend);
            kernel::micro(&request.map_err(|e| e.to_string())?, show, facts)?
        }
        Block::Kernel { .. } => kernel::kernel(block, env, facts)?,
        Block::Profile(sample) => profile(env, sample)?,
        Block::Study(made) => study::block(made, env.setup.gpu, facts),
        Block::Occupancy(block) => occupancy::occupancy(*block, env)?,
    })
}

/// The top of a generated file, and what the reader makes of it.
fn profile(env: &Env<'_>, sample: &Sample) -> Result<Vec<Piece>, String> {
    let config = &env.setup.config;
    let shown = sample.show(config, env.gpus)?;
    let mut out = vec![Piece::Words(Weight::Aside, shown.caption)];
    let (head, rows) = (shown.excerpt.head, shown.excerpt.rows);
    if head.is_empty() {
        out.push(Piece::Lines(
            rows.iter().map(|line| line.concat()).collect(),
        ));
        out.push(Piece::Words(Weight::Aside, shown.rest));
    } else {
        out.push(Piece::Table(Grid {
            head,
            rows,
            foot: shown.rest,
            ..Grid::default()
        }));
    }
    let said = shown.said.into_iter();
    out.extend(said.map(|said| Piece::Said(said.about.to_owned(), said.text)));
    // A command names the plan, which may be the question.
    if sample.reading {
        let usual = preset(&config.model.name).map(|p| p.model().layers);
        let layers = match usual {
            Ok(layers) if layers == config.model.layers => String::new(),
            _ => format!("--layers {} ", config.model.layers),
        };
        let what = format!("profile --sample {}", sample.tool.name());
        let rest = format!(
            "{} {layers}--gpu {} --forwards {}",
            shown.cut.as_options(),
            shown.gpu,
            shown.forwards
        );
        out.push(Piece::run(&what, config, &rest));
    }
    Ok(out)
}

/// One argument as a shell takes it.
pub fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-_./=,%".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

impl Piece {
    /// A command with what sets a configuration up, and what follows that.
    fn run(command: &str, config: &Config, rest: &str) -> Self {
        Self::Run(format!("{command}{} {rest}", config.as_options()))
    }

    /// Something in it has no value, and says why in its place.
    pub fn unshown(&self) -> bool {
        match self {
            Self::Ask(prose) | Self::Text(prose) => prose.unshown(),
            Self::Steps(steps) => steps.iter().any(|step| step.text.unshown()),
            Self::Figures(figures) => figures.iter().any(|figure| figure.value.is_err()),
            Self::Table(grid) => grid.unshown,
            Self::Question(question) => question.ask.unshown(),
            _ => false,
        }
    }
}
