//! Comments in the room that there is: words that a line has no room for go on in the
//! next line of the same paragraph, so that no row holds one word that was broken off.

/// Lines as they are shown, one for each: what does not fit stands at the beginning of
/// the next, up to half a row; a line that carries more takes a second row. Code stays
/// as it is.
pub(super) fn flow<'t>(lines: impl Iterator<Item = &'t str>, room: usize) -> Vec<String> {
    let lines: Vec<&str> = lines.collect();
    let mut out = Vec::with_capacity(lines.len());
    let mut carried = String::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(comment) = Comment::of(line) else {
            out.push((*line).to_owned());
            continue;
        };
        let words = match carried.as_str() {
            "" => comment.words.to_owned(),
            carried => format!("{carried} {}", comment.words),
        };
        carried.clear();
        let goes_on = lines.get(at + 1).is_some_and(|next| comment.goes_on(next));
        let shown = match parted(&words, room.saturating_sub(comment.prefix.len())) {
            Some((shown, rest)) if goes_on && rest.len() <= room / 2 => {
                rest.clone_into(&mut carried);
                shown
            }
            _ => &words,
        };
        out.push(format!("{}{shown}", comment.prefix));
    }
    out
}

/// What fits into a row, and the words behind it; None where all of it fits.
fn parted(words: &str, room: usize) -> Option<(&str, &str)> {
    let (end, _) = words.char_indices().nth(room)?;
    let (shown, _) = words.get(..=end)?.rsplit_once(' ')?;
    Some((shown, words.get(shown.len()..)?.trim_start()))
}

/// A line of a comment that flows.
struct Comment<'t> {
    /// Indentation, `//` and what stands before the words.
    prefix: &'t str,
    words: &'t str,
}

impl<'t> Comment<'t> {
    /// None for code, and for a comment that is laid out: a table, a rule, a marker.
    fn of(line: &'t str) -> Option<Self> {
        let slashes = line.len() - line.trim_start().len();
        let words = line.get(slashes..)?.strip_prefix("//")?.trim_start();
        let marker = |word: &str| words.split([' ', ':']).next() == Some(word);
        let laid_out =
            words.contains("  ") || ["idea", "end", "excerpt", "gap"].iter().any(|w| marker(w));
        let flows = words.starts_with(|c: char| c.is_alphanumeric() || "-(`".contains(c));
        (flows && !laid_out).then(|| Self {
            prefix: line.get(..line.len() - words.len()).unwrap_or_default(),
            words,
        })
    }

    /// The next line is of the same paragraph: it begins below the words of this one.
    fn goes_on(&self, next: &str) -> bool {
        let bullet = if self.words.starts_with("- ") { 2 } else { 0 };
        !self.words.ends_with(':')
            && Comment::of(next).is_some_and(|next| {
                !next.words.starts_with("- ") && next.prefix.len() == self.prefix.len() + bullet
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flowed(lines: &[&str], room: usize) -> Vec<String> {
        flow(lines.iter().copied(), room)
    }

    #[test]
    fn words_that_do_not_fit_go_on_in_the_next_line() {
        let lines = [
            "// one two three four",
            "// five six",
            "int x; // seven eight nine ten",
        ];
        assert_eq!(
            flowed(&lines, 18),
            ["// one two three", "// four five six", lines[2]]
        );
        assert_eq!(flowed(&lines, 40), lines);
    }

    #[test]
    fn a_list_a_table_and_a_marker_stay_what_they_are() {
        let lines = [
            "// - one two three four",
            "//   five",
            "// - six seven eight nine ten",
            "//   mma      on matrix units, ahead",
            "// idea kept: one two three four",
            "// end kept",
        ];
        let shown = flowed(&lines, 20);
        assert_eq!(shown[..2], ["// - one two three", "//   four five"]);
        // What follows is laid out: the line keeps its words, and takes two rows.
        assert_eq!(shown[2..], lines[2..]);
    }

    #[test]
    fn no_word_is_lost_and_none_is_new() {
        let lines = [
            "// A row's softmax is kept as three running values: largest score, sum of weights,",
            "// weighted sum of values. A larger score scales the two sums down.",
        ];
        for room in 8..100 {
            let words = |lines: &[String]| -> Vec<String> {
                let all = lines.join(" ").replace("//", " ");
                all.split_whitespace().map(str::to_owned).collect()
            };
            let whole: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            let shown = flowed(&lines, room);
            assert_eq!(words(&shown), words(&whole), "{room}");
            assert_eq!(shown.len(), lines.len());
        }
    }
}
