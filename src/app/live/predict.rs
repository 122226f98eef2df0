//! Predictions: a number typed before a block shows its results. They are
//! kept beside the outcome and never graded.

use super::{Held, env};
use crate::intent::Out;
use crate::key::{Code, Key};
use crate::keymap::Action;
use crate::lesson::{Reader, act, focused};
use crate::note::Tone;
use crate::shared::Shared;
use crate::study::Study;
use course::answer::Value;
use course::{Event, Lesson, Live, Predict, present};
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

/// Id of the GPU that a block asks of; empty: of none.
fn gpu(study: &Study, live: &Live) -> &'static str {
    match live.asks_of_gpu() {
        true => study.course.gpu(),
        false => "",
    }
}

/// The guesses of a block, in the order of its questions. What was said of another device
/// answers nothing that is asked of this one.
pub fn guesses(study: &Study, lesson: &Lesson, live: &Live) -> Vec<Guess> {
    let (block, gpu) = (live.number as u64, gpu(study, live));
    let Some(kept) = study.progress.guess(&lesson.id, block, gpu) else {
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
pub fn open(study: &Study, lesson: &Lesson, live: &Live) -> Option<usize> {
    let made = guesses(study, lesson, live).len();
    (made < live.predict.len()).then_some(made)
}

/// What a prediction asks for, as the block will show it.
fn outcome(shared: &Shared, lesson: &Lesson, live: &Live, predict: &Predict) -> String {
    let env = env(shared, lesson, &live.setup);
    let value = env.and_then(|env| present::outcome(predict, &env));
    value.unwrap_or_else(|why| why)
}

/// Whether a guess can be read: a number of the kind that is asked for. The unit
/// stands beside the field, so it may be left out.
fn readable(shared: &Shared, lesson: &Lesson, live: &Live, typed: &str) -> Result<(), String> {
    let made = guesses(&shared.study, lesson, live).len();
    let value = live.predict.get(made).and_then(|asked| {
        let env = env(shared, lesson, &live.setup).ok()?;
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
pub fn paste(reader: &mut Reader, shared: &mut Shared, text: &str) {
    let Some((id, number)) = focused(reader, shared).map(|(l, b)| (l.id.clone(), b.number)) else {
        return;
    };
    if let Some(field) = &mut reader.block_mut(&id, number).field {
        field.paste(text);
    }
}

/// A key while a prediction is typed.
pub fn press(reader: &mut Reader, shared: &mut Shared, key: Key, out: &mut Out) {
    let held = Held::of(reader, shared);
    let Some((lesson, live)) = held.as_ref().and_then(Held::get) else {
        reader.leave_fields();
        return;
    };
    let typed = reader.block(&lesson.id, live.number).field;
    let Some(typed) = typed.map(|field| field.text()) else {
        reader.leave_fields();
        return;
    };
    match key.code {
        Code::Enter => {
            let typed = typed.trim().replace('|', "/");
            match readable(shared, lesson, live, &typed) {
                Err(why) if !typed.is_empty() => {
                    let text = format!("{why} Nothing typed says “I do not know”.");
                    shared.notes.say(Tone::Warn, text);
                }
                _ => {
                    reader.leave_fields();
                    keep(reader, shared, lesson, live, typed, out);
                }
            }
        }
        Code::Tab => act(reader, shared, Action::NextPart, out),
        Code::BackTab => act(reader, shared, Action::PreviousPart, out),
        _ => {
            if let Some(field) = &mut reader.block_mut(&lesson.id, live.number).field {
                field.press(key);
            }
        }
    }
}

/// Keeps a guess beside its outcome.
fn keep(
    reader: &mut Reader,
    shared: &mut Shared,
    lesson: &Lesson,
    live: &Live,
    typed: String,
    out: &mut Out,
) {
    let mut all = guesses(&shared.study, lesson, live);
    let Some(asked) = live.predict.get(all.len()) else {
        return;
    };
    all.push(Guess {
        outcome: outcome(shared, lesson, live, asked),
        typed,
    });
    let join = |part: fn(&Guess) -> &str| {
        let parts: Vec<&str> = all.iter().map(part).collect();
        parts.join(BETWEEN)
    };
    let event = Event::Guessed {
        lesson: lesson.id.clone(),
        block: live.number as u64,
        gpu: gpu(&shared.study, live).to_owned(),
        typed: join(|g| &g.typed),
        outcome: join(|g| &g.outcome),
    };
    shared.record(event, out);
    reader.reveal_end();
    let next = live.predict.get(all.len()).is_some();
    let block = reader.block_mut(&lesson.id, live.number);
    if next {
        block.field = Some(crate::field::Field::default());
    } else if live.kind == "lab" {
        super::put_on_bench(reader, shared, lesson, live);
    } else if live.kind == "micro" {
        super::ask::run(shared, lesson, live, out);
    }
}
