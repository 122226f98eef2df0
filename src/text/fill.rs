//! Plain words in lines.

use super::width;

/// The words in lines of at most `columns`: the first begins with `first`, those
/// behind it with `next`. A word that is longer than a line has one to itself.
pub fn fill<W: AsRef<str>>(
    words: impl IntoIterator<Item = W>,
    columns: usize,
    first: &str,
    next: &str,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let mut empty = true;
    for word in words {
        let word = word.as_ref();
        if !empty && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::replace(&mut line, next.to_owned()));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    lines.push(line);
    lines
}
