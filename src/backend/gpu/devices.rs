//! A device as a backend: opened when it is first asked for, and open from then on
//! with its weights and kernels.

use super::driver::{Driver, GpuError};
use super::exec::{Examined, Gpu, Swap};
use crate::backends::Backend;
use crate::measure::Outcome;
use plan::run::{
    BackendKind, BackendState, Observer, Phase, Progress, Request, RunError, RunErrorKind,
};

/// A driver that can be opened: what a new driver implements beside [`Driver`].
pub trait Open: Driver + Sized {
    /// Its backend's name.
    const KIND: BackendKind;
    /// What opening waits for, where it may take a while.
    const WAITS_FOR: Option<&'static str>;

    /// Opens the first device.
    ///
    /// # Errors
    /// A driver, device or compiler that is not there.
    fn open_first() -> Result<Self, GpuError>;

    /// How it stands on this machine.
    fn stands() -> BackendState;
}

/// The device of a driver.
pub struct Device<D>(Option<Gpu<D>>);

impl<D> Default for Device<D> {
    /// Not open yet.
    fn default() -> Self {
        Self(None)
    }
}

impl<D: Open> Device<D> {
    /// A device that is open already.
    #[cfg(test)]
    pub fn of(driver: D) -> Self {
        Self(Some(Gpu::new(driver)))
    }

    fn gpu(&mut self, observer: &dyn Observer) -> Result<&mut Gpu<D>, RunError> {
        let open = match self.0.take() {
            Some(open) => open,
            None => {
                if let Some(what) = D::WAITS_FOR {
                    observer.progress(Progress::new(Phase::Open, 0, 1).about(what));
                }
                Gpu::new(D::open_first()?)
            }
        };
        Ok(self.0.insert(open))
    }

    /// Does a job on the device.
    fn on<T>(
        &mut self,
        observer: &dyn Observer,
        job: impl FnOnce(&mut Gpu<D>) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let done = job(self.gpu(observer)?);
        // After a fault the context is lost with all that is in it.
        if done.as_ref().is_err_and(|e| e.kind == RunErrorKind::Failed) {
            self.0 = None;
        }
        done
    }
}

impl<D: Open> Backend for Device<D> {
    fn kind(&self) -> BackendKind {
        D::KIND
    }

    fn state(&self) -> BackendState {
        D::stands()
    }

    fn open(&mut self, observer: &dyn Observer) -> Result<String, RunError> {
        Ok(self.gpu(observer)?.describe())
    }

    fn run(&mut self, request: &Request, observer: &dyn Observer) -> Result<Outcome, RunError> {
        // What has no clock is run once: a stop says so, too.
        let once = Request {
            runs: request.runs.min(1),
            ..request.clone()
        };
        let request = match D::KIND {
            BackendKind::Simt => &once,
            _ => request,
        };
        self.on(observer, |gpu| gpu.run(D::KIND, request, observer))
    }

    fn examine(
        &mut self,
        request: &Request,
        swap: Option<Swap>,
        observer: &dyn Observer,
    ) -> Result<Examined, RunError> {
        self.on(observer, |gpu| gpu.examine(request, swap, observer))
    }

    fn driver(&mut self, observer: &dyn Observer) -> Result<&mut dyn Driver, RunError> {
        Ok(self.gpu(observer)?.driver())
    }
}
