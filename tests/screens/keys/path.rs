//! Home and the path: where Space leads, and what is said of it.

use super::home;
use crate::reader::{ENTER, ESC, SPACE, Screen};
use std::path::Path;
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::study::Study;
use tinyllama_tutor::app::{Message, Page};
use tinyllama_tutor::course::{Course, Places, Surroundings};

#[test]
fn home_follows_the_path_and_space_goes_on_with_it() {
    let s = home(80, 24).shows("Three hours: 0 of 15 questions done");
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
    s.press(&[ch('1')]).shows("1 of 15 questions done");
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
fn home_says_that_space_leads_to_the_rest_of_a_section() {
    let mut s = home(60, 18).press(&[SPACE]);
    while !s.rows().join(" ").contains("more below") {
        s = s.press(&[SPACE]);
    }
    let s = s.press(&[ch('H')]);
    let s = s.shows("Space goes on with the path: the rest of lesson 00");
    s.press(&[SPACE]).shows("more below");
    // Also beside the list, where there is room for it.
    let mut s = home(120, 24).press(&[SPACE]);
    while !s.rows().join(" ").contains("more below") {
        s = s.press(&[SPACE]);
    }
    let (columns, rows) = (120, 40);
    s = s.press(&[ch('H')]);
    s.tell(Message::Resize { columns, rows });
    s.shows("Space goes on: the rest of lesson 00, section");
}

#[test]
fn the_rest_of_a_section_waits_while_something_is_looked_up() {
    let mut s = home(60, 18).press(&[SPACE]);
    // The second section, which is longer than the page as well.
    while s.state.reader.section == 0 {
        s = s.press(&[SPACE]);
    }
    let s = s.shows("more below");
    let left = s.state.reader.section;
    let s = s.press(&[ch(':')]).typed("10-").press(&[ENTER]);
    let s = s.shows("10 ").press(&[ch(']'), ch('H')]);
    let s = s.shows("Space goes on with the path: the rest of lesson 00");
    let s = s.press(&[SPACE]).shows("more below");
    assert_eq!((s.state.reader.lesson, s.state.reader.section), (0, left));
    // At the end of what was looked up the same is said.
    let s = s
        .press(&[ch(':')])
        .typed("10-")
        .press(&[ENTER, ch('o'), ch('G'), ENTER]);
    let mut s = s.press(&[key(Code::End), SPACE]);
    while s.state.page == Page::Lesson && s.state.reader.lesson != 0 {
        s = s.shows("rest of lesson 00, section").press(&[SPACE]);
    }
    assert_eq!((s.state.reader.lesson, s.state.reader.section), (0, left));
    // So it is where one comes back from the section before.
    let s = s.press(&[ch('o'), ch('g'), ENTER]);
    let s = s.press(&[key(Code::End), SPACE]);
    let s = s.shows("more below");
    assert_eq!(
        (s.state.reader.section, s.state.reader.stops_on_path()),
        (left, true)
    );
    // Read to its end it is left behind.
    let s = s.press(&[key(Code::End), SPACE, ch('H')]);
    s.hides(&format!("the rest of lesson 00, section {}.", left + 1));
}

#[test]
fn who_stopped_on_the_path_goes_on_with_it_after_a_new_start() {
    let mut s = home(80, 24);
    let ends = |s: &Screen, text: &str| s.rows().join(" ").contains(text);
    while !ends(&s, "The path asks this") {
        s = s.press(&[SPACE]);
    }
    // facts/cost-model: three tensors of 128 × 256 fp32.
    let mut s = s.typed("393216 B").press(&[ENTER, SPACE]);
    // To the last section before ex17, of which the lesson has more behind.
    while !ends(&s, "Spend two walls") {
        s = s.press(&[SPACE]);
    }
    let progress = s.state.shared.study.progress.clone();
    let (walls, prices) = ("Spend two walls", "The price list");
    for leads_back in [vec![ch('2')], vec![ch('H'), ENTER]] {
        let mut s = home(80, 24);
        let study = Study {
            progress: progress.clone(),
            ..s.state.shared.study.clone()
        };
        s.tell(Message::Loaded(Box::new(study)));
        let mut s = s.press(&leads_back).shows(walls);
        for _ in 0..20 {
            s = s.press(&[SPACE]).hides(prices);
            if s.state.page == Page::Exercises {
                break;
            }
        }
        assert_eq!(s.state.page, Page::Exercises, "{:?}", s.rows());
    }
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
fn a_path_that_leads_to_another_lesson_says_so() {
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
        .shows("Your path goes on with this lesson.");
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
fn home_cuts_no_title_where_columns_are_free() {
    let title = "Prefill and decode: what fusion can gain";
    for (columns, rows) in [(80, 24), (100, 30), (200, 60)] {
        let s = home(columns, rows).press(&[ch('1')]);
        s.press(&[key(Code::Down); 21]).shows(title);
    }
    // Where the list fills its pane, that of the lesson under the cursor has two rows.
    let s = home(120, 40).press(&[ch('1')]);
    let s = s.press(&[key(Code::Down); 21]);
    s.shows("►· 21  Prefill and decode: what fusion ")
        .shows("        can gain  ");
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
fn home_shows_the_lesson_that_one_comes_from() {
    let s = home(80, 24).press(&[SPACE, ch(']'), ch(']'), ch('H')]);
    assert_eq!(s.state.home.cursor, 2);
}

/// The file is named with the place of what is wrong, and the path that comes with the
/// workshop is followed.
#[test]
fn home_says_what_is_wrong_with_a_courses_own_paths() {
    let folder = tempfile::tempdir().unwrap();
    let lessons = folder.path().join("course/lessons");
    std::fs::create_dir_all(&lessons).unwrap();
    std::fs::write(lessons.join("40-mine.md"), "# Mine\n\n## One\n\nWords.\n").unwrap();
    std::fs::write(lessons.join("paths.toml"), "[[path]]\nname = own\n").unwrap();
    let around = Surroundings {
        current: folder.path().to_owned(),
        ..Surroundings::default()
    };
    for (columns, rows) in [(60, 18), (80, 24), (120, 40)] {
        let places = Places::find(&around, None, Some(Path::new("course")));
        let s = Screen::with(Course::open(&places), columns, rows);
        let text = s.rows().join(" ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for said in [
            "course/lessons/paths.toml:2:8: ",
            "The built-in paths are followed instead.",
            "Three hours: 0 of 15",
        ] {
            assert!(text.contains(said), "{said} not in {:#?}", s.rows());
        }
    }
}

#[test]
fn b_leads_to_the_section_before_where_the_path_does_not_read() {
    // The path reads the first seven sections of the welcome; the last is chosen by hand.
    let s = home(80, 24).press(&[SPACE]);
    assert_eq!(s.state.reader.section, 0);
    let s = s.press(&[ch('o'), key(Code::End), ENTER]);
    let last = s.state.reader.section;
    let mut s = s.press(&[ch('b')]);
    for _ in 0..9 {
        if s.state.reader.section != last {
            break;
        }
        s = s.press(&[ch('b')]);
    }
    assert_eq!(s.state.reader.section, last - 1);
}

#[test]
fn what_enter_does_is_said_as_long_as_a_path_is_looked_at() {
    for away in ['?', '*', 'p', '/'] {
        let s = home(60, 18).press(&[ch('P'), ch(away), ESC]);
        let s = s.shows("Enter follows the path One day").press(&[ENTER]);
        s.shows("You follow One day");
    }
}

#[test]
fn the_footer_offers_no_space_where_a_lesson_that_was_looked_up_ends() {
    // From the kernel page lesson 12 is looked up; Esc leads back there.
    let s = home(80, 24).press(&[ch('6'), ch(':')]).typed("lesson 12");
    let s = s.press(&[ENTER, ch('o'), key(Code::End), ENTER]);
    let s = s.hides("Space next").press(&[ch('G')]);
    let s = s.shows("the last of the lesson").hides("Space goes on");
    let s = s.press(&[SPACE]);
    s.shows("The end of this lesson. ] goes on with 13");
}
