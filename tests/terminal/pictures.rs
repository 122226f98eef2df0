//! What leaves the workshop by a key, and what a learner's own file changes in it.

#![allow(clippy::expect_used, reason = "a test may stop at the first surprise")]

use crate::support::pty::Pty;

#[test]
fn a_key_keeps_the_screen_and_its_numbers_and_replaces_nothing() {
    let state = tempfile::tempdir().expect("a folder");
    let at = |state: &tempfile::TempDir, name: &str| state.path().join(name);
    std::fs::write(at(&state, "tutor-lab.svg"), "mine").expect("written");
    let mut p = Pty::open_in(state, &[], &[], 80, 24);
    p.wait_for("first run");
    p.press("3");
    p.wait_for("17 launches per block");
    p.press("X");
    p.wait_for("Written: ");
    p.press("q");
    let (code, state) = p.exit();
    assert_eq!(code, 0);
    let read = |name: &str| std::fs::read_to_string(at(&state, name)).expect(name);
    assert_eq!(read("tutor-lab.svg"), "mine");
    let picture = read("tutor-lab-2.svg");
    assert!(picture.starts_with("<svg ") && picture.contains(">softmax<"));
    // V1: 17 kernels below the head; norm1 reads B·S·D elements of 4 bytes, 131072.
    let rows = read("tutor-lab-2.csv");
    assert_eq!(rows.lines().count(), 18, "{rows}");
    assert!(
        rows.contains("\nnorm1,") && rows.contains(",131072,"),
        "{rows}"
    );
}

#[test]
fn a_learners_keys_and_colours_apply_field_by_field() {
    let state = tempfile::tempdir().expect("a folder");
    let folder = state.path().join("tinyllama-tutor");
    std::fs::create_dir_all(&folder).expect("a folder");
    let text = "theme = \"dark\"\n[colours]\nmemory = \"#ff0000\"\n[keys]\nlab = \"v\"\nroofline = \"O\"\n";
    std::fs::write(folder.join("config.toml"), text).expect("written");
    let mut p = Pty::open_in(state, &[], &[("COLORTERM", "truecolor")], 120, 40);
    // One key is taken; the rest applies.
    p.wait_for("config.toml:5:1");
    p.press("O");
    p.wait_for("►5 Roofline");
    p.wait_until("memory-bound is red", |_| {
        String::from_utf8_lossy(&p.raw()).contains("38;2;255;0;0")
    });
    p.press("x");
    p.press("q");
    assert_eq!(p.exit().0, 0);
}

/// A wall that falls is dotted for a moment, where motion was not switched off.
#[test]
fn nothing_moves_where_the_learner_says_so() {
    for (args, config) in [(&["--no-motion"][..], ""), (&[][..], "motion = false\n")] {
        let state = tempfile::tempdir().expect("a folder");
        let folder = state.path().join("tinyllama-tutor");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("config.toml"), config).expect("written");
        let mut p = Pty::open_in(state, args, &[], 80, 24);
        p.wait_for("first run");
        p.press("3");
        p.wait_for("17 launches per block");
        p.settled();
        // q, k and v become one box at once.
        p.press(" ");
        p.wait_for("15 launches per block");
        p.settled();
        assert!(
            !String::from_utf8_lossy(&p.raw()).contains('┊'),
            "{args:?} {config}"
        );
        p.press("q");
        assert_eq!(p.exit().0, 0);
    }
}
