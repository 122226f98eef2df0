//! Leaving, and stopping what runs.

use crate::intent::Out;
use crate::keymap::Action;
use crate::message::Effect;
use crate::note::Tone;
use crate::state::State;

/// How long a first Ctrl-C, or a `q` during a run, waits for the second.
const SECOND_PRESS: u64 = 2000;

/// The exit code of a program that the learner interrupted.
const INTERRUPTED: u8 = 130;

/// `q`: leaves; during a run it asks once.
pub(super) fn quit(state: &mut State, out: &mut Out) {
    if state.shared.runs.running().is_some() && !again(state, Action::Quit) {
        wait_for_second(state, Action::Quit, "q again stops the run and leaves.");
        return;
    }
    if state.shared.studies.making().is_some() && !again(state, Action::Quit) {
        let text = "q again stops the study, keeps what was measured, and leaves.";
        wait_for_second(state, Action::Quit, text);
        return;
    }
    leave(state, out, 0);
}

/// Ctrl-C: stops the run; with none running, twice within two seconds leaves.
pub(super) fn interrupt(state: &mut State, out: &mut Out) {
    if state.shared.runs.running().is_some() {
        out.push(Effect::CancelRun);
        state.shared.notes.say(Tone::Plain, "Stopping the run.");
    } else if state.shared.studies.stop() {
        out.push(Effect::StopStudy);
        let text = "Stopping the study between two runs; what was measured is kept.";
        state.shared.notes.say(Tone::Plain, text);
    } else if again(state, Action::Interrupt) {
        leave(state, out, INTERRUPTED);
    } else {
        wait_for_second(state, Action::Interrupt, "Ctrl-C again leaves.");
    }
}

fn again(state: &State, action: Action) -> bool {
    matches!(state.leaving, Some((a, until)) if a == action && state.shared.now < until)
}

fn wait_for_second(state: &mut State, action: Action, text: &str) {
    state.leaving = Some((action, state.shared.now + SECOND_PRESS));
    state.shared.notes.say(Tone::Plain, text);
}

fn leave(state: &mut State, out: &mut Out, code: u8) {
    // An answer that is being typed goes into its sheet.
    let (screen, shared) = state.parts();
    screen.put_away(shared, out);
    if shared.runs.running().is_some() {
        out.push(Effect::CancelRun);
    }
    if shared.studies.making().is_some() {
        out.push(Effect::StopStudy);
    }
    state.beat.left(state.shared.now, out);
    out.push(Effect::Quit(code));
}
