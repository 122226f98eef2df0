//! What Enter, arrows and pasted text do to what is asked: nothing is graded that was not
//! marked or is not seen, and what the lines and the footer name works then.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use super::keys::{form, kept};
use super::reader::{ENTER, ESC, RIGHT, SPACE, Screen, TAB, sheet_read};
use tinyllama_tutor::app::key::{Code, Key, ch, ctrl, key};
use tinyllama_tutor::app::question::Asked;
use tinyllama_tutor::app::{self, Effect, Message, Page, update};
use tinyllama_tutor::course::{Course, Event, Mark, Progress};

const DOWN: Key = key(Code::Down);
const LEFT: Key = key(Code::Left);
const PAGE_DOWN: Key = key(Code::PageDown);

/// The form of an exercise of the course, its first question under the cursor.
fn asked(exercise: &str, (columns, rows): (u16, u16)) -> Screen {
    home((columns, rows))
        .press(&[ch(':')])
        .typed(exercise)
        .press(&[ENTER])
}

fn home((columns, rows): (u16, u16)) -> Screen {
    Screen::with(Course::built_in(), columns, rows)
}

fn resized(mut s: Screen, (columns, rows): (u16, u16)) -> Screen {
    s.tell(Message::Resize { columns, rows });
    s
}

fn pasted(mut s: Screen, text: &str) -> Screen {
    s.tell(Message::Paste(text.to_owned()));
    s
}

/// How many answers were graded.
fn checks(s: &Screen) -> usize {
    let events = s.recorded().into_iter();
    events
        .filter(|event| matches!(event, Event::Checked { .. }))
        .count()
}

/// The last row: the keys.
fn footer(s: &Screen) -> String {
    s.rows().pop().unwrap_or_default()
}

#[test]
fn enter_marks_nothing_and_says_what_does() {
    // One of several, all that fit, an order, a line of a kernel.
    let options = form().press(&[DOWN, ENTER]).shows("Space marks the option");
    let several = form().press(&[DOWN, DOWN, ENTER]).shows("Space marks");
    let order = form().press(&[DOWN, DOWN, DOWN, DOWN, ENTER]);
    let order = order.shows("Space ranks the option");
    let line = asked("ex27", (80, 24)).press(&[ENTER]).shows("Space marks");
    for s in [options, several, order, line] {
        let s = s.press(&[ENTER, ENTER]).hides("(x)").hides("[x]");
        assert_eq!(checks(&s), 0);
        assert!(s.effects.iter().all(|e| !matches!(
            e,
            Effect::SaveAnswer { typed, .. } if !typed.is_empty()
        )));
    }
    // In a choice that was refused as before it was graded: the mark is named first.
    let s = form().press(&[DOWN, SPACE, ENTER]).shows("wrong");
    let s = s
        .press(&[RIGHT, ENTER])
        .shows("is marked: Enter checks that");
    assert_eq!(kept(&s, "bound").as_deref(), Some("memory"));
    assert_eq!(checks(&s), 1);
}

#[test]
fn the_line_of_a_choice_says_what_the_footer_says() {
    let s = form().press(&[DOWN]).shows("Space marks one");
    assert!(footer(&s).contains("Space mark"));
    // Refused, and the cursor at the mark: Space goes on.
    let s = s.press(&[SPACE, ENTER]).shows("wrong");
    let s = s.hides("Space marks one").shows("Space marks that one");
    assert!(footer(&s).contains("Space next open"), "{}", footer(&s));
    // At another option it marks again.
    let s = s.press(&[RIGHT]).shows("Space marks one");
    assert!(footer(&s).contains("Space mark"));
    // Right: nothing is marked any more.
    let s = s.press(&[SPACE, ENTER]).shows("right");
    s.hides("Space marks");
    // The lines of a kernel.
    let s = asked("ex27", (80, 24)).press(&[SPACE, ENTER]);
    let s = s.shows("another line").hides("Space marks it");
    assert!(footer(&s).contains("Space next open"), "{}", footer(&s));
}

#[test]
fn where_an_option_has_its_place_in_an_order_space_is_not_offered() {
    let s = form()
        .press(&[DOWN, DOWN, DOWN])
        .shows("Space ranks it next");
    assert!(footer(&s).contains("Space mark"), "{}", footer(&s));
    let s = s
        .press(&[SPACE])
        .hides("Space ranks it next")
        .shows("another place");
    assert!(!footer(&s).contains("Space mark"), "{}", footer(&s));
    let s = s.press(&[SPACE]).shows("It has its place");
    assert_eq!(kept(&s, "order").as_deref(), Some("q"));
    let s = s.press(&[RIGHT]).shows("Space ranks it next");
    assert!(footer(&s).contains("Space mark"), "{}", footer(&s));
}

#[test]
fn what_is_not_in_view_is_not_graded() {
    // A kernel of more lines than the window has, its first line marked, scrolled away.
    let mut s = asked("ex27", (60, 18)).press(&[SPACE]).shows("►(x)");
    for _ in 0..3 {
        if s.rows().iter().any(|row| row.contains("►(x)")) {
            s = s.press(&[PAGE_DOWN]);
        }
    }
    let s = s.hides("►(x)").press(&[ENTER]);
    assert_eq!(checks(&s), 0);
    let s = s.shows("►(x)").press(&[ENTER]);
    assert_eq!(checks(&s), 1);
}

#[test]
fn a_window_that_shrinks_keeps_what_a_lesson_asks_in_view() {
    let wide = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB, TAB]);
    let wide = wide.shows("►question ex1");
    // The text is long where the lines are short.
    let s = resized(wide, (60, 18)).shows("►question ex1");
    s.shows("e opens ex1");
}

#[test]
fn arrows_lead_out_of_a_cell_as_between_cells() {
    let s = asked("ex32", (80, 24)).typed("2").press(&[RIGHT]);
    let s = s.typed("1").press(&[ESC]);
    let text = kept(&s, "table").unwrap();
    assert!(text.starts_with("2 | 1 |"), "{text}");
    // Down to the next row; within a text they move in it.
    let s = asked("ex32", (80, 24)).typed("25").press(&[LEFT]);
    let s = s.typed("4").shows("24▌5").press(&[DOWN]).hides("▌");
    let cell = |s: &Screen| {
        let questions = &s.state.shared.questions;
        let asked = Asked {
            exercise: "ex32".to_owned(),
            key: "table".to_owned(),
        };
        questions.question(&asked).cell
    };
    assert!(cell(&s) > 1);
    assert_eq!(checks(&s), 0);
    // A table is no line of text where it stands among other questions.
    let s = s.press(&[TAB]).hides(" | ").hides(" ;");
    s.shows("1 of 36 cells");
}

#[test]
fn pasted_text_goes_where_what_is_typed_would_go() {
    // A number, a cell, own words: the field opens and nothing is graded.
    let s = pasted(form(), "22.22 %\n").shows("22.22 %▌");
    assert_eq!(checks(&s), 0);
    let s = pasted(asked("ex32", (80, 24)), "21").shows("21▌");
    assert_eq!(checks(&s), 0);
    let mut s = asked("ex34", (80, 24));
    while !s.rows().iter().any(|row| row.contains("in your own words")) {
        s = s.press(&[TAB]);
    }
    pasted(s, "the wait\nis 5 µs").shows("the wait is 5 µs▌");
    // A guess of a lesson.
    let s = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB]);
    pasted(s, "17").shows("> 17▌");
    // What stands half typed is not added to, what is right stays, a choice takes nothing.
    let s = pasted(form().typed("7").press(&[ESC]), "5");
    let s = s.shows("Enter goes on with what is typed").shows("[ 7 ");
    assert_eq!(kept(&s, "gqa1").as_deref(), Some("7"));
    let s = form().typed("22.22 %").press(&[ENTER]);
    pasted(s, "5").shows("i changes it").shows("[ 22.22 %");
    let s = pasted(form().press(&[DOWN]), "1\n").shows("is left out");
    assert_eq!(s.state.page, Page::Exercises);
    pasted(home((80, 24)), "qqq").shows("is left out");
}

#[test]
fn the_keys_named_while_something_is_typed_work_then() {
    // The gaps of a kernel's form are longer than the page.
    let mut s = asked("ex19", (60, 18)).press(&[TAB]);
    while !footer(&s).contains("gap form") {
        s = s.press(&[TAB]);
    }
    let s = s.press(&[SPACE]).typed("b").shows("PgDn shows the rest");
    let before = s.rows();
    let s = s.press(&[PAGE_DOWN]);
    assert_ne!(s.rows()[..16], before[..16]);
    // The next letter is in view again.
    let s = s.typed("a").shows("b");
    assert!(s.rows().iter().any(|row| row.contains('▌')));
    // In a lesson too.
    let s = asked("10-flash", (60, 18));
    let s = s.press(&[ch('G'), SPACE, ch('G'), SPACE, ch('G'), SPACE]);
    let s = s.shows("What must be held").shows("more below, Space");
    let s = s.typed("1").shows("▌").shows("more below, PgDn");
    let before = s.state.reader.scroll;
    let s = s.press(&[PAGE_DOWN]);
    assert!(s.state.reader.scroll > before);
    s.typed("7").shows("17▌");
    // A block with the keys has another use for Space.
    let s = Screen::reader(80, 24).press(&[SPACE, SPACE, SPACE]);
    let s = s.shows("more below, Space").press(&[TAB]);
    s.shows("more below, PgDn");
}

#[test]
fn the_palette_offers_nothing_that_would_be_done_out_of_sight() {
    // The lab has no room in the least window, and what is done there would not be seen.
    for (size, seen) in [((60, 18), false), ((80, 24), true)] {
        for entry in ["flip qkv", "version V3", "undo the last flip"] {
            let s = home(size).press(&[ch(':')]).typed(entry);
            let named = |row: &String| row.contains(entry) && !row.contains('▌');
            assert_eq!(s.rows().iter().any(named), seen, "{entry}");
        }
    }
    // A page that has no room is named, and says so itself.
    let s = home((60, 18)).press(&[ch(':')]).typed("compare");
    let s = s.shows("needs 80 × 24").press(&[ENTER]);
    assert_eq!(s.state.page, Page::Compare);
    s.shows("needs 80 × 24");
}

#[test]
fn escape_leaves_a_page_that_has_no_room_at_once() {
    let s = home((80, 24)).press(&[ch('5'), ch('i')]).typed("40");
    let s = s.shows("FLOP/B: 40▌");
    let s = resized(s, (60, 18)).shows("needs 80").press(&[ESC]);
    assert_eq!(s.state.page, Page::Home);
    // Nothing of it was lost.
    let s = resized(s, (80, 24)).press(&[ch('5')]);
    s.shows("FLOP/B: 40▌");
}

#[test]
fn a_bare_number_is_the_lesson_of_that_number() {
    let course = Course::built_in();
    for lesson in course.lessons() {
        let number: String = lesson.id.chars().take_while(char::is_ascii_digit).collect();
        let bare = number.trim_start_matches('0');
        for typed in [number.as_str(), bare] {
            if typed.is_empty() {
                continue;
            }
            let s = home((80, 24)).press(&[ch(':')]).typed(typed);
            let s = s.press(&[ENTER]);
            assert_eq!(s.state.page, Page::Lesson, ":{typed}");
            s.shows(&format!("{number} "));
        }
    }
    let s = home((80, 24)).press(&[ch(':')]).typed("7").press(&[ENTER]);
    s.shows(":7 is lesson 07; the key 7 alone leads to Exercises.");
}

#[test]
fn the_end_of_a_path_names_what_was_only_read() {
    let mut s = home((80, 24));
    let course = std::sync::Arc::clone(&s.state.shared.study.course);
    let route = course.route(None).unwrap();
    let progress = &mut s.state.shared.study.progress;
    let legs = route.legs(&course);
    for leg in &legs {
        for section in &leg.sections {
            progress.apply(&Event::Read {
                lesson: leg.lesson.id.clone(),
                section: leg.lesson.sections[*section].id.clone(),
            });
        }
    }
    let questions: Vec<_> = legs.iter().flat_map(|leg| leg.asked.clone()).collect();
    let (last, others) = questions.split_last().unwrap();
    let (read, others) = others.split_first().unwrap();
    for (exercise, key) in others {
        progress.apply(&Event::Checked {
            exercise: exercise.clone(),
            key: key.clone(),
            typed: "1".to_owned(),
            mark: Mark::Right,
        });
    }
    progress.apply(&Event::GaveUp {
        exercise: read.0.clone(),
        key: read.1.clone(),
    });
    // Another event brings the contents up to date: the last one is given up on its form.
    let all = questions.len();
    let s = s.press(&[SPACE]);
    let s = s.press(&[ch(':')]).typed("ascii on").press(&[ENTER]);
    let s = s.press(&[ch(':')]).typed("ascii on").press(&[ENTER]);
    let mut s = s.press(&[ch('H'), SPACE]);
    assert_eq!(s.state.page, Page::Exercises, "{last:?}");
    s = s.press(&[ch('s'), ch('s')]);
    assert!(footer(&s).contains("Space contents"), "{}", footer(&s));
    let s = s.press(&[SPACE]);
    assert_eq!(s.state.page, Page::Home);
    let s = s.shows(&format!("{} of {all} questions done, 2 read", all - 2));
    let text = s.rows().join(" ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let missing = format!(
        "The path is through; {} {}, {} {} were read, not solved.",
        read.0, read.1, last.0, last.1
    );
    assert!(text.contains(&missing), "{text}");
}

#[test]
fn sixty_columns_show_the_end_of_a_message() {
    use tinyllama_tutor::app::Tone;
    // A page full of text.
    let mut s = home((60, 18)).press(&[SPACE]);
    let long = "A sentence that is as long as three or four rows of sixty columns has its way \
                out at the end, where a row too few would cut it off: that is why it takes the \
                rows above it, for as long as no key is pressed, here.";
    s.state.shared.notes.say(Tone::Warn, long);
    s.shows("no key is pressed, here.");
}

/// What was kept of a sheet and of progress, in the order in which it was.
fn saved(s: &Screen) -> Vec<String> {
    let effects = s.effects.iter().filter_map(|effect| match effect {
        Effect::SaveAnswer { typed, .. } => Some(typed.clone()),
        Effect::Record(Event::Begun { typed, .. }) => Some(format!("begun {typed}")),
        _ => None,
    });
    effects.collect()
}

/// So many milliseconds after the last event, with what is done then.
fn after(mut s: Screen, ms: u64) -> Screen {
    let at = s.state.shared.now + ms;
    let message = Message::Tick;
    let effects = update(&mut s.state, app::Event { at, message });
    s.effects.extend(effects);
    s
}

#[test]
fn what_is_being_typed_is_kept_soon_however_long_one_types() {
    // Whoever never rests for long loses no more than the last keys.
    let s = after(form().typed("2"), 150);
    assert_eq!((saved(&s), s.state.wake), (vec![], Some(200)));
    let s = after(s.typed("2"), 50).shows("22▌");
    assert_eq!((saved(&s), checks(&s)), (vec!["22".to_owned()], 0));
    // Once, and the clock is at rest.
    assert_eq!(s.state.wake, None);
    let s = after(s, 5000);
    assert_eq!(saved(&s).len(), 1);
    // Taken back and left: the sheet holds what is answered.
    let s = s.press(&[key(Code::Backspace), key(Code::Backspace), ESC]);
    assert_eq!(saved(&s), ["22", ""]);
    // A cell of a table, a guess of a lesson.
    let s = after(asked("ex32", (80, 24)).typed("2"), 1000);
    let text = saved(&s).pop().unwrap();
    assert!(text.starts_with("2 | "), "{text}");
    let s = after(
        Screen::reader(80, 24)
            .press(&[SPACE, SPACE, TAB])
            .typed("17"),
        1000,
    );
    assert_eq!(saved(&s), ["begun 17"]);
}

#[test]
fn what_is_right_and_what_was_said_stay_while_something_is_typed() {
    // A right answer that is being changed.
    let s = form().typed("22.22 %").press(&[ENTER]).shows("right");
    let s = after(s.press(&[ch('i')]).typed("1"), 2000);
    assert_eq!(saved(&s), ["22.22 %"]);
    let s = s.press(&[ESC]).shows("[ 22.22 % ");
    assert_eq!(saved(&s), ["22.22 %"]);
    // What was said of a wrong one is read while the next is typed.
    let s = form().typed("7 %").press(&[ENTER]).shows("wrong");
    let s = after(s.press(&[ENTER]).typed("8"), 2000).shows("wrong");
    assert_eq!(saved(&s), ["7 %", "8"]);
    let s = s.press(&[ESC]).hides(" wrong").shows("typed");
    assert_eq!((saved(&s).len(), checks(&s)), (2, 1));
}

/// The same learner's form in a workshop that was opened anew.
fn opened_anew(s: &Screen, sheet: &[(&str, &str)]) -> Screen {
    let mut again = Screen::reader(80, 24);
    let progress = &mut again.state.shared.study.progress;
    s.recorded().iter().for_each(|event| progress.apply(event));
    let text = progress.write();
    *progress = Progress::read(&text).unwrap();
    let mut again = again.press(&[ch('e'), ENTER]);
    let sheet = sheet
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    again.tell(sheet_read("ex1", sheet.collect(), false));
    again
}

#[test]
fn what_was_said_of_an_answer_is_there_after_a_new_start() {
    let s = form().typed("7 %").press(&[ENTER]).shows("wrong");
    let said = |s: &Screen| {
        let rows = s.rows();
        let at = rows
            .iter()
            .position(|row| row.contains("wrong   "))
            .unwrap();
        rows[at..at + 2].to_vec()
    };
    let again = opened_anew(&s, &[("gqa1", "7 %")]);
    assert_eq!(said(&again), said(&s));
    assert_eq!(checks(&again), 0);
    // What could not be read is unread still.
    let s = form().typed("7 %%%").press(&[ENTER, ESC]).shows("unread");
    opened_anew(&s, &[("gqa1", "7 %%%")]).shows("unread");
    // What was cleared after it took a right answer's place is open.
    let s = form().typed("22.22 %").press(&[ENTER, ch('i')]);
    let s = s
        .press(&[ctrl('u')])
        .typed("7 %")
        .press(&[ENTER])
        .shows("wrong");
    let s = s
        .press(&[ENTER, ctrl('u'), ESC])
        .hides(" wrong")
        .hides(" right");
    opened_anew(&s, &[]).hides(" wrong").hides(" right");
    // So is what was close, with what was said of it, and what was right.
    let s = form().typed("22.1 %").press(&[ENTER]).shows("close");
    let words = |s: &Screen, word: &str| {
        let rows = s.rows();
        let at = rows.iter().position(|row| row.contains(word)).unwrap();
        rows[at..at + 2].to_vec()
    };
    let again = opened_anew(&s, &[("gqa1", "22.1 %")]);
    assert_eq!(words(&again, "close   "), words(&s, "close   "));
    opened_anew(&s, &[("gqa1", "22.05 %")])
        .hides("close")
        .shows("typed");
    let s = form().typed("22.22 %").press(&[ENTER]).shows("right");
    // The form opens at the first question that is not solved.
    let again = opened_anew(&s, &[("gqa1", "22.22 %")]).press(&[key(Code::Up)]);
    assert_eq!(words(&again, "right   "), words(&s, "right   "));
    // Changed since: it has no verdict, and the contents count none.
    let s = form().typed("7 %").press(&[ENTER]).shows("wrong");
    let again = opened_anew(&s, &[("gqa1", "8 %")])
        .hides(" wrong")
        .shows("typed");
    assert_eq!(again.state.shared.contents.tally.wrong, 0);
    let s = s.press(&[ch('8'), ESC]).shows("typed");
    assert_eq!(s.state.shared.contents.tally.wrong, 0);
    let s = s.press(&[ch('H')]).hides("1 wrong");
    // So too before its form is opened: sheets of what was refused are read at the start.
    let opened = |typed: &str| {
        let sheet = [("gqa1".to_owned(), typed.to_owned())];
        let mut again = Screen::reader(80, 24);
        again.tell(Message::Loaded(Box::new(app::study::Study {
            progress: s.state.shared.study.progress.clone(),
            found: [("ex1".to_owned(), sheet.into())].into(),
            answers: Default::default(),
            ..s.state.shared.study.clone()
        })));
        again.state.shared.contents.tally.wrong
    };
    assert_eq!((opened("7 %"), opened("8")), (1, 0));
}
