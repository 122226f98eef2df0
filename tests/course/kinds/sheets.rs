//! Tables, free text and variants in sheets, and what is kept of them.

use std::path::Path;

use proptest::prelude::*;

use super::{course, exercise};
use tinyllama_tutor::answer::{filled, written};
use tinyllama_tutor::course::{self, Mark, Places, Progress, Sheet, Surroundings};

fn places(folder: &Path) -> Places {
    let here = Surroundings {
        current: folder.to_path_buf(),
        home: Some(folder.to_path_buf()),
        data: Some(folder.join("data")),
    };
    Places::find(&here, Some(&folder.join("state")), None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Every kind of answer, through the sheet and back.
    #[test]
    fn what_is_typed_in_any_field_comes_back(
        typed in prop::collection::vec("[a-c0-9 |;\\\\#\"'`,=é宽\u{301}\u{a0}]{0,9}", 12)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path());
        let exercise = exercise(0);
        let mut sheet = Sheet::open(&places, &exercise).unwrap();
        let cells = |key: &course::Key| key.table.as_ref().map(|table| {
            let mut typed = typed.iter().cycle().map(|text| text.trim().to_owned());
            let row = |_| typed.by_ref().take(table.columns.len()).collect::<Vec<_>>();
            table.rows.iter().map(row).collect::<Vec<_>>()
        });
        for (key, text) in exercise.keys.iter().zip(typed.iter().cycle()) {
            let text = cells(key).map_or_else(|| text.clone(), |cells| written(&cells));
            sheet.set(&exercise, &key.name.text, &text);
        }
        sheet.save(&places, &exercise).unwrap();
        let again = Sheet::open(&places, &exercise).unwrap();
        for (key, text) in exercise.keys.iter().zip(typed.iter().cycle()) {
            let held = again.answer(&key.name.text).unwrap_or_default();
            match cells(key) {
                Some(cells) => {
                    let (rows, columns) = (cells.len(), cells[0].len());
                    prop_assert_eq!(filled(&held, rows, columns), cells);
                }
                None => prop_assert_eq!(held.trim(), text.trim()),
            }
        }
    }
}

#[test]
fn a_row_of_a_sheet_may_hold_a_semicolon() {
    let folder = tempfile::tempdir().unwrap();
    let places = places(folder.path());
    let exercise = exercise(0);
    std::fs::create_dir_all(places.sheet("ex90").parent().unwrap()).unwrap();
    let text = "peaks.V1 = \"1245184 B; so | 4.5 MB\"\npeaks.V2 = \"1 | 2\"\n";
    std::fs::write(places.sheet("ex90"), text).unwrap();
    let mut sheet = Sheet::open(&places, &exercise).unwrap();
    let held = sheet.answer("peaks").unwrap();
    assert_eq!(
        filled(&held, 2, 2),
        [["1245184 B; so", "4.5 MB"], ["1", "2"]]
    );
    // It is written as it was, whichever answer is saved.
    sheet.set(&exercise, "peaks", &held);
    sheet.save(&places, &exercise).unwrap();
    let again = std::fs::read_to_string(places.sheet("ex90")).unwrap();
    assert!(again.starts_with(text), "{again}");
}

#[test]
fn a_sheet_has_a_line_per_row_and_says_its_variant() {
    let folder = tempfile::tempdir().unwrap();
    let places = places(folder.path());
    let exercise = exercise(0);
    let mut sheet = Sheet::open(&places, &exercise).unwrap();
    sheet.set(&exercise, "peaks", "1 MB | 2 MB; 3 MB |");
    sheet.set(&exercise, "groups", "3|1|1|in;");
    sheet.set(&exercise, "bytes", "512 KiB");
    sheet.save(&places, &exercise).unwrap();
    let path = places.sheet("ex90");
    let text = std::fs::read_to_string(&path).unwrap();
    for line in [
        "# Columns: 128 | 256",
        "peaks.V1 = \"1 MB | 2 MB\"",
        "peaks.V2 = \"3 MB |\"",
        "groups.\"q k v\" = \"3|1|1|in\"",
        "groups.\"qk softmax pv\" = \"\"",
        "bytes = \"512 KiB\"",
        "# 1. Peak activations at B 1, by version and S?",
    ] {
        assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("variant"), "{text}");

    // Somebody edits a row by hand; the comment stays, and another row is saved.
    let edited = text.replace(
        "peaks.V1 = \"1 MB | 2 MB\"",
        "peaks.V1 = \"5 MB|6 MB\" # mine",
    );
    std::fs::write(&path, edited).unwrap();
    let mut sheet = Sheet::open(&places, &exercise).unwrap();
    assert_eq!(
        filled(&sheet.answer("peaks").unwrap(), 2, 2),
        [["5 MB", "6 MB"], ["3 MB", ""]]
    );
    sheet.set(&exercise, "peaks", "5 MB | 6 MB; 3 MB | 4 MB");
    sheet.save(&places, &exercise).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"5 MB | 6 MB\" # mine"), "{text}");

    // Another variant: every question is open, and the sheet says which it is.
    sheet.vary(&exercise, 2);
    sheet.save(&places, &exercise).unwrap();
    let sheet = Sheet::open(&places, &exercise).unwrap();
    assert_eq!(
        (
            sheet.variant(),
            sheet.answer("peaks"),
            sheet.answer("bytes")
        ),
        (2, None, None)
    );
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("variant = 2"), "{text}");

    // What is typed for this one is not written into another that came in between.
    let mut sheet = sheet;
    let mut before = Sheet::open(&places, &exercise).unwrap();
    sheet.vary(&exercise, 0);
    sheet.save(&places, &exercise).unwrap();
    before.set(&exercise, "bytes", "1 MB");
    let fault = before.save(&places, &exercise).unwrap_err();
    assert!(fault.to_string().contains("another variant"), "{fault}");
    assert_eq!(
        Sheet::open(&places, &exercise).unwrap().answer("bytes"),
        None
    );

    // What its comments ask is that variant's.
    let other = exercise.variant(1).unwrap();
    sheet.vary(&other, 1);
    sheet.save(&places, &other).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("# ex90 Kinds, variant 1\n"), "{text}");
    assert!(
        text.contains("# 1. Peak activations at B 4, by version"),
        "{text}"
    );
    // A question whose line is gone gets it back as it is asked.
    let line = text.lines().find(|line| line.starts_with("bytes")).unwrap();
    let asks = text.split(line).next().unwrap().lines().last().unwrap();
    std::fs::write(&path, text.replace(line, "").replace(asks, "")).unwrap();
    sheet.set(&other, "bytes", "1 MB");
    sheet.save(&places, &other).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("bytes = \"1 MB\""), "{text}");
    assert!(!text.contains("`="), "{text}");
}

#[test]
fn what_is_kept_of_predictions_and_variants_survives_the_file() {
    let mut progress = Progress::default();
    let exercise = exercise(0);
    let locked = |typed: &str| course::Event::Locked {
        exercise: exercise.id.clone(),
        key: "guess".into(),
        typed: typed.into(),
    };
    for event in [
        locked("60"),
        locked("71"),
        course::Event::Checked {
            exercise: exercise.id.clone(),
            key: "guess".into(),
            typed: "71".into(),
            mark: Mark::Kept,
        },
        course::Event::Practised {
            pattern: "bytes.wall".into(),
            right: false,
        },
    ] {
        progress.apply(&event);
    }
    let key = progress.key("ex90", "guess");
    assert_eq!(
        (key.locked.as_deref(), key.solved, key.tries),
        (Some("60"), true, 0)
    );
    progress.apply(&course::Event::Varied {
        exercise: "ex90".into(),
        variant: 1,
    });
    // What was done stays done, and is asked again.
    assert_eq!(
        (progress.variant("ex90"), progress.tally(&exercise).done()),
        (1, 1)
    );
    assert!(!progress.key("ex90", "guess").solved && progress.done_before("ex90", "guess"));
    let walked = course::Event::Reset {
        exercise: "ex90".into(),
        key: None,
    };
    let mut reset = progress.clone();
    reset.apply(&walked);
    assert_eq!(reset.tally(&exercise).done(), 0);
    let again = Progress::read(&progress.write()).unwrap();
    assert_eq!(again, progress);
    assert_eq!(again.practise.cards["bytes.wall"].asked, 1);
}

#[test]
fn a_seed_draws_a_variant_for_every_sheet() {
    let folder = tempfile::tempdir().unwrap();
    let of = |seed: u64| {
        let dir = folder.path().join(seed.to_string());
        course::init(&dir, &course(), (None, None), Some(seed)).unwrap();
        let text = std::fs::read_to_string(dir.join("answers/ex90.toml")).unwrap();
        let variant = exercise(0).drawn(seed);
        assert_eq!(
            text.contains(&format!("variant = {variant}")),
            variant > 0,
            "{text}"
        );
        variant
    };
    let mut drawn: Vec<usize> = (0..30).map(of).collect();
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn, [0, 1, 2], "some seed draws each variant");
}
