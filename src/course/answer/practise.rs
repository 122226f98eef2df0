//! Practice: fresh questions without end, each judged like a question of the
//! course, and those that went wrong come back sooner.
//!
//! A [`Pattern`] is a kind of question; a seed draws its cut, shape, element
//! type and GPU. The known slips of a question are quantities under another
//! convention: one that coincides with the answer at the drawn parameters is
//! left out, so that a slip is never named by chance.

mod counting;
mod deck;
mod draw;
mod machine;
mod scene;

pub use deck::{Card, Deck};
pub use draw::Draw;

use super::grid::listed;
use super::{Env, Expr, Key, Kind, NoRecords, Setting, Setup, Slip, SlipValue, Tolerance, Value};
use super::{lint, told_apart};
use crate::fields::{Phrase, Typed};
use plan::cost::GpuDatabase;
use plan::units::Spec;
use scene::Scene;

/// Draws for one seed before a pattern is given up: some cuts have no group of
/// two ops, some kernels no second way of counting.
const DRAWS: u64 = 64;

/// What is practised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// Launches of a cut.
    Launches,
    /// Floating-point operations.
    Flops,
    /// Bytes moved.
    Bytes,
    /// Operations per byte.
    Intensity,
    /// Ridges, floors and bounds.
    Roofline,
    /// Blocks and warps that fit.
    Occupancy,
}

impl Topic {
    /// Every topic with its name on the command line.
    pub const ALL: [(&str, Self); 6] = [
        ("launches", Self::Launches),
        ("flops", Self::Flops),
        ("bytes", Self::Bytes),
        ("intensity", Self::Intensity),
        ("roofline", Self::Roofline),
        ("occupancy", Self::Occupancy),
    ];

    /// The topic of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, t)| *t)
    }

    /// Its kinds of question.
    pub fn patterns(self) -> impl Iterator<Item = &'static Pattern> {
        PATTERNS
            .iter()
            .flat_map(|part| part.iter())
            .filter(move |p| p.topic == self)
    }
}

/// A kind of question.
pub struct Pattern {
    /// `bytes.kernel`: its state is kept under this name.
    pub id: &'static str,
    /// What it practises.
    pub topic: Topic,
    make: fn(&mut Draw, &Scene, &GpuDatabase) -> Option<Question>,
}

const PATTERNS: [&[Pattern]; 2] = [counting::PATTERNS, machine::PATTERNS];

/// The pattern of this name.
pub fn pattern(id: &str) -> Option<&'static Pattern> {
    let mut all = PATTERNS.iter().flat_map(|part| part.iter());
    all.find(|p| p.id == id)
}

/// A question with everything that it stands on.
#[derive(Clone, Debug)]
pub struct Task {
    /// The pattern's name.
    pub pattern: &'static str,
    /// What is given, a line each.
    pub premise: Vec<String>,
    /// The question, ready to be judged.
    pub key: Key,
    /// Model, shape, element type and cut.
    pub setup: Setup,
    /// The command that unfolds the answer, where there is one.
    pub command: Option<String>,
}

impl Task {
    /// The options, in a line; empty where a number is asked for.
    pub fn options(&self) -> String {
        listed(&self.key.options)
    }

    /// The way to the answer.
    pub fn hint(&self) -> &str {
        self.key.hints.first().map_or("", |hint| &hint.text)
    }

    /// How the answer comes about.
    pub fn derived(&self, env: &Env<'_>) -> Vec<String> {
        self.key
            .derive(env)
            .into_iter()
            .map(|step| step.text)
            .collect()
    }

    /// The answer in the unit that is asked for.
    pub fn answer(&self, env: &Env<'_>) -> Option<String> {
        let value = self.key.expected().ok()?.evaluate(env).ok()?;
        let unit = self.key.unit.as_ref().map(|unit| unit.value);
        value.print(unit, false).ok()
    }
}

/// What a pattern draws.
struct Question {
    ask: String,
    /// The way to the answer, without a number of it.
    hint: String,
    answer: String,
    kind: Kind,
    unit: &'static str,
    tolerance: Tolerance,
    options: Vec<String>,
    slips: Vec<(Reading, String)>,
    /// What else is given.
    given: Vec<String>,
    /// The key of `cost --why`, and whether it is about V1.
    why: Option<(String, bool)>,
    /// Whether model and shape matter.
    shaped: bool,
}

/// Another reading of a question.
enum Reading {
    /// Another quantity.
    Expr(String),
    /// The same quantity under other settings.
    Under(Vec<Setting>),
}

impl Question {
    fn new(ask: impl Into<String>, hint: impl Into<String>, answer: impl Into<String>) -> Self {
        Self {
            ask: ask.into(),
            hint: hint.into(),
            answer: answer.into(),
            kind: Kind::Number,
            unit: "",
            tolerance: Tolerance::default(),
            options: Vec::new(),
            slips: Vec::new(),
            given: Vec::new(),
            why: None,
            shaped: true,
        }
    }

    fn exact(mut self) -> Self {
        self.tolerance = Tolerance::Exact;
        self
    }

    /// An exact count with more digits than anybody types, as in the exercises.
    fn counted(self, unit: &'static str) -> Self {
        self.exact()
            .unit(unit)
            .given("A count: right to four digits or more.")
    }

    fn share(mut self) -> Self {
        self.tolerance = Tolerance::Points(0.0005);
        self.unit("%")
    }

    fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    fn slip(mut self, value: impl Into<String>, say: impl Into<String>) -> Self {
        self.slips.push((Reading::Expr(value.into()), say.into()));
        self
    }

    fn under(mut self, settings: Vec<Setting>, say: impl Into<String>) -> Self {
        self.slips.push((Reading::Under(settings), say.into()));
        self
    }

    fn given(mut self, line: impl Into<String>) -> Self {
        self.given.push(line.into());
        self
    }

    fn why(mut self, key: impl Into<String>) -> Self {
        self.why = Some((key.into(), false));
        self
    }

    fn why_v1(mut self, key: impl Into<String>) -> Self {
        self.why = Some((key.into(), true));
        self
    }

    fn choice<const N: usize>(mut self, options: [&str; N]) -> Self {
        self.kind = Kind::Choice;
        self.options = options.map(str::to_owned).to_vec();
        self
    }
}

/// A fresh question of a pattern. The same seed gives the same question.
pub fn task(pattern: &'static Pattern, seed: u64, gpus: &GpuDatabase) -> Option<Task> {
    (0..DRAWS).find_map(|attempt| {
        let mut draw = Draw::new(seed, pattern.id, attempt);
        let scene = Scene::draw(&mut draw)?;
        let question = (pattern.make)(&mut draw, &scene, gpus)?;
        finished(pattern, &scene, question, gpus)
    })
}

/// The question in the judge's form, with the slips that can be told from the
/// answer; `None` where nothing sensible is asked at these parameters.
fn finished(
    pattern: &'static Pattern,
    scene: &Scene,
    question: Question,
    gpus: &GpuDatabase,
) -> Option<Task> {
    let setup = scene.setup()?;
    let env = Env::new(setup.clone(), gpus, &NoRecords);
    let mut key = Key::number(
        pattern.id,
        &question.ask,
        Expr::parse(&question.answer).ok()?,
    );
    key.kind = question.kind;
    key.tolerance = question.tolerance;
    key.unit = Spec::parse(question.unit).ok().map(|value| Typed {
        value,
        written: Phrase::made(question.unit),
    });
    key.options = question.options.into_iter().map(Phrase::made).collect();
    key.hints = vec![Phrase::made(question.hint)];
    if !lint(&key, &env).is_empty() {
        return None;
    }
    if let Value::Quantity(answer) = key.expected().ok()?.evaluate(&env).ok()?
        && answer.value() <= 0.0
    {
        return None;
    }
    for (reading, say) in question.slips {
        let (value, settings) = match reading {
            Reading::Expr(text) => {
                let expr = Typed::expression(Phrase::made(text)).ok()?;
                (SlipValue::Expr(expr), Vec::new())
            }
            Reading::Under(settings) => (SlipValue::SameAnswer, settings),
        };
        key.slips.push(Slip {
            settings,
            ..Slip::new(value, Phrase::made(say))
        });
    }
    // One that is the answer here, or another slip, explains nothing.
    let mut told = told_apart(&key, &env).into_iter();
    key.slips.retain(|_| told.next() == Some(true));
    let mut premise = match question.shaped {
        true => scene.premise(question.why.as_ref().is_some_and(|(_, v1)| *v1)),
        false => Vec::new(),
    };
    premise.extend(question.given);
    Some(Task {
        pattern: pattern.id,
        premise,
        command: question.why.map(|(why, v1)| scene.command(&why, v1)),
        key,
        setup,
    })
}

#[cfg(test)]
mod tests;
