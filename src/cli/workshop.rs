//! Without a subcommand: the workshop in the terminal.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use super::args::{OutputArgs, surroundings};
use super::contents::contents;
use super::failure::Failure;
use super::out::Out;
use super::{Outcome, backends, kernels};
use crate::tui::{self, Outside};
use app::bench::Bench;
use app::look::Theme;
use app::machine::{BackendFacts, Ceilings};
use app::study::bench_setup;
use app::{Machine, Page, State, Tone};
use backend::cpu;
use backend::engine::Engine;
use backend::submission::mutant;
use course::{self, Course, Places, Progress, Store};
use plan::cost::{Config, GpuDatabase};
use plan::run::BackendKind;
use plan::run::mutants::MUTANTS;

/// Opens the workshop; where there is no screen to draw on, prints the contents.
pub(super) fn open(output: &OutputArgs, config: &Config, out: &mut Out) -> Outcome {
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
    state.shared.bench = Bench::new(bench_setup(config, state.shared.bench.setup().seed))?;
    let places = Places::find(
        &course::Surroundings::here(),
        output.state.as_deref(),
        output.course.as_deref(),
    );
    // Before the first frame only what is known at once; the rest is looked
    // for behind it.
    state.shared.machine = machine(backends::at_once());
    let store = Store::new(&places);
    let first = !store.exists();
    let (progress, note) = store.load();
    settings(&mut state, &progress, output);
    state.shared.place = places.shown(&places.state);
    if first {
        state.page = Page::FirstRun;
    }
    if let Some(text) = note {
        state.shared.notes.say(Tone::Warn, text);
    }
    let (seen, asked) = (places.clone(), places.clone());
    let asking = output.clone();
    let (judging, beginning) = (output.clone(), output.clone());
    let mut engine = Engine::default();
    let outside = Outside {
        runner: Box::new(move |request, watch| engine.run(request, None, watch)),
        probe: Arc::new(move || Machine {
            facts: super::doctor::facts(&seen, &asking),
            ..machine(backends::found())
        }),
        measure: Arc::new(measure),
        kernels: Arc::new(kernels::book),
        answer: Arc::new(super::answers::answer),
        judge: Arc::new(move |asked, typed| super::check::judged(&judging, asked, typed)),
        begin: Arc::new(move |asked| super::check::begun(&beginning, asked)),
        mutants: Arc::new(mutants),
        places,
        mouse: output.mouse,
        init: Box::new(move || {
            let here = std::env::current_dir().map_err(|e| e.to_string())?;
            let laid = asked.overlays.last().map(PathBuf::as_path);
            course::init(&here, &Course::open(&asked), laid, None)?;
            Ok("Made ./answers, a sheet per exercise. It is used from the next start here.".into())
        }),
    };
    tui::open(state, outside)
        .map_err(|e| Failure::usage(format!("the terminal cannot be used: {e}")))
}

/// What the defective kernels of exercises yield; those that cannot be run here
/// are left out.
fn mutants() -> BTreeMap<String, f64> {
    let run = |(name, _): &(&str, &str)| Some(((*name).to_owned(), mutant(name).ok()?));
    MUTANTS.iter().filter_map(run).collect()
}

/// Theme and ASCII as they were chosen the last time; what the command line
/// says goes before.
fn settings(state: &mut State, progress: &Progress, output: &OutputArgs) {
    let chosen = |name: &str| progress.settings.get(name).map(String::as_str);
    if let Some(theme) = Theme::ALL
        .into_iter()
        .find(|t| Some(t.name()) == chosen("theme"))
    {
        state.shared.look.theme = theme;
    }
    match chosen("ascii") {
        Some("on") => state.shared.look.ascii = true,
        Some("off") if !output.ascii => state.shared.look.ascii = false,
        _ => {}
    }
}

/// What is on this machine: its backends, the best one chosen.
fn machine(backends: Vec<BackendFacts>) -> Machine {
    // The data sheet of one GPU, so that floors have a roof until this
    // machine's own ceilings are known.
    let sheet = GpuDatabase::embedded()
        .ok()
        .and_then(|all| all.get("h200").ok().map(Ceilings::of_gpu));
    let mut machine = Machine {
        backends,
        sheet,
        ..Machine::default()
    };
    let candidates = BackendKind::Auto.candidates().iter();
    let names: Vec<&str> = candidates.map(|kind| kind.name()).collect();
    machine.prefer(&names);
    machine
}

/// The ceilings of a backend's device.
fn measure(backend: BackendKind) -> Result<Ceilings, String> {
    if backend.is_gpu() {
        return Err(format!(
            "Floors on {} use its data sheet; this build measures the ceilings of a CPU only.",
            backend.name()
        ));
    }
    cpu::Ceilings::measure(&cpu::Threads::new(None))
        .map(|c| Ceilings::measured("this CPU", c.bytes_per_second, c.flops_per_second))
        .map_err(|e| e.to_string())
}
