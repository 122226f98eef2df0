//! Kinds of questions beyond one number or one choice, and variants: loaded,
//! judged, kept in sheets, and answered on the screen.
//!
//! Expected values of the table are those of the exercise facts (ex13): V1's
//! peak is 4·(B·S·D + B·S·Dkv + 2·B·H·S²) bytes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tinyllama_tutor::answer::{Expr, Judgement, Verdict, filled, grade, written};
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::study::Study;
use tinyllama_tutor::app::{Effect, Event, Look, Message, SheetRead, State, update};
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::course::{
    self, Course, Exercise, Figures, Mark, Places, Progress, Sheet, Surroundings, fails, lint,
};
use tinyllama_tutor::tui::Painter;

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

    // What its comments ask is that variant's.
    let mut sheet = sheet;
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
    let of = |key: &str| (exercise.id.clone(), key.to_owned());
    for (event, _) in [
        (
            course::Event::Locked {
                exercise: of("").0,
                key: "guess".into(),
                typed: "60".into(),
            },
            (),
        ),
        (
            course::Event::Locked {
                exercise: of("").0,
                key: "guess".into(),
                typed: "71".into(),
            },
            (),
        ),
        (
            course::Event::Checked {
                exercise: of("").0,
                key: "guess".into(),
                typed: "71".into(),
                mark: Mark::Kept,
            },
            (),
        ),
        (
            course::Event::Practised {
                pattern: "bytes.wall".into(),
                right: false,
            },
            (),
        ),
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
        finished: true,
    });
    assert_eq!(
        (progress.variant("ex90"), progress.tally(&exercise).done()),
        (1, exercise.keys.len())
    );
    assert!(!progress.key("ex90", "guess").solved);
    let again = Progress::read(&progress.write()).unwrap();
    assert_eq!(again, progress);
    assert_eq!(again.practise.cards["bytes.wall"].asked, 1);
}

struct Screen {
    state: State,
    effects: Vec<Effect>,
    painter: Painter,
}

impl Screen {
    fn form(columns: u16, rows: u16) -> Self {
        let state = State::new((columns, rows), Look::default()).unwrap();
        let mut screen = Screen {
            state,
            effects: Vec::new(),
            painter: Painter::default(),
        };
        screen.tell(Message::Loaded(Box::new(Study {
            course: Arc::new(course()),
            gpus: Some(Arc::new(GpuDatabase::embedded().unwrap())),
            loaded: true,
            ..Study::default()
        })));
        screen.press(&[ch('7'), key(Code::Enter)])
    }

    fn tell(&mut self, message: Message) {
        let effects = update(&mut self.state, Event { at: 0, message });
        self.effects.extend(effects);
        self.painter.fit(&mut self.state);
    }

    fn press(mut self, keys: &[Key]) -> Self {
        for k in keys {
            self.tell(Message::Key(*k));
        }
        self
    }

    fn typed(self, text: &str) -> Self {
        let keys: Vec<Key> = text.chars().map(ch).collect();
        self.press(&keys)
    }

    fn text(&self) -> String {
        let (columns, rows) = self.state.shared.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        self.painter.draw(&self.state, &mut buffer);
        let row = |y| {
            (0..columns)
                .map(|x| buffer[(x, y)].symbol())
                .collect::<String>()
        };
        (0..rows)
            .map(|y| row(y).trim_end().to_owned() + "\n")
            .collect()
    }

    #[track_caller]
    fn shows(self, text: &str) -> Self {
        let screen = self.text();
        assert!(
            screen.contains(text),
            "“{text}” is not on the screen:\n{screen}"
        );
        self
    }

    fn saved(&self, key: &str) -> Option<&str> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::SaveAnswer { key: k, typed, .. } if k == key => Some(typed.as_str()),
            _ => None,
        })
    }
}

#[test]
fn a_table_is_filled_in_with_the_keyboard() {
    let screen = Screen::form(80, 24)
        .shows("Peak activations at B 1")
        .shows("V1")
        .press(&[key(Code::Enter)])
        .typed("1245184 B")
        .press(&[key(Code::Tab)])
        .typed("4.5 MB")
        .press(&[key(Code::Enter)]);
    // Enter kept it and went on to V2, 128, which is empty; nothing was graded.
    assert_eq!(screen.saved("peaks"), Some("1245184 B | 4.5 MB; "));
    assert!(!screen.text().contains("cells are right"));
    assert!(screen.text().contains('▌'), "{}", screen.text());
    // At a filled cell Enter checks the table; of the wrong cell it is said why.
    let screen = screen
        .press(&[key(Code::Esc), key(Code::Up), key(Code::Enter)])
        .shows("1245184 B +")
        .shows("1 of 4 cells is right, 2 still empty")
        .press(&[key(Code::Right)])
        .shows("V1, 256: 4.5 MB is a little low")
        .press(&[key(Code::Down), key(Code::Left), key(Code::Enter)])
        .typed("917504 B")
        .press(&[key(Code::Tab)])
        .typed("1835008 B")
        .press(&[key(Code::Tab), key(Code::Esc)])
        // What is typed takes the place of what was wrong.
        .press(&[key(Code::Right)])
        .typed("4587520 B")
        .press(&[key(Code::Enter), key(Code::Enter)])
        .shows("All 4 cells are right.")
        .shows("right");
    assert!(
        screen
            .state
            .shared
            .study
            .progress
            .key("ex90", "peaks")
            .solved
    );
}

#[test]
fn options_of_a_table_turn_with_the_space_bar() {
    let mut screen = Screen::form(80, 24)
        .press(&[key(Code::Tab)])
        .shows("Launches of these parts");
    for (turns, _) in [
        (1, "3"),
        (2, "1"),
        (2, "1"),
        (3, "in"),
        (1, "3"),
        (2, "1"),
        (2, "1"),
        (3, "in"),
    ] {
        for _ in 0..turns {
            screen = screen.press(&[ch(' ')]);
        }
        screen = screen.press(&[key(Code::Right)]);
    }
    assert_eq!(
        screen.saved("groups"),
        Some("3 | 1 | 1 | in; 3 | 1 | 1 | in")
    );
    screen
        .press(&[key(Code::Enter)])
        .shows("All 8 cells are right.");
}

#[test]
fn a_prediction_is_locked_before_anything_is_shown() {
    let screen = Screen::form(80, 24)
        .press(&[key(Code::Tab), key(Code::Tab)])
        .shows("Enter locks your prediction")
        .press(&[key(Code::Enter)])
        .typed("60")
        .press(&[key(Code::Enter)])
        .shows("60 is kept as your prediction")
        .shows("r runs the plan");
    assert!(screen.effects.iter().any(
        |e| matches!(e, Effect::Record(course::Event::Locked { typed, .. }) if typed == "60")
    ));
    // Enter again opens no field: the prediction stays.
    let screen = screen.press(&[key(Code::Enter)]).typed("99");
    assert_eq!(
        screen
            .state
            .shared
            .study
            .progress
            .key("ex90", "guess")
            .locked
            .as_deref(),
        Some("60")
    );
}

#[test]
fn free_text_shows_a_worked_answer_once_it_is_kept() {
    Screen::form(80, 24)
        .press(&[key(Code::Tab), key(Code::Tab), key(Code::Tab)])
        .shows("in your own words")
        .press(&[key(Code::Enter)])
        .typed("softmax moves 1.049 MB")
        .press(&[key(Code::Enter)])
        .shows("A worked answer, to compare:")
        .shows("1.05 MB in softmax alone");
}

#[test]
fn v_begins_another_variant_after_a_warning() {
    let screen = Screen::form(80, 24)
        .press(&[ch('v')])
        .shows("v again begins variant 1")
        .press(&[ch('v')])
        .shows("Peak activations at B 4");
    assert!(
        screen
            .effects
            .iter()
            .any(|e| matches!(e, Effect::Vary { variant: 1, .. }))
    );
    assert_eq!(screen.state.shared.study.progress.variant("ex90"), 1);
}

fn sheet(id: &str, answers: BTreeMap<String, String>, again: bool) -> Message {
    let kept = Some(Progress::default());
    let read = SheetRead {
        answers,
        kept,
        again,
    };
    Message::Sheet(id.to_owned(), Box::new(read))
}

#[test]
fn a_sheet_says_which_variant_is_asked() {
    let mut screen = Screen::form(80, 24).shows("Peak activations at B 1");
    let says = |n: &str| [("variant".to_owned(), n.to_owned())].into_iter().collect();
    screen.tell(sheet("ex90", says("1"), false));
    let mut screen = screen.shows("Peak activations at B 4");
    screen.tell(sheet("ex90", says("9"), true));
    // What cannot be is said, and nothing that was answered is forgotten.
    let screen = screen
        .shows("ex90 has variants 0 to 2")
        .shows("Peak activations at B 4");
    assert_eq!(screen.state.shared.study.progress.variant("ex90"), 1);
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
