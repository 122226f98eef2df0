//! Numbers in words: `seventeen`, `one hundred and twenty-eight`, `two thirds`.

use super::arith::Quantity;
use super::dimension::Dimension;

/// Words that stand for a whole number, by their value. Thousands and more are
/// prefixes of units (`33.55 million FLOP`) and are read there.
const WHOLE: [(&str, i128); 37] = [
    ("zero", 0),
    ("none", 0),
    ("nothing", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("hundred", 100),
    ("dozen", 12),
    ("once", 1),
    ("twice", 2),
    ("double", 2),
    ("triple", 3),
    ("quadruple", 4),
];

/// Parts of a whole, one or several of them.
const PARTS: [(&str, &str, i128); 13] = [
    ("half", "halves", 2),
    ("third", "thirds", 3),
    ("quarter", "quarters", 4),
    ("fourth", "fourths", 4),
    ("fifth", "fifths", 5),
    ("sixth", "sixths", 6),
    ("seventh", "sevenths", 7),
    ("eighth", "eighths", 8),
    ("ninth", "ninths", 9),
    ("tenth", "tenths", 10),
    ("twelfth", "twelfths", 12),
    ("sixteenth", "sixteenths", 16),
    ("hundredth", "hundredths", 100),
];

/// Fractions that are one character.
const SIGNS: [(char, i128, i128); 9] = [
    ('½', 1, 2),
    ('⅓', 1, 3),
    ('⅔', 2, 3),
    ('¼', 1, 4),
    ('¾', 3, 4),
    ('⅛', 1, 8),
    ('⅜', 3, 8),
    ('⅝', 5, 8),
    ('⅞', 7, 8),
];

/// Whether a word is one of a number in words.
pub fn is_number_word(word: &str) -> bool {
    let word = word.to_lowercase();
    let word = word.strip_suffix("fold").unwrap_or(&word);
    word.split('-')
        .all(|part| whole(part).is_some() || parts(part).is_some())
}

fn whole(word: &str) -> Option<i128> {
    WHOLE.iter().find(|(w, _)| *w == word).map(|(_, n)| *n)
}

fn parts(word: &str) -> Option<i128> {
    let known = PARTS
        .iter()
        .find(|(one, several, _)| *one == word || *several == word);
    known.map(|(.., n)| *n)
}

/// The word at `at` in small letters, and where it ends.
fn word_at(chars: &[char], at: usize) -> Option<(String, usize)> {
    let letters = chars.get(at..)?.iter().take_while(|c| c.is_alphabetic());
    let word: String = letters.flat_map(|c| c.to_lowercase()).collect();
    let end = at
        + chars
            .get(at..)?
            .iter()
            .take_while(|c| c.is_alphabetic())
            .count();
    (end > at).then_some((word, end))
}

/// The place behind white space or a hyphen.
fn gap(chars: &[char], at: usize) -> usize {
    let blank = |c: &&char| c.is_whitespace() || **c == '-';
    at + chars
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(blank)
        .count()
}

/// Reads the number in words that begins at `at`, exact: a whole number, or a
/// fraction (`a third`, `three quarters`). Behind a fraction `of`, `a` and `an`
/// are read over: `half a megabyte`.
pub(super) fn lex(chars: &[char], at: usize) -> Option<(Quantity, usize)> {
    let whole_number = |n| Quantity::whole(n, Dimension::Count);
    let sign = chars.get(at).copied();
    if let Some((_, above, below)) = SIGNS.iter().find(|(c, ..)| Some(*c) == sign) {
        let share = whole_number(*above).over(whole_number(*below)).ok()?;
        return Some((share, at + 1));
    }
    let (mut sum, mut count, mut end) = (0_i128, 0_u32, at);
    let mut last = i128::MAX;
    let mut from = at;
    while let Some((word, next)) = word_at(chars, from) {
        let bare = word.strip_suffix("fold").filter(|w| whole(w).is_some());
        if let Some(n) = whole(bare.unwrap_or(&word)) {
            // “twenty one”, “two hundred”, “a hundred and seven”; not “two three”.
            let fits = match n {
                100 => count > 0 && sum < 100 || count == 0,
                12 if word == "dozen" => true,
                n => count == 0 || n < 10 && (20..=100).contains(&last) || n < 100 && last == 100,
            };
            if !fits {
                break;
            }
            (sum, last) = match (n, word.as_str()) {
                (100, _) | (_, "dozen") => (sum.max(1) * n, 100),
                _ => (sum + n, n),
            };
            count += 1;
            end = match bare {
                // The “fold” of “eightfold” is the unit.
                Some(_) => return Some((Quantity::whole(sum, Dimension::Count), next - 4)),
                None => next,
            };
        } else if let Some(below) = parts(&word) {
            let above = if count == 0 { 1 } else { sum };
            let share = whole_number(above).over(whole_number(below)).ok()?;
            return Some((share, article(chars, next)));
        } else if !(word == "and" && last == 100 || word == "a" && count == 0) {
            break;
        }
        from = gap(chars, next);
    }
    (count > 0).then(|| (Quantity::whole(sum, Dimension::Count), end))
}

/// Behind `of`, `a`, `an`, `of a`, where a word follows.
fn article(chars: &[char], end: usize) -> usize {
    let mut at = end;
    loop {
        let from = gap(chars, at);
        match word_at(chars, from) {
            Some((word, next)) if matches!(word.as_str(), "of" | "a" | "an" | "the") => at = next,
            Some(_) => return at,
            None => return end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_words() {
        for (text, value, read) in [
            ("seventeen", 17.0, 9),
            ("Seventy-one", 71.0, 11),
            ("one hundred and twenty-eight tokens", 128.0, 28),
            ("a hundred", 100.0, 9),
            ("two dozen", 24.0, 9),
            ("none", 0.0, 4),
            ("one third", 1.0 / 3.0, 9),
            ("a third", 1.0 / 3.0, 7),
            ("two-thirds of it", 2.0 / 3.0, 13),
            ("half a megabyte", 0.5, 6),
            ("⅔", 2.0 / 3.0, 1),
            ("eightfold", 8.0, 5),
            ("twice", 2.0, 5),
        ] {
            let chars: Vec<char> = text.chars().collect();
            let (q, end) = lex(&chars, 0).unwrap();
            assert!((q.value() - value).abs() < 1e-12, "{text}: {}", q.value());
            assert_eq!(end, read, "{text}");
        }
        for text in ["tokens", "a", "and", "memory", "a kernel", ""] {
            let chars: Vec<char> = text.chars().collect();
            assert_eq!(lex(&chars, 0), None, "{text}");
        }
    }
}
