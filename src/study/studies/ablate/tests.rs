//! Effects whose size is known, and times with a known difference.

use super::*;
use crate::timing::{Rounds, timed_in_turns};

fn ablate(fusions: &[Fusion], sets: Sets) -> Ablate {
    Ablate {
        config: Config::preset("workshop", Cut::v1()).unwrap(),
        fusions: fusions.to_vec(),
        sets,
        run: None,
    }
}

fn number(sheet: &Sheet, row: &str, column: usize) -> f64 {
    let row = sheet.rows.iter().find(|r| r[0] == Cell::from(row)).unwrap();
    match row[column] {
        Cell::Number(value) => value,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn the_effect_of_flash_is_what_its_two_tensors_weigh() {
    // scores and probabilities: written and read once each, B·H·S·S fp32, 4 layers.
    let found = ablate(&[Fusion::Flash, Fusion::SiluMul], Sets::All)
        .reduce(&Evidence::default())
        .unwrap();
    let model = Config::preset("workshop", Cut::v1()).unwrap().model;
    let tensor = (model.heads * 128 * 128 * 4) as f64;
    let bytes = -(4.0 * tensor * model.layers as f64) * 1e-6;
    assert!((number(&found.sheets[1], "flash", 1) - bytes).abs() < 1e-9);
    assert!(
        found.sentences[0].starts_with("flash saves most bytes"),
        "{:?}",
        found.sentences
    );
    assert!(
        found.sentences[1].contains("No two of them interact"),
        "{:?}",
        found.sentences
    );
}

#[test]
fn a_fusion_that_needs_another_interacts_with_it() {
    // rope holds qkv: behind rope, qkv saves nothing more.
    let found = ablate(&[Fusion::Qkv, Fusion::Rope], Sets::All)
        .reduce(&Evidence::default())
        .unwrap();
    assert_eq!(found.sheets[0].rows.len(), 3, "qkv with rope is rope");
    let (alone, main) = (
        price(&Config::preset("workshop", Cut::v1().fuse(Fusion::Qkv)).unwrap()).unwrap(),
        number(&found.sheets[1], "qkv", 1),
    );
    let v1 = price(&Config::preset("workshop", Cut::v1()).unwrap()).unwrap();
    let saved = (alone.forward.bytes() as f64 - v1.forward.bytes() as f64) * 1e-6;
    // The mean of what it saves without rope, and of nothing with it.
    assert!((main - saved / 2.0).abs() < 1e-9);
    assert!((number(&found.sheets[2], "qkv + rope", 1) + saved).abs() < 1e-9);
}

#[test]
fn all_legal_sets_are_there_once_and_the_free_cut_is_never_worse() {
    let found = ablate(&usual(), Sets::All)
        .reduce(&Evidence::default())
        .unwrap();
    // qkv, rope, norm_qkv make 5 plans; gate_up, silu_mul, swiglu, norm_gate 8; flash
    // and the three residuals 2 each.
    assert_eq!(found.sheets[0].rows.len(), 5 * 8 * 2 * 2 * 2 * 2);
    let opponents = found.sheets.last().unwrap();
    for row in &opponents.rows {
        assert!(
            matches!(row[4], Cell::Number(gap) if gap >= -1e-9),
            "{row:?}"
        );
    }
}

#[test]
fn times_show_an_effect_with_its_interval_or_none() {
    let study = Ablate {
        run: Some(Request::new(Config::preset("workshop", Cut::v1()).unwrap())),
        ..ablate(&[Fusion::Flash, Fusion::SiluMul], Sets::All)
    };
    let flash = study.cut(1);
    // Flash saves a tenth; every time is off by up to a per cent, differently each round.
    let rounds = timed_in_turns(study.asks().runs, |request, round| {
        let saved = if request.config.cut.contains(flash) {
            0.9
        } else {
            1.0
        };
        let at = request.config.cut.title().len() + 7 * round;
        1000.0 * saved * (1.0 + 0.01 * ((at * 37 % 11) as f64 / 5.0 - 1.0))
    });
    let found = study.reduce(&rounds.into()).unwrap();
    let main = &found.sheets[1];
    assert!(
        (number(main, "flash", 3) + 10.0).abs() < 1.5,
        "{}",
        main.csv()
    );
    let silu = main
        .rows
        .iter()
        .find(|r| r[0] == Cell::from("silu_mul"))
        .unwrap();
    assert_eq!(silu[3], Cell::NONE);
    assert!(matches!(&silu[4], Cell::Text(t) if t.starts_with("none seen (±")));
    let said = found.sentences.last().unwrap();
    assert!(
        said.contains("1 fusion of 2 @") && said.contains("flash shortens"),
        "{said}"
    );
}

#[test]
fn too_few_rounds_show_no_absence_of_an_effect() {
    let study = Ablate {
        run: Some(Request {
            runs: 5,
            ..Request::new(Config::preset("workshop", Cut::v1()).unwrap())
        }),
        ..ablate(&[Fusion::Flash, Fusion::SiluMul], Sets::All)
    };
    let rounds = timed_in_turns(study.asks().runs, |_, round| 1000.0 + round as f64);
    let found = study.reduce(&rounds.into()).unwrap();
    let said = found.sentences.last().unwrap();
    assert!(said.contains("is not known: 3 rounds were timed"), "{said}");
    // 5 runs, two of them a round; nine rounds are begun by the 17th run.
    assert!(
        found
            .notes
            .iter()
            .any(|n| n.contains("--runs 5 made 3 rounds") && n.contains("--runs 17")),
        "{:?}",
        found.notes
    );
}

#[test]
fn fusions_that_save_the_same_are_named_together() {
    // qkv reads the norm's row once and not three times: 2·S·D. Flash writes neither scores
    // nor probabilities: 4·H·S·S. Both are the same where 2·H·S is D.
    let mut study = ablate(&[Fusion::Qkv, Fusion::Flash], Sets::OneAtATime);
    let model = &study.config.model;
    let seq = model.hidden / (2 * model.heads);
    study.config.shape = plan::model::Shape::prefill(1, seq);
    let found = study.reduce(&Evidence::default()).unwrap();
    assert!(
        found.sentences[0].starts_with("qkv and flash save the same bytes, more than"),
        "{:?}",
        found.sentences
    );
}

#[test]
fn plans_that_a_backend_lacks_leave_the_effects_of_the_others() {
    let study = Ablate {
        run: Some(Request::new(Config::preset("workshop", Cut::v1()).unwrap())),
        ..ablate(
            &[
                Fusion::Flash,
                Fusion::SiluMul,
                Fusion::Rope,
                Fusion::OResidual,
            ],
            Sets::OneAtATime,
        )
    };
    let full = study.cut(15);
    let mut rounds = Rounds::new(study.asks().runs, 1);
    while let Some(visit) = rounds.next() {
        let cut = visit.request.config.cut;
        let time = if cut == study.cut(1) { 800.0 } else { 1000.0 };
        rounds.take(match cut == full {
            true => Err(plan::run::RunError::missing("there is no kernel")),
            false => Ok(crate::timing::report(&[time, time])),
        });
    }
    let found = study.reduce(&rounds.into()).unwrap();
    // Flash alone against V1; all but flash has nothing beside it.
    assert!((number(&found.sheets[1], "flash", 3) + 20.0).abs() < 1e-9);
    assert_eq!(found.notes.len(), 1);
    assert!(
        found.notes[0].contains("there is no kernel"),
        "{:?}",
        found.notes
    );
}

#[test]
fn one_at_a_time_asks_for_few_plans_and_a_stop_leaves_the_model() {
    let study = Ablate {
        run: Some(Request::new(Config::preset("workshop", Cut::v1()).unwrap())),
        ..ablate(&usual(), Sets::OneAtATime)
    };
    let requests = study.asks().runs;
    assert!(
        requests.len() <= 2 + 2 * usual().len(),
        "{}",
        requests.len()
    );
    let begun = Rounds::new(requests, 1);
    let found = study.reduce(&begun.into()).unwrap();
    assert!(
        found.sheets[1].columns.len() == 3,
        "{:?}",
        found.sheets[1].columns
    );
}
