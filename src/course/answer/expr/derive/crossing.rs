//! Where two curves cross: both sides one below the answer and at it.

use super::super::Value;
use super::super::ast::{Arg, Call};
use super::super::eval::Evaluator;
use super::super::search::along;
use super::{Derivation, Step, spelled};
use crate::answer::Env;

impl Derivation<'_> {
    /// Both sides as values, and how they come about at the answer.
    pub(super) fn crossed(&self, call: &Call, steps: &mut Vec<Step>) {
        let setup = self.eval.env.setup.with(&call.settings);
        let [Arg::Word(name), Arg::Value(left), Arg::Value(right)] = call.args.as_slice() else {
            return;
        };
        let Ok(Value::Quantity(answer)) = self.eval.crossing(name, left, right, &setup, 0) else {
            return;
        };
        let Some(first) = answer.exact().and_then(|n| u64::try_from(n).ok()) else {
            return;
        };
        let (mut texts, mut values) = (Vec::new(), Vec::new());
        for n in first.saturating_sub(1).max(1)..=first {
            let at = along(name, n, &setup, 0);
            let Ok((left, right)) = at.and_then(|at| self.eval.sides((left, right), &at)) else {
                return;
            };
            let sign = if n == first { ">" } else { "≤" };
            let (a, b) = (spelled(&left), spelled(&right));
            texts.push(format!("{name} {n}: {a} {sign} {b}"));
            values.extend([left, right]);
        }
        let text = texts.join("; ");
        steps.push(Step { text, values });
        let Ok(setup) = along(name, first, &setup, 0) else {
            return;
        };
        let env = Env {
            setup,
            ..*self.eval.env
        };
        let eval = Evaluator {
            env: &env,
            dry: self.eval.dry,
        };
        let there = Derivation { eval };
        there.calls(left, steps);
        there.calls(right, steps);
    }
}
