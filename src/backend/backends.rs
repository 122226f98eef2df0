//! Who computes a plan: one trait, and the backends of this build. A backend more is
//! an implementation and a line in [`local`], or in [`all`] where it opens a GPU.

use super::cpu::Cpu;
use super::gpu::Driver;
use super::gpu::devices::Device;
use super::gpu::exec::{Examined, Swap};
use super::gpu::simt::Simt;
use super::measure::Outcome;
use plan::run::{BackendKind, BackendState, Observer, Request, RunError};

/// One that runs plans. It opens its device when it is first asked to run, and keeps
/// device, weights and kernels from one request to the next, so that flipping a fusion
/// costs a plan and not a model.
pub trait Backend {
    /// Its name.
    fn kind(&self) -> BackendKind;

    /// How it stands on this machine. Drivers and libraries are opened, which can take
    /// a second or hang: a GPU's backend is asked in an engine process only.
    fn state(&self) -> BackendState;

    /// Takes its device into use; the device in words.
    ///
    /// # Errors
    /// A device, driver or compiler that is not there.
    fn open(&mut self, observer: &dyn Observer) -> Result<String, RunError>;

    /// Runs `request`: prepares, checks the outputs against the fp64 reference (where
    /// it is asked for and affordable), then times and counts.
    ///
    /// # Errors
    /// A request that cannot be, something that this machine lacks, a kernel that
    /// fails, a stop by the observer.
    fn run(&mut self, request: &Request, observer: &dyn Observer) -> Result<Outcome, RunError>;

    /// Runs the forward of `request` twice and judges every kernel by what it writes.
    ///
    /// # Errors
    /// As [`Backend::run`]; a backend without GPU kernels.
    fn examine(
        &mut self,
        request: &Request,
        swap: Option<Swap>,
        observer: &dyn Observer,
    ) -> Result<Examined, RunError> {
        let _ = (request, swap, observer);
        Err(self.has_no_kernels())
    }

    /// The driver under it, to launch single kernels.
    ///
    /// # Errors
    /// As [`Backend::open`]; a backend without GPU kernels.
    fn driver(&mut self, observer: &dyn Observer) -> Result<&mut dyn Driver, RunError> {
        let _ = observer;
        Err(self.has_no_kernels())
    }

    /// That it cannot be asked for single kernels.
    fn has_no_kernels(&self) -> RunError {
        RunError::missing(format!(
            "the {} backend runs no GPU kernels; use cuda, hip or simt",
            self.kind().name()
        ))
    }
}

/// The backends that open no GPU library: for any process, on any thread.
pub(super) fn local() -> Vec<Box<dyn Backend + Send>> {
    vec![
        Box::new(Cpu::default()),
        Box::new(Device::<Simt>::default()),
    ]
}

/// Every backend of this build. A driver's context is current on one thread: they stay
/// on the thread that made them.
pub(super) fn all() -> Vec<Box<dyn Backend>> {
    let gpus: Vec<Box<dyn Backend>> = vec![
        #[cfg(feature = "cuda")]
        Box::new(Device::<super::gpu::cuda::Cuda>::default()),
        #[cfg(feature = "hip")]
        Box::new(Device::<super::gpu::hip::Hip>::default()),
    ];
    let local = local()
        .into_iter()
        .map(|backend| -> Box<dyn Backend> { backend });
    local.chain(gpus).collect()
}
