//! The real program in a pseudo-terminal, and its engine process as it meets the screen.

#[path = "../support/mod.rs"]
mod support;

mod engine;
mod engine_cli;
mod journey;
mod reader;
mod terminal;
