//! An experiment for the screen and for studies.

use std::time::Duration;

use crate::follow::{follow, sentence};
use backend::{hierarchy, microbenchmark};
use plan::run::{
    HostReport, HostRequest, MemoryReport, MemoryRequest, MicroReport, MicroRequest, Observer,
    RunError,
};
use serde::de::DeserializeOwned;

/// How long a sweep may take with the compilation of its kernels.
const LONGEST: Duration = Duration::from_secs(120);

/// What this program prints as JSON for these arguments, in a process of its own, which
/// may hang or die.
pub(crate) fn ours<T: DeserializeOwned>(arguments: &[&str]) -> Result<T, RunError> {
    let arguments: Vec<String> = arguments
        .iter()
        .chain(&["--json"])
        .map(|a| (*a).to_owned())
        .collect();
    let ended = follow(&arguments, |_| LONGEST, |_| {}).map_err(|e| {
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
        true => {
            let sweep: Vec<String> = request.sweep.iter().map(u32::to_string).collect();
            let (sweep, backend) = (sweep.join(","), request.backend.name());
            ours(&[
                "micro",
                &request.kernel,
                "--sweep",
                &sweep,
                "--backend",
                backend,
            ])
        }
    }
}

/// Measures memory over the working set: a CPU's here, a GPU's in a process of its own.
pub(crate) fn memory(
    request: &MemoryRequest,
    observer: &dyn Observer,
) -> Result<MemoryReport, RunError> {
    match request.backend.is_gpu() {
        false => hierarchy::measure(request, observer),
        true => {
            let sizes: Vec<String> = request.sizes.iter().map(u64::to_string).collect();
            let (sizes, backend) = (sizes.join(","), request.backend.name());
            ours(&["dev", "memory", "--sizes", &sizes, "--backend", backend])
        }
    }
}

/// Measures a case of copies between host and device, in a process of its own: one that
/// hangs or dies takes no other with it.
pub(crate) fn host_memory(request: &HostRequest) -> Result<HostReport, RunError> {
    let request = serde_json::to_string(request).map_err(|e| RunError::failed(e.to_string()))?;
    ours(&["dev", "host", &request])
}
