//! Tasks: the questions of an exercise, asked once for each of several setups.

use super::Exercise;
use crate::answer::{Env, Expr, Key, Value, data_sheets};
use crate::fields::Phrase;
use crate::recorded::BuiltIn;
use crate::setup::Setup;
use crate::solution::Worked;

/// What the questions of a task are marked with.
const LETTERS: [char; 8] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/// Most tasks of one exercise.
pub(super) const MOST: usize = LETTERS.len();

impl Exercise {
    /// The questions as written, once for each setup. Those of the first keep
    /// their names; `bytes` of the second is `bytes_b`.
    pub(super) fn asked(&self, setups: &[Setup]) -> Vec<Key> {
        let several = setups.len() > 1;
        let mut keys = Vec::with_capacity(setups.len() * self.written.len());
        for (setup, letter) in setups.iter().zip(LETTERS) {
            for key in &self.written {
                let mut key = key.clone();
                key.setup = setup.with(&key.own);
                if several {
                    let given = self
                        .task
                        .as_ref()
                        .map_or(String::new(), |given| format!("{} ", given.text));
                    let head = letter.to_uppercase();
                    key.ask.text = format!("{head}: {given}{}", key.ask.text);
                }
                if letter != LETTERS[0] {
                    key.worked = Worked::Under(key.name.text.clone());
                    key.name.text = format!("{}_{letter}", key.name.text);
                }
                key.find_options();
                self.leave_open(&mut key);
                keys.push(key);
            }
        }
        keys
    }
}

impl Key {
    /// Options that are written as one expression, `["= block.name"]`, are what it
    /// lists in the key's own setup.
    fn find_options(&mut self) {
        let [only] = self.options.as_slice() else {
            return;
        };
        let Some(expression) = only.text.strip_prefix("= ") else {
            return;
        };
        let at = only.at;
        // What cannot be evaluated stays, and is no option that lint accepts.
        let (Some(gpus), Ok(setup)) = (data_sheets(), self.setup.answer()) else {
            return;
        };
        let env = Env::new(setup, gpus, &BuiltIn);
        let listed = Expr::parse(expression).and_then(|expr| expr.check(&env));
        if let Ok(Value::List(names)) = listed {
            let names = names.into_iter();
            self.options = names.map(|text| Phrase { text, at }).collect();
        }
    }
}
