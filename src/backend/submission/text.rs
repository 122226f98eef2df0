//! What may not stand in a learner's file: it is compiled, and a compiler reads
//! files. And what a portable kernel does not type in.

/// What a learner's file may not have, and in which line where it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Forbidden {
    TooLong,
    ZeroByte,
    RawString(usize),
    /// A directive that reads a file.
    Reads(usize),
    /// A word that looks whether a file is there.
    Looks(usize, &'static str),
    Assembly(usize),
}

impl Forbidden {
    /// The sentence, about this file.
    pub(super) fn of(&self, file: &str) -> String {
        let (row, say) = match self {
            Self::TooLong => {
                return format!(
                    "{file} has more than 200,000 bytes; start again from the skeleton"
                );
            }
            Self::ZeroByte => return format!("{file} has a zero byte in it; it is no text"),
            Self::RawString(row) => (row, "a raw string hides what follows it; leave it out"),
            Self::Reads(row) => (
                row,
                "a kernel file includes nothing; what it may use stands in \
                 kernels/prefix/base.cu and is there already",
            ),
            Self::Looks(row, word) => {
                return format!("{file}:{row}: {word} looks for files; leave it out");
            }
            Self::Assembly(row) => (
                row,
                "assembly belongs to one vendor; the prefix wraps what is needed",
            ),
        };
        format!("{file}:{row}: {say}")
    }
}

/// Refuses directives that read files, and assembly.
///
/// # Errors
/// The first that is found.
pub(super) fn allowed(text: &str) -> Result<(), Forbidden> {
    if text.len() > 200_000 {
        return Err(Forbidden::TooLong);
    }
    if text.contains('\0') {
        return Err(Forbidden::ZeroByte);
    }
    if let Some(row) = text.lines().position(|line| line.contains("R\"")) {
        return Err(Forbidden::RawString(row + 1));
    }
    for (row, line) in code_lines(text) {
        let directive = line
            .trim_start()
            .strip_prefix('#')
            .or_else(|| line.trim_start().strip_prefix("%:"))
            .map(str::trim_start);
        let reads = ["include", "import", "embed"];
        if directive.is_some_and(|d| reads.iter().any(|word| d.starts_with(word))) {
            return Err(Forbidden::Reads(row));
        }
        let reading = ["__has_include", "__has_embed"];
        if let Some(word) = reading.iter().find(|word| line.contains(*word)) {
            return Err(Forbidden::Looks(row, word));
        }
        if words(&line).any(|word| matches!(word, "asm" | "__asm__" | "__asm")) {
            return Err(Forbidden::Assembly(row));
        }
    }
    Ok(())
}

/// The width of a warp as a literal, in a line that is not in `given`: row and
/// literal. A named constant is fine: its name says what it is.
pub(super) fn warp_width(text: &str, given: &str) -> Option<(usize, String)> {
    let known: Vec<String> = code_lines(given)
        .map(|(_, line)| line.trim().to_owned())
        .collect();
    for (row, line) in code_lines(text) {
        let bare = line.trim();
        let named = bare.starts_with("const ")
            || bare.starts_with("constexpr ")
            || bare.starts_with("#define ");
        if named || known.iter().any(|given| given == bare) {
            continue;
        }
        let literal = words(&line).find(|word| {
            let digits = word.trim_end_matches(['u', 'U', 'l', 'L']).to_lowercase();
            matches!(
                digits.as_str(),
                "32" | "31" | "64" | "63" | "0x1f" | "0x20" | "0x3f" | "0x40"
            )
        });
        if let Some(literal) = literal {
            return Some((row, literal.to_owned()));
        }
    }
    None
}

/// Words and numbers of a line. `64.0f` is one word, and none of ours.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .filter(|word| !word.is_empty())
}

/// Lines without comments and strings, those joined by a backslash as one, with
/// the number of their first.
pub(super) fn code_lines(text: &str) -> impl Iterator<Item = (usize, String)> {
    let mut lines: Vec<(usize, String)> = vec![(1, String::new())];
    let (mut row, mut rest) = (1, text);
    let mut comment = false;
    while let Some(c) = rest.chars().next() {
        let step = if let Some(tail) = rest.strip_prefix("\\\r\n").or(rest.strip_prefix("\\\n")) {
            row += 1;
            rest = tail;
            continue;
        } else if comment {
            if rest.starts_with("*/") {
                comment = false;
                2
            } else {
                c.len_utf8()
            }
        } else if rest.starts_with("/*") {
            comment = true;
            2
        } else if rest.starts_with("//") {
            // To the end of the line; a backslash there carries the comment on.
            let mut skipped = 0;
            for line in rest.split_inclusive('\n') {
                let body = line.trim_end_matches(['\n', '\r']);
                skipped += body.len();
                if !body.ends_with('\\') || body.len() == line.len() {
                    break;
                }
                skipped += line.len() - body.len();
                row += 1;
            }
            skipped
        } else if c == '"' || c == '\'' {
            literal(rest, c)
        } else {
            if c != '\n'
                && let Some((_, line)) = lines.last_mut()
            {
                line.push(c);
            }
            c.len_utf8()
        };
        if c == '\n' {
            row += 1;
            if !comment {
                lines.push((row, String::new()));
            }
        }
        rest = rest.get(step..).unwrap_or_default();
    }
    lines.into_iter()
}

/// Bytes of a string or character that begins here; it ends with its line at the
/// latest.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_not_read_and_assembly_is_not_taken() {
        let refused = [
            "#include </etc/passwd>",
            "  #  include \"x\"",
            "#inc\\\nlude <x>",
            "%:include <x>",
            "#/* a */include <x>",
            "#if __has_include(<x>)",
            "asm(\"trap;\");",
            "int a;\n  asm volatile(\"\");",
            "#embed <x>",
            "const char *s = \"/*\";\n#include <x>\n// */",
            "char c = '\"';\n#include <x>\nchar d = '\"';",
            "const char *s = R\"(\" /* )\";\n#include <x>",
        ];
        for text in refused {
            let said = allowed(text).unwrap_err().of("answers/ex19.cu");
            assert!(said.starts_with("answers/ex19.cu:"), "{text}: {said}");
        }
        let fine = "// #include <x>\n/* asm */ int smasm; // asm\n#define A 1\n#if A\n#endif\n";
        assert_eq!(allowed(fine), Ok(()));
        assert_eq!(allowed("int a;\0"), Err(Forbidden::ZeroByte));
    }

    #[test]
    fn the_width_of_a_warp_is_found_where_it_is_typed_in() {
        let given = "const int TILE = 64;\n    float q[64];\n";
        let found = |text: &str| warp_width(text, given);
        assert_eq!(found("int a;\nx = t % 32;"), Some((2, "32".to_owned())));
        assert_eq!(found("x = t & 0x1F;"), Some((1, "0x1F".to_owned())));
        assert_eq!(found("x = t >> 31u;"), Some((1, "31u".to_owned())));
        for fine in [
            "// 32 lanes",
            "float q[64];",
            "x = 64.0f + 320 + y32;",
            "const int columns = 64;",
            "x = t % WARP; /* 32 */",
        ] {
            assert_eq!(found(fine), None, "{fine}");
        }
    }
}
