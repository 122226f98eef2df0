//! The devices of this process. A GPU is opened when it is first asked for and
//! stays open with its weights and kernels: on the thread that opened it, as a
//! driver's context is current on one thread.

use super::driver::{Driver, GpuError};
use super::exec::Gpu;
use crate::runner::Outcome;
use plan::run::{BackendKind, Observer, Request, RunError, RunErrorKind};

/// What is done with a device of any kind.
pub trait Job {
    /// What comes of it.
    type Output;

    /// Does it.
    ///
    /// # Errors
    /// What the device or the job says.
    fn on<D: Driver>(self, gpu: &mut Gpu<D>) -> Result<Self::Output, RunError>;
}

/// Does a job on the device of a backend, which is opened where it is not open.
///
/// # Errors
/// A backend or device that is not there; what the job says.
pub fn with<J: Job>(
    backend: BackendKind,
    observer: &dyn Observer,
    job: J,
) -> Result<J::Output, RunError> {
    match backend {
        #[cfg(feature = "cuda")]
        BackendKind::Cuda => cuda::with(observer, job),
        #[cfg(feature = "hip")]
        BackendKind::Hip => hip::with(observer, job),
        BackendKind::Simt => simt::with(job),
        other => {
            let _ = (observer, job);
            Err(RunError::missing(format!(
                "this build has no {} backend; --backend cpu runs every plan",
                other.name()
            )))
        }
    }
}

/// Runs a request on the GPU backend that it asks for.
///
/// # Errors
/// A backend, device or kernel that is not there; everything that [`Gpu::run`]
/// can say.
pub fn run(
    backend: BackendKind,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Outcome, RunError> {
    let job = Run {
        backend,
        request,
        observer,
    };
    with(backend, observer, job)
}

struct Run<'r> {
    backend: BackendKind,
    request: &'r Request,
    observer: &'r dyn Observer,
}

impl Job for Run<'_> {
    type Output = Outcome;

    fn on<D: Driver>(self, gpu: &mut Gpu<D>) -> Result<Outcome, RunError> {
        gpu.run(self.backend.name(), self.request, self.observer)
    }
}

/// Does a job on a device that stays open, and is opened where it is not.
fn on_kept<D: Driver, J: Job>(
    kept: &mut Option<Gpu<D>>,
    open: impl FnOnce() -> Result<D, GpuError>,
    job: J,
) -> Result<J::Output, RunError> {
    let mut gpu = match kept.take() {
        Some(gpu) => gpu,
        None => Gpu::new(open()?),
    };
    let done = job.on(&mut gpu);
    // After a fault the context is lost with all that is in it.
    if !done.as_ref().is_err_and(|e| e.kind == RunErrorKind::Failed) {
        *kept = Some(gpu);
    }
    done
}

mod simt {
    use std::cell::RefCell;

    use super::{Job, on_kept};
    use crate::gpu::exec::Gpu;
    use crate::gpu::simt::Simt;
    use plan::run::RunError;
    use simt::Options;

    thread_local! {
        static OPEN: RefCell<Option<Gpu<Simt>>> = const { RefCell::new(None) };
    }

    pub(super) fn with<J: Job>(job: J) -> Result<J::Output, RunError> {
        OPEN.with_borrow_mut(|open| {
            let options = Options {
                check: true,
                // An A100's.
                l2_bytes: Some(40 << 20),
                ..Options::default()
            };
            on_kept(open, || Ok(Simt::new(options)), job)
        })
    }
}

#[cfg(any(feature = "cuda", feature = "hip"))]
macro_rules! native {
    ($feature:literal, $name:ident, $driver:path, $about:literal) => {
        #[cfg(feature = $feature)]
        mod $name {
            use std::cell::RefCell;

            use $driver as Device;

            use super::{Job, on_kept};
            use crate::gpu::exec::Gpu;
            use plan::run::{Observer, Phase, Progress, RunError};

            thread_local! {
                static OPEN: RefCell<Option<Gpu<Device>>> = const { RefCell::new(None) };
            }

            pub(super) fn with<J: Job>(
                observer: &dyn Observer,
                job: J,
            ) -> Result<J::Output, RunError> {
                let open = || {
                    observer.progress(Progress::new(Phase::Open, 0, 1).about($about));
                    Device::open(0)
                };
                OPEN.with_borrow_mut(|kept| on_kept(kept, open, job))
            }
        }
    };
}

#[cfg(any(feature = "cuda", feature = "hip"))]
native!("cuda", cuda, crate::gpu::cuda::Cuda, "the NVIDIA driver");
#[cfg(any(feature = "cuda", feature = "hip"))]
native!("hip", hip, crate::gpu::hip::Hip, "ROCm");
