//! The facts that `doctor` prints, found without installing or changing anything.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;

use super::super::args::{OutputArgs, surroundings};
use super::super::desk::Desk;
use app::look::Depth;
use app::machine::Condition;
use backend::cpu::{Isa, available_bytes};
use backend::device;
use course::{Fault, Level, Places, plain};
use host::machine;

/// `doctor --json`, schema 1.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    pub(super) schema: u32,
    pub(super) program: String,
    pub(super) backends: Vec<Backend>,
    pub(super) cpu: Cpu,
    pub(super) memory: Memory,
    pub(super) terminal: Terminal,
    pub(super) files: Files,
    pub(super) course: Texts,
}

#[derive(Debug, Serialize)]
pub(super) struct Backend {
    pub(super) name: String,
    pub(super) state: &'static str,
    pub(super) device: String,
    pub(super) gives: String,
    /// What was found where, and what to install.
    pub(super) notes: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Cpu {
    pub(super) name: String,
    pub(super) threads: usize,
    /// Widest first.
    pub(super) simd: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
pub(super) struct Memory {
    pub(super) available_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Terminal {
    /// Columns and rows.
    pub(super) size: Option<[u16; 2]>,
    pub(super) term: String,
    pub(super) colorterm: String,
    pub(super) locale: String,
    pub(super) colour: &'static str,
    pub(super) characters: &'static str,
    pub(super) ssh: bool,
    pub(super) tmux: bool,
    pub(super) tmux_escape_time_ms: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Files {
    pub(super) state: String,
    /// Why the state folder cannot be written; null where it can.
    pub(super) state_refused: Option<String>,
    pub(super) answers: String,
    pub(super) overlays: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Texts {
    pub(super) lessons: usize,
    pub(super) exercises: usize,
    /// Errors in the texts of the overlay; in all where there is none.
    pub(super) faults: usize,
}

impl Document {
    pub(super) fn find(output: &OutputArgs, desk: &Desk) -> Self {
        Self {
            schema: 1,
            program: format!(
                "tinyllama-tutor {}, {} {}",
                env!("CARGO_PKG_VERSION"),
                std::env::consts::OS,
                std::env::consts::ARCH
            ),
            backends: machine::backends()
                .into_iter()
                .map(|b| Backend {
                    name: b.name,
                    state: match b.condition {
                        Condition::Ready => "ready",
                        Condition::None | Condition::Searching => "none",
                    },
                    device: b.line,
                    gives: b.gives,
                    notes: b.notes,
                })
                .collect(),
            cpu: Cpu {
                name: device::cpu_name(),
                threads: device::threads(),
                simd: Isa::available().into_iter().map(Isa::name).collect(),
            },
            memory: Memory {
                available_bytes: available_bytes(),
            },
            terminal: Terminal::find(output),
            files: Files::find(&desk.places),
            course: texts(desk),
        }
    }
}

impl Terminal {
    pub(super) fn find(output: &OutputArgs) -> Self {
        let around = surroundings(output);
        let look = around.look();
        let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        let tmux = set("TMUX");
        Self {
            size: super::size(),
            colour: match look.depth {
                Depth::None => "none",
                Depth::Sixteen => "16 colours",
                Depth::Indexed => "256 colours",
                Depth::True => "24 bits",
            },
            characters: if look.ascii { "ASCII" } else { "UTF-8" },
            ssh: set("SSH_CONNECTION") || set("SSH_TTY"),
            tmux,
            tmux_escape_time_ms: tmux.then(escape_time).flatten(),
            term: printable(&around.term),
            colorterm: printable(&around.colorterm),
            locale: printable(&around.locale),
        }
    }
}

/// What tmux waits for after Esc, in milliseconds.
fn escape_time() -> Option<u64> {
    let answer = Command::new("tmux")
        .args(["show-options", "-s", "-v", "escape-time"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    String::from_utf8(answer.stdout).ok()?.trim().parse().ok()
}

impl Files {
    pub(super) fn find(places: &Places) -> Self {
        Self {
            state: places.shown(&places.state),
            state_refused: refused(&places.state),
            answers: places.shown(&places.answers()),
            overlays: places.overlays.iter().map(|o| places.shown(o)).collect(),
        }
    }
}

fn texts(desk: &Desk) -> Texts {
    let errors = |list: &[Fault]| list.iter().filter(|f| f.level == Level::Error).count();
    let course = &desk.course;
    let in_texts: usize = course
        .own_lessons()
        .map(|l| errors(&l.faults))
        .chain(course.own_exercises().map(|e| errors(&e.faults)))
        .sum();
    Texts {
        lessons: course.lessons().len(),
        exercises: course.exercises().len(),
        faults: errors(course.faults()) + in_texts,
    }
}

/// Why nothing can be written into a folder that exists or could be made. A
/// nameless file is tried, which leaves no trace.
fn refused(folder: &Path) -> Option<String> {
    let nearest = folder.ancestors().find(|f| f.exists())?;
    if !nearest.is_dir() {
        return Some("a file stands where a folder is needed".to_owned());
    }
    tempfile::tempfile_in(nearest).err().map(|e| plain(&e))
}

/// Without what a terminal would obey.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !course::obeyed(*c)).collect()
}
