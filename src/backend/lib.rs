//! Who computes the model: one trait, the CPU, the fp64 reference.

pub mod check;
pub mod cpu;
pub mod device;
pub mod engine;
pub mod gpu;
pub mod gym;
pub mod npy;
pub mod reference;
pub mod selftest;
pub mod tokens;
pub mod trial;
pub mod weights;

mod found;
mod runner;

pub use found::{simt_state, states};
pub use runner::{Outcome, Runner, model_of_folder, tokens_of_file};
