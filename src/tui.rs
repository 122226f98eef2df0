//! Screens, widgets, theme: draws app state.
//!
//! [`open`] is the workshop in the terminal. Drawing is a function of the
//! state ([`Painter`]), into a buffer of cells; `surface` writes the cells that
//! changed and nothing else, so that an idle workshop writes no byte.

pub mod merit;
mod pen;
pub mod studies;
mod surface;
pub mod terminal;
pub mod theme;

mod braille;
mod cards;
mod claims;
mod code;
mod compare;
mod draw;
mod events;
mod exercise;
mod first_run;
mod frame;
mod glossary;
mod home;
mod input;
mod kernel;
mod kernels;
mod lab;
mod lesson;
mod links;
pub(crate) mod live;
mod palette;
mod practise;
mod reading;
mod ribbon;
mod roofline;
mod rows;
mod too_small;

pub use draw::{Painter, cells, picture};
pub use events::open;
