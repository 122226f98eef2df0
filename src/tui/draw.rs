//! State in, cells out. Reads, never writes.

use ratatui::buffer::Buffer;

use super::pen::Pen;
use super::{compare, frame, home, lab, palette, reading, too_small};
use crate::app::{Page, State};

/// Draws the whole screen.
pub fn draw(state: &State, buffer: &mut Buffer) {
    let area = buffer.area;
    let mut pen = Pen::new(buffer, area, state.look);
    if state.too_small() {
        too_small::draw(state, &mut pen);
        return;
    }
    frame::draw(state, &mut pen);
    match state.page {
        Page::Home => home::draw(state, &mut pen),
        Page::FirstRun => home::first_run(state, &mut pen),
        Page::Lab => lab::draw(state, &mut pen),
        Page::Compare => compare::draw(state, &mut pen),
        Page::Doctor => reading::doctor(state, &mut pen),
        Page::Setup => reading::setup(state, &mut pen),
        Page::Why => reading::why(state, &mut pen),
        Page::Messages => reading::messages(state, &mut pen),
        Page::Help => reading::help(state, &mut pen),
        Page::Lesson | Page::Exercises => {
            let last = pen.height() - 1;
            frame::message(state, "", "", &mut pen, last - 1);
        }
    }
    palette::draw(state, &mut pen);
}
