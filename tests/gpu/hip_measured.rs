//! What is measured on a GPU, without an AMD GPU: against the stand-ins (`standin`), whose
//! clock gives every figure a known value, and whose compiler makes kernels that this
//! computer executes.

#![cfg(all(feature = "hip", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::process::Command;

use tinyllama_tutor::run::EXPERIMENTS;
use tinyllama_tutor::run::listing::Listing;

use crate::standin::Setting;

#[test]
fn microbenchmarks_are_checked_and_timed() {
    // Kernels that do nothing are found out.
    let line = "micro mask --sweep 1000,1024 --backend hip --json";
    Setting::new("rocm6")
        .line(line)
        .refused(1, &["mask at", "no figure of a wrong result is shown"]);
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let ran = setting.with("STANDIN_FAULT", "tick=10").line(line);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let report = ran.json();
    assert_eq!(report["backend"], "hip");
    assert_eq!(
        report["device"],
        "AMD Instinct MI210 (gfx90a), HIPRTC of ROCm 6.2.0-66"
    );
    for row in report["rows"].as_array().unwrap() {
        // Ten microseconds of a launch and the quarter of a millisecond of a mark.
        let time = row["time_us"]["median"].as_f64().unwrap();
        assert!((time - 260.0).abs() < 0.1, "{row}");
    }
    let notes = report["notes"].to_string();
    assert!(notes.contains("no AMD GPU was at hand"), "{notes}");
    ran.is_proper();
}

/// All of them at the ends of their sweeps, outputs checked.
#[test]
fn every_microbenchmark_is_right() {
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let setting = setting.with("STANDIN_FAULT", "tick=10,once=1");
    for experiment in &EXPERIMENTS {
        let ends = match experiment.name {
            // A block of the stand-in has at most 512 threads, and 64 KiB.
            "tile" => "8,16".to_owned(),
            "resident" => "0,48".to_owned(),
            _ => {
                let all = experiment.usual;
                format!("{},{}", all[0], all[all.len() - 1])
            }
        };
        let name = experiment.name;
        let ran = setting.line(&format!("micro {name} --sweep {ends} --backend hip --json"));
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.out, ran.err);
        for row in ran.json()["rows"].as_array().unwrap() {
            let time = row["time_us"]["median"].as_f64().unwrap();
            assert!((time - 260.0).abs() < 0.1, "{name}: {row}");
        }
        ran.is_proper();
    }
}

#[test]
fn roofs_and_what_it_costs_to_begin_are_measured() {
    let ran = Setting::new("rocm6")
        .with("STANDIN_FAULT", "tick=2")
        .line("dev roofs --backend hip");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let found = ran.json();
    let all = |key: &str| -> Vec<f64> {
        let values = found[key].as_array().unwrap().iter();
        values.map(|value| value.as_f64().unwrap()).collect()
    };
    let near = |key: &str, expected: f64| {
        let values = all(key);
        assert!(values.len() >= 9 || key.starts_with("fp") || key.starts_with("matrix"));
        assert!(!values.is_empty());
        for value in values {
            assert!(
                (value / expected - 1.0).abs() < 0.01,
                "{key}: {value}, not {expected}"
            );
        }
    };
    // A launch of 2 µs between two marks a quarter of a millisecond apart.
    let took = 252e-6;
    let bytes = f64::from(512 << 20);
    near("copy", 2.0 * bytes / took);
    near("read", bytes / took);
    near("launch", 2e-6);
    near("barrier", 1e-6);
    // This program's own product of 2048 × 2048 × 8192, as HIP has no library here.
    let flops = 2.0 * 2048.0 * 2048.0 * 8192.0;
    near("fp32", flops / took);
    near("matrix16", flops / took);
    let notes = found["notes"].to_string();
    assert!(notes.contains("this program's own"), "{notes}");
    assert!(notes.contains("no AMD GPU was at hand"), "{notes}");
    ran.is_proper();
}

#[test]
fn memory_is_measured_over_the_working_set() {
    let ran = Setting::new("rocm6")
        .with("STANDIN_FAULT", "tick=2")
        .line("dev memory --backend hip --sizes 1048576,8388608");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let report = ran.json();
    assert_eq!(report["units"], 104);
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        // 8192 loads in a launch of 2 µs between marks a quarter of a millisecond apart.
        let latency = row["latency_ns"][0].as_f64().unwrap();
        assert!((latency / (252e3 / 8192.0) - 1.0).abs() < 1e-3, "{row}");
        // 64 MiB are read by one block, again and again.
        let rate = row["one_gbs"][0].as_f64().unwrap();
        assert!(
            (rate / (64.0 * 1.048_576e6 / 252e-6 * 1e-9) - 1.0).abs() < 1e-3,
            "{row}"
        );
    }
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("512 threads") && notes.contains("no AMD GPU was at hand"),
        "{notes}"
    );
    ran.is_proper();
}

/// A rocprofv3 that saw the forward twice, each of its 47 launches with 1000 requests of
/// 64 bytes.
const ROCPROF: &str = r#"#!/bin/sh
names=
while [ $# -gt 0 ]; do
    case $1 in
    -d) out=$2 ;;
    TCC_*) names="$names $1" ;;
    --) shift; break ;;
    esac
    shift
done
"$@" || exit 1
mkdir -p "$out"
file="$out/1_counter_collection.csv"
echo '"Dispatch_Id","Process_Id","Kernel_Name","Counter_Name","Counter_Value"' > "$file"
at=0
while [ $at -lt 94 ]; do
    at=$((at + 1))
    for name in $names; do
        value=1000
        case $name in *_32B_sum) value=0 ;; esac
        echo "$at,1,\"k\",\"$name\",$value" >> "$file"
    done
done
"#;

#[test]
fn each_kernel_has_a_time_of_its_own() {
    let line = "--state state study timeline --backend hip --version v2 --seq 1 --json";
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let ran = setting.with("STANDIN_FAULT", "tick=10").line(line);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    // 47 kernels, each 10 µs between two marks a quarter of a millisecond apart.
    let text = ran.json().to_string();
    assert!(text.contains("device events around each launch"), "{text}");
    ran.is_proper();
}

#[test]
fn bytes_at_memory_are_counted_by_rocprofv3() {
    use std::os::unix::fs::PermissionsExt;
    let setting = Setting::new("rocm6");
    let line = "run --backend hip --version v2 --no-check --runs 1 --seq 16 --counters --json";
    let notes = setting.line(line).json()["notes"].to_string();
    assert!(notes.contains("rocprofv3 is not installed"), "{notes}");
    let folder = setting.home.path().join("bin");
    fs::create_dir(&folder).unwrap();
    // Another process writes what is executed: this one's children may have it open.
    let [text, tool] = ["text", "rocprofv3"].map(|name| folder.join(name));
    fs::write(&text, ROCPROF).unwrap();
    fs::set_permissions(&text, fs::Permissions::from_mode(0o755)).unwrap();
    let copied = Command::new("cp").arg("-p").args([&text, &tool]).status();
    assert!(copied.unwrap().success());
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let ran = setting.with("PATH", &path).line(line);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let report = ran.json();
    // 64 bytes of each request, reads and writes.
    let bytes = 47 * 2 * 64 * 1000;
    assert_eq!(
        report["bytes"]["measured_dram"], bytes,
        "{}",
        report["notes"]
    );
}

#[test]
fn a_kernel_that_was_written_is_run_on_the_device_and_timed_beside_the_worked_one() {
    let worked = |setting: &Setting, was: &str, is: &str| {
        let listing = Listing::named("exercises/silu_mul.cu").unwrap();
        let folder = setting.home.path().join("answers");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("ex19.cu"), listing.worked().replace(was, is)).unwrap();
        let said = setting
            .line("--plain --state state check ex19 --on hip")
            .out;
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let nothing = Setting::new("rocm6")
        .with("NVRTC_LIBRARY", "/nowhere")
        .with("CLANG", "/nowhere");
    let said = worked(&nothing, "", "");
    assert!(
        said.contains("C2") && said.contains("was never written"),
        "{said}"
    );
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let setting = setting.with("STANDIN_FAULT", "tick=10");
    // Without a compiler for the machine the device says what it can, and no more.
    let without = setting
        .with("NVRTC_LIBRARY", "/nowhere")
        .with("CLANG", "/nowhere");
    let said = worked(&without, "", "");
    assert!(
        said.contains("cases are right; 260.0 µs at n = 524288"),
        "{said}"
    );
    assert!(
        said.contains("races and bytes were not looked at"),
        "{said}"
    );
    let said = worked(&without, "expf(-gate)", "expf(gate)");
    assert!(
        said.contains("C2") && said.contains("on AMD Instinct MI210"),
        "{said}"
    );
    let said = worked(&without, "m[i] = value;", "m[i] = value");
    assert!(
        said.contains("C1 (compiles) is not met: answers/ex19.cu:"),
        "{said}"
    );
    // With one the machine accepts first.
    let Some(nvrtc) = std::env::var_os("NVRTC_LIBRARY") else {
        return eprintln!("skipped: NVRTC_LIBRARY names no compiler");
    };
    let mut with = without;
    with.environment
        .retain(|(name, _)| *name != "NVRTC_LIBRARY");
    let with = with.with("NVRTC_LIBRARY", nvrtc.to_str().unwrap());
    let said = worked(&with, "", "");
    assert!(
        said.contains("C1 to C8 met") && said.contains("the worked kernel takes 260.0 µs"),
        "{said}"
    );
}
