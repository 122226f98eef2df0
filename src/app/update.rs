//! One event in, the next state and the wanted effects out.

use super::contents::Contents;
use super::exercise::OpenedBy;
use super::intent::{Intent, Out};
use super::keymap::Action;
use super::look::Theme;
use super::machine::Ceilings;
use super::message::{Effect, Event, Message};
use super::note::Tone;
use super::page::Page;
use super::palette::Palette;
use super::question::Asked;
use super::runs::{CARD_AFTER, Outcome};
use super::screen::Screen;
use super::shared::Shared;
use super::state::State;
use super::study::Study;
use super::{answering, claims, exercise, find, lesson, live, restore};
use chosen::command_chosen;
use course::Next;
use hands::{click, paste, press, wheel};
use leave::{interrupt, quit};

mod chosen;
mod hands;
mod leave;

/// Takes one event. The state is changed, and what the outside is to do is
/// returned, in order.
pub fn update(state: &mut State, event: Event) -> Vec<Effect> {
    let mut out = Out::default();
    if state.shared.keeping.opened.is_none() {
        state.shared.keeping.opened = Some(to_keep(state));
    }
    state.shared.now = state.shared.now.max(event.at);
    take(state, event.message, &mut out);
    hands::waited(state, &mut out);
    carry_out(state, &mut out);
    in_hand(state, &mut out);
    settle(state);
    let (screen, shared) = state.parts();
    screen.settle(shared, &mut out);
    kept(state, &mut out);
    state.revision += u64::from(!out.moved_only);
    out.effects
}

fn take(state: &mut State, message: Message, out: &mut Out) {
    let shared = &mut state.shared;
    match message {
        Message::Key(key) => {
            press(state, key, out);
            worked(state, out);
        }
        Message::Click(target) => click(state, target, out),
        Message::Wheel(up) => wheel(state, up, out),
        Message::Paste(text) => paste(state, &text, out),
        // The size is looked at apart.
        Message::Resize { columns, rows } => {
            shared.size = (columns, rows);
            // What is asked stays in view.
            (shared.questions.reveal, shared.questions.turned) = (true, false);
            out.moved_only = true;
        }
        Message::Tick => out.moved_only = true,
        Message::Resumed => out.push(Effect::Redraw),
        Message::Terminate(code) => {
            let (screen, shared) = state.parts();
            screen.put_away(shared, out);
            if shared.studies.making().is_some() {
                out.push(Effect::StopStudy);
            }
            out.push(Effect::Quit(code));
        }
        Message::Found(machine) => {
            shared.machine.found(*machine);
            restore::found(shared);
        }
        Message::StudyHeard(ticket, line) => shared.studies.heard(ticket, line),
        Message::StudyMade(ticket, made) => {
            if let Some((made, note)) = shared.studies.made(ticket, made) {
                let shown = state.studies.made(ticket, &made) && state.page == Page::Studies;
                let notes = &mut shared.notes;
                match shown {
                    // The page says it at length, and its keys stay in view.
                    true => {
                        notes.keep(note.tone, note.text);
                        notes.clear();
                    }
                    false => notes.say(note.tone, note.text),
                }
            }
        }
        Message::Studies(kept) => shared.studies.kept = Some(kept),
        Message::Restored(kept) => {
            state.reader.left = kept.lab.as_ref().and_then(|lab| lab.rest.clone());
            state.reader.restore(&shared.study);
            let (roofline, practise) = (&mut state.roofline, &mut state.practise);
            restore::restored(shared, roofline, practise, *kept);
        }
        Message::Ceilings(backend, measured) => {
            if measured.is_ok() {
                state.roofline.under_own();
            }
            roof(shared, &backend, measured);
        }
        Message::RunProgress(ticket, progress) => shared.runs.progress(ticket, progress),
        Message::RunDone(ticket, result) => {
            let (outcome, next) = shared.runs.done(ticket, *result, shared.now);
            if matches!(outcome, Outcome::Done(_) | Outcome::Doubtful(_)) {
                out.push(Effect::KeepRuns(shared.runs.newest()));
                answering::runs_came(shared);
            }
            match outcome {
                Outcome::Done(text) => shared.notes.say(Tone::Good, text),
                Outcome::Doubtful(text) => shared.notes.say(Tone::Warn, text),
                Outcome::Nothing(text) if shared.runs.card.is_some() => {
                    shared.notes.keep(Tone::Bad, text);
                }
                Outcome::Nothing(text) => shared.notes.say(Tone::Warn, text),
                Outcome::Again(text) => shared.notes.say(Tone::Plain, text),
                Outcome::GoesOn | Outcome::Stale => {}
            }
            if let Some((ticket, request)) = next {
                out.push(Effect::StartRun(ticket, Box::new(request)));
            }
        }
        Message::Loaded(study) => loaded(state, *study, out),
        Message::Reloaded(course, said) => {
            let place = lesson::place(&state.reader, shared);
            shared.study.course = course;
            shared.contents.course = shared.study.course.named();
            shared.contents.refresh(&shared.study);
            shared.on_paper();
            lesson::reloaded(&mut state.reader, shared, place);
            exercise::reloaded(&mut state.exercises, shared);
            shared.notes.say(Tone::Plain, said);
        }
        Message::Sheet(id, read) => answering::sheet::arrived(shared, &id, *read, out),
        Message::Elsewhere(progress) => answering::sheet::elsewhere(shared, &progress),
        Message::Judged(asked, told) => answering::kernel::judged(shared, &asked, *told, out),
        // Also where another page is open meanwhile: the verdict there is of the file.
        Message::KernelSaved(id) => answering::kernel::saved(shared, &id, out),
        Message::Mutants(values) => shared.runs.mutants = values,
        Message::Kernels(wanted, book) => state.kernel.arrived(*wanted, book),
        Message::Asked(ask, answer) => {
            live::ask::arrived(shared, *ask, answer.map(|shown| *shown));
            answering::runs_came(shared);
        }
        Message::Kept(text) if shared.notes.shown().is_some() => {
            shared.notes.keep(Tone::Plain, text);
        }
        Message::Settled(place) => (shared.place, shared.workshop) = (place, true),
        Message::Kept(text) | Message::Saved(Ok(text)) => shared.notes.say(Tone::Plain, text),
        Message::Saved(Err(text)) => shared.notes.say(Tone::Bad, text),
    }
}

/// How many milliseconds after a key what is being typed is kept, whether others follow or not.
const IN_HAND: u64 = 200;

/// What is being typed is kept a few times a second.
fn in_hand(state: &mut State, out: &mut Out) {
    let due = state.shared.questions.touched.map(|at| at + IN_HAND);
    if due.is_some_and(|due| due <= state.shared.now) {
        state.shared.questions.touched = None;
        let (screen, shared) = state.parts();
        screen.in_hand(shared, out);
    }
}

fn to_keep(state: &State) -> super::keep::Lab {
    restore::lab(
        &state.shared,
        &state.reader,
        &state.roofline,
        &state.practise,
    )
}

/// What changed of the lab is written.
fn kept(state: &mut State, out: &mut Out) {
    let now = to_keep(state);
    if let Some(lab) = state.shared.keeping.changed(now) {
        out.push(Effect::KeepLab(Box::new(lab)));
    }
}

/// Brings what all pages show up to date: hints, the next moment to wake.
fn settle(state: &mut State) {
    let shared = &mut state.shared;
    if let Some((_, until)) = state.leaving
        && shared.now >= until
    {
        state.leaving = None;
        shared.notes.clear();
    }
    shared.runs.use_backend(shared.machine.kind());
    // A run that lasts gets a card; until then the header says enough.
    let card = shared.runs.running().map(|r| r.since + CARD_AFTER);
    let leaving = state.leaving.map(|(_, until)| until);
    let merge = shared.merge.next(shared.now);
    let in_hand = shared.questions.touched.map(|at| at + IN_HAND);
    let letter = state.letter.map(hands::waits_until);
    state.wake = [card, leaving, merge, in_hand, letter]
        .into_iter()
        .flatten()
        .filter(|at| *at > shared.now)
        .min();
}

/// The course has come.
fn loaded(state: &mut State, study: Study, out: &mut Out) {
    let shared = &mut state.shared;
    shared.study = study;
    shared.study.vary();
    shared.estimates();
    shared.contents = Contents {
        course: shared.study.course.named(),
        ..Contents::default()
    };
    shared.contents.refresh(&shared.study);
    state.reader.restore(&shared.study);
    // The cursor starts where the learner stopped.
    state.home.cursor = shared.contents.stopped.as_ref().map_or(0, |s| s.lesson);
    state.exercises.cursor = shared.study.begun().unwrap_or_default();
    let (screen, shared) = state.parts();
    screen.entered(shared, None, out);
    if let Some(fault) = state.shared.study.course.routes_fault() {
        let text = format!("{fault} The built-in paths are followed instead.");
        state.shared.notes.say(Tone::Warn, text);
    }
    if std::mem::take(&mut state.home.waiting) && state.page == Page::Home {
        act(state, Action::Open, out);
    }
}

/// Floors are priced under the device's own ceilings from now on.
fn roof(shared: &mut Shared, backend: &str, measured: Result<Ceilings, String>) {
    match measured {
        Ok(ceilings) => {
            let text = format!(
                "Measured @: {}. Floors are priced under this roof now, but for a staircase's.",
                ceilings.spoken()
            );
            shared.machine.measured(backend, ceilings);
            shared.notes.say(Tone::Good, text);
        }
        Err(why) => shared.notes.say(Tone::Warn, why),
    }
}

/// Time with a lesson, or with an exercise of one, is noted while keys arrive.
fn worked(state: &mut State, out: &mut Out) {
    let shared = &state.shared;
    let on_form = state.page == Page::Exercises && state.exercises.form.is_some();
    let lesson = match state.screen().lesson(shared) {
        // A lesson that was opened lies open, whatever stands over it.
        None if !on_form && state.reader.opened => state.reader.lesson(shared),
        lesson => lesson,
    };
    if let Some(lesson) = lesson {
        state.beat.key(lesson, shared.now, out);
    }
}

/// Carries an action out: those that mean the same everywhere here, the
/// others on the page.
fn act(state: &mut State, action: Action, out: &mut Out) {
    match action {
        Action::Go(Page::Claims) if shut(&mut state.shared) => {}
        Action::Go(page) => {
            let (screen, shared) = state.parts();
            if !screen.departs(shared, page, out) {
                state.enter(page, out);
            }
        }
        // What the page would step out of is not seen.
        Action::Back if state.too_small() => state.back(),
        Action::Back if state.shared.runs.card.is_some() && state.page.shows_cards() => {
            if let Some(card) = state.shared.runs.card.take() {
                let first = card.lines.into_iter().next().unwrap_or_default();
                let text = format!("{}: {first}", card.word);
                state.shared.notes.say(Tone::Bad, text);
            }
        }
        Action::Back => {
            let (screen, shared) = state.parts();
            if !screen.leave(shared) {
                state.back();
            }
        }
        Action::Help if state.page == Page::Help => state.back(),
        Action::Help => state.go(Page::Help),
        Action::Setup => state.go(Page::Setup),
        Action::Practise => state.enter(Page::Practise, out),
        Action::Glossary if state.page == Page::Glossary => state.back(),
        Action::Glossary => {
            let (under, text) = state.screen().words(&state.shared);
            let course = std::sync::Arc::clone(&state.shared.study.course);
            let asked = state.page == Page::Exercises;
            state.glossary.look_up(&course, &under, &text, asked);
            state.go(Page::Glossary);
        }
        Action::Palette => state.palette = Some(Palette::default()),
        Action::Find => state.find = find::open(),
        Action::FindNext => find_next(state, true, out),
        Action::FindPrevious => find_next(state, false, out),
        // Where something is searched for, the next one is the next match.
        Action::NextIdea if state.find.is_some() => find_next(state, true, out),
        Action::PreviousIdea if state.find.is_some() => find_next(state, false, out),
        Action::Quit => quit(state, out),
        Action::Interrupt => interrupt(state, out),
        Action::Suspend => out.push(Effect::Suspend),
        Action::Redraw => out.push(Effect::Redraw),
        Action::Theme => {
            let theme = state.shared.look.theme.next();
            set_theme(&mut state.shared, theme, out);
        }
        Action::Ascii => flip_ascii(&mut state.shared, out),
        Action::CommandLine => command_line(state, out),
        Action::Export => export(state, out),
        _ => {
            let (screen, shared) = state.parts();
            screen.act(shared, action, out);
        }
    }
    carry_out(state, out);
}

/// Opens a lesson: at a section, or where the learner stopped in it.
fn open_lesson(state: &mut State, index: usize, section: Option<usize>, out: &mut Out) {
    if state.shared.study.lesson(index).is_some() {
        let led = matches!(
            state.page,
            Page::Kernel | Page::Claims | Page::Exercises | Page::Roofline
        );
        state.go(Page::Lesson);
        state.reader.visiting = led;
        lesson::open(&mut state.reader, &mut state.shared, index, section, out);
    }
}

/// Carries out what one page wants of another.
fn carry_out(state: &mut State, out: &mut Out) {
    while !out.intents.is_empty() {
        let intent = out.intents.remove(0);
        let shared = &mut state.shared;
        match intent {
            Intent::Open(page) => {
                if (state.page, page) == (Page::Lesson, Page::Home) {
                    // The list shows where one comes from.
                    state.home.cursor = state.reader.lesson;
                }
                state.go(page);
            }
            Intent::Back => state.back(),
            Intent::Begin => {
                state.page = Page::Home;
                let known = shared.study.loaded && shared.contents.route.is_some();
                act(state, if known { Action::Flip } else { Action::Open }, out);
            }
            // What is left of a section comes before what follows it.
            Intent::Section(..) | Intent::OnPath(_)
                if state.reader.rest_of_path(&shared.study).is_some() =>
            {
                state.reader.resume(&shared.study);
                state.go(Page::Lesson);
            }
            Intent::Section(place, section) => {
                let from = state.reader.opened.then_some(state.reader.lesson);
                state.go(Page::Lesson);
                state.reader.on_path(&mut state.shared, place, section, out);
                if from.is_some_and(|from| place != from && place != from + 1) {
                    let text = "Your path goes on with this lesson. H shows the contents: all of them, in their order.";
                    state.shared.notes.say(Tone::Plain, text);
                }
            }
            Intent::OnPath(asked) => on_path(state, &asked, out),
            Intent::Stop { at, end } => match at {
                Next::Section(place, section) => {
                    state.go(Page::Lesson);
                    state.reader.on_path(&mut state.shared, place, section, out);
                    if end {
                        state.reader.scroll = usize::MAX;
                    }
                }
                Next::Question(exercise, key) => on_path(state, &Asked { exercise, key }, out),
            },
            // Whoever is faster than the disk gets the lesson when it comes.
            Intent::Lesson(_) | Intent::Part(..) if !shared.study.loaded => {
                state.go(Page::Lesson);
            }
            Intent::Lesson(index) => open_lesson(state, index, None, out),
            Intent::Part(index, section) => open_lesson(state, index, Some(section), out),
            Intent::Question(asked) => {
                if shared.study.exercise(&asked.exercise).is_some() {
                    let by = match state.page {
                        Page::Exercises => state.exercises.leads(),
                        _ => OpenedBy::Page,
                    };
                    state.go(Page::Exercises);
                    exercise::open(&mut state.exercises, &mut state.shared, &asked, by, out);
                }
            }
            Intent::Claim(id) => {
                if !shut(shared) && claims::open(&mut state.claims, shared, &id) {
                    state.go(Page::Claims);
                }
            }
            Intent::Study(name) => {
                state.studies.point_at(shared, &name);
                state.go(Page::Studies);
            }
            Intent::Stairs(order) => {
                state.compare.climb(order);
                state.go(Page::Compare);
            }
            Intent::Why(why) => {
                state.go(Page::Why);
                state.terms.why = Some(*why);
                state.terms.scroll = 0;
            }
            Intent::Lab(action) => state.lab.act(shared, action, out),
            Intent::LabClick(target) => state.lab.click(shared, target, out),
        }
    }
}

/// Opens the form at a question of the path.
fn on_path(state: &mut State, asked: &Asked, out: &mut Out) {
    if state.shared.study.exercise(&asked.exercise).is_some() {
        state.go(Page::Exercises);
        let (page, shared) = (&mut state.exercises, &mut state.shared);
        exercise::open(page, shared, asked, OpenedBy::Path, out);
    }
}

/// Whether the course has switched the claims court off; says so where it has.
fn shut(shared: &mut Shared) -> bool {
    let Some(file) = shared.study.course.court_off() else {
        return false;
    };
    let text = format!("Not here: {}.", course::Course::no_court(file));
    shared.notes.say(Tone::Plain, text);
    true
}

fn find_next(state: &mut State, forward: bool, out: &mut Out) {
    let (line, screen, shared) = state.searched();
    find::next(line, screen, shared, forward, out);
}

/// Takes a theme and keeps it for the next time.
fn set_theme(shared: &mut Shared, theme: Theme, out: &mut Out) {
    shared.look.theme = theme;
    shared.choose("theme", theme.name(), out);
}

/// ASCII or Unicode, kept for the next time.
fn flip_ascii(shared: &mut Shared, out: &mut Out) {
    shared.look.ascii ^= true;
    let value = if shared.look.ascii { "on" } else { "off" };
    shared.choose("ascii", value, out);
}

/// Shows the page as a command line and copies it.
fn command_line(state: &mut State, out: &mut Out) {
    let (screen, shared) = state.parts();
    let command = screen.command(shared);
    let text = format!("copied: {command}{}", screen.command_aside());
    shared.notes.say(Tone::Plain, text);
    out.push(Effect::Copy(command));
}

/// Keeps the page as a picture, and its numbers.
fn export(state: &mut State, out: &mut Out) {
    let page = state.page.title().to_lowercase();
    let (screen, shared) = state.parts();
    let lesson = screen.lesson(shared).filter(|_| page == "lesson");
    let name = match lesson {
        Some(lesson) => format!("tutor-{page}-{lesson}"),
        None if page.starts_with("tinyllama") => page,
        None => format!("tutor-{page}"),
    };
    let numbers = course::csv::grids(&screen.numbers(shared));
    out.push(Effect::Export { name, numbers });
}

#[cfg(test)]
mod tests;
