//! Which GPU backends this machine can run.

use crate::run::{BackendKind, BackendState};

/// How the GPU backends stand. It opens drivers and libraries, which can take a
/// second or hang, so it is asked in an engine process only.
pub fn states() -> Vec<BackendState> {
    [BackendKind::Cuda, BackendKind::Hip]
        .map(|kind| BackendState::none(kind, "not in this build"))
        .into()
}
