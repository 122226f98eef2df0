//! Who computes the model: one trait, the CPU, the fp64 reference.

pub mod check;
pub mod cpu;
pub mod device;
pub mod engine;
pub mod gpu;
pub mod hierarchy;
pub mod microbenchmark;
pub mod npy;
pub mod protocol;
pub mod reference;
pub mod selftest;
pub mod submission;
pub mod tokens;
pub mod transfer;
pub mod weights;

mod backends;
mod given;
mod measure;
mod runner;

pub use backends::Backend;
pub use given::{model_of_folder, tokens_of_file};
pub use measure::Outcome;
pub use runner::{LocalRunner, Runner};
