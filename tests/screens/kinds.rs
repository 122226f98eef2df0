//! Kinds of questions beyond one number or one choice, answered in the form
//! (`tests/data/kinds`); what the judge says of them stands in `tests/course/kinds.rs`.

use std::path::Path;

use super::keys::kept;
use super::reader::{ENTER, ESC, RIGHT, Screen, TAB, sheet_read};
use tinyllama_tutor::app::Effect;
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::course::{self, Course};

/// The form of ex90, with its table under the cursor.
fn form() -> Screen {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kinds");
    Screen::with(Course::folder(&root), 80, 24).press(&[ch('7'), ENTER])
}

#[test]
fn a_table_is_filled_in_with_the_keyboard() {
    let screen = form()
        .shows("Peak activations at B 1")
        .shows("V1")
        .press(&[ENTER])
        .typed("1245184 B")
        .press(&[TAB])
        .typed("4.5 MB")
        .press(&[ENTER]);
    // Enter kept it and went on to V2, 128, which is empty; nothing was graded.
    let peaks = kept(&screen, "peaks");
    assert_eq!(peaks.as_deref(), Some("1245184 B | 4.5 MB; "));
    // At a filled cell Enter checks the table; of the wrong cell it is said why.
    let screen = screen
        .hides("cells are right")
        .shows("▌")
        .press(&[ESC, key(Code::Up), ENTER])
        .shows("1245184 B +")
        .shows("1 of 4 cells is right, 2 still empty")
        .press(&[RIGHT])
        .shows("V1, 256: 4.5 MB is a little low")
        .press(&[key(Code::Down), key(Code::Left), ENTER])
        .typed("917504 B")
        .press(&[TAB])
        .typed("1835008 B")
        .press(&[TAB, ESC])
        // What is typed takes the place of what was wrong.
        .press(&[RIGHT])
        .typed("4587520 B")
        .press(&[ENTER, ENTER])
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
    let mut screen = form().press(&[TAB]).shows("Launches of these parts");
    // 3, 1, 1, in; and again.
    for turns in [1, 2, 2, 3, 1, 2, 2, 3] {
        for _ in 0..turns {
            screen = screen.press(&[ch(' ')]);
        }
        screen = screen.press(&[RIGHT]);
    }
    let groups = kept(&screen, "groups");
    assert_eq!(groups.as_deref(), Some("3 | 1 | 1 | in; 3 | 1 | 1 | in"));
    screen.press(&[ENTER]).shows("All 8 cells are right.");
}

#[test]
fn a_prediction_is_locked_before_anything_is_shown() {
    let screen = form()
        .press(&[TAB, TAB])
        .shows("Enter locks your prediction")
        .press(&[ENTER])
        .typed("60")
        .press(&[ENTER])
        .shows("60 is kept as your prediction")
        .shows("r runs the plan");
    assert!(screen.effects.iter().any(
        |e| matches!(e, Effect::Record(course::Event::Locked { typed, .. }) if typed == "60")
    ));
    // Enter again opens no field: the prediction stays.
    let screen = screen.press(&[ENTER]).typed("99");
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
    form()
        .press(&[TAB, TAB, TAB])
        .shows("in your own words")
        .press(&[ENTER])
        .typed("softmax moves 1.049 MB")
        .press(&[ENTER])
        .shows("A worked answer, to compare:")
        .shows("1.05 MB in softmax alone");
}

#[test]
fn v_begins_another_variant_after_a_warning() {
    let screen = form()
        .typed("5")
        .press(&[ENTER, ESC, ch('v')])
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

#[test]
fn a_sheet_says_which_variant_is_asked() {
    let mut screen = form().shows("Peak activations at B 1");
    let says = |n: &str| [("variant".to_owned(), n.to_owned())].into_iter().collect();
    screen.tell(sheet_read("ex90", says("1"), false));
    let mut screen = screen.shows("Peak activations at B 4");
    screen.tell(sheet_read("ex90", says("9"), true));
    // What cannot be is said, and nothing that was answered is forgotten.
    let screen = screen
        .shows("ex90 has variants 0 to 2")
        .shows("Peak activations at B 4");
    assert_eq!(screen.state.shared.study.progress.variant("ex90"), 1);
}
