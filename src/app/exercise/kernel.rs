//! A kernel that the learner writes: its editor, its judge, what came of it.

use super::{Asked, key_of, shown};
use crate::lesson::note;
use crate::message::Effect;
use crate::note::Tone;
use crate::state::State;
use course::attempt::Told;
use course::{Event, Kernel, Mark};

/// The kernel of a question, where one is to be written.
pub fn written<'s>(state: &'s State, asked: &Asked) -> Option<&'s Kernel> {
    let kernel = key_of(state, asked)?.kernel.as_ref()?;
    kernel.is_written().then_some(kernel)
}

/// Opens the kernel's file in the learner's editor.
pub fn edit(state: &mut State, asked: &Asked, effects: &mut Vec<Effect>) {
    if written(state, asked).is_some() {
        effects.push(Effect::Edit(asked.clone()));
    } else {
        let say = "The editor is for kernels; here Enter types an answer.";
        state.notes.say(Tone::Plain, say);
    }
}

/// Asks for the judge of the file or, where nothing can compile it, of the letters.
pub fn judge(state: &mut State, asked: &Asked, effects: &mut Vec<Effect>) {
    let typed = state.study.typed(&asked.exercise, &asked.key).to_owned();
    ask(state, asked, typed, effects);
}

fn ask(state: &mut State, asked: &Asked, typed: String, effects: &mut Vec<Effect>) {
    let question = state.exercises.question_mut(asked);
    if question.judging {
        return;
    }
    question.judging = true;
    question.judgement = None;
    question.lines.clear();
    effects.push(Effect::Judge {
        asked: asked.clone(),
        typed,
    });
}

/// The file of an exercise's kernel changed on disk: it is judged again, where it
/// is what the learner looks at.
pub fn saved(state: &mut State, exercise: &str, effects: &mut Vec<Effect>) {
    let Some(found) = shown(state).filter(|shown| shown.id == exercise) else {
        return;
    };
    let written = |kernel: &Option<Kernel>| kernel.as_ref().is_some_and(Kernel::is_written);
    let key = found.keys.iter().find(|key| written(&key.kernel));
    if let Some(key) = key.map(|key| key.name.text.clone()) {
        let asked = Asked {
            exercise: exercise.to_owned(),
            key,
        };
        // What was saved is the file: letters of the gap form do not stand in for it.
        ask(state, &asked, String::new(), effects);
    }
}

/// Takes in what the judge found.
pub fn judged(state: &mut State, asked: &Asked, told: Told, effects: &mut Vec<Effect>) {
    let mark = Mark::of(&told.judgement.verdict);
    let question = state.exercises.question_mut(asked);
    question.judging = false;
    question.judgement = Some(told.judgement);
    question.lines = told.lines;
    state.reader.reveal();
    state.exercises.reveal = true;
    if let Some(mark) = mark {
        let event = Event::Checked {
            exercise: asked.exercise.clone(),
            key: asked.key.clone(),
            mark,
        };
        note(state, event, effects);
    }
}
