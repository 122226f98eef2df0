//! Whatever is typed and done comes back from the files.

use super::Desk;
use proptest::prelude::*;
use tinyllama_tutor::course::{Event, Mark, Progress, Sheet};

fn event() -> impl Strategy<Value = Event> {
    // Ids and typed text of any kind: a course may name things as it likes.
    let word = || "[a-z.\"\\\\é #\n-]{0,6}";
    let marks = prop::sample::select(vec![
        Mark::Right,
        Mark::Slip,
        Mark::Close,
        Mark::Wrong,
        Mark::Unread,
    ]);
    prop_oneof![
        (word(), word()).prop_map(|(lesson, section)| Event::Read { lesson, section }),
        (word(), word(), word(), marks).prop_map(|(exercise, key, typed, mark)| {
            Event::Checked {
                exercise,
                key,
                typed,
                mark,
            }
        }),
        (word(), word(), 0..9_u64).prop_map(|(exercise, key, shown)| Event::Hinted {
            exercise,
            key,
            shown
        }),
        (word(), word()).prop_map(|(exercise, key)| Event::GaveUp { exercise, key }),
        (word(), prop::option::of(word()))
            .prop_map(|(exercise, key)| Event::Reset { exercise, key }),
        (word(), 0..9_u64, word(), word(), word()).prop_map(
            |(lesson, block, gpu, typed, outcome)| Event::Guessed {
                lesson,
                block,
                gpu,
                typed,
                outcome,
            }
        ),
        (word(), 0..9_u64, word()).prop_map(|(lesson, block, typed)| Event::Begun {
            lesson,
            block,
            typed
        }),
        (word(), prop::option::of(word()))
            .prop_map(|(setting, value)| Event::Chose { setting, value }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn progress_comes_back_as_it_was(events in prop::collection::vec(event(), 0..30)) {
        let mut progress = Progress::default();
        events.iter().for_each(|event| progress.apply(event));
        prop_assert_eq!(Progress::read(&progress.write()).expect("TOML"), progress);
    }

    #[test]
    fn whatever_is_typed_comes_back(typed in "[ -~éµ×²宽\u{301}\u{a0}\t]{0,40}") {
        let desk = Desk::new();
        let exercise = desk.exercise();
        let mut sheet = Sheet::open(&desk.places, &exercise).expect("opened");
        sheet.set(&exercise, "block", &typed);
        sheet.save(&desk.places, &exercise).expect("saved");
        let again = Sheet::open(&desk.places, &exercise).expect("opened");
        prop_assert_eq!(again.answer("block"), Some(typed).filter(|typed| !typed.trim().is_empty()));
    }
}

#[test]
fn no_sheet_is_written_that_could_not_be_read_again() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    let mut sheet = Sheet::open(&desk.places, &exercise).expect("opened");
    sheet.set(&exercise, "block", "17");
    sheet.save(&desk.places, &exercise).expect("saved");
    // Three bytes each: more than the 256 kB that are read.
    sheet.set(&exercise, "block", &"宽".repeat(100_000));
    let fault = sheet.save(&desk.places, &exercise).expect_err("too large");
    assert!(fault.to_string().contains("shorten it"), "{fault}");
    let again = Sheet::open(&desk.places, &exercise).expect("opened");
    assert_eq!(again.answer("block").as_deref(), Some("17"));
}
