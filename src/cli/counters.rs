//! `run --counters`: bytes that reached DRAM, by the device's own counters.
//!
//! Nsight Compute (`ncu`) reads them, on AMD's GPUs rocprofv3. It is started on this
//! program again with the same request (`dev counted`), which brackets one forward for it
//! and runs nothing else between; its table is read back here.

#[cfg(feature = "hip")]
mod rocprof;
mod said;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use clap::Args;

use super::Outcome;
use super::failure::Failure;
use backend::engine::{Here, Served};
use files::{plain, read_text};
use plan::run::{BackendKind, LookUps, Observer, Phase, Progress, Report, Request, Unwatched};

/// Bytes that are counted or measured beside the times of a run.
#[derive(Debug, Args)]
pub(super) struct CountOptions {
    /// Count the bytes that loads and stores ask for, in a run apart
    #[arg(long, help_heading = "Run")]
    pub(super) count_bytes: bool,
    /// Measure the bytes that reach DRAM by the device's counters, under ncu or
    /// rocprofv3
    #[arg(long, help_heading = "Run")]
    pub(super) counters: bool,
}

/// What is read: bytes between the device's memory and its L2, both ways, and what the L2
/// was asked for.
pub(super) const METRICS: [&str; 4] = [
    DRAM[0],
    DRAM[1],
    "lts__t_sectors_lookup_hit.sum",
    "lts__t_sectors_lookup_miss.sum",
];

/// Without these it is no answer.
const DRAM: [&str; 2] = ["dram__bytes_read.sum", "dram__bytes_write.sum"];

/// How often it is looked whether the run is to stop.
const LOOKS: Duration = Duration::from_millis(20);

/// What the counters said of one forward.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counters {
    /// Bytes of each kernel, read and written together, in the order of launches.
    pub kernels: Vec<u64>,
    /// What each of them asked of the L2; empty where that was not counted.
    pub l2: Vec<LookUps>,
}

/// Runs `request` once more under `ncu` and fills what `report` can know from
/// it; a sentence where it cannot be had.
pub(super) fn fill(report: &mut Report, request: &Request, observer: &dyn Observer) {
    let asked = |backend| Request {
        backend,
        check: false,
        runs: 0,
        graph: false,
        count_bytes: false,
        profiled: true,
        ..request.clone()
    };
    let under = |tool: &str| Progress::new(Phase::Count, 0, 1).about(format!("under {tool}"));
    let counted = match BackendKind::parse(&report.backend) {
        #[cfg(feature = "hip")]
        Ok(BackendKind::Hip) => find("rocprofv3", &ROCM).and_then(|tool| {
            observer.progress(under("rocprofv3"));
            let passes = backend::gpu::hip::rocprof::passes(arch(&report.device));
            let launches = report.launches.counted as usize;
            rocprof::measure(&tool, passes, launches, &asked(BackendKind::Hip), observer)
        }),
        Ok(BackendKind::Cuda) => find("ncu", &CUDA).and_then(|tool| {
            observer.progress(under("ncu"));
            measure(&tool, &asked(BackendKind::Cuda), observer)
        }),
        _ => Err(format!(
            "{} has no counters of DRAM, a GPU has (--backend cuda or hip)",
            report.backend
        )),
    };
    match counted {
        Ok(counters) => put(report, &counters),
        Err(why) => report
            .notes
            .push(format!("DRAM bytes are not measured: {why}")),
    }
}

/// The architecture in a device's words: `gfx90a` of `… (gfx90a), HIPRTC of …`.
#[cfg(feature = "hip")]
fn arch(device: &str) -> &str {
    let inside = device.split('(').find(|part| part.starts_with("gfx"));
    inside
        .and_then(|part| part.split(')').next())
        .unwrap_or_default()
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
            "DRAM bytes are not measured: the profiler saw {seen} launches and the forward has {launched}"
        ));
    }
    report.bytes.measured_dram = Some(counters.kernels.iter().sum());
    report.bytes.l2 = counters.l2.iter().copied().reduce(LookUps::and);
    if report.kernels.len() == counters.kernels.len() {
        for (kernel, bytes) in report.kernels.iter_mut().zip(&counters.kernels) {
            kernel.bytes.measured_dram = Some(*bytes);
        }
        for (kernel, asked) in report.kernels.iter_mut().zip(&counters.l2) {
            kernel.bytes.l2 = Some(*asked);
        }
    }
    report.notes.push(
        "DRAM bytes are of one forward under the vendor's profiler, kernel after kernel with the caches as the one before left them"
            .to_owned(),
    );
}

/// A vendor's profiler: variables that name a toolkit, where the toolkit lies else, and how
/// the tool is had.
struct Toolkit {
    variables: [&'static str; 2],
    folder: &'static str,
    from: &'static str,
}

const CUDA: Toolkit = Toolkit {
    variables: ["CUDA_HOME", "CUDA_PATH"],
    folder: "/usr/local/cuda",
    from: "Nsight Compute, part of the CUDA toolkit",
};

#[cfg(feature = "hip")]
const ROCM: Toolkit = Toolkit {
    variables: ["ROCM_PATH", "ROCM_HOME"],
    folder: "/opt/rocm",
    from: "package rocprofiler-sdk, ROCm 6.2 and newer",
};

/// Where a profiler is: on the path, else where the toolkit puts it.
///
/// # Errors
/// A sentence: where it was looked for, and what brings it.
fn find(tool: &str, toolkit: &Toolkit) -> Result<PathBuf, String> {
    let on = std::env::var_os("PATH").unwrap_or_default();
    let homes = toolkit.variables.iter().filter_map(std::env::var_os);
    let homes = homes.map(|home| PathBuf::from(home).join("bin"));
    let last = Path::new(toolkit.folder).join("bin");
    found(tool, std::env::split_paths(&on).chain(homes).chain([last])).ok_or_else(|| {
        format!(
            "{tool} is not installed ({}; PATH, {} and {}/bin were searched)",
            toolkit.from, toolkit.variables[0], toolkit.folder
        )
    })
}

fn found(tool: &str, folders: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    let mut files = folders.into_iter().map(|folder| folder.join(tool));
    files.find(|file| file.is_file())
}

/// One forward under `ncu`.
///
/// # Errors
/// A sentence: it does not start, is not permitted, says nothing that is
/// understood, or is stopped.
fn measure(ncu: &Path, request: &Request, observer: &dyn Observer) -> Result<Counters, String> {
    let mut command = Command::new(ncu);
    command
        .args(["--csv", "--page", "raw", "--print-units", "base"])
        .args(["--metrics", &METRICS.join(",")])
        // Clocks change no byte count; locking them needs rights of its own.
        .args(["--clock-control", "none"])
        // What a forward finds in L2 is what its kernels left there.
        .args(["--cache-control", "none"])
        .args(["--target-processes", "all", "--profile-from-start", "off"]);
    let (succeeded, said) = under(command, request, observer)?;
    said::read(&said, succeeded)
}

/// Runs a request's forward with a profiler in front: whether that ended well, and all
/// that was said.
///
/// # Errors
/// A sentence: it does not start, or is stopped.
fn under(
    mut command: Command,
    request: &Request,
    observer: &dyn Observer,
) -> Result<(bool, String), String> {
    let broken = |what: &str, e: &dyn std::fmt::Display| format!("{what}: {e}");
    let folder = tempfile::tempdir().map_err(|e| broken("no folder for its files", &e))?;
    let (asked, told) = (folder.path().join("request"), folder.path().join("told"));
    let text = serde_json::to_vec(request).map_err(|e| broken("the request", &e))?;
    std::fs::write(&asked, text).map_err(|e| broken("the request", &e))?;
    let said = File::create(&told).map_err(|e| broken("no file for what it says", &e))?;
    let own = std::env::current_exe().map_err(|e| broken("this program", &e))?;
    let tool = Path::new(command.get_program()).display().to_string();
    command
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
        .map_err(|e| broken(&format!("{tool} does not start"), &e))?;
    let status = wait(child, observer)?;
    let text = std::fs::read(&told).map_err(|e| broken("what it said", &e))?;
    Ok((
        status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    ))
}

/// The last line of what was said, behind a colon; nothing where nothing was said.
fn last_words(text: &str) -> String {
    let mut lines = text.lines().rev().map(str::trim);
    lines
        .find(|line| !line.is_empty())
        .map_or(String::new(), |line| {
            format!(": {}", line.trim_matches('=').trim())
        })
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
                return Err(format!("it cannot be waited for: {e}"));
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
