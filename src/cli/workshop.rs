//! Without a subcommand: the workshop in the terminal.

use std::io::IsTerminal;
use std::sync::Arc;

use super::Outcome;
use super::args::{OutputArgs, places, surroundings};
use super::contents::contents;
use super::failure::Failure;
use super::out::Out;
use crate::tui;
use app::Setup;
use app::bench::Bench;
use app::key::Key;
use app::keymap::Action;
use app::look::{ROLES, Theme};
use app::{Page, State, Tone};
use course::{Fault, Known, Places, Preferences, Progress, Store};
use host::machine;
use plan::cost::Config;

/// Opens the workshop; where there is no screen to draw on, prints the contents. With
/// `given`, the command line asked for the setup: it goes before the one that was kept.
pub(super) fn open(output: &OutputArgs, config: &Config, given: bool, out: &mut Out) -> Outcome {
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
    state.shared.bench = Bench::new(Setup::of(config, state.shared.bench.setup().seed))?;
    state.shared.keeping.asked_for = given;
    state.shared.studies.offered = Arc::new(super::study::offered());
    let places = places(output);
    // Before the first frame only what is known at once; the rest is looked
    // for behind it.
    state.shared.machine = machine::at_once();
    let store = Store::new(&places);
    let first = !store.exists();
    let (progress, note) = store.load();
    settings(&mut state, &progress, output);
    preferences(&mut state, &places, output);
    state.shared.place = places.kept();
    state.shared.workshop = places.workshop.is_some();
    if first {
        state.page = Page::FirstRun;
    }
    if let Some(text) = note {
        state.shared.notes.say(Tone::Warn, text);
    }
    let (seen, asking) = (places.clone(), output.clone());
    let facts = Arc::new(move || super::doctor::facts(&seen, &asking));
    tui::open(state, (places, facts), output.mouse)
        .map_err(|e| Failure::usage(format!("the terminal cannot be used: {e}")))
}

/// What the learner's file says of theme, colours and keys goes before what was chosen
/// by key the last time; what is wrong with it is said, and the rest applies.
fn preferences(state: &mut State, places: &Places, output: &OutputArgs) {
    let themes = Theme::ALL.map(Theme::name);
    let actions: Vec<&str> = Action::NAMES.iter().map(|(name, _)| *name).collect();
    let known = Known {
        themes: &themes,
        roles: &ROLES,
        actions: &actions,
    };
    let (found, mut faults) = Preferences::read(places, known);
    let look = &mut state.shared.look;
    let theme = Theme::ALL
        .into_iter()
        .find(|t| found.theme.as_deref() == Some(t.name()));
    look.theme = theme.unwrap_or(look.theme);
    look.ascii = output.ascii || found.ascii.unwrap_or(look.ascii);
    look.motion &= found.motion.unwrap_or(true);
    for (role, colour) in &found.colours {
        if let Err(say) = look.colours.set(role, &colour.text) {
            faults.push(Fault::at(&found.file, colour.at, say));
        }
    }
    for (name, typed) in &found.keys {
        let action = Action::NAMES.iter().find(|(known, _)| known == name);
        let chosen = match (action, Key::read(&typed.text)) {
            (Some((_, action)), Some(key)) => state.shared.keys.choose(*action, key),
            _ => Err(format!(
                "“{}” is no key; write one character, space, or ctrl- and a letter.",
                typed.text
            )),
        };
        if let Err(say) = chosen {
            faults.push(Fault::at(&found.file, typed.at, say));
        }
    }
    faults.sort();
    let more = faults.len().saturating_sub(1);
    for fault in faults.iter().rev() {
        let also = if more > 0 {
            format!(" {more} more in : messages.")
        } else {
            String::new()
        };
        state
            .shared
            .notes
            .say(Tone::Warn, format!("{fault} The rest applies.{also}"));
    }
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
