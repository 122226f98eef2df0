//! An experiment for the screen.

use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use backend::microbenchmark;
use plan::run::{MicroReport, MicroRequest, RunError};

/// How long a sweep may take with the compilation of its kernels.
const LONGEST: Duration = Duration::from_secs(120);

fn apart(request: &MicroRequest) -> Result<MicroReport, RunError> {
    let failed = |e: std::io::Error| {
        RunError::failed(format!("the experiment's process cannot be started: {e}"))
    };
    let sweep: Vec<String> = request.sweep.iter().map(u32::to_string).collect();
    let mut child = Command::new(std::env::current_exe().map_err(failed)?)
        .args(["micro", &request.kernel, "--sweep", &sweep.join(",")])
        .args(["--backend", request.backend.name(), "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let (say, ended) = mpsc::channel();
    let (output, error) = (child.stdout.take(), child.stderr.take());
    let reader = |pipe: Option<Box<dyn std::io::Read + Send>>| {
        thread::spawn(move || {
            let mut text = String::new();
            if let Some(mut pipe) = pipe {
                // What cannot be read is not there.
                let _ = pipe.read_to_string(&mut text);
            }
            text
        })
    };
    let output = reader(output.map(|p| Box::new(p) as _));
    let error = reader(error.map(|p| Box::new(p) as _));
    thread::spawn(move || {
        let _ = say.send((output.join(), error.join()));
    });
    let Ok((output, error)) = ended.recv_timeout(LONGEST) else {
        // It may just have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
        return Err(RunError::failed(format!(
            "the experiment took more than {} s and was stopped",
            LONGEST.as_secs()
        )));
    };
    let _ = child.wait();
    let (output, error) = (output.unwrap_or_default(), error.unwrap_or_default());
    serde_json::from_str(&output).map_err(|_| {
        let said: Option<serde_json::Value> = error
            .lines()
            .last()
            .and_then(|l| serde_json::from_str(l).ok());
        let said = said.as_ref().and_then(|v| v.get("error")?.as_str());
        RunError::failed(said.unwrap_or("the experiment's process ended").to_owned())
    })
}

/// Runs an experiment for the screen: on the SIMT machine here, on a GPU in a
/// process of its own, which may hang or die.
pub(crate) fn away(request: &MicroRequest) -> Result<MicroReport, String> {
    if !request.backend.is_gpu() {
        return microbenchmark::run(request).map_err(|e| e.to_string());
    }
    apart(request).map_err(|e| e.to_string())
}
