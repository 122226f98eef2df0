//! `run` and `compare` on a GPU, as the command line tells what came back, or
//! did not. A script stands in for the engine.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::fake_engine::fake_engine;
use tinyllama_tutor::engine::WRAP;
use tinyllama_tutor::run::{BytesReport, LaunchReport, OutputReport, Report, Timing};

/// A report of workshop V1 in bf16: 21.023 MB = per forward by the cost model.
fn report(counted: u64, library: u64, micros: f64) -> Report {
    Report {
        launches: LaunchReport { counted, library },
        time_us: Timing::of(&[micros], "events around each forward"),
        bytes: BytesReport {
            modelled: Some(42_047_488),
            issued: Some(63_071_232),
            ..BytesReport::default()
        },
        output: OutputReport {
            shape: vec![1, 128, 1000],
            sha256: "0123456789abcdef".into(),
            sample: vec![0.5],
        },
        notes: vec!["prebuilt kernels".into()],
        ..Report::bare("cuda", "NVIDIA H200, driver 580, NVRTC 13.0", 71)
    }
}

/// The program with this engine and a home of its own.
fn program(home: &Path, wrap: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tinyllama-tutor"));
    command
        .current_dir(home)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env(WRAP, wrap)
        .env("HOME", home)
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::null());
    command
}

/// Runs the program with an engine that does this: code, output, errors.
fn with_engine(on_run: &str, reports: &[Report], line: &str) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let wrap = fake_engine(folder.path(), on_run, reports);
    let out = program(folder.path(), &wrap)
        .args(line.split_whitespace())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        out.status.code().unwrap(),
        text(out.stdout),
        text(out.stderr),
    )
}

#[test]
fn a_run_tells_counted_bytes_and_the_librarys_launches_apart() {
    let (code, out, _) = with_engine(
        "cat timing done1",
        &[report(42, 29, 330.0)],
        "run --backend cuda --gemm library",
    );
    assert_eq!(code, 0, "{out}");
    let words: Vec<&str> = out.split_whitespace().collect();
    let counted = "42 # counted where kernels start and 29 # of the library, 71 = in the plan";
    assert!(words.join(" ").contains(counted), "{out}");
    assert!(out.contains("# issued"), "{out}");
    let (code, out, _) = with_engine("cat done1", &[report(70, 0, 330.0)], "run --backend cuda");
    assert_eq!(code, 1, "a launch is missing: {out}");
}

#[test]
fn compare_shows_modelled_issued_and_time_and_says_what_beats_the_roof() {
    // The roof of workshop V1 in fp32 on this data sheet is 14.71 µs.
    let (code, out, err) = with_engine(
        "cat done1 done2",
        &[report(71, 0, 30.0), report(71, 0, 9.0)],
        "compare v1 v1 --run --runs 2 --backend cuda",
    );
    assert_eq!(code, 0, "{out}{err}");
    let row = |label: &str| {
        let line = out
            .lines()
            .find(|l| l.trim_start().starts_with(label))
            .unwrap_or_else(|| panic!("{label} in\n{out}"));
        line.trim_start()[label.len()..]
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(row("bytes MB ="), ["42.047", "42.047"]);
    assert_eq!(row("MB issued #, forward"), ["63.071", "63.071"]);
    assert_eq!(row("time µs @, forward"), ["30.0", "9.0"]);
    assert_eq!(row("floor / time"), ["49.0", "%", ">100", "%"]);
    assert!(out.contains("or a roof that is too low"), "{out}");
}

#[test]
fn an_engine_that_dies_is_one_line_and_exit_code_1() {
    let (code, out, err) = with_engine(
        "cat compiling; echo 'nvrtc: internal error' >&2; kill -ABRT $$",
        &[],
        "run --backend cuda",
    );
    assert_eq!((code, out.as_str()), (1, ""));
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(
        err.contains("signal 6 (SIGABRT) while compiling flash for sm_90a"),
        "{err}"
    );
    assert!(err.contains("nvrtc: internal error"), "{err}");
}

#[test]
fn doctor_says_what_the_engine_found_or_that_it_could_not_look() {
    let (code, out, _) = with_engine("exit 1", &[], "doctor");
    assert_eq!(code, 0);
    assert!(out.contains("NVIDIA H200, driver 580, NVRTC 13.0"), "{out}");
    assert!(out.contains("libamdhip64.so not found"), "{out}");
    let home = tempfile::tempdir().unwrap();
    let out = program(home.path(), "/bin/false")
        .arg("doctor")
        .output()
        .unwrap();
    let out = String::from_utf8(out.stdout).unwrap();
    assert!(out.contains("ended with exit code 1 at its start"), "{out}");
    assert!(out.contains("cpu"), "{out}");
}
