//! Which backends beside the CPU this machine can run.

use plan::run::{BackendKind, BackendState};

/// How the built-in machine stands, which opens nothing.
pub fn simt_state() -> BackendState {
    BackendState {
        backend: BackendKind::Simt,
        ready: true,
        device: "on this CPU".to_owned(),
        line: "executes the kernels' sm_80 PTX on this CPU; counts, no times".to_owned(),
        lacks: Vec::new(),
        notes: Vec::new(),
    }
}

/// How the GPU backends stand. It opens drivers and libraries, which can take a
/// second or hang, so it is asked in an engine process only.
pub fn states() -> Vec<BackendState> {
    vec![cuda_state(), hip_state()]
}

#[cfg(feature = "cuda")]
fn cuda_state() -> BackendState {
    super::gpu::cuda::facts().state()
}

#[cfg(not(feature = "cuda"))]
fn cuda_state() -> BackendState {
    BackendState::none(BackendKind::Cuda, "not in this build")
}

#[cfg(feature = "hip")]
fn hip_state() -> BackendState {
    super::gpu::hip::facts().state()
}

#[cfg(not(feature = "hip"))]
fn hip_state() -> BackendState {
    BackendState::none(BackendKind::Hip, "not in this build")
}
