//! What is chosen in the palette.

use super::{act, flip_ascii, set_theme};
use crate::exercise;
use crate::intent::{Intent, Out};
use crate::keymap::Action;
use crate::message::Effect;
use crate::note::Tone;
use crate::page::Page;
use crate::palette::Command;
use crate::state::State;
use plan::fusion::Fusion;

/// Does what was chosen in the palette.
pub(super) fn command_chosen(state: &mut State, command: Command, out: &mut Out) {
    match command {
        Command::Do(action @ (Action::Run | Action::RunAll | Action::Undo | Action::Bytes)) => {
            state.go(Page::Lab);
            act(state, action, out);
        }
        Command::Do(action) => act(state, action, out),
        Command::Flip(fusion) => {
            state.go(Page::Lab);
            state.lab.toggle = Fusion::ALL.iter().position(|f| *f == fusion).unwrap_or(0);
            act(state, Action::Flip, out);
        }
        Command::Put(version) => {
            state.go(Page::Lab);
            state.shared.hold(version.cut());
        }
        Command::Lesson(at) => out.want(Intent::Lesson(at)),
        Command::Exercise(exercise) => {
            let asked = state.shared.study.question(&exercise, None);
            out.intents.extend(asked.map(Intent::Question));
        }
        Command::Claim(id) => out.want(Intent::Claim(id.to_owned())),
        Command::Messages => state.go(Page::Messages),
        Command::Shell(command) => {
            out.push(Effect::Copy(command.to_owned()));
            let text = format!("In a shell: {command}   (copied; Ctrl-Z leads to yours, fg back)");
            state.shared.notes.say(Tone::Plain, text);
        }
        Command::Backend(name) => match state.shared.machine.choose(&name) {
            Ok(()) => {
                let text = format!("{name} runs plans and experiments from now on.");
                state.shared.notes.say(Tone::Plain, text);
            }
            Err(why) => state.shared.notes.say(Tone::Warn, why),
        },
        Command::Reset => exercise::reset(&mut state.exercises, &mut state.shared, out),
        Command::Theme(theme) => set_theme(&mut state.shared, theme, out),
        Command::Ascii => flip_ascii(&mut state.shared, out),
        Command::Quit => act(state, Action::Quit, out),
    }
}
