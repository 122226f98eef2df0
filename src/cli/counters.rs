//! `run --counters`: bytes that reached DRAM, by the device's own counters.
//!
//! Nsight Compute (`ncu`) reads them. It is started on this program again with
//! the same request (`dev counted`), which brackets one forward for it and runs
//! nothing else between; its table is read back here.

mod said;

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use clap::Args;

use super::Outcome;
use super::failure::Failure;
use backend::engine::{Here, Served};
use files::{plain, read_text};
use plan::run::{BackendKind, Observer, Phase, Progress, Report, Request, Unwatched};

/// Bytes that are counted or measured beside the times of a run.
#[derive(Debug, Args)]
pub(super) struct CountOptions {
    /// Count the bytes that loads and stores ask for, in a run apart
    #[arg(long, help_heading = "Run")]
    pub(super) count_bytes: bool,
    /// Measure the bytes that reach DRAM by the device's counters, under ncu
    #[arg(long, help_heading = "Run")]
    pub(super) counters: bool,
}

/// What is read: bytes between the device's memory and its L2, both ways.
pub(super) const METRICS: [&str; 2] = ["dram__bytes_read.sum", "dram__bytes_write.sum"];

/// How often it is looked whether the run is to stop.
const LOOKS: Duration = Duration::from_millis(20);

/// What the counters said of one forward.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counters {
    /// Bytes of each kernel, read and written together, in the order of launches.
    pub kernels: Vec<u64>,
}

/// Runs `request` once more under `ncu` and fills what `report` can know from
/// it; a sentence where it cannot be had.
pub(super) fn fill(report: &mut Report, request: &Request, observer: &dyn Observer) {
    if report.backend == BackendKind::Hip.name() {
        let why = "DRAM bytes are not measured: on AMD's GPUs rocprofv3 counts them, and the same run with --profile prints how";
        return report.notes.push(why.to_owned());
    }
    if report.backend != BackendKind::Cuda.name() {
        let why = format!(
            "DRAM bytes are not measured: {} has no counters of DRAM, an NVIDIA GPU has (--backend cuda)",
            report.backend
        );
        return report.notes.push(why);
    }
    let Some(ncu) = find(std::env::var_os("PATH").as_deref()) else {
        return report.notes.push(
            "DRAM bytes are not measured: ncu is not installed (Nsight Compute, part of the CUDA toolkit; PATH, CUDA_HOME and /usr/local/cuda/bin were searched)"
                .to_owned(),
        );
    };
    observer.progress(Progress::new(Phase::Count, 0, 1).about("under ncu"));
    let asked = Request {
        backend: BackendKind::Cuda,
        check: false,
        runs: 0,
        graph: false,
        count_bytes: false,
        profiled: true,
        ..request.clone()
    };
    match measure(&ncu, &asked, observer) {
        Ok(counters) => put(report, &counters),
        Err(why) => report
            .notes
            .push(format!("DRAM bytes are not measured: {why}")),
    }
}

/// Puts what was counted where it belongs: into the sum, and into the kernels
/// where they are listed and each of them was seen.
fn put(report: &mut Report, counters: &Counters) {
    let launched = report.launches.counted + report.launches.library;
    let seen = counters.kernels.len() as u64;
    // A call of a library may be more than one launch: only fewer is a defect.
    let whole = match report.launches.library {
        0 => seen == launched,
        _ => seen >= launched,
    };
    if !whole {
        return report.notes.push(format!(
            "DRAM bytes are not measured: ncu saw {seen} launches and the forward has {launched}"
        ));
    }
    report.bytes.measured_dram = Some(counters.kernels.iter().sum());
    if report.kernels.len() == counters.kernels.len() {
        for (kernel, bytes) in report.kernels.iter_mut().zip(&counters.kernels) {
            kernel.bytes.measured_dram = Some(*bytes);
        }
    }
    report.notes.push(
        "DRAM bytes are of one forward under ncu, kernel after kernel with the caches as the one before left them"
            .to_owned(),
    );
}

/// Where `ncu` is: on the path, else where the toolkit puts it.
fn find(path: Option<&OsStr>) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> =
        path.map_or_else(Vec::new, |p| std::env::split_paths(p).collect());
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        folders.extend(std::env::var_os(variable).map(|home| PathBuf::from(home).join("bin")));
    }
    folders.push(PathBuf::from("/usr/local/cuda/bin"));
    folders
        .into_iter()
        .map(|folder| folder.join("ncu"))
        .find(|file| file.is_file())
}

/// One forward under `ncu`.
///
/// # Errors
/// A sentence: it does not start, is not permitted, says nothing that is
/// understood, or is stopped.
fn measure(ncu: &Path, request: &Request, observer: &dyn Observer) -> Result<Counters, String> {
    let broken = |what: &str, e: &dyn std::fmt::Display| format!("{what}: {e}");
    let folder = tempfile::tempdir().map_err(|e| broken("no folder for its files", &e))?;
    let (asked, told) = (folder.path().join("request"), folder.path().join("told"));
    let text = serde_json::to_vec(request).map_err(|e| broken("the request", &e))?;
    std::fs::write(&asked, text).map_err(|e| broken("the request", &e))?;
    let said = File::create(&told).map_err(|e| broken("no file for what it says", &e))?;
    let own = std::env::current_exe().map_err(|e| broken("this program", &e))?;
    let mut command = Command::new(ncu);
    command
        .args(["--csv", "--page", "raw", "--print-units", "base"])
        .args(["--metrics", &METRICS.join(",")])
        // Clocks change no byte count; locking them needs rights of its own.
        .args(["--clock-control", "none"])
        // What a forward finds in L2 is what its kernels left there.
        .args(["--cache-control", "none"])
        .args(["--target-processes", "all", "--profile-from-start", "off"])
        .arg(own)
        .args(["dev", "counted"])
        .arg(&asked)
        .stdin(Stdio::null())
        .stderr(said.try_clone().map_err(|e| broken("its output", &e))?)
        .stdout(said);
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // Ctrl-C of the terminal is ours to pass on.
        command.process_group(0);
    }
    let child = command
        .spawn()
        .map_err(|e| broken(&format!("{} does not start", ncu.display()), &e))?;
    let status = wait(child, observer)?;
    let text = std::fs::read(&told).map_err(|e| broken("what it said", &e))?;
    said::read(&String::from_utf8_lossy(&text), status.success())
}

/// Waits for a process and ends it where the run is to stop.
fn wait(mut child: Child, observer: &dyn Observer) -> Result<ExitStatus, String> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if observer.cancelled() => {
                end(&mut child);
                return Err("it was stopped".to_owned());
            }
            Ok(None) => std::thread::sleep(LOOKS),
            Err(e) => {
                end(&mut child);
                return Err(format!("ncu cannot be waited for: {e}"));
            }
        }
    }
}

/// Ends a process with what it started: it leads a group of its own.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        // Not waited for yet, so the number is still this process's.
        let group = rustix::process::Pid::from_child(child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Largest request that is read: it holds the tokens.
const LARGEST: usize = 256 << 20;

/// `dev counted FILE`: the forward that `ncu` looks at, in this process.
///
/// # Errors
/// A file that holds no request; what the run says.
pub(super) fn counted(file: &Path) -> Outcome {
    let refused = |e: &dyn std::fmt::Display| Failure::usage(format!("{}: {e}", file.display()));
    let text = read_text(file, LARGEST).map_err(|e| refused(&plain(&e)))?;
    let request: Request = serde_json::from_str(&text).map_err(|e| refused(&e))?;
    Here::all().run(&request, None, &Unwatched)?;
    Ok(0)
}

#[cfg(test)]
mod tests;
