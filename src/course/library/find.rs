//! Lessons, exercises and solutions by what is typed for them.

use super::Course;
use super::slot::{exercise, lesson, solution};
use crate::assigned;
use crate::exercise::Exercise;
use crate::fault::way_out;
use crate::lesson::Lesson;
use crate::solution::Solution;

impl Course {
    /// A lesson by its id, its number (`4`, `04`) or its name without number.
    ///
    /// # Errors
    /// A sentence with the nearest id.
    pub fn lesson(&self, typed: &str) -> Result<&Lesson, String> {
        let number = |text: &str| text.parse::<u32>().ok();
        let fits = |id: &str| {
            let (head, tail) = id.split_once('-').unwrap_or((id, ""));
            id == typed || tail == typed || number(head).is_some_and(|n| number(typed) == Some(n))
        };
        let ids: Vec<&str> = self
            .lessons
            .iter()
            .map(|slot| slot.raw.id.as_str())
            .collect();
        self.lessons
            .iter()
            .find(|slot| slot.raw.id == typed)
            .or_else(|| self.lessons.iter().find(|slot| fits(&slot.raw.id)))
            .map(|slot| slot.get(lesson))
            .ok_or_else(|| {
                format!(
                    "there is no lesson “{typed}”; {}",
                    hint(typed, &ids, "tinyllama-tutor lessons")
                )
            })
    }

    /// An exercise by its id, or by a name of the documents that means one alone.
    ///
    /// # Errors
    /// A sentence with the nearest id.
    pub fn exercise(&self, typed: &str) -> Result<&Exercise, String> {
        match self.exercises_named(typed)?.as_slice() {
            [one] => Ok(one),
            several => {
                let ids: Vec<&str> = several.iter().map(|e| e.id.as_str()).collect();
                Err(format!(
                    "{typed} is {} here; name one of them",
                    ids.join(", ")
                ))
            }
        }
    }

    /// The exercise of an id, the only one that is read for it.
    pub fn exercise_of_id(&self, id: &str) -> Option<&Exercise> {
        let slot = self.exercises.iter().find(|slot| slot.raw.id == id)?;
        Some(slot.get(exercise))
    }

    /// The exercises of an id, or of a name of the documents ([`assigned`]): one or more.
    ///
    /// # Errors
    /// A sentence with the nearest id or name.
    pub fn exercises_named(&self, typed: &str) -> Result<Vec<&Exercise>, String> {
        if let Some(own) = self.exercise_of_id(typed) {
            return Ok(vec![own]);
        }
        let led = assigned::led_to(self, typed);
        if !led.is_empty() {
            return Ok(led);
        }
        if typed.contains('=') {
            return Err(format!(
                "“{typed}” is an answer, not an exercise; type --answer {typed} behind the exercise"
            ));
        }
        let own = self.exercises.iter().map(|slot| slot.raw.id.as_str());
        let theirs = assigned::names().map(|(name, _)| name);
        let ids: Vec<&str> = own.chain(theirs).collect();
        Err(format!(
            "there is no exercise “{typed}”; {}",
            hint(typed, &ids, "tinyllama-tutor exercises")
        ))
    }

    /// The exercises that a lesson leads to.
    pub fn exercises_of<'c>(&'c self, lesson: &'c str) -> impl Iterator<Item = &'c Exercise> {
        self.exercises().filter(move |exercise| {
            exercise
                .lesson
                .as_ref()
                .is_some_and(|named| named.text == lesson)
        })
    }

    /// The solution of an exercise, where there is one.
    pub fn solution(&self, id: &str) -> Option<&Solution> {
        self.solutions
            .iter()
            .find(|slot| slot.raw.id == id)
            .map(|slot| slot.get(solution))
    }
}

/// The nearest id, or the command that lists them: thirty ids make no sentence.
fn hint(typed: &str, ids: &[&str], command: &str) -> String {
    // A part that there is not, of an exercise that there is: `v2-ex1-a`.
    let head = typed.rsplit_once('-').map(|(head, _)| head);
    let whole = ids
        .iter()
        .find(|id| head.is_some_and(|head| head.eq_ignore_ascii_case(id)));
    if let Some(whole) = whole {
        return format!("did you mean {whole}? It has no such part.");
    }
    match plan::nearest(typed, ids.iter().copied()) {
        Some(_) => way_out(typed, ids),
        None => format!("{command} lists them."),
    }
}
