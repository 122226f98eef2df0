//! State in, cells out. Reads, never writes.

use ratatui::buffer::Buffer;

use super::pen::Pen;
use super::{
    claims, compare, exercise, first_run, frame, home, kernel, lab, lesson, palette, reading,
    roofline, too_small,
};
use app::{Page, State};

/// Draws the whole screen.
pub fn draw(state: &State, buffer: &mut Buffer) {
    let area = buffer.area;
    let mut pen = Pen::new(buffer, area, state.shared.look);
    if state.shared.too_small() {
        too_small::draw(state, &mut pen);
        return;
    }
    frame::draw(state, &mut pen);
    match state.page {
        Page::Home => home::draw(state, &mut pen),
        Page::FirstRun => first_run::draw(state, &mut pen),
        Page::Lab => lab::draw(state, &mut pen),
        Page::Compare => compare::draw(state, &mut pen),
        Page::Roofline => roofline::draw(state, &mut pen),
        Page::Kernel => kernel::draw(state, &mut pen),
        Page::Doctor => reading::doctor(state, &mut pen),
        Page::Setup => reading::setup(state, &mut pen),
        Page::Why => reading::why(state, &mut pen),
        Page::Messages => reading::messages(state, &mut pen),
        Page::Help => reading::help(state, &mut pen),
        Page::Lesson => lesson::draw(state, &mut pen),
        Page::Exercises => exercise::draw(state, &mut pen),
        Page::Claims => claims::draw(state, &mut pen),
    }
    palette::draw(state, &mut pen);
}

/// Tells the state how much of what it shows fits: scroll and shift end where
/// the text does. Only laying out knows, so it is done before every frame.
pub fn fit(state: &mut State) {
    if state.shared.too_small() {
        return;
    }
    match state.page {
        Page::Lesson => lesson::fit(state),
        Page::Exercises => exercise::fit(state),
        Page::Claims => claims::fit(state),
        Page::Kernel => kernel::fit(state),
        _ => {}
    }
}
