use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use plan::cost::Config;
use plan::fusion::Version;
use plan::run::{LaunchReport, RunError};

fn request() -> Request {
    Request::new(Config::preset("workshop", Version::V4.cut()).unwrap())
}

/// A folder with an `ncu` that is a shell script. Another process writes it: a file that
/// this one has open cannot be executed, and a child that another test starts at that
/// moment has it open for a while longer.
fn fake(script: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let [text, file] = ["text", "ncu"].map(|name| folder.path().join(name));
    fs::write(&text, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(&text, fs::Permissions::from_mode(0o755)).unwrap();
    let copied = Command::new("cp").arg("-p").args([&text, &file]).status();
    assert!(copied.unwrap().success());
    (folder, file)
}

/// Prints what it was asked into `asked`, and a table of two launches.
const SPEAKS: &str = r#"
here=$(dirname "$0")
echo "$@" > "$here/arguments"
for last; do :; done
cp "$last" "$here/asked"
echo '==PROF== Connected to process 1'
echo '"ID","Kernel Name","dram__bytes_read.sum","dram__bytes_write.sum","lts__t_sectors_lookup_hit.sum","lts__t_sectors_lookup_miss.sum"'
echo '"","","byte","byte","sector","sector"'
echo '"0","embed","1,024","512","10","48"'
echo '"1","block","2,048","0","290","52"'
"#;

#[test]
fn ncu_is_asked_for_the_counted_forward_alone() {
    let (folder, ncu) = fake(SPEAKS);
    let asked = Request {
        profiled: true,
        ..request()
    };
    let counters = measure(&ncu, &asked, &Unwatched).unwrap();
    assert_eq!(counters.kernels, [1024 + 512, 2048]);
    // 300 of 400 sectors in all.
    let l2 = counters.l2.iter().copied().reduce(LookUps::and);
    assert_eq!(l2.and_then(LookUps::rate), Some(0.75));
    let arguments = fs::read_to_string(folder.path().join("arguments")).unwrap();
    for needle in [
        "--csv --page raw --print-units base",
        "--metrics dram__bytes_read.sum,dram__bytes_write.sum",
        "--clock-control none",
        "--target-processes all",
        "--profile-from-start off",
        " dev counted ",
    ] {
        assert!(arguments.contains(needle), "no “{needle}” in {arguments}");
    }
    // The request crosses whole.
    let text = fs::read_to_string(folder.path().join("asked")).unwrap();
    assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), asked);
}

#[test]
fn a_profiler_is_found_in_the_first_folder_that_has_it() {
    let (folder, ncu) = fake("");
    let folders = || [PathBuf::from("/nowhere"), folder.path().to_owned()];
    assert_eq!(found("ncu", folders()), Some(ncu));
    assert_eq!(found("rocprofv3", folders()), None);
}

fn report(counted: u64, library: u64) -> Report {
    Report {
        launches: LaunchReport { counted, library },
        ..Report::bare("cuda", "a GPU", counted + library)
    }
}

#[test]
fn launches_that_do_not_add_up_fill_nothing() {
    let counters = Counters {
        kernels: vec![100, 20],
        l2: vec![],
    };
    let mut right = report(2, 0);
    put(&mut right, &counters);
    assert_eq!(right.bytes.measured_dram, Some(120));
    // Two of ours and one call of the library, of which one launch was seen.
    for (own, library) in [(3, 0), (1, 0), (2, 1)] {
        let mut other = report(own, library);
        put(&mut other, &counters);
        assert_eq!(other.bytes.measured_dram, None);
        assert!(
            other.notes[0].contains("saw 2 launches"),
            "{:?}",
            other.notes
        );
    }
}

#[test]
fn another_backend_has_no_counters() {
    let mut here = Report {
        backend: "simt".into(),
        ..report(7, 0)
    };
    fill(&mut here, &request(), &Unwatched);
    assert_eq!(here.bytes.measured_dram, None);
    assert!(
        here.notes[0].contains("simt has no counters"),
        "{:?}",
        here.notes
    );
}

/// A rocprofv3 that writes a table of each pass: a kernel of the runtime, a launch of an
/// earlier forward, and two of the one that counts; a request of 64 bytes each time.
#[cfg(feature = "hip")]
const COUNTS: &str = r#"
here=$(dirname "$0")
echo "$@" >> "$here/arguments"
for last; do :; done
cp "$last" "$here/asked"
names=
while [ $# -gt 0 ]; do
    case $1 in
    -d) out=$2 ;;
    TCC_*) names="$names $1" ;;
    esac
    shift
done
mkdir -p "$out/node"
file="$out/node/7_counter_collection.csv"
echo '"Dispatch_Id","Agent_Id","Process_Id","Kernel_Name","Grid_Size","Counter_Name","Counter_Value"' > "$file"
at=0
for kernel in __amd_rocclr_copyBuffer embed embed block; do
    at=$((at + 1))
    for name in $names; do
        case $name in
        *_32B_sum | *BUBBLE*) value=0 ;;
        *) value=$((at * 10)) ;;
        esac
        echo "$at,\"Agent 4\",7,\"$kernel\",256,\"$name\",$value" >> "$file"
    done
done
cp "$file" "$here/table"
"#;

#[cfg(feature = "hip")]
#[test]
fn rocprofv3_is_asked_for_each_direction_and_the_last_forward_counts() {
    let (folder, tool) = fake(COUNTS);
    let passes = backend::gpu::hip::rocprof::passes("gfx90a");
    let counters = rocprof::measure(&tool, passes, 2, &request(), &Unwatched).unwrap();
    // Launches 3 and 4: 30 and 40 reads of 64 bytes; as many writes, all of them large:
    // 32 (n - n) + 64 n bytes.
    assert_eq!(counters.kernels, [2 * 64 * 30, 2 * 64 * 40]);
    let said = fs::read_to_string(folder.path().join("arguments")).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 3);
    // Launches 3 and 4 again: as many hits as misses.
    let l2 = counters.l2.iter().copied().reduce(LookUps::and);
    assert_eq!(
        l2,
        Some(LookUps {
            hits: 70,
            misses: 70
        })
    );
    assert!(lines[2].starts_with("--pmc TCC_HIT_sum TCC_MISS_sum --output-format csv -d "));
    assert!(
        lines[0].starts_with("--pmc TCC_EA_RDREQ_sum TCC_EA_RDREQ_32B_sum --output-format csv -d ")
    );
    assert!(lines[1].starts_with("--pmc TCC_EA_WRREQ_sum TCC_EA_WRREQ_64B_sum "));
    assert!(
        lines
            .iter()
            .all(|line| line.contains(" -- ") && line.contains(" dev counted "))
    );
    let text = fs::read_to_string(folder.path().join("asked")).unwrap();
    assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request());
    // More launches than it saw; a tool that ends with an error.
    let few = rocprof::measure(&tool, passes, 9, &request(), &Unwatched).unwrap_err();
    assert!(
        few.contains("saw 3 launches and the forward has 9"),
        "{few}"
    );
    let (_folder, broken) = fake("echo 'no counters for gfx1030' >&2; exit 1");
    let said = rocprof::measure(&broken, passes, 2, &request(), &Unwatched).unwrap_err();
    assert_eq!(
        said,
        "rocprofv3 ended with an error: no counters for gfx1030"
    );
}

#[cfg(feature = "hip")]
#[test]
fn the_architecture_is_read_off_the_device() {
    assert_eq!(
        arch("AMD Instinct MI210 (gfx90a), HIPRTC of ROCm 6.2.0-66"),
        "gfx90a"
    );
    assert_eq!(
        arch("AMD Instinct MI250X (one GCD) (gfx90a), HIPRTC"),
        "gfx90a"
    );
    assert_eq!(arch("another"), "");
}

/// Somebody who stops at once.
struct Stops;

impl Observer for Stops {
    fn progress(&self, _: Progress) {}

    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn a_stop_ends_it_and_what_it_started() {
    let (_folder, ncu) = fake("sleep 60 & wait\n");
    let began = std::time::Instant::now();
    let said = measure(&ncu, &request(), &Stops).unwrap_err();
    assert!(said.contains("stopped"), "{said}");
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_file_without_a_request_is_usage() {
    let (_folder, file) = fake("");
    assert!(counted(&file).is_err());
    let error: Failure = RunError::missing("x").into();
    assert_ne!(counted(&file).unwrap_err(), error);
}
