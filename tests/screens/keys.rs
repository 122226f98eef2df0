//! One meaning per key: what is asked and has the keys takes what is typed; Space,
//! Enter and Esc mean the same in every block; what is right stays.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use super::reader::{ENTER, ESC, RIGHT, SPACE, Screen, TAB};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::lesson::Focus;
use tinyllama_tutor::app::{self, Effect, Event, Message, Page, update};
use tinyllama_tutor::course::Course;

/// The form of ex1 with its first question under the cursor.
pub(crate) fn form() -> Screen {
    Screen::reader(80, 24).press(&[ch('e'), ENTER])
}

#[test]
fn a_block_says_its_setup_where_the_header_has_another() {
    let s = home(80, 24).press(&[ch(':')]).typed("00-welcome");
    let s = s.press(&[ENTER, SPACE]).shows("workshop B1 S128 fp32");
    s.shows("live · ribbon · workshop B5 S128 fp32");
}

/// What was last to be kept of a question.
pub(crate) fn kept(s: &Screen, name: &str) -> Option<String> {
    let kept = s.effects.iter().rev().find_map(|effect| match effect {
        Effect::SaveAnswer { key, typed, .. } if key == name => Some(typed.clone()),
        _ => None,
    });
    kept.clone()
}

#[test]
fn a_question_takes_what_is_typed_from_the_first_character() {
    for typed in [".2963", "8/27", "5", "-3", "(1+2)*4", "22.22 %"] {
        let s = form().typed(typed).shows(&format!("{typed}▌"));
        assert_eq!(s.state.page, Page::Exercises, "{typed}");
    }
    // In a lesson too, and at a prediction.
    let asked = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB, TAB]);
    let s = asked.typed("8/27").shows("8/27▌");
    assert_eq!(s.state.page, Page::Lesson);
    let guess = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB]);
    guess.typed(".5").shows("> .5▌");
}

#[test]
fn the_one_question_in_view_takes_digits_from_the_text() {
    // Two of them wait: which one is meant?
    let both = Screen::reader(80, 24).press(&[SPACE, SPACE, ch('3')]);
    assert_eq!(both.state.page, Page::Lab);
    let guessed = Screen::reader(80, 24)
        .press(&[SPACE, SPACE, TAB])
        .typed(".5");
    let s = guessed.press(&[ENTER, ESC]);
    assert_eq!(s.state.reader.focus, Focus::Text);
    let s = s.typed("8/27").shows("8/27▌");
    assert_eq!(s.state.page, Page::Lesson);
    // What was left half typed is not added to: the digit leads to its page.
    let left = s.press(&[ESC, ESC, ch('3')]);
    assert_eq!(left.state.page, Page::Lab);
}

#[test]
fn a_digit_gives_the_option_under_the_cursor_its_place_in_an_order() {
    let s = form()
        .press(&[key(Code::Down); 4])
        .shows("a digit gives its place");
    let s = s.press(&[SPACE, RIGHT, SPACE, RIGHT, SPACE]);
    assert_eq!(kept(&s, "order").as_deref(), Some("q, softmax, norm1"));
    // The third one first: the others move on.
    let s = s.typed("1");
    assert_eq!(kept(&s, "order").as_deref(), Some("norm1, q, softmax"));
    let s = s.typed("2");
    assert_eq!(kept(&s, "order").as_deref(), Some("q, norm1, softmax"));
    // There is no fourth place.
    let s = s.typed("4");
    assert_eq!(kept(&s, "order").as_deref(), Some("q, norm1, softmax"));
    // Space takes no place back; 0 does.
    let s = s.press(&[SPACE]).shows("0 takes it back");
    assert_eq!(kept(&s, "order").as_deref(), Some("q, norm1, softmax"));
    let s = s.typed("0");
    assert_eq!(kept(&s, "order").as_deref(), Some("q, softmax"));
}

#[test]
fn space_goes_on_from_an_order_that_was_refused_and_takes_nothing_away() {
    let at = form().press(&[key(Code::Down); 4]);
    let s = at.press(&[SPACE, RIGHT, SPACE, RIGHT, SPACE, ENTER]);
    // facts: softmax 1.049, q 0.524, norm1 0.263 MB; here q is first.
    let s = s.shows("wrong").press(&[SPACE]);
    assert_eq!(kept(&s, "order").as_deref(), Some("q, softmax, norm1"));
    s.shows("wrong");
}

#[test]
fn the_number_of_a_line_goes_to_the_line() {
    let s = home(80, 24).press(&[ch(':')]).typed("ex27").press(&[ENTER]);
    let s = s.typed("12");
    assert_eq!(s.state.page, Page::Exercises);
    let at = |s: &Screen, line: &str| {
        let rows = s.rows();
        let here = |row: &&String| row.contains('►') && row.contains(&format!("   {line}  "));
        assert!(rows.iter().any(|row| here(&row)), "{line}: {rows:?}");
    };
    at(&s, "12");
    // Later digits begin another number; there is no line 99.
    let s = s.later(1000).typed("9");
    at(&s, " 9");
    let s = s.typed("9");
    at(&s, " 9");
}

#[test]
fn the_palette_opens_behind_a_digit_that_leads_nowhere() {
    let s = Screen::reader(80, 24)
        .press(&[TAB, ch('3')])
        .shows("Esc first");
    s.typed(":ex1").shows(": ex1▌");
}

#[test]
fn digits_lead_nowhere_from_options_and_blocks() {
    // The third option of the third question.
    let s = form().press(&[key(Code::Down), key(Code::Down)]).typed("3");
    assert_eq!(s.state.page, Page::Exercises);
    s.shows("►[ ] final_norm");
    let s = Screen::reader(80, 24).press(&[TAB, ch('3')]);
    assert_eq!(s.state.page, Page::Lesson);
    let s = s.shows("Esc first").press(&[ESC, ch('3')]);
    assert_eq!(s.state.page, Page::Lab);
}

#[test]
fn what_is_right_is_changed_by_its_own_key_and_stays_until_a_verdict() {
    let s = form().typed("22.22 %").press(&[ENTER]).shows("right");
    // Space goes on, to the next open question; a letter types nothing.
    let s = s.press(&[SPACE]);
    assert_eq!(s.state.exercises.form.as_ref().map(|f| f.row), Some(1));
    let s = s.press(&[key(Code::Up), ENTER]).shows("i changes it");
    // The rest of a word that is typed there is no key: no page opens, nothing is turned.
    let s = s
        .typed("2,097,152 bytes")
        .shows("i changes it")
        .shows("[ 22.22 %");
    assert_eq!(s.state.page, Page::Exercises);
    let s = s.later(1000);
    // Begun and left: nothing changed.
    let s = s.press(&[ch('i')]).typed(" o").shows("22.22 % o▌");
    let s = s.press(&[ESC]).shows("[ 22.22 % ").shows("right");
    assert_eq!(kept(&s, "gqa1").as_deref(), Some("22.22 %"));
    // What cannot be read is no verdict.
    let s = s.press(&[ch('i')]).typed(" o").press(&[ENTER]);
    assert_eq!(kept(&s, "gqa1").as_deref(), Some("22.22 %"));
    let s = s.press(&[ESC]).shows("[ 22.22 % ");
    // A new verdict takes its place.
    let s = s.press(&[ch('i'), key(Code::Backspace)]);
    let s = s.press(&[key(Code::Backspace); 2]).typed("0 %");
    let s = s.press(&[ENTER]);
    assert_eq!(kept(&s, "gqa1").as_deref(), Some("22.20 %"));
}

#[test]
fn a_right_choice_stays_until_the_next_one_is_checked() {
    let at = form().press(&[key(Code::Down), RIGHT, SPACE, ENTER]);
    let s = at.shows("right").press(&[key(Code::Left), SPACE]);
    assert_eq!(kept(&s, "bound").as_deref(), Some("compute"));
    let s = s
        .press(&[key(Code::Up), ch('i'), SPACE])
        .shows("(x) memory");
    assert_eq!(kept(&s, "bound").as_deref(), Some("compute"));
    let s = s.press(&[ESC]).shows("(x) compute");
    assert_eq!(s.state.page, Page::Exercises);
    let s = s.press(&[ch('i'), SPACE, ENTER]).shows("(x) memory");
    assert_eq!(kept(&s, "bound").as_deref(), Some("memory"));
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
}

#[test]
fn a_long_note_covers_no_result() {
    use tinyllama_tutor::app::Tone;
    let mut s = Screen::reader(80, 24).press(&[ch('3')]);
    let before = s.rows();
    let long = "five: 61453 µs @, 30 runs differ by 94 %. ".repeat(3);
    s.state.shared.notes.say(Tone::Warn, long.trim());
    let after = s.rows();
    assert_eq!(before[..22], after[..22], "{}", after.join("\n"));
    assert!(after[22].contains("five: 61453") && after[23].contains("differ"));
}

/// The built-in course on its contents page.
fn home(columns: u16, rows: u16) -> Screen {
    Screen::with(Course::built_in(), columns, rows)
}

#[test]
fn home_follows_the_path_and_space_goes_on_with_it() {
    let s = home(80, 24).shows("Three hours: 0 of 15 done");
    let s = s.shows("Space goes on with the path: lesson 00, What this workshop is.");
    let s = s.shows("·+00  Welcome").press(&[SPACE]);
    assert_eq!(s.state.page, Page::Lesson);
    // To the end of what the path reads of this lesson, then to the question.
    let mut s = s;
    for _ in 0..40 {
        if s.rows().join(" ").contains("Space goes on: question ex3") {
            break;
        }
        s = s.press(&[SPACE]);
    }
    // What the path leaves out was not read.
    let s = s.hides("Keys, and how to leave");
    let s = s.shows("Space goes on: question ex3 res1").press(&[SPACE]);
    assert_eq!(s.state.page, Page::Exercises);
    // Space does not lead past what the path asks.
    let s = s.press(&[SPACE]).shows("The path asks this: Enter checks");
    // facts/cost-model: three tensors of 128 × 256 fp32.
    let s = s.typed("393216 B").press(&[ENTER]).shows("right");
    let s = s.shows("Space goes on with the path.").press(&[SPACE]);
    assert_eq!(s.state.page, Page::Lesson);
    // b goes back over what the path reads and asks, and over nothing else.
    let mut s = s.shows("A wall has a price");
    let mut passed = vec![stop(&s)];
    for _ in 0..60 {
        s = s.press(&[ch('b')]).hides("Keys, and how to leave");
        if s.rows().join(" ").contains("The path begins here.") {
            break;
        }
        passed.extend(Some(stop(&s)).filter(|stop| Some(stop) != passed.last()));
    }
    let s = s.shows("The path begins here.");
    // The question, and the seven sections that the path reads of lesson 00.
    assert_eq!(passed.len(), 9, "{passed:?}");
    assert_eq!(passed[1], ("ex3".to_owned(), 0, 2));
    // Space goes forth again through the same, though all of it is done.
    let mut s = s;
    let mut again = vec![stop(&s)];
    for _ in 0..60 {
        s = s.press(&[SPACE]);
        again.extend(Some(stop(&s)).filter(|stop| Some(stop) != again.last()));
        if again.len() == passed.len() {
            break;
        }
    }
    passed.reverse();
    assert_eq!(again, passed);
    // One back and one forth undo each other, at a question too.
    let s = s.press(&[ch('b')]).shows("b path back").press(&[SPACE]);
    assert_eq!(Some(&stop(&s)), passed.last());
    s.press(&[ch('1')]).shows("1 of 15 done");
}

/// The exercise and the question on the page, or the section.
fn stop(s: &Screen) -> (String, usize, usize) {
    let form = s.state.exercises.form.as_ref();
    match form.filter(|_| s.state.page == Page::Exercises) {
        Some(form) => (form.exercise.clone(), 0, form.row),
        None => (String::new(), s.state.reader.lesson, s.state.reader.section),
    }
}

#[test]
fn b_leads_back_from_an_open_question_of_the_path() {
    let mut s = home(80, 24).press(&[SPACE]);
    for _ in 0..60 {
        if s.state.page == Page::Exercises {
            break;
        }
        s = s.press(&[SPACE]);
    }
    let at = stop(&s);
    let s = s.shows("b path back").press(&[ch('b')]);
    let s = s.shows("A first answer").press(&[SPACE]);
    assert_eq!(stop(&s), at);
    // What is being typed is no key.
    let s = s.typed("3b").shows("3b▌").press(&[ESC]);
    // From a question beside the path b leads to that of the path.
    let s = s.press(&[key(Code::Down), ch('b')]);
    assert_eq!(stop(&s), at);
}

#[test]
fn a_name_that_begins_with_what_is_typed_comes_first() {
    let s = home(80, 24).press(&[ch(':')]).typed("roof").press(&[ENTER]);
    assert_eq!(s.state.page, Page::Roofline);
    let s = home(80, 24).press(&[ch(':')]).typed("roof");
    s.press(&[key(Code::Down), ENTER]).shows("03 ");
}

#[test]
fn space_at_the_end_of_any_lesson_goes_on_with_the_path() {
    let mut s = home(80, 24).press(&[ch(':')]).typed("0").press(&[ENTER]);
    for _ in 0..60 {
        if s.rows().join(" ").contains("The end of this lesson.") {
            break;
        }
        s = s.press(&[SPACE]);
    }
    // Lesson by lesson all of it is read, and the path asks its question next.
    let s = s.shows("The end of this lesson. Space goes on with the path: question ex3 res1");
    let s = s.press(&[SPACE]);
    assert_eq!(s.state.page, Page::Exercises);
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
fn a_number_in_the_palette_is_a_lesson() {
    for number in ["7", "07"] {
        let s = home(80, 24).press(&[ch(':')]).typed(number).press(&[ENTER]);
        assert_eq!(s.state.page, Page::Lesson, "{number}");
        s.shows("07 ");
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
fn home_says_that_space_leads_to_the_rest_of_a_section() {
    let mut s = home(60, 18).press(&[SPACE]);
    while !s.rows().join(" ").contains("more below") {
        s = s.press(&[SPACE]);
    }
    let s = s.press(&[ch('H')]);
    let s = s.shows("Space goes on with the path: the rest of lesson 00");
    s.press(&[SPACE]).shows("more below");
}

#[test]
fn another_path_is_looked_at_before_it_is_followed() {
    let chose = |s: &Screen, name: &str| {
        s.recorded().iter().any(|event| {
            matches!(
                event,
                course::Event::Chose { setting, value: Some(value) }
                    if setting == "path" && value == name
            )
        })
    };
    let s = home(80, 24).press(&[ch('P')]).shows("One day, 450 min");
    let s = s
        .shows("Lessons 00 01 02 03 07")
        .shows("Three hours: 0 of 15");
    assert!(!chose(&s, "one-day"));
    // Esc stays, and so does walking on.
    let s = s
        .press(&[ESC])
        .shows("Three hours: 0 of 15")
        .hides("One day");
    let s = s.press(&[ch('P'), ch('P')]).shows("Complete, ");
    let s = s.press(&[ch('P')]).shows("is the path that you follow");
    let s = s.press(&[ch('P'), key(Code::Down), ENTER]);
    assert!(s.state.page == Page::Lesson && !chose(&s, "one-day"));
    let s = s
        .press(&[ch('1'), ch('P'), ENTER])
        .shows("You follow One day");
    assert!(chose(&s, "one-day"));
}

#[test]
fn a_path_says_that_its_order_is_its_own_and_ends_at_the_contents() {
    let mut s = home(80, 24).press(&[SPACE]);
    // Everything of lesson 00 is read and its question answered.
    for _ in 0..60 {
        if s.state.page == Page::Exercises {
            break;
        }
        s = s.press(&[SPACE]);
    }
    let s = s.typed("393216 B").press(&[ENTER, SPACE]);
    s.shows("A wall has a price")
        .shows("Your path has an order of its own");
}

#[test]
fn what_is_left_of_a_section_comes_before_what_follows_it_on_the_path() {
    let s = home(60, 18).press(&[SPACE]);
    let mut s = s;
    for _ in 0..12 {
        if s.rows().join(" ").contains("more below") {
            break;
        }
        s = s.press(&[SPACE]);
    }
    let at = s.state.reader.section;
    let s = s.shows("more below").press(&[ch('1'), SPACE]);
    assert_eq!((s.state.page, s.state.reader.section), (Page::Lesson, at));
    s.press(&[SPACE]).hides("What this workshop is");
}

#[test]
fn a_guess_that_was_not_kept_waits_where_it_was_typed() {
    let s = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB]);
    let s = s
        .typed("17")
        .press(&[ESC])
        .shows("What you typed waits here, not kept as your guess");
    let s = s.shows("17: typed, not kept");
    let s = s.press(&[TAB, ENTER]).shows("> 17▌");
    // It is kept as half-typed answers are: after a restart it stands there too.
    let events = s.recorded();
    let mut again = Screen::reader(80, 24).press(&[SPACE, SPACE]);
    let progress = &mut again.state.shared.study.progress;
    events.iter().for_each(|event| progress.apply(event));
    let text = progress.write();
    *progress = course::Progress::read(&text).unwrap();
    again.state.revision += 1;
    again.painter.fit(&mut again.state);
    let again = again.shows("17: typed, not kept");
    // Kept as a guess, nothing waits any more; so too where it is emptied.
    let kept = again.press(&[TAB, ENTER, ENTER]).hides("not kept");
    assert!(kept.state.shared.study.progress.begun.is_empty());
    let emptied = s.press(&[key(Code::Backspace), key(Code::Backspace), ESC]);
    assert!(emptied.state.shared.study.progress.begun.is_empty());
}

#[test]
fn home_cuts_no_title_where_columns_are_free() {
    let title = "Prefill and decode: what fusion can gain";
    for (columns, rows) in [(80, 24), (100, 30), (200, 60)] {
        let s = home(columns, rows).press(&[ch('1')]);
        s.press(&[key(Code::Down); 21]).shows(title);
    }
}

#[test]
fn help_names_the_keys_that_move_where_it_was_asked_for() {
    let s = home(80, 24).press(&[ch('1'), ch('?')]);
    let s = s.shows("line, item").hides("next part of screen");
    s.hides("kernel, column");
    let s = home(80, 24).press(&[ch('3'), ch('?')]);
    s.shows("next part of screen").shows("kernel, column");
}

/// The built-in course about a GPU, in lesson 03 at the section that asks of it.
fn asked_of(gpu: &'static str) -> Screen {
    let mut s = home(80, 24);
    about(&mut s, gpu);
    let course = &s.state.shared.study.course;
    let lesson = course.lesson("03-roofline").unwrap();
    let section = lesson.sections.iter();
    let section = section
        .into_iter()
        .position(|s| s.id == "what-the-average-tells");
    s.state.reader.lesson = s.state.shared.study.place_of("03-roofline").unwrap();
    s.state.reader.section = section.unwrap();
    s.state.reader.opened = true;
    s.state.go(Page::Lesson);
    s.painter.fit(&mut s.state);
    s
}

/// Another device is chosen: the course is read again for it.
fn about(s: &mut Screen, gpu: &'static str) {
    let course = Course::built_in().on(gpu);
    s.tell(Message::Reloaded(course.into(), String::new()));
}

#[test]
fn a_guess_answers_nothing_that_is_asked_of_another_device() {
    let s = asked_of("h200").press(&[TAB]).typed("11");
    let mut s = s.press(&[ENTER, ENTER, ENTER]).shows("you said 11");
    about(&mut s, "mi300a");
    let s = s.hides("you said 11").shows("on the MI300A, fp32?");
    let mut s = s.press(&[ENTER]).typed("12").press(&[ENTER, ENTER, ENTER]);
    // Each keeps its own.
    let gpus = s.recorded().into_iter().filter_map(|event| match event {
        course::Event::Guessed { gpu, typed, .. } if !typed.contains('|') => Some((gpu, typed)),
        _ => None,
    });
    let gpus: Vec<_> = gpus.collect();
    assert_eq!(
        gpus,
        [("h200".into(), "11".into()), ("mi300a".into(), "12".into())]
    );
    about(&mut s, "h200");
    s.hides("you said 12").shows("you said 11");
}

#[test]
fn a_guess_of_before_devices_were_told_apart_was_of_the_usual_one() {
    let old = "[[guesses]]\nlesson = \"03-roofline\"\nblock = 9\ntyped = \"8 |  | \"\n";
    let progress = course::Progress::read(old).unwrap();
    assert!(progress.guess("03-roofline", 9, "h200").is_some());
    assert!(progress.guess("03-roofline", 9, "").is_some());
    assert!(progress.guess("03-roofline", 9, "mi300a").is_none());
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
fn the_footer_of_a_form_says_what_space_does_on_the_path() {
    let mut s = home(80, 24).press(&[SPACE]);
    for _ in 0..40 {
        if s.state.page == Page::Exercises {
            break;
        }
        s = s.press(&[SPACE]);
    }
    let s = s.typed("393216 B").press(&[ENTER]).shows("right");
    s.shows("Space path goes on").hides("next open");
}

#[test]
fn what_is_typed_is_in_view_in_every_size() {
    // A table of exercise 20, whose field stands below its cells.
    let s = home(60, 18).press(&[ch(':')]).typed("ex32").press(&[ENTER]);
    let s = s.typed("12").shows("12▌");
    let mut s = s.press(&[ESC]);
    s.tell(Message::Resize {
        columns: 80,
        rows: 24,
    });
    // A question within a lesson, in a window that shrinks.
    let mut s = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB, TAB]);
    s = s.typed("8/27").shows("8/27▌");
    s.tell(Message::Resize {
        columns: 60,
        rows: 18,
    });
    s.shows("8/27▌");
}

#[test]
fn the_setup_page_types_only_where_something_is_typed() {
    let s = home(80, 24).press(&[ch('p')]).shows("Enter next value");
    s.press(&[key(Code::Down)]).shows("Enter type a value");
}

#[test]
fn home_shows_the_lesson_that_one_comes_from() {
    let s = home(80, 24).press(&[SPACE, ch(']'), ch(']'), ch('H')]);
    assert_eq!(s.state.home.cursor, 2);
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
fn the_contents_are_one_key_away_wherever_digits_are_answers() {
    let s = form().press(&[ch('H')]);
    assert_eq!(s.state.page, Page::Home);
    let s = form().typed("22.22 %").press(&[ENTER]).shows("right");
    let s = s
        .press(&[ch('1')])
        .shows("H shows the contents")
        .later(1000);
    let s = s.press(&[ch('H')]);
    assert_eq!(s.state.page, Page::Home);
    let s = Screen::reader(80, 24).press(&[SPACE, SPACE, ESC, ch('H')]);
    assert_eq!(s.state.page, Page::Home);
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
fn letters_mean_at_options_what_they_mean_elsewhere() {
    // q, softmax, norm1, to be ranked.
    let at = || form().press(&[key(Code::Down); 4]).shows("►[ ] q");
    at().press(&[ch('h')]).shows("hint 1 of").shows("►[ ] q");
    let s = at().press(&[ch('q')]);
    assert!(s.effects.contains(&Effect::Quit(0)));
}

#[test]
fn enter_checks_the_mark_wherever_the_cursor_stands() {
    let marked = || form().press(&[key(Code::Down), SPACE]);
    let before = kept(&marked(), "bound");
    let s = marked()
        .press(&[RIGHT, ENTER])
        .shows("is marked: Enter checks that");
    let checked = |s: &Screen| {
        let events = s.recorded().into_iter();
        let checks = events.filter(|event| matches!(event, course::Event::Checked { .. }));
        checks.count()
    };
    assert_eq!((kept(&s, "bound"), checked(&s)), (before.clone(), 0));
    let s = s.press(&[ENTER]);
    assert_eq!((kept(&s, "bound"), checked(&s)), (before.clone(), 1));
    // After a new start the cursor stands at the mark.
    let mut s = marked().press(&[RIGHT, SPACE, ESC]);
    let last = kept(&s, "bound");
    assert_ne!(last, before);
    s.state.shared.questions = Default::default();
    let s = s.press(&[ENTER, key(Code::Down)]).shows("►(x)");
    let s = s.press(&[ENTER]);
    assert_eq!(kept(&s, "bound"), last);
}

#[test]
fn space_at_the_mark_does_not_leave_a_choice_that_was_not_checked() {
    let at = form().press(&[key(Code::Down), SPACE, SPACE]);
    let s = at.shows("Marked. Enter checks it.");
    assert_eq!(s.state.exercises.form.as_ref().map(|f| f.row), Some(1));
}

#[test]
fn an_answer_that_was_changed_has_no_verdict() {
    let s = form().typed("7 %").press(&[ENTER]).shows("wrong");
    let s = s.press(&[ch('8'), ESC]).hides(" wrong").shows("typed");
    let s = s.press(&[key(Code::Down); 4]);
    let s = s.press(&[SPACE, RIGHT, SPACE, RIGHT, SPACE, ENTER]);
    let refused = s.state.exercises.form.clone();
    let s = s.typed("1").shows("typed");
    assert_eq!(kept(&s, "order").as_deref(), Some("norm1, q, softmax"));
    assert_eq!(
        s.state.exercises.form.map(|f| f.row),
        refused.map(|f| f.row)
    );
}

#[test]
fn what_is_typed_after_a_right_answer_was_refused_has_no_verdict() {
    let left = |s: Screen, text: &str| {
        let back = [key(Code::Backspace); 12];
        s.press(&[ch('i')]).press(&back).typed(text)
    };
    let s = form().typed("22.22 %").press(&[ENTER]).shows("right");
    // The right text, and any other, was not checked.
    let mut s = left(s, "7 %").press(&[ENTER]).shows("wrong");
    for text in ["22.22 %", "8 %"] {
        s = left(s, text).press(&[ESC]);
        assert_eq!(kept(&s, "gqa1").as_deref(), Some(text));
        s = s.hides(" wrong").hides(" right").shows("typed");
    }
    // Nor what stands behind one that could not be read.
    let s = left(s, "7 o").press(&[ENTER]).shows("unread").press(&[ESC]);
    let s = left(s, "8 %").press(&[ESC]);
    let s = s.hides(" wrong").hides(" right").shows("typed");
    // What was refused is, also after a new start, when only what was kept is known.
    let mut s = left(s, "9 %").press(&[ENTER]).shows("wrong");
    s.state.shared.questions = Default::default();
    s.press(&[key(Code::Down)]).shows("wrong");
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

#[test]
fn a_right_answer_says_how_it_comes_about() {
    // ex3 res1: three tensors of 128 × 256 fp32 numbers.
    let s = home(80, 24).press(&[ch(':')]).typed("ex3").press(&[ENTER]);
    let mut s = s;
    while !s
        .rows()
        .iter()
        .any(|row| row.contains("►") && row.contains("first residual add"))
    {
        s = s.press(&[key(Code::Down)]);
    }
    let s = s
        .hides("together 393,216 B")
        .typed("393216 B")
        .press(&[ENTER]);
    let s = s.shows("right").shows("why");
    let text = s
        .rows()
        .join(" ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        text.contains("read x B·S·D·4 B = 1·128·256·4 B = 131,072"),
        "{text}"
    );
    assert!(text.contains("together 393,216 B"), "{text}");
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
fn a_topic_keeps_its_question_and_what_is_typed() {
    let s = home(80, 24).press(&[ch('t')]).typed("33").shows("33▌");
    let asked = s
        .state
        .practise
        .task
        .as_ref()
        .map(|task| task.premise.clone());
    let s = s.press(&[TAB]).shows("►flops").hides("33▌");
    let s = s
        .press(&[key(Code::BackTab)])
        .shows("►launches")
        .shows("33▌");
    assert_eq!(
        s.state
            .practise
            .task
            .as_ref()
            .map(|task| task.premise.clone()),
        asked
    );
}

#[test]
fn a_word_that_nobody_knows_finds_nothing_in_the_palette() {
    // Its letters stand scattered over the title of lesson 19.
    let s = home(80, 24).press(&[ch(':')]).typed("blah");
    let s = s.shows("Nothing matches").press(&[ENTER, ESC]);
    assert_eq!(s.state.page, Page::Home);
    let s = s.press(&[ch(':')]).typed("10-flash").press(&[ENTER]);
    s.shows("Four trips of one square");
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

#[test]
fn the_glossary_knows_the_words_of_the_page() {
    let s = Screen::with(Course::built_in(), 80, 24).press(&[ch('3'), TAB, ch('*')]);
    assert_eq!(s.state.page, Page::Glossary);
    let s = s.shows("On the page that you come from").shows("launch: ");
    let s = s.press(&[ESC]);
    assert_eq!(s.state.page, Page::Lab);
}

#[test]
fn one_practises_in_the_workshop_and_wrong_answers_come_back_there() {
    let s = Screen::reader(80, 24).press(&[ch('e'), ENTER]).typed("7 %");
    let s = s
        .press(&[ENTER])
        .shows("wrong")
        .press(&[ESC, ch('1'), ch('t')]);
    assert_eq!(s.state.page, Page::Practise);
    let s = s
        .shows("►launches")
        .shows("Went wrong in exercises: ex1 gqa1.");
    // Digits are typed; nothing typed shows the answer, which counts.
    let s = s
        .typed("8")
        .shows("8▌")
        .press(&[key(Code::Backspace), ENTER]);
    let s = s.shows("It is ").shows("0 of 1 right");
    let kept = |s: &Screen| {
        let events = s.recorded().into_iter();
        events
            .filter(|e| matches!(e, course::Event::Practised { right: false, .. }))
            .count()
    };
    assert_eq!(kept(&s), 1);
    let s = s
        .press(&[ENTER])
        .hides("It is ")
        .press(&[TAB])
        .shows("►flops");
    let s = s.press(&[key(Code::Down)]);
    assert_eq!(s.state.page, Page::Exercises);
    let s = s.press(&[ESC, ESC]);
    assert_eq!(s.state.page, Page::Home);
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
