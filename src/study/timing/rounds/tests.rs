//! The order of the visits, and what came of them.

use super::*;
use crate::timing::report;
use plan::cost::Config;
use plan::fusion::Version;

fn rounds(runs: u32) -> Rounds {
    let request = |version: Version| Request {
        runs,
        count_bytes: true,
        ..Request::new(Config::preset("workshop", version.cut()).unwrap())
    };
    Rounds::new(Version::WORKSHOP.map(request).to_vec(), 7)
}

/// Runs all visits; the time of a plan in a round is `time`.
fn carried_out(mut rounds: Rounds, time: impl Fn(usize, usize) -> f64) -> (Rounds, Vec<usize>) {
    let mut order = Vec::new();
    let mut done = vec![0; rounds.plans()];
    while let Some(visit) = rounds.next() {
        let first = done[visit.plan] == 0;
        assert_eq!(
            (visit.request.check, visit.request.count_bytes),
            (first, first)
        );
        assert_eq!(visit.request.warm_up, if first { 3 } else { 1 });
        let t = time(visit.plan, done[visit.plan]);
        rounds.take(Ok(report(&vec![t; visit.request.runs as usize])));
        done[visit.plan] += 1;
        order.push(visit.plan);
    }
    (rounds, order)
}

#[test]
fn each_round_runs_every_plan_once_in_an_order_of_its_own() {
    let (rounds, order) = carried_out(rounds(30), |plan, _| 100.0 + plan as f64);
    assert_eq!(order.len(), 4 * 15);
    let mut orders = std::collections::BTreeSet::new();
    for round in order.chunks(4) {
        let mut sorted = round.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3]);
        orders.insert(round.to_vec());
    }
    // 15 draws of 24 orders: fewer than 5 different ones come once in 10⁹ times.
    assert!(orders.len() > 4, "{orders:?}");
    let timed = rounds.of(2).unwrap().unwrap();
    assert_eq!(timed.rounds, vec![102.0; 15]);
    assert_eq!(timed.report.time_us.unwrap().runs, 30);
    assert!(rounds.verdict(3, 0, 1).claimed());
    assert_eq!(rounds.progress(), (60, 60));
}

#[test]
fn a_disturbed_measurement_is_made_as_long_again_once() {
    let (rounds, order) = carried_out(rounds(30), |_, round| 100.0 + 3.0 * round as f64);
    assert_eq!(order.len(), 4 * 30);
    assert!(rounds.repeated());
    let timed = rounds.of(0).unwrap().unwrap();
    assert!(matches!(timed.trouble, Some(Trouble::Drift(_))));
    assert!(
        timed
            .report
            .notes
            .iter()
            .any(|note| note.contains("rose by"))
    );
    // All plans drift alike: in turns they do not differ.
    assert!(!rounds.verdict(0, 3, 1).claimed());
}

#[test]
fn what_has_no_time_or_fails_runs_once_and_the_others_go_on() {
    let mut rounds = rounds(20);
    let mut visits = [0; 4];
    while let Some(visit) = rounds.next() {
        visits[visit.plan] += 1;
        rounds.take(match visit.plan {
            0 => Err(RunError::failed("out of memory")),
            1 => Ok(report(&[])),
            _ => Ok(report(&[100.0, 101.0])),
        });
    }
    assert_eq!(visits, [1, 1, 10, 10]);
    assert!(rounds.of(0).unwrap().is_err());
    assert_eq!(rounds.of(1).unwrap().unwrap().report.time_us, None);
    assert_eq!(
        rounds.verdict(2, 3, 1),
        Verdict::Same {
            within: 0.0,
            rounds: 10
        }
    );
    assert_eq!(rounds.of(4), None);
}

#[test]
fn all_or_none_ends_with_what_fails() {
    let mut rounds = rounds(20).all_or_none();
    rounds.take(Ok(report(&[100.0, 101.0])));
    let failed = rounds.next().unwrap().plan;
    rounds.take(Err(RunError::failed("out of memory")));
    assert_eq!(rounds.next(), None);
    assert!(rounds.of(failed).unwrap().is_err());
}

#[test]
fn what_was_measured_before_a_stop_is_there() {
    let mut rounds = rounds(30);
    for _ in 0..6 {
        let visit = rounds.next().unwrap();
        rounds.take(Ok(report(&vec![100.0; visit.request.runs as usize])));
    }
    let (done, all) = rounds.progress();
    assert_eq!((done, all), (6, 60));
    let timed = (0..4).map(|plan| rounds.of(plan).unwrap().unwrap());
    let seen: usize = timed.map(|t| t.rounds.len()).sum();
    assert_eq!(seen, 6);
    assert!(!rounds.verdict(0, 1, 1).claimed());
}

#[test]
fn a_plan_alone_is_timed_at_once_and_again_where_it_was_disturbed() {
    let alone = || {
        let request = Request::new(Config::preset("workshop", Version::V1.cut()).unwrap());
        Rounds::new(vec![request], 1)
    };
    let steady: Vec<f64> = (0..30).map(|i| 100.0 + f64::from(i % 3)).collect();
    let rising: Vec<f64> = (0..30).map(|i| 100.0 + 3.0 * f64::from(i)).collect();
    let made = |of: &[&Vec<f64>]| {
        let mut rounds = alone();
        for times in of {
            assert_eq!(rounds.next().unwrap().request.runs, 30);
            rounds.take(Ok(report(times)));
        }
        assert_eq!(rounds.next(), None);
        rounds.of(0).unwrap().unwrap()
    };
    assert_eq!(made(&[&steady]).report.notes, Vec::<String>::new());
    let second = made(&[&rising, &steady]);
    assert_eq!(second.report.time_us.unwrap().median, 101.0);
    assert!(second.trouble.is_none() && second.report.notes[0].contains("a second was made"));
    let both = made(&[&rising, &rising]);
    assert!(both.report.notes[0].contains("also when all of it was timed again"));
}

#[test]
fn no_timed_runs_is_one_round() {
    let (_, order) = carried_out_untimed(rounds(0));
    assert_eq!(order, 4);
}

fn carried_out_untimed(mut rounds: Rounds) -> (Rounds, usize) {
    let mut made = 0;
    while let Some(visit) = rounds.next() {
        assert_eq!(visit.request.runs, 0);
        rounds.take(Ok(report(&[])));
        made += 1;
    }
    (rounds, made)
}
