//! The devices of this process. A GPU is opened when it is first asked for and
//! stays open with its weights and kernels: on the thread that opened it, as a
//! driver's context is current on one thread.

use crate::backend::runner::Outcome;
use crate::run::{BackendKind, Observer, Request, RunError};

/// Runs a request on the GPU backend that it asks for.
///
/// # Errors
/// A backend, device or kernel that is not there; everything that
/// [`Gpu::run`](super::exec::Gpu::run) can say.
pub fn run(
    backend: BackendKind,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Outcome, RunError> {
    match backend {
        #[cfg(feature = "cuda")]
        BackendKind::Cuda => cuda::run(request, observer),
        other => Err(RunError::missing(format!(
            "this build has no {} backend; --backend cpu runs every plan",
            other.name()
        ))),
    }
}

#[cfg(feature = "cuda")]
mod cuda {
    use std::cell::RefCell;

    use crate::backend::gpu::cuda::Cuda;
    use crate::backend::gpu::exec::Gpu;
    use crate::backend::runner::Outcome;
    use crate::run::{BackendKind, Observer, Phase, Progress, Request, RunError, RunErrorKind};

    thread_local! {
        static OPEN: RefCell<Option<Gpu<Cuda>>> = const { RefCell::new(None) };
    }

    pub(super) fn run(request: &Request, observer: &dyn Observer) -> Result<Outcome, RunError> {
        OPEN.with_borrow_mut(|open| {
            if open.is_none() {
                observer.progress(Progress::new(Phase::Open, 0, 1).about("the NVIDIA driver"));
                *open = Some(Gpu::new(Cuda::open(0)?));
            }
            let Some(gpu) = open else {
                return Err(RunError::failed("the GPU was not kept"));
            };
            let ran = gpu.run(BackendKind::Cuda.name(), request, observer);
            if ran.as_ref().is_err_and(|e| e.kind == RunErrorKind::Failed) {
                // After a fault the context is lost with all that is in it.
                *open = None;
            }
            ran
        })
    }
}
