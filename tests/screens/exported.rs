//! `X` keeps the numbers of a page as rows; the expected ones are worked out by hand, at
//! the workshop's shape: S = 128, D = 256, Dkv = 128, I = 512, four blocks, fp32.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use super::pages::h200;
use super::reader::{ENTER, ESC, Screen, TAB};
use tinyllama_tutor::app::key::ch;
use tinyllama_tutor::app::{Effect, Page};
use tinyllama_tutor::course::Course;

/// What the key exports here: the cells of each row.
fn exported(screen: Screen) -> Option<Vec<Vec<String>>> {
    let screen = screen.press(&[ch('X')]);
    let mut effects = screen.effects.iter().rev();
    let numbers = effects.find_map(|effect| match effect {
        Effect::Export { numbers, .. } => Some(numbers),
        _ => None,
    });
    let rows = numbers.unwrap().as_ref()?.lines();
    Some(rows.map(cells).collect())
}

/// A row of CSV; a cell with a comma stands in quotes.
fn cells(row: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    for (at, part) in row.split('"').enumerate() {
        let within = at % 2 == 1;
        for (nth, text) in part.split(|c| c == ',' && !within).enumerate() {
            if nth > 0 {
                out.push(String::new());
            }
            out.last_mut().unwrap().push_str(text);
        }
    }
    out
}

/// The cell of a column in the first row that begins with a word.
#[track_caller]
fn cell<'r>(rows: &'r [Vec<String>], row: &str, column: &str) -> &'r str {
    let at = rows[0].iter().position(|head| head == column);
    let at = at.unwrap_or_else(|| panic!("{column} in {:?}", rows[0]));
    let found = rows.iter().find(|cells| cells[0] == row);
    &found.unwrap_or_else(|| panic!("{row} in {rows:?}"))[at]
}

/// The built-in course on the machine of the snapshots.
fn workshop() -> Screen {
    let mut screen = Screen::with(Course::built_in(), 120, 40);
    screen.state.shared.machine = h200();
    screen
}

/// The page of a lesson's section.
fn section(lesson: &str, section: &str) -> Screen {
    let mut screen = workshop();
    let found = screen.state.shared.study.course.lesson(lesson).unwrap();
    let at = found.sections.iter().position(|s| s.id == section).unwrap();
    screen.state.reader.lesson = screen.state.shared.study.place_of(lesson).unwrap();
    screen.state.reader.section = at;
    screen.state.reader.opened = true;
    screen.state.go(Page::Lesson);
    screen.state.revision += 1;
    screen.painter.fit(&mut screen.state);
    screen
}

#[test]
fn every_view_of_compare_exports_what_it_shows() {
    let rows = exported(workshop().typed("4")).unwrap();
    // 17 kernels in each of four blocks, one in V4, and three outside the blocks.
    assert_eq!(cell(&rows, "launches", "V1"), "71");
    assert_eq!(cell(&rows, "launches", "V4"), "7");
    let rows = exported(workshop().typed("4b")).unwrap();
    // x in and y out, 2·128·256; weights of q, k, v, o, gate, up and down, and two gammas.
    let weights = 2 * 256 * 256 + 2 * 256 * 128 + 3 * 256 * 512 + 2 * 256;
    let bytes = 4 * (2 * 128 * 256 + weights);
    assert_eq!(bytes, 2_623_488);
    assert_eq!(cell(&rows, "bytes MB =", "V4"), "2.623");
    assert_eq!(cell(&rows, "launches", "V1"), "17");
    // The staircase: qkv saves two of three reads of 128·256 normalised elements.
    let rows = exported(workshop().typed("4bt")).unwrap();
    let qkv = rows.iter().find(|row| row[0].contains("qkv")).unwrap();
    assert!(
        qkv.contains(&"15".into()) && qkv.contains(&"0.262".into()),
        "{rows:?}"
    );
    // Figures of merit: a forward of 128 tokens.
    let rows = exported(workshop().typed("4f")).unwrap();
    assert_eq!(rows[0][..2], ["per forward", "V1"]);
    assert!(
        rows.iter().all(|row| row.len() == rows[0].len()),
        "{rows:?}"
    );
}

#[test]
fn roofline_and_kernel_page_export_the_kernels() {
    for keys in ["5", "3K"] {
        let rows = exported(workshop().typed(keys)).unwrap();
        // q: 2·128·256² operations on 128·256 elements in, as many out, and 256² weights.
        assert_eq!(cell(&rows, "q", "FLOP"), "16777216", "{keys}");
        assert_eq!(cell(&rows, "q", "B weights"), "262144", "{keys}");
        assert_eq!(cell(&rows, "q", "FLOP/B"), "32", "{keys}");
        // res1: one addition for twice an element read and one written.
        assert_eq!(cell(&rows, "res1", "FLOP"), "32768", "{keys}");
        assert_eq!(cell(&rows, "res1", "B read"), "262144", "{keys}");
        // 51 TFLOP/s over 4286 GB/s are 11.9 FLOP/B.
        let bound = rows[0].last().unwrap().clone();
        assert_eq!(cell(&rows, "q", &bound), "compute", "{keys}");
        assert_eq!(cell(&rows, "res1", &bound), "memory", "{keys}");
    }
}

#[test]
fn a_lesson_exports_its_tables_and_charts() {
    // Batch 5: 5·128·512 elements of four bytes.
    let rows = exported(section("00-welcome", "a-number-you-can-take-apart")).unwrap();
    assert_eq!(cell(&rows, "m, written", "elements"), "327,680");
    let rows = exported(section("03-roofline", "curves-and-flat-lines")).unwrap();
    // 2·128·256² over 4·(2·128·256 + 256²); one addition over 12 bytes, at every batch.
    assert_eq!(cell(&rows, "1", "q (FLOP/B)"), "32");
    let flat: f64 = cell(&rows, "64", "res1 (FLOP/B)").parse().unwrap();
    assert!((flat - 1.0 / 12.0).abs() < 1e-9, "{flat}");
}

/// What the page hides, the file does not tell.
#[test]
fn nothing_is_exported_that_answers_what_is_asked() {
    let asked = section("10-flash", "what-must-be-held");
    assert_eq!(exported(asked), None);
    let claim = section("26-claims-court", "fifth-case-a-growth-law");
    assert_eq!(exported(claim), None);
    let judged = [TAB, ENTER, ENTER, ch('j'), ENTER, ESC];
    let claim = section("26-claims-court", "fifth-case-a-growth-law").press(&judged);
    assert!(exported(claim).is_some_and(|rows| rows.len() > 2));
    // Once something was guessed, both are there.
    let guessed = section("10-flash", "what-must-be-held").press(&[TAB]);
    let guessed = guessed
        .typed("1")
        .press(&[ENTER])
        .typed("1")
        .press(&[ENTER]);
    assert!(exported(guessed).is_some_and(|rows| rows[0].len() == 3));
}
