//! A study that is stopped, or that would take too long.

use super::SMALL;
use crate::program::{Home, Ran};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

#[test]
fn a_sweep_that_would_take_long_says_so_and_offers_a_smaller_one() {
    let home = Home::new();
    let ran = home.line("study scale --over seq --at 4,8 --run --backend cpu --no-check --runs 100000 --budget 0.01");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    for word in ["would take about", "--at", "--budget"] {
        assert!(ran.err.contains(word), "{word}: {}", ran.err);
    }
}

#[test]
fn a_huge_model_is_refused_before_anything_runs() {
    let home = Home::new();
    let ran = home.line("study scale --over seq --at 512,1024 --model tinyllama-1.1b --run --backend cpu --no-check --budget 0.01");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    for word in ["would take about", "nothing was run", "--at", "--budget"] {
        assert!(ran.err.contains(word), "{word}: {}", ran.err);
    }
}

/// Begins a study that says how far it is.
fn begin(home: &Home, line: &str) -> Child {
    home.command()
        .args(line.split_whitespace())
        .arg("--progress")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// How many steps are timed: 3 of `timing 3 of 60`.
fn timed(line: &str) -> Option<u64> {
    let (done, _) = line.strip_prefix("timing ")?.split_once(" of ")?;
    done.parse().ok()
}

/// Ctrl-C once that many steps are timed (steps that follow each other fast are not all
/// said): what it said from then on.
fn stop_after(child: &mut Child, steps: u64) -> Vec<String> {
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let reached = said.find(|line| timed(line.as_ref().unwrap()) >= Some(steps));
    assert!(reached.is_some(), "it ended before");
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    said.map(Result::unwrap).collect()
}

#[test]
fn a_stop_keeps_what_was_measured() {
    let home = Home::new();
    let mut child = begin(
        &home,
        "study ablate --fusions qkv,flash --runs 1000000 --seq 4 --run --backend cpu --no-check --budget 1000000",
    );
    stop_after(&mut child, 40);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(ran.out.contains("Stopped before its end"), "{}", ran.out);
    let kept = home.line("study show 1 --json").json();
    assert_eq!(kept["stopped"], true);
    assert!(kept["findings"]["sheets"][0]["rows"][0][4].as_f64() > Some(0.0));
}

#[test]
fn a_stop_keeps_the_working_sets_that_were_measured() {
    let home = Home::new();
    let mut child = begin(&home, "study hierarchy --backend cpu --to 256MiB");
    // Each line is said once.
    let mut rest = stop_after(&mut child, 3);
    let lines = rest.len();
    rest.dedup();
    assert_eq!(rest.len(), lines);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(ran.out.contains("Stopped before its end"), "{}", ran.out);
    let kept = home.line("study show 1 --json").json();
    assert_eq!(kept["stopped"], true);
    let sets = kept["findings"]["sheets"][0]["rows"].as_array().unwrap();
    assert!(sets.len() >= 3, "{sets:?}");
    assert!(sets[0][1].as_f64() > Some(0.0));
}

#[test]
fn a_round_is_told_once_and_what_was_made_ready_before_is_no_step() {
    let home = Home::new();
    let ran = home.line(&format!("study ablate --fusions flash --progress {SMALL}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    // Two plans in nine rounds: each is made ready once, and once more to see how long it takes.
    let ready = ran.err.lines().filter(|line| line.starts_with("prepare"));
    assert!((1..=3).contains(&ready.count()), "{}", ran.err);
    // A new phase is always said; steps that follow each other fast are not.
    assert!(ran.err.contains("timing 0 of 18"), "{}", ran.err);
}
