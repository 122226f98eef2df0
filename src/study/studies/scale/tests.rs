//! Curves whose exponents are known.

use super::*;
use crate::timing::{Rounds, timed_in_turns};
use plan::fusion::Version;

fn scale(over: Over, values: &[u64], run: bool) -> Scale {
    let config = Config::preset("workshop", Version::V1.cut()).unwrap();
    let run = run.then(|| Request::new(config.clone()));
    Scale::new(config, over, values, run).unwrap()
}

fn cell(sheet: &Sheet, row: &str, column: usize) -> f64 {
    let row = sheet.rows.iter().find(|r| r[0] == Cell::from(row)).unwrap();
    match row[column] {
        Cell::Number(value) => value,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn layers_and_batch_are_linear_and_the_scores_square() {
    // The head and the embedding do not grow with L: a little below 1.
    let layers = scale(Over::Layers, &[64, 128, 256], false)
        .reduce(&Evidence::default())
        .unwrap();
    let fits = layers.sheets.last().unwrap();
    let flops = cell(fits, "FLOPs", 1);
    assert!((0.97..1.0).contains(&flops), "{flops}");
    let batch = scale(Over::Batch, &[], false)
        .reduce(&Evidence::default())
        .unwrap();
    assert!((cell(batch.sheets.last().unwrap(), "FLOPs", 1) - 1.0).abs() < 1e-12);
    // Very long prompts: scores are all that counts.
    let seq = scale(Over::Seq, &[1 << 16, 1 << 17], false)
        .reduce(&Evidence::default())
        .unwrap();
    assert!(cell(seq.sheets.last().unwrap(), "peak act.", 1) > 1.99);
}

#[test]
fn a_measured_exponent_has_its_interval_and_a_bend_is_found() {
    let study = scale(Over::Seq, &[16, 32, 64, 128, 256], true);
    // 100 µs that do not grow, then linear; 2 % off either way.
    let rounds = timed_in_turns(study.asks().runs, |request, round| {
        let s = request.config.shape.seq as f64;
        let off = 1.0 + 0.02 * ((s as usize + 7 * round) % 5) as f64 / 4.0;
        (100.0 + s.max(64.0) * 20.0 - 1280.0) * off
    });
    let found = study.reduce(&rounds.into()).unwrap();
    let time = found.sentences[1].clone();
    assert!(time.starts_with("The time grows as S^"), "{time}");
    let bend = found
        .sentences
        .iter()
        .find(|s| s.contains("bends"))
        .unwrap();
    assert!(bend.starts_with("At S = 64"), "{bend}");
    assert_eq!(found.plots[0].lines.len(), 3);
    assert_eq!(
        found.plots[0].lines[1].2[1],
        found.plots[0].lines[0].2[0].map(|t| 2.0 * t)
    );
}

#[test]
fn parts_of_the_time_have_their_intervals_or_are_not_said() {
    // 256 µs and 1 µs a token: at S = 256 half of each, whatever the noise of a round.
    let said = |runs: u32| {
        let study = scale(Over::Seq, &[16, 64, 128, 256], true);
        let mut requests = study.asks().runs;
        requests.iter_mut().for_each(|request| request.runs = runs);
        let rounds = timed_in_turns(requests, |request, round| {
            (256.0 + request.config.shape.seq as f64) * (1.0 + 0.01 * (round % 3) as f64)
        });
        study.reduce(&rounds.into()).unwrap().sentences
    };
    let part = "At S = 256: 50 % (50 to 50) of the fitted time is constant, 50 % (50 to 50) grows";
    assert!(
        said(40).iter().any(|s| s.starts_with(part)),
        "{:?}",
        said(40)
    );
    assert!(
        !said(6).iter().any(|s| s.contains("fitted time")),
        "{:?}",
        said(6)
    );
}

#[test]
fn one_straight_line_has_no_bend() {
    let study = scale(Over::Batch, &[], true);
    let rounds = timed_in_turns(study.asks().runs, |request, round| {
        let b = request.config.shape.batch as f64;
        1000.0 * b * (1.0 + 0.05 * ((b as usize * 3 + 5 * round) % 7) as f64 / 6.0)
    });
    let found = study.reduce(&rounds.into()).unwrap();
    assert!(
        !found.sentences.iter().any(|s| s.contains("bends")),
        "{:?}",
        found.sentences
    );
    let fits = found.sheets.last().unwrap();
    assert!((cell(fits, "time", 2) - 1.0).abs() < 0.02);
}

#[test]
fn sizes_that_cannot_be_are_refused_and_those_that_do_not_fit_are_said() {
    let config = Config::preset("workshop", Version::V1.cut()).unwrap();
    let made = |over, values: &[u64]| Scale::new(config.clone(), over, values, None);
    assert!(
        made(Over::Width, &[64, 65])
            .unwrap_err()
            .contains("multiple of")
    );
    assert!(made(Over::Seq, &[64]).unwrap_err().contains("two sizes"));
    assert!(made(Over::Seq, &[0, 64]).is_err());
    let study = scale(Over::Seq, &[16, 32, 64], true);
    let mut rounds = Rounds::new(study.asks().runs, 1);
    while let Some(visit) = rounds.next() {
        let result = match visit.request.config.shape.seq {
            64 => Err(plan::run::RunError::missing(
                "64 GB are needed and 16 are free",
            )),
            s => Ok(crate::timing::report(&[s as f64, s as f64])),
        };
        rounds.take(result);
    }
    let found = study.reduce(&rounds.into()).unwrap();
    assert_eq!(found.notes, ["seq 64: 64 GB are needed and 16 are free"]);
    assert_eq!(found.sheets[0].rows[2][4], Cell::NONE);
}

#[test]
fn presets_vary_by_their_parameters_and_go_by_their_names() {
    let over = Over::parse("preset").unwrap();
    let at: Vec<u64> = ["workshop", "small"]
        .map(|name| over.value(name).unwrap())
        .into();
    assert_eq!(at, [0, 1]);
    assert!(over.value("smal").unwrap_err().contains("small"));
    assert!(Over::Seq.value("x").unwrap_err().contains("16,32,64"));
    let study = scale(over, &at, true);
    let found = study.reduce(&Evidence::default()).unwrap();
    assert_eq!(found.sheets[0].rows[1][0], Cell::from("small"));
    // The shape is held; the axis has the parameters: V·D + L(2D² + 2D·Dkv + 3D·I + 2D) + D.
    let parameters =
        1000 * 256 + 4 * (2 * 256 * 256 + 2 * 256 * 128 + 3 * 256 * 512 + 2 * 256) + 256;
    assert_eq!(found.plots[0].at[0], f64::from(parameters));
    assert_eq!(study.asks().runs[1].config.shape, study.config.shape);
}

#[test]
fn what_does_not_grow_has_no_negative_exponent() {
    assert_eq!(power(Some(-1e-17)), "0.00");
    // The tensors that are held at once are those of one block, however many there are.
    let found = scale(Over::Layers, &[], false).reduce(&Evidence::default());
    let said = found.unwrap().sentences.join(" ");
    assert!(said.contains("the peak of activations as L^0.00"), "{said}");
}
