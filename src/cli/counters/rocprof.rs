//! rocprofv3 on AMD's GPUs: a pass of the hardware counts one direction, so a forward is
//! made twice, and once more for the L2. Every launch of a process is seen, as nothing tells the profiler where the
//! forward begins: it is the last one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Counters, last_words, under};
use plan::run::{Observer, Request};
use study::profile::{self, Dispatch};

/// Counters of each direction, of one architecture.
pub(super) type Passes = [&'static [&'static str]; 2];

/// What a third pass counts: requests of the L2.
const L2: [&str; 2] = ["TCC_HIT_sum", "TCC_MISS_sum"];

/// Kernels of the runtime itself, which copy and fill.
const OF_THE_RUNTIME: &str = "__amd_rocclr_";

/// Largest file that is read.
const LARGEST: u64 = 64 << 20;

/// Reads of every launch of a forward of so many, then its writes, then its L2.
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
        let of = |launch: &Dispatch| {
            let traffic = profile::traffic(&launch.counters);
            let bytes = if reads { traffic.read } else { traffic.written };
            bytes.map(|bytes| bytes.round() as u64)
        };
        let forward = pass(tool, names, launches, request, observer, &of)?;
        for (sum, bytes) in kernels.iter_mut().zip(forward) {
            *sum += bytes;
        }
    }
    // An architecture without these counters has bytes all the same.
    let of = |launch: &Dispatch| profile::l2(&launch.counters);
    let l2 = pass(tool, &L2, launches, request, observer, &of);
    Ok(Counters {
        kernels,
        l2: l2.unwrap_or_default(),
    })
}

/// What one pass counted of each launch of the forward, in the order of launches.
fn pass<T>(
    tool: &Path,
    names: &[&str],
    launches: usize,
    request: &Request,
    observer: &dyn Observer,
    of: &dyn Fn(&Dispatch) -> Option<T>,
) -> Result<Vec<T>, String> {
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
    let mut all = counted(folder.path(), of)?;
    let Some(from) = all.len().checked_sub(launches) else {
        let last = last_words(&said);
        return Err(match (all.is_empty(), succeeded) {
            (true, true) => format!("rocprofv3 saw no launch{last}"),
            (true, false) => format!("rocprofv3 ended with an error{last}"),
            (false, _) => format!(
                "rocprofv3 saw {} launches and the forward has {launches}",
                all.len()
            ),
        });
    };
    Ok(all.split_off(from))
}

/// A value of every launch of ours, in the order of launches, from what lies below a
/// folder.
fn counted<T>(folder: &Path, of: &dyn Fn(&Dispatch) -> Option<T>) -> Result<Vec<T>, String> {
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
        let ours = profile.dispatches.iter().filter(|launch| {
            let kernel = profile.kernels.get(launch.kernel);
            kernel.is_some_and(|kernel| !kernel.name.starts_with(OF_THE_RUNTIME))
        });
        let lacks = || "rocprofv3 lacks a counter of a launch".to_owned();
        for launch in ours {
            all.push(of(launch).ok_or_else(lacks)?);
        }
    }
    Ok(all)
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
