//! The words of the page that one comes from, explained: those under the cursor first,
//! then those on the screen, then all others.

use super::change::NAME;
use super::intent::Out;
use super::keymap::{Action, Footer};
use super::page::Mark;
use super::screen::{READ, Screen, read_only};
use super::shared::Shared;
use course::{Course, Lesson};

/// The page of the course that explains terms, and the one that explains symbols.
const TERMS: &str = "glossary";
const SYMBOLS: &str = "conventions";

/// What stands between an op's meaning and its count.
const COUNT: &str = " FLOPs: ";

/// A word and what it means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The word as the glossary writes it, or a symbol.
    pub word: String,
    /// What it means: markdown of the course, with computed numbers.
    pub says: String,
    /// It is a symbol or an op, told apart by its capitals.
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
    /// The first one from which on all others have room, as they were laid out.
    last: usize,
}

impl Glossary {
    /// Takes in from which entry on all others have room.
    pub fn fit(&mut self, last: usize) {
        self.last = last;
    }

    /// Takes the words of the course in: those in `under` first, then those in `text`.
    /// Where something is asked, an op says what it does and not what it counts.
    pub(super) fn look_up(&mut self, course: &Course, under: &str, text: &str, asked: bool) {
        let all = entries(course, !asked);
        let place = |entry: &Entry| {
            let under = entry.found(under).map(|at| (0, at));
            under.or_else(|| entry.found(text).map(|at| (1, at)))
        };
        let (mut here, others): (Vec<_>, Vec<_>) = all
            .into_iter()
            .map(|entry| (place(&entry), entry))
            .partition(|(place, _)| place.is_some());
        here.sort_by_key(|(place, _)| *place);
        // A symbol that one of them is explained by is wanted with it: K with Dkv.
        let said: Vec<String> = here.iter().map(|(_, entry)| entry.says.clone()).collect();
        let (meant, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|(_, entry)| {
            entry.symbol && said.iter().any(|says| entry.found(says).is_some())
        });
        let here: Vec<_> = here.into_iter().chain(meant).collect();
        self.here = here.len();
        self.entries = here.into_iter().chain(others).map(|(_, e)| e).collect();
        (self.scroll, self.last) = (0, self.entries.len().saturating_sub(1));
    }
}

impl Entry {
    /// The word, or the words, that it explains.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.word.split([',', '/']).map(str::trim)
    }

    /// Where a text holds the word, plural or not; a symbol stands alone.
    fn found(&self, text: &str) -> Option<usize> {
        let folded = text.to_lowercase();
        // Bytes that add up are no product: these two ops stand beside others of theirs.
        let among = ["gate", "silu", "mul"].iter().any(|op| folded.contains(op));
        let names = self
            .names()
            .filter(|name| among || !["up", "down"].contains(name));
        names.into_iter().find_map(|name| {
            // CU is an abbreviation, and no part of `ex19.cu`.
            let capitals = name.chars().all(char::is_uppercase);
            let (text, name) = match self.symbol || capitals {
                true => (text, name.to_owned()),
                false => (folded.as_str(), name.to_lowercase()),
            };
            // D² is a D.
            let edge = |c: Option<char>| c.is_none_or(|c| c == '²' || !c.is_alphanumeric());
            let whole = |(at, found): &(usize, &str)| {
                let behind = text.get(at + found.len()..).unwrap_or_default();
                let behind = match self.symbol {
                    true => behind,
                    false => ["es", "s"]
                        .iter()
                        .find_map(|plural| behind.strip_prefix(plural))
                        .unwrap_or(behind),
                };
                let before = text.get(..*at).unwrap_or_default();
                // The article is no symbol: one small letter stands within a formula.
                let operator = |c: Option<char>| c.is_some_and(|c| "·*/^²".contains(c));
                let formula =
                    operator(before.chars().next_back()) || operator(behind.chars().next());
                let lone = self.symbol && *found == "a";
                let id = hyphened(behind.chars()) || hyphened(before.chars().rev());
                (!lone || formula)
                    && !(self.symbol && id)
                    && edge(before.chars().next_back())
                    && edge(behind.chars().next())
            };
            let mut found = text.match_indices(&name).filter(whole);
            found.next().map(|(at, _)| at)
        })
    }
}

/// Everything that the course explains: the terms, and the symbols behind them. An op
/// says what it does, then, with `counting`, what it counts, with the letters of the count.
fn entries(course: &Course, counting: bool) -> Vec<Entry> {
    let read = |name: &str| course.lesson(name).ok().map(|l| lines(l).collect());
    let (terms, tables): (Vec<String>, Vec<String>) = (
        read(TERMS).unwrap_or_default(),
        read(SYMBOLS).unwrap_or_default(),
    );
    let symbols: Vec<Entry> = rows(&tables, "symbol").map(symbol).collect();
    let counts: Vec<(&str, &str)> = rows(&tables, "op").collect();
    let term = |line: &String| {
        let entry = counted(term(line)?, &counts, &symbols);
        Some(match entry.says.split_once(COUNT) {
            Some((does, _)) if !counting => Entry {
                says: does.to_owned(),
                ..entry
            },
            _ => entry,
        })
    };
    let mut all: Vec<Entry> = terms.iter().filter_map(term).collect();
    all.extend(symbols);
    all
}

/// An op's entry with what it counts, as the conventions say it.
fn counted(entry: Entry, counts: &[(&str, &str)], symbols: &[Entry]) -> Entry {
    let named = |names: &str, name: &str| names.split(',').any(|n| n.trim() == name);
    let of = |name: &str| {
        counts
            .iter()
            .find(|(ops, _)| named(ops, &name.to_lowercase()))
    };
    let Some((_, count)) = entry.names().find_map(of) else {
        return entry;
    };
    let count = count.trim_end_matches(" each");
    let letters = symbols.iter().filter_map(|symbol| {
        symbol.found(count)?;
        Some(format!(
            "{} is {}",
            symbol.word,
            symbol.says.trim_end_matches('.')
        ))
    });
    let letters: Vec<String> = letters.collect();
    let symbol = entry
        .names()
        .all(|name| name.chars().all(char::is_lowercase));
    Entry {
        says: format!(
            "{}{COUNT}{count}, where {}.",
            entry.says,
            letters.join("; ")
        ),
        symbol,
        ..entry
    }
}

/// First and second cell of the rows of tables whose first column has a head.
fn rows<'l>(lines: &'l [String], head: &'l str) -> impl Iterator<Item = (&'l str, &'l str)> {
    let mut within = false;
    lines.iter().filter_map(move |line| {
        let Some(row) = line.strip_prefix('|') else {
            within = false;
            return None;
        };
        let mut cells = row.split('|').map(str::trim);
        let (word, says) = (cells.next()?, cells.next()?);
        let before = within;
        within |= word == head;
        (before && !word.starts_with(['-', ':'])).then_some((word, says))
    })
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
fn symbol((word, says): (&str, &str)) -> Entry {
    Entry {
        word: word.to_owned(),
        says: format!("{says}."),
        symbol: true,
    }
}

impl Screen for Glossary {
    fn footer(&self, _: &Shared) -> Footer {
        READ.into()
    }

    fn act(&mut self, _: &mut Shared, action: Action, _: &mut Out) {
        self.scroll = match action {
            Action::Up => self.scroll.saturating_sub(1),
            Action::Down => self.scroll + 1,
            Action::PageUp => self.scroll.saturating_sub(8),
            Action::PageDown | Action::Flip => self.scroll + 8,
            Action::Top => 0,
            Action::End => self.last,
            _ => self.scroll,
        }
        .min(self.last);
    }

    fn command(&self, _: &Shared) -> String {
        format!("{NAME} show {TERMS}")
    }

    fn items(&self, _: &Shared) -> Vec<String> {
        let entries = self.entries.iter();
        entries.map(|e| format!("{}: {}", e.word, e.says)).collect()
    }

    read_only!();
}

/// Whether a hyphen joins a letter to more: the id of a claim is no formula, S-PROD.
fn hyphened(mut next: impl Iterator<Item = char>) -> bool {
    next.next() == Some('-') && next.next().is_some_and(char::is_alphanumeric)
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
        glossary.look_up(&course, "the ridge of a device", text, false);
        assert_eq!(words(&glossary, 1), ["ridge"]);
        let here = words(&glossary, glossary.here);
        for word in ["launch", "sector", "issued bytes, issued", "B", "S"] {
            assert!(here.contains(&word), "{word} in {here:?}");
        }
        // Prices add up: no product of that name.
        for (text, has) in [("they add up", false), ("gate and up", true)] {
            let mut glossary = Glossary::default();
            glossary.look_up(&course, "", text, false);
            let here = words(&glossary, glossary.here);
            assert_eq!(here.iter().any(|word| word.contains("up")), has, "{text}");
        }
        // Words are whole: no CU in “acute”, no L in “launch”.
        assert!(!here.contains(&"L") && !here.contains(&"I"), "{here:?}");
        assert!(glossary.entries.len() > 100);
        // The id of a claim holds no symbol.
        for (text, has) in [("Speed-ups of parts (S-PROD)", false), ("S - 1 rows", true)] {
            glossary.look_up(&course, "", text, false);
            assert_eq!(
                words(&glossary, glossary.here).contains(&"S"),
                has,
                "{text}"
            );
        }
    }

    #[test]
    fn an_op_says_what_it_does_before_it_counts_and_explains_its_letters() {
        let all = entries(&Course::built_in(), true);
        let find = |name: &str| {
            let mut found = all.iter().filter(|e| e.names().any(|n| n == name));
            let one = found
                .next()
                .unwrap_or_else(|| panic!("{name} has no entry"));
            assert!(found.next().is_none(), "{name} has two");
            one
        };
        for op in plan::model::BLOCK_OPS {
            let name = match op.name() {
                "rope_q" | "rope_k" => "RoPE",
                "silu" => "SiLU",
                name => name,
            };
            let entry = find(name);
            let (does, counts) = entry.says.split_once(COUNT).unwrap();
            assert!(does.split_whitespace().count() > 2, "{name}: {does}");
            let (formula, letters) = counts.split_once(", where ").unwrap();
            let bare = |c: char| !c.is_alphabetic();
            for letter in formula.split(bare).filter(|part| !part.is_empty()) {
                let told = letters
                    .split("; ")
                    .any(|l| l.starts_with(&format!("{letter} is ")));
                assert!(told, "{name}: {letter} in {letters}");
            }
        }
        let mul = find("mul");
        assert!(
            mul.says
                .contains("element by element. FLOPs: B·S·I, where B is sequences")
        );
        // Beside a question they would be an answer, or a hint that is not counted.
        let asked = entries(&Course::built_in(), false);
        assert_eq!(asked.len(), all.len());
        assert!(asked.iter().all(|entry| !entry.says.contains(COUNT)));
        let does = asked.iter().find(|entry| entry.word == "mul").unwrap();
        assert!(does.symbol && does.says.ends_with("element by element."));
    }

    #[test]
    fn every_word_is_explained_once_and_is_found_by_what_is_said_of_it() {
        let course = Course::built_in();
        let all = entries(&course, true);
        let mut words: Vec<&str> = all.iter().flat_map(Entry::names).collect();
        words.sort_unstable();
        let twice: Vec<_> = words.windows(2).filter(|w| w[0] == w[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
        let mut glossary = Glossary::default();
        glossary.look_up(&course, "", "the width Dkv", false);
        // What a symbol is explained by comes with it.
        let here = words_of(&glossary);
        assert!(
            here.contains(&"Dkv") && here.contains(&"K") && here.contains(&"d"),
            "{here:?}"
        );
        for word in ["sequence", "dense"] {
            assert!(all.iter().any(|e| e.word == word), "{word}");
        }
    }

    #[test]
    fn what_labels_and_footers_say_is_explained() {
        for (label, word) in [
            ("issued #", "issued bytes"),
            ("  compulsory #", "compulsory bytes"),
            ("launch µs, rec. =", "recorded"),
            ("Tab live block", "live block"),
            ("floor µs, fwd =", "floor"),
            ("peak act. MB =", "peak"),
        ] {
            let mut glossary = Glossary::default();
            glossary.look_up(&Course::built_in(), label, "", false);
            let here = words_of(&glossary);
            let names = |entry: &&str| entry.split(", ").any(|name| name == word);
            assert!(here.iter().any(names), "{label}: {here:?}");
        }
    }

    #[test]
    fn an_article_is_no_symbol_and_the_end_of_a_files_name_no_abbreviation() {
        let mut glossary = Glossary::default();
        let text = "check ex19 makes answers/ex19.cu; C4 … a 4-byte read = a fault · a gap";
        glossary.look_up(&Course::built_in(), "", text, false);
        let here = words_of(&glossary);
        assert!(!here.contains(&"CU") && !here.contains(&"a"), "{here:?}");
        glossary.look_up(&Course::built_in(), "", "228 CUs; B·S·a bytes", false);
        let here = words_of(&glossary);
        assert!(here.contains(&"CU") && here.contains(&"a"), "{here:?}");
    }

    #[test]
    fn units_and_terms_of_the_first_path_are_found() {
        let all = entries(&Course::built_in(), true);
        for asked in [
            "FLOP/B",
            "FLOP per byte",
            "FLOP/s",
            "GFLOP/s",
            "TFLOP/s",
            "GB/s",
            "TB/s",
            "MFLOP",
            "kB",
            "MB",
            "GB",
            "KiB",
            "MiB",
            "fp16",
            "fp32",
            "fp64",
            "bf16",
            "TF32",
            "sm_80",
            "sm_90",
            "PTX",
            "qkv",
            "trip",
            "square",
            "DAG",
            "stream",
            "stride",
            "die",
            "host",
            "median",
            "overhead",
        ] {
            let asked = asked.to_lowercase();
            let says = |e: &Entry| format!("{} {}", e.word, e.says).to_lowercase();
            assert!(all.iter().any(|e| says(e).contains(&asked)), "{asked}");
        }
    }

    fn words_of(glossary: &Glossary) -> Vec<&str> {
        words(glossary, glossary.here)
    }

    #[test]
    fn every_line_of_the_glossary_is_an_entry() {
        let course = Course::built_in();
        let lesson = course.lesson(TERMS).unwrap();
        let lines = lines(lesson).filter(|l| l.starts_with("- **")).count();
        let all = entries(&course, true);
        let (terms, symbols) = all.split_at(lines);
        assert!(!terms.iter().any(|e| e.says.is_empty()));
        let symbols: Vec<&str> = symbols.iter().map(|e| &*e.word).collect();
        for symbol in ["B", "S", "T", "D", "I", "L", "V", "H", "d"] {
            assert!(symbols.contains(&symbol), "{symbol} in {symbols:?}");
        }
    }
}
