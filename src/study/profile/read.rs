//! Which format a file has: by its first bytes, by its head, never by its name.

use super::table::Head;
use super::{Profile, ProfileError, Tool, amd, nvidia, pytorch};

/// Lines before the head: what tools say about their progress.
const PREAMBLE: usize = 10_000;

/// Columns that only this file has, newest format first.
const HEADS: &[(Tool, &[&str])] = &[
    (
        Tool::Rocprofv3Counters,
        &["Dispatch_Id", "Counter_Name", "Counter_Value"],
    ),
    (
        Tool::Rocprofv3Trace,
        &["Kernel_Name", "Start_Timestamp", "End_Timestamp", "Kind"],
    ),
    (
        Tool::RocprofCompute,
        &["Dispatch_ID", "Kernel_Name", "Start_Timestamp"],
    ),
    (Tool::RocprofResults, &["KernelName", "DurationNs"]),
    (
        Tool::Rocprofv3Stats,
        &["Name", "Calls", "TotalDurationNs", "MinNs"],
    ),
    (Tool::RocprofStats, &["Name", "Calls", "TotalDurationNs"]),
    (Tool::Nsys, &["Instances", "Name"]),
    (
        Tool::NcuDetails,
        &["Kernel Name", "Metric Name", "Metric Value"],
    ),
    (Tool::Ncu, &["ID", "Kernel Name"]),
];

/// Reads what a profiler wrote.
///
/// # Errors
/// [`ProfileError`]: a format that is not known, or known and kept in a
/// database or in binary, with the command that turns it into one that is read;
/// a row or a number that cannot be read, with its place.
pub fn read(bytes: &[u8]) -> Result<Profile, ProfileError> {
    if let Some(way_out) = binary(bytes) {
        return Err(ProfileError::whole(way_out));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let before = bytes.get(..e.valid_up_to()).unwrap_or_default();
        let line = 1 + before.iter().filter(|b| **b == b'\n').count();
        ProfileError::at(
            line,
            1,
            "this is neither text nor a format known by its first bytes. Reports of nsys and ncu are binary: nsys stats --report cuda_gpu_kern_sum --format csv FILE, or ncu --import FILE --csv --page raw --print-units base, writes what is read here",
        )
    })?;
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with(['{', '[']) {
        return pytorch::read(text);
    }
    let head = (1..)
        .zip(text.lines().take(PREAMBLE))
        .find_map(|(number, line)| {
            let head = Head::of(line.trim(), number)?;
            let known = HEADS.iter().find(|(_, columns)| head.has(columns))?;
            Some((known.0, head))
        });
    let Some((tool, head)) = head else {
        return Err(unknown(text));
    };
    let generated = text
        .lines()
        .take(PREAMBLE)
        .take_while(|line| !line.contains("Kernel Name") && !line.contains("Instances"))
        .any(|line| line.contains(super::sample::MARK));
    match tool {
        Tool::Nsys | Tool::RocprofStats | Tool::Rocprofv3Stats => {
            nvidia::sums(tool, &head, text, generated)
        }
        Tool::Ncu => nvidia::raw(&head, text, generated),
        Tool::NcuDetails => nvidia::details(&head, text, generated),
        Tool::Rocprofv3Counters => amd::counters(&head, text),
        _ => amd::launches(tool, &head, text),
    }
}

/// Why nothing could be read: no head of any tool.
fn unknown(text: &str) -> ProfileError {
    if text.trim().is_empty() {
        return ProfileError::whole(
            "the file is empty; was the program profiled to its end, and on a GPU?",
        );
    }
    if text.contains("ERR_NVGPUCTRPERM") {
        return ProfileError::whole(
            "ncu was not permitted to read the counters (ERR_NVGPUCTRPERM); an administrator permits it with NVreg_RestrictProfilingToAdminUsers=0 for the driver's module, or root runs it",
        );
    }
    let head = text.lines().find_map(|line| Head::of(line.trim(), 1));
    if head.is_some_and(|head| head.find(&["Total Time (us)", "Total Time (ms)"]).is_some()) {
        return ProfileError::whole(
            "times of nsys in another unit than nanoseconds; leave --timeunit out, and export it again",
        );
    }
    let all: Vec<&str> = Tool::ALL.into_iter().map(Tool::title).collect();
    ProfileError::at(
        1,
        1,
        format!(
            "no line is the head of a format that is known. Known are: {}",
            all.join("; ")
        ),
    )
}

/// What a binary file is, and the command that makes text of it.
fn binary(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"SQLite format 3\0") {
        return Some(
            "this is a database. rocprofv3 writes one by default since ROCm 7: rocpd convert -i FILE --output-format csv makes kernel_stats.csv and kernel_trace.csv of it. One of nsys: nsys stats --report cuda_gpu_kern_sum --format csv FILE",
        );
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Some("this is compressed; unpack it with gunzip");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_names_the_command_that_makes_it_readable() {
        let said = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert!(said(b"SQLite format 3\0....").contains("rocpd convert -i FILE"));
        assert!(said(b"\x1f\x8b\x08\0").contains("gunzip"));
        assert!(said(b"\x7fELF\xff\xfe").contains("nsys stats --report"));
        assert!(said(b" \n").contains("empty"));
        assert!(said(b"==ERROR== ERR_NVGPUCTRPERM - ...\n").contains("administrator"));
        assert!(said(b"a,b\n1,2\n").starts_with("1:1: no line is the head"));
        assert!(said(b"{\"rocprofiler-sdk-tool\":[]}").contains("--output-format csv"));
    }
}
