//! Without a subcommand: the workshop in the terminal.

use std::io::IsTerminal;
use std::sync::Arc;

use super::Outcome;
use super::args::{OutputArgs, surroundings};
use super::failure::Failure;
use crate::app::look::Theme;
use crate::app::machine::Ceilings;
use crate::app::{Machine, Page, State, Tone};
use crate::backend::Runner;
use crate::cost::GpuDatabase;
use crate::course::{self, Places, Progress, Store};
use crate::tui::{self, Outside};

/// Opens the workshop.
pub(super) fn open(output: &OutputArgs) -> Outcome {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "there is no terminal to read keys from; --help lists the subcommands that need none",
        ));
    }
    let look = surroundings(output).look();
    let mut state = State::new((80, 24), look)?;
    state.machine = machine();
    let places = Places::find(
        &course::Surroundings::here(),
        output.state.as_deref(),
        output.course.as_deref(),
    );
    let store = Store::new(&places);
    let first = !store.exists();
    let (progress, note) = store.load();
    settings(&mut state, &progress, output);
    state.home.course = "course built in".to_owned();
    state.place = places.shown(&places.state);
    if first {
        state.page = Page::FirstRun;
    }
    for text in note {
        state.notes.say(Tone::Warn, text);
    }
    let mut runner = Runner::default();
    let outside = Outside {
        runner: Box::new(move |request, watch| runner.run(request, watch).map(|ran| ran.report)),
        probe: Arc::new(machine),
        places,
        init: Box::new(|| Err("a workshop folder cannot be made yet".to_owned())),
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

/// What can be said of the machine at once.
fn machine() -> Machine {
    let ceilings = GpuDatabase::embedded()
        .ok()
        .and_then(|all| all.get("h200").ok().map(Ceilings::of_gpu));
    Machine {
        backends: super::doctor::backends(),
        chosen: 0,
        ceilings,
        facts: Vec::new(),
    }
}
