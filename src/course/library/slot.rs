//! The texts of a shelf, each read when it is first asked for.

use crate::answer::USUAL_GPU;
use crate::claims::uncited;
use crate::exercise::Exercise;
use crate::fault::Fault;
use crate::fields::Phrase;
use crate::lesson::Lesson;
use crate::shelf::{Raw, natural};
use crate::solution::Solution;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A text of the course, read when it is first asked for.
#[derive(Debug)]
pub(super) struct Slot<T> {
    pub(super) raw: Raw,
    /// The device of the course.
    gpu: &'static str,
    /// Lessons and exercises that are left out where the claims court is switched off;
    /// none: it sits.
    left_out: Option<Arc<[String]>>,
    read: OnceLock<T>,
}

impl<T> Slot<T> {
    pub(super) fn get(&self, read: fn(&Self) -> T) -> &T {
        self.read.get_or_init(|| read(self))
    }

    /// The text; where the claims court is switched off without its citations of claims.
    fn text(&self) -> Cow<'_, str> {
        match self.left_out {
            Some(_) => uncited(&self.raw.text),
            None => Cow::Borrowed(&self.raw.text),
        }
    }

    fn is_left_out(&self, id: &str) -> bool {
        let left_out = self.left_out.as_deref().unwrap_or_default();
        left_out.iter().any(|other| other == id)
    }

    /// To be read for another device.
    pub(super) fn on(&mut self, gpu: &'static str) {
        self.gpu = gpu;
        self.read = OnceLock::new();
    }
}

/// Takes what is left out away from a shelf; the others are read anew without it.
pub(super) fn keep<T>(slots: &mut Vec<Slot<T>>, left_out: &Arc<[String]>) {
    slots.retain(|slot| !left_out.contains(&slot.raw.id));
    for slot in slots {
        slot.left_out = Some(Arc::clone(left_out));
        slot.read = OnceLock::new();
    }
}

pub(super) fn lesson(slot: &Slot<Lesson>) -> Lesson {
    let raw = &slot.raw;
    let mut lesson = Lesson::read(&raw.id, &raw.file, &slot.text());
    replace_faults(&mut lesson.faults, raw);
    if slot.left_out.is_some() {
        lesson.without_court(&|id| slot.is_left_out(id));
    }
    lesson.on(slot.gpu)
}

pub(super) fn exercise(slot: &Slot<Exercise>) -> Exercise {
    let raw = &slot.raw;
    let mut exercise = Exercise::read(&raw.id, &raw.file, &slot.text());
    replace_faults(&mut exercise.faults, raw);
    if slot.left_out.is_some() {
        exercise.without_court();
    }
    let gone = |named: &Phrase| slot.is_left_out(&named.text);
    if exercise.lesson.as_ref().is_some_and(gone) {
        exercise.lesson = None;
    }
    exercise.on(slot.gpu)
}

pub(super) fn solution(slot: &Slot<Solution>) -> Solution {
    let raw = &slot.raw;
    let mut solution = Solution::read(&raw.id, &raw.file, &slot.text());
    replace_faults(&mut solution.faults, raw);
    solution
}

/// A file that could not be had has that one fault, not those of an empty text.
fn replace_faults(faults: &mut Vec<Fault>, raw: &Raw) {
    if let Some(fault) = &raw.fault {
        if raw.text.is_empty() {
            faults.clear();
        }
        faults.insert(0, fault.clone());
    }
}

pub(super) fn differs(slots: &[Slot<Lesson>], raw: &Raw) -> bool {
    slots
        .iter()
        .find(|slot| slot.raw.id == raw.id)
        .is_none_or(|slot| slot.raw.text != raw.text)
}

pub(super) fn put<T>(slots: &mut Vec<Slot<T>>, raw: Raw) {
    let slot = Slot {
        raw,
        gpu: USUAL_GPU,
        left_out: None,
        read: OnceLock::new(),
    };
    match slots.binary_search_by(|old| natural(&old.raw.id, &slot.raw.id)) {
        // A text that could not be read leaves the built-in one, with the fault.
        Ok(at) => {
            if let Some(old) = slots.get_mut(at) {
                if slot.raw.fault.is_some() && slot.raw.text.is_empty() {
                    let kept = old.raw.text.clone();
                    *old = slot;
                    old.raw.text = kept;
                } else {
                    *old = slot;
                }
            }
        }
        Err(at) => slots.insert(at, slot),
    }
}
