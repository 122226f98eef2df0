//! The workshop with an engine that dies, hangs, or answers: a shell script
//! stands in for it, put there by the variable that puts a debugger there.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::path::Path;

use crate::support::fake_engine::fake_engine;
use crate::support::pty::Pty;
use tinyllama_tutor::engine::WRAP;

/// The lab, with the engine's GPU chosen.
fn lab(folder: &Path, on_run: &str) -> Pty {
    let wrap = fake_engine(folder, on_run, &[]);
    let state = tempfile::tempdir().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut p = Pty::open_in(state, &[], &[(WRAP, &wrap), ("PATH", &path)], 80, 24);
    p.wait_for("first run");
    p.wait_for("NVIDIA H200");
    p.press("3");
    p.wait_for("cuda H200 ready");
    p
}

#[test]
fn the_screen_outlives_an_engine_that_aborts() {
    let folder = tempfile::tempdir().unwrap();
    let mut p = lab(
        folder.path(),
        "cat compiling; echo 'LLVM ERROR: no such tile' >&2; kill -ABRT $$",
    );
    for _ in 0..2 {
        p.press("r");
        p.wait_for("Esc folds this away");
        let screen = p.settled();
        let said = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "failed V1: the engine ended with signal 6 (SIGABRT)",
            "while compiling flash for sm_90a",
            "LLVM ERROR: no such tile",
        ] {
            assert!(said.contains(part), "{part} in\n{screen}");
        }
        p.press("\x1b");
        p.wait_gone("Esc folds this away");
    }
    p.press("r");
    p.wait_for("set aside");
    // Everything else goes on, a run on the CPU too.
    p.press("\x1b");
    p.wait_gone("Esc folds this away");
    p.press(" ");
    p.wait_for("V1 + qkv · 15 launches per block");
    p.press("p");
    p.wait_for("RoPE table");
    p.press("jjjjj\x1b[C");
    p.wait_for("◄ simt ►");
    p.press("\x1b[C");
    p.wait_for("◄ cpu ►");
    p.press("\x1b");
    p.wait_for("3 Lab");
    p.press("r");
    // The plan, in turns with V1.
    p.wait_for("@ (");
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

#[test]
fn a_hang_is_stopped_with_ctrl_c_while_the_screen_answers() {
    let folder = tempfile::tempdir().unwrap();
    let mut p = lab(folder.path(), "cat timing; sleep 1000");
    p.press("r");
    p.wait_for("17 of 30");
    // The run goes on; a flip answers at once.
    p.press(" ");
    p.wait_for("V1 + qkv · 15 launches per block");
    // Long before the engine would end by itself.
    p.press("\x03");
    p.wait_for("Stopped after 17 of 30 runs");
    p.press("q");
    assert_eq!(p.exit().0, 0);
    // No engine is left behind.
    for pid in fs::read_to_string(folder.path().join("started"))
        .unwrap()
        .lines()
    {
        let gone = !std::process::Command::new("kill")
            .args(["-0", pid])
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap()
            .success();
        assert!(gone, "engine {pid} is still there");
    }
}
