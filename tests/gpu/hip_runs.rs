//! Whole runs of the hip backend, and what goes wrong in them, against the stand-ins
//! (`standin`). What is measured is in `hip_measured`.

#![cfg(all(feature = "hip", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use serde_json::Value;

use crate::standin::Setting;

// ---- whole runs -----------------------------------------------------------------

#[test]
fn a_forward_is_as_many_launches_as_its_plan_has() {
    for (version, launches) in [("v1", 71), ("v2", 47), ("v3", 35)] {
        let line =
            format!("run --backend hip --version {version} --no-check --runs 3 --seq 16 --json");
        let ran = Setting::new("rocm6").line(&line);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let report = ran.json();
        assert_eq!(report["launches"]["counted"], launches, "{version}");
        assert_eq!(report["plan"]["launches"], launches);
        assert_eq!(
            report["device"],
            "AMD Instinct MI210 (gfx90a), HIPRTC of ROCm 6.2.0-66"
        );
        // Marks of the stand-in's clock are a quarter of a millisecond apart.
        assert_eq!(report["time_us"]["median"], 250.0);
        let started = ran.lines("launch ");
        assert_eq!(started % launches, 0, "{version}: {started}");
        assert!(started >= 3 * launches);
        ran.is_proper();
    }
}

#[test]
fn a_timeline_carries_the_plans_names_where_rocm_has_ranges() {
    let line = "run --backend hip --version v2 --no-check --runs 1 --seq 16 --json";
    let named = Setting::new("rocm7").line(line);
    assert_eq!(named.code, 0, "{}", named.err);
    let (forwards, launches) = (named.lines("range forward"), named.lines("launch "));
    // Every launch has a range of its own within that of its forward.
    assert_eq!(launches, 47 * forwards, "{}", named.log);
    assert_eq!(named.lines("range "), launches + forwards);
    assert_eq!(
        named.lines("range block 1: "),
        11 * forwards,
        "{}",
        named.log
    );
    named.is_proper();
    // Without the library nothing is named, and nothing fails.
    let plain = Setting::new("rocm6").line(line);
    assert_eq!((plain.code, plain.lines("range ")), (0, 0));
}

#[test]
fn a_graph_is_recorded_once_and_replayed() {
    let ran = Setting::new("rocm6")
        .line("run --backend hip --version v2 --no-check --runs 3 --seq 16 --graph --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let recorded = ran
        .log
        .lines()
        .filter(|line| line.ends_with(" recorded"))
        .count();
    assert_eq!(recorded, 47);
    assert!(ran.log.contains("hipStreamEndCapture of 47 launches"));
    // Once to move it to the device, then the timed ones.
    assert_eq!(ran.lines("hipGraphLaunch"), 4);
    assert_eq!(ran.json()["time_us"]["median"], 250.0);
    ran.is_proper();
}

#[test]
fn one_kernel_per_block_is_launched_as_a_cooperative_grid() {
    let line = "run --backend hip --version v4 --no-check --runs 1 --seq 1 --context 16 --json";
    let ran = Setting::new("rocm6").line(line);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.json()["launches"]["counted"], 7);
    // Two blocks fit on each of 104 compute units.
    let grid = ran
        .log
        .lines()
        .find(|line| line.starts_with("cooperative "))
        .unwrap();
    let blocks: u32 = grid
        .split("grid ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(blocks > 1 && blocks <= 208, "{grid}");
    ran.is_proper();
    Setting::new("rocm5").line(line).refused(
        3,
        &[
            "cooperative launch",
            "HIP 5.2.21153 has no",
            "ROCm 6 has it",
        ],
    );
    Setting::new("rocm6")
        .with("STANDIN_FAULT", "cooperative=0")
        .line(line)
        .refused(3, &["cooperative launch", "MI210 does not offer"]);
}

#[test]
fn kernels_that_do_nothing_fail_the_check() {
    let ran = Setting::new("rocm6").line("run --backend hip --runs 1 --seq 16 --json");
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let check = &ran.json()["check"];
    assert_eq!(check["pass"], false);
    assert_ne!(check["first_wrong"], Value::Null);
    // No time is taken of a wrong result.
    assert_eq!(ran.json()["time_us"], Value::Null);
}

#[test]
fn a_kernel_is_compiled_once_for_all_runs() {
    let setting = Setting::new("rocm6");
    let line = "run --backend hip --version v2 --no-check --runs 1 --seq 16 --json";
    let first = setting.line(line).lines("compile for");
    assert!(first > 5, "{first}");
    assert_eq!(setting.line(line).lines("compile for"), 0);
}

// ---- what goes wrong ------------------------------------------------------------

#[test]
fn failures_of_the_device_are_told_in_a_sentence() {
    let line = "run --backend hip --no-check --runs 1 --seq 16";
    let with = |fault: &str| {
        Setting::new("rocm6")
            .with("STANDIN_FAULT", fault)
            .line(line)
    };
    with("launch=719").refused(
        1,
        &[
            "launching embed",
            "unspecified launch failure (error 719)",
            "fresh process",
        ],
    );
    // A code that no header of ROCm 5 knows.
    with("launch=4321").refused(1, &["launching embed", ": error 4321"]);
    with("load=209").refused(1, &["cannot be loaded", "of one release"]);
    with("memory=1000000").refused(3, &["out of memory", "a smaller model"]);
    with("wait=700").refused(1, &["the device stopped while it worked", "(error 700)"]);
}

#[test]
fn an_engine_that_aborts_is_told_with_its_last_words() {
    let ran = Setting::new("rocm6")
        .with("STANDIN_FAULT", "abort=1")
        .line("run --backend hip --no-check --runs 1 --seq 16");
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(
        ran.err.contains("Memory access fault by GPU"),
        "{}",
        ran.err
    );
}

#[test]
fn what_the_compiler_refuses_is_told_with_its_line() {
    let ran = Setting::new("rocm6")
        .with("STANDIN_REFUSE", "void rmsnorm(")
        .line("run --backend hip --no-check --runs 1 --seq 16");
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(
        ran.err.contains("kernels/silu.cu:3: no such thing"),
        "{}",
        ran.err
    );
}

#[test]
fn what_hip_does_not_have_is_said() {
    Setting::new("rocm6")
        .line("run --backend hip --gemm library --no-check --runs 1 --seq 16")
        .refused(3, &["no library of products", "--gemm own"]);
    let ran = Setting::new("rocm6")
        .line("run --backend hip --count-bytes --no-check --runs 1 --seq 16 --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let notes = ran.json()["notes"].to_string();
    assert!(notes.contains("--backend simt counts"), "{notes}");
}

#[test]
fn the_self_test_finds_kernels_that_do_nothing() {
    let ran = Setting::new("rocm6").line("selftest --backend hip --quick --seed 1 --json");
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let test = ran.json();
    assert_eq!(test["backend"], "hip");
    assert_eq!(test["pass"], false);
}
