//! An experiment for the screen and for studies.

use std::time::Duration;

use crate::follow::{follow, sentence};
use backend::microbenchmark;
use plan::run::{MicroReport, MicroRequest, RunError};

/// How long a sweep may take with the compilation of its kernels.
const LONGEST: Duration = Duration::from_secs(120);

fn apart(request: &MicroRequest) -> Result<MicroReport, RunError> {
    let sweep: Vec<String> = request.sweep.iter().map(u32::to_string).collect();
    let backend = request.backend.name();
    let arguments = [
        "micro",
        &request.kernel,
        "--sweep",
        &sweep.join(","),
        "--backend",
        backend,
        "--json",
    ];
    let ended = follow(&arguments.map(str::to_owned), |_| LONGEST, |_| {}).map_err(|e| {
        RunError::failed(format!("the experiment's process cannot be started: {e}"))
    })?;
    if ended.hung {
        let seconds = LONGEST.as_secs();
        let why = format!("the experiment took more than {seconds} s and was stopped");
        return Err(RunError::failed(why));
    }
    serde_json::from_str(&ended.output).map_err(|_| match ended.last.as_str() {
        "" => RunError::failed("the experiment's process ended".to_owned()),
        said => RunError::failed(sentence(said)),
    })
}

/// Runs an experiment: on the SIMT machine here, on a GPU in a process of its own, which
/// may hang or die.
pub(crate) fn micro(request: &MicroRequest) -> Result<MicroReport, RunError> {
    match request.backend.is_gpu() {
        false => microbenchmark::run(request),
        true => apart(request),
    }
}
