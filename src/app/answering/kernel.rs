//! A kernel that the learner writes: its editor, its judge, what came of it.

use super::check;
use crate::intent::Out;
use crate::message::Effect;
use crate::note::Tone;
use crate::question::Asked;
use crate::shared::Shared;
use course::answer::Verdict;
use course::attempt::{Told, tried_by};
use course::{Event, Kernel, Mark};

/// The kernel of a question, where one is to be written.
pub fn written<'s>(shared: &'s Shared, asked: &Asked) -> Option<&'s Kernel> {
    let kernel = shared.study.key_of(asked)?.kernel.as_ref()?;
    kernel.is_written().then_some(kernel)
}

/// Opens the kernel's file in the learner's editor.
pub fn edit(shared: &mut Shared, asked: &Asked, out: &mut Out) {
    if written(shared, asked).is_some() {
        out.push(Effect::Edit(asked.clone()));
    } else {
        let key = shared.study.key_of(asked);
        let options = key.is_some_and(|key| !key.options.is_empty());
        let say = match options {
            true => "The editor is for kernels; here ←→ and Space answer, Enter checks.",
            false => "The editor is for kernels; here Enter types an answer.",
        };
        shared.notes.say(Tone::Plain, say);
    }
}

/// Asks for the judge of the file or, where nothing can compile it, of the letters.
pub fn judge(shared: &mut Shared, asked: &Asked, out: &mut Out) {
    let typed = check::now(shared, asked);
    ask(shared, asked, typed, out);
}

fn ask(shared: &mut Shared, asked: &Asked, typed: String, out: &mut Out) {
    let question = shared.questions.question_mut(asked);
    if question.judging {
        return;
    }
    question.judging = true;
    question.judgement = None;
    question.lines.clear();
    out.push(Effect::Judge {
        asked: asked.clone(),
        typed,
    });
}

/// The file of an exercise's kernel changed on disk: it is judged again.
pub fn saved(shared: &mut Shared, exercise: &str, out: &mut Out) {
    let written = |kernel: &Option<Kernel>| kernel.as_ref().is_some_and(Kernel::is_written);
    let found = shared.study.exercise(exercise);
    let key = found.and_then(|found| found.keys.iter().find(|key| written(&key.kernel)));
    if let Some(key) = key.map(|key| key.name.text.clone()) {
        let asked = Asked {
            exercise: exercise.to_owned(),
            key,
        };
        // What was saved is the file: letters of the gap form do not stand in for it.
        ask(shared, &asked, String::new(), out);
    }
}

/// Takes in what the judge found.
pub fn judged(shared: &mut Shared, asked: &Asked, told: Told, out: &mut Out) {
    let (tried, verdict) = (&told.tried, &told.judgement.verdict);
    let event = Event::checked(&asked.exercise, &asked.key, tried, verdict);
    shared.questions.question_mut(asked).judging = false;
    // What is right stays where a file was saved that nothing here can judge.
    if let Verdict::Unread { message, .. } = verdict
        && check::right(shared, asked)
    {
        let text = format!("What was found right stays; the saved file: {message}");
        shared.notes.say(Tone::Plain, text);
        return;
    }
    // Letters that took the place of right ones, and were judged, are the answer now.
    let draft = shared.questions.draft_of(asked);
    let letters = written(shared, asked).zip(draft);
    let letters = letters.filter(|(kernel, draft)| tried_by(kernel, draft) == *tried);
    if let Some((_, letters)) = letters.filter(|_| Mark::of(verdict) != Some(Mark::Unread)) {
        let letters = letters.to_owned();
        shared.questions.drop_draft();
        check::save(shared, asked, &letters, out);
    }
    let question = shared.questions.question_mut(asked);
    question.judgement = Some(told.judgement);
    question.lines = told.lines;
    shared.questions.show_verdict();
    if let Some(event) = event {
        shared.record(event, out);
    }
}
