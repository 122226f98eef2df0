//! Which program the engine is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

static BUILD: OnceLock<&'static str> = OnceLock::new();

/// Says which build this program is: the version, and a digest of everything
/// compiled in. Parent and engine must be the same: they share data types, not a
/// protocol that is kept stable. The first word counts.
pub fn this_build_is(build: &'static str) {
    BUILD.get_or_init(|| build);
}

/// Which build this is; the version alone where nobody said.
pub fn build() -> &'static str {
    BUILD.get().copied().unwrap_or(env!("CARGO_PKG_VERSION"))
}

/// A command, words between spaces, that is put before the engine's own: a
/// debugger, or `compute-sanitizer --log-file memcheck.txt`.
pub const WRAP: &str = "TINYLLAMA_TUTOR_WRAP";

/// This program, to be started again. On Linux it is a link to the file that
/// runs now, even when an update has put another in its place.
///
/// # Errors
/// When the system does not say which program this is.
pub fn running() -> std::io::Result<PathBuf> {
    let link = Path::new("/proc/self/exe");
    match link.exists() {
        true => Ok(link.to_owned()),
        false => std::env::current_exe(),
    }
}

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
    wrapped: bool,
}

impl Program {
    /// A program that speaks the engine's protocol.
    pub fn new(
        path: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        Self {
            path: path.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            wrapped: false,
        }
    }

    /// Whether a command stands in front of it: a debugger or a checker, which
    /// make everything slower.
    pub fn is_wrapped(&self) -> bool {
        self.wrapped
    }

    /// This program again, as engine, under the command of [`WRAP`] where it is
    /// set.
    ///
    /// # Errors
    /// When the system does not say which program this is.
    pub fn own() -> std::io::Result<Self> {
        Self::own_as("engine")
    }

    /// This program again, with another hidden command in place of `engine`.
    ///
    /// # Errors
    /// Those of [`Program::own`].
    pub fn own_as(command: &str) -> std::io::Result<Self> {
        let wrap = std::env::var_os(WRAP).unwrap_or_default();
        let mut words: Vec<OsString> = wrap
            .to_string_lossy()
            .split_whitespace()
            .map(OsString::from)
            .collect();
        let wrapped = !words.is_empty();
        // A wrapper would follow the link to itself.
        let path = match wrapped {
            true => std::env::current_exe()?,
            false => running()?,
        };
        words.push(path.into());
        words.push(command.into());
        Ok(Self {
            wrapped,
            ..Self::new(words.remove(0), words)
        })
    }

    /// The command, its standard streams being pipes, in a process group of
    /// its own: Ctrl-C and Ctrl-Z of the terminal do not reach it, and it can
    /// be ended together with what it started.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            command.process_group(0);
        }
        command
    }
}
