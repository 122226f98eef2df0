//! State in, cells out. Reads, never writes.

use std::cell::RefCell;

use ratatui::buffer::Buffer;

use super::pen::Pen;
use super::{
    claims, compare, exercise, first_run, frame, glossary, home, kernel, lab, lesson, palette,
    reading, roofline, too_small,
};
use app::mouse::Spots;
use app::{Page, State};

/// Draws the whole screen.
pub fn draw(state: &State, buffer: &mut Buffer) {
    noted(state, buffer);
}

/// Draws the whole screen, and tells what can be clicked on it.
pub fn noted(state: &State, buffer: &mut Buffer) -> Spots {
    let spots = RefCell::default();
    let area = buffer.area;
    all(
        state,
        &mut Pen::new(buffer, area, state.shared.look).noting(&spots),
    );
    spots.into_inner()
}

fn all(state: &State, pen: &mut Pen<'_>) {
    if state.too_small() {
        too_small::draw(state, pen);
        return;
    }
    frame::draw(state, pen);
    match state.page {
        Page::Home => home::draw(state, pen),
        Page::FirstRun => first_run::draw(state, pen),
        Page::Lab => lab::draw(state, pen),
        Page::Compare => compare::draw(state, pen),
        Page::Roofline => roofline::draw(state, pen),
        Page::Kernel => kernel::draw(state, pen),
        Page::Doctor => reading::doctor(state, pen),
        Page::Setup => reading::setup(state, pen),
        Page::Why => reading::why(state, pen),
        Page::Glossary => glossary::draw(state, pen),
        Page::Messages => reading::messages(state, pen),
        Page::Help => reading::help(state, pen),
        Page::Lesson => lesson::draw(state, pen),
        Page::Exercises => exercise::draw(state, pen),
        Page::Claims => claims::draw(state, pen),
    }
    palette::draw(state, pen);
}

/// Tells the state how much of what it shows fits: scroll and shift end where
/// the text does. Only laying out knows, so it is done before every frame.
pub fn fit(state: &mut State) {
    if state.too_small() {
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
