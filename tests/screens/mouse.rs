//! Clicks do what keys do: boxes, switches, tabs, rows, points of charts, and the wheel.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use super::keys::{form, kept};
use super::reader::{ENTER, ESC, SPACE, Screen};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::lesson::Focus;
use tinyllama_tutor::app::mouse::Target;
use tinyllama_tutor::app::{self, Message, Page};
use tinyllama_tutor::course::{Course, Event, Mark};
use tinyllama_tutor::fusion::{Fusion, Version};
use tinyllama_tutor::model::Dtype;

/// Clicks where a text stands.
fn click(mut s: Screen, text: &str) -> Screen {
    let (columns, rows) = s.state.shared.size;
    let area = ratatui::layout::Rect::new(0, 0, columns, rows);
    let mut buffer = ratatui::buffer::Buffer::empty(area);
    let spots = s.painter.draw(&s.state, &mut buffer);
    let found = s.rows().iter().enumerate().find_map(|(y, row)| {
        let at = row.find(text)?;
        Some((row[..at].chars().count() as u16, y as u16))
    });
    let (x, y) = found.unwrap_or_else(|| panic!("no {text}:\n{}", s.rows().join("\n")));
    let target = spots.at(x, y);
    s.tell(Message::Click(target.unwrap_or_else(|| panic!("{text}"))));
    s
}

/// Clicks the spot of a target, wherever it stands.
fn click_target(mut s: Screen, wanted: impl Fn(Target) -> bool) -> Screen {
    let (columns, rows) = s.state.shared.size;
    let area = ratatui::layout::Rect::new(0, 0, columns, rows);
    let mut buffer = ratatui::buffer::Buffer::empty(area);
    let spots = s.painter.draw(&s.state, &mut buffer);
    let mut places = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
    let target = places.find_map(|(x, y)| spots.at(x, y).filter(|t| wanted(*t)));
    s.tell(Message::Click(target.unwrap()));
    s
}

#[test]
fn a_verdict_on_a_claim_is_chosen_and_then_judged_with_clicks() {
    let s = Screen::with(Course::built_in(), 80, 24).press(&[ch('8'), ENTER]);
    let s = click_target(s.shows("Your verdict"), |t| t == Target::Option(2));
    assert_eq!(s.state.claims.chosen, Some(2));
    let s = click_target(s, |t| t == Target::Option(2));
    s.shows("you said").hides("Your verdict");
}

#[test]
fn the_wheel_moves_the_list_of_exercises() {
    let mut s = Screen::with(Course::built_in(), 80, 24)
        .press(&[ch('7')])
        .shows("ex1 ");
    for _ in 0..14 {
        s.tell(Message::Wheel(false));
    }
    s.hides("ex1 ").shows("▲");
}

#[test]
fn the_wheel_stays_on_its_page_and_records_nothing() {
    let course = || Screen::with(Course::built_in(), 80, 24);
    for page in Page::ALL {
        let mut s = course().press(&[ch('3'), ch('2')]);
        // A question that went wrong waits for practice.
        s.state.shared.study.progress.apply(&Event::Checked {
            exercise: "ex1".into(),
            key: "block".into(),
            typed: "12".into(),
            mark: Mark::Wrong,
        });
        s.state.go(page);
        s.tell(Message::Tick);
        let before = s.recorded();
        for up in [false, false, true, true, true, false] {
            s.tell(Message::Wheel(up));
            assert_eq!(s.state.page, page);
            assert_eq!(s.recorded(), before, "{page:?}");
        }
    }
    // A value that is being typed stays that of its line.
    let mut s = course()
        .press(&[ch('p'), key(Code::Down), ENTER])
        .typed("3");
    s.tell(Message::Wheel(false));
    let s = click(s, "context T").press(&[ENTER]);
    let shape = s.state.shared.bench.setup().shape;
    assert_eq!((s.state.setup.row, shape.batch), (1, 3));
}

#[test]
fn rows_of_tables_and_lists_take_the_cursor_and_then_do_what_enter_does() {
    let course = || Screen::with(Course::built_in(), 80, 24);
    // Compare: a row, the head of a column, and its plan in the lab.
    let s = click(course().press(&[ch('4')]), "FLOP/B");
    let row = s.state.compare.row;
    s.rows().iter().find(|r| r.starts_with("►FLOP/B")).unwrap();
    let s = click(s, "V3");
    assert_eq!((s.state.compare.row, s.state.compare.column), (row, 2));
    // A number takes both; beside a head is its column, too.
    let s = click(s, "24.614");
    assert_eq!((s.state.compare.row, s.state.compare.column), (1, 2));
    let s = click(s, "29.988");
    assert_eq!((s.state.compare.row, s.state.compare.column), (1, 1));
    let s = click(s, "  V3");
    assert_eq!((s.state.compare.row, s.state.compare.column), (1, 2));
    let s = click(s, "V3");
    assert_eq!(s.state.page, Page::Lab);
    assert_eq!(s.state.shared.bench.cut(), Version::V3.cut());
    // The staircase, and its plan.
    let s = click(course().press(&[ch('4'), ch('t')]), "silu_mul");
    let at = s.state.compare.stairs.row;
    assert!(at > 0);
    let s = click(s, "silu_mul");
    assert_eq!(s.state.page, Page::Lab);
    let cut = s.state.shared.bench.cut();
    assert!(cut.fusions().contains(&Fusion::SiluMul), "{cut:?}");
    // Setup: a typed value, a chosen one.
    let s = click(click(course().press(&[ch('p')]), "batch B"), "batch B");
    assert!(s.state.setup.field.is_some());
    let s = click(click(course().press(&[ch('p')]), "dtype"), "dtype");
    assert_eq!(s.state.shared.bench.setup().dtype, Dtype::Bf16);
    // Practice: a topic, whose question waits while another is asked.
    let s = course().press(&[ch('1'), ch('t')]);
    let asked = |s: &Screen| s.state.practise.task.as_ref().unwrap().key.ask.text.clone();
    let first = asked(&s);
    let s = click(s, "bytes");
    assert_eq!(s.state.practise.named(), "bytes");
    let s = click(s, "launches");
    assert_eq!((s.state.practise.named(), asked(&s)), ("launches", first));
    // The palette; what lies behind it is not clicked.
    let s = course().press(&[ch('1'), ch(':')]).typed("theme");
    let s = click_target(s, |t| t == Target::Entry(0));
    assert!(s.state.palette.is_none(), "{}", s.rows().join("\n"));
    let mut s = course().press(&[ch('1'), ch(':')]);
    s.tell(Message::Click(Target::Row(3)));
    s.tell(Message::Click(Target::Entry(2)));
    assert_eq!((s.state.page, s.state.home.cursor), (Page::Home, 0));
    assert_eq!(s.state.palette.as_ref().unwrap().cursor, 2);
}

#[test]
fn points_and_rows_of_charts_are_clicked() {
    // The plot of the roofline: the cursor goes to the letter, and the lab follows.
    let mut s = Screen::with(Course::built_in(), 80, 24);
    s.state.shared.machine = crate::pages::h200();
    let s = s.press(&[ch('5')]);
    let last = s.state.roofline.view().spots.len() - 1;
    let first = s.state.roofline.view().here;
    let s = click_target(s, |t| matches!(t, Target::Point(_, _, at) if at != first));
    let here = s.state.roofline.view().here;
    assert_ne!(here, first);
    assert_eq!(
        app::ribbon::slot_of(s.state.roofline.view().spots[here].op),
        Some(s.state.shared.slot)
    );
    // A row of its table, and its source at the second click.
    let s = s.press(&[ch('t')]);
    let s = click_target(s, |t| t == Target::Row(last));
    assert_eq!(s.state.roofline.view().here, last);
    let s = click_target(s, |t| t == Target::Row(last));
    assert_eq!(s.state.page, Page::Kernel);
    // A chart of a lesson has no cursor: its points say their values.
    let s = Screen::with(Course::built_in(), 80, 24).press(&[ch(':')]);
    let s = s.typed("10-flash").press(&[ENTER]);
    let mut s = s;
    while !s
        .rows()
        .iter()
        .any(|row| row.contains("both axes logarithmic"))
    {
        s = s.press(&[SPACE]);
    }
    let s = click_target(s, |t| matches!(t, Target::Point(_, 0, 0)));
    // At batch 4: two squares of 4·8·96² numbers, x of 4·96·256 and v of 4·96·128.
    s.shows("V1, seq 96: 2.949");
}

#[test]
fn boxes_switches_tabs_rows_and_keys_are_clicked() {
    let s = Screen::with(Course::built_in(), 120, 40);
    let s = click(s, "3 Lab");
    assert_eq!(s.state.page, Page::Lab);
    let s = click(s, "[ ] flash").shows("[x] flash");
    let s = click(s, "gate");
    assert_eq!(s.state.shared.slot, 11);
    let s = click(s, "launches, forward");
    assert_eq!(s.state.lab.row, 1);
    let s = click(s, "c compare");
    assert_eq!(s.state.page, Page::Compare);
    // A row of a list is taken by the first click and opened by the second.
    let s = click(click(s, "1 Home"), "03  ");
    assert_eq!((s.state.page, s.state.home.cursor), (Page::Home, 3));
    let s = click(s, "03  ");
    assert_eq!(s.state.page, Page::Lesson);
}

#[test]
fn blocks_options_and_questions_are_clicked_and_the_wheel_scrolls() {
    let s = click(Screen::reader(80, 24), "[ ] qkv");
    assert_eq!(s.state.reader.focus, Focus::Block(0));
    let s = click(s, "[ ] qkv").shows("[x] qkv");
    let mut s = s.press(&[ESC]);
    let before = s.state.reader.scroll;
    s.tell(Message::Wheel(false));
    assert!(s.state.reader.scroll > before);
    let s = click(form(), "On an H200 the merged");
    let s = click(s, "( ) compute").shows("(x) compute");
    assert_eq!(kept(&s, "bound").as_deref(), Some("compute"));
}
