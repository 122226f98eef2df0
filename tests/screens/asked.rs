//! What digits and letters do where something is asked.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use super::keys::{form, kept};
use super::own_plan::started;
use super::reader::{ENTER, ESC, SPACE, Screen, TAB, sheet_read};
use tinyllama_tutor::app::ask::{Ask, Shown};
use tinyllama_tutor::app::key::{Code, ch, ctrl, key};
use tinyllama_tutor::app::lesson::Focus;
use tinyllama_tutor::app::{Effect, Message, Page};
use tinyllama_tutor::course::answer::{Judgement, Verdict};
use tinyllama_tutor::course::attempt::Told;
use tinyllama_tutor::course::{Course, Event, Mark};
use tinyllama_tutor::run::{BackendKind, MicroReport, MicroRequest};

/// The sizes in which a walk is made: the least one for reading, the usual one, two panes.
const SIZES: [(u16, u16); 3] = [(60, 18), (80, 24), (120, 40)];

/// The form of an exercise of the course, its first question under the cursor.
fn asked(exercise: &str, (columns, rows): (u16, u16)) -> Screen {
    let s = Screen::with(Course::built_in(), columns, rows).press(&[ch(':')]);
    s.typed(exercise).press(&[ENTER])
}

#[test]
fn a_digit_without_an_option_says_where_digits_lead() {
    for size in SIZES {
        // The second question of ex27: three options.
        let s = asked("ex27", size).press(&[TAB]);
        let s = s.press(&[ch('3')]).hides("Esc leads to where");
        let s = s.press(&[ch('9')]).shows("Esc leads to where");
        assert_eq!(s.state.page, Page::Exercises);
        // An order, and the lines of a kernel.
        let s = asked("ex17", size).press(&[ch('9')]);
        let s = s.shows("Esc leads to where");
        assert_eq!(s.state.page, Page::Exercises);
        let s = asked("ex27", size).press(&[ch('0')]);
        s.shows("Esc leads to where");
        // A verdict that is being chosen.
        let s = Screen::with(Course::built_in(), 80, 24).press(&[ch('8'), ENTER, ch('3')]);
        let s = s.shows("Esc leads to where");
        assert_eq!(s.state.page, Page::Claims);
    }
}

#[test]
fn the_help_of_a_page_that_asks_says_what_digits_and_letters_do_there() {
    for size in SIZES {
        let s = asked("ex27", size).press(&[ch('?')]);
        let s = s.shows("0-9 a-z").shows("an answer; a-z: own words");
        // h takes a hint here, so it is not named as a way to the left.
        s.press(&[ch('/')])
            .typed("option")
            .press(&[ENTER])
            .shows("←→ l  ");
    }
}

#[test]
fn what_was_left_half_typed_is_not_added_to_in_a_form() {
    let s = form().typed("7").press(&[ESC]);
    for c in ['3', '4', '8', '.'] {
        let s = form().typed("7").press(&[ESC, ch(c)]);
        let s = s.shows("Enter goes on with what is typed here");
        assert_eq!(kept(&s, "gqa1").as_deref(), Some("7"), "{c}");
        assert!(!s.state.typing(), "{c}");
    }
    // Enter goes on with it; letters and the palette are keys.
    let more = form()
        .typed("7")
        .press(&[ESC, ENTER])
        .typed("5")
        .shows("75▌");
    assert_eq!(more.state.page, Page::Exercises);
    let s = s.press(&[ch('x')]);
    assert_eq!(s.state.page, Page::Roofline);
    // One that was refused gives way to a new one.
    let s = form().typed("7 %").press(&[ENTER]).shows("wrong");
    s.typed("8").shows("[ 8▌");
}

#[test]
fn what_was_left_half_typed_is_not_added_to_in_a_lesson() {
    for (c, page) in [
        ('3', Page::Lab),
        ('4', Page::Compare),
        ('8', Page::Claims),
        ('x', Page::Roofline),
    ] {
        // A guess, which the section's question waits beside.
        let s = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB]);
        let s = s.typed("5").press(&[ESC, ch(c)]);
        assert_eq!(s.state.page, page);
        let s = s
            .press(&[ch('2')])
            .hides("▌")
            .shows("5: typed, not entered");
        assert_eq!(s.state.reader.focus, Focus::Text);
        // The guess made, a question half typed.
        let s = s
            .press(&[TAB, ENTER, ENTER, ESC])
            .typed("8/27")
            .shows("8/27▌");
        let s = s.press(&[ESC, ch(c)]);
        assert_eq!(s.state.page, page);
        assert_eq!(kept(&s, "gqa1").as_deref(), Some("8/27"));
    }
    // With the keys on it a digit says so, and adds nothing.
    let s = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB]);
    let s = s.typed("5").press(&[ESC, TAB, ch('3')]);
    s.shows("Enter goes on with what is typed here").hides("53");
    // i goes to it from the text, as to one that is empty.
    let guessed = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB]);
    let s = guessed.typed(".5").press(&[ENTER, ESC]).typed("8/27");
    s.press(&[ESC, ESC, ch('i')]).shows("8/27▌");
}

#[test]
fn a_question_in_view_says_that_digits_go_to_it() {
    let s = Screen::reader(80, 24)
        .press(&[SPACE, SPACE, TAB])
        .typed(".5");
    let s = s.press(&[ENTER, ESC]).shows("digits go in here");
    s.typed("8").shows("8▌");
}

#[test]
fn an_equals_sign_alone_is_no_empty_answer() {
    let s = Screen::with(Course::built_in(), 60, 18).press(&[ch('t')]);
    let s = s.typed("=").press(&[ENTER]).hides("Nothing is typed");
    let s = s.shows("No number stands behind “=”");
    let s = s.press(&[key(Code::Backspace), ENTER]).shows("hint");
    s.press(&[ENTER]).shows("It is ");
    let s = form().press(&[ENTER]).typed("n =").press(&[ENTER]);
    s.hides("Nothing is typed").shows("behind");
}

#[test]
fn what_is_said_of_an_answer_in_practice_is_seen_however_long_the_question_is() {
    // Six topics; a wrong answer, its hint, and what was asked before them.
    for topic in 0..6 {
        let s = Screen::with(Course::built_in(), 60, 18).press(&[ch('t')]);
        let s = s.press(&vec![TAB; topic]);
        let seed = s.state.practise.task.as_ref().unwrap();
        if !seed.key.options.is_empty() {
            continue;
        }
        let s = s.typed("123456").press(&[ENTER]);
        let word = s.state.practise.judgement.as_ref().unwrap().verdict.word();
        let s = s.shows(word).shows("[ 123456");
        let s = s.press(&[ctrl('u'), ENTER]);
        let hint = s.state.practise.task.as_ref().unwrap().hint().to_owned();
        let last = hint.split_whitespace().last().unwrap();
        let s = s.shows(last).press(&[key(Code::PageUp), key(Code::PageUp)]);
        let s = s.shows("launches").press(&[key(Code::PageDown); 3]);
        s.shows(last);
    }
}

#[test]
fn nothing_is_cut_on_the_contents_of_sixty_columns() {
    let s = Screen::with(Course::built_in(), 60, 18);
    // The picture of a path, then every other path.
    let mut s = s.hides("…");
    for _ in 0..4 {
        s = s.press(&[ch('P')]);
        let rows = s.rows();
        let cut = |row: &&String| row.contains('…');
        assert_eq!(rows.iter().find(cut), None, "{}", rows.join("\n"));
    }
    let s = s.press(&[ESC]);
    // A heading that asks ends the sentence itself.
    let s = s.press(&[ch(':')]).typed("05-").press(&[ENTER]);
    let s = s
        .press(&[ch('o')])
        .press(&[key(Code::Down); 5])
        .press(&[ENTER]);
    let s = s.shows("Which d?").press(&[ch('1')]);
    let text = s.rows().join("\n");
    assert!(text.contains("Which d?") && !text.contains("?."), "{text}");
}

#[test]
fn the_device_that_the_course_speaks_of_is_named_on_its_pages() {
    for size in SIZES {
        let s = Screen::with(Course::built_in().on("mi300a"), size.0, size.1);
        let s = s.shows("Contents · ").shows("MI300A");
        let s = s.press(&[ch('2')]).shows("MI300A · section 1 of");
        if size.0 >= 80 {
            s.press(&[ch('8')]).shows("Claims · MI300A");
        }
    }
}

#[test]
fn how_a_value_is_read_is_in_view_while_it_is_typed() {
    for size in SIZES {
        // The first exercise's bytes, and a cell of a table.
        asked("ex3", size).typed("22").shows("read as");
        let s = asked("ex32", size).typed("21").shows("read as 21");
        s.press(&[ENTER]).typed("2x1").shows("2x1");
    }
}

#[test]
fn questions_that_are_not_open_are_cut_only_where_the_form_does_not_fit() {
    // The third question of ex3 is longer than its line; 80x40 has rows to spare, 60x18 none.
    for size in [(80, 40), (200, 60)] {
        asked("ex3", size).shows("S = 128, D = 256?").hides("…");
    }
    asked("ex3", (60, 18)).shows("…").hides("D = 256?");
}

#[test]
fn a_table_with_empty_cells_says_how_many_they_are() {
    let s = asked("ex32", (80, 40)).typed("999999").press(&[ENTER]);
    let s = s.press(&[ESC, key(Code::Left), ENTER]);
    let s = s.shows("0 of 36 cells are right, 35 still empty");
    let s = s.shows("No miss is counted while cells are");
    let kept = s.state.shared.study.progress.key("ex32", "table");
    assert_eq!((kept.tries, kept.verdict), (0, None));
    // One right cell of many is one.
    let s = asked("ex32", (80, 40))
        .typed("3")
        .press(&[ENTER, ESC, key(Code::Left), ENTER]);
    assert!(!s.rows().join(" ").contains("1 of 36 cells are"));
}

#[test]
fn a_share_is_read_with_its_unit_before_and_after_enter() {
    for (typed, read) in [("13", "13.00 %"), ("14.29", "14.29 %"), ("1/7", "14.29 %")] {
        for size in SIZES {
            let s = asked("ex15", size).press(&[TAB]).typed(typed);
            s.shows(&format!("read as {read}"));
        }
    }
    let s = asked("ex15", (80, 24))
        .press(&[TAB])
        .typed("13")
        .press(&[ENTER]);
    s.shows("wrong").shows("Read as 13.00 %.");
    // What an expression comes to stands beside the verdict, in practice as well.
    let s = Screen::with(Course::built_in(), 80, 24)
        .press(&[ch('t')])
        .typed("1000*1000")
        .press(&[ENTER]);
    let s = s.shows("1000*1000 is too high").shows("1,000,000.");
    // A number that reads as it stands does not say so.
    let s = s.press(&[ctrl('u')]).typed("1000000").press(&[ENTER]);
    s.shows("1000000 is too high").hides("Read as");
}

#[test]
fn what_waited_for_a_run_is_not_said_behind_it() {
    let mut s = asked("ex30", (120, 40));
    let place = |s: &Screen| s.state.exercises.form.as_ref().unwrap().row;
    while place(&s) < 8 {
        s = s.press(&[TAB]);
    }
    let mut s = s
        .typed("147456")
        .press(&[ENTER])
        .shows("has not been run at 16");
    let request = MicroRequest::new("tile", &[16], BackendKind::Simt).unwrap();
    let report = MicroReport {
        schema: 1,
        kernel: "tile".to_owned(),
        swept: "tile".to_owned(),
        backend: "simt".to_owned(),
        device: "this CPU".to_owned(),
        rows: Vec::new(),
        notes: Vec::new(),
    };
    let (ask, shown) = (Ask::Micro(request), Shown::Micro(report));
    s.tell(Message::Asked(Box::new(ask), Ok(Box::new(shown))));
    s.hides("has not been run at 16").shows("147456");
}

#[test]
fn a_message_leaves_the_verdict_in_view() {
    let s = asked("ex15", (60, 18))
        .press(&[TAB])
        .typed("13")
        .press(&[ENTER]);
    let before = s.shows("wrong").rows();
    let s = asked("ex15", (60, 18))
        .press(&[TAB])
        .typed("13")
        .press(&[ENTER]);
    let after = s
        .press(&[ch('s')])
        .shows("s again shows the solution")
        .rows();
    assert_eq!(before[..16], after[..16], "{}", after.join("\n"));
}

#[test]
fn an_order_that_was_typed_in_a_shell_has_its_places_in_the_form() {
    let mut s = asked("ex17", (80, 24)).shows("[ ] qk | softmax");
    let typed = "qk|softmax, mul|down, rope|qk, o|res1, gate|up, up|silu";
    let sheet = [("rank".to_owned(), typed.to_owned())].into();
    s.tell(sheet_read("ex17", sheet, true));
    let s = s.shows("[1] qk | softmax").shows("[6] up | silu");
    s.press(&[ENTER]).shows("right");
}

#[test]
fn r_says_where_a_question_needs_no_run() {
    for size in SIZES {
        let s = asked("ex3", size).press(&[ch('r')]);
        let s = s.shows("This question needs no run").hides(" r run");
        assert!(started(&s).is_empty());
    }
}

#[test]
fn what_parts_the_cells_of_a_table_stays_in_the_cell_that_it_was_typed_in() {
    let s = asked("ex32", (80, 40))
        .typed("3; so|2")
        .press(&[ENTER, ESC]);
    let s = s.press(&[key(Code::Left)]).shows("3; so|2");
    assert!(kept(&s, "table").is_some_and(|text| text.starts_with("3\\; so\\|2 |")));
    // What is not kept as it was pasted is said.
    let mut s = asked("ex32", (80, 40)).typed("3");
    s.tell(Message::Paste("1\n2".to_owned()));
    let mut s = s.shows("A field is one line");
    s.tell(Message::Paste("\u{202e}".to_owned()));
    s.shows("left out");
}

#[test]
fn a_filled_cell_is_changed_by_i_and_not_by_a_digit() {
    let s = asked("ex32", (80, 24)).typed("2").press(&[ENTER, ESC]);
    let s = s.press(&[key(Code::Left)]).shows("i changes this one");
    // The digit opens the cell and is not added to it; Enter keeps it and grades nothing.
    let s = s
        .press(&[ch('7')])
        .shows("2▌")
        .shows("2 stands here")
        .later(1000);
    let s = s.press(&[ENTER]).hides("cells are right");
    assert!(kept(&s, "table").is_some_and(|text| text.starts_with("2 |")));
    let s = s.press(&[ESC, key(Code::Left), ch('i')]);
    let s = s.typed("1").press(&[ESC]);
    assert!(kept(&s, "table").is_some_and(|text| text.starts_with("21 |")));
}

#[test]
fn space_goes_on_from_a_right_answer_after_a_digit_too() {
    let s = form().typed("22.22 %").press(&[ENTER]).shows("right");
    let s = s
        .press(&[ch('7')])
        .shows("This is answered right")
        .later(1000);
    let row = |s: &Screen| s.state.exercises.form.as_ref().map(|form| form.row);
    let before = row(&s);
    let s = s.press(&[SPACE]);
    assert_ne!(row(&s), before);
}

#[test]
fn long_words_of_ones_own_are_broken_and_a_full_field_says_so() {
    let mut s = asked("ex34", (80, 24));
    while !s.rows().iter().any(|row| row.contains("in your own words")) {
        s = s.press(&[TAB]);
    }
    let s = s.press(&[ENTER]).typed(&"z".repeat(200));
    let drawn: usize = s.rows().iter().map(|row| row.matches('z').count()).sum();
    assert!(drawn >= 200, "{:?}", s.rows());
    let mut s = s;
    s.tell(Message::Paste("word ".repeat(4000)));
    s.shows("The field is full");
}

#[test]
fn a_block_that_asks_for_a_line_names_its_keys() {
    let s = Screen::with(Course::built_in(), 120, 40).press(&[ch(':')]);
    let s = s.typed("25").press(&[ENTER, ch('o'), key(Code::Home)]);
    let s = s.press(&[key(Code::Down); 15]).press(&[ENTER, TAB]);
    s.shows("↑↓ line  Space mark  Enter check");
}

#[test]
fn a_prediction_that_was_not_right_is_not_called_so() {
    for again in [ch('3'), ch('i'), ENTER] {
        let s = Screen::with(Course::built_in(), 120, 40).press(&[ch(':')]);
        let s = s.typed("ex49").press(&[ENTER]);
        let s = s.typed("5 us").press(&[ENTER]).shows("came out");
        let s = s.press(&[again]).shows("A prediction stays as it was made");
        s.hides("Enter type, check");
    }
}

#[test]
fn what_takes_answers_away_is_found_by_its_own_word_and_asks_first() {
    let at = |typed: &str| {
        let s = Screen::with(Course::built_in(), 80, 24).press(&[ch(':')]);
        let s = s
            .typed("ex3")
            .press(&[ENTER])
            .typed("1.234")
            .press(&[ENTER]);
        s.press(&[ESC, ch(':')]).typed(typed)
    };
    // The words that open an exercise from everywhere else.
    at("exercise 3").hides("start this exercise again");
    let emptied = |s: &Screen| {
        let mut effects = s.effects.iter();
        effects.any(|effect| matches!(effect, Effect::Vary { .. }))
    };
    let s = at("reset").press(&[ENTER]).shows(":reset again empties");
    assert!(!emptied(&s));
    let s = s.press(&[ch(':')]).typed("reset").press(&[ENTER]);
    assert!(emptied(&s.shows("starts again")));
}

#[test]
fn what_is_right_stays_where_a_saved_file_cannot_be_judged() {
    let mut s = Screen::with(Course::built_in(), 120, 40);
    let asked = s
        .state
        .shared
        .study
        .question("ex24", Some("kernel"))
        .unwrap();
    s.state.shared.study.progress.apply(&Event::Checked {
        exercise: asked.exercise.clone(),
        key: asked.key.clone(),
        typed: "bacb".into(),
        mark: Mark::Right,
    });
    let mut s = s
        .press(&[ch(':')])
        .typed("ex24")
        .press(&[ENTER, key(Code::Down)]);
    s.tell(Message::KernelSaved("ex24".into()));
    let verdict = Verdict::Unread {
        column: 1,
        message: "No compiler is here.".into(),
    };
    let told = Told {
        judgement: Judgement::of("", verdict),
        lines: vec![],
        tried: String::new(),
    };
    s.tell(Message::Judged(asked, Box::new(told)));
    let mut effects = s.effects.iter();
    assert!(!effects.any(|e| matches!(e, Effect::Record(Event::Checked { .. }))));
    s.shows("What was found right stays")
        .shows(" right")
        .hides("unread");
}

#[test]
fn a_form_that_was_named_in_the_list_leads_back_to_it() {
    let s = Screen::with(Course::built_in(), 80, 24).press(&[ch('7'), ch(':')]);
    let s = s.typed("ex4").press(&[ENTER]);
    assert_eq!(s.state.exercises.form.as_ref().unwrap().exercise, "ex4");
    let s = s.press(&[ESC]);
    assert_eq!(s.state.page, Page::Exercises);
    assert!(s.state.exercises.form.is_none());
    // From elsewhere it leads there.
    let s = s
        .press(&[ch('4'), ch(':')])
        .typed("ex4")
        .press(&[ENTER, ESC]);
    assert_eq!(s.state.page, Page::Compare);
}

#[test]
fn what_is_searched_in_a_form_is_found_among_its_questions_and_then_in_other_forms() {
    for size in SIZES {
        let here = |s: &Screen| {
            let form = s.state.exercises.form.as_ref().unwrap();
            (form.exercise.clone(), form.row)
        };
        let s = asked("ex14", size)
            .press(&[ch('/')])
            .typed("how many flops");
        let s = s.press(&[ENTER]).shows("How many FLOPs of the block");
        assert_eq!(here(&s), ("ex14".to_owned(), 4));
        // Its own name is found at its first question, and not in a longer name.
        let s = s.press(&[ch('/')]).typed("ex14").press(&[ENTER]);
        assert_eq!(here(&s), ("ex14".to_owned(), 0));
        let s = s.press(&[ch('/')]).typed("ex17").press(&[ENTER]);
        assert_eq!(here(&s), ("ex17".to_owned(), 0));
        let s = s.press(&[ch('/')]).typed("no such words").press(&[ENTER]);
        assert_eq!(
            here(&s.shows("not in what this exercise asks")),
            ("ex17".to_owned(), 0)
        );
        let s = asked("ex14", size).press(&[ch('/')]).typed("ex17");
        let s = s.press(&[ENTER, ESC]);
        assert!(s.state.exercises.form.is_none());
    }
}
