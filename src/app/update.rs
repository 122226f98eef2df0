//! One event in, the next state and the wanted effects out.

use super::key::Key;
use super::keymap::{Action, resolve};
use super::message::{Effect, Event, Message};
use super::note::Tone;
use super::page::Page;
use super::state::State;

/// How long a first Ctrl-C waits for the second.
const SECOND_PRESS: u64 = 2000;

/// The exit code of a program that the learner interrupted.
const INTERRUPTED: u8 = 130;

/// Takes one event. The state is changed, and what the outside is to do is
/// returned, in order.
pub fn update(state: &mut State, event: Event) -> Vec<Effect> {
    let mut effects = Vec::new();
    state.now = state.now.max(event.at);
    match event.message {
        Message::Key(key) => press(state, key, &mut effects),
        Message::Paste(_) => {}
        Message::Resize { columns, rows } => state.size = (columns, rows),
        Message::Tick => {}
        Message::Resumed => effects.push(Effect::Redraw),
        Message::Terminate(code) => {
            effects.push(Effect::SaveProgress);
            effects.push(Effect::Quit(code));
        }
        Message::Saved(outcome) => match outcome {
            Ok(text) => state.notes.say(Tone::Plain, text),
            Err(text) => state.notes.say(Tone::Bad, text),
        },
    }
    expire(state);
    effects
}

/// Forgets a first Ctrl-C whose time is over.
fn expire(state: &mut State) {
    if let Some((_, until)) = state.leaving
        && state.now >= until
    {
        state.leaving = None;
        state.wake = None;
        state.notes.clear();
    }
}

fn press(state: &mut State, key: Key, effects: &mut Vec<Effect>) {
    let Some(action) = resolve(state.page, key) else {
        return;
    };
    if state.too_small()
        && !matches!(
            action,
            Action::Quit | Action::Interrupt | Action::Suspend | Action::Redraw
        )
    {
        return;
    }
    act(state, action, effects);
}

/// Carries an action out: those that mean the same everywhere here, the
/// others on the page.
pub(super) fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::Go(page) => state.go(page),
        Action::Back => state.back(),
        Action::Help => {
            if state.page == Page::Help {
                state.back();
            } else {
                state.go(Page::Help);
            }
        }
        Action::Quit => {
            effects.push(Effect::SaveProgress);
            effects.push(Effect::Quit(0));
        }
        Action::Interrupt => interrupt(state, effects),
        Action::Suspend => effects.push(Effect::Suspend),
        Action::Redraw => effects.push(Effect::Redraw),
        _ => {}
    }
}

/// Ctrl-C: twice within two seconds leaves.
fn interrupt(state: &mut State, effects: &mut Vec<Effect>) {
    if matches!(state.leaving, Some((Action::Interrupt, until)) if state.now < until) {
        effects.push(Effect::SaveProgress);
        effects.push(Effect::Quit(INTERRUPTED));
        return;
    }
    let until = state.now + SECOND_PRESS;
    state.leaving = Some((Action::Interrupt, until));
    state.wake = Some(until);
    state.notes.say(Tone::Plain, "Ctrl-C again leaves.");
}

#[cfg(test)]
mod tests {
    use super::super::key::{Code, ch, ctrl, key};
    use super::super::look::Look;
    use super::*;

    fn at(at: u64, key: Key) -> Event {
        Event {
            at,
            message: Message::Key(key),
        }
    }

    fn state() -> State {
        State::new((80, 24), Look::default())
    }

    #[test]
    fn ctrl_c_twice_within_two_seconds_leaves_with_130() {
        let mut s = state();
        assert!(update(&mut s, at(10, ctrl('c'))).is_empty());
        assert_eq!(s.wake, Some(2010));
        let fx = update(&mut s, at(2009, ctrl('c')));
        assert_eq!(fx.last(), Some(&Effect::Quit(130)));
    }

    #[test]
    fn a_first_ctrl_c_is_forgotten_after_two_seconds() {
        let mut s = state();
        update(&mut s, at(10, ctrl('c')));
        update(
            &mut s,
            Event {
                at: 2010,
                message: Message::Tick,
            },
        );
        assert!(s.notes.shown().is_none());
        assert!(update(&mut s, at(2011, ctrl('c'))).is_empty());
    }

    #[test]
    fn esc_walks_back_and_never_leaves() {
        let mut s = state();
        update(&mut s, at(1, ch('3')));
        update(&mut s, at(2, ch('D')));
        assert_eq!(s.page, Page::Doctor);
        for (t, page) in [(3, Page::Lab), (4, Page::Home), (5, Page::Home)] {
            assert!(update(&mut s, at(t, key(Code::Esc))).is_empty());
            assert_eq!(s.page, page);
        }
    }

    #[test]
    fn nothing_is_lost_while_the_window_is_too_small() {
        let mut s = state();
        update(&mut s, at(1, ch('3')));
        update(
            &mut s,
            Event {
                at: 2,
                message: Message::Resize {
                    columns: 50,
                    rows: 8,
                },
            },
        );
        update(&mut s, at(3, ch('1')));
        assert_eq!(s.page, Page::Lab);
        assert_eq!(
            update(&mut s, at(4, ch('q'))).last(),
            Some(&Effect::Quit(0))
        );
    }
}
