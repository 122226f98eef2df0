//! State in, cells out. Reads, never writes.

use ratatui::buffer::Buffer;

use super::frame;
use super::pen::Pen;
use super::too_small;
use crate::app::State;

/// Draws the whole screen.
pub fn draw(state: &State, buffer: &mut Buffer) {
    let area = buffer.area;
    let mut pen = Pen::new(buffer, area, state.look);
    if state.too_small() {
        too_small::draw(state, &mut pen);
        return;
    }
    frame::draw(state, &mut pen);
}
