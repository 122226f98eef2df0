//! Words and lines: at most 80 columns, one and many, what a shell reads.

pub(super) use course::present::quoted;

const WIDTH: usize = 79;

/// The words of `text` in lines that begin with `first` and then `indent`.
pub(super) fn wrapped(text: &str, first: &str, indent: &str) -> Vec<String> {
    text::fill(text.split_whitespace(), WIDTH, first, indent)
}

/// `1 launch`, `17 launches`, `1 lesson`.
pub(super) fn counted(n: u64, one: &str) -> String {
    let ending = match n {
        1 => "",
        _ if one.ends_with("ch") => "es",
        _ => "s",
    };
    let n = plan::units::group_thousands(i128::from(n));
    format!("{n} {one}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole_and_later_lines_hang() {
        let text = "one ".repeat(30);
        let lines = wrapped(&text, "  1 ", "    ");
        assert!(lines.iter().all(|l| text::width(l) <= WIDTH));
        assert!(lines[0].starts_with("  1 one") && lines[1].starts_with("    one"));
        assert_eq!(wrapped("", "a", "b"), ["a"]);
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(1, "launch"), "1 launch");
        assert_eq!(counted(1071, "launch"), "1,071 launches");
        assert_eq!(counted(0, "finding"), "0 findings");
    }

    #[test]
    fn a_shell_reads_back_what_was_typed() {
        assert_eq!(quoted("v2+rope"), "v2+rope");
        assert_eq!(quoted("norm1|q k"), "'norm1|q k'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
