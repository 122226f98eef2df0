//! Lines of at most 80 columns.

use unicode_width::UnicodeWidthStr;

const WIDTH: usize = 79;

/// The words of `text` in lines that begin with `first` and then `indent`.
pub(super) fn wrapped(text: &str, first: &str, indent: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.width() + 1 + word.width() > WIDTH {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole_and_later_lines_hang() {
        let text = "one ".repeat(30);
        let lines = wrapped(&text, "  1 ", "    ");
        assert!(lines.iter().all(|l| l.width() <= WIDTH));
        assert!(lines[0].starts_with("  1 one") && lines[1].starts_with("    one"));
        assert_eq!(wrapped("", "a", "b"), ["a"]);
    }
}
