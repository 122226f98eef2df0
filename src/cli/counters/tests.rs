use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use plan::cost::Config;
use plan::fusion::Version;
use plan::run::{BytesReport, LaunchReport, OutputReport, PlanReport, RunError};

fn request() -> Request {
    Request::new(Config::preset("workshop", Version::V4.cut()).unwrap())
}

/// A folder with an `ncu` that is a shell script.
fn fake(script: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ncu");
    fs::write(&file, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    (folder, file)
}

/// Prints what it was asked into `asked`, and a table of two launches.
const SPEAKS: &str = r#"
here=$(dirname "$0")
echo "$@" > "$here/arguments"
for last; do :; done
cp "$last" "$here/asked"
echo '==PROF== Connected to process 1'
echo '"ID","Kernel Name","dram__bytes_read.sum","dram__bytes_write.sum"'
echo '"","","byte","byte"'
echo '"0","embed","1,024","512"'
echo '"1","block","2,048","0"'
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
fn ncu_is_found_on_the_path() {
    let (folder, ncu) = fake("");
    let path = std::env::join_paths([Path::new("/nowhere"), folder.path()]).unwrap();
    assert_eq!(find(Some(&path)), Some(ncu));
}

fn report(counted: u64, library: u64) -> Report {
    Report {
        schema: 1,
        backend: "cuda".into(),
        device: "a GPU".into(),
        plan: PlanReport {
            fusions: vec![],
            groups: String::new(),
            launches: counted + library,
        },
        launches: LaunchReport { counted, library },
        time_us: None,
        bytes: BytesReport::default(),
        check: None,
        output: OutputReport {
            shape: vec![],
            sha256: String::new(),
            sample: vec![],
        },
        held_bytes: None,
        trace: None,
        kernels: vec![],
        notes: vec![],
    }
}

#[test]
fn launches_that_do_not_add_up_fill_nothing() {
    let counters = Counters {
        kernels: vec![100, 20],
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
