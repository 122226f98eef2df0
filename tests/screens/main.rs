//! Screens as text, without a terminal: keys in, cells out.

mod claims;
mod kernel;
mod keys;
mod pages;
mod pictures;
mod reader;
mod studies;
mod trips;
