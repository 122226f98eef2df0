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
pub use course::Guess;
use course::{Lesson, Live, Predict, guess, present};

/// The guesses of a block, in the order of its questions.
pub fn guesses(study: &Study, lesson: &Lesson, live: &Live) -> Vec<Guess> {
    live.guesses(&study.progress, lesson, study.course.gpu())
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
    // Nothing is kept in the place of a value: why there is none is said where it is missed.
    value.unwrap_or_default()
}

/// A guess to the next question as it is kept, or why it cannot be read.
fn readable(shared: &Shared, lesson: &Lesson, live: &Live, typed: &str) -> Result<String, String> {
    let made = guesses(&shared.study, lesson, live).len();
    let env = env(shared, lesson, &live.setup).ok();
    match live.predict.get(made) {
        Some(predict) => guess::read(typed, predict, env.as_ref()),
        None => Ok(typed.to_owned()),
    }
}

/// How what is typed of the next guess reads, or why it cannot be read.
pub fn echo(shared: &Shared, lesson: &Lesson, live: &Live, typed: &str) -> Result<String, String> {
    let made = guesses(&shared.study, lesson, live).len();
    let env = env(shared, lesson, &live.setup).ok();
    match live.predict.get(made) {
        Some(predict) => guess::echo(typed, predict, env.as_ref()),
        None => Ok(typed.to_owned()),
    }
}

/// Pasted text while a prediction is typed.
pub fn paste(reader: &mut Reader, shared: &mut Shared, text: &str) {
    let Some((id, number)) = focused(reader, shared).map(|(l, b)| (l.id.clone(), b.number)) else {
        return;
    };
    let field = reader.block_mut(&id, number).field.as_mut();
    if let Some(said) = field.and_then(|field| field.paste(text)) {
        shared.notes.say(Tone::Warn, said);
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
        Code::Enter => match readable(shared, lesson, live, &typed) {
            Err(why) => {
                let text = format!("{why} Nothing typed says “I do not know”.");
                shared.notes.say(Tone::Warn, text);
            }
            Ok(typed) => {
                reader.leave_fields();
                keep(reader, shared, lesson, live, typed, out);
            }
        },
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
    let event = live.guessed(lesson, shared.study.course.gpu(), &all);
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
