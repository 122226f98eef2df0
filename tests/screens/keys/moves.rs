//! Space, Enter, Esc, Tab and arrows mean the same in every block, and the footer says what they do.

use super::{home, kept};
use crate::reader::{ENTER, ESC, RIGHT, SPACE, Screen, TAB};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::lesson::Focus;
use tinyllama_tutor::app::machine::{BackendFacts, Condition};
use tinyllama_tutor::app::{self, Effect, Message, Page};
use tinyllama_tutor::course::Course;
use tinyllama_tutor::run::Report;

#[test]
fn a_block_says_its_setup_where_the_header_has_another() {
    let s = home(80, 24).press(&[ch(':')]).typed("00-welcome");
    let s = s.press(&[ENTER, SPACE]).shows("workshop B1 S128 fp32");
    s.shows("live · ribbon · workshop B5 S128 fp32");
}

#[test]
fn esc_leads_from_every_block_into_the_text_and_stays() {
    // lab; a prediction being typed; a question being typed; steps.
    for (sections, keys) in [
        (0, vec![TAB]),
        (2, vec![TAB, ch('7')]),
        (2, vec![TAB, TAB, ch('7')]),
        (4, vec![TAB]),
    ] {
        let mut s = Screen::reader(80, 24);
        for _ in 0..sections {
            s = s.press(&[SPACE]);
        }
        let s = s.press(&keys);
        assert_ne!(s.state.reader.focus, Focus::Text);
        let s = s.press(&[ESC]);
        assert_eq!(s.state.reader.focus, Focus::Text);
        let s = s.press(&[ESC, ESC]).shows("H shows the contents");
        assert_eq!(s.state.page, Page::Lesson);
        let s = s.press(&[ch('1')]);
        assert_eq!(s.state.page, Page::Home);
    }
}

#[test]
fn space_goes_on_where_a_block_has_nothing_to_flip() {
    // The prediction, then the typed question: neither is begun by Space.
    let s = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB, SPACE]);
    assert!(!s.state.typing());
    let s = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB, TAB, SPACE, ch('o')]);
    assert!(!s.state.typing() && kept(&s, "gqa1").is_none());
}

#[test]
fn focus_is_seen_without_colour() {
    Screen::reader(80, 24)
        .shows("┌ live · lab ")
        .press(&[TAB])
        .shows("┌►live · lab ");
    let s = Screen::reader(80, 24).press(&[ch('3')]).shows("►fusions ");
    let s = s.shows("►[ ] qkv").press(&[TAB]).hides("►[ ] qkv");
    s.shows("►this plan against V1")
        .press(&[TAB])
        .shows("►V1 · 17");
}

#[test]
fn the_footer_is_that_of_the_part_with_the_keys() {
    let s = Screen::reader(80, 24).press(&[ch('3')]).shows("Space flip");
    let s = s.press(&[TAB]).hides("Space flip").shows("↑↓ row");
    s.press(&[TAB]).shows("w wall");
}

#[test]
fn arrows_reach_both_columns_of_the_fusions() {
    let s = Screen::reader(80, 24).press(&[ch('3'), RIGHT]);
    let s = s.shows("►[ ] norm_residual").press(&[key(Code::Left)]);
    s.shows("►[ ] qkv").press(&[ch('G')]).shows("►[ ] forward");
}

#[test]
fn arrows_say_so_where_there_is_nowhere_to_go() {
    let course = Course::built_in();
    let s = Screen::with(course, 80, 24).press(&[ch('2'), key(Code::Down)]);
    let s = s.shows("All of this section is on the page");
    s.press(&[RIGHT]).shows("Nothing is cut at the sides");
    // A block has its own use for Space: lesson 10's lab behind its two guesses.
    let s = home(120, 40).press(&[ch(':')]).typed("10").press(&[ENTER]);
    let s = s.press(&[ch('o'), key(Code::Home), key(Code::Down), key(Code::Down)]);
    let s = s.press(&[ENTER, TAB, ENTER, ENTER, ENTER, key(Code::Down)]);
    s.shows("All of this section is on the page.")
        .hides("Space goes on")
        .shows("Space flip");
}

#[test]
fn a_footer_offers_what_the_block_has() {
    let course = Course::built_in();
    let mut kinds = std::collections::BTreeSet::new();
    for (at, lesson) in course.lessons().enumerate() {
        for (section, text) in lesson.sections.iter().enumerate() {
            let takes = text.live().filter(|live| app::live::takes_keys(live));
            for (block, live) in takes.enumerate() {
                if !live.predict.is_empty() || !kinds.insert(live.kind.clone()) {
                    continue;
                }
                let mut s = home(120, 40).press(&[ch('2')]);
                s.state.reader.lesson = at;
                s.state.reader.section = section;
                s.state.reader.focus = Focus::Block(block);
                let footer = s.rows().pop().unwrap();
                for (offer, key, none) in [
                    (" r run", ch('r'), "has nothing to run"),
                    ("Enter open", ENTER, "opens nothing"),
                ] {
                    if footer.contains(offer) {
                        // The first key may only bring the block into view.
                        s = s.press(&[key, key]).hides(none);
                    }
                }
            }
        }
    }
    assert!(kinds.contains("profile"), "{kinds:?}");
}

#[test]
fn help_names_the_keys_that_move_where_it_was_asked_for() {
    let s = home(80, 24).press(&[ch('1'), ch('?')]);
    let s = s.shows("line, item").hides("next part of screen");
    s.hides("kernel, column");
    let s = home(80, 24).press(&[ch('3'), ch('?')]);
    s.shows("next part of screen").shows("kernel, column");
}

#[test]
fn what_a_section_sets_up_ends_with_it() {
    // Lesson 10 is about batch 8.
    let at = home(80, 24).press(&[ch('1')]);
    let s = at
        .press(&[key(Code::Down); 10])
        .press(&[ENTER, SPACE, SPACE, SPACE, SPACE]);
    let before = s.state.shared.bench.setup().title();
    let s = s.shows("Before and after").press(&[TAB, ENTER]).typed("1");
    let s = s.press(&[ENTER]).typed("1").press(&[ENTER]);
    assert_eq!(s.state.shared.bench.setup().shape.batch, 8);
    let s = s.press(&[ESC, ch('G'), SPACE, SPACE]);
    assert_eq!(s.state.shared.bench.setup().title(), before);
}

/// A backend that can run.
fn backend(name: &str) -> BackendFacts {
    BackendFacts {
        name: name.into(),
        condition: Condition::Ready,
        ..BackendFacts::default()
    }
}

#[test]
fn the_backend_of_a_section_ends_with_it() {
    let used = |s: &Screen| {
        let machine = &s.state.shared.machine;
        (machine.backend().unwrap().name.clone(), machine.picked)
    };
    // Lesson 01 has a forward executed by simt, once a guess was made.
    let ran = || {
        let mut s = home(80, 24)
            .press(&[ch(':')])
            .typed("01-one")
            .press(&[ENTER]);
        s.state.shared.machine.backends = vec![backend("cpu"), backend("simt")];
        while !s
            .rows()
            .iter()
            .any(|row| row.contains("will the loads and stores"))
        {
            s = s.press(&[SPACE]);
        }
        // From the moment in which the block has the keys, before anything runs.
        let s = s.press(&[TAB, ENTER, ENTER]);
        assert_eq!(used(&s), ("simt".to_owned(), true));
        s.press(&[ch('r')])
    };
    // On, back, to the next lesson, through the contents, and where a search leads.
    for keys in [
        vec![ESC, ch('G'), SPACE],
        vec![ESC, ch('g'), ch('b')],
        vec![ESC, ch(']')],
        vec![ESC, ch('H'), key(Code::Down), ENTER],
        [
            vec![ESC, ch('/')],
            "The addition is free".chars().map(ch).collect(),
            vec![ENTER],
        ]
        .concat(),
    ] {
        let s = ran();
        let at = (s.state.reader.lesson, s.state.reader.section);
        let s = s.press(&keys);
        let left = (s.state.reader.lesson, s.state.reader.section);
        assert_ne!(left, at, "{keys:?}");
        // As it was: found by the workshop, and picked by nobody.
        assert_eq!(used(&s), ("cpu".to_owned(), false), "{keys:?}");
    }
    // What the learner picks meanwhile stays.
    let s = ran()
        .press(&[ESC, ch(':')])
        .typed("backend cpu")
        .press(&[ENTER]);
    let s = s.press(&[ch('G'), SPACE]);
    assert_eq!(used(&s), ("cpu".to_owned(), true));
}

#[test]
fn what_is_set_up_in_a_section_that_lends_its_own_is_ones_own() {
    // Lesson 10's lab is at B8 S128; the setup page takes 16 new tokens meanwhile.
    let s = home(80, 24).press(&[ch(':')]).typed("10").press(&[ENTER]);
    let s = s.press(&[ch('o'), key(Code::Home), key(Code::Down), key(Code::Down)]);
    let s = s.press(&[ENTER, TAB, ENTER, ENTER, ENTER, ch('p')]);
    let s = s.press(&[key(Code::Home), key(Code::Down), key(Code::Down)]);
    let s = s.typed("16").press(&[ENTER]);
    let own = s.state.shared.bench.setup().clone();
    assert_eq!(own.shape.seq, 16);
    // The block puts its own on the bench again, and what was chosen comes back behind it.
    let s = s
        .press(&[ESC])
        .shows("The lab is set up as this live block");
    assert_eq!(s.state.shared.bench.setup().shape.seq, 128);
    let s = s.press(&[ESC, ch(']')]);
    assert_eq!(*s.state.shared.bench.setup(), own);
}

#[test]
fn tab_takes_what_is_seen() {
    // Lesson 12 begins with journeys, and asks for a price below them.
    let s = home(60, 18)
        .press(&[ch(':')])
        .typed("lesson 12")
        .press(&[ENTER]);
    let s = s.press(&[SPACE; 3]).typed("131072").press(&[ESC]);
    let s = s.shows("131072: typed, not entered").press(&[TAB, ENTER]);
    s.shows("> 131072▌");
    // Also where another block begins on the page above it, and after a new start of the page.
    let s = home(200, 60)
        .press(&[ch(':')])
        .typed("lesson 12")
        .press(&[ENTER]);
    let s = s
        .typed("131072")
        .press(&[ESC])
        .shows("Enter there goes on with it");
    let s = s.press(&[TAB, ENTER]).shows("> 131072▌");
    // Section 7 asks of an exercise above its guess: Tab, Enter are for the question there.
    let s = s
        .press(&[ESC, ch('o'), key(Code::Home)])
        .press(&[key(Code::Down); 6]);
    let s = s.press(&[ENTER]).shows("Tab to the guess, then Enter");
    s.hides("Tab, then Enter");
    // The outline turns by pages.
    let s = home(60, 18)
        .press(&[ch(':')])
        .typed("lesson 12")
        .press(&[ENTER, ch('o')]);
    let s = s.press(&[key(Code::PageDown)]);
    assert_eq!(s.state.reader.outline, Some(14));
}

#[test]
fn a_block_shows_the_run_of_the_backend_that_it_names() {
    // Lesson 07 has a forward that cpu runs, whatever the lab is set to.
    let mut s = home(80, 24)
        .press(&[ch(':')])
        .typed("07-v1")
        .press(&[ENTER]);
    s.state.shared.machine.backends = vec![backend("cpu"), backend("simt")];
    while !s.rows().join(" ").contains("which number will the counter") {
        s = s.press(&[SPACE]);
    }
    let mut s = s.press(&[TAB, ENTER, ENTER, ch('r')]);
    let ticket = s.effects.iter().find_map(|effect| match effect {
        Effect::StartRun(ticket, _) => Some(*ticket),
        _ => None,
    });
    let report = Report::bare("cpu", "16 threads", 139);
    s.tell(Message::RunDone(ticket.unwrap(), Box::new(Ok(report))));
    let s = s.shows("139 launches #");
    let s = s
        .press(&[ESC, ch(':')])
        .typed("backend simt")
        .press(&[ENTER]);
    s.shows("139 launches #").hides("not run yet");
}
