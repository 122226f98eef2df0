//! The two screens that the README prints as text are those of the workshop. What a clock
//! told there is given here; all else is drawn.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::atomic::{AtomicU32, Ordering};

use super::pages::Screen;
use super::reader::loaded;
use tinyllama_tutor::app::key::{Code, key};
use tinyllama_tutor::app::machine::{BackendFacts, Ceilings, Condition, Machine};
use tinyllama_tutor::cost::{Cost, GpuDatabase};
use tinyllama_tutor::course::Course;
use tinyllama_tutor::run::{Report, Timing};

/// A machine without a GPU: a CPU, and a data sheet under which floors are priced.
fn laptop() -> Machine {
    let gpus = GpuDatabase::embedded().unwrap();
    let mut machine = Machine {
        backends: vec![BackendFacts {
            name: "cpu".into(),
            line: "AMD EPYC, 2 threads, AVX-512".into(),
            condition: Condition::Ready,
            gives: "times of the CPU".into(),
            ..BackendFacts::default()
        }],
        ..Machine::default()
    };
    machine.take_sheet(Ceilings::of_gpu(gpus.get("h200").unwrap()));
    machine
}

/// A forward of that machine, which others used as well: every round it takes another time.
fn timed(cost: &Cost) -> Report {
    static ROUND: AtomicU32 = AtomicU32::new(0);
    let round = ROUND.fetch_add(1, Ordering::Relaxed) / 2;
    let apart = f64::from(round % 3) - 1.0;
    let micros = match cost.block.launches() {
        17 => 31_700.0 + 2_200.0 * apart,
        _ => 29_300.0 - 900.0 * apart,
    };
    Report {
        time_us: Timing::of(&[micros], "a clock"),
        ..Report::bare("cpu", "a CPU", cost.forward.launches())
    }
}

/// The workshop on such a machine, at the README's size.
fn workshop(machine: Machine) -> Screen {
    let mut screen = Screen::new(80, 24);
    screen.tell(0, loaded(Course::built_in()));
    screen.state.shared.machine = machine;
    screen
}

/// Blanks at the end are not drawn in the README.
fn drawn(screen: &Screen) -> Vec<String> {
    let rows = screen.rows().into_iter();
    rows.map(|row| row.trim_end().to_owned()).collect()
}

/// The screens that the README prints, by their first row.
fn printed(page: &str) -> Vec<String> {
    let text = include_str!("../../README.md");
    let blocks = text.split("```").skip(1).step_by(2);
    let mut blocks = blocks.filter_map(|block| block.strip_prefix('\n'));
    let found = blocks.find(|block| block.starts_with(page)).unwrap();
    found.lines().map(str::to_owned).collect()
}

#[test]
fn the_lab_of_the_readme_is_the_lab() {
    let screen = workshop(laptop());
    let arrows = [key(Code::Down), key(Code::Down)];
    let screen = screen
        .typed("3 ")
        .keys(arrows)
        .typed(" ]]]r")
        .answered(timed);
    // How far off that comparison may be is the clock's, too.
    let said = |row: String| match row.contains(" rounds in turns") {
        true => row.replace(|c: char| c.is_ascii_digit(), "#"),
        false => row,
    };
    let drawn: Vec<String> = drawn(&screen).into_iter().map(said).collect();
    let printed: Vec<String> = printed(" 3 Lab").into_iter().map(said).collect();
    assert_eq!(drawn, printed, "{}", drawn.join("\n"));
}

#[test]
fn compare_of_the_readme_is_compare() {
    let mut machine = laptop();
    machine.measured("cpu", Ceilings::measured("this machine", 68e9, 502e9));
    let (drawn, printed) = (drawn(&workshop(machine).typed("4")), printed(" 4 Compare"));
    assert_eq!(drawn, printed, "{}", drawn.join("\n"));
}
