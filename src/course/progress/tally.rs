//! How questions stand, counted.

use std::ops::AddAssign;

use super::{Mark, Progress};

use crate::exercise::Exercise;

/// How many questions stand how; those in none of these are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Questions.
    pub all: usize,
    /// Answered right, at some time.
    pub right: usize,
    /// Kept and not graded: words, predictions.
    pub kept: usize,
    /// Last answered with a known slip.
    pub slip: usize,
    /// Last answered wrong.
    pub wrong: usize,
}

impl Tally {
    /// Questions that nothing is left to do of.
    pub fn done(self) -> usize {
        self.right + self.kept
    }

    /// Questions that were not answered, or not so that it counts: also those whose solution
    /// was read before.
    pub fn open(self) -> usize {
        let answered = self.done() + self.slip + self.wrong;
        self.all.saturating_sub(answered)
    }

    /// `5 of 429 answered right, 1 kept`.
    pub fn line(self) -> String {
        let kept = match self.kept {
            0 => String::new(),
            kept => format!(", {kept} kept"),
        };
        format!("{} of {} answered right{kept}", self.right, self.all)
    }

    /// The same where there is little room: `5 of 429 right, 1 kept`.
    pub fn brief(self) -> String {
        self.line().replace(" answered", "")
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.all += other.all;
        self.right += other.right;
        self.kept += other.kept;
        self.slip += other.slip;
        self.wrong += other.wrong;
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }
}

impl Progress {
    /// How the questions of an exercise stand: what was done in a variant before stays so.
    pub fn tally(&self, exercise: &Exercise) -> Tally {
        let mut tally = Tally {
            all: exercise.keys.len(),
            ..Tally::default()
        };
        for key in &exercise.keys {
            let mark = self.key(&exercise.id, &key.name.text);
            let before = self.done_before(&exercise.id, &key.name.text);
            let count = match (mark.verdict, mark.solved || before) {
                (_, true) if !key.is_graded() => &mut tally.kept,
                (_, true) => &mut tally.right,
                // What was answered before its solution was read counts no more.
                _ if mark.given_up => continue,
                (Some(Mark::Slip), false) => &mut tally.slip,
                (Some(Mark::Wrong), false) => &mut tally.wrong,
                _ => continue,
            };
            *count += 1;
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Kind;
    use crate::library::Course;
    use crate::progress::Event;

    #[test]
    fn a_kernel_that_was_judged_right_is_right() {
        let course = Course::built_in();
        let exercise = course.exercise("ex19").unwrap();
        let key = exercise
            .keys
            .iter()
            .find(|key| key.kernel.is_some())
            .unwrap();
        let mut progress = Progress::default();
        progress.apply(&Event::Checked {
            exercise: exercise.id.clone(),
            key: key.name.text.clone(),
            typed: String::new(),
            mark: Mark::Right,
        });
        let tally = progress.tally(exercise);
        assert_eq!((tally.right, tally.kept), (1, 0));
    }

    #[test]
    fn what_is_kept_is_not_right_and_what_is_wrong_is_not_open() {
        let course = Course::built_in();
        // Its last question asks for words.
        let exercise = course.exercise("ex34").unwrap();
        let (words, others): (Vec<_>, Vec<_>) =
            exercise.keys.iter().partition(|k| k.kind == Kind::Text);
        assert!(!words.is_empty() && others.len() >= 3);
        let marks = [Mark::Right, Mark::Slip, Mark::Wrong];
        let marked = words.iter().take(1).zip([Mark::Kept]);
        let mut progress = Progress::default();
        for (key, mark) in others.iter().zip(marks).chain(marked) {
            progress.apply(&Event::Checked {
                exercise: exercise.id.clone(),
                key: key.name.text.clone(),
                typed: "1".to_owned(),
                mark,
            });
        }
        let tally = progress.tally(exercise);
        let one = Tally {
            all: exercise.keys.len(),
            right: 1,
            kept: 1,
            slip: 1,
            wrong: 1,
        };
        assert_eq!(tally, one);
        assert_eq!((tally.done(), tally.open()), (2, exercise.keys.len() - 4));
        let all = exercise.keys.len();
        assert_eq!(tally.line(), format!("1 of {all} answered right, 1 kept"));
        // Whose solution was read is wrong no more.
        let read = &others[2];
        progress.apply(&Event::GaveUp {
            exercise: exercise.id.clone(),
            key: read.name.text.clone(),
        });
        let tally = progress.tally(exercise);
        assert_eq!((tally.wrong, tally.open()), (0, all - 3));
        // Finished in another variant, words were kept there too.
        progress.finished.insert(exercise.id.clone());
        let tally = progress.tally(exercise);
        assert_eq!((tally.kept, tally.done()), (words.len(), all));
    }
}
