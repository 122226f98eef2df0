//! Studies, comparisons and written kernels on the hip backend, against the stand-ins
//! (`standin`). Their clock moves 250 µs at a mark and 10 at a launch, so that times have a
//! known answer.

#![cfg(all(feature = "hip", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::fs;

use serde_json::Value;
use tinyllama_tutor::course::{Course, Kernel, Key};

use crate::standin::{Ran, SMALL, Setting};

const TICK: &str = "tick=10";

/// The rows of a study's sheet.
fn rows(ran: &Ran, sheet: usize) -> Vec<Value> {
    let found = ran.json()["findings"]["sheets"][sheet]["rows"].clone();
    found.as_array().unwrap().clone()
}

fn finished(setting: &Setting, line: &str) -> Ran {
    let ran = setting.line(&format!("--state state {line} --json"));
    assert_eq!(ran.code, 0, "{line}: {}{}", ran.out, ran.err);
    ran.is_proper();
    ran
}

/// All eight, with what needs a clock taken from the device: a product after seconds of
/// work, where this device is twice as slow, and after a rest.
#[test]
fn sick_runs_show_their_number() {
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let fault = "tick=10,hot=2,slow=300,once=1,most=20000";
    let setting = setting
        .with("STANDIN_FAULT", fault)
        .with("STANDIN_DEVICES", SMALL);
    let line = "study sick --backend hip --batch 1 --seq 1";
    let ran = finished(&setting, line);
    let rows = rows(&ran, 0);
    let of = |name: &str, from: &str| {
        let row = rows.iter().find(|row| row[0] == name && row[5] == from);
        let row = row.unwrap_or_else(|| panic!("{name} {from}: {rows:?}"));
        [2, 3].map(|at| row[at].as_str().unwrap().parse::<f64>().unwrap())
    };
    assert_eq!(of("uncoalesced", "#"), [32.0, 4.0]);
    assert_eq!(of("launches", "=")[0], 71.0);
    // 256 tiles of a side of 4096 between two marks: 250 µs and one launch.
    let [sick, healthy] = of("clock", "@");
    assert!(
        (sick - 270.0).abs() < 0.1 && (healthy - 260.0).abs() < 0.1,
        "{rows:?}"
    );
    // By the host's clock: a wait of 300 µs and more behind each launch, and behind all 64.
    let [sick, healthy] = of("copies", "@");
    assert!(sick > 300.0 && healthy > 300.0 / 64.0, "{rows:?}");
    let notes = ran.json()["findings"]["notes"].to_string();
    assert!(notes.contains("this program's own, 4096"), "{notes}");
    assert!(notes.contains("no AMD GPU was at hand"), "{notes}");
    // V1 and V4 were run in turns, and the room was one that 64 KiB have.
    assert!(notes.contains("launches: V1 takes"), "{notes}");
    assert!(!notes.contains("low-occupancy:"), "{notes}");
}

/// How many blocks fit, and the copy timed at each room that a block may have.
#[test]
fn a_room_that_a_block_may_not_have_has_no_time() {
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let setting = setting.with("STANDIN_FAULT", "tick=10,once=1");
    let ran = finished(&setting, "study occupancy --backend hip --gpu mi210");
    let times: Vec<bool> = rows(&ran, 0).iter().map(|row| !row[6].is_null()).collect();
    // 0, 32, 48 KiB and three that are more than 64.
    assert_eq!(
        times,
        [true, true, true, false, false, false],
        "{}",
        ran.out
    );
    let notes = ran.json()["findings"]["notes"].to_string();
    assert!(
        notes.contains("no time at KiB per block 72, 112, 160"),
        "{notes}"
    );
    // Where none fits, the device says why.
    let line = "micro resident --sweep 160 --backend hip";
    setting
        .line(line)
        .refused(3, &["a block of this device may have 65536"]);
}

/// Every study that runs plans or looks at the machine: it ends, on this device.
#[test]
fn studies_end_on_this_device() {
    let setting = Setting::new("rocm6").with("STANDIN_FAULT", TICK);
    let small = "--batch 1 --seq 4 --no-check";
    for line in [
        format!("study ablate --fusions qkv,flash --run --backend hip {small} --runs 2"),
        format!("study scale --at 1,2,4 --run --backend hip {small} --runs 2"),
        format!("study precision --run --backend hip {small} --runs 2"),
        "study batch-size --memory 32MB --run --backend hip --seq 4 --no-check --runs 2".to_owned(),
        format!("study tune gemm --points 4 --backend hip {small} --runs 2"),
        format!("study timeline --backend hip --version v2 {small}"),
        "study hierarchy --backend hip --from 1MiB --to 2MiB".to_owned(),
    ] {
        let ran = finished(&setting, &line);
        assert!(
            ran.out.contains("AMD Instinct MI210 (gfx90a)"),
            "{line}: {}",
            ran.out
        );
        assert!(ran.lines("launch ") > 0, "{line}");
    }
    // The planner prices this backend's kernels, and opens no device.
    let planned = finished(&setting, "study plan --backend hip");
    assert_eq!(planned.log, "");
}

/// Kernels under roofs that are this device's, measured.
#[test]
fn kernels_stand_under_measured_roofs() {
    let setting = Setting::new("rocm6").with("STANDIN_FAULT", TICK);
    let line = "study roofline --backend hip --version v2 --batch 1 --seq 4 --no-check";
    let ran = finished(&setting, line);
    // Each of 47 kernels takes a launch between two marks.
    let said = ran.json()["findings"]["sentences"].to_string();
    assert!(said.contains("The kernels take 12220.0 µs @"), "{said}");
    assert!(!said.contains("not measured"), "{said}");
}

/// Every plan against fp64, tensor by tensor, in both element types.
#[test]
fn every_plan_is_compared_with_fp64() {
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let setting = setting.with("STANDIN_DEVICES", SMALL);
    let ran = finished(&setting, "study validate --backend hip --batch 1 --seq 4");
    let said = ran.json()["findings"]["sentences"].to_string();
    assert!(
        said.contains("8 of 8 plans that were compared pass"),
        "{said}"
    );
}

/// Launches, times with their ratio, memory held; stream and graph in turns.
#[test]
fn plans_are_compared_in_turns() {
    let setting = Setting::new("rocm6").with("STANDIN_FAULT", TICK);
    let line = "compare v1 v2 --run --backend hip --batch 1 --seq 4 --no-check --runs 18 --json";
    let ran = setting.line(line);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found = ran.json();
    // 250 µs of a mark, and 71 or 47 launches of 10.
    for (at, expected) in [(0, 960.0), (1, 720.0)] {
        let time = found[at]["time_us"]["median"].as_f64().unwrap();
        assert!((time - expected).abs() < 0.1, "{time}, not {expected}");
        let held = found[at]["held_bytes"].as_f64().unwrap();
        let modelled = found[at]["merit"]["held_bytes_modelled"].as_f64().unwrap();
        assert!(
            held >= modelled && held < 1.1 * modelled,
            "{held}, {modelled}"
        );
        let notes = found[at]["notes"].to_string();
        assert!(notes.contains("no AMD GPU was at hand"), "{notes}");
    }
    // Nine rounds, each with the same ratio.
    assert_eq!(found[1]["first_over_this"]["claimed"], true, "{}", ran.out);
    let ran = setting.line(&line.replace(" --json", " --both"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.lines("hipGraphLaunch") > 0, "{}", ran.out);
    let stairs = "compare --staircase --run --backend hip --batch 1 --seq 4 --no-check --runs 2";
    let ran = setting.line(stairs);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("flash"), "{}", ran.out);
}

/// A baseline of a suite, kept; the same build again is no slower.
#[test]
fn a_baseline_is_kept_and_compared_with() {
    let setting = Setting::new("rocm6").with("STANDIN_FAULT", TICK);
    let bench = "bench v1 v2 --backend hip --batches 1 --seqs 4 --no-check --save once";
    finished(&setting, bench);
    let again = finished(&setting, "regress --baseline once");
    assert!(
        again.out.contains("AMD Instinct MI210 (gfx90a)"),
        "{}",
        again.out
    );
}

/// What a forward takes is told before it is run, by this device's kernels, and measured.
#[test]
fn a_time_is_predicted_by_what_was_measured() {
    let setting = Setting::new("rocm6").with("STANDIN_FAULT", TICK);
    let line = "study predict v2 --backend hip --batch 1 --seq 4 --no-check --runs 2";
    let ran = finished(&setting, line);
    assert!(
        ran.out.contains("AMD Instinct MI210 (gfx90a)"),
        "{}",
        ran.out
    );
}

/// `auto` in a study is the backend that `auto` is in a run, for every setting.
#[test]
fn auto_in_a_study_is_hip_where_its_self_test_passed() {
    let line = "study tune --batch 1 --seq 32 --no-check --runs 2 --points";
    let setting = Setting::new("rocm6").with("STANDIN_FAULT", TICK);
    // Without a proof it is the CPU, whose kernel is called tiles.
    let ran = finished(&setting, &format!("{line} 2"));
    assert!(!ran.out.contains("MI210"), "{}", ran.out);
    setting.proves(
        "AMD Instinct MI210 (gfx90a), HIPRTC of ROCm 6.2.0-66",
        tinyllama_tutor::BUILD,
    );
    let ran = finished(&setting, &format!("{line} 64"));
    assert!(
        ran.out.contains("AMD Instinct MI210 (gfx90a)"),
        "{}",
        ran.out
    );
    // V3's 35 launches of 10 µs and a mark; some settings are no tile here.
    let all = rows(&ran, 0);
    assert!(all.len() > 1, "{}", ran.out);
    for row in all {
        let time = row[1].as_f64().unwrap();
        assert!((time - 600.0).abs() < 0.1, "{row}");
    }
}

/// Every exercise with a kernel: its worked one is accepted, on the device alone.
#[test]
fn every_worked_kernel_is_right_on_the_device() {
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let setting = setting
        .with("STANDIN_FAULT", "tick=10,once=1")
        .with("NVRTC_LIBRARY", "/nowhere")
        .with("CLANG", "/nowhere");
    let folder = setting.home.path().join("answers");
    fs::create_dir_all(&folder).unwrap();
    let mut kernels = 0;
    for exercise in Course::built_in().exercises() {
        let written = |key: &&Key| key.kernel.as_ref().is_some_and(Kernel::is_written);
        let Some(key) = exercise.keys.iter().find(written) else {
            continue;
        };
        let worked = key.kernel.as_ref().unwrap().listing.worked();
        fs::write(folder.join(format!("{}.cu", exercise.id)), worked).unwrap();
        let line = format!("--plain --state state check {} --on hip", exercise.id);
        let said = setting.line(&line).out;
        let said: Vec<&str> = said.split_whitespace().collect();
        let said = said.join(" ");
        assert!(said.contains("cases are right"), "{}: {said}", exercise.id);
        kernels += 1;
    }
    assert_eq!(kernels, 7);
}
