//! Predictions: a number typed before a block shows its results. They are
//! kept beside the outcome and never graded.

use super::env;
use crate::answer::Expr;
use crate::app::key::{Code, Key};
use crate::app::keymap::Action;
use crate::app::lesson::{act, focused, note};
use crate::app::message::Effect;
use crate::app::note::Tone;
use crate::app::state::State;
use crate::course::{Event, Lesson, Live, Predict, Progress, print};
use crate::units;

/// Between the guesses of a block that asks more than once.
const BETWEEN: &str = " | ";

/// A guess beside what came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guess {
    /// As typed; empty for “I do not know”.
    pub typed: String,
    /// What came out.
    pub outcome: String,
}

/// The guesses of a block, in the order of its questions.
pub fn guesses(progress: &Progress, lesson: &Lesson, live: &Live) -> Vec<Guess> {
    let key = (lesson.id.clone(), live.number as u64);
    let Some(kept) = progress.guesses.get(&key) else {
        return Vec::new();
    };
    let mut outcomes = kept.outcome.split(BETWEEN);
    kept.typed
        .split(BETWEEN)
        .take(live.predict.len())
        .map(|typed| Guess {
            typed: typed.to_owned(),
            outcome: outcomes.next().unwrap_or_default().to_owned(),
        })
        .collect()
}

/// The first prediction that was neither made nor skipped; its results stay
/// hidden until then.
pub fn open(progress: &Progress, lesson: &Lesson, live: &Live) -> Option<usize> {
    let made = guesses(progress, lesson, live).len();
    (made < live.predict.len()).then_some(made)
}

/// What a prediction asks for, as the block will show it.
fn outcome(state: &State, lesson: &Lesson, live: &Live, predict: &Predict) -> String {
    let value = env(state, lesson, &live.setup).and_then(|env| {
        let value = Expr::parse(predict.answer.as_str())
            .and_then(|e| e.evaluate(&env))
            .map_err(|e| e.to_string())?;
        print(&value, predict.unit.as_deref())
    });
    value.unwrap_or_else(|why| why)
}

/// Pasted text while a prediction is typed.
pub fn paste(state: &mut State, text: &str) {
    let Some((id, number)) = focused(state).map(|(l, b)| (l.id.clone(), b.number)) else {
        return;
    };
    if let Some(field) = &mut state.reader.block_mut(&id, number).field {
        field.paste(text);
    }
}

/// A key while a prediction is typed.
pub fn press(state: &mut State, key: Key, effects: &mut Vec<Effect>) {
    let Some((lesson, live)) = focused(state).map(|(l, b)| (l.clone(), b.clone())) else {
        state.reader.leave_fields();
        return;
    };
    let block = state.reader.block_mut(&lesson.id, live.number);
    let Some(field) = &mut block.field else {
        state.reader.leave_fields();
        return;
    };
    match key.code {
        Code::Esc => block.field = None,
        Code::Enter => {
            let typed = field.text().trim().replace('|', "/");
            match units::read(&typed, None) {
                Err(why) if !typed.is_empty() => {
                    let text = format!("{why} Nothing typed says “I do not know”.");
                    state.notes.say(Tone::Warn, text);
                }
                _ => {
                    block.field = None;
                    keep(state, &lesson, &live, typed, effects);
                }
            }
        }
        Code::Tab => act(state, Action::NextPart, effects),
        Code::BackTab => act(state, Action::PreviousPart, effects),
        _ => {
            field.press(key);
        }
    }
}

/// Keeps a guess beside its outcome.
fn keep(state: &mut State, lesson: &Lesson, live: &Live, typed: String, effects: &mut Vec<Effect>) {
    let mut all = guesses(&state.study.progress, lesson, live);
    let Some(asked) = live.predict.get(all.len()) else {
        return;
    };
    all.push(Guess {
        outcome: outcome(state, lesson, live, asked),
        typed,
    });
    let join = |part: fn(&Guess) -> &str| {
        let parts: Vec<&str> = all.iter().map(part).collect();
        parts.join(BETWEEN)
    };
    let event = Event::Guessed {
        lesson: lesson.id.clone(),
        block: live.number as u64,
        typed: join(|g| &g.typed),
        outcome: join(|g| &g.outcome),
    };
    note(state, event, effects);
    state.reader.reveal();
    let next = live.predict.get(all.len()).is_some();
    let block = state.reader.block_mut(&lesson.id, live.number);
    if next {
        block.field = Some(crate::app::field::Field::default());
    } else if live.kind == "lab" {
        super::put_on_bench(state, lesson, live);
    } else if live.kind == "micro" {
        super::ask::run(state, lesson, live, effects);
    }
}
