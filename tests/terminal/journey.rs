//! A learner's way through the workshop, in the real program: read, flip,
//! run, compare, leave, and come back to where they were.

#![allow(clippy::expect_used, reason = "a test may stop at the first surprise")]

use crate::support::pty::Pty;

#[test]
fn read_flip_run_compare_leave_and_come_back() {
    let mut p = Pty::open(&[], 80, 24);
    // The first start says what was found; Enter begins.
    p.wait_for("first run");
    p.wait_for("cpu ");
    p.press("\r");
    p.wait_for("section 1 of");
    p.press(" ");
    p.wait_for("section 2 of");

    // Flip qkv, then flash, the third toggle.
    p.press("3");
    p.wait_for("V1 · 17 launches per block, 71 per forward");
    p.press(" ");
    p.wait_for("V1 + qkv · 15 launches per block");
    p.wait_for("block 9.964 → 9.701 MB =  2.63 % less");
    p.press("jj ");
    p.wait_for("qkv + flash · 13 launches per block");
    p.wait_for("scores stay on chip");

    // Run it in turns with V1: whatever the times show, it has an interval.
    p.press("r");
    p.wait_for("@ (");

    // Compare holds four versions; V1 has a time by now.
    p.press("c");
    p.wait_for("4 Compare");
    for figure in ["42.047", "29.988", "24.614", "12.687"] {
        p.wait_for(figure);
    }

    p.press("q");
    let (code, state) = p.exit();
    assert_eq!(code, 0);

    // Progress is there: no first run, and the lesson where it was left.
    let mut p = Pty::open_in(state, &[], &[], 80, 24);
    p.wait_for("Enter goes on with lesson 00, section 2 of");
    p.press("\r");
    p.wait_for("section 2 of");
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

#[test]
fn without_colour_and_in_ascii_the_same_words_are_there() {
    let state = tempfile::tempdir().expect("a folder");
    let p = Pty::open_in(state, &["--ascii"], &[("NO_COLOR", "1")], 120, 40);
    let screen = p.wait_for("first run");
    assert!(screen.is_ascii(), "{screen}");
    let raw = p.raw();
    let text = String::from_utf8_lossy(&raw);
    for code in ["\x1b[38;", "\x1b[48;", "\x1b[31m", "\x1b[33m"] {
        assert!(!text.contains(code), "a colour was set under NO_COLOR");
    }
    p.signal("HUP");
    assert_eq!(p.exit().0, 129);
}

#[test]
fn with_no_terminal_one_line_says_so() {
    let home = tempfile::tempdir().expect("a folder");
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_tinyllama-tutor"))
        .current_dir(&home)
        .stdin(std::process::Stdio::null())
        .env_clear()
        .env("HOME", home.path())
        .env("TERM", "xterm")
        .output()
        .expect("the binary starts");
    assert!(matches!(out.status.code(), Some(0 | 2)), "{:?}", out.status);
    assert!(out.stderr.iter().filter(|b| **b == b'\n').count() <= 1);
}
