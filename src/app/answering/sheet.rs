//! Answers come from sheets: files that people may edit while the form is open.

use crate::intent::Out;
use std::collections::BTreeMap;

use super::{check, variant};
use crate::message::{Effect, SheetRead};
use crate::note::Tone;
use crate::question::Asked;
use crate::shared::Shared;
use course::{DEVICE, Mark, Progress, VARIANT};

/// Wants the sheet of an exercise, once.
pub fn open(shared: &mut Shared, exercise: &str, out: &mut Out) {
    let opened = &mut shared.questions.opened;
    if !opened.iter().any(|id| id == exercise) {
        opened.push(exercise.to_owned());
        out.push(Effect::OpenSheet(exercise.to_owned()));
    }
}

/// A sheet was read, for the first time or because it changed on disk. What
/// the form shows follows it, and what changed is said.
pub fn arrived(shared: &mut Shared, exercise: &str, read: SheetRead, out: &mut Out) {
    let (mut answers, again) = (read.answers, read.again);
    // The sheet says which variant its answers are to.
    let variant = answers.remove(VARIANT).and_then(|n| n.parse().ok());
    let variant = variant.unwrap_or(0);
    asked_of(shared, exercise, answers.remove(DEVICE));
    // Another program, or a shell, may have written more than the sheet.
    let emptied = again && answers.values().all(|typed| typed.trim().is_empty());
    let kept = read.kept.filter(|kept| kept.variant(exercise) == variant);
    let taken = kept.is_some_and(|kept| take_kept(shared, exercise, &kept, emptied));
    let known = shared.study.exercise(exercise);
    match known.map(|found| (found.number == variant, found.variant(variant))) {
        Some((false, Ok(_))) => variant::take(shared, exercise, variant, out),
        Some((_, Err(why))) => {
            let text = format!("The sheet answers variant {variant}, but {why}.");
            shared.notes.say(Tone::Warn, text);
        }
        _ => {}
    }
    let before = shared.study.answers.remove(exercise).unwrap_or_default();
    let mut now = answers;
    if !again {
        // What was typed while the sheet was being read is newer than the sheet,
        // and on its way there.
        // A file that could not be read until now took none of it.
        let newer = |(key, typed): &(&String, &String)| {
            now.get(*key).map_or("", String::as_str) != typed.as_str()
        };
        for (key, typed) in before.iter().filter(newer) {
            out.push(Effect::SaveAnswer {
                exercise: exercise.to_owned(),
                key: key.clone(),
                typed: typed.clone(),
            });
        }
        now.extend(before.clone());
    }
    shared
        .study
        .answers
        .insert(exercise.to_owned(), now.clone());
    let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
    names.sort();
    names.dedup();
    let typed =
        |of: &BTreeMap<String, String>, name: &String| of.get(name).cloned().unwrap_or_default();
    let changed: Vec<String> = names
        .into_iter()
        .filter(|name| typed(&before, name) != typed(&now, name))
        .cloned()
        .collect();
    let mut typing = false;
    for key in &changed {
        let asked = Asked {
            exercise: exercise.to_owned(),
            key: key.clone(),
        };
        shared.questions.question_mut(&asked).judgement = None;
        typing |= shared.questions.field_of(&asked).is_some();
    }
    for key in now.keys() {
        let asked = Asked {
            exercise: exercise.to_owned(),
            key: key.clone(),
        };
        check::said_again(shared, &asked);
    }
    shared.contents.refresh(&shared.study);
    if again && !changed.is_empty() {
        let stays = match typing {
            true => " What is being typed stays.",
            false => "",
        };
        let changed = changed.join(", ");
        let text = match taken {
            true => format!("{exercise} changed on disk, and stands here as it does there.{stays}"),
            false => format!(
                "The sheet of {exercise} changed on disk: {changed}.{stays} Enter checks an answer."
            ),
        };
        shared.notes.say(Tone::Plain, text);
    }
}

/// Another process, a shell's `check` say, found something about answers: it counts here, too.
pub fn elsewhere(shared: &mut Shared, progress: &Progress) {
    let changed = shared.study.progress.catch_up(progress);
    if changed.is_empty() {
        return;
    }
    for id in &changed {
        let keys = shared.study.answers.get(id);
        let keys: Vec<String> = keys.into_iter().flat_map(|a| a.keys()).cloned().collect();
        for key in keys {
            let asked = Asked {
                exercise: id.clone(),
                key,
            };
            // What is said of an answer is of the verdict that is kept.
            let kept = shared.study.progress.key(id, &asked.key).verdict;
            let known = shared.questions.question(&asked).judgement;
            if known.is_some_and(|known| Mark::of(&known.verdict) != kept) {
                shared.questions.question_mut(&asked).judgement = None;
            }
            check::said_again(shared, &asked);
        }
    }
    shared.contents.refresh(&shared.study);
    let ids = changed.join(", ");
    let text = format!("{ids}: what was found elsewhere, in a shell say, counts here, too.");
    shared.notes.say(Tone::Plain, text);
}

/// What is kept on disk of an exercise counts here, too, and nothing is recorded: where it is
/// of another variant, where nothing is begun here, and where it was reset there (`emptied`:
/// its sheet has no answer any more). Whether it was taken.
fn take_kept(shared: &mut Shared, exercise: &str, kept: &Progress, emptied: bool) -> bool {
    let here = &shared.study.progress;
    let varies = here.variant(exercise) != kept.variant(exercise);
    let (begun, begun_there) = (here.has_begun(exercise), kept.has_begun(exercise));
    let reset = emptied && begun && !begun_there;
    if !varies && !reset && (begun || !begun_there) {
        return false;
    }
    shared.study.progress.take(exercise, kept);
    if varies {
        shared.study.vary();
    }
    if varies || reset {
        shared.questions.forget(exercise);
    }
    true
}

/// The sheet says which GPU its answers are about: another one than that of the course
/// where they were begun before it was chosen.
fn asked_of(shared: &mut Shared, exercise: &str, device: Option<String>) {
    let study = &mut shared.study;
    let of_course = device.as_deref().is_none_or(|id| id == study.course.gpu());
    let before = match device.filter(|_| !of_course) {
        Some(id) => study.devices.insert(exercise.to_owned(), id),
        None => study.devices.remove(exercise),
    };
    if before != study.devices.get(exercise).cloned() {
        study.vary();
    }
}
