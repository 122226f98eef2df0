//! What a study found: its figures, their terms, long tables, the sentence.

use std::sync::Arc;

use super::{ENTER, Page, kept};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::{Effect, Message};

#[test]
fn what_was_found_is_shown_with_its_device_and_its_numbers_are_exported() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut page = Page::open(columns, rows);
        page.press(&[ch('G'), ch('k'), ENTER]);
        page.snapshot("studies-found");
        let exported = page.press(&[ch('X')]);
        let numbers = match exported.as_slice() {
            [
                Effect::Export {
                    numbers: Some(csv), ..
                },
            ] => csv,
            other => panic!("{other:?}"),
        };
        let csv = "seq,bytes MB =,time µs @\n16,12.156,842.3\n32,22.120,1690.5\n64,42.047,–\n";
        assert_eq!(numbers, csv);
        // The second figure, unfolded: the bytes of a forward of 32 tokens.
        page.press(&[key(Code::Tab), ch('=')]);
        let why = page.rows().join("\n");
        assert!(why.contains("Why this number"), "{why}");
        assert!(why.contains("bytes of the forward"), "{why}");
        page.press(&[key(Code::Esc)]);
        let again = page.press(&[ch('r')]);
        assert!(matches!(again.as_slice(), [Effect::MakeStudy(1, words)] if words.len() == 5));
    }
}

#[test]
fn what_a_study_found_is_said_once_and_the_keys_stay_in_view() {
    let mut page = Page::open(80, 24);
    page.press(&[ch('j'), ch('j'), ENTER, ch('r')]);
    page.tell(Message::StudyMade(1, Ok(Arc::new(kept("scale-3", false)))));
    let rows = page.rows();
    assert!(rows[23].contains("? help"), "{}", rows.join("\n"));
    let first = kept("scale-3", false).findings.sentences[0].clone();
    let head: String = first.chars().take(30).collect();
    let said = rows.iter().filter(|row| row.contains(&head)).count();
    assert_eq!(said, 1, "{}", rows.join("\n"));
    // It is still among the messages.
    let mut log = page.0.shared.notes.log().map(|note| note.text.clone());
    assert!(log.next_back().is_some_and(|text| text.contains(&head)));
}

#[test]
fn terms_are_named_where_a_figure_has_them() {
    let mut page = Page::open(120, 40);
    page.press(&[ch('G'), ch('k'), ENTER]);
    let rows = page.rows().join("\n");
    assert!(rows.contains("= its terms"), "{rows}");
    let mut bare = kept("scale-9", false);
    for column in bare.findings.sheets.iter_mut().flat_map(|s| &mut s.columns) {
        column.why = String::new();
    }
    page.keep(bare);
    page.press(&[key(Code::Esc), ch('G'), ENTER]);
    let rows = page.rows().join("\n");
    assert!(
        !rows.contains("its terms") && rows.contains("SVG, CSV"),
        "{rows}"
    );
}

/// Of a plan with a long name the figure keeps its value in the footer.
#[test]
fn the_figure_of_a_long_plan_is_named_beside_its_key() {
    let mut page = Page::open(80, 24);
    let mut long = kept("scale-9", false);
    let sheet = &mut long.findings.sheets[0];
    let name = "rope + flash + gate_up + silu_mul + swiglu + o_residual + down_residual";
    sheet.rows[0][0] = name.into();
    let row = sheet.rows[0].clone();
    sheet.rows = vec![row; 30];
    let of = sheet.of[0].clone();
    sheet.of = vec![of; 30];
    page.keep(long);
    page.press(&[ch('G'), ENTER]);
    let rows = page.rows();
    let said = &rows[22];
    assert!(said.contains("more lines: Space"), "{said}");
    assert!(
        said.contains("rope + f") && said.contains("= 12.156"),
        "{said}"
    );
}

#[test]
fn a_long_table_says_which_key_has_all_of_it() {
    let mut page = Page::open(80, 24);
    let mut long = kept("scale-9", false);
    let row = long.findings.sheets[0].rows[0].clone();
    long.findings.sheets[0].rows = vec![row; 60];
    page.keep(long);
    page.press(&[ch('G'), ENTER]);
    let found = |page: &mut Page| {
        page.press(&[ch(' ')]);
        page.rows()
            .join("\n")
            .contains("… 12 more: X writes all of them")
    };
    assert!((0..6).any(|_| found(&mut page)));
}
