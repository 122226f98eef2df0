//! What was drawn, as text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tinyllama_tutor::app::State;
use tinyllama_tutor::tui::Painter;

/// The rows of the screen, without the blanks at their ends.
pub(crate) fn rows(painter: &Painter, state: &State) -> Vec<String> {
    let (columns, rows) = state.shared.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    painter.draw(state, &mut buffer);
    let row = |y| -> String { (0..columns).map(|x| buffer[(x, y)].symbol()).collect() };
    (0..rows).map(|y| row(y).trim_end().to_owned()).collect()
}
