//! The course as it is read here, what the learner made of it, and the numbers
//! that its expressions stand for.

mod recorded;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::runs::Runs;
use super::setup::Setup;
use crate::answer::{self, Env, Expr, Records, Setting, Value};
use crate::cost::{Config, GpuDatabase};
use crate::course::{self, Course, Exercise, Inline, Key, Lesson, Progress, Scalar};
use crate::run::Report;
use crate::units::{Column, Quantity, Unit, format_in};

pub use recorded::recorded;

/// What was typed, by exercise and key.
pub type Answers = BTreeMap<String, BTreeMap<String, String>>;

/// Everything that is loaded after the first frame.
#[derive(Clone, Debug, Default)]
pub struct Study {
    /// Lessons, exercises, solutions.
    pub course: Arc<Course>,
    /// What was read, answered and guessed.
    pub progress: Progress,
    /// Data sheets, for expressions that name a GPU.
    pub gpus: Option<Arc<GpuDatabase>>,
    /// Figures that were measured once elsewhere, by id.
    pub recorded: Arc<BTreeMap<String, Quantity>>,
    /// Answers of the sheets that were opened.
    pub answers: Answers,
    /// It has been loaded.
    pub loaded: bool,
}

/// An expression's value, or one sentence about what is wrong with it.
pub type Valued = Result<Value, String>;

impl Study {
    /// The lesson at a place of the contents.
    pub fn lesson(&self, index: usize) -> Option<&Lesson> {
        self.course.lessons().nth(index)
    }

    /// The place of a lesson in the contents, by its id.
    pub fn place_of(&self, id: &str) -> Option<usize> {
        self.course.lessons().position(|l| l.id == id)
    }

    /// An exercise by its id.
    pub fn exercise(&self, id: &str) -> Option<&Exercise> {
        self.course.exercise(id).ok()
    }

    /// A question of an exercise.
    pub fn key(&self, exercise: &str, key: &str) -> Option<&Key> {
        let found = self.exercise(exercise)?;
        found.keys.iter().find(|k| k.name.text == key)
    }

    /// What is typed for a question; empty while it is open.
    pub fn typed(&self, exercise: &str, key: &str) -> &str {
        self.answers
            .get(exercise)
            .and_then(|keys| keys.get(key))
            .map_or("", String::as_str)
    }

    /// Keeps what is typed for a question.
    pub fn type_in(&mut self, exercise: &str, key: &str, typed: &str) {
        self.answers
            .entry(exercise.to_owned())
            .or_default()
            .insert(key.to_owned(), typed.to_owned());
    }

    /// The configuration that a text of the course speaks about.
    ///
    /// # Errors
    /// A sentence that names the setting.
    pub fn configuration(&self, setup: &course::Setup) -> Result<answer::Setup, String> {
        let start = answer::Setup::workshop().map_err(|e| e.to_string())?;
        let settings: Vec<Setting> = setup
            .settings
            .iter()
            // Names the machine, not what is computed.
            .filter(|s| s.name != "gpu")
            .map(|s| Setting::parse(&s.name, &written(&s.value)).map_err(|e| e.to_string()))
            .collect::<Result<_, _>>()?;
        Ok(start.with(&settings))
    }

    /// What an expression yields in a configuration.
    ///
    /// # Errors
    /// One sentence, with the column.
    pub fn value(&self, expr: &str, setup: &answer::Setup, records: &dyn Records) -> Valued {
        let Some(gpus) = &self.gpus else {
            return Err("the course is still being loaded".to_owned());
        };
        let env = Env::new(setup.clone(), gpus, records);
        Expr::parse(expr)
            .and_then(|e| e.evaluate(&env))
            .map_err(|e| e.to_string())
    }

    /// An inline number as the page prints it.
    ///
    /// # Errors
    /// One sentence, with the column.
    pub fn number(
        &self,
        inline: &Inline,
        setup: &answer::Setup,
        records: &dyn Records,
    ) -> Result<String, String> {
        let value = self.value(&inline.expr.text, setup, records)?;
        printed(&value, inline.unit.as_deref(), inline.decimals)
    }
}

/// Runs of this session and figures recorded elsewhere, for expressions.
#[derive(Clone, Copy)]
pub struct Known<'s> {
    /// The runs.
    pub runs: &'s Runs,
    /// The figures.
    pub recorded: &'s BTreeMap<String, Quantity>,
}

impl Records for Known<'_> {
    fn report(&self, config: &Config) -> Option<&Report> {
        self.runs.of_config(config)
    }

    fn recorded(&self, id: &str) -> Option<Quantity> {
        self.recorded.get(id).copied()
    }
}

/// A setting's value as [`Setting::parse`] reads it.
fn written(value: &Scalar) -> String {
    match value {
        Scalar::Text(text) => text.clone(),
        Scalar::Count(count) => count.to_string(),
        Scalar::Flag(true) => "on".to_owned(),
        Scalar::Flag(false) => "off".to_owned(),
    }
}

/// A value in the unit asked for, else in the one that a person would pick.
///
/// # Errors
/// A unit that measures something else, or that nobody knows.
pub fn printed(
    value: &Value,
    unit: Option<&str>,
    decimals: Option<usize>,
) -> Result<String, String> {
    let Value::Quantity(q) = value else {
        return Ok(value.to_string());
    };
    let decimals = decimals.and_then(|d| u8::try_from(d).ok());
    match (unit, decimals) {
        (None, None) => Ok(value.to_string()),
        (None, Some(d)) => {
            let column = Column::fit(&[*q]).decimals(d);
            Ok(format!("{} {}", column.number(q), column.unit().symbol())
                .trim_end()
                .to_owned())
        }
        (Some(unit), _) => Unit::parse(unit)
            .and_then(|unit| format_in(q, unit, decimals))
            .map_err(|e| e.to_string()),
    }
}

/// The bench's setup for a configuration: the same but for the plan.
pub fn bench_setup(config: &Config) -> Setup {
    Setup {
        model: config.model.clone(),
        shape: config.shape,
        dtype: config.dtype,
        seed: 0,
        conventions: config.conventions,
    }
}
