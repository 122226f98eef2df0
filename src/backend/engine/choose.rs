//! Where a request runs: here, or in a process of its own.

use std::path::Path;
use std::sync::{PoisonError, RwLock};

use super::program::Program;
use super::serve::Served;
use super::supervisor::{Limits, Supervisor};
use crate::{Backend, LocalRunner, Runner, npy};
use plan::run::{BackendKind, BackendState, Observer, Proof, Report, Request, RunError};

/// Runs requests with the backend that they ask for. What a run leaves behind
/// for the next, such as packed weights, is kept.
pub struct Engine {
    here: Here<dyn Backend + Send>,
    child: Option<Supervisor>,
}

impl Default for Engine {
    fn default() -> Self {
        Self {
            here: Here {
                runner: LocalRunner::local(),
            },
            child: None,
        }
    }
}

impl Engine {
    /// Runs a request; the logits go to `logits` as npy, where it is given.
    ///
    /// # Errors
    /// Why there is no report.
    pub fn run(
        &mut self,
        request: &Request,
        logits: Option<&Path>,
        observer: &dyn Observer,
    ) -> Result<Report, RunError> {
        let proved = proved();
        // Copied only where there is something to add: it may hold millions of tokens.
        let told;
        let request = match proved == request.proved {
            true => request,
            false => {
                told = Request {
                    proved,
                    ..request.clone()
                };
                &told
            }
        };
        let apart = match request.backend {
            // The engine decides, where there is something to decide about.
            BackendKind::Auto => gpu_driver() || !request.proved.is_empty(),
            named => named.is_gpu(),
        };
        if !apart {
            // Without a driver there is nothing to look for: no GPU library is
            // ever opened in this process.
            return self.here.run(request, logits, observer);
        }
        let child = match &mut self.child {
            Some(child) => child,
            none => none.insert(supervisor()?),
        };
        let mut report = child.run(request, logits, observer)?;
        let backend = BackendKind::parse(&report.backend)?;
        let proof = |proof: &Proof| proof.is_of(backend, &report.device);
        if !request.proved.iter().any(proof) {
            report.notes.extend(backend.unproved());
        }
        Ok(report)
    }
}

static PROVED: RwLock<Vec<Proof>> = RwLock::new(Vec::new());

/// Where self-tests have passed on this machine, as whoever keeps that knows it.
pub fn this_machine_passed(proofs: Vec<Proof>) {
    *PROVED.write().unwrap_or_else(PoisonError::into_inner) = proofs;
}

/// The same, as it was said last.
pub fn proved() -> Vec<Proof> {
    PROVED
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

fn supervisor() -> Result<Supervisor, RunError> {
    let program = Program::own()
        .map_err(|e| RunError::failed(format!("the engine process cannot be started: {e}")))?;
    let limits = Limits::of(&program);
    Ok(Supervisor::new(program, limits))
}

/// Looks which backends can run in an engine, with one that is started for it.
///
/// # Errors
/// An engine that does not start, ends, or does not answer.
pub fn probe() -> Result<Vec<BackendState>, RunError> {
    supervisor()?.probe()
}

/// Whether the system has a GPU's driver: NVIDIA's, AMD's, or that of WSL.
/// Looking costs nothing, which opening a driver's library does.
fn gpu_driver() -> bool {
    nvidia_driver() || Path::new("/dev/kfd").exists()
}

/// Whether the system has NVIDIA's driver, or that of WSL.
fn nvidia_driver() -> bool {
    ["/dev/nvidiactl", "/dev/dxg"]
        .iter()
        .any(|device| Path::new(device).exists())
}

/// The backend that `auto` stands for, as far as it can be told before a library is opened:
/// NVIDIA's where its driver is, else the first whose self-test has passed, else the CPU.
pub fn expected(backend: BackendKind) -> BackendKind {
    match backend {
        BackendKind::Auto if nvidia_driver() => BackendKind::Cuda,
        BackendKind::Auto => proved().first().map_or(BackendKind::Cpu, |p| p.backend),
        named => named,
    }
}

/// Computes in this process. It is what the engine process serves, too.
pub struct Here<B: Backend + ?Sized = dyn Backend> {
    runner: Runner<B>,
}

impl Here {
    /// On every backend of this build.
    pub fn all() -> Self {
        Self {
            runner: Runner::all(),
        }
    }
}

impl<B: Backend + ?Sized> Served for Here<B> {
    fn run(
        &mut self,
        request: &Request,
        logits: Option<&Path>,
        observer: &dyn Observer,
    ) -> Result<Report, RunError> {
        let ran = self.runner.run(request, observer)?;
        if let Some(path) = logits {
            let shape: Vec<usize> = ran
                .report
                .output
                .shape
                .iter()
                .map(|n| usize::try_from(*n).unwrap_or(usize::MAX))
                .collect();
            npy::save(path, &shape, &ran.logits)
                .map_err(|e| RunError::bad_request(e.to_string()))?;
        }
        Ok(ran.report)
    }

    fn probe(&mut self) -> Vec<BackendState> {
        let gpus = BackendKind::ALL.into_iter().filter(|kind| kind.is_gpu());
        gpus.map(|kind| self.runner.state(kind)).collect()
    }
}
