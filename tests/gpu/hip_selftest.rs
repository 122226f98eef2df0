//! The self-test of the hip backend as a whole, and what ends a run, against stand-ins whose
//! kernels this computer executes.

#![cfg(all(feature = "hip", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::standin::{PROGRAM, SMALL, Setting};

fn all<'v>(test: &'v Value, key: &str) -> &'v Vec<Value> {
    test[key].as_array().unwrap()
}

/// Every kernel against fp64, planted defects, a kernel that hangs and one that tears the
/// device down: what a person with an AMD GPU runs first. Behind it `auto` takes hip.
#[test]
fn a_whole_self_test_passes_and_auto_takes_the_device() {
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let setting = setting.with("STANDIN_DEVICES", SMALL);
    let ran = setting.line("--state state selftest --backend hip --quick --seed 1 --json");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let test = ran.json();
    assert_eq!(test["pass"], true);
    // Six versions, two element types, each prefill and decode.
    assert_eq!(all(&test, "plans").len(), 12);
    for plan in all(&test, "plans") {
        assert_eq!(
            (&plan["forwards"], &plan["pass"]),
            (&2.into(), &true.into())
        );
    }
    // Every kernel of the table is among them, the one-launch kernels too.
    let kernels: Vec<&str> = all(&test, "kernels")
        .iter()
        .map(|kernel| kernel["entry"].as_str().unwrap())
        .collect();
    for entry in ["gemm", "flash", "flash_decode", "block", "block_decode"] {
        assert!(kernels.contains(&entry), "{entry} is not in {kernels:?}");
    }
    // A wrong norm, a wrong mask, a kernel that never ends, one that writes far outside, and
    // a forward after these.
    let planted = all(&test, "planted");
    assert_eq!(planted.len(), 5);
    for row in planted {
        assert_eq!(row["caught"], true, "{row}");
    }
    assert_eq!(planted[2]["seen"], "stopped after 10 s");
    let outside = planted[3]["seen"].as_str().unwrap();
    assert!(outside.contains("Memory access fault by GPU"), "{outside}");
    let kept = fs::read_to_string(setting.home.path().join("state/proved.json")).unwrap();
    assert!(kept.contains("MI210 (gfx90a)"), "{kept}");
    let ran = setting.line("--state state run --seq 8 --runs 1 --json");
    assert_eq!(ran.json()["backend"], "hip", "{}", ran.err);
    assert_eq!(ran.json()["check"]["pass"], true, "{}", ran.out);
}

/// A compiler that drops one sign: the kernel is named, and no time is taken.
#[test]
fn a_kernel_that_the_compiler_breaks_is_named() {
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let setting = setting.with("STANDIN_DEVICES", SMALL);
    let line = "run --backend hip --version v2 --batch 1 --seq 4 --runs 1 --json";
    let right = setting.line(line);
    assert_eq!(right.json()["check"]["pass"], true, "{}", right.err);
    fs::remove_dir_all(setting.home.path().join("cache")).unwrap();
    let broken = setting.with("STANDIN_DEFECT", "rsqrtf(row_sum=>-sqrtf(row_sum");
    let ran = broken.line(line);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let report = ran.json();
    let first = report["check"]["first_wrong"].to_string();
    assert!(first.contains("n1"), "{first}");
    assert_eq!(report["time_us"], Value::Null);
}

const FORWARD: &str = "run --backend hip --version v2 --no-check --batch 1 --seq 4 --runs 1";

/// The device never answers: the engine is ended after its deadline, and the command says
/// in which phase.
#[test]
fn a_device_that_never_answers_is_given_up() {
    let ran = Setting::new("rocm6")
        .with("STANDIN_FAULT", "hang=1")
        .line(FORWARD);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("gave no sign for"), "{}", ran.err);
}

/// Ctrl-C while the device is at work ends the command before its deadline, and its engine.
#[test]
fn a_stop_ends_a_run_whose_device_does_not_answer() {
    let setting = Setting::new("rocm6").with("STANDIN_FAULT", "hang=1");
    let mut command = setting.command(PROGRAM);
    command.args(FORWARD.split_whitespace());
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = setting.home.path().join("log");
    let begun = Instant::now();
    while !fs::read_to_string(&log).is_ok_and(|log| log.contains("\nwait")) {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "it does not wait"
        );
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let ended = child.wait_with_output().unwrap();
    // Behind its deadline it would have been given up, as above.
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
}
