//! Text for standard output, written once at the end. A reader that has gone
//! (`| head`) is no error.

use std::io::{self, Write};

use text::clean;

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
            self.text.push_str(line);
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
                self.text.push_str(&text);
                self.text.push('\n');
            }
            Err(e) => complain(&format!("the document cannot be written: {e}")),
        }
    }

    /// Writes everything to standard output, and forgets it.
    ///
    /// # Errors
    /// Text that could not be written, unless nobody reads any more.
    pub(super) fn print(&mut self) -> io::Result<()> {
        let text = std::mem::take(&mut self.text);
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

/// One sentence to standard error, under the program's name.
pub(super) fn complain(sentence: &str) {
    tell(&format!("tinyllama-tutor: {sentence}\n"));
}

/// Text to standard error as it is.
pub(super) fn tell(text: &str) {
    let mut stderr = io::stderr();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_lines_hold_nothing_else() {
        let mut out = Out::new(true);
        out.line("fp32 · V1: 2·B·S, 14.71 µs – 3 × “x”  ");
        assert_eq!(out.text, "fp32 - V1: 2*B*S, 14.71 us - 3 x \"x\"\n");
    }
}
