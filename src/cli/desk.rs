//! What the learner's commands share: the host that opens the course and the learner's
//! files, and how texts are filled in for print.

use std::cell::Cell;
use std::ops::Deref;

use super::args::{OutputArgs, places};
use super::failure::Failure;
use super::out::complain;
use course::answer::{Env, data_sheets};
use course::{Exercise, Fault, Inline, Key, Lesson, Level, fill};
use host::Host;

pub(super) use host::Runs;

/// The course and the learner's files, for a command that prints.
pub(super) struct Desk {
    host: Host,
    /// Texts are folded to ASCII.
    pub(super) ascii: bool,
    /// An expression of the course had no value.
    pub(super) failed: Cell<bool>,
}

impl Deref for Desk {
    type Target = Host;

    fn deref(&self) -> &Host {
        &self.host
    }
}

/// Says what is wrong with a text that is used all the same, and gives the
/// exit code: 4 where it is more than a warning.
pub(super) fn complaints(faults: &[Fault]) -> u8 {
    let mut code = 0;
    for fault in faults.iter().filter(|f| f.level == Level::Error) {
        complain(&fault.to_string());
        code = 4;
    }
    code
}

impl Desk {
    pub(super) fn open(output: &OutputArgs) -> Self {
        Self {
            host: Host::open(places(output), |say| complain(&say)),
            ascii: output.ascii,
            failed: Cell::new(false),
        }
    }

    /// The same, and nothing is written.
    pub(super) fn read_only(mut self, read_only: bool) -> Self {
        self.host.read_only = read_only;
        self
    }

    /// The course, refused where the one that was asked for is not there or empty.
    /// A file that could not be taken up is said, and the rest is used.
    pub(super) fn whole(self) -> Result<Self, Failure> {
        let desk = self.found()?;
        complaints(desk.course.faults());
        Ok(desk)
    }

    /// The same, and files that could not be taken up are left to the caller.
    pub(super) fn found(self) -> Result<Self, Failure> {
        let Some(fault) = self.course.astray() else {
            return Ok(self);
        };
        let sentence = fault.to_string();
        let there = self.places.faults.is_empty()
            && self.places.overlays.iter().all(|folder| folder.is_dir());
        Err(if there {
            Failure::content(sentence)
        } else {
            Failure::usage(sentence)
        })
    }

    /// An exercise by name, with the nearest where there is none.
    pub(super) fn exercise(&self, typed: &str) -> Result<&Exercise, Failure> {
        self.course.exercise(typed).map_err(Failure::usage)
    }

    /// The exercises of an id, or of a name of the documents.
    pub(super) fn exercises(&self, typed: &str) -> Result<Vec<&Exercise>, Failure> {
        self.course.exercises_named(typed).map_err(Failure::usage)
    }

    /// A lesson by id or number.
    pub(super) fn lesson(&self, typed: &str) -> Result<&Lesson, Failure> {
        self.course.lesson(typed).map_err(Failure::usage)
    }

    /// A key by name or by number.
    pub(super) fn key<'e>(&self, exercise: &'e Exercise, typed: &str) -> Result<&'e Key, Failure> {
        exercise.key(typed).ok_or_else(|| {
            let say = course::no_such_key(exercise, typed);
            match exercise.unreadable() {
                Some(_) => Failure::content(say),
                None => Failure::usage(say),
            }
        })
    }

    /// Says of an exercise, as its sheet asks it, that it is about another device than the
    /// course now.
    pub(super) fn say_device(&self, exercise: &Exercise) {
        let of_course = self.course.gpu();
        let sheets = data_sheets().map(|all| {
            (
                all.get(exercise.gpu.unwrap_or(of_course)),
                all.get(of_course),
            )
        });
        if let Some((Ok(asked), Ok(now))) = sheets
            && asked.id != now.id
        {
            complain(&format!(
                "{id} asks about the {}, on which it was begun, and not about the {}; tinyllama-tutor reset {id} --gpu {} begins it anew.",
                asked.short,
                now.short,
                now.id,
                id = exercise.id
            ));
        }
    }

    /// A text with its inline numbers filled in.
    pub(super) fn filled(&self, text: &str, env: &Env<'_>) -> String {
        fill(text, |inline: &Inline| self.shown(inline, env))
    }

    /// A number as it is shown, or why it cannot be.
    pub(super) fn shown(&self, inline: &Inline, env: &Env<'_>) -> String {
        inline
            .show(env)
            .unwrap_or_else(|(_, say)| self.unshown(&say))
    }

    /// What stands in the place of a number that has no value.
    pub(super) fn unshown(&self, say: &str) -> String {
        self.has_failed();
        format!("({say})")
    }

    /// Something that was to be shown has no value.
    pub(super) fn has_failed(&self) {
        self.failed.set(true);
    }
}
