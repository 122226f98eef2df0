//! Text for standard output, written once at the end. A reader that has gone
//! (`| head`) is no error.

use std::io::Write;

/// Text that a command prints.
#[derive(Debug, Default)]
pub(super) struct Out {
    text: String,
}

impl Out {
    /// One line.
    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref().trim_end());
        self.text.push('\n');
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
            Ok(text) => self.line(text),
            Err(e) => complain(&format!(
                "tinyllama-tutor: the document cannot be written: {e}"
            )),
        }
    }

    /// Writes everything to standard output, and forgets it.
    pub(super) fn print(&mut self) {
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(self.text.as_bytes());
        let _ = stdout.flush();
        self.text.clear();
    }
}

/// One line to standard error.
pub(super) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Text to standard error without an end of line.
pub(super) fn hint(text: &str) {
    let mut stderr = std::io::stderr();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}
