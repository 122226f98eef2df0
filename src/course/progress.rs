//! What a learner has read, answered and guessed: `progress.toml` in the state folder.
//!
//! Changes are events. The screen applies an event to its own copy at once, and
//! [`Store::record`] applies the same event to what is on disk at that moment.
//! So two workshops open at once add up instead of overwriting each other.

mod store;

pub use store::Store;

use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// Version of the file's form.
const VERSION: i64 = 1;

/// Everything that is kept about a learner.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Progress {
    /// By lesson id.
    pub lessons: BTreeMap<String, LessonMark>,
    /// By exercise id, then key.
    pub exercises: BTreeMap<String, BTreeMap<String, KeyMark>>,
    /// By lesson id and number of the block, the newest guess.
    pub guesses: BTreeMap<(String, u64), Guess>,
    /// By name: theme, motion, ascii and so on.
    pub settings: BTreeMap<String, String>,
    /// Lesson and section where the learner stopped.
    pub stopped: Option<(String, String)>,
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
    /// Checks that counted.
    pub tries: u64,
    /// Hints shown.
    pub hints: u64,
    /// Was the solution looked at before it was right?
    pub given_up: bool,
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
}

impl Mark {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Right, "right"),
        (Self::Slip, "slip"),
        (Self::Close, "close"),
        (Self::Wrong, "wrong"),
        (Self::Unread, "unread"),
    ];

    /// The word in the file and on the screen.
    pub fn word(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(mark, _)| *mark == self)
            .map_or("", |(_, word)| word)
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
    /// A key was checked.
    Checked {
        /// Id of the exercise.
        exercise: String,
        /// Name of the key.
        key: String,
        /// The verdict.
        mark: Mark,
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
        /// What was typed; empty: skipped.
        typed: String,
        /// What the block then showed.
        outcome: String,
    },
    /// A setting was chosen; None takes it back.
    Chose {
        /// Name of the setting.
        setting: String,
        /// Its value.
        value: Option<String>,
    },
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
            Event::Checked {
                exercise,
                key,
                mark,
            } => {
                let kept = self.entry(exercise, key);
                kept.verdict = Some(*mark);
                // Right closes a question; checking it again is no new try.
                let counts = matches!(mark, Mark::Right | Mark::Slip | Mark::Wrong);
                kept.tries += u64::from(counts && !kept.solved);
                kept.solved |= *mark == Mark::Right;
            }
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
                typed,
                outcome,
            } => {
                let guess = Guess {
                    typed: typed.clone(),
                    outcome: outcome.clone(),
                };
                self.guesses.insert((lesson.clone(), *block), guess);
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

    /// How a question stands; untouched ones have the default mark.
    pub fn key(&self, exercise: &str, key: &str) -> KeyMark {
        self.exercises
            .get(exercise)
            .and_then(|keys| keys.get(key))
            .cloned()
            .unwrap_or_default()
    }

    /// Reads the file's text. Unknown entries are kept, wrong ones ignored.
    ///
    /// # Errors
    /// What is not TOML at all.
    pub fn read(text: &str) -> Result<Self, toml::de::Error> {
        let mut table: Table = text.parse()?;
        let mut progress = Self::default();
        for (id, mut lesson) in take_tables(&mut table, "lessons") {
            let read = match lesson.remove("read") {
                Some(Value::Array(list)) => list.into_iter().filter_map(text_of).collect(),
                _ => BTreeSet::new(),
            };
            let last = lesson.remove("last").and_then(text_of);
            progress.lessons.insert(id, LessonMark { read, last });
        }
        for (id, keys) in take_tables(&mut table, "exercises") {
            let marks = keys
                .into_iter()
                .filter_map(|(name, value)| Some((name, key_mark(value.as_table()?))));
            progress.exercises.insert(id, marks.collect());
        }
        if let Some(Value::Array(list)) = table.remove("guesses") {
            for guess in list {
                let text = |name: &str| Some(guess.get(name)?.as_str()?.to_owned());
                let block = guess
                    .get("block")
                    .and_then(Value::as_integer)
                    .and_then(|n| u64::try_from(n).ok());
                if let (Some(lesson), Some(block)) = (text("lesson"), block) {
                    let guess = Guess {
                        typed: text("typed").unwrap_or_default(),
                        outcome: text("outcome").unwrap_or_default(),
                    };
                    progress.guesses.insert((lesson, block), guess);
                }
            }
        }
        if let Some(Value::Table(settings)) = table.remove("settings") {
            progress.settings = settings
                .into_iter()
                .filter_map(|(name, value)| Some((name, text_of(value)?)))
                .collect();
        }
        if let Some(Value::Table(mut stopped)) = table.remove("stopped") {
            let mut text = |name: &str| stopped.remove(name).and_then(text_of);
            progress.stopped = text("lesson").zip(text("section"));
        }
        progress.other = table;
        Ok(progress)
    }

    /// The file's text.
    pub fn write(&self) -> String {
        let text = |text: &String| Value::String(text.clone());
        let mut table = Table::new();
        let known = self
            .other
            .get("version")
            .and_then(Value::as_integer)
            .unwrap_or(VERSION);
        table.insert("version".into(), Value::Integer(known.max(VERSION)));
        for (name, value) in self.other.iter().filter(|(name, _)| *name != "version") {
            table.insert(name.clone(), value.clone());
        }
        if let Some((lesson, section)) = &self.stopped {
            let pair = [("lesson", lesson), ("section", section)];
            table.insert(
                "stopped".into(),
                Value::Table(
                    pair.iter()
                        .map(|(name, value)| ((*name).into(), text(value)))
                        .collect(),
                ),
            );
        }
        let settings: Table = self
            .settings
            .iter()
            .map(|(name, value)| (name.clone(), text(value)))
            .collect();
        let lessons: Table = self
            .lessons
            .iter()
            .map(|(id, mark)| {
                let mut lesson = Table::new();
                lesson.insert(
                    "read".into(),
                    Value::Array(mark.read.iter().map(text).collect()),
                );
                if let Some(last) = &mark.last {
                    lesson.insert("last".into(), text(last));
                }
                (id.clone(), Value::Table(lesson))
            })
            .collect();
        let exercises: Table = self
            .exercises
            .iter()
            .map(|(id, keys)| {
                let keys = keys
                    .iter()
                    .map(|(name, mark)| (name.clone(), Value::Table(key_table(mark))))
                    .collect();
                (id.clone(), Value::Table(keys))
            })
            .collect();
        let guesses: Vec<Value> = self
            .guesses
            .iter()
            .map(|((lesson, block), guess)| {
                let mut entry = Table::new();
                entry.insert("lesson".into(), text(lesson));
                entry.insert(
                    "block".into(),
                    Value::Integer(i64::try_from(*block).unwrap_or(i64::MAX)),
                );
                entry.insert("typed".into(), text(&guess.typed));
                entry.insert("outcome".into(), text(&guess.outcome));
                Value::Table(entry)
            })
            .collect();
        for (name, part) in [
            ("settings", settings),
            ("lessons", lessons),
            ("exercises", exercises),
        ] {
            if !part.is_empty() {
                table.insert(name.into(), Value::Table(part));
            }
        }
        if !guesses.is_empty() {
            table.insert("guesses".into(), Value::Array(guesses));
        }
        table.to_string()
    }
}

fn take_tables(table: &mut Table, name: &str) -> Vec<(String, Table)> {
    match table.remove(name) {
        Some(Value::Table(inner)) => inner
            .into_iter()
            .filter_map(|(id, value)| match value {
                Value::Table(entry) => Some((id, entry)),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn text_of(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn key_mark(table: &Table) -> KeyMark {
    let count = |name: &str| {
        table
            .get(name)
            .and_then(Value::as_integer)
            .and_then(|n| u64::try_from(n).ok())
            .unwrap_or(0)
    };
    let flag = |name: &str| table.get(name).and_then(Value::as_bool).unwrap_or(false);
    KeyMark {
        verdict: table
            .get("verdict")
            .and_then(Value::as_str)
            .and_then(Mark::read),
        solved: flag("solved"),
        tries: count("tries"),
        hints: count("hints"),
        given_up: flag("given_up"),
    }
}

fn key_table(mark: &KeyMark) -> Table {
    let count = |n: u64| Value::Integer(i64::try_from(n).unwrap_or(i64::MAX));
    let mut table = Table::new();
    if let Some(verdict) = mark.verdict {
        table.insert("verdict".into(), Value::String(verdict.word().into()));
    }
    table.insert("solved".into(), Value::Boolean(mark.solved));
    table.insert("tries".into(), count(mark.tries));
    table.insert("hints".into(), count(mark.hints));
    table.insert("given_up".into(), Value::Boolean(mark.given_up));
    table
}
