//! What the model says of a claim, number by number.

use super::{Claim, Figure};
use crate::answer::claim::Evidence;
use crate::answer::{Env, Expr, Ground, Records, Value};
use crate::number::{fill, print};
use plan::cost::{CostError, GpuDatabase};
use plan::fusion::Cut;

/// One line of evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What a number of ours rests on; none where the document says it.
    pub ground: Option<Ground>,
    /// What it is.
    pub label: String,
    /// The number, or why there is none.
    pub value: Result<String, String>,
}

impl Claim {
    /// What its expressions look at.
    ///
    /// # Errors
    /// Those of [`crate::answer::Setup::workshop`].
    pub fn env<'e>(
        &self,
        gpus: &'e GpuDatabase,
        records: &'e dyn Records,
    ) -> Result<Env<'e>, CostError> {
        Ok(Env::new(self.setup.answer()?, gpus, records))
    }

    /// What the document says: the number as it prints it, and what its own
    /// formula gives here.
    pub fn document_lines(&self, env: &Env<'_>) -> Vec<Line> {
        let line = |label: &str, value| Line {
            ground: None,
            label: label.to_owned(),
            value,
        };
        let printed = self.printed.clone();
        let mut lines: Vec<Line> = printed
            .map(|p| line("printed", Ok(p)))
            .into_iter()
            .collect();
        if let Some(formula) = &self.claimed {
            // A formula that is wrong in kind prints in the unit it has.
            let unit = self.figures.first().and_then(|f| f.unit.as_deref());
            let value = shown(&formula.text, unit, env);
            let value = value.or_else(|_| shown(&formula.text, None, env));
            lines.push(line("its formula here", value));
        }
        lines
    }

    /// What we find, by the model and otherwise: the claim's own number first.
    pub fn model_lines(&self, env: &Env<'_>) -> Vec<Line> {
        let line = |figure: &Figure| Line {
            ground: Expr::parse(&figure.expr.text).ok().map(|e| e.ground()),
            label: figure.label.clone(),
            value: shown(&figure.expr.text, figure.unit.as_deref(), env),
        };
        self.figures.iter().map(line).collect()
    }

    /// The model and shape of its numbers, where one of them depends on those.
    pub fn shape(&self, env: &Env<'_>) -> Option<String> {
        let modelled = |text: &str| Expr::parse(text).is_ok_and(|e| e.ground() == Ground::Model);
        let formula = self.claimed.iter().any(|formula| modelled(&formula.text));
        let found = || {
            self.figures
                .iter()
                .any(|figure| modelled(&figure.expr.text))
        };
        (formula || found()).then(|| env.setup.config.title())
    }

    /// What is true, its numbers filled in.
    pub fn truth_in(&self, env: &Env<'_>) -> String {
        let value = |inline: &super::super::number::Inline| {
            inline
                .show(env)
                .unwrap_or_else(|(_, why)| format!("({why})"))
        };
        fill(&self.truth.text, value)
    }

    /// The value of one of its figures.
    ///
    /// # Errors
    /// A sentence: an expression that cannot be read or evaluated.
    pub fn value(&self, figure: &Figure, env: &Env<'_>) -> Result<Value, String> {
        evaluated(&figure.expr.text, env)
    }

    /// The plans of its demonstration; those that cannot be read are left out,
    /// which a test excludes.
    pub fn cuts(&self) -> Vec<Cut> {
        let cut = |plan: &crate::Phrase| Cut::parse(&plan.text).ok();
        self.plans.iter().filter_map(cut).collect()
    }
}

/// The settings that the command line takes too, with their option.
const OPTIONS: [(&str, &str); 5] = [
    ("preset", "--model"),
    ("batch", "--batch"),
    ("seq", "--seq"),
    ("context", "--context"),
    ("dtype", "--dtype"),
];

impl Claim {
    /// The command that demonstrates it: its own, or the comparison of its
    /// plans, run where counting or measuring settles it.
    pub fn demonstration(&self) -> Option<String> {
        if let Some(command) = &self.command {
            return Some(format!("tinyllama-tutor {command}"));
        }
        if self.plans.is_empty() {
            return None;
        }
        let mut words = vec!["tinyllama-tutor compare".to_owned()];
        words.extend(self.plans.iter().map(|p| p.text.clone()));
        for (name, option) in OPTIONS {
            words.extend(
                self.setup
                    .text(name)
                    .map(|value| format!("{option} {value}")),
            );
        }
        words.push(match self.evidence {
            Evidence::Count | Evidence::Measure => "--run".to_owned(),
            _ => "--block".to_owned(),
        });
        Some(words.join(" "))
    }
}

fn evaluated(text: &str, env: &Env<'_>) -> Result<Value, String> {
    let expr = Expr::parse(text).map_err(|e| e.to_string())?;
    expr.evaluate(env).map_err(|e| e.to_string())
}

/// An expression as it prints, or why it does not.
pub(super) fn shown(text: &str, unit: Option<&str>, env: &Env<'_>) -> Result<String, String> {
    let value = evaluated(text, env)?;
    print(&value, unit)
}
