//! Two learners' files become one: what either has is kept.

use super::{KeyMark, Progress};

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

impl KeyMark {
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
