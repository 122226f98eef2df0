//! Two learners' files become one: what either has is kept.

use super::{KeyMark, Mark, Progress};

impl Progress {
    /// Takes in another progress, of another machine say. Nothing that is here is
    /// lost: sections read and questions solved are those of both, tries and
    /// hints the larger number, and settings stay as they are here.
    pub fn merge(&mut self, other: &Self) {
        for (id, theirs) in &other.lessons {
            let ours = self.lessons.entry(id.clone()).or_default();
            ours.read.extend(theirs.read.iter().cloned());
            if ours.last.is_none() {
                ours.last.clone_from(&theirs.last);
            }
        }
        for (id, keys) in &other.exercises {
            // Marks belong to a variant; those of another one say nothing here.
            if self.variant(id) != other.variant(id) && self.exercises.contains_key(id) {
                continue;
            }
            if other.variant(id) > 0 {
                self.variants.insert(id.clone(), other.variant(id));
            }
            let ours = self.exercises.entry(id.clone()).or_default();
            for (name, theirs) in keys {
                ours.entry(name.clone()).or_default().merge(theirs);
            }
        }
        self.finished.extend(other.finished.iter().cloned());
        for (place, guess) in &other.guesses {
            self.guesses
                .entry(place.clone())
                .or_insert_with(|| guess.clone());
        }
        for (name, value) in &other.settings {
            self.settings
                .entry(name.clone())
                .or_insert_with(|| value.clone());
        }
        if self.stopped.is_none() {
            self.stopped.clone_from(&other.stopped);
        }
        if other.practise.asked > self.practise.asked {
            self.practise = other.practise.clone();
        }
        self.log.merge(&other.log);
    }
}

impl Progress {
    /// Takes in what another process has found since of answers to the same variants; the
    /// exercises that stand otherwise now. Nothing that is here is lost.
    pub fn catch_up(&mut self, other: &Self) -> Vec<String> {
        let mut changed = Vec::new();
        for (id, keys) in &other.exercises {
            if self.variant(id) != other.variant(id) {
                continue;
            }
            let before = self.exercises.get(id).cloned().unwrap_or_default();
            let ours = self.exercises.entry(id.clone()).or_default();
            for (name, theirs) in keys {
                ours.entry(name.clone()).or_default().catch_up(theirs);
            }
            if *ours != before {
                changed.push(id.clone());
            }
        }
        changed
    }
}

impl KeyMark {
    /// The other one was kept at the same place: its verdict is the later one where it counts
    /// more tries, or where a right answer followed as many.
    fn catch_up(&mut self, other: &Self) {
        let right = matches!(other.verdict, Some(Mark::Right | Mark::Kept));
        let followed = right && other.tries == self.tries && self.verdict != other.verdict;
        if other.tries > self.tries || followed || self.verdict.is_none() {
            self.verdict = other.verdict;
            self.tried.clone_from(&other.tried);
            self.near.clone_from(&other.near);
        }
        self.merge(other);
    }

    fn merge(&mut self, other: &Self) {
        if !self.solved && (other.solved || self.verdict.is_none()) {
            self.verdict = other.verdict;
        }
        self.solved |= other.solved;
        if other.tries > self.tries {
            self.tries = other.tries;
            self.tried.clone_from(&other.tried);
        }
        self.hints = self.hints.max(other.hints);
        self.given_up = (self.given_up || other.given_up) && !self.solved;
        if self.locked.is_none() {
            self.locked.clone_from(&other.locked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Event;
    use super::*;

    fn checked(progress: &mut Progress, typed: &str, mark: Mark) {
        progress.apply(&Event::Checked {
            exercise: "ex1".to_owned(),
            key: "block".to_owned(),
            typed: typed.to_owned(),
            mark,
        });
    }

    #[test]
    fn a_later_verdict_is_taken_and_an_earlier_one_is_not() {
        // Tries of one process after the other, in the order of time.
        let tried = [("16", Mark::Wrong), ("15", Mark::Slip), ("17", Mark::Right)];
        let mut earlier = Progress::default();
        for (typed, mark) in tried {
            let mut later = earlier.clone();
            checked(&mut later, typed, mark);
            let mut here = earlier.clone();
            assert_eq!(here.catch_up(&later), ["ex1"], "{typed}");
            assert_eq!(here, later, "{typed}");
            // A file that is behind what is here changes nothing.
            assert!(here.catch_up(&earlier).is_empty(), "{typed}");
            assert_eq!(here, later, "{typed}");
            earlier = later;
        }
        // Another variant says nothing of this one.
        let mut varied = Progress::default();
        varied.variants.insert("ex1".to_owned(), 1);
        assert!(varied.catch_up(&earlier).is_empty());
    }
}
