//! A lesson's pages: sections, what is kept of them, the way on and back, search, the lab beside.

use std::sync::Arc;
use tinyllama_tutor::app::Effect;
use tinyllama_tutor::course::Course;

use super::{ENTER, RIGHT, SPACE, Screen, TAB, fixture};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::machine::Ceilings;
use tinyllama_tutor::app::{Event, Message, Page, update};
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::course;

#[test]
fn a_section_is_a_page_with_its_numbers_computed() {
    let s = Screen::reader(80, 24);
    assert_eq!(s.state.page, Page::Lesson);
    // facts: qkv saves 22.22 % of the group at B1; three kernels move 1.180 MB.
    s.shows("2 Lesson  04 One GEMM for q, k and v")
        .shows("What the merge cannot save")
        .shows("saved  =  ─────────────")
        .shows("That is 22.22 % at B1.")
        .shows("these   3 launches =")
        .shows("▼ more below, Space")
        .shows("section 1 of 4 · 25 % ")
        .press(&[SPACE])
        // A page further down in the same section, since it is long.
        .shows("three kernels          3   1.180")
        .shows("one kernel             1   0.918")
        .press(&[SPACE])
        .shows("section 2 of 4")
        .press(&[ch('b')])
        .shows("one kernel             1   0.918");
}

#[test]
fn sections_that_were_shown_are_kept() {
    let s = Screen::reader(80, 24).press(&[SPACE, SPACE]);
    let read: Vec<String> = s
        .recorded()
        .into_iter()
        .filter_map(|e| match e {
            course::Event::Read { lesson, section } => Some(format!("{lesson} {section}")),
            _ => None,
        })
        .collect();
    assert_eq!(
        read,
        [
            "04-qkv what-the-merge-cannot-save",
            "04-qkv look-before-you-count"
        ]
    );
    // Home says where it goes on.
    let s = s.press(&[ch('1')]);
    assert_eq!(
        s.state
            .shared
            .contents
            .stopped
            .as_ref()
            .map(|s| (s.section, s.of)),
        Some((2, 4))
    );
}

#[test]
fn a_fault_stands_in_its_place_and_says_why() {
    let s = Screen::reader(80, 24).press(&[ch('o'), key(Code::End), ENTER]);
    let s = s
        .shows("strat = \"v1\"")
        .shows("04-qkv.md:")
        .shows("start")
        .shows("[blok.launches:")
        .shows("norm1")
        .hides("number_11");
    // The wide table goes sideways, its first column held.
    let before = s.rows();
    let s = s.press(&[RIGHT; 11]);
    assert_ne!(before, s.rows());
    s.shows("norm1")
        .shows("number_11")
        .press(&[key(Code::Left); 11])
        .hides("number_11");
}

#[test]
fn lessons_follow_each_other() {
    Screen::reader(80, 24)
        .press(&[ch('[')])
        .shows("This is the first lesson")
        .press(&[ch(']')])
        .shows("2 Lesson  05 Flash attention")
        .shows("100 %")
        .press(&[SPACE])
        .shows("The end of the course")
        .press(&[ch('[')])
        .shows("04 One GEMM");
}

#[test]
fn keys_that_come_before_the_page_is_drawn_do_no_harm() {
    let mut s = Screen::reader(80, 24).press(&[SPACE, SPACE]);
    let at = s.state.reader.section;
    // Both in one write: nothing is laid out between them.
    for k in [ch('b'), SPACE, ch('b'), ch('j'), ch('k'), ch('G')] {
        let message = Message::Key(k);
        update(&mut s.state, Event { at: 0, message });
    }
    s.painter.fit(&mut s.state);
    assert!(s.state.reader.section < at);
    s.shows("What the merge cannot save");
}

#[test]
fn text_is_found_in_this_section_and_in_the_next_ones() {
    Screen::reader(80, 24)
        .press(&[ch('/')])
        .typed("how many launches")
        .press(&[ENTER])
        .shows("section 2 of 4")
        // What is said behind a guess that is not made is not found.
        .press(&[ch('/')])
        .typed("one box")
        .press(&[ENTER])
        .shows("is not on this page, nor found in other sections")
        .press(&[ch('/')])
        .typed("nowhere at all")
        .press(&[ENTER])
        .shows("is not on this page");
}

#[test]
fn the_next_match_behind_the_last_of_a_section_is_in_another() {
    let s = Screen::with(Course::built_in(), 80, 24).press(&[ch(':')]);
    let s = s
        .typed("12")
        .press(&[ENTER, ch('o'), key(Code::Home), ENTER]);
    let s = s.press(&[ch('/')]).typed("price").press(&[ENTER]);
    let first = s.state.reader.section;
    let mut s = s;
    while s.state.reader.section == first {
        s = s.press(&[ch('n')]);
    }
    let section = s.state.reader.section + 1;
    assert!(section > first + 1, "{:?}", s.rows());
    s.shows(&format!("“price”: section {section} of 15."));
}

#[test]
fn what_is_found_in_another_section_is_on_the_screen() {
    let shows = |s: &Screen, text: &str| {
        let shown = s.rows().iter().any(|row| row.to_lowercase().contains(text));
        assert!(shown, "{text}: {:?}", s.rows());
    };
    for (columns, rows) in [(60, 18), (80, 24), (120, 40)] {
        let course = || Screen::with(Course::built_in(), columns, rows).press(&[ch(':')]);
        let s = course()
            .typed("00")
            .press(&[ENTER, ch('/')])
            .typed("boundary");
        shows(&s.press(&[ENTER]), "boundary");
        let s = course()
            .typed("07")
            .press(&[ENTER, ch('/')])
            .typed("profiler");
        shows(&s.press(&[ENTER]), "profiler");
        // Each in turn and back, and none in what is said behind a guess that is not made.
        let mut s = course().typed("00").press(&[ENTER, ch('/')]).typed("wall");
        s = s.press(&[ENTER]);
        for key in [ch('n'); 12].into_iter().chain([ch('N'); 12]) {
            s = s.press(&[key]);
            shows(&s, "wall");
        }
    }
}

#[test]
fn a_search_that_leads_to_a_question_wants_its_sheet_and_ends_what_was_lent() {
    let s = Screen::with(Course::built_in(), 80, 24).press(&[ch(':')]);
    let s = s.typed("09").press(&[ENTER]);
    let wants = |s: &Screen| {
        let mut sheets = s.effects.iter();
        sheets.any(|effect| matches!(effect, Effect::OpenSheet(id) if id == "ex12"))
    };
    assert!(!wants(&s));
    let s = s.press(&[ch('/')]).typed("gqa1").press(&[ENTER]);
    assert!(wants(&s), "{:?}", s.rows());
}

#[test]
fn lesson_and_lab_stand_side_by_side() {
    let s = Screen::reader(120, 40)
        .shows("section 1 of 4")
        .shows("this plan against V1")
        .press(&[TAB, SPACE])
        .shows("V1 + qkv · 15 launches per block, 63")
        // The lab is the last part of the page.
        .press(&[TAB, key(Code::Down), SPACE])
        // rope joins the kernel of q, k and v, so qkv is on as well.
        .shows("V1 + rope · 14 launches");
    assert_eq!(s.state.page, Page::Lesson);
}

#[test]
fn what_the_lab_beside_a_lesson_waits_for_is_done_from_where_the_keys_are() {
    let opened = |lesson: &str, section: usize| {
        let s = Screen::with(Course::built_in(), 200, 60).press(&[ch(':')]);
        let s = s.typed(lesson).press(&[ENTER, ch('o'), key(Code::Home)]);
        let s = (1..section).fold(s, |s, _| s.press(&[key(Code::Down)]));
        s.press(&[ENTER])
    };
    // A claim.
    let s = opened("07", 5)
        .shows("Tab to the claim, then Enter: judge it")
        .shows("Tab here, then Enter opens it");
    let s = s
        .press(&[TAB])
        .hides(", then Enter: judge")
        .shows("Enter: judge it, on page 8");
    assert_eq!(s.press(&[ENTER]).state.page, Page::Claims);
    // A guess.
    let s = opened("10", 3).shows("Tab to the guess, then Enter: type your number, or");
    let s = s
        .press(&[TAB])
        .hides(", then Enter: type")
        .shows("Enter, then type your number, or");
    // L goes into the number that is typed.
    let s = s.press(&[ENTER, ch('L')]).shows("> L▌").hides("L, or Tab");
    s.shows("Type your number, then Enter");
    // Where nothing else takes the keys, Tab leads to the lab.
    opened("12", 15).shows("Tab lab").hides("live block");
    opened("12", 1).shows("Tab live block");
}

/// The panel beside a lesson names the data sheet whole, also of the longest name there is.
#[test]
fn the_roof_beside_a_lesson_is_named_whole() {
    let gpus = GpuDatabase::embedded().unwrap();
    for gpu in gpus.all() {
        let mut s = Screen::reader(120, 40);
        s.state.shared.machine.ceilings = Some(Ceilings::of_gpu(gpu));
        s.shows(&format!("{} data sheet ─", gpu.short));
    }
}

#[test]
fn a_course_that_was_read_again_keeps_the_place() {
    let mut s = Screen::reader(80, 24).press(&[SPACE, SPACE]);
    let course = Arc::new(fixture());
    s.tell(Message::Reloaded(course, "Read again: 04-qkv.".into()));
    assert_eq!((s.state.reader.lesson, s.state.reader.section), (0, 1));
    s.shows("Look before you count")
        .shows("Read again: 04-qkv.");
}

#[test]
fn where_a_claim_stands_and_what_was_said_of_it_is_found_from_other_sections() {
    let at = |s: Screen, section: usize| {
        let s = s
            .press(&[ch(':')])
            .typed("lesson 07")
            .press(&[ENTER, ch('o'), key(Code::Home)]);
        s.press(&vec![key(Code::Down); section - 1]).press(&[ENTER])
    };
    let sought = |s: Screen, text: &str| s.press(&[ch('/')]).typed(text).press(&[ENTER]);
    let s = at(Screen::with(Course::built_in(), 80, 24), 1);
    let s = sought(s, "Revolutionary").shows("section 7 of 11");
    // What is true of it waits for a judgement.
    let s = sought(at(s, 1), "Found by reading").shows("is not on this page, nor found");
    let s = at(s, 8).press(&[TAB, ENTER, ENTER, key(Code::Down), ENTER, key(Code::Esc)]);
    sought(at(s, 1), "Found by reading").shows("section 8 of 11");
}

#[test]
fn where_nothing_is_asked_i_says_so() {
    let opened = |section: usize| {
        let s = Screen::with(Course::built_in(), 60, 18).press(&[ch(':')]);
        let s = s.typed("12").press(&[ENTER, ch('o'), key(Code::Home)]);
        let s = s.press(&vec![key(Code::Down); section - 1]);
        s.press(&[ENTER, ch('i')])
    };
    // A ribbon alone; a lab with a guess, and what it is about.
    opened(2).shows("Nothing on this page is answered.");
    opened(3).hides("Nothing on this page is answered.");
    // A guess that was made is not changed.
    let s = opened(5).press(&[ENTER, ch('i')]);
    s.shows("Nothing is asked here any more");
}

#[test]
fn a_key_of_plans_says_where_it_works() {
    for k in ['u', 'v', 'V'] {
        let s = Screen::reader(80, 24).press(&[ch(k)]);
        s.shows("This is a key of plans");
    }
    for k in ['w', 'm'] {
        let s = Screen::reader(80, 24).press(&[ch(k)]);
        s.shows("This is a key of the lab: L leads there.");
        let s = Screen::reader(60, 18).press(&[ch(k)]);
        s.shows("This is a key of the lab, which needs a larger window.");
    }
}
