//! Clicks do what keys do: boxes, switches, tabs, rows, points of charts, and the wheel.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use super::keys::{form, kept};
use super::reader::{ENTER, ESC, SPACE, Screen};
use tinyllama_tutor::app::key::ch;
use tinyllama_tutor::app::lesson::Focus;
use tinyllama_tutor::app::mouse::Target;
use tinyllama_tutor::app::{self, Message, Page};
use tinyllama_tutor::course::Course;

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
