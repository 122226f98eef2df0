//! What travels between memory and chip: in a lesson and in the lab.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use super::reader::{ENTER, ESC, RIGHT, SPACE, Screen, TAB};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::lesson::Focus;
use tinyllama_tutor::course::Course;
use tinyllama_tutor::fusion::Fusion;

const LESSON: &str = r#"+++
title = "Trips"
version = "v1"
minutes = 5
config = { preset = "workshop", batch = 1 }
+++

## Four trips of one square

Look at the squares.

```trips
ops = ["qk", "softmax", "pv"]
toggles = ["flash"]
```

## The whole block

```trips
plan = "v1"
```

## In numbers

```steps
picture = "online-softmax"
scores = [1, 3, 2, 0]
values = [1, 0, 1, 0]
tile = 2
steps = ["The first tile.", "The second.", "Both at once."]
```
"#;

fn lesson(columns: u16, rows: u16) -> Screen {
    let temporary = tempfile::tempdir().unwrap();
    // Its name stands in the header.
    let folder = temporary.path().join("trips");
    std::fs::create_dir_all(folder.join("lessons")).unwrap();
    std::fs::write(folder.join("lessons/01-trips.md"), LESSON).unwrap();
    Screen::with(Course::folder(&folder), columns, rows).press(&[ch('2')])
}

#[track_caller]
fn snapshot(name: &str, screen: &Screen) {
    insta::assert_snapshot!(name, screen.rows().join("\n"));
}

#[test]
fn the_arrows_of_a_fused_square_go() {
    let s = lesson(80, 24);
    snapshot("trips-lesson-80", &s);
    // 0.131 + 0.066 + 0.524 for qk, 2·0.524 for softmax, as much as qk for pv.
    let s = s
        .shows("these   3 launches =    2.490 MB =")
        .press(&[TAB, ENTER]);
    assert_eq!(s.state.shared.bench.cut().fusions(), [Fusion::Flash]);
    snapshot("trips-lesson-fused-80", &s);
    s.shows("these   1 launch =      0.393 MB =")
        .shows(" on chip: sc pr ")
        .press(&[ENTER])
        .shows("these   3 launches =    2.490 MB =");
}

#[test]
fn space_goes_from_kernel_to_kernel_and_then_on() {
    let s = lesson(80, 24).press(&[TAB, SPACE]);
    snapshot("trips-walk-80", &s);
    let s = s
        .shows("so far 0.721 of 2.490 MB =")
        .press(&[SPACE])
        .shows("so far 1.769 of 2.490 MB =")
        .press(&[key(Code::Left)])
        .shows("so far 0.721 of 2.490 MB =")
        .shows("Space next kernel")
        .press(&[RIGHT, SPACE])
        .shows("so far 2.490 of 2.490 MB =")
        .shows("Space goes on")
        .press(&[SPACE]);
    assert_eq!(s.state.reader.section, 1);
    assert_eq!(s.press(&[ESC]).state.reader.focus, Focus::Text);
}

#[test]
fn a_stretch_that_is_too_long_goes_along_with_the_walk() {
    let s = lesson(80, 24).press(&[SPACE, TAB]);
    let s = s.shows("of 17").hides(" res2 ");
    let s = (0..17).fold(s, |s, _| s.press(&[SPACE]));
    snapshot("trips-block-80", &s);
    s.shows("►res2").shows("so far 9.964 of 9.964 MB =");
}

#[test]
fn the_lab_shows_the_trips_of_its_plan() {
    let lab = |columns, rows| lesson(columns, rows).press(&[ch('L'), ch('t')]);
    snapshot("trips-lab-80", &lab(80, 24));
    snapshot("trips-lab-120", &lab(120, 40));
    snapshot("trips-lab-200", &lab(200, 60));
    let s = lab(80, 24).press(&[key(Code::Down), key(Code::Down), ENTER]);
    assert_eq!(s.state.shared.bench.cut().fusions(), [Fusion::Flash]);
    // 17 kernels less two; Space goes to the first, a wall falls behind it.
    let s = s.shows("15 launches per block").press(&[SPACE, ch('w')]);
    let s = s.shows("14 launches per block").shows("so far");
    // Behind the last kernel all of them stand, and Esc leads back to the ribbon.
    let s = (0..14).fold(s, |s, _| s.press(&[SPACE]));
    let s = s.hides("so far").press(&[ESC]).hides("memory ──");
    assert!(s.state.lab.trips.is_none());
    s.press(&[ch('t')])
        .shows("memory ──")
        .press(&[ch('t')])
        .hides("memory ──");
}

#[test]
fn a_plan_of_one_kernel_and_one_of_every_version_fit() {
    for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
        let mut s = lesson(columns, rows).press(&[ch('L'), ch('t')]);
        for _ in 0..5 {
            s = s.press(&[ch('v')]).shows("memory ──").shows("] forward");
        }
    }
    let mut s = lesson(80, 24).press(&[ch('L'), ch('t'), ch('v'), ch('v'), ch('v')]);
    snapshot("trips-lab-v4-80", &s);
    s.state.shared.look.ascii = true;
    snapshot("trips-lab-v4-ascii", &s);
    assert!(s.rows().iter().all(|row| row.is_ascii()));
}

#[test]
fn a_step_shows_its_numbers() {
    let s = lesson(80, 24).press(&[SPACE, SPACE, TAB]);
    let s = s
        .shows("[1] [3]  2   0")
        .shows("m 3 · l 1.1353 · acc 0.1353");
    let s = s.press(&[SPACE]).shows("factor 1.0000");
    snapshot("steps-softmax-80", &s);
    s.press(&[SPACE]).shows("[1] [3] [2] [0]");
}

#[test]
fn how_many_kernels_and_which_unit_are_never_cut() {
    // The picture of a block, which goes along: its head in every width for reading.
    for columns in [60, 66, 72, 80] {
        let s = lesson(columns, 24).press(&[SPACE, TAB]);
        let rows = s.rows();
        let head = rows.iter().find(|row| row.contains("▼ read"));
        let head = head.unwrap_or_else(|| panic!("{columns}: {}", rows.join("\n")));
        assert!(head.contains("of 17 ─") && head.contains(" = ─"), "{head}");
        assert!(!head.contains('…'), "{head}");
    }
}
