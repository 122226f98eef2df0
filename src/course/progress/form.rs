//! The form of `progress.toml`: tolerant when read, complete when written.

use super::{Guess, KeyMark, LessonMark, Log, Mark, Progress};
use crate::answer::practise::{Card, Deck};
use crate::exercise::renamed;
use crate::measured::Measured;
use std::collections::BTreeSet;
use toml::{Table, Value};

/// Version of the file's form.
const VERSION: i64 = 1;

impl Progress {
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
            let mut keys = keys;
            for (from, to) in renamed(&id) {
                if !keys.contains_key(to)
                    && let Some(mark) = keys.remove(from)
                {
                    keys.insert(to.to_owned(), mark);
                }
            }
            let marks = keys
                .into_iter()
                .filter_map(|(name, value)| Some((name, key_mark(value.as_table()?))));
            progress.exercises.insert(id, marks.collect());
        }
        if let Some(Value::Table(variants)) = table.remove("variants") {
            let number = |value: Value| usize::try_from(value.as_integer()?).ok();
            let read = variants.into_iter();
            progress.variants = read.filter_map(|(id, v)| Some((id, number(v)?))).collect();
        }
        for (name, time) in take_tables(&mut table, "measured") {
            progress.measured.extend(measured(&time).map(|m| (name, m)));
        }
        if let Some(Value::Table(practise)) = table.remove("practise") {
            progress.practise = deck(practise);
        }
        if let Some(Value::Table(log)) = table.remove("log") {
            progress.log = log_of(log);
        }
        if let Some(Value::Array(finished)) = table.remove("finished") {
            progress.finished = finished.into_iter().filter_map(text_of).collect();
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
                    let gpu = text("gpu").unwrap_or_default();
                    progress.guesses.insert((lesson, block, gpu), guess);
                }
            }
        }
        for (lesson, blocks) in take_tables(&mut table, "begun") {
            for (block, typed) in blocks {
                if let (Ok(block), Some(typed)) = (block.parse(), text_of(typed)) {
                    progress.begun.insert((lesson.clone(), block), typed);
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
        progress.newer = table
            .remove("version")
            .and_then(|version| version.as_integer())
            .filter(|version| *version > VERSION);
        progress.other = table;
        Ok(progress)
    }

    /// The file's text.
    pub fn write(&self) -> String {
        let text = |text: &String| Value::String(text.clone());
        let mut table = Table::new();
        let version = self.newer.unwrap_or(VERSION);
        table.insert("version".into(), Value::Integer(version));
        table.extend(self.other.clone());
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
        let times = self.measured.iter();
        let times: Table = times
            .map(|(name, time)| (name.clone(), Value::Table(measured_table(time))))
            .collect();
        let guesses: Vec<Value> = self
            .guesses
            .iter()
            .map(|((lesson, block, gpu), guess)| {
                let mut entry = Table::new();
                entry.insert("lesson".into(), text(lesson));
                if !gpu.is_empty() {
                    entry.insert("gpu".into(), text(gpu));
                }
                entry.insert(
                    "block".into(),
                    Value::Integer(i64::try_from(*block).unwrap_or(i64::MAX)),
                );
                entry.insert("typed".into(), text(&guess.typed));
                entry.insert("outcome".into(), text(&guess.outcome));
                Value::Table(entry)
            })
            .collect();
        let mut begun = Table::new();
        for ((lesson, block), typed) in &self.begun {
            let of = begun
                .entry(lesson.clone())
                .or_insert_with(|| Table::new().into());
            if let Value::Table(of) = of {
                of.insert(block.to_string(), text(typed));
            }
        }
        let number = |n: &usize| Value::Integer(i64::try_from(*n).unwrap_or(0));
        let variants: Table = self
            .variants
            .iter()
            .map(|(id, n)| (id.clone(), number(n)))
            .collect();
        if !self.finished.is_empty() {
            let finished = self.finished.iter().map(text).collect();
            table.insert("finished".into(), Value::Array(finished));
        }
        if self.log != Log::default() {
            table.insert("log".into(), Value::Table(log_table(&self.log)));
        }
        if self.practise != Deck::default() {
            table.insert("practise".into(), Value::Table(deck_table(&self.practise)));
        }
        for (name, part) in [
            ("variants", variants),
            ("settings", settings),
            ("lessons", lessons),
            ("exercises", exercises),
            ("measured", times),
            ("begun", begun),
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

fn measured(table: &Table) -> Option<Measured> {
    let read = Measured {
        median: counted(table, "median_ns"),
        min: counted(table, "min_ns"),
        max: counted(table, "max_ns"),
        runs: u32::try_from(counted(table, "runs")).ok()?,
    };
    // Anything else was not written here, and is measured anew.
    (0 < read.min && read.min <= read.median && read.median <= read.max).then_some(read)
}

fn measured_table(time: &Measured) -> Table {
    let fields = [
        ("median_ns", time.median),
        ("min_ns", time.min),
        ("max_ns", time.max),
        ("runs", u64::from(time.runs)),
    ];
    let fields = fields.into_iter();
    fields
        .map(|(name, n)| (name.to_owned(), count(n)))
        .collect()
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

/// A count of a table; 0 where there is none.
fn counted(table: &Table, name: &str) -> u64 {
    let count = table.get(name).and_then(Value::as_integer);
    count.and_then(|n| u64::try_from(n).ok()).unwrap_or(0)
}

fn count(n: u64) -> Value {
    Value::Integer(i64::try_from(n).unwrap_or(i64::MAX))
}

fn log_of(mut table: Table) -> Log {
    let number = |value: &Value| value.as_integer().and_then(|n| u64::try_from(n).ok());
    let days = match table.remove("days") {
        Some(Value::Array(days)) => days.iter().filter_map(number).collect(),
        _ => BTreeSet::new(),
    };
    let seconds = match table.remove("seconds") {
        Some(Value::Table(seconds)) => seconds
            .into_iter()
            .filter_map(|(id, value)| Some((id, number(&value)?)))
            .collect(),
        _ => std::collections::BTreeMap::new(),
    };
    let last = table.remove("lesson").and_then(text_of);
    Log {
        days,
        seconds,
        last: last.map(|lesson| (lesson, counted(&table, "at"))),
    }
}

fn log_table(log: &Log) -> Table {
    let mut table = Table::new();
    let days = log.days.iter().map(|day| count(*day)).collect();
    table.insert("days".into(), Value::Array(days));
    let seconds = log.seconds.iter();
    let seconds = seconds.map(|(id, n)| (id.clone(), count(*n))).collect();
    table.insert("seconds".into(), Value::Table(seconds));
    if let Some((lesson, at)) = &log.last {
        table.insert("lesson".into(), Value::String(lesson.clone()));
        table.insert("at".into(), count(*at));
    }
    table
}

fn deck(mut table: Table) -> Deck {
    let cards = take_tables(&mut table, "cards").into_iter();
    Deck {
        asked: counted(&table, "asked"),
        cards: cards
            .map(|(pattern, card)| {
                let card = Card {
                    level: counted(&card, "level"),
                    due: counted(&card, "due"),
                    asked: counted(&card, "asked"),
                    right: counted(&card, "right"),
                };
                (pattern, card)
            })
            .collect(),
    }
}

fn deck_table(deck: &Deck) -> Table {
    let card = |card: &Card| {
        let entries = [
            ("level", card.level),
            ("due", card.due),
            ("asked", card.asked),
            ("right", card.right),
        ];
        let entries = entries.map(|(name, n)| (name.to_owned(), count(n)));
        Value::Table(entries.into_iter().collect())
    };
    let cards = deck.cards.iter().map(|(id, kept)| (id.clone(), card(kept)));
    let mut table = Table::new();
    table.insert("asked".into(), count(deck.asked));
    table.insert("cards".into(), Value::Table(cards.collect()));
    table
}

fn key_mark(table: &Table) -> KeyMark {
    let count = |name: &str| counted(table, name);
    let text = |name: &str| Some(table.get(name)?.as_str()?.to_owned());
    let flag = |name: &str| table.get(name).and_then(Value::as_bool).unwrap_or(false);
    KeyMark {
        verdict: table
            .get("verdict")
            .and_then(Value::as_str)
            .and_then(Mark::read),
        solved: flag("solved"),
        tries: count("tries"),
        tried: text("tried"),
        near: text("near"),
        hints: count("hints"),
        given_up: flag("given_up"),
        locked: text("locked"),
    }
}

fn key_table(mark: &KeyMark) -> Table {
    let mut table = Table::new();
    if let Some(verdict) = mark.verdict {
        table.insert("verdict".into(), Value::String(verdict.word().into()));
    }
    table.insert("solved".into(), Value::Boolean(mark.solved));
    table.insert("tries".into(), count(mark.tries));
    if let Some(tried) = &mark.tried {
        table.insert("tried".into(), Value::String(tried.clone()));
    }
    if let Some(near) = &mark.near {
        table.insert("near".into(), Value::String(near.clone()));
    }
    table.insert("hints".into(), count(mark.hints));
    table.insert("given_up".into(), Value::Boolean(mark.given_up));
    if let Some(locked) = &mark.locked {
        table.insert("locked".into(), Value::String(locked.clone()));
    }
    table
}
