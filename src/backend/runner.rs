//! Requests one after another, each on the backend that it names.

use super::backends::{self, Backend};
use super::measure::Outcome;
use plan::run::{BackendKind, BackendState, Observer, Request, RunError, RunErrorKind};

/// The backends of a process, with what they keep from one request to the next.
pub struct Runner<B: Backend + ?Sized = dyn Backend> {
    backends: Vec<Box<B>>,
}

/// Without the backends that open GPU libraries: may go from thread to thread.
pub type LocalRunner = Runner<dyn Backend + Send>;

impl Runner {
    /// Every backend of this build; it stays on the thread that made it.
    pub fn all() -> Self {
        Self {
            backends: backends::all(),
        }
    }
}

impl LocalRunner {
    /// The backends that need no GPU.
    pub fn local() -> Self {
        Self {
            backends: backends::local(),
        }
    }
}

impl<B: Backend + ?Sized> Runner<B> {
    /// Runs `request` on the first of its candidates that lacks nothing.
    ///
    /// # Errors
    /// As [`Backend::run`]; a backend that is not in this build.
    pub fn run(&mut self, request: &Request, observer: &dyn Observer) -> Result<Outcome, RunError> {
        let mut lacking = None;
        for kind in request.backend.candidates() {
            let ran = self
                .backend(*kind)
                .and_then(|backend| backend.run(request, observer));
            match ran {
                Err(e) if e.kind == RunErrorKind::Missing => lacking = Some(e),
                ran => return ran,
            }
        }
        Err(lacking.unwrap_or_else(|| RunError::missing("no backend was asked for")))
    }

    /// The backend of this name.
    ///
    /// # Errors
    /// One that is not in this build.
    pub fn backend(&mut self, kind: BackendKind) -> Result<&mut B, RunError> {
        let found = self.backends.iter_mut().find(|b| b.kind() == kind);
        found.map(Box::as_mut).ok_or_else(|| {
            RunError::missing(format!(
                "this build has no {} backend; --backend cpu runs every plan",
                kind.name()
            ))
        })
    }

    /// How a backend stands on this machine.
    pub fn state(&self, kind: BackendKind) -> BackendState {
        match self.backends.iter().find(|b| b.kind() == kind) {
            Some(backend) => backend.state(),
            None => BackendState::none(kind, "not in this build"),
        }
    }
}
