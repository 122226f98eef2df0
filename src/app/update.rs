//! One event in, the next state and the wanted effects out.

use super::field::Field;
use super::key::{Key, ctrl};
use super::keymap::{Action, resolve};
use super::look::Theme;
use super::machine::Ceilings;
use super::message::{Effect, Event, Message};
use super::note::Tone;
use super::page::Page;
use super::palette::{self, Palette};
use super::runs::{CARD_AFTER, Outcome};
use super::state::State;
use super::{claims, compare, exercise, find, kernel, lab, lesson, live, roofline, setup_page};

/// How long a first Ctrl-C, or a `q` during a run, waits for the second.
const SECOND_PRESS: u64 = 2000;

/// The exit code of a program that the learner interrupted.
const INTERRUPTED: u8 = 130;

/// Takes one event. The state is changed, and what the outside is to do is
/// returned, in order.
pub fn update(state: &mut State, event: Event) -> Vec<Effect> {
    let mut effects = Vec::new();
    state.now = state.now.max(event.at);
    match event.message {
        Message::Key(key) => {
            press(state, key, &mut effects);
            lesson::time::key(state, &mut effects);
        }
        Message::Paste(text) => paste(state, &text),
        Message::Resize { columns, rows } => state.size = (columns, rows),
        Message::Tick => {}
        Message::Resumed => effects.push(Effect::Redraw),
        Message::Terminate(code) => {
            live::leave(state, &mut effects);
            effects.push(Effect::Quit(code));
        }
        Message::Found(machine) => state.machine.found(*machine),
        Message::Ceilings(backend, measured) => roof(state, &backend, measured),
        Message::RunProgress(ticket, progress) => state.runs.progress(ticket, progress),
        Message::RunDone(ticket, result) => {
            let now = state.now;
            let (outcome, next) = state.runs.done(ticket, *result, now);
            match outcome {
                Outcome::Done(text) => state.notes.say(Tone::Good, text),
                Outcome::Doubtful(text) => state.notes.say(Tone::Warn, text),
                Outcome::Nothing(text) if state.runs.card.is_some() => {
                    state.notes.keep(Tone::Bad, text);
                }
                Outcome::Nothing(text) => state.notes.say(Tone::Warn, text),
                Outcome::Stale => {}
            }
            if let Some((ticket, request)) = next {
                effects.push(Effect::StartRun(ticket, Box::new(request)));
            }
        }
        Message::Loaded(study) => {
            state.study = *study;
            state.home.course = state.study.course.named();
            state.study.vary();
            state.list_lessons();
            // The cursor starts where the learner stopped.
            state.home.cursor = state.home.stopped.as_ref().map_or(0, |s| s.lesson);
            on_arrival(state, None, &mut effects);
            if std::mem::take(&mut state.begin) && state.page == Page::Home {
                home(state, Action::Open, &mut effects);
            }
        }
        Message::Reloaded(course, said) => {
            let place = lesson::place(state);
            state.study.course = course;
            state.home.course = state.study.course.named();
            state.list_lessons();
            lesson::reloaded(state, place);
            exercise::reloaded(state);
            state.notes.say(Tone::Plain, said);
        }
        Message::Sheet(id, answers, again) => {
            exercise::sheet_arrived(state, &id, answers, again, &mut effects);
        }
        Message::Judged(asked, told) => {
            exercise::kernel_judged(state, &asked, *told, &mut effects);
        }
        Message::KernelSaved(id) => exercise::kernel_saved(state, &id, &mut effects),
        Message::Twins(values) => state.runs.twins = values,
        Message::Kernels(wanted, book) => state.kernel.arrived(*wanted, book),
        Message::Asked(ask, answer) => live::ask::arrived(state, *ask, answer.map(|shown| *shown)),
        Message::Saved(Ok(text)) => state.notes.say(Tone::Plain, text),
        Message::Saved(Err(text)) => state.notes.say(Tone::Bad, text),
    }
    settle(state);
    kernel::settle(state, &mut effects);
    live::ask::settle(state, &mut effects);
    effects
}

/// Brings what is derived up to date: prices, hints, the next moment to wake.
fn settle(state: &mut State) {
    if let Some((_, until)) = state.leaving
        && state.now >= until
    {
        state.leaving = None;
        state.notes.clear();
    }
    state.runs.use_backend(state.machine.kind());
    if state.page == Page::Compare {
        state.compare.refresh(&state.bench);
    }
    if state.page == Page::Roofline {
        roofline::settle(state);
    }
    if state.page == Page::Lab {
        state.lab.hint = lab::line(state);
    }
    // A run that lasts gets a card; until then the header says enough.
    let card = state.runs.running().map(|r| r.since + CARD_AFTER);
    let leaving = state.leaving.map(|(_, until)| until);
    state.wake = [card, leaving]
        .into_iter()
        .flatten()
        .filter(|at| *at > state.now)
        .min();
}

/// Floors are priced under the device's own ceilings from now on.
fn roof(state: &mut State, backend: &str, measured: Result<Ceilings, String>) {
    match measured {
        Ok(ceilings) => {
            let text = format!(
                "Measured @: {}. Floors are priced under this roof now.",
                ceilings.spoken()
            );
            state.machine.measured(backend, ceilings);
            state.notes.say(Tone::Good, text);
        }
        Err(why) => state.notes.say(Tone::Warn, why),
    }
}

fn paste(state: &mut State, text: &str) {
    if let Some(p) = &mut state.palette {
        p.field.paste(text);
    } else if let Some(f) = state.find.as_mut().filter(|f| f.typing) {
        f.field.paste(text);
    } else if state.page == Page::Setup
        && let Some(field) = &mut state.setup.field
    {
        field.paste(text);
    } else if let Some((_, field)) = &mut state.exercises.field {
        field.paste(text);
    } else if state.page == Page::Lesson {
        live::predict::paste(state, text);
    }
}

fn press(state: &mut State, key: Key, effects: &mut Vec<Effect>) {
    // A message is read when the next key is pressed.
    if state.leaving.is_none() {
        state.notes.clear();
    }
    if state.typing() && !state.too_small() {
        match key {
            k if k == ctrl('c') => act(state, Action::Interrupt, effects),
            k if k == ctrl('z') => act(state, Action::Suspend, effects),
            k if k == ctrl('l') => act(state, Action::Redraw, effects),
            _ if state.palette.is_some() => palette::press(state, key, effects),
            _ if state.find.as_ref().is_some_and(|f| f.typing) => find::press(state, key),
            _ if state.exercises.field.is_some() => exercise::press(state, key, effects),
            _ if state.page == Page::Lesson => live::predict::press(state, key, effects),
            _ => setup_page::press(state, key),
        }
        return;
    }
    if !state.too_small() && live::begins(state, key) {
        act(state, Action::Open, effects);
        if let Some((_, field)) = &mut state.exercises.field {
            // A new answer takes the place of the one that was not right.
            *field = Field::replacing(&field.text());
        }
        if state.typing() {
            press(state, key, effects);
        }
        return;
    }
    let Some(action) = resolve(state.page, key) else {
        return;
    };
    let anywhere = matches!(
        action,
        Action::Quit | Action::Interrupt | Action::Suspend | Action::Redraw
    );
    if state.too_small() && !anywhere {
        return;
    }
    act(state, action, effects);
}

/// Carries an action out: those that mean the same everywhere here, the
/// others on the page.
pub(super) fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::Go(Page::Exercises)
            if state.page == Page::Lesson && lesson::open_form(state, effects) => {}
        Action::Go(page) => {
            let from = state.page;
            state.go(page);
            on_arrival(state, Some(from), effects);
        }
        Action::Back if state.runs.card.is_some() && state.page.shows_cards() => {
            if let Some(card) = state.runs.card.take() {
                let first = card.lines.into_iter().next().unwrap_or_default();
                state
                    .notes
                    .say(Tone::Bad, format!("{}: {first}", card.word));
            }
        }
        Action::Back if state.page == Page::Lesson && lesson::leave(state) => {}
        Action::Back if state.page == Page::Exercises && exercise::leave(state) => {}
        Action::Back if state.page == Page::Claims && claims::leave(state) => {}
        Action::Back => {
            let from = state.page;
            state.back();
            if (from, state.page) == (Page::Lesson, Page::Home) {
                // The list shows where one comes from.
                state.home.cursor = state.reader.lesson;
            }
        }
        Action::Help if state.page == Page::Help => state.back(),
        Action::Help => state.go(Page::Help),
        Action::Setup => state.go(Page::Setup),
        Action::Palette => state.palette = Some(Palette::default()),
        Action::Find => find::open(state),
        Action::FindNext => find::next(state, true),
        Action::FindPrevious => find::next(state, false),
        Action::Quit => quit(state, effects),
        Action::Interrupt => interrupt(state, effects),
        Action::Suspend => effects.push(Effect::Suspend),
        Action::Redraw => effects.push(Effect::Redraw),
        Action::Theme => {
            let theme = state.look.theme.next();
            set_theme(state, theme, effects);
        }
        Action::Ascii => flip_ascii(state, effects),
        Action::CommandLine => command_line(state, effects),
        _ => on_page(state, action, effects),
    }
}

/// Takes a theme and keeps it for the next time.
pub(super) fn set_theme(state: &mut State, theme: Theme, effects: &mut Vec<Effect>) {
    state.look.theme = theme;
    choose(state, "theme", Some(theme.name()), effects);
}

/// ASCII or Unicode, kept for the next time.
pub(super) fn flip_ascii(state: &mut State, effects: &mut Vec<Effect>) {
    state.look.ascii ^= true;
    let value = if state.look.ascii { "on" } else { "off" };
    choose(state, "ascii", Some(value), effects);
}

fn choose(state: &mut State, setting: &str, value: Option<&str>, effects: &mut Vec<Effect>) {
    let event = course::Event::Chose {
        setting: setting.to_owned(),
        value: value.map(str::to_owned),
    };
    state.study.progress.apply(&event);
    effects.push(Effect::Record(event));
}

fn on_page(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    match state.page {
        Page::Home => home(state, action, effects),
        Page::Lab => lab::act(state, action, effects),
        Page::Compare => compare::act(state, action, effects),
        Page::Roofline => roofline::act(state, action, effects),
        Page::Kernel => kernel::act(state, action, effects),
        Page::Setup => setup_page::act(state, action),
        Page::FirstRun => match action {
            Action::Open => {
                // Once the workshop has been met, the page is not shown again.
                choose(state, "met", Some("yes"), effects);
                state.page = Page::Home;
                home(state, Action::Open, effects);
            }
            Action::Init => effects.push(Effect::Init),
            _ => {}
        },
        Page::Doctor if action == Action::RunAll => {
            effects.push(Effect::Probe);
            let text = "Looking at this machine again, and measuring its ceilings.";
            measure(state, text, effects);
        }
        Page::Doctor | Page::Help | Page::Messages | Page::Why => scroll(state, action),
        Page::Lesson => lesson::act(state, action, effects),
        Page::Exercises => exercise::act(state, action, effects),
        Page::Claims => claims::act(state, action, effects),
    }
}

/// Asks for the ceilings of the device that runs, and says so; not during a
/// run, which would slow the measurement down.
pub(super) fn measure(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    if state.runs.running().is_some() {
        let text = "A run is under way; R measures the ceilings when it has ended.";
        state.notes.say(Tone::Plain, text);
    } else {
        effects.push(Effect::Measure(state.machine.kind()));
        state.notes.say(Tone::Plain, text);
    }
}

/// A page was reached that reads the course.
fn on_arrival(state: &mut State, from: Option<Page>, effects: &mut Vec<Effect>) {
    match state.page {
        Page::Lesson => lesson::entered(state, effects),
        Page::Exercises => exercise::entered(state, from, effects),
        _ => {}
    }
}

fn home(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::Open if !state.study.loaded => state.begin = true,
        Action::Open => lesson::open(state, state.home.cursor, effects),
        _ => state.home.walk(action),
    }
}

fn scroll(state: &mut State, action: Action) {
    let page = usize::from(state.size.1.saturating_sub(4));
    state.scroll = match action {
        Action::Up => state.scroll.saturating_sub(1),
        Action::Down => state.scroll + 1,
        Action::PageUp => state.scroll.saturating_sub(page),
        Action::PageDown => state.scroll + page,
        Action::Top => 0,
        Action::End => usize::MAX,
        _ => state.scroll,
    }
    .min(longest(state));
}

/// Lines of a page that is only read, less those that fit.
fn longest(state: &State) -> usize {
    let lines = match state.page {
        Page::Messages => state.notes.log().len(),
        Page::Why => state.why.as_ref().map_or(0, |w| w.flatten().len()),
        Page::Doctor => {
            let backends = &state.machine.backends;
            // A note takes two lines at most places.
            let notes: usize = backends.iter().map(|b| 2 * b.notes.len()).sum();
            state.machine.facts.len() + backends.len() + notes + 12
        }
        _ => 0,
    };
    lines.saturating_sub(usize::from(state.size.1.saturating_sub(4)))
}

/// Shows the page as a command line and copies it.
fn command_line(state: &mut State, effects: &mut Vec<Effect>) {
    let options = state.bench.setup().as_options();
    let plan = state.bench.cut().as_options();
    let name = "tinyllama-tutor";
    let command = match state.page {
        Page::Compare => {
            let scope = match state.compare.pinned {
                Some(cut) => format!("'{}' v2 v3 v4", cut.groups()),
                None => "v1 v2 v3 v4".to_owned(),
            };
            format!("{name} compare {scope}{options}")
        }
        Page::Roofline => {
            let gpu = roofline::gpu_option(state);
            format!("{name} cost {plan}{options}{gpu}")
        }
        Page::Doctor => format!("{name} doctor"),
        Page::Home => format!("{name} lessons"),
        Page::Exercises => match &state.exercises.form {
            Some(form) => format!("{name} check {}", form.exercise),
            None => format!("{name} exercises"),
        },
        Page::Claims => match claims::current(state) {
            Some(claim) => format!("{name} claims {}", claim.id.text),
            None => format!("{name} claims"),
        },
        Page::Lesson => match lesson::lesson(state) {
            Some(found) => format!("{name} show {}", found.id),
            None => format!("{name} lessons"),
        },
        Page::Why | Page::Setup => format!("{name} cost {plan}{options}"),
        _ => format!("{name} run {plan}{options}"),
    };
    effects.push(Effect::Copy(command.clone()));
    let aside = match (state.page, state.compare.scope) {
        (Page::Compare, compare::Scope::Block) => " (prints per forward)",
        _ => "",
    };
    let text = format!("copied: {command}{aside}");
    state.notes.say(Tone::Plain, text);
}

/// `q`: leaves; during a run it asks once.
fn quit(state: &mut State, effects: &mut Vec<Effect>) {
    if state.runs.running().is_some() && !again(state, Action::Quit) {
        wait_for_second(state, Action::Quit, "q again stops the run and leaves.");
        return;
    }
    leave(state, effects, 0);
}

/// Ctrl-C: stops the run; with none running, twice within two seconds leaves.
fn interrupt(state: &mut State, effects: &mut Vec<Effect>) {
    if state.runs.running().is_some() {
        effects.push(Effect::CancelRun);
        state.notes.say(Tone::Plain, "Stopping the run.");
    } else if again(state, Action::Interrupt) {
        leave(state, effects, INTERRUPTED);
    } else {
        wait_for_second(state, Action::Interrupt, "Ctrl-C again leaves.");
    }
}

fn again(state: &State, action: Action) -> bool {
    matches!(state.leaving, Some((a, until)) if a == action && state.now < until)
}

fn wait_for_second(state: &mut State, action: Action, text: &str) {
    state.leaving = Some((action, state.now + SECOND_PRESS));
    state.notes.say(Tone::Plain, text);
}

fn leave(state: &mut State, effects: &mut Vec<Effect>, code: u8) {
    // An answer that is being typed goes into its sheet.
    live::leave(state, effects);
    if state.runs.running().is_some() {
        effects.push(Effect::CancelRun);
    }
    lesson::time::left(state, effects);
    effects.push(Effect::Quit(code));
}

#[cfg(test)]
mod tests;
