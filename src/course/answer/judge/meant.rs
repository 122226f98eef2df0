//! The option that freer words mean: its letter, the words of the question left
//! out, a reason beside it, a near spelling, other words of which some belong to
//! one option alone.

use super::options::{REASONS, TURNING, by_words, named, telling};
use crate::fields::Phrase;
use plan::units::is_number_word;

/// Words that are said around an option and belong to none.
const AROUND: [&str; 34] = [
    "those", "one", "that", "which", "at", "still", "were", "was", "are", "will", "them", "they",
    "these", "there", "thi", "so", "in", "to", "for", "on", "with", "because", "be", "would",
    "becomes", "become", "all", "he", "and", "then", "run", "goe", "go", "too",
];
/// Words that mean the same; the first is the one that is compared.
const SAME: [&[&str]; 11] = [
    &["memory", "bandwidth", "hbm", "dram"],
    &["compute", "arithmetic", "computing", "math"],
    &["shared", "smem", "lds"],
    &["register", "reg"],
    &["operation", "ops", "op"],
    &["once", "immediately", "instantly"],
    &["drop", "remove", "delete", "omit"],
    &["nan"],
    &["forever", "endlessly"],
    &["big", "large"],
    &["little", "slightly"],
];
/// What divides an answer into parts besides [`REASONS`].
const PAUSES: [&str; 2] = [", ", ". "];
/// Shortest word of which a part, or a near spelling, is taken for it.
const LONG: usize = 5;

/// The option that a text means, where it can mean no other. `ask` is the question:
/// what it says need not be said again.
pub(super) fn meant<'o>(text: &str, ask: &str, options: &'o [Phrase]) -> Option<&'o Phrase> {
    let text = text.trim();
    let inner = text.strip_prefix("O(").and_then(|t| t.strip_suffix(')'));
    let text = inner.unwrap_or(text);
    if let Some(option) = named(text, options) {
        return Some(option);
    }
    if let Some(lettered) = lettered(text, ask, options) {
        return lettered;
    }
    by_words(&without(text, ask, options), options)
        .or_else(|| numbered(text, options))
        .or_else(|| likest(&without(text, ask, options), options))
}

/// The option of an answer with its reason beside it: one part names it, and no
/// other part names another.
pub(super) fn reasoned<'o>(text: &str, options: &'o [Phrase]) -> Option<&'o Phrase> {
    let mut parts = vec![text];
    for sign in REASONS.into_iter().chain(PAUSES) {
        parts = parts.into_iter().flat_map(|p| p.split(sign)).collect();
    }
    if parts.len() < 2 {
        return None;
    }
    let says = |part: &&str| part.contains(char::is_alphabetic);
    let mut found = parts.into_iter().filter(says).filter_map(|part| {
        let bare = part.trim_matches([' ', ')', ',']);
        named(bare, options)
    });
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// What `b`, `b)`, `(b)` and `b) kernel` name; else the only option with this
/// initial. `None`: the text is written in another way.
fn lettered<'o>(text: &str, ask: &str, options: &'o [Phrase]) -> Option<Option<&'o Phrase>> {
    let text = text.trim_start_matches('(');
    let letter = text.chars().next()?.to_ascii_lowercase();
    let rest = text.get(letter.len_utf8()..)?;
    let marked = rest.strip_prefix([')', '.', ':']);
    if !letter.is_ascii_alphabetic() || marked.is_none() && !rest.is_empty() {
        return None;
    }
    let place = (letter as usize).checked_sub('a' as usize)?;
    // A letter that is an option, or a part of one, is no number of a place.
    let letters = |w: &String| matches!(w.as_bytes(), [b'a'..=b'h']);
    let said = |o: &Phrase| telling(&o.text).iter().any(letters);
    let at = options.get(place).filter(|_| !options.iter().any(said));
    let rest = marked.unwrap_or_default().trim();
    if !rest.is_empty() {
        return Some(meant(rest, ask, options).filter(|o| at.is_none_or(|at| at == *o)));
    }
    let begins = |o: &&Phrase| {
        let words = telling(&o.text);
        words.first().is_some_and(|w| w.starts_with(letter))
    };
    let mut initial = options.iter().filter(begins);
    Some(match (at, initial.next(), initial.next()) {
        (Some(at), Some(one), None) if at != one => None,
        (Some(at), ..) => Some(at),
        (None, Some(one), None) => Some(one),
        _ => None,
    })
}

/// The words of a text without those that the question says and no option does.
fn without(text: &str, ask: &str, options: &[Phrase]) -> Vec<String> {
    let asked = telling(ask);
    let known: Vec<String> = options.iter().flat_map(|o| telling(&o.text)).collect();
    let mut words = telling(text);
    let idle = |word: &String| {
        !known.contains(word)
            && !TURNING.contains(&word.as_str())
            && (asked.contains(word) || AROUND.contains(&word.as_str()))
    };
    words.retain(|word| !idle(word));
    words
}

/// The option with the one number of a text, where every option is a number:
/// `tile 32`, `64 x 64`.
fn numbered<'o>(text: &str, options: &'o [Phrase]) -> Option<&'o Phrase> {
    let number = |text: &str| text.parse::<u64>().ok();
    let said = telling(text);
    if said.iter().any(|word| TURNING.contains(&word.as_str())) {
        return None;
    }
    let mut numbers: Vec<u64> = said.iter().filter_map(|word| number(word)).collect();
    numbers.dedup();
    let [one] = numbers.as_slice() else {
        return None;
    };
    let of = |o: &Phrase| telling(&o.text).first().and_then(|word| number(word));
    let all = options.iter().all(|o| of(o).is_some());
    let mut found = options.iter().filter(|o| of(o) == Some(*one));
    let first = found.next().filter(|_| all)?;
    found.next().is_none().then_some(first)
}

/// The option that alone has some of the words, where most of them are in it.
fn likest<'o>(said: &[String], options: &'o [Phrase]) -> Option<&'o Phrase> {
    let plain = |word: &&String| word.chars().any(char::is_alphanumeric);
    let said: Vec<&String> = said.iter().filter(plain).collect();
    let known: Vec<Vec<String>> = options.iter().map(|o| telling(&o.text)).collect();
    let has = |option: &[String], word: &str| option.iter().any(|known| like(known, word));
    let mut telltale: Option<usize> = None;
    let mut tells = false;
    for word in &said {
        let mut having = known.iter().enumerate().filter(|(_, o)| has(o, word));
        if let (Some((at, _)), None) = (having.next(), having.next()) {
            if telltale.is_some_and(|other| other != at) {
                return None;
            }
            telltale = Some(at);
            tells |= word.chars().count() >= 3 || word.chars().all(|c| c.is_ascii_digit());
        }
    }
    let (at, option) = telltale.and_then(|at| Some((at, known.get(at)?)))?;
    let turns = |word: &String| TURNING.contains(&word.as_str());
    let same = option.iter().any(turns) == said.iter().any(|word| turns(word));
    let held = said.iter().filter(|word| has(option, word)).count();
    (tells && same && 2 * held >= said.len()).then(|| options.get(at))?
}

/// Whether two words are one: a part of the other, a near spelling, another word
/// for the same.
fn like(known: &str, word: &str) -> bool {
    if known == word || sense(known) == sense(word) {
        return true;
    }
    let number = |text: &str| text.contains(|c: char| c.is_ascii_digit()) || is_number_word(text);
    let stem = known.trim_end_matches(|c: char| c.is_ascii_digit());
    // res1 is a residual, att attention, embed an embedding.
    let long = word.chars().count() >= LONG && word.chars().all(char::is_alphabetic);
    if stem.chars().count() >= 3 && long && word.starts_with(stem) {
        return true;
    }
    if number(known) || number(word) {
        return false;
    }
    let (a, b) = (known.chars().count(), word.chars().count());
    let shared = known.chars().zip(word.chars()).take_while(|(x, y)| x == y);
    shared.count() >= LONG.max(a.min(b).saturating_sub(2)) || a.min(b) >= LONG && near(known, word)
}

fn sense(word: &str) -> &str {
    let found = SAME.iter().find(|all| all.contains(&word));
    found.and_then(|all| all.first()).copied().unwrap_or(word)
}

/// Whether one letter is missing, added or another.
fn near(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(head..), b.get(head..));
    let (Some(a), Some(b)) = (a, b) else {
        return false;
    };
    let tail = |n: usize, m: usize| a.get(n..) == b.get(m..);
    tail(1, 1) || tail(1, 0) || tail(0, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case = (
        &'static str,
        &'static [&'static str],
        &'static [(&'static str, usize)],
    );

    #[test]
    fn an_option_in_other_words() {
        let cases: [Case; 9] = [
            (
                "What does the second use do?",
                &[
                    "it passes at once",
                    "it waits for ever",
                    "it waits for one block only",
                    "it traps",
                ],
                &[
                    ("a", 1),
                    ("b)", 2),
                    ("(d)", 4),
                    ("b) it waits for ever", 2),
                    ("b) it traps", 0),
                    ("passes immediately", 1),
                    ("it trapped", 4),
                    ("it waits", 0),
                    ("it does not trap", 0),
                    ("the second use passes at once", 1),
                    ("it passes and traps", 0),
                ],
            ),
            (
                "Which bound?",
                &["memory", "compute"],
                &[
                    ("bandwidth", 1),
                    ("m", 1),
                    ("c", 2),
                    ("a", 1),
                    ("memroy", 0),
                    ("computee", 2),
                    ("not memory", 0),
                    ("both", 0),
                    ("neither", 0),
                ],
            ),
            (
                "Which tile side is best?",
                &["16", "32", "64", "128"],
                &[
                    ("tile 32", 2),
                    ("side 64", 3),
                    ("64x64", 3),
                    ("32 x 32", 2),
                    ("64 or 32", 0),
                    ("not 32", 0),
                    ("48", 0),
                ],
            ),
            (
                "Which op holds it?",
                &["embed", "norm1", "softmax", "res1"],
                &[
                    ("embedding", 1),
                    ("the residual add", 4),
                    ("softmx", 3),
                    ("the op softmax", 3),
                    ("norm2", 0),
                ],
            ),
            (
                "Which order?",
                &["S²d²/M", "S²/√M", "S·d"],
                &[("O(S²d²/M)", 1), ("S^2*d^2/M", 1), ("S^2/sqrt(M)", 2)],
            ),
            (
                "Which group?",
                &["norm2 gate", "o res1 norm2", "silu mul"],
                &[
                    ("o, res1, norm2", 2),
                    ("o+res1+norm2", 2),
                    ("silu and mul", 3),
                ],
            ),
            (
                "What comes out?",
                &[
                    "the row becomes 0",
                    "the row becomes 1 times gamma",
                    "every value is NaN",
                    "the values are a little too small",
                ],
                &[
                    ("0", 1),
                    ("it all becomes 0", 1),
                    ("slightly too small", 4),
                    ("NaN everywhere", 3),
                ],
            ),
            (
                "Which launches are hidden?",
                &[
                    "shorter than a launch",
                    "longer than a launch",
                    "all",
                    "none",
                ],
                &[
                    ("those longer than a launch", 2),
                    ("none of them", 4),
                    ("all of them", 3),
                ],
            ),
            (
                "Which does it need?",
                &["k", "a", "both"],
                &[("a", 2), ("b", 3), ("c", 0)],
            ),
        ];
        for (ask, names, typed) in cases {
            let options: Vec<Phrase> = names.iter().copied().map(Phrase::made).collect();
            for (text, number) in typed {
                let found = meant(text, ask, &options);
                let expected = number.checked_sub(1).and_then(|at| options.get(at));
                assert_eq!(found, expected, "{text} of {names:?}");
            }
        }
    }

    #[test]
    fn a_reason_beside_an_option_names_no_other() {
        let options = ["memory", "compute", "launches"].map(Phrase::made);
        for (text, expected) in [
            ("memory bound, 25.6 < 30.8", Some(0)),
            ("memory (below the ridge)", Some(0)),
            ("I measured it: memory", Some(0)),
            ("memory, compute", None),
            ("below the ridge", None),
        ] {
            let expected = expected.and_then(|at: usize| options.get(at));
            assert_eq!(reasoned(text, &options), expected, "{text}");
        }
    }
}
