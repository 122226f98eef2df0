//! Compiles in a process of its own, which is this program again: HIPRTC aborts
//! on an architecture that it does not know, and may on a kernel that it cannot
//! handle. Several run at a time, each with a compiler to itself.
//!
//! Parent and child share a folder: `source`, `options` (JSON) go in, `code` and
//! `log` come out.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, set_parent_process_death_signal};

use super::super::compile::{Built, CompilerError};
use super::hiprtc::Hiprtc;

/// The subcommand that the child is started with; a library and a folder follow.
pub const COMMAND: &str = "hiprtc";

/// How often the child is looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// How much of what a child said last is read.
const SAID: usize = 4096;

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Names the program that compiles; without one, compilation happens in this
/// process. The first call counts.
pub fn compile_with(program: PathBuf) {
    let _ = PROGRAM.set(program);
}

/// Compiles, in a child where there is a program to start.
pub(super) fn build(
    hiprtc: &Hiprtc,
    source: &str,
    options: &[String],
) -> Result<Built, CompilerError> {
    let Some(program) = PROGRAM.get() else {
        return hiprtc.compile_here(source, options);
    };
    let cannot = CompilerError::Process;
    let folder = tempfile::tempdir().map_err(cannot)?;
    let at = |name: &str| folder.path().join(name);
    fs::write(at("source"), source).map_err(cannot)?;
    let list = serde_json::to_vec(options).map_err(|e| cannot(e.into()))?;
    fs::write(at("options"), list).map_err(cannot)?;
    let mut child = Command::new(program)
        .arg(COMMAND)
        .arg(hiprtc.place())
        .arg(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(at("said")).map_err(cannot)?)
        .spawn()
        .map_err(cannot)?;
    let status = wait(&mut child, hiprtc.patience()).map_err(cannot)?;
    let log = fs::read_to_string(at("log")).unwrap_or_default();
    match status {
        Some(status) if status.success() => {
            let image = fs::read(at("code")).map_err(cannot)?;
            Ok(Built { image, log })
        }
        Some(status) if status.code() == Some(1) && !log.is_empty() => {
            Err(CompilerError::Refused(log))
        }
        Some(status) => Err(CompilerError::Died(died(status, &at("said")))),
        None => Err(CompilerError::Slow(hiprtc.patience().as_secs())),
    }
}

/// Waits for a child; one that takes too long is ended, and `None`.
fn wait(child: &mut Child, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
    let since = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if since.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}

/// How a compiler ended that gave no answer, with its last words.
fn died(status: ExitStatus, said: &Path) -> String {
    use std::os::unix::process::ExitStatusExt;
    let how = match (status.signal(), status.code()) {
        (Some(signal), _) => format!("the compiler ended with signal {signal}"),
        (None, Some(code)) => format!("the compiler ended with code {code}"),
        (None, None) => "the compiler ended".to_owned(),
    };
    let mut words = Vec::new();
    if let Ok(file) = File::open(said) {
        // What cannot be read is not told.
        let _ = file.take(SAID as u64).read_to_end(&mut words);
    }
    let words = String::from_utf8_lossy(&words);
    let plain = |line: &str| -> String { line.chars().filter(|c| !c.is_control()).collect() };
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let telling = lines
        .clone()
        .find(|line| line.contains("error") || line.contains("ERROR"));
    match telling.or_else(|| lines.next()) {
        Some(line) => format!("{how}: {}", plain(line)),
        None => how,
    }
}

/// The child's part: compiles what lies in `folder` by the compiler `library`.
///
/// # Errors
/// What the compiler refused, which is also in the folder; a folder or a library
/// that cannot be used.
pub fn child(library: &Path, folder: &Path) -> Result<(), CompilerError> {
    // A parent that is gone wants no answer.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let cannot = |e: std::io::Error| CompilerError::Folder(folder.to_owned(), e);
    let source = fs::read_to_string(folder.join("source")).map_err(cannot)?;
    let options = fs::read(folder.join("options")).map_err(cannot)?;
    let options: Vec<String> = serde_json::from_slice(&options).map_err(|e| cannot(e.into()))?;
    let hiprtc = Hiprtc::at(library).map_err(CompilerError::Missing)?;
    match hiprtc.compile_here(&source, &options) {
        Ok(built) => {
            fs::write(folder.join("log"), built.log).map_err(cannot)?;
            fs::write(folder.join("code"), built.image).map_err(cannot)
        }
        Err(why) => {
            fs::write(folder.join("log"), why.to_string()).map_err(cannot)?;
            Err(why)
        }
    }
}
