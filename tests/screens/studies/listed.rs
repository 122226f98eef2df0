//! The list: what can be made, what is kept, the way from a lesson.

use std::sync::Arc;

use super::{ENTER, Page, kept, offered};
use crate::reader::Screen;
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::course::Course;

#[test]
fn studies_and_what_is_kept_are_listed_with_what_they_are() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut page = Page::open(columns, rows);
        page.press(&[ch('j'), ch('j')]);
        page.snapshot("studies-list");
    }
}

#[test]
fn a_kept_file_that_cannot_be_read_says_so_and_is_not_made_again() {
    let mut page = Page::open(80, 24);
    page.press(&[ch('G')]);
    assert_eq!(page.press(&[ch('r')]), []);
    page.press(&[ENTER]);
    page.snapshot("studies-unreadable");
}

/// Below the list stand whole sentences of what a study found.
#[test]
fn the_list_cuts_no_sentence_of_a_kept_study() {
    for (columns, rows) in [(80, 24), (60, 18)] {
        let mut page = Page::open(columns, rows);
        let mut long = kept("scale-9", false);
        let sentence = "The time grows as the first power of what varies @, as it does by the model too, so far as thirty rounds can tell.";
        long.findings.sentences = vec![sentence.into(); 12];
        page.keep(long);
        page.press(&[ch('G')]);
        let text = page.rows().join(" ").replace('│', " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (begun, whole) = (
            text.matches("The time grows").count(),
            text.matches("rounds can tell.").count(),
        );
        assert!(
            begun == whole,
            "{columns}x{rows}: {begun} begun, {whole} whole: {text}"
        );
        assert!(whole > 0 || rows < 20, "{text}");
    }
}

#[test]
fn a_study_without_a_part_for_the_lab_says_nothing_of_it() {
    let mut page = Page::open(80, 24);
    page.press(&[ENTER]);
    assert!(page.rows().join("\n").contains("p: another setup"));
    let mut all = offered();
    all[0].flags = vec!["--gpu".into()];
    page.offer(all);
    page.press(&[key(Code::Esc), ENTER]);
    let rows = page.rows().join("\n");
    assert!(!rows.contains("setup"), "{rows}");
}

#[test]
fn no_question_of_a_study_is_cut_in_the_list() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut page = Page::open(columns, rows);
        let shown = page.rows();
        let named = ["ablate", "plan", "scale", "batch-size", "validate"];
        for name in named {
            let row = shown.iter().find(|row| row.contains(&format!("{name} ")));
            assert!(
                row.is_some_and(|row| row.contains('?') && !row.contains('…')),
                "{row:?}"
            );
        }
    }
}

#[test]
fn a_lesson_leads_to_the_study_that_it_shows() {
    let mut at = Screen::with(Course::built_in(), 80, 24);
    let mut all = offered();
    all[4].name = "timeline".into();
    at.state.shared.studies.offered = Arc::new(all);
    // Lesson 19, its block of a timeline, once its guess was made.
    let lesson = at.press(&[ch(':')]).typed("19").press(&[ENTER]);
    let section = lesson
        .press(&[ch('o'), key(Code::Home)])
        .press(&[key(Code::Down); 6]);
    let guessed = section
        .press(&[ENTER, key(Code::Tab)])
        .typed("7")
        .press(&[ENTER]);
    let s = guessed.shows("it is 7").press(&[ENTER]);
    assert_eq!(
        (s.state.page, s.state.studies.cursor),
        (app::Page::Studies, 4)
    );
}
