//! What is left of a section of the path: it waits while something else is looked up, and
//! over a new start.

use super::{Reader, lesson, section};
use crate::contents::{ended, stopped};
use crate::followed::is_stop;
use crate::shared::Shared;
use crate::study::Study;

impl Reader {
    /// Text of the section lies below what is shown, and the path led here.
    pub fn stops_on_path(&self) -> bool {
        self.path && self.opened && (self.unfinished || self.page_below().is_some())
    }

    /// What a new start has to know of it: lesson and section, by their ids.
    pub(crate) fn rest(&self, shared: &Shared) -> Option<(String, String)> {
        let here = || {
            Some((
                lesson(self, shared)?.id.clone(),
                section(self, shared)?.id.clone(),
            ))
        };
        let now = self.stops_on_path().then(here).flatten();
        self.left.clone().or(now)
    }

    /// Lesson and section of the path of which something is left to be read.
    pub fn rest_of_path(&self, study: &Study) -> Option<(usize, usize)> {
        if self.stops_on_path() {
            return Some((self.lesson, self.section));
        }
        let (id, section) = self.left.as_ref().filter(|_| study.loaded)?;
        let at = study.place_of(id)?;
        let mut sections = study.lesson(at)?.sections.iter();
        let section = sections.position(|s| s.id == *section)?;
        is_stop(study, at, section).then_some((at, section))
    }

    /// Where Space leads on the path, in words: what is left of a section comes before what
    /// follows it. `None`: it is through.
    pub fn leads(&self, shared: &Shared) -> Option<String> {
        let contents = &shared.contents;
        let next = contents.route.as_ref().map(|followed| &followed.next)?;
        let next = (!next.is_empty()).then(|| ended(next))?;
        let rest = self.rest_of_path(&shared.study).map(|(lesson, section)| {
            let lesson = contents.lessons.get(lesson);
            let number = lesson.map_or("", |lesson| &lesson.number);
            format!("the rest of lesson {number}, section {}.", section + 1)
        });
        Some(rest.unwrap_or(next))
    }

    /// Goes back to where the path was left, where the learner stopped there.
    pub(crate) fn restore(&mut self, study: &Study) {
        if !self.opened && self.rest_of_path(study) == stopped(study) {
            self.resume(study);
        }
    }

    /// Goes back to where the path was left.
    pub(crate) fn resume(&mut self, study: &Study) {
        let Some((lesson, section)) = self.rest_of_path(study) else {
            return;
        };
        if !self.stops_on_path() {
            self.turn(lesson, section);
            (self.path, self.opened, self.unfinished) = (true, true, true);
        }
        self.left = None;
    }
}
