//! Who computes the model: one trait, the CPU, the fp64 reference.

pub mod cpu;
