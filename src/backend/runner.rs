//! Requests one after another, each on the backend that it names.

use super::backends::{self, Backend};
use super::measure::Outcome;
use plan::run::{BackendKind, BackendState, Observer, Proof, Request, RunError, RunErrorKind};

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
            let mut why = None;
            if *kind != request.backend && kind.needs_proof() {
                why = self.proof(*kind, request, observer).map(Proof::why);
                if why.is_none() {
                    continue;
                }
            }
            let ran = self
                .backend(*kind)
                .and_then(|backend| backend.run(request, observer));
            match ran {
                Err(e) if e.kind == RunErrorKind::Missing => lacking = Some(e),
                Err(e) => return Err(e),
                Ok(mut ran) => {
                    ran.report.notes.extend(why);
                    return Ok(ran);
                }
            }
        }
        Err(lacking.unwrap_or_else(|| RunError::missing("no backend was asked for")))
    }

    /// The self-test that has passed on the very device of a backend. A device is opened
    /// only where there is one of its backend.
    fn proof<'r>(
        &mut self,
        kind: BackendKind,
        request: &'r Request,
        observer: &dyn Observer,
    ) -> Option<&'r Proof> {
        if request.proved.iter().all(|proof| proof.backend != kind) {
            return None;
        }
        let device = self.backend(kind).ok()?.open(observer).ok()?;
        let mut proofs = request.proved.iter();
        proofs.find(|proof| proof.is_of(kind, &device))
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

#[cfg(test)]
mod tests {
    use super::*;
    use plan::cost::Config;
    use plan::fusion::Version;
    use plan::run::Unwatched;

    /// A backend that says no.
    struct Refuses(BackendKind, fn(&'static str) -> RunError);

    impl Backend for Refuses {
        fn kind(&self) -> BackendKind {
            self.0
        }

        fn state(&self) -> BackendState {
            BackendState::none(self.0, "refuses")
        }

        fn open(&mut self, _: &dyn Observer) -> Result<String, RunError> {
            Err((self.1)(self.0.name()))
        }

        fn run(&mut self, _: &Request, observer: &dyn Observer) -> Result<Outcome, RunError> {
            Err(self.open(observer).unwrap_err())
        }
    }

    fn refused(asked: BackendKind, cuda: fn(&'static str) -> RunError) -> String {
        let mut runner: Runner = Runner {
            backends: vec![
                Box::new(Refuses(BackendKind::Cpu, RunError::failed)),
                Box::new(Refuses(BackendKind::Cuda, cuda)),
            ],
        };
        let request = Request {
            backend: asked,
            ..Request::new(Config::preset("workshop", Version::V1.cut()).unwrap())
        };
        runner.run(&request, &Unwatched).unwrap_err().to_string()
    }

    #[test]
    fn auto_goes_on_where_a_backend_lacks_something_and_stops_where_it_fails() {
        assert_eq!(refused(BackendKind::Auto, RunError::missing), "cpu");
        assert_eq!(refused(BackendKind::Auto, RunError::failed), "cuda");
        assert_eq!(refused(BackendKind::Cuda, RunError::missing), "cuda");
        assert!(refused(BackendKind::Hip, RunError::missing).contains("no hip backend"));
    }

    #[test]
    fn a_backend_is_in_the_build_or_says_that_it_is_not() {
        let local = LocalRunner::local();
        assert!(local.state(BackendKind::Cpu).ready && local.state(BackendKind::Simt).ready);
        assert_eq!(local.state(BackendKind::Cuda).line, "not in this build");
        let kinds: Vec<BackendKind> = Runner::all().backends.iter().map(|b| b.kind()).collect();
        for (kind, there) in [
            (BackendKind::Cuda, cfg!(feature = "cuda")),
            (BackendKind::Hip, cfg!(feature = "hip")),
        ] {
            assert_eq!(kinds.contains(&kind), there, "{}", kind.name());
        }
    }
}
