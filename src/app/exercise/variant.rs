//! Variants: the same questions again at another shape.

use super::{Exercises, shown};
use crate::answering::variant::{empty, take};
use crate::intent::Out;
use crate::note::Tone;
use crate::shared::Shared;
use course::Event;

/// Begins the next variant of the exercise on the page, at the second press.
pub(super) fn next(page: &mut Exercises, shared: &mut Shared, out: &mut Out) {
    let Some(exercise) = shown(page, shared) else {
        return;
    };
    let elsewhere = shared.study.devices.contains_key(&exercise.id);
    let Some(next) = after(page, shared) else {
        let text = "This exercise has one shape only; practise makes fresh questions.";
        shared.notes.say(Tone::Plain, text);
        return;
    };
    let id = exercise.id.clone();
    let others = match exercise.draw {
        Some(_) => "other questions",
        None if elsewhere => "the same questions about the device of the course",
        None => "the same questions at another shape",
    };
    let armed = Some((id.clone(), next));
    if stands(shared, &id) && shared.questions.varying != armed {
        shared.questions.varying = armed;
        let text = format!(
            "v again begins variant {next} of {id}, {others}; the answers to this one then leave the sheet."
        );
        shared.notes.say(Tone::Warn, text);
        return;
    }
    let back = match begun(shared, &id) {
        true => " In a shell, tinyllama-tutor reset --undo goes back.",
        false => "",
    };
    empty(shared, &id, next, out);
    take(shared, &id, next, out);
    if let Some(form) = &mut page.form {
        form.row = 0;
    }
    shared.questions.reveal = true;
    let text = format!("{id}, variant {next}: {others}.{back}");
    shared.notes.say(Tone::Plain, text);
}

/// The variant after the one on the page, or the same where that asks of another device than
/// the course; none where there is one shape only.
pub(super) fn after(page: &Exercises, shared: &Shared) -> Option<usize> {
    let exercise = shown(page, shared)?;
    let elsewhere = shared.study.devices.contains_key(&exercise.id);
    let anew = elsewhere.then_some(exercise.number);
    exercise.next_variant().or(anew)
}

/// Whether anything of an exercise was answered or asked for, so that there is something
/// to bring back.
fn begun(shared: &Shared, id: &str) -> bool {
    stands(shared, id) || shared.study.progress.has_begun(id)
}

/// Whether something stands at the shape of the page that another one takes away.
fn stands(shared: &Shared, id: &str) -> bool {
    let typed = shared.study.answers.get(id);
    let marks = shared.study.progress.exercises.get(id);
    typed.is_some_and(|all| all.values().any(|answer| !answer.trim().is_empty()))
        || marks.is_some_and(|keys| !keys.is_empty())
}

/// Starts the exercise of the form again, at the shape that it has.
pub(crate) fn reset(page: &mut Exercises, shared: &mut Shared, out: &mut Out) {
    let Some(exercise) = shown(page, shared) else {
        return;
    };
    let (id, variant) = (exercise.id.clone(), exercise.number);
    if !begun(shared, &id) {
        let text = format!("Nothing of {id} was answered yet.");
        shared.notes.say(Tone::Plain, text);
        return;
    }
    if shared.questions.resetting.as_ref() != Some(&id) {
        shared.questions.resetting = Some(id.clone());
        let text = format!(
            ":reset again empties the sheet of {id} and forgets its verdicts; in a shell, tinyllama-tutor reset --undo brings them back."
        );
        shared.notes.say(Tone::Warn, text);
        return;
    }
    empty(shared, &id, variant, out);
    let event = Event::Reset {
        exercise: id.clone(),
        key: None,
    };
    shared.record(event, out);
    shared.questions.forget(&id);
    if let Some(form) = &mut page.form {
        form.row = 0;
    }
    shared.questions.reveal = true;
    let text =
        format!("{id} starts again. In a shell, tinyllama-tutor reset --undo takes this back.");
    shared.notes.say(Tone::Plain, text);
}
