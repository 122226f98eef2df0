//! What is drawn, cell by cell, against the screens that were designed.
//!
//! `tests/data/screens/*.txt` are those designs, changed only where they name
//! pages that do not exist yet. The machine is the one of the designs: an H200
//! whose ceilings were measured.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::machine::{
    BackendFacts, Ceilings, Condition, LaunchCost, Machine, Source,
};
use tinyllama_tutor::app::{Event, Look, Message, State, update};
use tinyllama_tutor::fusion::Fusion;
use tinyllama_tutor::tui::draw;

/// The machine of the designs.
fn h200() -> Machine {
    Machine {
        backends: vec![BackendFacts {
            name: "cuda".into(),
            device: "H200".into(),
            line: "NVIDIA H200, driver 580, NVRTC 13.0".into(),
            condition: Condition::Ready,
            gives: "chosen".into(),
            lacks: vec![Fusion::NormGate],
        }],
        chosen: 0,
        // facts/kernels.md: copy 4286 GB/s, fp32 51 TFLOP/s, launch 2.85 µs.
        ceilings: Some(Ceilings {
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
        facts: Vec::new(),
    }
}

struct Screen {
    state: State,
}

impl Screen {
    fn new(columns: u16, rows: u16) -> Self {
        let mut state = State::new((columns, rows), Look::default()).unwrap();
        state.machine = h200();
        Screen { state }
    }

    fn ascii(mut self) -> Self {
        self.state.look.ascii = true;
        self
    }

    fn keys(mut self, keys: impl IntoIterator<Item = Key>) -> Self {
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

    fn typed(self, text: &str) -> Self {
        self.keys(text.chars().map(ch))
    }

    fn times(self, n: usize, k: Key) -> Self {
        self.keys(std::iter::repeat_n(k, n))
    }

    fn rows(&self) -> Vec<String> {
        let (columns, rows) = self.state.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        draw(&self.state, &mut buffer);
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

/// Rows 2 to 12 of the lab, and the message row below them.
#[track_caller]
fn ribbon(name: &str, screen: &Screen) {
    let rows = screen.rows();
    let mut drawn = rows[1..12].to_vec();
    drawn.push(rows[22].clone());
    same(name, &drawn, &expected(name));
}

fn right(n: usize) -> impl Iterator<Item = Key> {
    std::iter::repeat_n(key(Code::Right), n)
}

#[test]
fn lab_v1_with_the_cursor_on_softmax() {
    // norm1 q k v rope qk softmax: six steps from the first slot.
    whole("lab-v1", &Screen::new(80, 24).typed("3").keys(right(6)));
}

#[test]
fn ribbon_after_qkv() {
    ribbon(
        "ribbon-qkv",
        &Screen::new(80, 24).typed("3").keys(right(1)).typed(" "),
    );
}

#[test]
fn ribbon_after_flash_as_well() {
    // flash is the third toggle; ▼ stands on softmax.
    let screen = Screen::new(80, 24).typed("3").keys(right(6)).typed(" jj ");
    ribbon("ribbon-qkv-flash", &screen);
}

#[test]
fn ribbon_of_v2() {
    let screen = Screen::new(80, 24).typed("3").keys(right(11)).typed("v");
    ribbon("ribbon-v2", &screen);
}

#[test]
fn lab_v3_crosses_the_edge_of_the_block() {
    // norm_residual is the seventh toggle; ▼ stands on res1.
    let screen = Screen::new(80, 24)
        .typed("3vv")
        .keys([key(Code::Home)])
        .times(6, key(Code::Down))
        .keys(right(5));
    whole("lab-v3", &screen);
}

#[test]
fn ribbon_of_v4_fills_both_rows() {
    ribbon("ribbon-v4", &Screen::new(80, 24).typed("3vvv"));
}

#[test]
fn lab_v2_in_ascii() {
    let screen = Screen::new(80, 24)
        .ascii()
        .typed("3")
        .keys(right(11))
        .typed("v")
        .times(4, key(Code::Down));
    whole("lab-ascii", &screen);
}

#[test]
fn too_small() {
    whole("too-small", &Screen::new(50, 8));
}
