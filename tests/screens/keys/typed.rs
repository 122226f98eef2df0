//! What is asked and has the keys takes what is typed, from the first character.

use super::{form, home, kept};
use crate::reader::{ENTER, ESC, RIGHT, SPACE, Screen, TAB};
use tinyllama_tutor::app::key::{Code, ch, ctrl, key};
use tinyllama_tutor::app::lesson::Focus;
use tinyllama_tutor::app::{Effect, Message, Page};

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
    assert_eq!(both.state.page, Page::Lesson);
    let both = both.shows("Tab leads to it").press(&[ESC, ch('3')]);
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
fn a_digit_goes_into_no_guess_whose_line_is_not_in_view() {
    let s = home(60, 18).press(&[ch(':')]);
    let s = s
        .typed("12")
        .press(&[ENTER, ch('o'), key(Code::Home), ENTER]);
    let mut s = s.press(&[ch('G')]).shows("ype your number");
    while s.rows().iter().any(|row| row.contains("ype your number")) {
        s = s.press(&[ch('k')]);
    }
    let s = s.shows("before you look").press(&[ch('9')]);
    assert_eq!(s.state.page, Page::Lesson);
    let s = s.shows("Tab leads to it").press(&[ESC, ch('9')]);
    assert_eq!(s.state.page, Page::Doctor);
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
        .shows("where digits are screens");
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
    let s = s.shows("where digits are screens").press(&[ESC, ch('3')]);
    assert_eq!(s.state.page, Page::Lab);
}

#[test]
fn a_name_that_begins_with_what_is_typed_comes_first() {
    let s = home(80, 24).press(&[ch(':')]).typed("roof").press(&[ENTER]);
    assert_eq!(s.state.page, Page::Roofline);
    let s = home(80, 24).press(&[ch(':')]).typed("roof");
    s.press(&[key(Code::Down), ENTER]).shows("03 ");
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
    let s = s.press(&[key(Code::Down)]).shows("Enter type a value");
    // A digit begins the value, and leads to no page.
    let s = s.typed("16").shows("16▌").press(&[ENTER]);
    assert_eq!(s.state.page, Page::Setup);
    assert_eq!(s.state.shared.bench.setup().shape.batch, 16);
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
fn letters_mean_at_options_what_they_mean_elsewhere() {
    // q, softmax, norm1, to be ranked.
    let at = || form().press(&[key(Code::Down); 4]).shows("►[ ] q");
    at().press(&[ch('h')]).shows("hint 1 of").shows("►[ ] q");
    let s = at().press(&[ch('q')]);
    assert!(s.effects.contains(&Effect::Quit(0)));
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
fn ctrl_u_empties_the_field_of_what_has_the_keys_and_turns_no_page() {
    // A form, and a question of a lesson.
    let s = form().typed("5").press(&[ENTER, ctrl('u')]);
    let s = s.typed("8/27").shows("[ 8/27▌");
    assert_eq!(s.state.page, Page::Exercises);
    let asked = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB, TAB]);
    let section = asked.state.reader.section;
    let s = asked.typed("5").press(&[ENTER, ctrl('u')]).typed("8/27");
    assert_eq!(s.state.reader.section, section);
    s.shows("8/27▌");
}

#[test]
fn a_block_that_gets_no_digits_does_not_ask_for_them() {
    // Lesson 12, section 1: trips have the keys, the guess below waits.
    let s = home(60, 18).press(&[ch(':')]).typed("12");
    let s = s.press(&[ENTER, ch('o'), key(Code::Home), ENTER, TAB]);
    let down = key(Code::PageDown);
    let s = s
        .press(&[down, down])
        .shows("Tab here, then Enter: type your");
    let s = s
        .press(&[ch('5')])
        .shows("Esc leads to the text, where digits go");
    let s = s.press(&[ESC]).shows("Type your number").press(&[ch('5')]);
    s.shows("> 5▌");
}

#[test]
fn a_new_answer_takes_the_place_of_one_that_could_not_be_read() {
    let s = form().typed("5 zz").press(&[ENTER, ESC]);
    let s = s.typed("8/27").shows("[ 8/27▌");
    assert_eq!(s.state.page, Page::Exercises);
    // Enter mends it instead.
    let s = form().typed("5 zz").press(&[ENTER, ESC, ENTER]);
    s.typed("z").shows("5 zzz▌");
}

#[test]
fn a_wrong_answer_is_emptied_by_no_blank_and_not_without_a_word() {
    let wrong = form().typed("9").press(&[ENTER]);
    let s = wrong.press(&[ENTER, SPACE, ESC]).shows("[ 9");
    s.hides("Left empty")
        .press(&[ENTER, ctrl('u'), ESC])
        .shows("Left empty");
}

#[test]
fn a_ribbon_without_room_for_boxes_says_how_it_is_read() {
    for (columns, rows, narrow) in [(60, 18, true), (80, 24, false)] {
        let s = home(columns, rows).press(&[ch(':')]).typed("lesson 12");
        let s = s.press(&[ENTER, ch('o'), key(Code::Home), key(Code::Down), ENTER]);
        match narrow {
            true => s.shows("Too narrow for boxes: | parts them"),
            false => s.hides("Too narrow"),
        };
    }
}

#[test]
fn what_a_guess_is_stands_whole_below_a_long_one() {
    // Lesson 12, section 13: bytes of a staircase.
    let s = home(60, 18).press(&[ch(':')]).typed("lesson 12");
    let s = s.press(&[ENTER, ch('o'), key(Code::Home)]);
    let s = s.press(&[[key(Code::Down)].repeat(12), vec![ENTER]].concat());
    let s = s
        .typed("8*128*(256+128)*4*2")
        .press(&[ENTER, key(Code::End)]);
    let rows = s.rows();
    let at = rows
        .iter()
        .position(|row| row.contains("you said"))
        .unwrap();
    assert!(rows[at + 1].contains("it is 3,145,728 B ="), "{rows:#?}");
}
