//! Ids of the course as values: any text is taken, and a shell completes those
//! of the built-in course.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use std::ffi::OsStr;
use std::sync::OnceLock;

use course::Course;

/// What may be named.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ids {
    /// Exercises.
    Exercises,
    /// Lessons and exercises.
    Texts,
}

impl TypedValueParser for Ids {
    type Value = String;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        // A folder may hold others: what is there is known once the course is open.
        StringValueParser::new().parse_ref(cmd, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        static COURSE: OnceLock<Course> = OnceLock::new();
        let course = COURSE.get_or_init(Course::built_in);
        let lessons = course.lessons().map(|l| (l.id.as_str(), l.title.as_str()));
        let lessons = lessons.filter(|_| matches!(self, Self::Texts));
        let exercises = course
            .exercises()
            .map(|e| (e.id.as_str(), e.title.as_str()));
        // A name that two documents share is offered once.
        let theirs = course::assigned::assigned().iter();
        let theirs = theirs.map(|e| (e.name(), e.title.as_str()));
        let value = |(id, title)| PossibleValue::new(id).help(title);
        Some(Box::new(lessons.chain(exercises).chain(theirs).map(value)))
    }
}
