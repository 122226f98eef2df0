//! What is drawn, cell by cell, against the screens that were designed.
//!
//! `tests/data/screens/*.txt` are those designs, changed only where they name
//! pages that do not exist yet. The machine is always the same: an H200
//! whose ceilings were measured.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod home;
mod lab;
mod runs;
mod terms;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use runs::counted;
use tinyllama_tutor::app::contents::{LessonLine, Read, Stopped};
use tinyllama_tutor::app::followed::Followed;
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::machine::{
    BackendFacts, Ceilings, Condition, LaunchCost, Machine, Source,
};
use tinyllama_tutor::app::{Event, Look, Message, Page, State, update};
use tinyllama_tutor::cost::{Cost, KernelCost};
use tinyllama_tutor::course::{Next, Tally, Walk};
use tinyllama_tutor::fusion::Fusion;
use tinyllama_tutor::run::{Axis, Report, SpanReport, TraceReport};
use tinyllama_tutor::tui::Painter;

/// The machine of the snapshots.
pub(crate) fn h200() -> Machine {
    Machine {
        backends: vec![BackendFacts {
            name: "cuda".into(),
            device: "H200".into(),
            line: "NVIDIA H200, driver 580, NVRTC 13.0".into(),
            condition: Condition::Ready,
            gives: "times of the GPU".into(),
            lacks: vec![Fusion::NormGate],
            ..BackendFacts::default()
        }],
        // benches/gpu/h200.md: copy 4286 GB/s, fp32 51 TFLOP/s, launch 2.85 µs.
        ceilings: Some(Ceilings {
            spread: None,
            of: "H200".into(),
            source: Source::Measured,
            bandwidth: 4286e9,
            fp32: 51e12,
            matrix16: Some(735e12),
            launch: Some(LaunchCost {
                seconds: 2.85e-6,
                source: Source::Measured,
            }),
        }),
        ..Machine::default()
    }
}

pub(crate) struct Screen {
    pub(crate) state: State,
}

impl Screen {
    pub(crate) fn new(columns: u16, rows: u16) -> Self {
        let mut state = State::new((columns, rows), Look::default()).unwrap();
        state.shared.machine = h200();
        Screen { state }
    }

    fn ascii(mut self) -> Self {
        self.state.shared.look.ascii = true;
        self
    }

    pub(crate) fn keys(mut self, keys: impl IntoIterator<Item = Key>) -> Self {
        for k in keys {
            update(
                &mut self.state,
                Event {
                    at: 0,
                    message: Message::Key(k),
                },
            );
        }
        self
    }

    pub(crate) fn typed(self, text: &str) -> Self {
        self.keys(text.chars().map(ch))
    }

    fn times(self, n: usize, k: Key) -> Self {
        self.keys(std::iter::repeat_n(k, n))
    }

    pub(crate) fn tell(&mut self, at: u64, message: Message) {
        update(&mut self.state, Event { at, message });
    }

    pub(crate) fn rows(&self) -> Vec<String> {
        let (columns, rows) = self.state.shared.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        Painter::default().draw(&self.state, &mut buffer);
        (0..rows)
            .map(|y| (0..columns).map(|x| buffer[(x, y)].symbol()).collect())
            .collect()
    }
}

fn expected(name: &str) -> Vec<String> {
    let path = format!(
        "{}/tests/data/screens/{name}.txt",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Compares rows and shows both screens where they differ.
#[track_caller]
fn same(name: &str, drawn: &[String], wanted: &[String]) {
    if drawn != wanted {
        let mut report = format!("{name} differs\n");
        for (i, (d, w)) in drawn.iter().zip(wanted).enumerate() {
            if d == w {
                report.push_str(&format!("{i:2}  |{d}|\n"));
            } else {
                report.push_str(&format!("{i:2} is|{d}|\n   be|{w}|\n"));
            }
        }
        panic!("{report}({} rows, {} wanted)", drawn.len(), wanted.len());
    }
}

#[track_caller]
fn whole(name: &str, screen: &Screen) {
    same(name, &screen.rows(), &expected(name));
}

/// Kernels of the lab's ribbon.
fn right(n: usize) -> impl Iterator<Item = Key> {
    std::iter::repeat_n(ch(']'), n)
}

/// Arrows.
fn along(n: usize) -> impl Iterator<Item = Key> {
    std::iter::repeat_n(key(Code::Right), n)
}

#[test]
fn too_small() {
    whole("too-small", &Screen::new(50, 8));
    for (columns, rows) in [(40, 10), (30, 12), (20, 12), (20, 6)] {
        let shown = Screen::new(columns, rows).rows().join(" ");
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let size = format!("{columns} columns and {rows} rows.");
        for said in ["The workshop needs 60 × 18.", &size, "q leave"] {
            assert!(shown.contains(said), "{shown}");
        }
        let way = "Without a window: tinyllama-tutor --plain";
        assert!(rows < 10 || shown.contains(way), "{shown}");
    }
    // No size is too small to be drawn.
    for (columns, rows) in [(1, 1), (2, 3), (5, 2)] {
        assert_eq!(Screen::new(columns, rows).rows().len(), usize::from(rows));
    }
}

#[test]
fn what_is_no_point_is_said_above_what_was_typed() {
    for size in [(80, 24), (120, 40)] {
        for (typed, says) in [
            (
                "-3",
                "An intensity is above 0 FLOP/B: type one, such as 32; empty",
            ),
            (
                "abc",
                "This is no number: type FLOP per byte, such as 32 or 5.3.",
            ),
            (
                "3 MB",
                "An intensity is in FLOP/B: type a number, such as 32.",
            ),
        ] {
            let screen = Screen::new(size.0, size.1).typed("5i").typed(typed);
            let rows = screen.keys([key(Code::Enter)]).rows();
            let field = format!("FLOP/B: {typed}▌");
            let at = rows.iter().position(|row| row.contains(&field)).unwrap();
            assert!(rows[at - 1].contains(says), "{rows:#?}");
        }
    }
}

#[test]
fn lists_have_room_in_sixty_columns() {
    snapshot("doctor-60", &Screen::new(60, 18).typed("9"));
    snapshot("setup-60", &Screen::new(60, 18).typed("p"));
}

/// The screen as text for a snapshot; the words `cpu` and the like come from
/// the fixture, so it is the same on every machine.
#[track_caller]
fn snapshot(name: &str, screen: &Screen) {
    let text: Vec<String> = screen
        .rows()
        .iter()
        .map(|r| r.trim_end().to_owned())
        .collect();
    insta::assert_snapshot!(name, text.join("\n"));
}

fn line(
    number: &str,
    title: &str,
    version: &str,
    read: Read,
    right: usize,
    of: usize,
) -> LessonLine {
    LessonLine {
        id: number.into(),
        number: number.into(),
        title: title.into(),
        version: version.into(),
        minutes: 12,
        read,
        tally: Tally {
            all: of,
            right,
            ..Tally::default()
        },
        on_path: matches!(number, "01" | "04"),
    }
}

/// A course of a few lessons, some of them read.
fn contents(mut screen: Screen) -> Screen {
    screen.state.home.cursor = 2;
    let contents = &mut screen.state.shared.contents;
    contents.lessons = vec![
        line(
            "01",
            "One block, seventeen launches",
            "V1",
            Read::Done,
            4,
            4,
        ),
        line("02", "Counting FLOPs and bytes", "V1", Read::Done, 6, 7),
        line(
            "04",
            "One GEMM for q, k and v",
            "V2",
            Read::Part(2, 5),
            1,
            3,
        ),
        line(
            "12",
            "Claims: reading with a calculator",
            "all",
            Read::Not,
            0,
            2,
        ),
    ];
    contents.stopped = Some(Stopped {
        lesson: 2,
        section: 3,
        of: 5,
        heading: "What the merge cannot save".into(),
    });
    contents.slips = vec!["ex2".into()];
    contents.tally = Tally {
        all: 16,
        right: 11,
        kept: 1,
        slip: 1,
        wrong: 1,
    };
    contents.route = Some(Followed {
        title: "Three hours".into(),
        walk: Walk {
            done: 3,
            all: 15,
            read: vec![],
            left: 120,
            next: Some(Next::Question("ex17".into(), "rank".into())),
        },
        next: "question ex17 rank, The price of a boundary".into(),
    });
    contents.course = "course 1.0, embedded".into();
    screen.state.shared.place = "~/fusion-workshop".into();
    screen
}

#[test]
fn compare_in_both_sizes_and_scopes() {
    snapshot("compare-80", &Screen::new(80, 24).typed("4"));
    snapshot("compare-block", &Screen::new(80, 24).typed("4b"));
    snapshot("compare-120", &Screen::new(120, 40).typed("4"));
}

#[test]
fn the_staircase_moves_a_step_and_goes_back() {
    snapshot("staircase-80", &Screen::new(80, 24).typed("4t"));
    // rope in front of qkv, which then saves nothing.
    let turned = Screen::new(80, 24).typed("4tbjj[");
    snapshot("staircase-turned", &turned);
    let rows = turned.rows();
    let qkv = rows.iter().find(|row| row.contains("+qkv")).unwrap();
    assert!(qkv.contains("0.000"), "{qkv}");
    let back = turned.typed("t").rows().join("\n");
    assert!(
        back.contains("launches × ") && !back.contains("+qkv"),
        "{back}"
    );
}

/// A run that timed its kernels: 2 µs where they hold a product, 1 µs where they do not.
pub(crate) fn clocked(cost: &Cost) -> Report {
    let span = |(kernel, cost): (usize, &KernelCost)| {
        let took = if cost.has_product() { 2.0 } else { 1.0 };
        SpanReport {
            name: cost.name.clone(),
            kernel,
            from: 0.0,
            to: took,
            took: vec![took],
        }
    };
    Report {
        trace: Some(TraceReport {
            axis: Axis::Microseconds,
            how: "clocks in the kernels".into(),
            forwards: 1,
            spans: cost.forward.kernels.iter().enumerate().map(span).collect(),
            phases: vec![],
        }),
        ..counted(cost)
    }
}

#[test]
fn help_is_the_table_of_keys() {
    whole("help", &Screen::new(80, 24).typed("3?"));
    snapshot("help-home", &Screen::new(80, 24).typed("?"));
}

#[test]
fn pages_that_are_read() {
    snapshot("doctor", &Screen::new(80, 24).typed("9"));
    snapshot("setup", &Screen::new(80, 24).typed("p"));
    snapshot(
        "setup-typing",
        &Screen::new(80, 24)
            .typed("pj")
            .keys([key(Code::Enter)])
            .typed("8"),
    );
    snapshot(
        "why-softmax",
        &Screen::new(80, 24).typed("3").keys(right(6)).typed("="),
    );
    snapshot(
        "messages",
        &Screen::new(80, 24)
            .typed("3 uu:messages")
            .keys([key(Code::Enter)]),
    );
    snapshot("palette", &Screen::new(80, 24).typed("3:flas"));
}

/// Only ASCII is drawn where only ASCII can be.
#[test]
fn ascii_is_ascii_on_every_page() {
    for keys in [
        "", "3", "3vv", "4", "5", "5t", "5tvvv", "9", "p", "?", "3=", ":a",
    ] {
        for (columns, rows) in [(80, 24), (120, 40)] {
            let screen = contents(Screen::new(columns, rows)).ascii().typed(keys);
            for row in screen.rows() {
                assert!(
                    row.is_ascii() && !row.contains('?')
                        || row.contains("? help")
                        || row.contains(" ?"),
                    "{keys}: {row}"
                );
            }
        }
    }
}

/// Whatever the size, drawing neither panics nor leaves the terminal.
#[test]
fn every_size_can_be_drawn() {
    for columns in (1..=130).step_by(7) {
        for rows in (1..=45).step_by(4) {
            for keys in [
                "", "3", "4", "5", "5t", "7", "2", "9", "p", "?", "3=", ":x", "3/x",
            ] {
                let screen = contents(Screen::new(columns, rows)).typed(keys);
                assert_eq!(screen.rows().len(), usize::from(rows));
            }
            let mut screen = contents(Screen::new(columns, rows));
            for page in Page::ALL {
                screen.state.go(page);
                assert_eq!(screen.rows().len(), usize::from(rows));
            }
        }
    }
}
