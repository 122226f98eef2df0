//! A question with its answer: the typed form of `[[key]]` in an exercise file.

use super::Env;
use super::expr::{Expr, ExprError};
use super::grid::Grid;
use super::setup::{Setting, Setup};
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
    Expr(Expr),
    /// The key's own answer, under the slip's settings.
    SameAnswer,
    /// A value that a document prints, with its unit.
    Printed(String),
}

/// A way of getting it wrong (or right by another convention) that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Slip {
    /// Its value.
    pub value: SlipValue,
    /// Settings under which the value is computed: `convention = { … }`.
    pub settings: Vec<Setting>,
    /// The row of a table that it is about; all rows where none is named.
    pub row: Option<String>,
    /// The column of a table that it is about.
    pub column: Option<String>,
    /// Counts as right, and is explained.
    pub accept: bool,
    /// The sentence that explains it.
    pub say: String,
    /// The claim that prints it, by its id.
    pub claim: Option<String>,
}

/// One question.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its name within the exercise.
    pub name: String,
    /// The question.
    pub ask: String,
    /// What is wanted.
    pub kind: Kind,
    /// The expected answer; a table has one per cell, free text has none.
    pub answer: Option<Expr>,
    /// The table of a [`Kind::Table`].
    pub grid: Option<Grid>,
    /// Free text must hold a number.
    pub needs_number: bool,
    /// How near it must be.
    pub tolerance: Tolerance,
    /// The unit that the question names, and its decimals.
    pub unit: Option<Spec>,
    /// The options of a choice, choices or ranking.
    pub options: Vec<String>,
    /// The lines of the excerpt, where one of them is asked for: its options are
    /// their numbers.
    pub lines: Vec<String>,
    /// Known slips.
    pub slips: Vec<Slip>,
    /// Hints, vaguest first.
    pub hints: Vec<String>,
    /// Settings of this key on top of the exercise's.
    pub settings: Vec<Setting>,
}

impl Key {
    /// A question for a number, with the default tolerance and nothing else.
    pub fn number(name: &str, ask: &str, answer: Expr) -> Self {
        Self {
            name: name.to_owned(),
            ask: ask.to_owned(),
            kind: Kind::Number,
            answer: Some(answer),
            grid: None,
            needs_number: false,
            tolerance: Tolerance::default(),
            unit: None,
            options: Vec::new(),
            lines: Vec::new(),
            slips: Vec::new(),
            hints: Vec::new(),
            settings: Vec::new(),
        }
    }

    /// The expected answer.
    pub(super) fn expected(&self) -> Result<&Expr, ExprError> {
        self.answer.as_ref().ok_or_else(|| self.no_answer())
    }

    pub(super) fn no_answer(&self) -> ExprError {
        ExprError {
            column: 1,
            message: format!("{} has no answer of its own", self.name),
        }
    }

    fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let cells = self
            .grid
            .iter()
            .flat_map(|grid| grid.answers.iter().flatten());
        self.answer.iter().chain(cells)
    }

    /// Whether any expected value comes from a run or from a defective kernel.
    pub(super) fn asks_a_machine(&self) -> bool {
        self.asks_for_a_run() || self.expressions().any(Expr::asks_for_a_mutant)
    }

    /// Whether any expected value comes from a run.
    pub fn asks_for_a_run(&self) -> bool {
        self.expressions().any(Expr::asks_for_a_run)
    }

    /// The configurations whose runs its answer asks, each once. `setup` is the
    /// exercise's.
    pub fn answered_by(&self, setup: &Setup) -> Vec<Config> {
        let setup = setup.with(&self.settings);
        let mut found: Vec<Config> = Vec::new();
        for (config, _) in self.expressions().flat_map(|answer| answer.runs(&setup)) {
            if !found.contains(&config) {
                found.push(config);
            }
        }
        found
    }

    /// Every run that its answer and its slips ask, by configuration, with the
    /// figures asked of each. `setup` is the exercise's.
    pub fn runs(&self, setup: &Setup) -> Vec<(Config, Vec<String>)> {
        let setup = setup.with(&self.settings);
        let slips = self.slips.iter().filter_map(|slip| match &slip.value {
            SlipValue::Expr(value) => Some(value.runs(&setup.with(&slip.settings))),
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
        let env = &env.with(&self.settings);
        let slips = self.slips.iter().filter_map(|slip| match &slip.value {
            SlipValue::Expr(value) => Some(value),
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
        let grid = self.grid.as_ref()?;
        let (row_name, column_name) = (grid.rows.get(row)?, grid.columns.get(column)?);
        let about =
            |named: &Option<String>, here: &String| named.as_ref().is_none_or(|n| n == here);
        let slips = self.slips.iter();
        Some(Self {
            name: format!("{}.{row_name}.{column_name}", self.name),
            kind: match self.options.is_empty() {
                true => Kind::Number,
                false => Kind::Choice,
            },
            answer: Some(grid.answers.get(row)?.get(column)?.clone()),
            grid: None,
            slips: slips
                .filter(|s| about(&s.row, row_name) && about(&s.column, column_name))
                .cloned()
                .collect(),
            hints: Vec::new(),
            settings: Vec::new(),
            ..self.clone()
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
