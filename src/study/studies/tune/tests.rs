//! Settings whose times are known.

use super::*;
use crate::timing::{Rounds, report, timed_in_turns};
use plan::fusion::Version;
use plan::run::{BackendKind, RunError, knobs};

fn study() -> Tune {
    let config = Config::preset("workshop", Version::V4.cut()).unwrap();
    let knobs = knobs("tiles", BackendKind::Cpu, &config).unwrap();
    let run = Request {
        runs: 36,
        ..Request::new(config.clone())
    };
    Tune {
        kernel: "tiles".into(),
        space: Tune::sample(Space::all(knobs), 60),
        config,
        run,
        gpu: None,
        threads: 2,
    }
}

/// Quickest with 16 rows and 128 columns; the program's choice takes a tenth longer than
/// that, every time is off by up to 2 %.
fn time(request: &Request, round: usize) -> f64 {
    let off = 1.0 + 0.02 * ((round * 5 + request.tuned.len() * 3) % 7) as f64 / 6.0;
    let far = request.tuned.first().map_or(0.1, |t| {
        let log = |name: &str, best: f64| {
            (f64::from(t.settings.get(name).unwrap()) / best)
                .log2()
                .abs()
        };
        0.05 * log("rows", 16.0) + 0.02 * log("columns", 128.0)
    });
    1000.0 * (1.0 + far) * off
}

#[test]
fn the_winner_is_confirmed_on_rounds_that_did_not_choose_it_and_kept() {
    let study = study();
    assert_eq!(study.asks().runs.len(), 61);
    let rounds = timed_in_turns(study.asks().runs, time);
    let found = study.reduce(&rounds.into()).unwrap();
    let kept = found.learned.unwrap().tuned.unwrap();
    let best = study
        .space
        .points
        .iter()
        .enumerate()
        .map(|(at, _)| study.space.settings(at))
        .min_by(|a, b| {
            let of = |s: &Settings| {
                let tuned = vec![study.tuned(s.clone())];
                time(
                    &Request {
                        tuned,
                        ..study.run.clone()
                    },
                    0,
                )
            };
            of(a).total_cmp(&of(b))
        })
        .unwrap();
    let same = |s: &Settings| (s.get("rows"), s.get("columns"));
    assert_eq!(same(&kept.settings), same(&best));
    assert!(
        found.sentences[0].contains("9 rounds in turns"),
        "{}",
        found.sentences[0]
    );
    // The table is in the order of the rounds that choose, and says so.
    let table = &found.sheets[0];
    assert!(table.name.contains("on the rounds that choose"));
    let chosen: Vec<f64> = table.rows[1..]
        .iter()
        .map(|row| match row[1] {
            Cell::Number(us) => us,
            ref other => panic!("{other:?}"),
        })
        .collect();
    assert!(chosen.is_sorted() && table.rows[1][0] == kept.settings.to_string().into());
    assert!(
        found
            .sentences
            .iter()
            .any(|s| s.contains("too few to tell it from"))
    );
    // 128 rows in tiles of 16 on two threads: eight tiles, four times two.
    let row = found.sheets[0]
        .rows
        .iter()
        .find(|r| matches!(&r[0], Cell::Text(t) if t.contains("rows 16")))
        .unwrap();
    assert_eq!((&row[4], &row[5]), (&Cell::from(8u64), &Cell::from(4.0)));
}

#[test]
fn of_settings_that_are_all_alike_none_is_kept() {
    let study = study();
    // Whatever is chosen was lucky: the other rounds do not know of it.
    let rounds = timed_in_turns(study.asks().runs, |request, round| {
        let at = request.tuned.first().map_or(1, |t| {
            t.settings.0.values().map(|v| *v as usize).sum::<usize>()
        });
        1000.0 * (1.0 + 0.03 * ((at * 7919 + round * 104_729) % 101) as f64 / 100.0)
    });
    let found = study.reduce(&rounds.into()).unwrap();
    assert_eq!(found.learned, None, "{:?}", found.sentences);
    assert!(found.sentences[1].starts_with("Nothing is kept"));
}

#[test]
fn a_choice_that_is_quicker_than_every_setting_is_not_beaten_by_words() {
    let study = study();
    let rounds = timed_in_turns(study.asks().runs, |request, round| {
        let own = request.tuned.is_empty();
        (round % 5) as f64 + if own { 500.0 } else { 1000.0 }
    });
    let found = study.reduce(&rounds.into()).unwrap();
    assert!(
        found.sentences[0].contains("where the program's choice is quicker still"),
        "{}",
        found.sentences[0]
    );
    assert_eq!(found.learned, None);
}

#[test]
fn every_search_ends_near_the_best_and_the_model_is_there_first() {
    let study = study();
    let rounds = timed_in_turns(study.asks().runs, time);
    let found = study.reduce(&rounds.into()).unwrap();
    let sheet = found.sheets.last().unwrap();
    let number = |row: usize, column: usize| match sheet.rows[row][column] {
        Cell::Number(x) => x,
        ref other => panic!("{other:?}"),
    };
    let last = sheet.rows.len() - 1;
    for column in 1..=4 {
        assert!(
            number(last, column) < 4.0,
            "{column}: {}",
            number(last, column)
        );
    }
    // After 32 of 120 measurements.
    let at = sheet
        .rows
        .iter()
        .position(|r| r[0] == Cell::from("32"))
        .unwrap();
    assert!(
        number(at, 4) < number(at, 1),
        "{} {}",
        number(at, 4),
        number(at, 1)
    );
}

#[test]
fn settings_that_cannot_be_are_counted_and_not_timed() {
    let study = study();
    let mut rounds = Rounds::new(study.asks().runs, 1);
    while let Some(visit) = rounds.next() {
        let keys = visit
            .request
            .tuned
            .first()
            .and_then(|t| t.settings.get("keys"));
        rounds.take(match keys {
            Some(32) => Err(RunError::missing("no such tile")),
            _ => Ok(report(&[1000.0, 1000.0])),
        });
    }
    let found = study.reduce(&rounds.into()).unwrap();
    let cannot = (0..60)
        .filter(|at| study.space.settings(*at).get("keys") == Some(32))
        .count();
    assert!(cannot > 5);
    assert!(
        found.notes[0].starts_with(&format!("{cannot} of 60 settings")),
        "{:?}",
        found.notes
    );
    assert_eq!(found.sheets[0].rows.len(), 1 + 60 - cannot);
}

#[test]
fn settings_are_told_from_the_winner_only_on_rounds_that_did_not_choose_it() {
    let half = |us: f64| {
        let times: Vec<f64> = (0..40).map(|i| us + f64::from(i % 4)).collect();
        Some(Halves::of(&times))
    };
    let said = told_apart(&[half(100.0), half(100.0), half(150.0), None]).unwrap();
    assert_eq!(
        said,
        "On the rounds that confirm 1 of 2 other settings is seen to take longer than it @."
    );
    let alike = told_apart(&[half(100.0), half(100.0)]).unwrap();
    assert!(alike.contains("none of 1 other setting is seen"), "{alike}");
    // Four rounds, two of which confirm.
    let few = |us: f64| Some(Halves::of(&[us, us, us, us]));
    let short = told_apart(&[few(100.0), few(900.0)]).unwrap();
    assert!(
        short.contains("too few to tell it from 1 other setting"),
        "{short}"
    );
    assert!(told_apart(&[half(100.0), None]).is_none());
}
