//! Options as people name them: without the article, by their number, with `x`
//! for `×`, by a word that only one of them has.

use crate::fields::Phrase;
use plan::units::{self, is_number_word};

/// Words that an option is named with or without.
const IDLE: [&str; 15] = [
    "a", "an", "the", "option", "number", "answer", "it", "is", "its", "of", "bound", "limited",
    "itself", "only", "just",
];
/// Words that turn an option into another: both have them, or neither.
pub(super) const TURNING: [&str; 8] = [
    "minus", "not", "no", "never", "without", "nothing", "none", "neither",
];

/// The marks that stand between options in a list.
pub(super) const HARD: [char; 6] = [',', ';', '>', '<', '→', '\n'];
/// Those that may stand in an option as well.
const SOFT: [&str; 6] = [" and ", " then ", "&", "+", "/", "|"];

/// A text as words and signs: small letters, numbers as digits, `²` as `^ 2`,
/// `32x32` as `32 * 32`, without articles, quotation marks and the `s` of several.
fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or(' ');
    let (mut found, mut word): (Vec<String>, String) = (Vec::new(), String::new());
    let end = |word: &mut String, found: &mut Vec<String>| {
        if !word.is_empty() {
            found.push(std::mem::take(word));
        }
    };
    for (i, c) in chars.iter().enumerate() {
        let before = if i == 0 { ' ' } else { at(i - 1) };
        let next = at(i + 1);
        let sides = before.is_ascii_digit() && next.is_ascii_digit();
        let sign = match c {
            'x' | 'X' if sides => Some("*"),
            '.' if sides => None,
            '×' | '·' | '⋅' | '∙' | '*' => Some("*"),
            '²' => Some("^ 2"),
            '³' => Some("^ 3"),
            '√' => Some("sqrt"),
            '∞' => Some("infinity"),
            '-' | '−' | '–'
                if !before.is_alphanumeric() && (next.is_alphanumeric() || next == '∞') =>
            {
                Some("minus")
            }
            '^' | '/' | '+' | '=' | '|' | '&' | '→' | '>' | '<' | ',' | ';' | '#' => {
                end(&mut word, &mut found);
                found.push(c.to_string());
                continue;
            }
            c if c.is_alphanumeric() => None,
            _ => {
                end(&mut word, &mut found);
                continue;
            }
        };
        match sign {
            Some(sign) => {
                end(&mut word, &mut found);
                found.extend(sign.split(' ').map(str::to_owned));
            }
            None => word.extend(c.to_lowercase()),
        }
    }
    end(&mut word, &mut found);
    found.iter().map(|word| plain(word)).collect()
}

/// One word in the form in which two are compared.
fn plain(word: &str) -> String {
    let stem = |word: &str| match word.strip_suffix('s') {
        Some(one) if one.chars().count() >= 3 && !one.ends_with('s') => one.to_owned(),
        _ => word.to_owned(),
    };
    match word {
        "by" | "x" | "times" => "*".to_owned(),
        "inf" => "infinity".to_owned(),
        word if TURNING.contains(&word) => word.to_owned(),
        word if is_number_word(word) => units::read(word, None)
            .ok()
            .and_then(|typed| typed.quantity.exact())
            .map_or_else(|| stem(word), |n| n.to_string()),
        word => stem(word),
    }
}

/// The words that say something.
pub(super) fn telling(text: &str) -> Vec<String> {
    // “doesn't” turns an option as “does not” does.
    let text = text.to_lowercase();
    let text = text.replace("n't", " not").replace("n’t", " not");
    let all = words(
        &text
            .replace("not a number", "nan")
            .replace("shared memory", "shared"),
    );
    let some: Vec<String> = all
        .iter()
        .filter(|word| !IDLE.contains(&word.as_str()))
        .cloned()
        .collect();
    if some.is_empty() { all } else { some }
}

/// Whether two texts name the same option.
pub(super) fn alike(a: &str, b: &str) -> bool {
    telling(a) == telling(b)
}

/// The option that a text names.
pub(super) fn named<'o>(text: &str, options: &'o [Phrase]) -> Option<&'o Phrase> {
    // “n = 1001”, where no option is an equation.
    let equations = options.iter().any(|option| option.text.contains('='));
    let option = |text: &str| options.iter().any(|option| alike(&option.text, text));
    let text = match text.rsplit_once('=') {
        Some((symbol, side)) if !equations && !option(symbol) => side,
        _ => text,
    };
    by_words(&telling(text), options)
}

/// The option that has all of these words, or the number of its place.
pub(super) fn by_words<'o>(said: &[String], options: &'o [Phrase]) -> Option<&'o Phrase> {
    if said.is_empty() {
        return None;
    }
    let known: Vec<Vec<String>> = options.iter().map(|o| telling(&o.text)).collect();
    let only = |fits: &dyn Fn(&Vec<String>) -> bool| {
        let mut found = known.iter().zip(options).filter(|(words, _)| fits(words));
        let first = found.next()?.1;
        found.next().is_none().then_some(first)
    };
    if let Some(exactly) = only(&|words| words.as_slice() == said) {
        return Some(exactly);
    }
    // S·d and S d, silu+mul and silu, mul: what stands between words is no word.
    let squeezed = |words: &[String]| -> String {
        let between = |w: &&String| !matches!(w.as_str(), "*" | "+" | "&" | "," | ";" | "and");
        words.iter().filter(between).map(String::as_str).collect()
    };
    let squeezed_said = squeezed(said);
    if squeezed_said.contains(char::is_alphabetic)
        && let Some(alike) = only(&|words| squeezed(words) == squeezed_said)
    {
        return Some(alike);
    }
    if let Some(number) = number(said) {
        // Options that are numbers are named by them and not by their place.
        let mut leading = options.iter().filter(|o| leads(&o.text) == Some(number));
        if let Some(first) = leading.next() {
            return leading.next().is_none().then_some(first);
        }
        let counted = |o: &Phrase| leads(&o.text).is_some() && words(&o.text).len() <= 2;
        // “1024 columns”: where every number counts something, and far more than there are
        // options, a small one is a place.
        let far = |o: &Phrase| {
            words(&o.text).len() > 1 && leads(&o.text).is_some_and(|n| n > 10 * options.len())
        };
        if options.iter().any(counted) && !options.iter().all(far) {
            return None;
        }
        let holds = |words: &Vec<String>| words.iter().any(|word| *word == number.to_string());
        return match number.checked_sub(1) {
            Some(place) => options.get(place),
            None => only(&holds),
        };
    }
    // “tiles” is “tiling” rather than a “smaller tile”.
    if let [word] = said
        && word.chars().count() >= 4
        && let Some(form) =
            only(&|words| matches!(words.as_slice(), [one] if root(one) == root(word)))
    {
        return Some(form);
    }
    let turning = |words: &[String]| -> Vec<bool> {
        let has = |turn: &&str| words.iter().any(|word| word == turn);
        TURNING.iter().map(has).collect()
    };
    let turned = turning(said);
    let joined = said.concat();
    let begins = |words: &Vec<String>| {
        let whole = squeezed_said.contains(char::is_alphabetic);
        words.concat().starts_with(&joined) || whole && squeezed(words).starts_with(&squeezed_said)
    };
    if joined.chars().count() >= 3
        && let Some(begun) = only(&begins)
    {
        return Some(begun);
    }
    let held = |words: &Vec<String>| {
        let whole = |word: &String| {
            let begun =
                |known: &String| word.chars().count() >= 4 && known.starts_with(word.as_str());
            words.iter().any(|known| known == word || begun(known))
        };
        turning(words) == turned && said.iter().all(whole)
    };
    let tells = said.iter().any(|word| word.chars().count() >= 3);
    if tells { only(&held) } else { None }
}

/// What a doing and a thing have in common: “tiling” and “tile”, “padding” and “pad”.
fn root(word: &str) -> &str {
    let done = word.strip_suffix("ing").or(word.strip_suffix('e'));
    let root = done.unwrap_or(word);
    let mut back = root.chars().rev();
    match (back.next(), back.next()) {
        (Some(a), Some(b)) if done.is_some() && a == b => root.strip_suffix(a).unwrap_or(root),
        _ => root,
    }
}

/// `2`, `#2`: the number of an option.
fn number(words: &[String]) -> Option<usize> {
    let words = match words {
        [sign, rest @ ..] if sign == "#" => rest,
        all => all,
    };
    match words {
        [one] => one.parse().ok(),
        _ => None,
    }
}

/// The number with which an option begins.
fn leads(option: &str) -> Option<usize> {
    let end = option.find(|c: char| !c.is_ascii_digit());
    option.get(..end.unwrap_or(option.len()))?.parse().ok()
}

/// A list of options, each by its full name, whatever stands between them; `None`
/// where anything else is in it.
pub(super) fn listed<'o>(text: &str, options: &'o [Phrase]) -> Option<Vec<&'o Phrase>> {
    let said: Vec<String> = telling(text);
    let mut known: Vec<(Vec<String>, &Phrase)> = options
        .iter()
        .map(|option| (telling(&option.text), option))
        .collect();
    known.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    let mut found = Vec::new();
    let mut rest = said.as_slice();
    while let Some((word, behind)) = rest.split_first() {
        let option = |rest: &[String]| {
            known
                .iter()
                .find(|(words, _)| !words.is_empty() && rest.starts_with(words))
                .map(|(words, option)| (words.len(), *option))
        };
        if let Some((length, option)) = option(rest) {
            found.push(option);
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        let between = matches!(word.as_str(), "and" | "then")
            || word
                .chars()
                .all(|c| HARD.contains(&c) || "&+/|#".contains(c));
        // “1. softmax 2. mul”: the numbers of the ranks.
        let rank = *word == (found.len() + 1).to_string() && option(behind).is_some();
        if !between && !rank {
            return None;
        }
        rest = behind;
    }
    (!found.is_empty()).then_some(found)
}

/// What stands between an answer and its reason.
pub(super) const REASONS: [&str; 8] = [
    " (",
    " because ",
    " since ",
    " - ",
    " – ",
    " — ",
    ": ",
    "; ",
];

/// What stands before a reason or a remark: `memory, because …`, `memory (below
/// the ridge)`.
pub(super) fn before_reason(text: &str) -> Option<&str> {
    let first = REASONS.iter().filter_map(|sign| text.find(sign)).min()?;
    text.get(..first)
        .map(|head| head.trim_end_matches([',', ' ']))
}

/// The parts of a list, as they were typed.
pub(super) fn parts<'t>(text: &'t str, options: &[Phrase]) -> Vec<&'t str> {
    let held = |sign: &str| options.iter().any(|option| option.text.contains(sign));
    let mut parts: Vec<&str> = text.split(HARD).collect();
    for sign in SOFT.iter().filter(|sign| !held(sign)) {
        parts = parts
            .into_iter()
            .flat_map(|part| part.split(*sign))
            .collect();
    }
    let digits = |text: &str| {
        text.chars()
            .all(|c| c.is_ascii_digit() || c.is_whitespace())
    };
    let spaced = held(" ") && !digits(text);
    if parts.len() == 1 && !spaced {
        parts = text.split_whitespace().collect();
    }
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty() && *part != "and")
        .collect()
}

/// The options that an answer names, in its order, as they are written on the page; what
/// names none stays as it was typed. An option may hold a comma.
pub fn marked(typed: &str, options: &[Phrase]) -> Vec<String> {
    let mut rest = typed.trim();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let whole = options.iter().map(|o| o.text.as_str()).find(|option| {
            rest.strip_prefix(option)
                .is_some_and(|behind| behind.is_empty() || behind.trim_start().starts_with(','))
        });
        let part = whole.unwrap_or_else(|| rest.split(',').next().unwrap_or(rest));
        if !part.trim().is_empty() {
            found.push(part.trim().to_owned());
        }
        rest = rest
            .get(part.len()..)
            .unwrap_or_default()
            .trim_start_matches([',', ' ']);
    }
    let written = |part: &String| options.iter().any(|option| option.text == *part);
    if found.iter().all(written) {
        return found;
    }
    // As a sheet or a shell may have it: `qk|softmax > o|res1`, `2 1 3`.
    let typed = typed.replace("->", "→").replace("=>", "→");
    let each = || {
        let parts = parts(&typed, options).into_iter();
        let all: Option<Vec<_>> = parts.map(|part| named(part, options)).collect();
        all.filter(|all| !all.is_empty())
    };
    let one = named(&typed, options).map(|one| vec![one]);
    let read = one.or_else(|| listed(&typed, options)).or_else(each);
    read.map_or(found, |read| {
        read.into_iter().map(|option| option.text.clone()).collect()
    })
}

#[cfg(test)]
mod tests;
