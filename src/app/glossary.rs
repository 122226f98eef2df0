//! The words of the page that one comes from, explained: those under the cursor first,
//! then those on the screen, then all others.

use super::change::NAME;
use super::intent::Out;
use super::keymap::{Action, FooterItem};
use super::page::Mark;
use super::screen::{READ, Screen, read_only};
use super::shared::Shared;
use course::{Course, Lesson};

/// The page of the course that explains terms, and the one that explains symbols.
const TERMS: &str = "glossary";
const SYMBOLS: &str = "conventions";

/// A word and what it means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The word as the glossary writes it, or a symbol.
    pub word: String,
    /// What it means: markdown of the course, with computed numbers.
    pub says: String,
    /// It is a symbol, told apart by its capital.
    symbol: bool,
}

/// What the page remembers.
#[derive(Clone, Debug, Default)]
pub struct Glossary {
    /// Those of the screen first.
    pub entries: Vec<Entry>,
    /// How many of them are of the screen.
    pub here: usize,
    /// The first one shown.
    pub scroll: usize,
}

impl Glossary {
    /// Takes the words of the course in: those in `under` first, then those in `text`.
    pub(super) fn look_up(&mut self, course: &Course, under: &str, text: &str) {
        let all = entries(course);
        let place = |entry: &Entry| {
            let under = entry.found(under).map(|at| (0, at));
            under.or_else(|| entry.found(text).map(|at| (1, at)))
        };
        let (mut here, others): (Vec<_>, Vec<_>) = all
            .into_iter()
            .map(|entry| (place(&entry), entry))
            .partition(|(place, _)| place.is_some());
        here.sort_by_key(|(place, _)| *place);
        self.here = here.len();
        self.entries = here.into_iter().chain(others).map(|(_, e)| e).collect();
        self.scroll = 0;
    }
}

impl Entry {
    /// Where a text holds the word, plural or not; a symbol stands alone.
    fn found(&self, text: &str) -> Option<usize> {
        let text = match self.symbol {
            true => text.to_owned(),
            false => text.to_lowercase(),
        };
        let mut names = self.word.split([',', '/']).map(str::trim);
        names.find_map(|name| {
            let name = match self.symbol {
                true => name.to_owned(),
                false => name.to_lowercase(),
            };
            let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            let whole = |(at, found): &(usize, &str)| {
                let behind = text.get(at + found.len()..).unwrap_or_default();
                let behind = match self.symbol {
                    true => behind,
                    false => behind.strip_prefix('s').unwrap_or(behind),
                };
                let before = text.get(..*at).unwrap_or_default();
                // The article is no symbol: one small letter stands in a formula.
                let operator = |c: Option<char>| c.is_some_and(|c| "·*/^=+²".contains(c));
                let formula = operator(before.trim_end().chars().next_back())
                    || operator(behind.trim_start().chars().next());
                let lone = self.symbol && *found == "a";
                (!lone || formula)
                    && edge(before.chars().next_back())
                    && edge(behind.chars().next())
            };
            let mut found = text.match_indices(&name).filter(whole);
            found.next().map(|(at, _)| at)
        })
    }
}

/// Everything that the course explains: the terms, and the symbols behind them.
fn entries(course: &Course) -> Vec<Entry> {
    let of = |name: &str, read: fn(&str) -> Option<Entry>| -> Vec<Entry> {
        let lesson = course.lesson(name).ok();
        lesson.map_or_else(Vec::new, |l| lines(l).filter_map(|l| read(&l)).collect())
    };
    let mut all = of(TERMS, term);
    all.extend(of(SYMBOLS, symbol));
    all
}

/// The lines of a lesson; what is broken over several is one.
fn lines(lesson: &Lesson) -> impl Iterator<Item = String> {
    let text = &lesson.text;
    let mut out: Vec<String> = Vec::new();
    for at in 1..=text.lines() {
        let line = text.slice(text.line(at)).trim_end();
        match out.last_mut() {
            Some(last) if line.starts_with("  ") && last.starts_with("- ") => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => out.push(line.to_owned()),
        }
    }
    out.into_iter()
}

/// `- **word**: what it is`, or `- **one** and **two**: …`.
fn term(line: &str) -> Option<Entry> {
    let (head, says) = line.strip_prefix("- **")?.split_once(": ")?;
    let word = head.replace("** and **", ", ").replace("**", "");
    // What stands in brackets is another name, and no part of the word.
    let word = match word.split_once(" (") {
        Some((word, other)) => format!("{word}, {}", other.replace(')', "")),
        None => word,
    };
    Some(Entry {
        word,
        says: says.to_owned(),
        symbol: false,
    })
}

/// `| B | sequences of a batch | … |`.
fn symbol(line: &str) -> Option<Entry> {
    let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
    let (word, says) = (cells.next()?, cells.next()?);
    let short = word.split(',').all(|part| part.trim().len() <= 3);
    let letter = word.starts_with(char::is_alphabetic);
    (short && letter && !says.is_empty()).then(|| Entry {
        word: word.to_owned(),
        says: format!("{says}."),
        symbol: true,
    })
}

impl Screen for Glossary {
    fn footer(&self, _: &Shared) -> &'static [FooterItem] {
        READ
    }

    fn act(&mut self, _: &mut Shared, action: Action, _: &mut Out) {
        let last = self.entries.len().saturating_sub(1);
        self.scroll = match action {
            Action::Up => self.scroll.saturating_sub(1),
            Action::Down => self.scroll + 1,
            Action::PageUp => self.scroll.saturating_sub(8),
            Action::PageDown | Action::Flip => self.scroll + 8,
            Action::Top => 0,
            Action::End => last,
            _ => self.scroll,
        }
        .min(last);
    }

    fn command(&self, _: &Shared) -> String {
        format!("{NAME} show {TERMS}")
    }

    fn items(&self, _: &Shared) -> Vec<String> {
        self.entries.iter().map(|e| e.word.clone()).collect()
    }

    read_only!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(glossary: &Glossary, count: usize) -> Vec<&str> {
        let entries = glossary.entries.iter().take(count);
        entries.map(|e| e.word.as_str()).collect()
    }

    #[test]
    fn the_words_of_the_screen_come_first_and_the_one_under_the_cursor_before_them() {
        let course = Course::built_in();
        let mut glossary = Glossary::default();
        let text = "A launch asks for sectors; what it asks for is issued bytes, B·S rows.";
        glossary.look_up(&course, "the ridge of a device", text);
        assert_eq!(words(&glossary, 1), ["ridge"]);
        let here = words(&glossary, glossary.here);
        for word in ["launch", "sector", "issued bytes", "B", "S"] {
            assert!(here.contains(&word), "{word} in {here:?}");
        }
        // Words are whole: no CU in “acute”, no L in “launch”.
        assert!(!here.contains(&"L") && !here.contains(&"I"), "{here:?}");
        assert!(glossary.entries.len() > 100);
    }

    #[test]
    fn every_line_of_the_glossary_is_an_entry() {
        let course = Course::built_in();
        let lesson = course.lesson(TERMS).unwrap();
        let lines = lines(lesson).filter(|l| l.starts_with("- **")).count();
        let terms = entries(&course).iter().filter(|e| !e.symbol).count();
        assert_eq!(terms, lines);
        let all = entries(&course);
        let symbols: Vec<&str> = all.iter().filter(|e| e.symbol).map(|e| &*e.word).collect();
        for symbol in ["B", "S", "T", "D", "I", "L", "V", "H, d"] {
            assert!(symbols.contains(&symbol), "{symbol} in {symbols:?}");
        }
    }
}
