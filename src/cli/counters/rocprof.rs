//! rocprofv3 on AMD's GPUs: a pass of the hardware counts one direction, so a forward is
//! made twice. Every launch of a process is seen, as nothing tells the profiler where the
//! forward begins: it is the last one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Counters, last_words, under};
use plan::run::{Observer, Request};
use study::profile::{self, Profile};

/// Counters of each direction, of one architecture.
pub(super) type Passes = [&'static [&'static str]; 2];

/// Kernels of the runtime itself, which copy and fill.
const OF_THE_RUNTIME: &str = "__amd_rocclr_";

/// Largest file that is read.
const LARGEST: u64 = 64 << 20;

/// Reads of every launch of a forward of so many, and then its writes.
///
/// # Errors
/// A sentence: it does not start, is not permitted, says nothing that is understood, or
/// is stopped.
pub(super) fn measure(
    tool: &Path,
    passes: Passes,
    launches: usize,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Counters, String> {
    let mut kernels = vec![0; launches];
    for (names, reads) in passes.into_iter().zip([true, false]) {
        let folder =
            tempfile::tempdir().map_err(|e| format!("no folder for rocprofv3's files: {e}"))?;
        let mut command = Command::new(tool);
        command
            .arg("--pmc")
            .args(names)
            .args(["--output-format", "csv", "-d"])
            .arg(folder.path())
            .arg("--");
        let (succeeded, said) = under(command, request, observer)?;
        let bytes = bytes(folder.path(), reads)?;
        let Some(from) = bytes.len().checked_sub(launches) else {
            let last = last_words(&said);
            return Err(match (bytes.is_empty(), succeeded) {
                (true, true) => format!("rocprofv3 saw no launch{last}"),
                (true, false) => format!("rocprofv3 ended with an error{last}"),
                (false, _) => format!(
                    "rocprofv3 saw {} launches and the forward has {launches}",
                    bytes.len()
                ),
            });
        };
        let forward = bytes.get(from..).unwrap_or_default();
        for (sum, bytes) in kernels.iter_mut().zip(forward) {
            *sum += bytes;
        }
    }
    Ok(Counters { kernels })
}

/// Bytes of one direction of every launch of ours, in the order of launches, from what
/// lies below a folder.
fn bytes(folder: &Path, reads: bool) -> Result<Vec<u64>, String> {
    let mut all = Vec::new();
    for file in tables(folder) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if fs::metadata(&file).is_ok_and(|facts| facts.len() > LARGEST) {
            return Err(format!("{name} is larger than a forward's counters are"));
        }
        let text = fs::read(&file).map_err(|e| format!("{name}: {e}"))?;
        // A process that launched nothing leaves a head alone.
        let Ok(profile) = profile::read(&text) else {
            continue;
        };
        all.extend(of(&profile, reads)?);
    }
    Ok(all)
}

fn of(profile: &Profile, reads: bool) -> Result<Vec<u64>, String> {
    let ours = profile.dispatches.iter().filter(|launch| {
        let kernel = profile.kernels.get(launch.kernel);
        kernel.is_some_and(|kernel| !kernel.name.starts_with(OF_THE_RUNTIME))
    });
    let bytes = |launch: &profile::Dispatch| {
        let traffic = profile::traffic(&launch.counters);
        let bytes = if reads { traffic.read } else { traffic.written };
        bytes
            .map(|bytes| bytes.round() as u64)
            .ok_or_else(|| "rocprofv3 lacks a counter of a launch".to_owned())
    };
    ours.map(bytes).collect()
}

/// Every `…counter_collection.csv` below a folder.
fn tables(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(tables(&path));
        } else if path.to_string_lossy().ends_with("counter_collection.csv") {
            found.push(path);
        }
    }
    found.sort();
    found
}
