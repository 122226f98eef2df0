//! The compare page after runs: figures that stand apart, once each, and say what they are of.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use crate::pages::{Screen, clocked};
use tinyllama_tutor::cost::Cost;
use tinyllama_tutor::run::{Report, Timing};

/// A run of a CPU: milliseconds that spread widely, and three forwards kernel by kernel.
fn slow(cost: &Cost) -> Report {
    let mut report = clocked(cost);
    report.time_us = Timing::of(&[5398.0, 6176.0, 6954.0], "a clock");
    let trace = report.trace.as_mut().unwrap();
    trace.forwards = 3;
    for span in &mut trace.spans {
        span.took = vec![span.to, 2.0 * span.to, span.to];
    }
    report
}

#[test]
fn floors_and_times_of_the_staircase_stand_apart() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut screen = Screen::new(size.0, size.1);
        screen.state.shared.machine.backends[0].lacks.clear();
        let rows = screen.typed("4tR").answered(slow).rows();
        let timed: Vec<&String> = rows.iter().filter(|row| row.contains("6176")).collect();
        assert!(timed.len() > 5, "{rows:#?}");
        for row in timed {
            // The median of the times, and the median of what they lie apart.
            assert!(row.contains(" 6176 ±778"), "{row}");
        }
    }
}

#[test]
fn heads_of_the_staircase_stand_apart() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        for (keys, heads) in [
            ("4t", "saves alone peak floor forward"),
            ("4tb", "saves alone peak, fwd floor forward"),
        ] {
            let rows = Screen::new(size.0, size.1).typed(keys).rows();
            let words = |row: &String| row.split_whitespace().collect::<Vec<_>>().join(" ");
            let row = rows.iter().map(words).find(|row| row.contains(heads));
            assert!(row.is_some(), "{rows:#?}");
        }
    }
}

/// Beside a lesson there is no room for two long times with their spread.
#[test]
fn a_label_is_not_written_over_by_its_times() {
    let long = |cost: &Cost| {
        let mut report = slow(cost);
        report.time_us = Timing::of(&[5398.3, 6176.4, 6954.1], "a clock");
        report
    };
    for (keys, size) in [("2", (120, 40)), ("3", (80, 24)), ("3", (120, 40))] {
        let screen = Screen::new(size.0, size.1).typed("3r").answered(long);
        let rows = screen.typed(keys).rows();
        let row = rows.iter().find(|row| row.contains("fwd @")).unwrap();
        assert!(row.contains("fwd @ "), "{row}");
        assert_eq!(row.matches("6176").count(), 2, "{row}");
    }
}

#[test]
fn figures_of_merit_stand_once_and_hotspots_where_there_is_room() {
    let count = |rows: &[String], text: &str| rows.iter().filter(|r| r.contains(text)).count();
    for size in [(80, 24), (120, 40), (160, 50), (200, 60), (300, 80)] {
        let rows = Screen::new(size.0, size.1)
            .typed("4R")
            .answered(slow)
            .rows();
        assert!(count(&rows, "tokens/s @") <= 1, "{size:?}: {rows:#?}");
        let shown = count(&rows, "of roof");
        assert_eq!(shown, usize::from(size.0 >= 200), "{size:?}: {rows:#?}");
    }
}

#[test]
fn hotspots_alone_say_that_they_are_medians_of_their_own() {
    for size in [(80, 24), (120, 40)] {
        for page in ["4Rff", "3rff"] {
            let keys = page.chars().next().unwrap().to_string();
            let screen = Screen::new(size.0, size.1).typed(&keys);
            let screen = screen.typed(&page[1..2]).answered(slow).typed("ff");
            let text = screen.rows().join(" ");
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains("is a median of its own"), "{page}: {text}");
        }
    }
}
