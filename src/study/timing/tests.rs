//! Recorded noisy timings, and the words that are said of them.

use super::*;
use plan::model::random::Stream;
use plan::run::{Report, Request, Timing};

/// A report with these times.
pub(crate) fn report(times: &[f64]) -> Report {
    Report {
        time_us: Timing::of(times, "a clock"),
        ..Report::bare("cpu", "a CPU", 17)
    }
}

/// Runs all visits: `time` gives microseconds of a request in a round.
pub(crate) fn timed_in_turns(
    requests: Vec<Request>,
    time: impl Fn(&Request, usize) -> f64,
) -> Rounds {
    let mut rounds = Rounds::new(requests, 1);
    let mut done = vec![0; rounds.plans()];
    while let Some(visit) = rounds.next() {
        let t = time(&visit.request, done[visit.plan]);
        rounds.take(Ok(report(&vec![t; visit.request.runs as usize])));
        done[visit.plan] += 1;
    }
    rounds
}

/// Uniform in (0, 1).
fn uniform(draws: Stream, i: u64) -> f64 {
    (draws.word(i) >> 11) as f64 / (1u64 << 53) as f64 + 1e-17
}

/// Standard normal, by Box and Muller.
fn normal(draws: Stream, i: u64) -> f64 {
    let (u, v) = (uniform(draws, 2 * i), uniform(draws, 2 * i + 1));
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Times of a machine that is used by others, too: 1 ms, times a log-normal factor of
/// 3 %; every tenth run up to twice as long; a clock that sinks by a fifth on the way.
fn made(seed: u64, n: usize) -> Vec<f64> {
    let noise = Stream::new(seed, "noise");
    let long = Stream::new(seed, "long runs");
    let time = |i: u64| {
        let factor = (0.03 * normal(noise, i)).exp();
        let disturbed = match long.below(2 * i, 10) {
            0 => 1.0 + uniform(long, 2 * i + 1),
            _ => 1.0,
        };
        let drift = 1.0 + 0.2 * i as f64 / n as f64;
        1000.0 * factor * disturbed * drift
    };
    (0..n as u64).map(time).collect()
}

/// Forwards of one plan, in microseconds, as `run --json` gave them: see the file's
/// own words.
pub(crate) fn measured() -> Vec<(String, Vec<f64>)> {
    let text = include_str!("recorded.json");
    let recorded: serde_json::Value = serde_json::from_str(text).unwrap();
    let sets = recorded["sets"].as_array().unwrap();
    let times = |set: &serde_json::Value| {
        let times = set["times_us"].as_array().unwrap();
        times.iter().map(|t| t.as_f64().unwrap()).collect()
    };
    sets.iter()
        .map(|set| (set["name"].as_str().unwrap().to_owned(), times(set)))
        .collect()
}

/// All sources of noise.
fn noises() -> Vec<(String, Vec<f64>)> {
    let mut all = measured();
    assert!(all.len() >= 3);
    all.push(("made".to_owned(), made(5, 240)));
    all
}

/// Rounds of two plans that are one and the same, drawn from recorded times, two runs a
/// round; with a factor on the first.
fn drawn(times: &[f64], seed: u64, rounds: u64, factor: f64) -> (Vec<f64>, Vec<f64>) {
    let draws = Stream::new(seed, "resampled");
    let at = |i: u64| times[draws.below(i, times.len() as u64) as usize];
    let round = |i: u64| f64::midpoint(at(2 * i), at(2 * i + 1));
    let side = |from: u64, by: f64| (0..rounds).map(|i| by * round(from + i)).collect();
    (side(0, factor), side(rounds, 1.0))
}

/// Series that are drawn from each source.
const RESAMPLED: u64 = 2000;

#[test]
fn resampled_noise_gives_a_difference_once_in_a_hundred_at_most() {
    for (name, times) in noises() {
        for rounds in [9, 15, 30] {
            let claimed = (0..RESAMPLED)
                .filter(|seed| {
                    let (a, b) = drawn(&times, *seed, rounds, 1.0);
                    Verdict::of(&a, &b, 1).claimed()
                })
                .count();
            // The draws are the same every time.
            let most = RESAMPLED as usize / 100;
            assert!(claimed <= most, "{name}, {rounds} rounds: {claimed}");
        }
    }
}

#[test]
fn no_sentence_states_a_difference_within_noise() {
    for (name, times) in noises() {
        for seed in 0..100 {
            let (a, b) = drawn(&times, seed, 15, 1.0);
            let verdict = Verdict::of(&a, &b, 1);
            let (said, cell) = (verdict.sentence("V1", "V2"), verdict.cell());
            match verdict {
                Verdict::Same { .. } => {
                    assert!(said.contains("no difference seen @ (±"), "{name}: {said}");
                    assert!(!said.contains("times the time"), "{name}: {said}");
                    assert_eq!(cell, "none", "{name}");
                }
                Verdict::Differ { low, high, .. } => {
                    assert!(low > 1.0 || high < 1.0, "{name}: {said}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}

#[test]
fn five_per_cent_are_found_on_a_quiet_machine_and_the_interval_holds_them() {
    let (name, quiet) = measured().into_iter().next().unwrap();
    assert!(name.starts_with("quiet"), "{name}");
    let (mut found, mut held) = (0, 0);
    for seed in 0..200 {
        let (a, b) = drawn(&quiet, seed, 15, 1.05);
        if let Verdict::Differ { low, high, .. } = Verdict::of(&a, &b, 1) {
            found += 1;
            held += usize::from((low..=high).contains(&1.05));
        }
    }
    assert!(found >= 190, "{found} of 200");
    assert!(held >= 190, "{held} of 200");
}

#[test]
fn a_machine_that_is_used_by_others_is_noticed_and_a_quiet_one_is_not() {
    for (name, times) in measured() {
        let seen = times
            .chunks(30)
            .filter(|run| trouble(run).is_some())
            .count();
        let runs = times.len() / 30;
        match name.split(' ').next() {
            Some("quiet") => assert!(5 * seen <= runs, "{name}: {seen} of {runs}"),
            Some("busy") => assert!(4 * seen >= 3 * runs, "{name}: {seen} of {runs}"),
            // Neither: what it does is its own threads' doing.
            _ => assert!(seen < runs, "{name}: {seen} of {runs}"),
        }
    }
    assert!(trouble(&made(9, 30)).is_some());
}

#[test]
fn a_baseline_of_resampled_noise_gives_an_alarm_once_in_a_hundred_at_most() {
    for (name, times) in noises() {
        for rounds in [9, 15, 30] {
            let alarms = (0..RESAMPLED)
                .filter(|seed| {
                    // A false word in either direction counts.
                    let (a, b) = drawn(&times, *seed, rounds, 1.0);
                    matches!(Since::of(&a, &b, 0.01, 1), Since::Changed { .. })
                })
                .count();
            let most = RESAMPLED as usize / 100;
            assert!(alarms <= most, "{name}, {rounds} rounds: {alarms}");
        }
    }
}

#[test]
fn a_regression_of_five_per_cent_is_found_on_a_quiet_machine() {
    let (name, quiet) = measured().into_iter().next().unwrap();
    assert!(name.starts_with("quiet"), "{name}");
    // Alone, and as one of sixteen cases of a suite.
    for among in [1, 16] {
        let found = (0..200)
            .filter(|seed| {
                let (a, b) = drawn(&quiet, *seed, 15, 1.05);
                Since::of(&a, &b, 0.01, among).slower()
            })
            .count();
        assert!(found >= 190, "{found} of 200 among {among}");
    }
    let (a, b) = drawn(&quiet, 3, 15, 1.0);
    let said = Since::of(&a, &b, 0.01, 16).sentence("V1");
    assert!(said.starts_with("V1: no change seen @ (±"), "{said}");
}
