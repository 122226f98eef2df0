//! Pages of the workshop in a window of 100 × 30, which many terminals open with.

use super::pages::h200;
use super::reader::{ENTER, Screen};
use tinyllama_tutor::course::Course;

/// The built-in course on the machine of the snapshots.
fn workshop() -> Screen {
    let mut screen = Screen::with(Course::built_in(), 100, 30);
    screen.state.shared.machine = h200();
    screen
}

#[test]
fn lab_compare_claims_and_a_form_in_a_hundred_columns() {
    for (name, keys) in [
        ("lab", "3"),
        ("compare", "4"),
        ("claims", "8"),
        ("form", "7"),
    ] {
        let screen = workshop().typed(keys);
        let screen = match name {
            "form" => screen.press(&[ENTER]),
            _ => screen,
        };
        insta::assert_snapshot!(format!("{name}-100x30"), screen.rows().join("\n"));
    }
}
