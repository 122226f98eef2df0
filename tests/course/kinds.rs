//! Kinds of questions beyond one number or one choice, and variants: loaded,
//! judged, kept in sheets.
//!
//! Expected values of the table are those of the exercise facts (ex13): V1's
//! peak is 4·(B·S·D + B·S·Dkv + 2·B·H·S²) bytes.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod sheets;

use std::path::Path;

use tinyllama_tutor::answer::{Expr, Judgement, Verdict, grade, written};
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::course::{Course, Exercise, Figures, fails, lint};

fn course() -> Course {
    Course::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kinds"))
}

fn exercise(variant: usize) -> Exercise {
    course().exercise("ex90").unwrap().variant(variant).unwrap()
}

fn judged(exercise: &Exercise, name: &str, typed: &str) -> Judgement {
    let gpus = GpuDatabase::embedded().unwrap();
    let env = exercise.env(&gpus, Figures::built_in()).unwrap();
    let key = exercise.key(name).unwrap();
    grade(typed, key, &env).unwrap()
}

/// B1 and B4 at S 128 and 256: the row of V1, then V2's, which is 7/2 · B·S·D·4 …
/// by hand: 4·(B·128·256 + B·128·128 + 2·B·8·128²) = 1,245,184·B; at 256 it is
/// 4,587,520·B. V2 peaks at silu+mul: g, u, m and h: 4·B·S·(3·512 + 256) = 917,504·B.
const PEAKS: [[u64; 2]; 2] = [[1_245_184, 4_587_520], [917_504, 1_835_008]];

fn peaks(batch: u64) -> String {
    let cell = |n: u64| format!("{} B", n * batch);
    written(&PEAKS.map(|row| row.map(cell).to_vec()))
}

#[test]
fn the_fixture_passes_lint_in_every_variant() {
    let findings = lint(&course());
    assert!(!fails(&findings), "{findings:#?}");
    assert_eq!(exercise(0).variants.len(), 2);
    assert!(exercise(0).variant(3).is_err());
}

#[test]
fn a_table_is_judged_cell_by_cell() {
    let exercise = exercise(0);
    let right = judged(&exercise, "peaks", &peaks(1));
    assert!(right.verdict.is_right(), "{}", right.sentence());
    assert_eq!(right.sentence(), "All 4 cells are right.");

    // One cell the scores alone, one far off, one not read, one open.
    let mixed = judged(&exercise, "peaks", "1 MiB | 9 MB; banana |");
    // A table with an empty cell has no verdict yet; each cell that is filled has one.
    assert_eq!(
        (mixed.verdict.word(), mixed.verdict.is_try()),
        ("open", false)
    );
    let words: Vec<&str> = mixed
        .cells
        .iter()
        .map(|c| c.judgement.verdict.word())
        .collect();
    assert_eq!(words, ["slip", "wrong", "unread", "open"]);
    let said = mixed.sentence();
    assert!(said.starts_with("0 of 4 cells are right, 1 open. No miss is counted while cells are empty. V1, 128 (slip): 1 MiB. These are the two score tensors alone."), "{said}");
    assert!(said.contains("V1, 256 (wrong): 9 MB is too high"), "{said}");
    // The slip is about one cell, and no other is accused of it.
    let elsewhere = judged(&exercise, "peaks", "| ; 1 MiB |");
    assert_eq!(elsewhere.cells[2].judgement.verdict.word(), "wrong");
    let full = judged(&exercise, "peaks", "1 B | 2 B; 917504 B | 4 B");
    assert!(full.verdict.is_try(), "{}", full.sentence());
    assert!(full.sentence().starts_with("1 of 4 cells is right."));

    let part = judged(&exercise, "peaks", "1,245,184 B |");
    assert_eq!(
        (part.verdict.word(), part.verdict.is_try()),
        ("open", false)
    );
    let long = judged(&exercise, "peaks", "1 B | 2 B | 3 B");
    assert!(matches!(long.verdict, Verdict::Unread { .. }));
    assert!(
        long.sentence()
            .contains("Row V1 has 3 cells and the table has 2 columns: 128, 256.")
    );
    assert_eq!(judged(&exercise, "peaks", " ").verdict, Verdict::Open);
}

#[test]
fn cells_may_be_options() {
    let exercise = exercise(0);
    assert!(
        judged(&exercise, "groups", "3|1|1|in; 3|1|1|in")
            .verdict
            .is_right()
    );
    let one = judged(&exercise, "groups", "3|3|1|in; 3|1|1|in");
    assert_eq!(one.verdict, Verdict::Wrong(None));
    assert!(
        one.sentence()
            .contains("7 of 8 cells are right. q k v, V2 (wrong)"),
        "{}",
        one.sentence()
    );
    let unknown = judged(&exercise, "groups", "several|1|1|in; 3|1|1|in");
    assert_eq!(unknown.verdict.word(), "unread");
}

#[test]
fn free_text_is_kept_and_may_ask_for_a_number() {
    let exercise = exercise(0);
    let kept = judged(&exercise, "insight", "The scores: 1.049 MB in softmax.");
    assert_eq!(kept.verdict, Verdict::Kept);
    assert!(kept.verdict.is_done() && !kept.verdict.is_try());
    let bare = judged(&exercise, "insight", "It is memory.");
    assert!(
        bare.sentence()
            .contains("at least one number from your own runs"),
        "{}",
        bare.sentence()
    );
}

#[test]
fn a_prediction_is_never_wrong_and_waits_for_the_run() {
    let exercise = exercise(0);
    let waiting = judged(&exercise, "guess", "60");
    assert_eq!(waiting.verdict, Verdict::Kept);
    assert_eq!(
        waiting.sentence(),
        "60 is kept as your prediction and stays as it is. Run it to see what comes out."
    );
    assert_eq!(judged(&exercise, "guess", "many").verdict.word(), "unread");
    // Without a run in it the outcome is the model's.
    let mut modelled = exercise.clone();
    let key = modelled
        .keys
        .iter_mut()
        .find(|k| k.name.text == "guess")
        .unwrap();
    key.answer.as_mut().unwrap().value = Expr::parse("forward.launches").unwrap();
    assert_eq!(
        judged(&modelled, "guess", "142").sentence(),
        "You predicted 142, and it came out as 71. A factor of 2.00 apart."
    );
    assert_eq!(
        judged(&modelled, "guess", "71").sentence(),
        "You predicted 71, and it came out as 71. That is it."
    );
    assert_eq!(
        judged(&modelled, "guess", "68").sentence(),
        "You predicted 68, and it came out as 71. A factor of 1.04 apart. These are the blocks alone."
    );
}

#[test]
fn variants_change_answers_slips_and_texts_together() {
    // B4: four times the bytes of B1; S 256, B2: n1 and q are 4 times, Wq as before.
    for (variant, bytes, activations) in [
        (0, 524_288, 262_144),
        (1, 1_310_720, 1_048_576),
        (2, 1_310_720, 1_048_576),
    ] {
        let exercise = exercise(variant);
        assert!(
            judged(&exercise, "bytes", &format!("{bytes} B"))
                .verdict
                .is_right()
        );
        let slip = judged(&exercise, "bytes", &format!("{activations} B"));
        assert_eq!(slip.verdict.word(), "slip", "variant {variant}");
    }
    assert!(judged(&exercise(1), "peaks", &peaks(4)).verdict.is_right());
    assert_eq!(
        judged(&exercise(1), "peaks", &peaks(1)).verdict.word(),
        "slip",
        "the peaks of batch 1"
    );
}
