//! Which of ROCm's libraries and which of its devices are taken, and what is said where none
//! is, against the stand-ins (`standin`).

#![cfg(all(feature = "hip", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::path::Path;

use crate::standin::Setting;

// ---- finding the libraries ------------------------------------------------------

#[test]
fn each_release_is_found_by_its_names() {
    for (folder, release) in [
        ("rocm5", "HIP 5.2.21153"),
        ("rocm6", "ROCm 6.2.0-66"),
        ("rocm7", "HIP 7.2.21153"),
    ] {
        let line = format!("AMD Instinct MI210, gfx90a, {release}");
        let ran = Setting::new(folder).line("doctor --json");
        let (state, found, notes) = ran.hip();
        assert_eq!((state.as_str(), found), ("ready", line), "{notes}");
        let major = &folder[4..];
        assert!(
            notes.contains(&format!("{folder}/lib/libamdhip64.so.{major}")),
            "{notes}"
        );
        assert!(
            notes.contains(&format!("compiler: HIPRTC of {release}, ")),
            "{notes}"
        );
        assert!(notes.contains("0: AMD Instinct MI210, gfx90a, waves of 64, 104 compute units"));
        assert!(notes.contains("--pmc TCC_EA_RDREQ_sum"), "{notes}");
        ran.is_proper();
    }
}

#[test]
fn the_backend_is_taken_by_name_only_and_doctor_says_so() {
    let setting = Setting::new("rocm6");
    let (_, _, notes) = setting.line("doctor --json").hip();
    assert!(
        notes.contains("named, --backend hip; auto takes it once selftest --backend hip"),
        "{notes}"
    );
    let ran = setting.line("run --seq 8 --runs 1 --json");
    assert_eq!(ran.json()["backend"], "cpu");
    assert_eq!(ran.lines("compile for"), 0, "{}", ran.log);
}

#[test]
fn auto_takes_the_backend_where_its_self_test_has_passed_and_says_so() {
    let setting = Setting::new("rocm6");
    let device = "AMD Instinct MI210 (gfx90a), HIPRTC of ROCm 6.2.0-66";
    let line = "--state state run --no-check --seq 16 --runs 1 --json";
    setting.proves(device, tinyllama_tutor::BUILD);
    let ran = setting.line(line);
    assert_eq!(
        (ran.code, ran.json()["backend"].as_str()),
        (0, Some("hip")),
        "{}",
        ran.err
    );
    let notes = ran.json()["notes"].to_string();
    assert!(
        notes.contains("auto took hip: selftest --backend hip passed on this device, driver and build, 2026-01-02"),
        "{notes}"
    );
    assert!(!notes.contains("no AMD GPU was at hand"), "{notes}");
    let (_, _, notes) = setting.line("--state state doctor --json").hip();
    assert!(notes.contains("auto takes it, or --backend hip"), "{notes}");
    // Named, and not proved: the report says what it is.
    let named = "run --backend hip --no-check --seq 16 --runs 1 --json";
    let notes = setting.line(named).json()["notes"].to_string();
    assert!(notes.contains("no AMD GPU was at hand"), "{notes}");
    // Another device, and another build.
    let other = [
        (device.replace("MI210", "MI300A"), tinyllama_tutor::BUILD),
        (device.to_owned(), "x"),
    ];
    for (device, build) in other {
        setting.proves(&device, build);
        assert_eq!(
            setting.line(line).json()["backend"],
            "cpu",
            "{device} {build}"
        );
    }
}

#[test]
fn a_machine_without_rocm_is_told_so() {
    if Path::new("/dev/kfd").exists() {
        eprintln!("skipped: this machine has an AMD GPU");
        return;
    }
    for line in ["selftest --backend hip", "run --backend hip"] {
        let ran = Setting::new("nothing").line(line);
        ran.refused(
            3,
            &["no AMD GPU and no ROCm are here", "cpu and simt need none"],
        );
    }
    let ran = Setting::new("nothing").line("--version");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn a_missing_compiler_function_or_neighbour_has_a_sentence_each() {
    Setting::new("no-compiler")
        .line("run --backend hip")
        .refused(3, &["no HIPRTC", "HIPRTC_LIBRARY names the file"]);
    Setting::new("no-compiler")
        .line("selftest --backend hip --quick")
        .refused(3, &["no HIPRTC"]);
    Setting::new("lacking")
        .line("run --backend hip")
        .refused(3, &["lacks hipStreamBeginCapture", "ROCm 5.2 or newer"]);
    Setting::new("no-hsa").line("run --backend hip").refused(
        3,
        &[
            "the architecture of device 0 is not known",
            "libhsa-runtime64.so.1",
        ],
    );
    Setting::new("rocm6")
        .with("HIP_LIBRARY", "/etc/hostname")
        .line("run --backend hip")
        .refused(3, &["HIP_LIBRARY names /etc/hostname"]);
    Setting::new("rocm6")
        .with("HIPRTC_LIBRARY", "/etc/hostname")
        .line("run --backend hip")
        .refused(3, &["HIPRTC_LIBRARY names /etc/hostname"]);
}

#[test]
fn an_architecture_that_the_compiler_does_not_know_ends_the_compiler_alone() {
    let setting = Setting::new("rocm6").with("STANDIN_ARCHS", "gfx906 gfx908");
    let ran = setting.line("run --backend hip");
    ran.refused(
        3,
        &[
            "HIPRTC of ROCm 6.2.0-66",
            "makes no code for gfx90a",
            "signal 6: LLVM ERROR: unknown target gfx90a",
            "HIPRTC_LIBRARY",
        ],
    );
    // A self-test of nothing is that one sentence as well.
    setting
        .line("selftest --backend hip --quick")
        .refused(3, &["makes no code for gfx90a"]);
    let (state, line, _) = setting.line("doctor --json").hip();
    assert_eq!(state, "none");
    assert!(line.contains("makes no code for gfx90a"), "{line}");
    // Without a backend named, the CPU does it.
    let ran = setting.line("run --seq 8 --runs 1 --json");
    assert_eq!((ran.code, ran.json()["backend"].as_str()), (0, Some("cpu")));
}

// ---- devices ------------------------------------------------------------------

const TWO: &str = "gfx90a:64:110:AMD Instinct MI250X,gfx1030:32:60:AMD Radeon RX 6800";

#[test]
fn two_gpus_of_different_kinds_are_told_apart() {
    let setting = Setting::new("rocm6").with("STANDIN_DEVICES", TWO);
    let (state, line, notes) = setting.line("doctor --json").hip();
    assert_eq!(state, "ready");
    assert_eq!(line, "AMD Instinct MI250X (one GCD), gfx90a, ROCm 6.2.0-66");
    assert!(
        notes.contains("1: AMD Radeon RX 6800, gfx1030, waves of 32"),
        "{notes}"
    );
    assert!(
        notes.contains("different kinds (gfx90a, gfx1030)"),
        "{notes}"
    );
    let second = setting.with("HIP_VISIBLE_DEVICES", "1");
    let (_, line, notes) = second.line("doctor --json").hip();
    assert_eq!(line, "AMD Radeon RX 6800, gfx1030, ROCm 6.2.0-66");
    assert!(!notes.contains("different kinds"), "{notes}");
    // Counters that this architecture does not have are not asked for.
    assert!(
        notes.contains("FETCH_SIZE") && !notes.contains("TCC_EA"),
        "{notes}"
    );
    let ran = second.line("run --backend hip --no-check --runs 1 --seq 16 --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.log.contains("compile for gfx1030"), "{}", ran.log);
    assert!(!ran.log.contains("compile for gfx90a"), "{}", ran.log);
}

#[test]
fn hidden_gpus_are_said_to_be_hidden() {
    let hidden = |value: &str| {
        Setting::new("rocm6")
            .with("HIP_VISIBLE_DEVICES", value)
            .line("run --backend hip")
    };
    hidden("").refused(3, &["HIP_VISIBLE_DEVICES is empty, which hides every GPU"]);
    hidden("7").refused(3, &["HIP_VISIBLE_DEVICES is “7”, which leaves no GPU"]);
    Setting::new("rocm6")
        .with("STANDIN_FAULT", "init=3")
        .line("run --backend hip")
        .refused(3, &["HIP does not start: standin's words (error 3)"]);
}
