//! What is wrong with a text of the course, and where.

use super::paths::Places;
use super::text::obeyed;
pub use ::text::Place;
use files::plain;
use plan::nearest;
use std::fmt;
use std::io;

/// How much a fault matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Something a reader would see: lint fails on it.
    Error,
    /// Something to look at: lint prints it and passes.
    Warning,
}

/// One thing that is wrong with a text, as a value: `file:line:column: sentence`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fault {
    /// File as the user knows it, such as `lessons/07-v1-census.md`.
    pub file: String,
    /// Where in the file.
    pub at: Place,
    /// Error or warning.
    pub level: Level,
    /// What is so, and the way out.
    pub say: String,
}

impl Fault {
    /// A fault of a file as a whole (it cannot be read, it is too large).
    pub fn whole(file: impl Into<String>, say: impl Into<String>) -> Self {
        Self::at(file, Place::default(), say)
    }

    /// A fault at a place of a file.
    pub fn at(file: impl Into<String>, at: Place, say: impl Into<String>) -> Self {
        // A fault quotes what it found, and it goes to a terminal too.
        let shown = |text: String| match text.contains(obeyed) {
            true => text.replace(obeyed, "\u{fffd}"),
            false => text,
        };
        Self {
            file: shown(file.into()),
            at,
            level: Level::Error,
            say: shown(say.into()),
        }
    }

    /// What is not written because the lock of a state folder cannot be had.
    pub(crate) fn unlocked(places: &Places, error: &io::Error) -> Self {
        let way_out = match error.kind() {
            io::ErrorKind::WouldBlock => "Try again when that one has ended",
            _ => "Move it away",
        };
        Self::whole(
            places.shown(&places.lock()),
            format!(
                "{}, so nothing was written. {way_out}; --state DIR chooses another folder.",
                plain(error)
            ),
        )
    }

    /// The same fault as a warning.
    #[must_use]
    pub fn warning(self) -> Self {
        Self {
            level: Level::Warning,
            ..self
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.line == 0 {
            write!(f, "{}: ", self.file)?;
        } else {
            write!(f, "{}:{}:{}: ", self.file, self.at.line, self.at.column)?;
        }
        if self.level == Level::Warning {
            f.write_str("warning: ")?;
        }
        f.write_str(&self.say)
    }
}

impl std::error::Error for Fault {}

/// `; did you mean "minutes"?`, or else the whole list.
pub(crate) fn way_out(typed: &str, known: &[&str]) -> String {
    match nearest(typed, known.iter().copied()) {
        Some(name) => format!("did you mean {name}?"),
        None => format!("known are {}.", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_reads_as_file_line_column_sentence() {
        let at = Place {
            line: 48,
            column: 7,
        };
        let fault = Fault::at("lessons/05-flash.md", at, "unknown macro \\frak.");
        assert_eq!(
            fault.to_string(),
            "lessons/05-flash.md:48:7: unknown macro \\frak."
        );
        assert_eq!(
            Fault::whole("progress.toml", "too large.")
                .warning()
                .to_string(),
            "progress.toml: warning: too large."
        );
    }
}
