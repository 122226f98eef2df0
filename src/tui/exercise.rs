//! Stands in until the page lands.

use super::frame;
use super::pen::Pen;
use crate::app::State;

pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height() - 1;
    frame::message(state, "", "", pen, last - 1);
}

pub fn fit(_: &mut State) {}
