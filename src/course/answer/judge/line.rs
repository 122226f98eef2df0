//! The line of an excerpt, as people name it: its number, a remark beside it, a part
//! of the line itself.

use plan::units::{self, is_number_word};

/// Words for a line.
const LINE: [&str; 8] = ["line", "zeile", "ligne", "row", "number", "no", "nr", "l"];

/// The line that was meant: its number, or a part of it that stands in no other line.
pub(super) fn line(text: &str, lines: &[String]) -> Option<usize> {
    let lower = text.trim().to_lowercase();
    let within = |number: usize| (1..=lines.len()).contains(&number).then_some(number);
    let holding = |part: &str| {
        let part = bare(part);
        let has = |line: &String| bare(&line.to_lowercase()).contains(&part);
        let mut found = (1..).zip(lines).filter(|(_, line)| has(line));
        let first = found.next().filter(|_| part.chars().count() >= 3)?.0;
        found.next().is_none().then_some(first)
    };
    // The line as it stands goes before the numbers in it.
    if let Some(pasted) = holding(&lower) {
        return Some(pasted);
    }
    let (number, remark) = numbered(&lower)?;
    let remark = remark.trim_matches(|c: char| !c.is_alphanumeric());
    let wordless = !remark.contains(char::is_alphabetic);
    let code = holding(remark);
    let agrees = match code {
        Some(other) => other == number,
        // “4.5” and “4 or 3” are no line with a remark.
        None => remark.is_empty() || !wordless && !names_another(remark, lines.len()),
    };
    within(number).filter(|_| agrees)
}

fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The number that a text says, and what is said beside it: `4`, `L4`, `the 4th
/// line`, `line four`, `4: it divides by n`, `gamma[i] in line 7`.
fn numbered(lower: &str) -> Option<(usize, String)> {
    let mut words: Vec<&str> = lower.split_whitespace().collect();
    let head = words.first().copied().unwrap_or_default();
    if matches!(head, "the" | "in" | "it" | "is" | "at" | "on") {
        words.remove(0);
        return numbered(&words.join(" "));
    }
    let plain = |word: &str| {
        let word = word.trim_matches([
            '(', ')', '“', '”', '"', '#', ':', '.', ',', '!', '?', ';', '|',
        ]);
        word.to_owned()
    };
    let is_line = |word: &str| LINE.contains(&plain(word).as_str());
    // A word for a line, with its number behind it.
    let said = words
        .windows(2)
        .position(|pair| matches!(pair, [a, b] if is_line(a) && value(&plain(b)).is_some()));
    if let Some(at) = said {
        let number = value(&plain(words.get(at + 1)?))?;
        let rest = words.iter().enumerate();
        let rest = rest.filter(|(i, _)| *i != at && *i != at + 1);
        let rest: Vec<&str> = rest.map(|(_, word)| *word).filter(|w| *w != "in").collect();
        return Some((number, rest.join(" ")));
    }
    let head = words.first().copied().unwrap_or_default();
    let glued = head.trim_start_matches(['(', '“', '"', '#', 'l', '.']);
    let digits: String = glued.chars().take_while(char::is_ascii_digit).collect();
    let behind = glued.get(digits.len()..).unwrap_or_default();
    let ordinal = ["st", "nd", "rd", "th"].contains(&plain(behind).as_str());
    let ended = ordinal || !behind.starts_with(|c: char| c.is_alphanumeric());
    let number = match digits.is_empty() {
        true => value(&plain(head))?,
        false => digits.parse().ok().filter(|_| ended)?,
    };
    let behind = if ordinal || digits.is_empty() {
        ""
    } else {
        behind
    };
    let rest = words.iter().skip(1).copied();
    let rest = rest
        .enumerate()
        .filter(|(i, word)| *i > 0 || !is_line(word));
    let rest: Vec<&str> = std::iter::once(behind)
        .chain(rest.map(|(_, word)| word))
        .collect();
    Some((number, rest.join(" ").trim().to_owned()))
}

fn value(word: &str) -> Option<usize> {
    if let Ok(number) = word.parse() {
        return Some(number);
    }
    let word = Some(word).filter(|word| is_number_word(word))?;
    usize::try_from(units::read(word, None).ok()?.quantity.exact()?).ok()
}

/// Whether a remark leads to another line: `4 or 3`.
fn names_another(remark: &str, lines: usize) -> bool {
    let mut words = remark.split(|c: char| !c.is_alphanumeric());
    let also = |word: &str| matches!(word, "or" | "and" | "to" | "oder" | "und");
    words.any(also) && {
        let numbers = remark.split(|c: char| !c.is_ascii_digit());
        let mut numbers = numbers.filter_map(|n| n.parse::<usize>().ok());
        numbers.any(|n| (1..=lines).contains(&n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_by_number_or_pasted() {
        let lines = [
            "int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "if (i >= n) return;",
            "float sum = block_sum(value, scratch);",
            "float scale = rsqrtf(sum / float(n) + eps);",
        ]
        .map(str::to_owned);
        for text in [
            "4",
            "line 4",
            "Line 4.",
            "L4",
            "l. 4",
            "#4",
            "(4)",
            "4th line",
            "the 4th line",
            "line four",
            "four",
            "  float scale = rsqrtf(sum / float(n) + eps);  ",
            "float scale=rsqrtf(sum/float(n)+eps);",
            "rsqrtf(sum / float(n)",
            "4: float scale = rsqrtf(sum / float(n) + eps);",
            "line 4, it divides by n",
            "Zeile 4",
            "4 (rsqrtf)",
            "rsqrtf in line 4",
            "4 - the mask is missing",
            "it is line 4 because the width is wrong",
            "4. the scale",
        ] {
            assert_eq!(line(text, &lines), Some(4), "{text}");
        }
        for text in [
            "-4",
            "0",
            "5",
            "4.5",
            "sum",
            "4 or 3",
            "3: return",
            "",
            "the last",
            "40",
        ] {
            assert_eq!(line(text, &lines), None, "{text}");
        }
    }
}
