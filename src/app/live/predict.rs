//! Predictions: a number typed before a block shows its results. They are
//! kept beside the outcome and never graded.

use super::env;
use crate::key::{Code, Key};
use crate::keymap::Action;
use crate::lesson::{act, focused, note};
use crate::message::Effect;
use crate::note::Tone;
use crate::state::State;
use course::answer::Value;
use course::{Event, Lesson, Live, Predict, Progress, Typed, print};
use plan::units::{self, Asked, Dimension};

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
        let value = predict.answer.value.evaluate(&env);
        let unit = predict.unit.as_ref().map(Typed::as_str);
        print(&value.map_err(|e| e.to_string())?, unit)
    });
    value.unwrap_or_else(|why| why)
}

/// Whether a guess can be read: a number of the kind that is asked for. The unit
/// stands beside the field, so it may be left out.
fn readable(state: &State, lesson: &Lesson, live: &Live, typed: &str) -> Result<(), String> {
    let made = guesses(&state.study.progress, lesson, live).len();
    let value = live.predict.get(made).and_then(|asked| {
        let env = env(state, lesson, &live.setup).ok()?;
        asked.answer.value.evaluate(&env).ok()
    });
    let dimension = match value {
        Some(Value::Quantity(quantity)) => quantity.dimension(),
        _ => Dimension::Ratio,
    };
    let read = units::read(typed, Some(dimension)).map_err(|e| e.to_string())?;
    if read.quantity.dimension().is_plain() || dimension.agrees(read.quantity.dimension()) {
        return Ok(());
    }
    units::read_as(typed, Asked::new(dimension)).map_or_else(|e| Err(e.to_string()), |_| Ok(()))
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
    let typed = state.reader.block(&lesson.id, live.number).field;
    let Some(typed) = typed.map(|field| field.text()) else {
        state.reader.leave_fields();
        return;
    };
    match key.code {
        Code::Esc => state.reader.leave_fields(),
        Code::Enter => {
            let typed = typed.trim().replace('|', "/");
            match readable(state, &lesson, &live, &typed) {
                Err(why) if !typed.is_empty() => {
                    let text = format!("{why} Nothing typed says “I do not know”.");
                    state.notes.say(Tone::Warn, text);
                }
                _ => {
                    state.reader.leave_fields();
                    keep(state, &lesson, &live, typed, effects);
                }
            }
        }
        Code::Tab => act(state, Action::NextPart, effects),
        Code::BackTab => act(state, Action::PreviousPart, effects),
        _ => {
            if let Some(field) = &mut state.reader.block_mut(&lesson.id, live.number).field {
                field.press(key);
            }
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
        block.field = Some(crate::field::Field::default());
    } else if live.kind == "lab" {
        super::put_on_bench(state, lesson, live);
    } else if live.kind == "micro" {
        super::ask::run(state, lesson, live, effects);
    }
}
