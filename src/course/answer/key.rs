//! A question with its answer, as `[[key]]` in an exercise file writes it.

use super::Env;
use super::expr::{Expr, ExprError};
use super::grid::Table;
use super::kernel::Kernel;
use super::setup::{Setting, Setup};
use crate::fault::Place;
use crate::fields::{Phrase, Typed};
use crate::setup::Setup as Counted;
use crate::solution::Worked;
use plan::cost::Config;
use plan::units::Spec;
use std::fmt;

/// What kind of answer a question wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A number with its unit.
    #[default]
    Number,
    /// One of the options.
    Choice,
    /// Several of the options, in any order.
    Choices,
    /// All of the options, in order.
    Ranking,
    /// What a run on this machine showed.
    Measured,
    /// A table to be filled in, cell by cell.
    Table,
    /// A number that is kept beside what came out, and never wrong.
    Predict,
    /// Free text: kept, never graded.
    Text,
}

impl Kind {
    /// Every kind with its name in a file.
    pub const ALL: [(&str, Self); 8] = [
        ("number", Self::Number),
        ("choice", Self::Choice),
        ("choices", Self::Choices),
        ("ranking", Self::Ranking),
        ("measured", Self::Measured),
        ("table", Self::Table),
        ("predict", Self::Predict),
        ("text", Self::Text),
    ];

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, k)| *k)
    }
}

/// How near an answer must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Whole numbers below 10⁴ to the last digit, larger ones at the precision
    /// typed with at least four digits.
    Exact,
    /// A share of the expected value: `0.5 %`.
    Relative(f64),
    /// Percentage points: `0.05 points`.
    Points(f64),
    /// In the answer's base unit: `0.00001`.
    Absolute(f64),
}

impl Default for Tolerance {
    fn default() -> Self {
        Self::Relative(0.005)
    }
}

impl Tolerance {
    /// Reads `exact`, `0.5 %`, `0.05 points` or a plain number.
    ///
    /// # Errors
    /// One sentence that says which forms there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == "exact" {
            return Ok(Self::Exact);
        }
        let wrong =
            || format!("“{text}” is not a tolerance; write exact, 0.5 %, 0.05 points or 0.00001");
        let (number, form): (&str, fn(f64) -> Self) = if let Some(n) = text.strip_suffix('%') {
            (n, |x| Self::Relative(x / 100.0))
        } else if let Some(n) = text.strip_suffix("points").or(text.strip_suffix("pp")) {
            (n, |x| Self::Points(x / 100.0))
        } else {
            (text, Self::Absolute)
        };
        match number.trim().parse::<f64>() {
            Ok(x) if x.is_finite() && x > 0.0 => Ok(form(x)),
            _ => Err(wrong()),
        }
    }

    /// The same as a multiple: what “close” is measured by.
    pub(super) fn times(self, factor: f64) -> Self {
        match self {
            Self::Exact => Self::Exact,
            Self::Relative(x) => Self::Relative(x * factor),
            Self::Points(x) => Self::Points(x * factor),
            Self::Absolute(x) => Self::Absolute(x * factor),
        }
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Six decimals hide the last bit of 0.005 · 4 · 100.
        let short = |x: f64| {
            let text = format!("{x:.6}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        match self {
            Self::Exact => f.write_str("exact"),
            Self::Relative(x) => write!(f, "± {} %", short(x * 100.0)),
            Self::Points(x) => write!(f, "± {} points", short(x * 100.0)),
            Self::Absolute(x) => write!(f, "± {}", short(*x)),
        }
    }
}

/// Where the value of a slip comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum SlipValue {
    /// An expression of its own.
    Expr(Typed<Expr>),
    /// The key's own answer, under the slip's settings.
    SameAnswer,
    /// A value that a document prints, with its unit.
    Printed(Phrase),
}

/// A way of getting it wrong (or right by another convention) that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Slip {
    /// Its value.
    pub value: SlipValue,
    /// Settings under which the value is computed: `convention = { … }`.
    pub settings: Vec<Setting>,
    /// The row of a table that it is about; all rows where none is named.
    pub row: Option<Phrase>,
    /// The column of a table that it is about.
    pub column: Option<Phrase>,
    /// Counts as right, and is explained.
    pub accept: bool,
    /// The sentence that explains it.
    pub say: Phrase,
    /// The claim that prints it, by its id.
    pub claim: Option<Phrase>,
}

impl Slip {
    /// A mistake with this value.
    pub(crate) fn new(value: SlipValue, say: Phrase) -> Self {
        Self {
            value,
            settings: Vec::new(),
            row: None,
            column: None,
            accept: false,
            say,
            claim: None,
        }
    }

    /// The id of the claim that prints it.
    pub(super) fn claim(&self) -> Option<String> {
        self.claim.as_ref().map(|claim| claim.text.clone())
    }

    /// Its value as it is written; where it is counted another way, its sentence.
    pub(crate) fn written(&self) -> &Phrase {
        match &self.value {
            SlipValue::Expr(expr) => &expr.written,
            SlipValue::Printed(printed) => printed,
            SlipValue::SameAnswer => &self.say,
        }
    }
}

/// One question, typed when it is loaded: whoever asks, grades or lints it works
/// with the same expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its name within the exercise: sheets and progress are kept under it.
    pub name: Phrase,
    /// The question.
    pub ask: Phrase,
    /// What is wanted.
    pub kind: Kind,
    /// The expected answer; a table has one per cell, free text has none.
    pub answer: Option<Typed<Expr>>,
    /// The table to be filled in.
    pub table: Option<Table>,
    /// The worked answer of free text, shown after it was answered.
    pub model: Option<Phrase>,
    /// Free text must hold a number.
    pub needs_number: bool,
    /// The kernel that it is about: a line to be found (a choice among line
    /// numbers), or the kernel to be written (free text, judged by a trial).
    pub kernel: Option<Kernel>,
    /// How near it must be.
    pub tolerance: Tolerance,
    /// The unit that the question names, and its decimals.
    pub unit: Option<Typed<Spec>>,
    /// The options of a choice, choices or ranking, or of the cells of a table.
    pub options: Vec<Phrase>,
    /// Known slips.
    pub slips: Vec<Slip>,
    /// Hints, vaguest first.
    pub hints: Vec<Phrase>,
    /// The exercise's configuration with the key's own on top.
    pub setup: Counted,
    /// The key's own configuration.
    pub(crate) own: Counted,
    /// Where its derivation stands.
    pub(crate) worked: Worked,
}

impl Key {
    /// A question of this kind, with the default tolerance and nothing else.
    pub(crate) fn new(name: Phrase, ask: Phrase, kind: Kind) -> Self {
        Self {
            name,
            ask,
            kind,
            answer: None,
            table: None,
            model: None,
            needs_number: false,
            kernel: None,
            tolerance: Tolerance::default(),
            unit: None,
            options: Vec::new(),
            slips: Vec::new(),
            hints: Vec::new(),
            setup: Counted::default(),
            own: Counted::default(),
            worked: Worked::default(),
        }
    }

    /// A question for a number that no file holds.
    pub fn number(name: &str, ask: &str, answer: Expr) -> Self {
        let written = Phrase::made(answer.source());
        Self {
            answer: Some(Typed {
                value: answer,
                written,
            }),
            ..Self::new(Phrase::made(name), Phrase::made(ask), Kind::Number)
        }
    }

    /// What its configuration means, for [`Env::with`].
    pub fn settings(&self) -> Vec<Setting> {
        self.setup.meaning()
    }

    /// Where its answer is written.
    pub fn place(&self) -> Place {
        let cell = || self.table.as_ref()?.answers.first()?.first();
        let written = self.answer.as_ref().or_else(cell).map(|a| &a.written);
        written
            .or(self.model.as_ref())
            .map_or(self.name.at, |phrase| phrase.at)
    }

    /// The lines among which the defective one is looked for.
    pub(super) fn lines(&self) -> Vec<String> {
        self.kernel.as_ref().map_or_else(Vec::new, Kernel::lines)
    }

    /// The expected answer.
    pub(crate) fn expected(&self) -> Result<&Expr, ExprError> {
        let answer = self.answer.as_ref().map(|answer| &answer.value);
        answer.ok_or_else(|| self.no_answer())
    }

    /// Whether it is graded: own words and predictions are kept, kernels are judged.
    pub fn is_graded(&self) -> bool {
        self.kernel.is_some() || !matches!(self.kind, Kind::Text | Kind::Predict)
    }

    pub(super) fn no_answer(&self) -> ExprError {
        ExprError {
            column: 1,
            message: format!("{} has no answer of its own", self.name.text),
        }
    }

    fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let cells = self
            .table
            .iter()
            .flat_map(|table| table.answers.iter().flatten());
        self.answer.iter().chain(cells).map(|answer| &answer.value)
    }

    /// Whether any expected value comes from a run or from a defective kernel.
    pub(crate) fn asks_a_machine(&self) -> bool {
        self.asks_for_a_run() || self.expressions().any(Expr::asks_for_a_mutant)
    }

    /// Whether any expected value comes from a run.
    pub fn asks_for_a_run(&self) -> bool {
        self.expressions().any(Expr::asks_for_a_run)
    }

    /// The configurations whose runs its answer asks, each once. `setup` is the
    /// exercise's.
    pub fn answered_by(&self, setup: &Setup) -> Vec<Config> {
        let setup = setup.with(&self.settings());
        let mut found: Vec<Config> = Vec::new();
        for (config, _) in self.expressions().flat_map(|answer| answer.runs(&setup)) {
            if !found.contains(&config) {
                found.push(config);
            }
        }
        found
    }

    /// The figures that its answer reads off the run of a configuration, each once. `setup`
    /// is the exercise's.
    pub fn figures_of(&self, setup: &Setup, config: &Config) -> Vec<String> {
        let setup = setup.with(&self.settings());
        let mut found: Vec<String> = Vec::new();
        for (of, figure) in self.expressions().flat_map(|answer| answer.runs(&setup)) {
            if of == *config && !found.contains(&figure) {
                found.push(figure);
            }
        }
        found
    }

    /// Every run that its answer and its slips ask, by configuration, with the
    /// figures asked of each. `setup` is the exercise's.
    pub fn runs(&self, setup: &Setup) -> Vec<(Config, Vec<String>)> {
        let setup = setup.with(&self.settings());
        let slips = self.slips.iter().filter_map(|slip| match &slip.value {
            SlipValue::Expr(expr) => Some(expr.value.runs(&setup.with(&slip.settings))),
            SlipValue::SameAnswer | SlipValue::Printed(_) => None,
        });
        let answers = self.expressions().map(|answer| answer.runs(&setup));
        let mut runs: Vec<(Config, Vec<String>)> = Vec::new();
        for (config, figure) in answers.chain(slips).flatten() {
            match runs.iter_mut().find(|(known, _)| *known == config) {
                Some((_, figures)) => figures.push(figure),
                None => runs.push((config, vec![figure])),
            }
        }
        runs
    }

    /// Every microbenchmark that its answer and its slips ask, with the values of
    /// its sweep. `env` is the exercise's.
    pub fn micros(&self, env: &Env<'_>) -> Vec<(String, Vec<u32>)> {
        let env = &env.with(&self.settings());
        let slips = self.slips.iter().filter_map(|slip| match &slip.value {
            SlipValue::Expr(expr) => Some(&expr.value),
            SlipValue::SameAnswer | SlipValue::Printed(_) => None,
        });
        let asked = self.expressions().chain(slips).flat_map(|e| e.micros(env));
        let mut micros: Vec<(String, Vec<u32>)> = Vec::new();
        for (kernel, value) in asked {
            let Ok(value) = u32::try_from(value) else {
                continue;
            };
            match micros.iter_mut().find(|(known, _)| *known == kernel) {
                Some((_, values)) if values.contains(&value) => {}
                Some((_, values)) => values.push(value),
                None => micros.push((kernel, vec![value])),
            }
        }
        micros
    }

    /// One cell of a table as a question of its own, with the slips that are
    /// about it.
    pub fn cell(&self, row: usize, column: usize) -> Option<Self> {
        let table = self.table.as_ref()?;
        let (row_name, column_name) = (table.rows.get(row)?, table.columns.get(column)?);
        let about = |named: &Option<Phrase>, here: &Phrase| {
            named.as_ref().is_none_or(|named| named.text == here.text)
        };
        let slips = self.slips.iter();
        let name = format!("{}.{}.{}", self.name.text, row_name.text, column_name.text);
        let kind = match self.options.is_empty() {
            true => Kind::Number,
            false => Kind::Choice,
        };
        Some(Self {
            answer: Some(table.answers.get(row)?.get(column)?.clone()),
            tolerance: self.tolerance,
            unit: self.unit.clone(),
            options: self.options.clone(),
            slips: slips
                .filter(|s| about(&s.row, row_name) && about(&s.column, column_name))
                .cloned()
                .collect(),
            setup: self.setup.clone(),
            ..Self::new(
                Phrase {
                    text: name,
                    at: self.name.at,
                },
                self.ask.clone(),
                kind,
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_as_authors_write_them() {
        assert_eq!(Tolerance::parse("exact"), Ok(Tolerance::Exact));
        assert_eq!(Tolerance::parse("0.5 %"), Ok(Tolerance::Relative(0.005)));
        assert_eq!(
            Tolerance::parse("0.05 points"),
            Ok(Tolerance::Points(0.0005))
        );
        assert_eq!(Tolerance::parse("1e-5"), Ok(Tolerance::Absolute(1e-5)));
        assert!(Tolerance::parse("about").is_err() && Tolerance::parse("-1 %").is_err());
        assert_eq!(Tolerance::default().times(4.0).to_string(), "± 2 %");
    }
}
