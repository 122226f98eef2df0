//! Timelines whose gaps, overlaps and shares are known by hand.

use super::*;
use crate::timing::{Rounds, report};
use plan::cost::Config;
use plan::fusion::Cut;
use plan::run::{CheckReport, Report, RunError};

fn span(name: &str, from: f64, to: f64) -> SpanReport {
    SpanReport {
        name: name.to_owned(),
        kernel: 0,
        from,
        to,
        took: vec![to - from],
    }
}

/// a, 2 idle, b that begins 1 before the end of c: 0-4, 6-10, 9-16, and a again 16-20.
fn trace() -> TraceReport {
    TraceReport {
        axis: Axis::Microseconds,
        how: "a clock".into(),
        forwards: 9,
        spans: vec![
            span("block 0: a", 0.0, 4.0),
            span("block 0: b", 6.0, 10.0),
            span("block 0: c", 9.0, 16.0),
            span("block 1: a", 16.0, 20.0),
        ],
        phases: Vec::new(),
    }
}

fn study(from: Option<f64>, to: Option<f64>) -> Timeline {
    let config = Config::preset("workshop", Cut::v1()).unwrap();
    Timeline {
        run: Request::new(config),
        from,
        to,
    }
}

fn evidence(change: impl Fn(&mut Report)) -> Evidence {
    let mut rounds = Rounds::new(study(None, None).asks().runs, 1);
    let mut made = report(&[]);
    made.trace = Some(trace());
    change(&mut made);
    rounds.take(Ok(made));
    rounds.into()
}

#[test]
fn the_run_is_recorded_and_not_timed() {
    let runs = study(None, None).asks().runs;
    assert_eq!((runs.len(), runs[0].runs, runs[0].trace), (1, 0, true));
}

#[test]
fn gaps_overlaps_and_shares_are_those_of_the_axis() {
    let found = study(None, None).reduce(&evidence(|_| {})).unwrap();
    assert_eq!(
        found.sentences,
        [
            // 0-4 and 6-20 are 18 of 20.
            "4 kernels in 20.0 µs @, the forward of median length among 9: for 18.0 µs at least one of them runs, 2.0 µs (10.0 %) lie between them.",
            "One begins before the one in front of it has ended, block 0: c first: 1.0 µs of overlap @.",
            // a 4 + 4, b 4, c 7 of 19.
            "Most is taken by a (2 kernels): 42 % of the kernels' time @.",
        ]
    );
    // 40 places of 0.5: a runs in 0-4 and 16-20, 8 places each.
    let line = &found.sheets[0].rows[0][3];
    let wanted = format!("{}{}{}", "#".repeat(8), ".".repeat(24), "#".repeat(8));
    assert_eq!(*line, Cell::from(wanted));
    let gap = |row: usize| found.sheets[1].rows[row][5].clone();
    assert_eq!(
        (gap(0), gap(1), gap(2)),
        (Cell::NONE, 2.0.into(), (-1.0).into())
    );
}

#[test]
fn a_part_of_the_axis_is_shown_and_one_that_is_none_refused() {
    let found = study(Some(5.0), Some(10.0))
        .reduce(&evidence(|_| {}))
        .unwrap();
    let names: Vec<&Cell> = found.sheets[1].rows.iter().map(|row| &row[0]).collect();
    assert_eq!(
        names,
        [&Cell::from("block 0: b"), &Cell::from("block 0: c")]
    );
    // 5 to 10 in 40 places: b from 6 on, 8 places in; it ends with the window.
    let wanted = format!("{}{}", ".".repeat(8), "#".repeat(32));
    assert_eq!(found.sheets[0].rows[0][3], Cell::from(wanted));
    for (from, to) in [(10.0, 5.0), (20.0, 30.0), (-1.0, 5.0), (f64::NAN, 5.0)] {
        let said = study(Some(from), Some(to))
            .reduce(&evidence(|_| {}))
            .unwrap_err();
        assert!(said.contains("from 0 to 20.0 µs"), "{said}");
    }
}

#[test]
fn what_takes_more_is_not_said_within_the_spread() {
    let spread = |made: &mut Report| {
        let trace = made.trace.as_mut().unwrap();
        // c takes 7 ±1, both a together 8 ±0.4.
        trace.spans[2].took = vec![6.0, 7.0, 8.0];
        trace.spans[0].took = vec![3.6, 4.0, 4.4];
    };
    let found = study(None, None).reduce(&evidence(spread)).unwrap();
    let said = found.sentences.last().unwrap();
    assert!(
        said.contains("a (2 kernels) and c, 42 % and 37 %"),
        "{said}"
    );
    assert!(said.contains("within their spread"));
    let three = |made: &mut Report| {
        spread(made);
        // b takes 7 ±0.7 as well.
        made.trace.as_mut().unwrap().spans[1].took = vec![6.3, 7.0, 7.7];
    };
    let found = study(None, None).reduce(&evidence(three)).unwrap();
    let said = found.sentences.last().unwrap();
    assert!(
        said.starts_with("No kernel is seen to take most: a (2 kernels), b and c, 36 % to 32 %"),
        "{said}"
    );
}

#[test]
fn instructions_are_no_time() {
    let counted = |made: &mut Report| {
        made.trace.as_mut().unwrap().axis = Axis::Instructions;
    };
    let found = study(None, None).reduce(&evidence(counted)).unwrap();
    assert_eq!(
        found.sentences[0],
        "4 kernels with 20 warp instructions #: an axis of work, not of time."
    );
    assert_eq!(found.sheets[1].columns.len(), 4);
}

/// Counts have no spread: two that are equal are as many.
#[test]
fn instructions_that_are_as_many_are_said_so() {
    let of = |b: f64| {
        let counted = |made: &mut Report| {
            let trace = made.trace.as_mut().unwrap();
            trace.axis = Axis::Instructions;
            for (span, took) in trace.spans.iter_mut().zip([4.0, b, 8.0, 4.0]) {
                span.took = vec![took];
            }
        };
        let found = study(None, None).reduce(&evidence(counted)).unwrap();
        found.sentences.join(" ")
    };
    // a is the first and the last kernel, b the second, c the third.
    let said = of(4.0);
    assert!(
        said.contains(
            "Most is taken by a (2 kernels) and c, 40 % of the instructions # each, as many."
        ),
        "{said}"
    );
    let said = of(8.0);
    assert!(
        said.contains("No kernel takes most: a (2 kernels), b and c have as many, 33 % of the instructions # each."),
        "{said}"
    );
}

#[test]
fn phases_stand_in_the_order_of_a_multiprocessor() {
    let phase = |unit, name: &str, from, to| PhaseReport {
        span: 1,
        name: name.to_owned(),
        unit,
        from,
        to,
    };
    let inside = |made: &mut Report| {
        made.trace.as_mut().unwrap().phases = vec![
            phase(0, "qkv", 6.0, 7.0),
            phase(0, WAITS, 7.0, 8.0),
            phase(0, "attention", 8.0, 10.0),
            phase(1, "qkv", 6.0, 7.5),
            phase(1, WAITS, 7.5, 8.0),
            phase(1, "attention", 8.0, 9.0),
        ];
    };
    let found = study(None, None).reduce(&evidence(inside)).unwrap();
    let rows = &found.sheets[2].rows;
    let numbers = |row: usize| rows[row][2..].to_vec();
    assert_eq!(
        (&rows[0][1], &rows[1][1]),
        (&"qkv".into(), &"attention".into())
    );
    // Work 1 and 1.5, waits 1 and 0.5.
    let wanted = [6.0, 7.5, 1.25, 1.5, 0.75].map(Cell::from);
    assert_eq!(numbers(0), wanted);
    assert_eq!(rows[1][6], Cell::NONE, "nothing waits behind the last");
}

#[test]
fn what_was_not_recorded_says_why() {
    let none = |made: &mut Report| {
        made.trace = None;
        made.notes = vec!["no timeline: o is computed by a library".into()];
    };
    let said = study(None, None).reduce(&evidence(none)).unwrap_err();
    assert_eq!(said, "no timeline: o is computed by a library");
    let wrong = |made: &mut Report| {
        made.check = Some(CheckReport {
            reference: "fp64".into(),
            max_abs_error: 1.0,
            rel_error: 1.0,
            tolerance: 1e-6,
            pass: false,
            first_wrong: None,
            wrong: Vec::new(),
            tensors: Vec::new(),
        });
    };
    let said = study(None, None).reduce(&evidence(wrong)).unwrap_err();
    assert!(said.contains("wrong numbers"));
    let mut rounds = Rounds::new(study(None, None).asks().runs, 1);
    rounds.take(Err(RunError::missing("no device")));
    assert_eq!(
        study(None, None).reduce(&rounds.into()),
        Err("no device".to_owned())
    );
}

#[test]
fn a_trace_has_complete_events_and_overlaps_in_rows_of_their_own() {
    let text = chrome(&trace(), "a test").to_string();
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = read["traceEvents"].as_array().unwrap();
    let kernels: Vec<_> = events.iter().filter(|e| e["ph"] == "X").collect();
    assert_eq!(kernels.len(), 4);
    assert_eq!(
        (kernels[2]["ts"].as_f64(), kernels[2]["dur"].as_f64()),
        (Some(9.0), Some(7.0))
    );
    let rows: Vec<_> = kernels.iter().map(|e| e["tid"].as_u64().unwrap()).collect();
    assert_eq!(rows, [0, 0, 1, 0]);
    // In a row nothing begins before what is in front of it has ended.
    for row in 0..2 {
        let ends: Vec<(f64, f64)> = kernels
            .iter()
            .filter(|e| e["tid"] == row)
            .map(|e| (e["ts"].as_f64().unwrap(), e["dur"].as_f64().unwrap()))
            .collect();
        assert!(ends.windows(2).all(|w| w[0].0 + w[0].1 <= w[1].0));
    }
}
