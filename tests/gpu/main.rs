//! GPU kernels, their compilers and drivers, the engine process: on stand-ins and compilers where there is no GPU.

mod cuda_driver;
mod engine;
mod exercises;
mod hip_compile;
mod hip_host;
mod hip_standin;
mod huggingface;
mod nvrtc;
mod table;
mod torch;
