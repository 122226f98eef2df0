//! Days on which something was done, and time with each lesson. Only the store
//! has a clock; here time comes as seconds since 1970 (UTC).

use super::Event;
use std::collections::{BTreeMap, BTreeSet};

const DAY: u64 = 24 * 60 * 60;
/// A longer silence is a break and counts for no lesson.
const BREAK: u64 = 10 * 60;

/// When a learner worked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log {
    /// Days since 1970-01-01, UTC.
    pub days: BTreeSet<u64>,
    /// Seconds by lesson id, its exercises included.
    pub seconds: BTreeMap<String, u64>,
    /// The lesson that was last open, and when something was last done.
    pub last: Option<(String, u64)>,
}

impl Log {
    /// Takes note of events that changed something at this second.
    pub fn note(&mut self, events: &[Event], now: u64) {
        let work = |event: &Event| !matches!(event, Event::Chose { .. } | Event::Reset { .. });
        if !events.iter().any(work) {
            return;
        }
        self.days.insert(now / DAY);
        if let Some((lesson, at)) = &mut self.last {
            let gap = now.saturating_sub(*at);
            if gap <= BREAK {
                *self.seconds.entry(lesson.clone()).or_default() += gap;
            }
            *at = now;
        }
        let read = events.iter().rev().find_map(|event| match event {
            Event::Read { lesson, .. } => Some(lesson.clone()),
            _ => None,
        });
        if let Some(lesson) = read {
            self.last = Some((lesson, now));
        }
    }

    /// Days in a row up to today, or up to yesterday where nothing was done today yet.
    pub fn streak(&self, now: u64) -> u64 {
        let today = now / DAY;
        let from = match self.days.contains(&today) {
            true => today,
            false => today.saturating_sub(1),
        };
        let run = (0..=from).rev().take_while(|day| self.days.contains(day));
        run.count() as u64
    }

    /// Both logs as one; a time that only one of them has is kept, and of two
    /// the longer, since the same hours may stand in both.
    pub(super) fn merge(&mut self, other: &Self) {
        self.days.extend(&other.days);
        for (lesson, seconds) in &other.seconds {
            let kept = self.seconds.entry(lesson.clone()).or_default();
            *kept = (*kept).max(*seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lesson: &str) -> Event {
        Event::Read {
            lesson: lesson.to_owned(),
            section: "s".to_owned(),
        }
    }

    #[test]
    fn breaks_are_not_counted_and_days_in_a_row_are() {
        let mut log = Log::default();
        log.note(&[read("a")], 3 * DAY);
        log.note(&[read("a")], 3 * DAY + 100);
        log.note(&[read("b")], 3 * DAY + 160);
        log.note(&[read("b")], 3 * DAY + 160 + BREAK + 1);
        log.note(&[read("b")], 4 * DAY);
        assert_eq!(
            log.seconds,
            [("a".to_owned(), 160), ("b".to_owned(), 0)]
                .into_iter()
                .filter(|(_, n)| *n > 0)
                .collect()
        );
        assert_eq!(
            (
                log.streak(4 * DAY + 5),
                log.streak(5 * DAY),
                log.streak(6 * DAY)
            ),
            (2, 2, 0)
        );
        let kept = log.clone();
        log.note(
            &[Event::Reset {
                exercise: "ex1".into(),
                key: None,
            }],
            9 * DAY,
        );
        assert_eq!(log, kept, "a reset is no work");
    }

    #[test]
    fn merging_adds_nothing_twice() {
        let mut log = Log::default();
        log.note(&[read("a")], DAY);
        log.note(&[read("a")], DAY + 60);
        let mut both = log.clone();
        both.merge(&log);
        assert_eq!(both, log);
    }
}
