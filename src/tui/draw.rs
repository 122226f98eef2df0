//! State in, cells out. Reads, never writes.

use ratatui::buffer::Buffer;

use super::pen::Pen;
use super::{frame, lab, too_small};
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
        Page::Lab => lab::draw(state, &mut pen),
        _ => {
            let last = pen.height() - 1;
            frame::message(state, "", "", &mut pen, last - 1);
        }
    }
}
