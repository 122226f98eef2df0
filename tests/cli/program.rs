//! The program in a folder of its own, with nothing inherited.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// An empty home; every command runs in it.
pub struct Home(TempDir);

/// What a command left.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Home {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The sheet of an exercise, where there is no workshop folder.
    pub fn sheet(&self, exercise: &str) -> PathBuf {
        let sheets = self.path().join("data/tinyllama-tutor/answers");
        sheets.join(format!("{exercise}.toml"))
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tinyllama-tutor"));
        command
            .env_clear()
            .env("HOME", self.path())
            .env("XDG_DATA_HOME", self.path().join("data"))
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm-256color")
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    pub fn args(&self, args: &[&str]) -> Ran {
        Ran::of(self.command().args(args).output().unwrap())
    }

    /// The command line as a shell would split it at spaces.
    pub fn line(&self, line: &str) -> Ran {
        self.args(&line.split_whitespace().collect::<Vec<_>>())
    }
}

impl Ran {
    pub fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Ended with `code` and one sentence under the program's name.
    pub fn refused(&self, code: i32, needle: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        assert!(self.err.starts_with("tinyllama-tutor: "), "{self:?}");
        assert_eq!(self.err.trim_end().lines().count(), 1, "{self:?}");
        assert!(self.err.contains(needle), "no “{needle}” in {self:?}");
        // No stack, no debug print, none of the system's numbers.
        for noise in ["os error", "panicked", "RUST_BACKTRACE", "Err("] {
            assert!(!self.err.contains(noise), "{self:?}");
        }
    }
}

impl Ran {
    /// Ended with `code` and a document that says so on standard error.
    pub fn refused_json(&self, code: i32) {
        assert_eq!((self.code, self.out.as_str()), (code, ""), "{self:?}");
        let said: Value = serde_json::from_str(&self.err).unwrap();
        assert_eq!((&said["schema"], &said["exit"]), (&1.into(), &code.into()));
        let error = said["error"].as_str().unwrap_or_default();
        assert!(error.len() > 10, "{self:?}");
    }
}

/// A file of the project's test data.
pub fn data(path: &str) -> String {
    format!("{}/tests/data/{path}", env!("CARGO_MANIFEST_DIR"))
}
