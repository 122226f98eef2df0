//! Spaced repetition: what went wrong comes back soon, what went right later.

use super::{Pattern, Topic};
use std::collections::BTreeMap;

/// Questions until a pattern comes back, by its box.
const INTERVALS: [u64; 5] = [2, 4, 8, 16, 32];

/// How a pattern stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// Its box, from 0: each right answer moves it on, anything else back to 0.
    pub level: u64,
    /// The number of the question at which it is due again.
    pub due: u64,
    /// How often it was asked.
    pub asked: u64,
    /// How often the first answer was right.
    pub right: u64,
}

/// The state of a learner's practice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deck {
    /// Questions asked so far.
    pub asked: u64,
    /// By the name of a pattern.
    pub cards: BTreeMap<String, Card>,
}

impl Deck {
    /// Takes note of a question: `right` where the first answer was.
    pub fn answered(&mut self, pattern: &str, right: bool) {
        self.asked = self.asked.saturating_add(1);
        let card = self.cards.entry(pattern.to_owned()).or_default();
        card.asked = card.asked.saturating_add(1);
        card.right = card.right.saturating_add(u64::from(right));
        let last = INTERVALS.len() - 1;
        card.level = match right {
            true => (card.level + 1).min(last as u64),
            false => 0,
        };
        let level = usize::try_from(card.level).unwrap_or(last).min(last);
        let wait = INTERVALS.get(level).copied().unwrap_or(2);
        card.due = self.asked.saturating_add(wait);
    }

    /// The pattern to ask next: of those that are due the one in the lowest
    /// box, then one that was never asked, then the one that is due first.
    pub fn next(&self, topic: Topic) -> Option<&'static Pattern> {
        let rank = |pattern: &&'static Pattern| match self.cards.get(pattern.id) {
            Some(card) if card.due <= self.asked => (0, card.level, card.due),
            None => (1, 0, 0),
            Some(card) => (2, card.due, card.level),
        };
        topic.patterns().min_by_key(rank)
    }
}
