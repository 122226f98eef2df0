//! A study that was made, with its setup, device, build and time; and what makes two
//! command lines ask for the same.

use crate::findings::Findings;
use serde::{Deserialize, Serialize};

/// A study that was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Version of this document.
    pub schema: u32,
    /// Its name among the kept ones: `ablate-3`; empty before it is kept.
    #[serde(default)]
    pub id: String,
    /// Which study.
    pub study: String,
    /// What was typed, without what says how it is printed.
    pub command: String,
    /// The device that ran it; empty where the model says all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub device: String,
    /// The build of this program.
    pub build: String,
    /// When it ended, in UTC: `2026-11-23T00:14:37Z`.
    pub time: String,
    /// Somebody stopped it: what was measured until then is here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// What it found out.
    pub findings: Findings,
}

/// Options that say how a study is printed or where it is kept, and whether a value
/// follows them.
const FORM: [(&str, bool); 14] = [
    ("--json", false),
    ("--plain", false),
    ("--ascii", false),
    ("--mouse", false),
    ("--color", true),
    ("--course", true),
    ("--state", true),
    ("--csv", false),
    ("--svg", false),
    ("--sheet", true),
    ("--markdown", false),
    ("--progress", false),
    ("--no-keep", false),
    ("--budget", true),
];

/// The words of a command line that say what is studied.
pub fn asked(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut out = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let form = FORM
            .iter()
            .find(|(flag, value)| word == *flag || *value && word.starts_with(&format!("{flag}=")));
        match form {
            None => out.push(word),
            Some((flag, true)) if word == *flag => drop(words.next()),
            Some(_) => {}
        }
    }
    out
}

/// Whether two command lines ask for the same: the same words, options in any order.
pub fn same(one: &str, other: &str) -> bool {
    let sorted = |line: &str| {
        let words = asked(split(line));
        let words = words
            .into_iter()
            .flat_map(|word| match word.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => {
                    vec![flag.to_owned(), value.to_owned()]
                }
                _ => vec![word],
            });
        let mut options: Vec<Vec<String>> = Vec::new();
        for word in words {
            match options.last_mut() {
                Some(option) if !word.starts_with("--") => option.push(word),
                _ => options.push(vec![word]),
            }
        }
        // What stands before the first option has an order.
        if let Some(rest) = options.get_mut(1..) {
            rest.sort();
        }
        options
    };
    sorted(one) == sorted(other)
}

/// The words of a line, as a shell takes them apart: single and double quotes hold
/// blanks.
pub fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut begun, mut quote) = (String::new(), false, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => (quote, begun) = (Some(c), true),
            (None, _) if c.is_whitespace() => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            _ => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_the_same_however_it_is_printed_and_ordered() {
        let one = "study scale --over seq --at 16,32 --run";
        for other in [
            "study scale --run --at 16,32 --over seq",
            "study scale --over=seq --at 16,32 --run --json --budget 3 --state '/a b'",
            "study scale --csv --sheet 2 --over seq --run --at=16,32 --progress",
        ] {
            assert!(same(one, other), "{other}");
        }
        for other in [
            "study scale --over batch --at 16,32 --run",
            "study scale --over seq --at 16,32",
            "study ablate --over seq --at 16,32 --run",
        ] {
            assert!(!same(one, other), "{other}");
        }
        assert!(!same("study validate v1 v2", "study validate v2 v1"));
    }

    #[test]
    fn words_are_taken_apart_as_a_shell_does() {
        assert_eq!(
            split("  validate 'norm1|q k v' --dtypes \"fp32\" ''"),
            ["validate", "norm1|q k v", "--dtypes", "fp32", ""]
        );
    }
}
