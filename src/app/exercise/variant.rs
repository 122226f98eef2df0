//! Variants: the same questions again at another shape.

use super::shown;
use crate::lesson::note;
use crate::message::Effect;
use crate::note::Tone;
use crate::state::State;
use course::Event;

/// Begins the next variant of the exercise on the page: at once where every
/// question of this one is solved or given up, else at the second press.
pub(super) fn next(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(exercise) = shown(state) else { return };
    let Some(next) = exercise.next_variant() else {
        let text = "This exercise has one shape only; practise makes fresh questions.";
        state.notes.say(Tone::Plain, text);
        return;
    };
    let id = exercise.id.clone();
    let others = match exercise.draw {
        Some(_) => "other questions",
        None => "the same questions at another shape",
    };
    let mark = |key: &course::Key| state.study.progress.key(&id, &key.name.text);
    let finished = exercise.keys.iter().all(|key| mark(key).solved);
    let through = exercise.keys.iter().all(|key| {
        let mark = mark(key);
        mark.solved || mark.given_up
    });
    if !through && !std::mem::replace(&mut state.exercises.varying, true) {
        let text = format!(
            "v again begins variant {next} of {id}, {others}; the answers to this one then leave the sheet."
        );
        state.notes.say(Tone::Warn, text);
        return;
    }
    empty(state, &id, next, effects);
    take(state, &id, next, finished, effects);
    if let Some(form) = &mut state.exercises.form {
        form.row = 0;
    }
    state.exercises.reveal = true;
    let text = format!("{id}, variant {next}: {others}. In a shell, reset --undo goes back.");
    state.notes.say(Tone::Plain, text);
}

/// Starts the exercise of the form again, at the shape that it has.
pub fn reset(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(exercise) = shown(state) else { return };
    let (id, variant) = (exercise.id.clone(), exercise.number);
    empty(state, &id, variant, effects);
    let event = Event::Reset {
        exercise: id.clone(),
        key: None,
    };
    note(state, event, effects);
    state.exercises.forget(&id);
    if let Some(form) = &mut state.exercises.form {
        form.row = 0;
    }
    state.exercises.reveal = true;
    let text =
        format!("{id} starts again. In a shell, tinyllama-tutor reset --undo takes this back.");
    state.notes.say(Tone::Plain, text);
}

/// Takes the answers of an exercise off its sheet. First of all: what is kept for
/// an undo is what stands before anything else is written.
fn empty(state: &mut State, id: &str, variant: usize, effects: &mut Vec<Effect>) {
    state.study.answers.remove(id);
    effects.push(Effect::Vary {
        exercise: id.to_owned(),
        variant,
    });
}

/// The questions are those of another variant from now on.
pub(super) fn take(
    state: &mut State,
    id: &str,
    variant: usize,
    finished: bool,
    effects: &mut Vec<Effect>,
) {
    let event = Event::Varied {
        exercise: id.to_owned(),
        variant,
        finished,
    };
    note(state, event, effects);
    state.study.vary();
    state.exercises.forget(id);
}
