//! Where the course cites claims.

use crate::{Course, Lesson};

/// Words that may be ids of claims.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    text.split(part).map(|word| word.trim_matches(['.', '-']))
}

/// The lessons that cite a claim, in order.
pub fn cited<'c>(course: &'c Course, id: &'c str) -> impl Iterator<Item = &'c Lesson> {
    course
        .lessons()
        .filter(move |lesson| words(lesson.text.body()).any(|word| word == id))
}

/// What a text calls a claim: the words after `claim` and `claims`, joined by
/// commas and `and`, as far as they have the form of an id.
#[cfg(test)]
pub(super) fn named(text: &str) -> Vec<&str> {
    let form = |word: &str| {
        let (group, rest) = word.split_once('-').unwrap_or(("", ""));
        matches!(
            group,
            "K" | "L" | "Q" | "G" | "F" | "M" | "R" | "T" | "S" | "H" | "O" | "C" | "B" | "N" | "P"
        ) && !rest.is_empty()
    };
    let mut found = Vec::new();
    let mut after = false;
    for word in words(text).filter(|word| !word.is_empty()) {
        match word {
            "claim" | "claims" | "Claim" | "Claims" => after = true,
            "and" | "id" if after => {}
            id if after && form(id) => found.push(id),
            _ => after = false,
        }
    }
    found
}
