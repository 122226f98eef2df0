//! GPU kernels, their compilers and drivers, the engine process: on stand-ins and compilers where there is no GPU.

mod cuda_driver;
mod engine;
mod exercises;
mod hip_compile;
mod hip_driver;
mod hip_host;
mod hip_libraries;
mod hip_measured;
mod hip_paths;
mod hip_runs;
mod hip_selftest;
mod hip_studies;
mod huggingface;
mod nvrtc;
mod standin;
mod table;
mod torch;
