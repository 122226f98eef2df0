//! How the answer of a question comes about, for whoever has found it.

use super::Exercise;
use crate::answer::{Env, Expr, Key, Kind, Step, Value};
use plan::units::Quantity;

impl Key {
    /// The steps from letters to the expected value; none where a run or a kernel says it.
    pub fn derive(&self, env: &Env<'_>) -> Vec<Step> {
        let stated = !matches!(self.kind, Kind::Text | Kind::Table | Kind::Predict);
        let answer = self.answer.as_ref().map(|answer| &answer.value);
        match answer.filter(|_| stated && !self.asks_a_machine()) {
            Some(answer) => answer.derive(&env.with(&self.settings())),
            None => Vec::new(),
        }
    }
}

impl Exercise {
    /// The steps to the answer of `key`, to be shown once it is solved or given up; less
    /// those that hold the answer of a question that is neither. `known`: whether another
    /// question is.
    pub fn derived(&self, key: &Key, env: &Env<'_>, known: impl Fn(&str) -> bool) -> Vec<String> {
        let Ok(setup) = self.setup.answer() else {
            return Vec::new();
        };
        let env = Env::new(setup, env.gpus, env.records);
        let value = |answer: &Expr, key: &Key| match answer.evaluate(&env.with(&key.settings())) {
            Ok(Value::Quantity(quantity)) => Some(quantity),
            _ => None,
        };
        let open = self.keys.iter().filter(|other| {
            other.name != key.name && !known(&other.name.text) && !other.asks_a_machine()
        });
        let asked: Vec<Quantity> = open
            .filter_map(|other| value(&other.answer.as_ref()?.value, other))
            .collect();
        let own = key
            .answer
            .as_ref()
            .and_then(|answer| value(&answer.value, key));
        // Small counts stand everywhere and give nothing away.
        let large = |q: &Quantity| q.value().abs() >= 100.0;
        let hidden = |q: &Quantity| {
            let same = |other: &Quantity| {
                let apart = (q.value() - other.value()).abs();
                apart <= 1e-9 * q.value().abs() && q.dimension() == other.dimension()
            };
            large(q) && asked.iter().any(same) && !own.as_ref().is_some_and(same)
        };
        let steps = key.derive(&env).into_iter();
        steps
            .filter(|step| !step.values.iter().any(hidden))
            .map(|step| step.text)
            .collect()
    }
}
