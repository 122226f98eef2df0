//! Who computes the model: one trait, the CPU, the fp64 reference.

pub mod cpu;
mod error;

pub use error::{BackendError, ErrorKind};
