//! A suite, its baseline, and what is said of a later build.

use super::*;
use crate::studies::bench::Bench;
use crate::timing::{report, timed_in_turns};
use plan::cost::Config;
use plan::fusion::Version;
use plan::run::Request;

fn suite() -> Bench {
    let run = Request {
        runs: 30,
        ..Request::new(Config::preset("workshop", Version::V1.cut()).unwrap())
    };
    let cuts = [Version::V1.cut(), Version::V4.cut()];
    let model = run.config.model.clone();
    Bench::suite(&run, &[model], &[1, 2], &[32], &cuts).unwrap()
}

/// Times of a quiet machine: a saw of 0.6 % around 1000 µs, times a factor by case.
fn made(bench: &Bench, factor: impl Fn(&Request) -> f64) -> Evidence {
    let requests = bench.cases.iter().map(|(_, r)| r.clone()).collect();
    let saw = |round: usize| 1.0 + 0.001 * (round * 5 % 7) as f64;
    timed_in_turns(requests, |request, round| {
        1000.0 * factor(request) * saw(round)
    })
    .into()
}

fn kept(bench: &Bench, evidence: &Evidence) -> Kept {
    Kept {
        schema: 1,
        id: "bench-1".into(),
        study: "bench".into(),
        command: "study bench".into(),
        device: "a CPU".into(),
        build: "0.1.0+old".into(),
        time: "2026-11-23T04:04:49Z".into(),
        stopped: false,
        findings: bench.reduce(evidence).unwrap(),
    }
}

#[test]
fn a_suite_is_every_shape_with_every_plan() {
    let bench = suite();
    let names: Vec<&str> = bench.cases.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "workshop B1 S32 fp32 V1",
            "workshop B1 S32 fp32 V4",
            "workshop B2 S32 fp32 V1",
            "workshop B2 S32 fp32 V4",
        ]
    );
    let faster = made(&bench, |r| match r.config.cut == Version::V4.cut() {
        true => 0.5,
        false => 1.0,
    });
    let found = bench.reduce(&faster).unwrap();
    // 32 tokens in 1.003 ms, the middle of the saw.
    let rate = match found.sheets[0].rows[0][3] {
        Cell::Number(rate) => rate,
        ref other => panic!("{other:?}"),
    };
    assert!((rate - 32.0 / 1.003e-3).abs() < 50.0, "{rate}");
    assert_eq!(found.cases.len(), 4);
    assert!(
        found.sentences[0].contains("V1 takes 2.000 times the time of workshop B1 S32 fp32 V4"),
        "{:?}",
        found.sentences
    );
}

#[test]
fn the_same_build_shows_no_regression_and_a_planted_one_is_named() {
    let bench = suite();
    let baseline = kept(&bench, &made(&bench, |_| 1.0));
    let regress = Regress::new(baseline.clone(), Some("a CPU"), 0.01, false).unwrap();
    let same = regress.reduce(&made(&bench, |_| 1.0)).unwrap();
    assert_eq!(same.alarms, []);
    assert_eq!(same.sentences, ["No regression in 4 cases."]);
    // What the spread hides is said where it is more than what counts.
    let blind = |n: &&String| n.contains("would not have been");
    let strict = Regress::new(baseline.clone(), Some("a CPU"), 0.0, false).unwrap();
    let strict = strict.reduce(&made(&bench, |_| 1.0)).unwrap();
    assert_eq!(
        strict.sentences.iter().filter(blind).count(),
        1,
        "{:?}",
        strict.sentences
    );
    let mut short = baseline.clone();
    short
        .findings
        .cases
        .iter_mut()
        .for_each(|case| case.rounds.truncate(3));
    let few = Regress::new(short, Some("a CPU"), 0.01, false).unwrap();
    let few = few.reduce(&made(&bench, |_| 1.0)).unwrap();
    assert!(
        few.sentences[0].contains("the rounds are too few"),
        "{:?}",
        few.sentences
    );
    assert_eq!(
        few.notes
            .iter()
            .filter(|n| n.contains("too few to show"))
            .count(),
        4
    );
    // The suite's table and `before` are one figure.
    for (suite, case) in baseline.findings.sheets[0]
        .rows
        .iter()
        .zip(&same.sheets[0].rows)
    {
        assert_eq!(suite[1], case[1]);
    }
    let planted = |r: &Request| match r.config.shape.batch == 2 && r.config.cut == Version::V4.cut()
    {
        true => 1.05,
        false => 1.0,
    };
    let found = regress.reduce(&made(&bench, planted)).unwrap();
    let [(name, said)] = found.alarms.as_slice() else {
        panic!("{:?}", found.alarms);
    };
    assert_eq!(name, "workshop B2 S32 fp32 V4");
    assert!(
        said.contains("takes 1.050 times the time of the baseline @"),
        "{said}"
    );
    assert_eq!(found.sentences[0], "1 of 4 cases regressed.");
    // Measured once more, that case alone: it stays where it is seen again, else it goes.
    let again = regress.again(&found).unwrap();
    assert_eq!(again.cases.len(), 1);
    assert_eq!(confirmed(found.clone(), &found).alarms.len(), 1);
    let gone = confirmed(found, &same);
    assert_eq!(gone.alarms, []);
    assert_eq!(gone.sentences, ["No regression in 4 cases."]);
    assert!(gone.notes.iter().any(|n| n.contains("not seen again")));
    // The table says it as well, and of that case alone.
    let marked = |row: &&Vec<Cell>| matches!(&row[CHANGE], Cell::Text(t) if t.ends_with(NOT_AGAIN));
    let marked: Vec<&Vec<Cell>> = gone.sheets[0].rows.iter().filter(marked).collect();
    assert_eq!(marked.len(), 1);
    assert_eq!(marked[0][0], "workshop B2 S32 fp32 V4".into());
    assert!(regress.again(&same).is_none());
}

#[test]
fn more_memory_and_a_larger_error_are_regressions_too() {
    let bench = suite();
    let mut baseline = kept(&bench, &made(&bench, |_| 1.0));
    for case in &mut baseline.findings.cases {
        case.held = Some(10_000_000);
    }
    let regress = Regress::new(baseline, None, 0.01, false).unwrap();
    let requests = regress.cases.iter().map(|c| c.request.clone()).collect();
    let mut rounds = crate::timing::Rounds::new(requests, 1);
    while let Some(visit) = rounds.next() {
        let mut report = report(&[1000.0, 1000.0]);
        report.held_bytes = Some(if visit.plan == 0 {
            10_200_000
        } else {
            10_050_000
        });
        rounds.take(Ok(report));
    }
    let found = regress.reduce(&rounds.into()).unwrap();
    let said: Vec<&str> = found.alarms.iter().map(|(_, said)| said.as_str()).collect();
    assert_eq!(
        said,
        ["workshop B1 S32 fp32 V1 holds 10.20 MB # and held 10.00 MB in the baseline."]
    );
}

#[test]
fn a_slower_machine_is_named_as_a_cause_and_another_device_or_model_is_refused() {
    let bench = suite();
    let baseline = kept(&bench, &made(&bench, |_| 1.0));
    let regress = Regress::new(baseline.clone(), Some("a CPU"), 0.01, false).unwrap();
    let found = regress.reduce(&made(&bench, |_| 1.2)).unwrap();
    assert_eq!(found.sentences[0], "4 of 4 cases regressed.");
    assert!(
        found.notes.iter().any(|n| n.contains("machine itself")),
        "{:?}",
        found.notes
    );

    let changed = |found: &Findings| match found.sheets[0].rows[0][3].clone() {
        Cell::Text(said) => said,
        other => panic!("{other:?}"),
    };
    assert!(
        changed(&found).starts_with("×1.200 (1."),
        "{}",
        changed(&found)
    );
    assert!(!found.sentences.iter().any(|s| s.contains("one build")));
    // The very same build: the machine became slower, and that is no regression.
    let mut here = regress.clone();
    here.build = baseline.build.clone();
    let found = here.reduce(&made(&bench, |_| 1.2)).unwrap();
    assert_eq!(found.alarms, []);
    assert_eq!(
        found.sentences[..2],
        [
            "No regression in 4 cases.",
            "4 cases take longer @ than in the baseline, and both are one build, 0.1.0+old: that is the machine, no regression. Make it again when nothing else uses this machine; if that says the same, bench --save FILE makes a baseline of the machine as it is now.",
        ]
    );
    assert!(found.sentences[2].contains("takes 1.200 times"));
    assert!(here.again(&found).is_none());
    // What it holds is not the machine's.
    let mut held = here.clone();
    let requests = held.cases.iter().map(|c| c.request.clone()).collect();
    held.cases.iter_mut().for_each(|case| case.held = Some(100));
    let mut rounds = crate::timing::Rounds::new(requests, 1);
    while let Some(visit) = rounds.next() {
        let mut report = report(&[1000.0, 1000.0]);
        report.held_bytes = Some(200).filter(|_| visit.plan == 0);
        rounds.take(Ok(report));
    }
    assert_eq!(held.reduce(&rounds.into()).unwrap().alarms.len(), 1);

    let refused = Regress::new(baseline.clone(), Some("an H200"), 0.01, false).unwrap_err();
    assert!(refused.contains("--anyway"), "{refused}");
    assert!(Regress::new(baseline.clone(), Some("an H200"), 0.01, true).is_ok());
    let mut other = baseline.clone();
    other.findings.cases[0].request.config.model.layers += 1;
    let refused = Regress::new(other, Some("a CPU"), 0.01, false).unwrap_err();
    assert!(refused.contains("not the model of that name"), "{refused}");
    let mut empty = baseline;
    empty.findings.cases.clear();
    assert!(Regress::new(empty, None, 0.01, false).is_err());
}

#[test]
fn a_baseline_is_read_back_as_it_was_written() {
    let bench = suite();
    let kept = kept(&bench, &made(&bench, |_| 1.0));
    let text = serde_json::to_string(&kept).unwrap();
    assert_eq!(serde_json::from_str::<Kept>(&text).unwrap(), kept);
}
