//! Ways through the course, from `lessons/paths.toml`: which lessons, which of their
//! sections, which questions, and how long it takes. The first one is followed until
//! the learner chooses another.

mod walk;

use super::fault::{Fault, Level};
use super::fields::{Fields, Phrase, Toml};
use super::library::Course;
use super::text::Text;
use std::borrow::Cow;

pub(crate) use walk::asked;
pub use walk::{Leg, Next, Walk};

/// The file's name, in the folder of the lessons.
pub(crate) const FILE: &str = "paths.toml";

/// The setting of the learner's progress that names the path followed.
pub const SETTING: &str = "path";

/// A way through the course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// What commands call it: `three-hours`.
    pub name: Phrase,
    /// Its title: `Three hours`.
    pub title: String,
    /// What one can do at its end, in a sentence.
    pub about: String,
    /// Minutes of the whole, breaks included; 0: those of its lessons and exercises.
    pub minutes: u64,
    /// Every lesson in its order with all that is asked; it has no steps of its own.
    pub everything: bool,
    /// In the order in which they are taken.
    pub steps: Vec<Step>,
    /// It lies in a folder, and is not built in.
    pub own: bool,
}

/// A lesson of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The lesson.
    pub lesson: Phrase,
    /// Ids of the sections that are read; none: all of them.
    pub sections: Vec<Phrase>,
    /// Questions, `ex4 ridge`, or all of an exercise, `ex4`.
    pub questions: Vec<Phrase>,
    /// Minutes of reading and answering.
    pub minutes: u64,
}

/// The paths of a course.
#[derive(Debug, Clone, Default)]
pub(crate) struct Routes {
    /// The file as the user knows it.
    pub file: String,
    /// The first one is the default.
    pub list: Vec<Route>,
}

impl Routes {
    /// Reads the file's text. A file with an error says so and holds no path.
    pub fn read(file: &str, raw: &str, own: bool) -> (Self, Vec<Fault>) {
        let (text, mut faults) = Text::new(file, raw);
        let toml = Toml {
            text: &text,
            range: 0..text.body().len(),
        };
        let mut list = toml.read(&mut faults, |fields| {
            fields.called("the file");
            let mut seen = 0;
            let list = fields.tables("path", |fields| {
                seen += 1;
                route(fields, own)
            });
            let list: Vec<Route> = list.into_iter().flatten().collect();
            if seen == 0 {
                fields.report("there is no path here; write [[path]] with name, title and steps.");
            }
            fields.close();
            list
        });
        for (at, route) in list.iter().enumerate() {
            let same = |other: &&Route| other.name.text == route.name.text;
            if list.iter().take(at).any(|other| same(&other)) {
                let say = format!("{} is the name of another path already.", route.name.text);
                faults.push(Fault::at(file, route.name.at, say));
            }
        }
        if faults.iter().any(|fault| fault.level == Level::Error) {
            list.clear();
        }
        let file = file.to_owned();
        (Self { file, list }, faults)
    }

    /// Lays paths over these: they go first, and take the place of those of their name.
    pub fn lay(&mut self, over: Self) {
        let below = std::mem::replace(self, over);
        let names: Vec<String> = self.list.iter().map(|r| r.name.text.clone()).collect();
        let kept = |route: &Route| !names.contains(&route.name.text);
        self.list.extend(below.list.into_iter().filter(kept));
    }
}

fn route(fields: &mut Fields<'_, '_>, own: bool) -> Option<Route> {
    let mut fields = fields.renamed("a path");
    let name = fields.need_text("name", "name = \"three-hours\"");
    let title = fields.need_text("title", "title = \"Three hours\"");
    let about = fields.text("about").map_or_else(String::new, |t| t.text);
    let everything = fields.flag("everything").unwrap_or(false);
    let minutes = fields.count("minutes").unwrap_or(0);
    let steps: Vec<Option<Step>> = fields.tables("step", step);
    // A step that could not be read is there all the same.
    match (everything, steps.is_empty()) {
        (false, true) => fields.report(
            "this path has no steps; write [[path.step]] with a lesson, or everything = true.",
        ),
        (true, false) => {
            fields.report("everything = true holds every lesson; leave the steps out.");
        }
        _ => {}
    }
    fields.close();
    Some(Route {
        name: name?,
        title: title?.text,
        about,
        minutes,
        everything,
        steps: steps.into_iter().flatten().collect(),
        own,
    })
}

fn step(fields: &mut Fields<'_, '_>) -> Option<Step> {
    let mut fields = fields.renamed("a step of a path");
    let lesson = fields.need_text("lesson", "lesson = \"10-flash\"");
    let sections = fields.texts("sections");
    let questions = fields.texts("questions");
    let minutes = fields.count("minutes");
    if minutes.is_none_or(|minutes| minutes == 0) {
        fields.report("this step takes no time; write minutes = 20, reading and answering.");
    }
    fields.close();
    Some(Step {
        lesson: lesson?,
        sections,
        questions,
        minutes: minutes?,
    })
}

impl Route {
    /// Minutes of the whole.
    pub fn minutes(&self, course: &Course) -> u64 {
        match self.minutes {
            0 => self.legs(course).iter().map(|leg| leg.minutes).sum(),
            minutes => minutes,
        }
    }

    /// Minutes of the whole that no step takes: breaks.
    pub fn breaks(&self, course: &Course) -> u64 {
        let steps: u64 = self.legs(course).iter().map(|leg| leg.minutes).sum();
        self.minutes(course).saturating_sub(steps)
    }

    /// The steps, those of a path of everything too.
    pub(crate) fn steps<'r>(&'r self, course: &Course) -> Cow<'r, [Step]> {
        if !self.everything {
            return Cow::Borrowed(&self.steps);
        }
        let name = |text: &str| Phrase {
            text: text.to_owned(),
            ..Phrase::default()
        };
        let lessons = course.lessons().filter(|lesson| !lesson.is_reference());
        let steps = lessons.map(|lesson| {
            let exercises: Vec<_> = course.exercises_of(&lesson.id).collect();
            Step {
                lesson: name(&lesson.id),
                sections: Vec::new(),
                questions: exercises.iter().map(|e| name(&e.id)).collect(),
                minutes: lesson.minutes + exercises.iter().map(|e| e.minutes).sum::<u64>(),
            }
        });
        Cow::Owned(steps.collect())
    }
}

#[cfg(test)]
mod tests;
