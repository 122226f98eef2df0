//! What a learner has read, answered and guessed: `progress.toml` in the state folder.
//!
//! Changes are events. The screen applies an event to its own copy at once, and
//! [`Store::record`] applies the same event to what is on disk at that moment.
//! So two workshops open at once add up instead of overwriting each other.

mod form;
mod log;
mod merge;
mod store;
mod tally;
pub mod undo;

pub use log::Log;
pub use store::{Store, now};
pub use tally::Tally;

use super::lesson::Lesson;
use crate::answer::practise::Deck;
use crate::answer::{self, Env, Key, Kind, USUAL_GPU, Verdict};
use crate::measured::Measured;
use std::collections::{BTreeMap, BTreeSet};
use toml::Table;

/// Everything that is kept about a learner.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Progress {
    /// By lesson id.
    pub lessons: BTreeMap<String, LessonMark>,
    /// By exercise id, then key.
    pub exercises: BTreeMap<String, BTreeMap<String, KeyMark>>,
    /// By exercise id, the variant that is answered now; 0 is not kept.
    pub variants: BTreeMap<String, usize>,
    /// By the name of a configuration ([`crate::measured::name`]), the time that
    /// answers are graded against.
    pub measured: BTreeMap<String, Measured>,
    /// Questions that were answered right in a variant before, as `ex1 block`; an exercise's
    /// id alone, which older programs wrote, stands for all of its questions.
    pub finished: BTreeSet<String>,
    /// What was practised, and what comes back when.
    pub practise: Deck,
    /// When it was worked, and how long with which lesson.
    pub log: Log,
    /// By lesson id, number of the block and, where it was asked of a GPU, that one's id,
    /// the newest guess.
    pub guesses: BTreeMap<(String, u64, String), Guess>,
    /// By lesson id and number of the block, what was typed of a guess and not kept yet.
    pub begun: BTreeMap<(String, u64), String>,
    /// By name: theme, motion, ascii and so on.
    pub settings: BTreeMap<String, String>,
    /// Lesson and section where the learner stopped.
    pub stopped: Option<(String, String)>,
    /// Version of the file's form, where a newer program wrote it.
    newer: Option<i64>,
    /// What a newer program wrote; kept as it is.
    other: Table,
}

/// How far a lesson was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LessonMark {
    /// Ids of the sections that were on the screen.
    pub read: BTreeSet<String>,
    /// Id of the last one.
    pub last: Option<String>,
}

/// How a question stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyMark {
    /// Verdict of the last check.
    pub verdict: Option<Mark>,
    /// Was it ever right?
    pub solved: bool,
    /// Answers that were wrong or a slip, each once in a row.
    pub tries: u64,
    /// The answer that was wrong or a slip last.
    pub tried: Option<String>,
    /// The answer that was close last.
    pub near: Option<String>,
    /// Hints shown.
    pub hints: u64,
    /// Was the solution looked at before it was right?
    pub given_up: bool,
    /// A prediction as it was when it was locked.
    pub locked: Option<String>,
}

/// A verdict as it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Right.
    Right,
    /// A known slip.
    Slip,
    /// Close; not counted as a try.
    Close,
    /// Wrong.
    Wrong,
    /// Could not be read.
    Unread,
    /// Kept and not graded.
    Kept,
}

impl KeyMark {
    /// Whether the verdict of the last check was on this answer, as far as that is kept.
    pub fn is_on(&self, typed: &str) -> bool {
        let of = match self.verdict {
            Some(Mark::Wrong | Mark::Slip) => &self.tried,
            Some(Mark::Close) => &self.near,
            _ => return true,
        };
        of.as_deref() == Some(typed.trim())
    }
}

/// Whether an entry of [`Progress::finished`] is about an exercise.
fn is_of(entry: &str, exercise: &str) -> bool {
    entry.split(' ').next() == Some(exercise)
}

impl Mark {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Right, "right"),
        (Self::Slip, "slip"),
        (Self::Close, "close"),
        (Self::Wrong, "wrong"),
        (Self::Unread, "unread"),
        (Self::Kept, "kept"),
    ];

    /// The word in the file and on the screen.
    pub fn word(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(mark, _)| *mark == self)
            .map_or("", |(_, word)| word)
    }

    /// What is kept of a verdict; nothing of an open key.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        Self::read(verdict.word())
    }

    fn read(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, known)| *known == word)
            .map(|(mark, _)| *mark)
    }
}

/// A prediction beside what came out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guess {
    /// What was typed; empty: skipped.
    pub typed: String,
    /// What the block then showed.
    pub outcome: String,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A section was on the screen.
    Read {
        /// Id of the lesson.
        lesson: String,
        /// Id of the section.
        section: String,
    },
    /// Keys were pressed while a lesson, or an exercise of it, was open.
    Worked {
        /// Id of the lesson.
        lesson: String,
    },
    /// A key was checked.
    Checked {
        /// Id of the exercise.
        exercise: String,
        /// Name of the key.
        key: String,
        /// What was typed.
        typed: String,
        /// The verdict.
        mark: Mark,
    },
    /// A prediction was made and stays as it is.
    Locked {
        /// Id of the exercise.
        exercise: String,
        /// Name of the key.
        key: String,
        /// As typed.
        typed: String,
    },
    /// Another variant of an exercise was begun: its questions are open again.
    Varied {
        /// Id of the exercise.
        exercise: String,
        /// Its number.
        variant: usize,
    },
    /// A time was measured that answers are graded against from now on.
    Measured {
        /// Name of the configuration.
        of: String,
        /// The time.
        time: Measured,
    },
    /// A practice question was answered.
    Practised {
        /// Name of its pattern.
        pattern: String,
        /// Whether the first answer was right.
        right: bool,
    },
    /// A hint was shown.
    Hinted {
        /// Id of the exercise.
        exercise: String,
        /// Name of the key.
        key: String,
        /// How many have been shown now.
        shown: u64,
    },
    /// The solution was shown.
    GaveUp {
        /// Id of the exercise.
        exercise: String,
        /// Name of the key.
        key: String,
    },
    /// A key, or a whole exercise, starts anew.
    Reset {
        /// Id of the exercise.
        exercise: String,
        /// Name of the key; None: all.
        key: Option<String>,
    },
    /// A prediction was made or skipped.
    Guessed {
        /// Id of the lesson.
        lesson: String,
        /// Number of the block.
        block: u64,
        /// Id of the GPU that it was asked of; empty: of none.
        gpu: String,
        /// What was typed; empty: skipped.
        typed: String,
        /// What the block then showed.
        outcome: String,
    },
    /// A prediction was left while it was being typed.
    Begun {
        /// Id of the lesson.
        lesson: String,
        /// Number of the block.
        block: u64,
        /// As typed; empty: nothing is left of it.
        typed: String,
    },
    /// A setting was chosen; None takes it back.
    Chose {
        /// Name of the setting.
        setting: String,
        /// Its value.
        value: Option<String>,
    },
}

impl Event {
    /// What is kept of a verdict; nothing of an open key. `tried` tells this try from
    /// another.
    pub fn checked(exercise: &str, key: &str, tried: &str, verdict: &Verdict) -> Option<Self> {
        Some(Self::Checked {
            exercise: exercise.to_owned(),
            key: key.to_owned(),
            typed: tried.to_owned(),
            mark: Mark::of(verdict)?,
        })
    }

    /// A prediction that can be read stays as it is from now on: what comes out is
    /// only then shown. Nothing of other questions.
    pub fn locked(exercise: &str, key: &Key, typed: &str, env: &Env<'_>) -> Option<Self> {
        let predicts = key.kind == Kind::Predict && !typed.is_empty();
        (predicts && answer::echo(typed, key, env).is_ok()).then(|| Self::Locked {
            exercise: exercise.to_owned(),
            key: key.name.text.clone(),
            typed: typed.to_owned(),
        })
    }
}

impl Progress {
    /// Takes note of an event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Read { lesson, section } => {
                let mark = self.lessons.entry(lesson.clone()).or_default();
                mark.read.insert(section.clone());
                mark.last = Some(section.clone());
                self.stopped = Some((lesson.clone(), section.clone()));
            }
            // Time is the log's, which has a clock.
            Event::Worked { .. } => {}
            Event::Checked {
                exercise,
                key,
                typed,
                mark,
            } => {
                let kept = self.entry(exercise, key);
                // What cannot be read takes a refusal's place, and makes nothing right again.
                let refused = matches!(kept.verdict, Some(Mark::Wrong | Mark::Slip | Mark::Close));
                if !(kept.solved && refused && *mark == Mark::Unread) {
                    kept.verdict = Some(*mark);
                }
                // Looking again at what was typed before is no new try.
                let typed = typed.trim();
                let new = kept.tried.as_deref() != Some(typed);
                if matches!(mark, Mark::Slip | Mark::Wrong) && new {
                    kept.tries = kept.tries.saturating_add(u64::from(!kept.solved));
                    kept.tried = Some(typed.to_owned());
                }
                if *mark == Mark::Close {
                    kept.near = Some(typed.to_owned());
                }
                // What was answered after its solution was read stays read.
                kept.solved |= matches!(mark, Mark::Right | Mark::Kept) && !kept.given_up;
            }
            Event::Locked {
                exercise,
                key,
                typed,
            } => {
                let kept = self.entry(exercise, key);
                kept.locked.get_or_insert_with(|| typed.clone());
            }
            Event::Varied { exercise, variant } => {
                let marks = self.exercises.remove(exercise).unwrap_or_default();
                let solved = marks.iter().filter(|(_, mark)| mark.solved);
                self.finished
                    .extend(solved.map(|(key, _)| format!("{exercise} {key}")));
                match variant {
                    0 => self.variants.remove(exercise),
                    n => self.variants.insert(exercise.clone(), *n),
                };
            }
            Event::Measured { of, time } => {
                self.measured.insert(of.clone(), *time);
            }
            Event::Practised { pattern, right } => self.practise.answered(pattern, *right),
            Event::Hinted {
                exercise,
                key,
                shown,
            } => {
                let kept = self.entry(exercise, key);
                kept.hints = kept.hints.max(*shown);
            }
            Event::GaveUp { exercise, key } => {
                let kept = self.entry(exercise, key);
                kept.given_up |= !kept.solved;
            }
            Event::Reset {
                exercise,
                key: None,
            } => {
                self.exercises.remove(exercise);
                self.finished.retain(|of| !is_of(of, exercise));
            }
            Event::Reset {
                exercise,
                key: Some(key),
            } => {
                if let Some(keys) = self.exercises.get_mut(exercise) {
                    keys.remove(key);
                }
            }
            Event::Guessed {
                lesson,
                block,
                gpu,
                typed,
                outcome,
            } => {
                let guess = Guess {
                    typed: typed.clone(),
                    outcome: outcome.clone(),
                };
                self.begun.remove(&(lesson.clone(), *block));
                let place = (lesson.clone(), *block, gpu.clone());
                self.guesses.insert(place, guess);
            }
            Event::Begun {
                lesson,
                block,
                typed,
            } => {
                let place = (lesson.clone(), *block);
                match typed.as_str() {
                    "" => self.begun.remove(&place),
                    typed => self.begun.insert(place, typed.to_owned()),
                };
            }
            Event::Chose {
                setting,
                value: Some(value),
            } => {
                self.settings.insert(setting.clone(), value.clone());
            }
            Event::Chose {
                setting,
                value: None,
            } => {
                self.settings.remove(setting);
            }
        }
    }

    fn entry(&mut self, exercise: &str, key: &str) -> &mut KeyMark {
        self.exercises
            .entry(exercise.to_owned())
            .or_default()
            .entry(key.to_owned())
            .or_default()
    }

    /// Sections of a lesson that were on the screen, in percent. 100 only when all were.
    pub fn percent_read(&self, lesson: &Lesson) -> usize {
        let Some(mark) = self.lessons.get(&lesson.id) else {
            return 0;
        };
        let read = lesson
            .sections
            .iter()
            .filter(|section| mark.read.contains(&section.id))
            .count();
        100 * read / lesson.sections.len().max(1)
    }

    /// The guess that was made in a block, asked of a GPU or of none (an empty id).
    pub fn guess(&self, lesson: &str, block: u64, gpu: &str) -> Option<&Guess> {
        let of = |gpu: &str| {
            let place = (lesson.to_owned(), block, gpu.to_owned());
            self.guesses.get(&place)
        };
        // Before devices were told apart, all was asked of the usual one.
        of(gpu).or_else(|| of("").filter(|_| gpu == USUAL_GPU))
    }

    /// What was typed of a guess and not kept yet.
    pub fn begun(&self, lesson: &str, block: u64) -> &str {
        let found = self.begun.get(&(lesson.to_owned(), block));
        found.map_or("", String::as_str)
    }

    /// The variant of an exercise that is answered now.
    pub fn variant(&self, exercise: &str) -> usize {
        self.variants.get(exercise).copied().unwrap_or(0)
    }

    /// Version of the form, where a newer program wrote it: parts of it may not be
    /// known here.
    pub fn newer(&self) -> Option<i64> {
        self.newer
    }

    /// Whether a question was answered right in a variant before.
    pub fn done_before(&self, exercise: &str, key: &str) -> bool {
        self.finished.contains(exercise) || self.finished.contains(&format!("{exercise} {key}"))
    }

    /// How a question counts whose solution is read before it is answered.
    pub fn as_read(&self, exercise: &str, key: &str) -> &'static str {
        match self.done_before(exercise, key) {
            true => "counts as read in this variant, and as solved in one before",
            false => "counts as read, not as solved",
        }
    }

    /// What is kept of an exercise's questions in [`Self::finished`].
    fn finished_of<'p>(&'p self, exercise: &'p str) -> impl Iterator<Item = &'p String> {
        self.finished.iter().filter(move |of| is_of(of, exercise))
    }

    /// How a question stands; untouched ones have the default mark.
    pub fn key(&self, exercise: &str, key: &str) -> KeyMark {
        self.exercises
            .get(exercise)
            .and_then(|keys| keys.get(key))
            .cloned()
            .unwrap_or_default()
    }
}
