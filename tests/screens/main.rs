//! Screens as text, without a terminal: keys in, cells out.

mod asked;
mod cells;
mod claims;
mod compare;
mod exported;
mod hundred;
mod kernel;
mod keys;
mod kinds;
mod letters;
mod mouse;
mod own_plan;
mod pages;
mod pictures;
mod reader;
mod readme;
mod rules;
mod scenes;
mod stands;
mod studies;
mod tiny;
mod trips;
mod whole;
