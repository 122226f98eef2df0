//! What a key leads to is in view and whole, in every size.

use super::{form, home};
use crate::reader::{ENTER, ESC, SPACE, Screen, TAB};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::{Event, Message, Page, update};
use tinyllama_tutor::course::Course;

#[test]
fn a_long_note_covers_no_result() {
    use tinyllama_tutor::app::Tone;
    let long = "five: 61453 µs @, 30 runs differ by 94 %. ".repeat(3);
    for (columns, rows) in [(80, 24), (100, 30), (120, 40)] {
        for page in Page::ALL {
            // One column of contents has the message in place of what Enter does.
            if page == Page::Home && columns < 120 {
                continue;
            }
            let mut s = home(columns, rows).press(&[ch('3'), ch('2')]);
            match page {
                // What was said stands there.
                Page::Messages => continue,
                Page::Why => s = s.press(&[ch('3'), ch('=')]),
                page => s.state.go(page),
            }
            s.tell(Message::Tick);
            assert_eq!(s.state.page, page);
            s.state.shared.notes.clear();
            let before = s.rows();
            s.state.shared.notes.say(Tone::Warn, long.trim());
            let after = s.rows();
            // The row of messages and the footer are its own, and blank ones above.
            let own = usize::from(rows) - 2;
            for (before, after) in before.iter().zip(&after).take(own) {
                assert!(
                    before == after || before.trim_matches([' ', '│']).is_empty(),
                    "{page:?}: {before}\n{after}"
                );
            }
            let said = after[own - 1..].join(" ");
            for part in ["five: 61453", "differ by 94"] {
                assert!(said.contains(part), "{page:?}: {said}");
            }
        }
    }
}

#[test]
fn a_marked_question_stays_in_view_when_the_window_shrinks() {
    let s = form().press(&[key(Code::Down); 4]).shows("►[ ] q");
    let mut s = s;
    s.tell(Message::Resize {
        columns: 60,
        rows: 18,
    });
    s.shows("►[ ] q");
}

#[test]
fn the_heading_of_the_lab_beside_a_lesson_and_its_unit_stand_apart() {
    let mut s = home(200, 60).press(&[ch('2')]);
    let cut = tinyllama_tutor::fusion::Cut::parse("v1+qkv+flash").unwrap();
    s.state.shared.bench.put(cut).unwrap();
    s.state.revision += 1;
    s.shows("13 launches per block, 55 per forward  ");
}

#[test]
fn a_fusion_inside_a_larger_one_claims_no_bytes() {
    // V4 is one kernel; what the block saves is not what silu_mul saves.
    let s = home(80, 24).press(&[ch('3'), ch('v'), ch('v'), ch('v')]);
    let mut s = s;
    while !s.rows().iter().any(|row| row.contains("►[+] silu_mul")) {
        s = s.press(&[key(Code::Down)]);
    }
    let s = s.press(&[TAB, TAB, TAB]);
    s.shows("silu_mul on, inside block").hides("are gone");
}

#[test]
fn the_palette_and_the_help_have_room_in_sixty_columns() {
    let s = home(60, 18).press(&[ch('3')]).shows("needs 80");
    let s = s.press(&[ch(':')]).typed("10-flash").shows("10 ");
    let s = s.press(&[ENTER]);
    assert_eq!(s.state.page, Page::Lesson);
    let s = s.press(&[ch('?')]).shows("in a lesson");
    assert!(s.rows().iter().all(|row| !row.contains("needs 80")));
}

#[test]
fn a_verdict_and_the_line_under_the_cursor_are_in_view() {
    // A kernel of more lines than the window has.
    let mut s = home(60, 18).press(&[ch(':')]).typed("ex27").press(&[ENTER]);
    for line in 0..14 {
        let here = s.rows().iter().any(|row| row.contains('►'));
        assert!(here, "line {line}: {:?}", s.rows());
        s = s.press(&[key(Code::Down)]);
    }
    s.press(&[SPACE, ENTER]).shows("wrong   15 is not right");
}

/// Presses a key at a time of the clock, and tells what the screen shows then.
fn at_once(s: &mut Screen, at: u64, message: Message) -> Vec<String> {
    update(&mut s.state, Event { at, message });
    s.painter.fit(&mut s.state);
    s.rows()
}

#[test]
fn a_wall_that_falls_is_seen_falling_and_nothing_else_moves() {
    let flip = || Message::Key(SPACE);
    let at_lab = || {
        let mut s = home(80, 24).press(&[ch('3')]);
        while !s.rows().iter().any(|row| row.contains("►[ ] silu_mul")) {
            s = s.press(&[key(Code::Down)]);
        }
        s
    };
    // Without motion the boxes are one at once, and nobody waits.
    let mut still = at_lab();
    let last = at_once(&mut still, 1000, flip());
    assert!(still.state.wake.is_none());
    let mut s = at_lab();
    s.state.shared.look.motion = true;
    let mut seen = vec![at_once(&mut s, 1000, flip())];
    let mut now = 1000;
    while let Some(at) = s.state.wake {
        assert!(at > now && at <= 1200, "{at}");
        now = at;
        seen.push(at_once(&mut s, at, Message::Tick));
    }
    assert_eq!(seen.len(), 3, "standing, broken, gone");
    assert_eq!(seen.last(), Some(&last));
    // Only the wall between silu and mul differs, two columns of three rows.
    for rows in &seen[..2] {
        let cells = rows.iter().zip(&last).map(|(a, b)| {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            let longest = a.len().max(b.len());
            (0..longest).filter(|x| a.get(*x) != b.get(*x)).count()
        });
        let changed: usize = cells.sum();
        assert!((1..=6).contains(&changed), "{changed}");
    }
    assert_ne!(seen[0], seen[1]);
    assert!(s.state.wake.is_none(), "at rest nothing is waited for");
}

#[test]
fn the_glossary_knows_the_words_of_the_page() {
    let s = Screen::with(Course::built_in(), 80, 24).press(&[ch('3'), TAB, ch('*')]);
    assert_eq!(s.state.page, Page::Glossary);
    let s = s.shows("On the page that you come from").shows("launch: ");
    let compared = Screen::with(Course::built_in(), 80, 24).press(&[ch('c'), ch('*')]);
    compared
        .shows("On the page that you come from")
        .shows("launch: ");
    // Its end fills the page: at most the longest entry has no room above it.
    for (columns, rows) in [(80, 24), (120, 40)] {
        let s = Screen::with(Course::built_in(), columns, rows);
        let s = s.press(&[ch('3'), ch('*'), ch('G')]);
        let s = s.shows("V: words of the vocabulary");
        let empty = s.rows().iter().filter(|row| row.trim().is_empty()).count();
        assert!(empty < 9, "{:?}", s.rows());
    }
    let s = s.press(&[ESC]);
    assert_eq!(s.state.page, Page::Lab);
}

#[test]
fn one_reads_and_answers_in_sixty_columns() {
    let s = Screen::reader(60, 18).shows("What the merge cannot save");
    let s = s
        .press(&[ch('e'), ENTER])
        .typed("22.22 %")
        .shows("22.22 %▌");
    // It shrinks in the middle of the answer, and grows again.
    let mut s = s;
    for (columns, rows) in [(40, 10), (60, 18)] {
        s.tell(Message::Resize { columns, rows });
    }
    let s = s.press(&[ENTER]).shows("right");
    let s = s.press(&[ch('L')]).shows("This page, Lab, needs 80 × 24.");
    let s = s.press(&[ch('1')]);
    assert_eq!(s.state.page, Page::Home);
    assert!(s.rows().iter().all(|row| row.chars().count() <= 60));
}

#[test]
fn the_lesson_has_eighty_columns_wherever_it_can() {
    let wide = |columns, rows| {
        let s = Screen::reader(columns, rows);
        let text = s.rows().join("\n");
        // The longest line of the first section, as it is broken at 80 columns.
        assert!(
            text.contains(
                "The three projections read the same n1. With k and v half as wide as q:"
            ),
            "{text}"
        );
        s
    };
    wide(80, 24);
    wide(100, 30).shows("Sections");
    wide(120, 40).shows("fusions");
    wide(200, 60).shows("fusions").shows("│norm1│");
}
