//! The real program in a pseudo-terminal, and its engine process as it meets the screen.

#[path = "../support/mod.rs"]
mod support;

mod engine;
mod engine_cli;
mod events;
mod journey;
mod parity;
mod pictures;
mod reader;
mod studies;
mod terminal;
