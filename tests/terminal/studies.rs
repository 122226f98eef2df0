//! Studies from their page, on the CPU: one to its end, one stopped, and what a restart
//! brings back.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::PathBuf;

use crate::support::pty::Pty;

fn open(state: &str) -> Pty {
    let own = tempfile::tempdir().unwrap();
    Pty::open_in(own, &["--state", state], &[], 80, 24)
}

/// How many steps are timed: 3 where `timing 3 of 60` is shown.
fn timed(screen: &str) -> Option<u64> {
    let (_, rest) = screen.split_once("timing ")?;
    let (done, _) = rest.split_once(" of ")?;
    done.parse().ok()
}

/// The kept studies of a state folder.
fn kept(state: &std::path::Path) -> Vec<(String, serde_json::Value)> {
    let files = std::fs::read_dir(state.join("studies")).unwrap();
    let mut files: Vec<PathBuf> = files.map(|f| f.unwrap().path()).collect();
    files.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, serde_json::from_str(&text).unwrap())
    };
    files.into_iter().map(read).collect()
}

#[test]
fn a_study_is_made_and_one_is_stopped_and_both_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().to_str().unwrap();
    let mut p = open(state);
    p.wait_for("? help");
    p.press("S");
    p.wait_for("ablate");
    // What is kept stands below the studies, of which there are many.
    p.press("G");
    p.wait_for("kept: none yet");
    p.press("g");
    p.wait_for("more");
    // The third: scale.
    p.press("jj\r");
    p.wait_for("What varies");
    p.press("\rlayers\r");
    p.wait_for("--over layers");
    p.press("j\r1,2\r");
    p.wait_for("--at 1,2");
    p.press("j ");
    p.wait_for("--run");
    p.press("r");
    p.wait_for("scale-1: on");
    p.wait_for("The time grows as");
    // The same over long rows: minutes, unless it is stopped.
    p.press("\x1b");
    p.wait_gone("scale-1: on");
    p.press("\r");
    p.wait_for("--over layers");
    p.press("gj\r256,384,512\r");
    p.wait_for("--at 256,384,512");
    p.press("k\rseq\r");
    p.wait_gone("--over layers");
    p.press("r");
    // Steps that follow each other fast are not all said.
    p.wait_until("three steps", |screen| timed(screen) >= Some(3));
    p.press("\x03");
    p.wait_for("Stopped before its end");
    p.press("\x1b");
    p.wait_gone("Stopped before its end");
    p.press("G");
    p.wait_for("seq, V1, stopped");
    p.press("q");
    assert_eq!(p.exit().0, 0);
    let kept = kept(folder.path());
    let names: Vec<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["scale-1", "scale-2"]);
    let stopped: Vec<bool> = kept.iter().map(|(_, k)| k["stopped"] == true).collect();
    assert_eq!(stopped, [false, true]);
    let command = kept[0].1["command"].as_str().unwrap();
    assert!(
        command.starts_with("study scale --over layers --at 1,2 --run"),
        "{command}"
    );
}

#[test]
fn a_restart_brings_plan_and_times_back() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().to_str().unwrap();
    let mut p = open(state);
    p.wait_for("? help");
    p.press("3");
    p.wait_for("cpu ready");
    p.press(" ");
    p.wait_for("15 launches per block");
    p.press("r");
    p.wait_for("±");
    p.wait_gone("running");
    let before = p.settled();
    p.press("q");
    assert_eq!(p.exit().0, 0);
    let mut p = open(state);
    p.wait_for("? help");
    p.press("3");
    // Of a busy machine the times may have no spread beside them.
    let line = before.lines().find(|line| line.contains("fwd @ "));
    let times = line.map(str::trim_end).unwrap_or_default();
    let (_, times) = times.split_once(" @ ").unwrap();
    assert!(times.contains(|c: char| c.is_ascii_digit()), "{before}");
    p.wait_for(times.trim());
    p.press("q");
    assert_eq!(p.exit().0, 0);
}
