//! Reading TOML tables field by field, collecting every fault on the way.
//!
//! A derive would stop at the first wrong value. A lesson's author wants all of
//! them at once, each with its line and column in the file (not in the TOML),
//! and a reader wants the rest of the lesson in spite of them.

mod toml_text;

pub(crate) use toml_text::Toml;

use super::fault::{Fault, Place, way_out};
use super::text::{Text, obeyed};
use crate::answer::{Expr, ExprError};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Most entries of a list of values: points of a chart, cells, options.
const VALUES: usize = 256;

/// Most entries of a list of tables: questions, slips, claims.
const TABLES: usize = 1000;

/// A text with the place of its first character.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Phrase {
    /// What is written.
    pub text: String,
    /// Where it begins in its file.
    pub at: Place,
}

impl Phrase {
    /// A text that no file holds.
    pub(crate) fn made(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            at: Place::default(),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// What a field says, beside how it is written: read once, when it is loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct Typed<T> {
    /// What it says.
    pub value: T,
    /// How it is written, and where.
    pub written: Phrase,
}

impl<T> Typed<T> {
    /// How it is written.
    pub fn as_str(&self) -> &str {
        self.written.as_str()
    }
}

impl Typed<Expr> {
    /// An expression that the program wrote.
    pub(crate) fn expression(written: Phrase) -> Result<Self, ExprError> {
        Ok(Self {
            value: Expr::parse(&written.text)?,
            written,
        })
    }
}

/// A value of a `config` or `convention` table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scalar {
    /// `"part-c"`
    Text(String),
    /// `8`
    Count(u64),
    /// `true`
    Flag(bool),
}

/// One table while it is read.
pub(crate) struct Fields<'a, 'd> {
    text: &'a Text,
    base: usize,
    at: usize,
    table: &'a DeTable<'d>,
    what: &'a str,
    asked: Vec<&'static str>,
    broken: bool,
    faults: &'a mut Vec<Fault>,
}

impl<'a, 'd> Fields<'a, 'd> {
    /// Names the table in sentences: `the front matter`, `a key`.
    pub fn called(&mut self, what: &'a str) {
        self.what = what;
    }

    /// The same table under another name in sentences.
    pub fn renamed<'s>(&'s mut self, what: &'s str) -> Fields<'s, 'd> {
        Fields {
            text: self.text,
            base: self.base,
            at: self.at,
            table: self.table,
            what,
            asked: Vec::new(),
            broken: self.broken,
            faults: self.faults,
        }
    }

    /// Place of a key's name; the table's where the key is missing.
    pub fn key_place(&self, key: &str) -> Place {
        let name = self.table.keys().find(|name| name.get_ref() == key);
        self.text
            .place(name.map_or(self.at, |name| self.base + name.span().start))
    }

    /// Reports at the table's own place.
    pub fn report(&mut self, say: impl Into<String>) {
        let fault = self.text.fault(self.at, say);
        self.faults.push(fault);
    }

    /// Reports at a place known already.
    pub fn report_at(&mut self, at: Place, say: impl Into<String>) {
        self.faults.push(Fault::at(self.text.file(), at, say));
    }

    /// Is there such a key at all?
    pub fn has(&self, key: &str) -> bool {
        self.table.keys().any(|name| name.get_ref() == key)
    }

    fn get(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'d>>> {
        self.asked.push(key);
        let table: &'a DeTable<'d> = self.table;
        table
            .iter()
            .find(|(name, _)| name.get_ref() == key)
            .map(|(_, value)| value)
    }

    /// The entries of a list, as many as there may be, with a fault at the first one
    /// that is left out: whatever is done with a list is done in time.
    fn first<'l, 'v>(
        &mut self,
        most: usize,
        key: &str,
        list: &'l [Spanned<DeValue<'v>>],
    ) -> std::iter::Take<std::slice::Iter<'l, Spanned<DeValue<'v>>>> {
        if let Some(beyond) = list.get(most) {
            let say = format!(
                "`{key}` holds at most {most} entries, and the rest is not read; leave some out."
            );
            let fault = self.text.fault(self.base + beyond.span().start, say);
            self.faults.push(fault);
        }
        list.iter().take(most)
    }

    fn wrong(&mut self, key: &str, value: &Spanned<DeValue<'_>>, want: &str) {
        let found = kind_of(value.get_ref());
        let fault = self.text.fault(
            self.base + value.span().start,
            format!("`{key}` is {found}; it takes {want}."),
        );
        self.faults.push(fault);
    }

    fn missing(&mut self, key: &str, example: &str) {
        if !self.broken {
            let what = self.what;
            self.report(format!("{what} has no `{key}`; add {example}."));
        }
    }

    /// A text.
    pub fn text(&mut self, key: &'static str) -> Option<Phrase> {
        let value = self.get(key)?;
        self.phrase(key, value)
    }

    /// A text that must be there and say something.
    pub fn need_text(&mut self, key: &'static str, example: &str) -> Option<Phrase> {
        if !self.has(key) {
            self.asked.push(key);
            self.missing(key, example);
            return None;
        }
        let phrase = self.text(key)?;
        if phrase.text.trim().is_empty() {
            self.report_at(phrase.at, format!("`{key}` is empty; write {example}."));
            return None;
        }
        Some(phrase)
    }

    fn phrase(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Phrase> {
        let DeValue::String(string) = value.get_ref() else {
            self.wrong(key, value, "a text in quotes");
            return None;
        };
        Some(self.located(key, string, value.span()))
    }

    /// Finds the first character of a string's content; escapes can only be placed at the quote.
    fn located(&mut self, key: &str, string: &DeString<'_>, span: Range<usize>) -> Phrase {
        let start = self.base + span.start;
        let raw = self.text.slice(start..self.base + span.end);
        let at = raw
            .find(string.as_ref())
            .map_or(start, |inner| start + inner);
        let text = if string.chars().any(obeyed) {
            let fault = self.text.fault(
                at,
                format!("`{key}` holds a control character; remove the escape."),
            );
            self.faults.push(fault);
            string
                .chars()
                .map(|c| {
                    if obeyed(c) {
                        char::REPLACEMENT_CHARACTER
                    } else {
                        c
                    }
                })
                .collect()
        } else {
            string.clone().into_owned()
        };
        Phrase {
            text,
            at: self.text.place(at),
        }
    }

    /// One of a few words.
    pub fn one_of(&mut self, key: &'static str, known: &[&str]) -> Option<Phrase> {
        let phrase = self.text(key)?;
        if known.contains(&phrase.as_str()) {
            return Some(phrase);
        }
        let say = format!(
            "`{key}` is “{}”; {}",
            phrase.text,
            way_out(&phrase.text, known)
        );
        self.report_at(phrase.at, say);
        None
    }

    /// A whole number, 0 or more.
    pub fn count(&mut self, key: &'static str) -> Option<u64> {
        let value = self.get(key)?;
        let read = whole(value.get_ref());
        if read.is_none() {
            self.wrong(key, value, "a whole number of 0 or more");
        }
        read
    }

    /// `true` or `false`.
    pub fn flag(&mut self, key: &'static str) -> Option<bool> {
        let value = self.get(key)?;
        let read = value.get_ref().as_bool();
        if read.is_none() {
            self.wrong(key, value, "true or false");
        }
        read
    }

    /// A number.
    pub fn number(&mut self, key: &'static str) -> Option<f64> {
        let value = self.get(key)?;
        let read = number(value.get_ref());
        if read.is_none() {
            self.wrong(key, value, "a number");
        }
        read
    }

    /// A list of numbers.
    pub fn numbers(&mut self, key: &'static str) -> Vec<f64> {
        let Some(value) = self.get(key) else {
            return Vec::new();
        };
        let Some(list) = value.get_ref().as_array() else {
            self.wrong(key, value, "a list of numbers, such as [1, 8, 64]");
            return Vec::new();
        };
        let mut out = Vec::new();
        for item in self.first(VALUES, key, list) {
            match number(item.get_ref()) {
                Some(number) => out.push(number),
                None => self.wrong(key, item, "a list of numbers, such as [1, 8, 64]"),
            }
        }
        out
    }

    /// A list of texts; a single text is a list of one.
    pub fn texts(&mut self, key: &'static str) -> Vec<Phrase> {
        let Some(value) = self.get(key) else {
            return Vec::new();
        };
        self.phrases(key, value)
    }

    fn phrases(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Vec<Phrase> {
        match value.get_ref() {
            DeValue::Array(list) => self
                .first(VALUES, key, list)
                .filter_map(|item| self.phrase(key, item))
                .collect(),
            DeValue::String(_) => self.phrase(key, value).into_iter().collect(),
            _ => {
                self.wrong(key, value, "a list of texts, such as [\"v1\", \"v2\"]");
                Vec::new()
            }
        }
    }

    /// A list of lists of texts, each with its place.
    pub fn rows(&mut self, key: &'static str) -> Vec<(Place, Vec<Phrase>)> {
        let Some(value) = self.get(key) else {
            return Vec::new();
        };
        let Some(list) = value.get_ref().as_array() else {
            self.wrong(key, value, "a list of rows, each a list of texts");
            return Vec::new();
        };
        let mut out = Vec::new();
        for row in self.first(VALUES, key, list) {
            if row.get_ref().is_array() {
                out.push((
                    self.text.place(self.base + row.span().start),
                    self.phrases(key, row),
                ));
            } else {
                self.wrong(key, row, "a list of rows, each a list of texts");
            }
        }
        out
    }

    /// A table, read by `read`.
    pub fn table<R>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Fields<'_, 'd>) -> R,
    ) -> Option<R> {
        let value = self.get(key)?;
        match value.get_ref() {
            DeValue::Table(table) => Some(read(&mut self.inner(table, value.span().start))),
            _ => {
                self.wrong(key, value, "a table, such as { preset = \"workshop\" }");
                None
            }
        }
    }

    /// A list of tables (`[[key]]` or inline), or a single one.
    pub fn tables<R>(
        &mut self,
        key: &'static str,
        mut read: impl FnMut(&mut Fields<'_, 'd>) -> R,
    ) -> Vec<R> {
        let Some(value) = self.get(key) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        match value.get_ref() {
            DeValue::Table(table) => out.push(read(&mut self.inner(table, value.span().start))),
            DeValue::Array(list) => {
                for item in self.first(TABLES, key, list) {
                    match item.get_ref() {
                        DeValue::Table(table) => {
                            out.push(read(&mut self.inner(table, item.span().start)))
                        }
                        _ => self.wrong(key, item, "tables, such as { … }"),
                    }
                }
            }
            _ => self.wrong(key, value, "a list of tables, such as [ { … }, { … } ]"),
        }
        out
    }

    fn inner<'s>(&'s mut self, table: &'s DeTable<'d>, at: usize) -> Fields<'s, 'd> {
        Fields {
            text: self.text,
            base: self.base,
            at: self.base + at,
            table,
            what: self.what,
            asked: Vec::new(),
            broken: self.broken,
            faults: self.faults,
        }
    }

    /// Every entry as a scalar, for tables whose names are checked elsewhere.
    pub fn scalars(&mut self) -> Vec<(Phrase, Scalar)> {
        let table = self.table;
        let mut out = Vec::new();
        for (name, value) in table {
            let key = Phrase {
                text: name.get_ref().to_string(),
                at: self.text.place(self.base + name.span().start),
            };
            let scalar = match value.get_ref() {
                DeValue::String(_) => self
                    .phrase(&key.text, value)
                    .map(|phrase| Scalar::Text(phrase.text)),
                DeValue::Boolean(flag) => Some(Scalar::Flag(*flag)),
                other => whole(other).map(Scalar::Count),
            };
            match scalar {
                Some(scalar) => out.push((key, scalar)),
                None if value.get_ref().is_str() => {}
                None => self.wrong(&key.text, value, "a text, a whole number, or true or false"),
            }
        }
        out
    }

    /// Reports the keys nobody asked for. Call it last.
    pub fn close(&mut self) {
        let mut unknown = Vec::new();
        for name in self.table.keys() {
            if !self.asked.contains(&name.get_ref().as_ref()) {
                unknown.push((self.base + name.span().start, name.get_ref().to_string()));
            }
        }
        for (at, name) in unknown {
            let way_out = way_out(&name, &self.asked);
            let what = self.what;
            let fault = self
                .text
                .fault(at, format!("{what} has no key “{name}”; {way_out}"));
            self.faults.push(fault);
        }
    }
}

fn kind_of(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(_) => "a text".into(),
        DeValue::Integer(number) => format!("the number {}", number.as_str()),
        DeValue::Float(number) => format!("the number {}", number.as_str()),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

fn whole(value: &DeValue<'_>) -> Option<u64> {
    let integer = value.as_integer()?;
    u64::from_str_radix(&integer.as_str().replace('_', ""), integer.radix()).ok()
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(float) => float.as_str().replace('_', "").parse().ok(),
        other => whole(other).map(|count| count as f64),
    }
    .filter(|number: &f64| number.is_finite())
}
