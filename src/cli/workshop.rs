//! Without a subcommand: the workshop in the terminal.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use super::Outcome;
use super::args::{OutputArgs, locale, surroundings};
use super::contents::contents;
use super::failure::Failure;
use super::out::Out;
use crate::app::look::Theme;
use crate::app::machine::{BackendFacts, Ceilings, Condition};
use crate::app::{Machine, Page, State, Tone};
use crate::backend::cpu::Isa;
use crate::backend::{Runner, device};
use crate::cost::GpuDatabase;
use crate::course::{self, Course, Places, Progress, Store};
use crate::tui::{self, Outside};

/// Opens the workshop; where there is no screen to draw on, prints the contents.
pub(super) fn open(output: &OutputArgs, out: &mut Out) -> Outcome {
    let around = surroundings(output);
    if output.plain {
        return contents(output, out);
    }
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "there is no terminal to read keys from; --help lists the subcommands that need none",
        ));
    }
    // A terminal that cannot place a cursor gets lines in reading order.
    if around.wants_plain() {
        return contents(output, out);
    }
    let look = around.look();
    let mut state = State::new((80, 24), look)?;
    let places = Places::find(
        &course::Surroundings::here(),
        output.state.as_deref(),
        output.course.as_deref(),
    );
    // Before the first frame only what is known at once; the rest is looked
    // for behind it.
    state.machine = machine(&places, |threads| format!("{threads} threads"));
    let store = Store::new(&places);
    let first = !store.exists();
    let (progress, note) = store.load();
    settings(&mut state, &progress, output);
    state.home.course = "course built in".to_owned();
    state.place = places.shown(&places.state);
    if first {
        state.page = Page::FirstRun;
    }
    if let Some(text) = note {
        state.notes.say(Tone::Warn, text);
    }
    let (seen, asked) = (places.clone(), places.clone());
    let mut runner = Runner::default();
    let outside = Outside {
        runner: Box::new(move |request, watch| runner.run(request, watch).map(|ran| ran.report)),
        probe: Arc::new(move || machine(&seen, |threads| device::describe(threads, Isa::detect()))),
        places,
        init: Box::new(move || {
            let here = std::env::current_dir().map_err(|e| e.to_string())?;
            course::init(&here, &Course::open(&asked))?;
            Ok("Made ./answers, a sheet per exercise. It is used from the next start here.".into())
        }),
    };
    tui::open(state, outside)
        .map_err(|e| Failure::usage(format!("the terminal cannot be used: {e}")))
}

/// Theme and ASCII as they were chosen the last time; what the command line
/// says goes before.
fn settings(state: &mut State, progress: &Progress, output: &OutputArgs) {
    let chosen = |name: &str| progress.settings.get(name).map(String::as_str);
    if let Some(theme) = Theme::ALL
        .into_iter()
        .find(|t| Some(t.name()) == chosen("theme"))
    {
        state.look.theme = theme;
    }
    match chosen("ascii") {
        Some("on") => state.look.ascii = true,
        Some("off") if !output.ascii => state.look.ascii = false,
        _ => {}
    }
}

/// What is on this machine, and what it is reached through.
fn machine(places: &Places, describe: impl Fn(usize) -> String) -> Machine {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // The data sheet of one GPU, so that floors have a roof until this
    // machine's own ceilings are measured.
    let ceilings = GpuDatabase::embedded()
        .ok()
        .and_then(|all| all.get("h200").ok().map(Ceilings::of_gpu));
    Machine {
        backends: vec![BackendFacts {
            name: "cpu".to_owned(),
            device: String::new(),
            line: describe(threads),
            condition: Condition::Ready,
            gives: "times of the CPU".to_owned(),
            lacks: Vec::new(),
        }],
        chosen: 0,
        ceilings,
        facts: facts(places),
    }
}

/// Folders and the terminal's surroundings, for the doctor.
fn facts(places: &Places) -> Vec<(String, String)> {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let shown = |value: String| {
        if value.is_empty() {
            "not set".to_owned()
        } else {
            value
        }
    };
    let answers = places.answers();
    let mut facts = vec![
        ("progress".to_owned(), folder(places, &places.state)),
        ("answers".to_owned(), folder(places, &answers)),
    ];
    for overlay in &places.overlays {
        facts.push(("course".to_owned(), folder(places, overlay)));
    }
    facts.push((
        "TERM".to_owned(),
        format!(
            "{}, COLORTERM {}",
            shown(var("TERM")),
            shown(var("COLORTERM"))
        ),
    ));
    facts.push(("locale".to_owned(), shown(locale())));
    if !var("TMUX").is_empty() {
        let hint = "in tmux; where Esc is slow: set -sg escape-time 10";
        facts.push(("tmux".to_owned(), hint.to_owned()));
    }
    if !var("SSH_CONNECTION").is_empty() {
        facts.push((
            "ssh".to_owned(),
            "this terminal is reached through ssh".to_owned(),
        ));
    }
    facts
}

/// A folder and whether files can be written there.
fn folder(places: &Places, path: &Path) -> String {
    let state = match nearest_that_exists(path) {
        Some(at) if writable(at) && at == path => "can be written",
        Some(at) if writable(at) => "is made when it is needed",
        _ => "cannot be written; --state DIR chooses another",
    };
    format!("{}: {state}", places.shown(path))
}

fn nearest_that_exists(path: &Path) -> Option<&Path> {
    path.ancestors().find(|p| p.exists())
}

/// Asks the system, and writes nothing to find out.
fn writable(path: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let Ok(name) = std::ffi::CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: `name` is a C string that outlives the call, and access(2) only
    // reads it.
    unsafe { libc::access(name.as_ptr(), libc::W_OK) == 0 }
}
