//! A machine that is known, calibrated and asked.

use super::*;
use crate::timing::{Rounds, timed_in_turns};
use plan::cost::price;
use plan::fusion::Version;

/// 3 µs a launch, 10 GFLOP/s and nothing else, off by up to 2 %.
fn time(request: &Request, round: usize) -> f64 {
    let cost = price(&request.config).unwrap();
    let us = 3.0 * cost.forward.launches() as f64 + cost.forward.flops as f64 * 1e-4;
    us * (1.0 + 0.02 * ((7 * round) % 5) as f64 / 4.0)
}

fn study() -> Predict {
    let config = Config::preset("workshop", Version::V1.cut()).unwrap();
    Predict {
        run: Request::new(config.clone()),
        cuts: vec![Version::V1.cut(), Version::V4.cut()],
        measure: false,
        known: None,
        extent: Extent::Small,
        held_out: 10,
        past: vec![],
        config,
    }
}

#[test]
fn a_machine_is_calibrated_once_and_asked_without_a_run() {
    let first = study();
    let asked = first.asks().runs;
    assert_eq!(asked.len(), POINTS + 10);
    assert!(asked.iter().all(|r| !r.check && r.runs == RUNS));
    let rounds = timed_in_turns(asked, time);
    let found = first.reduce(&rounds.into()).unwrap();
    let learned = found.learned.unwrap();
    let known = learned.calibration.clone().unwrap();
    assert_eq!(known.device, "a CPU");
    let again = Predict {
        known: Some(known),
        held_out: 0,
        ..study()
    };
    assert!(again.asks().is_empty());
    let found = again.reduce(&Evidence::default()).unwrap();
    // 71 launches and 743 MFLOP: 213 + 74,300 µs.
    let v1 = &found.learned.as_ref().unwrap().predictions[0];
    let truth = time(&Request::new(v1.config.clone()), 0) * 1e-6;
    assert!((v1.predicted.seconds / truth - 1.0).abs() < 0.1, "{v1:?}");
    assert!(v1.predicted.low <= v1.predicted.seconds && v1.predicted.seconds <= v1.predicted.high);
    assert!(found.learned.unwrap().calibration.is_none());
    assert!(
        found.sentences[0].contains("eight of ten between"),
        "{}",
        found.sentences[0]
    );
    assert!(found.notes[0].contains("--calibrate"), "{:?}", found.notes);
}

#[test]
fn runs_since_show_how_far_off_predictions_were() {
    let mut study = study();
    study.measure = true;
    let rounds = timed_in_turns(study.asks().runs, time);
    let found = study.reduce(&rounds.into()).unwrap();
    let plans = &found.sheets[0];
    assert_eq!(plans.columns.len(), 7);
    let predictions = found.learned.unwrap().predictions;
    assert!(predictions.iter().all(|p| p.off().unwrap().abs() < 0.1));
    study.past = predictions;
    let rounds = timed_in_turns(study.asks().runs, time);
    let found = study.reduce(&rounds.into()).unwrap();
    assert!(
        found
            .sentences
            .iter()
            .any(|s| s.starts_with("Of 2 past predictions that were run since")),
        "{:?}",
        found.sentences
    );
    assert!(
        found
            .sheets
            .iter()
            .any(|s| s.name == "past predictions" && s.rows.len() == 2)
    );
}

#[test]
fn a_stop_before_enough_was_timed_is_a_sentence() {
    let study = study();
    let begun = Rounds::new(study.asks().runs, 1);
    let said = study.reduce(&begun.into()).unwrap_err();
    assert!(said.starts_with("0 forwards were timed"), "{said}");
}

#[test]
fn what_is_much_larger_than_anything_timed_is_said() {
    let mut study = study();
    study.held_out = 0;
    study.config.shape.batch = 4096;
    let rounds = timed_in_turns(study.asks().runs, time);
    let found = study.reduce(&rounds.into()).unwrap();
    assert!(
        found.notes.iter().any(|n| n.contains("says too little")),
        "{:?}",
        found.notes
    );
}

#[test]
fn a_disturbed_calibration_is_repeated_and_then_labelled() {
    let study = Predict {
        held_out: 0,
        ..study()
    };
    // Every fifth time is twice as long: no four rounds of one forward show it, all do.
    let drawn = std::cell::Cell::new(0);
    let busy = |request: &Request, round: usize| {
        drawn.set(drawn.get() + 1);
        time(request, round) * if drawn.get() % 5 == 0 { 2.0 } else { 1.0 }
    };
    let rounds = timed_in_turns(study.asks().runs, busy);
    assert!(rounds.repeated());
    let found = study.reduce(&rounds.into()).unwrap();
    let said = "The calibration was disturbed @: ";
    assert!(
        found.sentences[1].starts_with(said),
        "{:?}",
        found.sentences
    );
    assert!(found.notes.iter().any(|n| n.contains("kept as such")));
    let known = found.learned.unwrap().calibration.unwrap();
    // What is predicted with it later says the same.
    let later = Predict {
        known: Some(known),
        ..study.clone()
    };
    let found = later.reduce(&Evidence::default()).unwrap();
    assert!(
        found.sentences[1].starts_with(said),
        "{:?}",
        found.sentences
    );
    // A machine that does nothing else has neither.
    let rounds = timed_in_turns(study.asks().runs, time);
    assert!(!rounds.repeated());
    let found = study.reduce(&rounds.into()).unwrap();
    assert!(!found.sentences.iter().any(|s| s.contains("disturbed")));
    assert_eq!(found.learned.unwrap().calibration.unwrap().disturbed, None);
}
