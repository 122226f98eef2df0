//! A wrong number that another question of the exercise asks for.

use super::Exercise;
use crate::answer::{Env, Fits, Judgement, Key, Kind, Verdict, grade};

impl Exercise {
    /// What was found about an answer to `key`; where it is wrong, and the answer of
    /// a question that is `solved` already, that is said. Of a question that is
    /// still open nothing is said: it would confirm its answer.
    #[must_use]
    pub fn elsewhere(
        &self,
        judgement: Judgement,
        key: &Key,
        env: &Env<'_>,
        solved: impl Fn(&str) -> bool,
    ) -> Judgement {
        let number = |key: &Key| key.kind == Kind::Number && !key.asks_for_a_run();
        if !matches!(judgement.verdict, Verdict::Wrong(_)) || !number(key) {
            return judgement;
        }
        let Ok(setup) = self.setup.answer() else {
            return judgement;
        };
        let env = Env::new(setup, env.gpus, env.records);
        let answers = |other: &&Key| {
            let found = grade(&judgement.typed, other, &env);
            matches!(
                found.map(|j| j.verdict),
                Ok(Verdict::Right { accepted: None })
            )
        };
        // FLOPs are no bytes, though the digits be the same.
        let of = |key: &Key| key.unit.as_ref().map(|unit| unit.value.unit.dimension());
        let mut others = self.keys.iter().zip(1..);
        let Some((_, place)) = others.find(|(other, _)| {
            let known = other.name != key.name && number(other) && solved(&other.name.text);
            known && of(other) == of(key) && answers(other)
        }) else {
            return judgement;
        };
        let say = format!("That is what question {place} of {} asks for.", self.id);
        Judgement {
            verdict: Verdict::Slip(vec![Fits { say, claim: None }]),
            ..judgement
        }
    }
}
