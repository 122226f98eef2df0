use super::said::impossible;
use super::*;
use crate::evidence;
use crate::timing::{Rounds, report};
use plan::cost::price;
use plan::fusion::Version;
use plan::run::{RunError, TraceReport};

fn study() -> Roofline {
    let config = Config::preset("workshop", Version::V2.cut()).unwrap();
    Roofline {
        run: Request::new(config),
    }
}

/// A run in which each kernel takes `times` its floor under 10 GB/s and 100 GFLOP/s.
fn evidence(times: impl Fn(&str) -> f64) -> Evidence {
    let study = study();
    let roof = Roof {
        flops_per_second: 1e11,
        bytes_per_second: 1e10,
    };
    let cost = price(&study.run.config).unwrap();
    let mut at = 0.0;
    let spans = cost.forward.kernels.iter().enumerate().map(|(kernel, k)| {
        let took = 1e6 * roof.floor_seconds(k.flops, k.bytes()) * times(&k.name);
        at += took;
        SpanReport {
            name: k.name.clone(),
            kernel,
            from: at - took,
            to: at,
            took: vec![took],
        }
    });
    let mut made = report(&[]);
    made.trace = Some(TraceReport {
        axis: Axis::Microseconds,
        how: "a clock".into(),
        forwards: 1,
        spans: spans.collect(),
        phases: Vec::new(),
    });
    let mut rounds = Rounds::new(study.asks().runs, 1);
    rounds.take(Ok(made));
    let agreed = |rate| Agreed { rate, spread: 0.01 };
    Evidence {
        roofs: Some(Ok(evidence::Roofs {
            of: "this CPU".into(),
            bandwidth: agreed(1e10),
            fp32: agreed(1e11),
            matrix16: None,
            read: None,
            launch: None,
            barrier: None,
            notes: Vec::new(),
        })),
        ..rounds.into()
    }
}

#[test]
fn every_kernel_at_twice_its_floor_is_half_of_the_roof() {
    let found = study().reduce(&evidence(|_| 2.0)).unwrap();
    assert!(found.sentences[0].contains(", 50 %: the roofs of this CPU, measured @"));
    for row in &found.sheets[0].rows {
        assert!(
            matches!(row[5], crate::findings::Cell::Number(p) if (p - 50.0).abs() < 1e-6),
            "{row:?}"
        );
    }
    // V2's products of 128 rows are above the ridge of 10 FLOP/B, its norms below.
    let bound = |name: &str| {
        let row = found.sheets[1]
            .rows
            .iter()
            .find(|row| row[0] == name.into());
        row.unwrap()[5].clone()
    };
    assert_eq!(
        (bound("down"), bound("norm1")),
        ("compute".into(), "memory".into())
    );
}

#[test]
fn points_lie_under_the_roof_by_intensity_and_unfold() {
    let found = study().reduce(&evidence(|_| 2.0)).unwrap();
    let [plot] = found.plots.as_slice() else {
        panic!("{:?}", found.plots);
    };
    assert!(plot.at.is_sorted() && plot.at.len() == found.sheets[1].rows.len() - 1);
    let [(_, _, roof), (_, _, reached)] = plot.lines.as_slice() else {
        panic!("{plot:?}");
    };
    for (roof, reached) in roof.iter().zip(reached) {
        // Twice its floor is half of what its roof allows.
        let part = reached.unwrap() / roof.unwrap();
        assert!((part - 0.5).abs() < 1e-6, "{part}");
    }
    let terms = found.terms();
    assert_eq!(terms.len(), found.sheets[1].rows.len());
    for term in terms {
        let cost = price(term.config).unwrap();
        let why = plan::cost::why(&cost, &term.key());
        assert!(why.is_ok(), "{}: {why:?}", term.said());
    }
}

#[test]
fn the_time_above_the_roof_says_where_to_look() {
    // All at their roof but down, at three times: all of the rest is there.
    let slow = |name: &str| if name == "down" { 3.0 } else { 1.0 };
    let found = study().reduce(&evidence(slow)).unwrap();
    assert!(
        found.sentences[1].starts_with("Of the time above the roofs down has most, 100 % @"),
        "{:?}",
        found.sentences
    );
    // A product in half the time that the roof allows: the roof is not one.
    let above = |name: &str| if name == "down" { 0.5 } else { 1.5 };
    let found = study().reduce(&evidence(above)).unwrap();
    let said = found.sentences.last().unwrap();
    assert!(
        said.starts_with("Faster than the roof of FLOPs, which cannot be @: down;"),
        "{said}"
    );
    assert!(said.ends_with("make the study again when nothing else uses this machine."));
    // The roof is measured once more, and the higher one counts.
    let mut disturbed = evidence(above);
    let asked = study().once_more(&disturbed);
    assert_eq!(asked.roofs, Some(study().run.backend));
    assert!(study().once_more(&evidence(|_| 1.5)).is_empty());
    let measured = |fp32: f64| {
        let mut second = evidence(above);
        let Some(Ok(roofs)) = &mut second.roofs else {
            panic!("{:?}", second.roofs);
        };
        roofs.fp32.rate = fp32;
        second
    };
    disturbed.take_again(measured(0.5e11));
    let found = study().reduce(&disturbed).unwrap();
    assert!(
        found
            .sentences
            .last()
            .unwrap()
            .contains("disturbed both measurements"),
        "{:?}",
        found.sentences
    );
    disturbed.take_again(measured(4e11));
    let found = study().reduce(&disturbed).unwrap();
    assert!(
        !found.sentences.iter().any(|s| s.contains("cannot be")),
        "{:?}",
        found.sentences
    );
    // A norm in half the time that memory takes.
    let cached = |name: &str| if name == "norm1" { 0.5 } else { 1.5 };
    let found = study().reduce(&evidence(cached)).unwrap();
    let said = found.sentences.last().unwrap();
    assert_eq!(
        said,
        "Faster than memory allows @: norm1; what they read was still in a cache."
    );
}

#[test]
fn without_roofs_the_times_stand_alone() {
    let mut evidence = evidence(|_| 2.0);
    evidence.roofs = Some(Err(RunError::failed("a busy machine")));
    let found = study().reduce(&evidence).unwrap();
    assert!(found.sentences[0].ends_with("no roof of this machine is known to set them under."));
    assert_eq!(
        (found.sentences.len(), found.notes[0].as_str()),
        (1, "a busy machine")
    );
    // What is reached is drawn all the same.
    assert_eq!(found.plots[0].lines.len(), 1);
    // A picture of it alone says why it has no roof.
    assert_eq!(found.plots[0].lines[0].0, "reached, no roof is known");
    let row = &found.sheets[0].rows[0];
    assert_eq!(
        (&row[5], &row[6]),
        (&crate::findings::Cell::NONE, &"–".into())
    );
}

#[test]
fn what_is_to_be_tried_follows_from_part_and_side() {
    let kind = |time: f64, floor: f64, bound| Kind {
        name: "k",
        kernels: 1,
        time,
        spread: 0.0,
        flops: 1.0,
        bytes: 1.0,
        floor,
        bound: Some(bound),
        attainable: 1.0,
        matrix: false,
    };
    for (time, floor, bound, says) in [
        (1e-3, 2e-3, Bound::Memory, "cache"),
        (1e-3, 8e-4, Bound::Memory, "fewer bytes"),
        (1e-3, 8e-4, Bound::Compute, "leave it"),
        (1e-5, 1e-6, Bound::Memory, "too small"),
        (1e-3, 1e-4, Bound::Memory, "loads"),
        (1e-3, 1e-4, Bound::Compute, "tile"),
    ] {
        assert!(try_this(&kind(time, floor, bound)).contains(says), "{says}");
    }
    let slow = kind(1e-3, 1e-4, Bound::Compute);
    assert!(!try_this(&slow).contains("matrix unit"));
    let matrix = Kind {
        matrix: true,
        ..slow
    };
    assert!(try_this(&matrix).contains("matrix unit"));
}

#[test]
fn no_kernel_has_most_where_several_lie_within_their_spread() {
    let kind = |name, time: f64, spread: f64| Kind {
        name,
        kernels: 1,
        time,
        spread,
        flops: 1.0,
        bytes: 1.0,
        floor: 1e-4,
        bound: Some(Bound::Compute),
        attainable: 1.0,
        matrix: false,
    };
    let roof = Roof {
        flops_per_second: 1.0,
        bytes_per_second: 1.0,
    };
    let roofs = Roofs {
        plain: roof,
        product: roof,
        matrix: false,
        said: "roofs".into(),
    };
    let said = |kinds: &[Kind<'_>]| sentences(kinds, Some(&roofs), false)[1].clone();
    let three = [
        kind("a", 5e-4, 5e-5),
        kind("b", 4.8e-4, 5e-5),
        kind("c", 4.2e-4, 5e-5),
    ];
    assert_eq!(
        said(&three),
        // 400, 380 and 320 of 1100 µs above the roofs.
        "Of the time above the roofs no kernel is seen to have most @: a, b and c, 36 % to 29 %, lie within their spread."
    );
    assert!(said(&three[..2]).contains("a and b have most"));
    // d has most time above its roof, and is near it: what is said is said of a.
    let near = Kind {
        floor: 1.4e-3,
        ..kind("d", 2e-3, 0.0)
    };
    let found = said(&[near, kind("a", 5e-4, 0.0)]);
    assert!(
        found.starts_with(
            "Of the time above the roofs, kernels that are near theirs left out, a has most, 40 %"
        ),
        "{found}"
    );
}

#[test]
fn less_time_than_a_roof_asks_for_is_said_within_the_spread_too() {
    let kind = |time: f64| Kind {
        name: "up",
        kernels: 1,
        time,
        spread: 2e-4,
        flops: 1.0,
        bytes: 1.0,
        floor: 1e-3,
        bound: Some(Bound::Compute),
        attainable: 1.0,
        matrix: false,
    };
    let said = |time: f64| impossible(&[kind(time)], false);
    assert!(said(1.1e-3).is_none());
    assert!(said(9e-4).unwrap().starts_with(
        "What computes takes 90 % of the time that its roof asks for @, within the spread;"
    ));
    assert!(said(7e-4).unwrap().starts_with("Faster than the roof"));
}
