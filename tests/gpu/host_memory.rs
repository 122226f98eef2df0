//! `study host-memory` without a GPU: on stand-ins for AMD's runtime and NVIDIA's driver, which
//! record each call, let this computer execute the kernel, and fail as they are told to. Each
//! path is walked for both vendors. Times are those of this computer and are not looked at.

#![cfg(all(feature = "cuda", feature = "hip", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::standin::{Ran, Setting};
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tinyllama-tutor");

/// The stand-ins of a release, and the backend that they stand in for.
const BOTH: [(&str, &str); 2] = [("rocm6", "hip"), ("cuda", "cuda")];

fn setting(release: &'static str) -> Setting {
    match release {
        // Device 0 has as many multiprocessors as the smallest that are made.
        "cuda" => Setting::new(release).with("STANDIN_DEVICES", "sm_80:32:40:NVIDIA Stand-in"),
        _ => Setting::new(release),
    }
}

/// A study of one case, or of all.
fn study(setting: &Setting, backend: &str, rest: &str) -> Ran {
    setting.line(&format!(
        "--state state study host-memory {rest} --backend {backend} --to 64KiB --json"
    ))
}

fn text(found: &Value, key: &str) -> String {
    found["findings"][key].to_string()
}

fn sheets(found: &Value) -> Vec<String> {
    let all = found["findings"]["sheets"].as_array().unwrap().iter();
    all.map(|s| s["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_case_is_checked_timed_in_turns_and_gives_back_what_it_took() {
    for (release, backend) in BOTH {
        let Some(setting) = setting(release).executing() else {
            return;
        };
        let ran = study(&setting, backend, "");
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let found = ran.json();
        assert_eq!(
            sheets(&found),
            [
                "copies to the device",
                "copies to the host",
                "64 KiB as so many pinned copies",
                "a pinned copy of 64 KiB and a kernel",
                "64 KiB of the host, read",
                "memory of the device, taken and given back",
            ],
            "{backend}: {}",
            text(&found, "notes")
        );
        // Every cell of a time is filled.
        for sheet in found["findings"]["sheets"].as_array().unwrap() {
            let rows = sheet["rows"].as_array().unwrap();
            assert!(!rows.is_empty());
            for cell in rows.iter().flat_map(|row| row.as_array().unwrap()) {
                assert!(!cell.is_null(), "{backend}: {sheet}");
            }
        }
        let notes = text(&found, "notes");
        assert!(notes.contains("15 rounds in turns"), "{notes}");
        // Only what no GPU of the maker has run says so.
        let unproved = notes.contains("no AMD GPU was at hand");
        assert_eq!(unproved, backend == "hip", "{notes}");
        ran.is_proper();
        assert_eq!(ran.unbalanced(), BTreeSet::new(), "{backend}: {}", ran.log);
        let has = |line: &str| assert!(ran.lines(line) > 0, "{backend}: no “{line}”");
        // Mapped, and no other flag.
        has("hipHostMalloc 65536 flags 2");
        // Sixteen copies of 4 KiB in a row, and one of 64 KiB.
        has("up 4096 pinned in ");
        has("up 65536 pinned in ");
        has("down 65536 pinned in ");
        // The pool keeps what it is given back, and gets its threshold back in the end.
        has("pool keeps ffffffffffffffff");
        has("pool keeps 0");
        has("pool trimmed");
        // Copies go to two streams where a kernel runs beside them, else to one.
        let ups = |log: &str| -> BTreeSet<String> {
            let of = log
                .lines()
                .filter_map(|l| l.strip_prefix("up 65536 pinned in "));
            of.map(str::to_owned).collect()
        };
        let lanes = |case: &str| ups(&study(&setting, backend, case).log).len();
        assert_eq!((lanes("overlap"), lanes("copies")), (2, 1), "{backend}");
    }
}

#[test]
fn a_kernel_that_does_nothing_and_a_byte_that_is_lost_are_found_before_the_clock() {
    for (release, backend) in BOTH {
        // Kernels do nothing here; copies are right all the same.
        let ran = study(&setting(release), backend, "");
        let found = ran.json();
        let notes = text(&found, "notes");
        for case in ["overlap", "zero-copy"] {
            assert!(
                notes.contains(&format!("{case}: a kernel that read")),
                "{notes}"
            );
        }
        assert!(notes.contains("no time of a wrong sum is shown"), "{notes}");
        assert_eq!(sheets(&found).len(), 4, "{notes}");
        assert_eq!(ran.unbalanced(), BTreeSet::new(), "{backend}: {}", ran.log);
        // The last byte of the copies of 16 KiB stays behind.
        let ran = study(
            &setting(release).with("STANDIN_FAULT", "lose=16384"),
            backend,
            "copies",
        );
        assert_eq!(ran.code, 1, "{}", ran.out);
        assert!(
            ran.err
                .contains("of a copy of 16384 bytes to the device, byte 16383 did not arrive"),
            "{}",
            ran.err
        );
        assert_eq!(ran.unbalanced(), BTreeSet::new(), "{backend}: {}", ran.log);
    }
}

#[test]
fn without_pools_the_other_ways_go_on() {
    let cases = [
        ("rocm6", "hip", "pools=0", "the device has no memory pools"),
        ("cuda", "cuda", "pools=0", "the device has no memory pools"),
        (
            "rocm6",
            "hip",
            "pools=801",
            "from the memory pool: standin's words (error 801)",
        ),
        (
            "cuda",
            "cuda",
            "pools=801",
            "from the memory pool: standin's words (error 801)",
        ),
        (
            "rocm5",
            "hip",
            "none=0",
            "the driver has no memory in the order of a stream",
        ),
    ];
    for (release, backend, fault, says) in cases {
        let ran = study(
            &setting(release).with("STANDIN_FAULT", fault),
            backend,
            "pool",
        );
        assert_eq!(ran.code, 0, "{release} {fault}: {}{}", ran.out, ran.err);
        let found = ran.json();
        let notes = text(&found, "notes");
        assert!(
            notes.contains(&format!("from a pool: {says}")) || notes.contains(says),
            "{notes}"
        );
        let row = &found["findings"]["sheets"][0]["rows"][0];
        // Each time and kept are there, the pool is not.
        assert!(
            row[1].is_number() && row[3].is_null() && row[5].is_number(),
            "{row}"
        );
        let said = text(&found, "sentences");
        assert!(
            said.contains("one that keeps them") && !said.contains("with a pool"),
            "{said}"
        );
        assert_eq!(ran.unbalanced(), BTreeSet::new(), "{}", ran.log);
        ran.is_proper();
    }
}

#[test]
fn pinned_memory_that_runs_out_and_a_device_that_shares_its_memory_are_told() {
    for (release, backend) in BOTH {
        let ran = study(
            &setting(release).with("STANDIN_FAULT", "pinned=1000"),
            backend,
            "copies",
        );
        assert_eq!(ran.code, 1, "{}", ran.out);
        for words in [
            "of pinned host memory for copies: out of memory",
            "a smaller --to fits",
        ] {
            assert!(ran.err.contains(words), "{}", ran.err);
        }
        assert_eq!(ran.unbalanced(), BTreeSet::new(), "{}", ran.log);
        let ran = study(
            &setting(release).with("STANDIN_FAULT", "integrated=1"),
            backend,
            "copies",
        );
        let said = text(&ran.json(), "sentences");
        assert!(
            said.contains("Host and device have one memory here"),
            "{said}"
        );
    }
}

#[test]
fn a_backend_that_is_not_there_says_so() {
    for (backend, says) in [
        ("cuda", "no NVIDIA driver"),
        ("hip", "no AMD GPU and no ROCm"),
    ] {
        let ran = study(&Setting::new("nothing"), backend, "copies");
        assert_ne!(ran.code, 0);
        assert!(ran.err.contains(says), "{}", ran.err);
    }
    // Nobody named one: the model prices the device of the course.
    let ran = study(&Setting::new("nothing"), "auto", "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("every time is a lower bound"),
        "{}",
        ran.out
    );
}

/// Starts a program in a group of its own, interrupts the group as a terminal does once
/// `ready` finds its log long enough, and gives what it printed.
fn interrupted(setting: &Setting, words: &[&str], ready: impl Fn(&str) -> bool) -> (i32, Value) {
    let log = setting.home.path().join("log");
    let mut command = setting.command(PROGRAM);
    command.args(words).process_group(0);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let begun = Instant::now();
    while !ready(&fs::read_to_string(&log).unwrap_or_default()) {
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "it does not begin"
        );
        thread::sleep(Duration::from_millis(20));
    }
    let group = format!("-{}", child.id());
    let status = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(status.unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let out = String::from_utf8(ended.stdout).unwrap();
    let found = serde_json::from_str(&out)
        .unwrap_or_else(|e| panic!("{e}: {out}{}", String::from_utf8_lossy(&ended.stderr)));
    (ended.status.code().unwrap_or(-1), found)
}

#[test]
fn ctrl_c_keeps_what_was_measured() {
    let copies = |log: &str| log.lines().filter(|l| l.starts_with("up ")).count();
    for (release, backend) in BOTH {
        // Within a case: whole rounds of every series.
        let request = format!(
            r#"{{"backend":"{backend}","case":"copies","largest":65536,"rounds":1000000}}"#
        );
        let words = ["dev", "host", &request, "--json"];
        let (code, found) = interrupted(&setting(release), &words, |log| copies(log) > 200);
        assert_eq!((code, &found["stopped"]), (0, &Value::Bool(true)));
        let series = found["series"].as_array().unwrap();
        let rounds: BTreeSet<usize> = series
            .iter()
            .map(|s| s["us"].as_array().unwrap().len())
            .collect();
        assert!(rounds.len() == 1 && !rounds.contains(&0), "{rounds:?}");
        // Between cases: those that are made stand in the study. Each wait takes so many
        // microseconds, or a fast machine is done before it hears of the stop.
        let Some(setting) = setting(release).executing() else {
            return;
        };
        let setting = setting.with("STANDIN_FAULT", "slow=10000");
        let line = format!(
            "--state state study host-memory --backend {backend} --to 64KiB --json --no-keep"
        );
        let words: Vec<&str> = line.split_whitespace().collect();
        let (_, found) = interrupted(&setting, &words, |log| {
            log.lines()
                .filter(|l| l.starts_with("hipHostMalloc"))
                .count()
                > 2
        });
        assert_eq!(found["stopped"], Value::Bool(true));
        let names = sheets(&found);
        assert!(
            names.len() >= 3 && names[0] == "copies to the device",
            "{names:?}"
        );
    }
}
