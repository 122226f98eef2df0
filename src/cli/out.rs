//! Text for standard output, written once at the end. A reader that has gone
//! (`| head`) is no error.

use std::io::{self, IsTerminal, Write};

use text::clean;

/// Most characters of a word that is shown: the command line and files hold longer ones.
const WORD: usize = 300;

/// Most characters of a sentence.
const SENTENCE: usize = 4000;

/// Text that a command prints.
#[derive(Debug, Default)]
pub(super) struct Out {
    text: String,
    ascii: bool,
}

impl Out {
    /// Nothing yet; lines are spelled in ASCII where that is asked for.
    pub(super) fn new(ascii: bool) -> Self {
        Self {
            text: String::new(),
            ascii,
        }
    }

    /// One line.
    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref().trim_end();
        if self.ascii {
            self.text.push_str(&spelled(line));
        } else {
            // The sign of a product looks like the dot between words.
            self.text.push_str(&line.replace('⋅', "·"));
        }
        self.text.push('\n');
    }

    /// Several lines.
    pub(super) fn lines<L: AsRef<str>>(&mut self, lines: impl IntoIterator<Item = L>) {
        for line in lines {
            self.line(line);
        }
    }

    /// An empty line.
    pub(super) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Text as it is.
    pub(super) fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A JSON document.
    pub(super) fn json(&mut self, document: &impl serde::Serialize) {
        match serde_json::to_string_pretty(document) {
            Ok(text) => {
                self.text.push_str(&escaped(&text));
                self.text.push('\n');
            }
            Err(e) => complain(&format!("the document cannot be written: {e}")),
        }
    }

    /// All of it so far.
    #[cfg(test)]
    pub(super) fn so_far(&self) -> &str {
        &self.text
    }

    /// Writes everything to standard output, and forgets it.
    ///
    /// # Errors
    /// Text that could not be written, unless nobody reads any more.
    pub(super) fn print(&mut self) -> io::Result<()> {
        let text = std::mem::take(&mut self.text);
        // Whatever came from a file or from the command line, here it goes out.
        let text = clean::clean(&text);
        let mut stdout = io::stdout().lock();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush());
        match written {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}

/// A line in ASCII; a dot between words is no product.
fn spelled(line: &str) -> String {
    clean::ascii(&line.replace(" · ", " - ")).into_owned()
}

/// A JSON text in which what a terminal would obey is escaped: all of it stands in
/// strings.
pub(super) fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match clean::obeyed(c) {
            true => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => out.push(c),
        }
    }
    out
}

/// A sentence that quotes what was typed or found: clean, and no longer than one reads.
pub(super) fn readable(sentence: &str) -> String {
    let sentence = clean::clean(sentence);
    let mut out = String::new();
    let (mut word, mut shown) = (0, 0);
    for c in sentence.chars() {
        word = if c.is_whitespace() { 0 } else { word + 1 };
        if word > WORD + 1 {
            continue;
        }
        if shown == SENTENCE {
            out.push('…');
            break;
        }
        out.push(if word > WORD { '…' } else { c });
        shown += 1;
    }
    out
}

/// One sentence to standard error, under the program's name: in lines that a terminal
/// holds, in one where something else reads it.
pub(super) fn complain(sentence: &str) {
    let said = format!("tinyllama-tutor: {}", readable(sentence));
    let said = match wants_ascii(std::env::args_os()) {
        true => spelled(&said),
        false => said,
    };
    let said = match io::stderr().is_terminal() {
        true => in_lines(&said),
        false => said,
    };
    tell(&format!("{said}\n"));
}

/// What is longer than a line goes on in the next; lines of a compiler stay lines.
fn in_lines(said: &str) -> String {
    let lines = said.lines().flat_map(|line| match text::width(line) {
        0..80 => vec![line.to_owned()],
        _ => super::words::wrapped(line, "", "  "),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether --ascii stands among the words that were typed: what is wrong with them is said
/// before they are read, too.
fn wants_ascii(mut typed: impl Iterator<Item = std::ffi::OsString>) -> bool {
    typed.any(|word| word == "--ascii")
}

/// Text of our own to standard error, as it is.
pub(super) fn tell(text: &str) {
    let mut stderr = io::stderr();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_goes_out() {
        assert_eq!(readable("k\u{1b}[2J\u{7}\u{9b}1m\u{202e}"), "k␛[2J␇�1m�");
        let json = escaped("{\n  \"name\": \"k\u{9b}\u{7f}\u{2028}µ\"\n}");
        assert_eq!(json, "{\n  \"name\": \"k\\u009b\\u007f\\u2028µ\"\n}");
        let back: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(back["name"], "k\u{9b}\u{7f}\u{2028}µ");
    }

    #[test]
    fn what_nobody_reads_to_its_end_is_cut() {
        let said = readable(&format!(
            "there is no “{}”; known are a, b",
            "x".repeat(100_000)
        ));
        assert!(said.len() < 400 && said.contains("x…") && said.ends_with("known are a, b"));
        assert_eq!(readable(&"a ".repeat(9000)).chars().count(), SENTENCE + 1);
    }

    #[test]
    fn a_message_goes_on_in_the_next_line_and_code_keeps_its_own() {
        let said = in_lines(&format!("{}\n    int i;", "word ".repeat(20).trim()));
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 3, "{said}");
        assert!(lines.iter().all(|line| text::width(line) < 80), "{said}");
        assert!(lines[1].starts_with("  word") && lines[2] == "    int i;");
    }

    #[test]
    fn ascii_lines_hold_nothing_else() {
        let mut out = Out::new(true);
        out.line("fp32 · V1: 2·B·S, 14.71 µs – 3 × “x”  ");
        assert_eq!(out.text, "fp32 - V1: 2*B*S, 14.71 us - 3 x \"x\"\n");
    }
}
