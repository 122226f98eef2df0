//! The kernel page as text. Sources and tables are a fixture, so that the
//! snapshots do not follow every change of a kernel.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests stop at the first surprise and show it"
)]

mod fixture;

use std::sync::Arc;

use super::cells;
use fixture::{book, counted};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tinyllama_tutor::app::kernel::files;
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::machine::Ceilings;
use tinyllama_tutor::app::mouse::Target;
use tinyllama_tutor::app::{Effect, Event, Look, Message, Page, Setup, State, update};
use tinyllama_tutor::fusion::Fusion;
use tinyllama_tutor::tui::Painter;

struct Screen(State, Painter);

impl Screen {
    fn new(columns: u16, rows: u16) -> Self {
        let state = State::new((columns, rows), Look::default()).unwrap();
        Self(state, Painter::default())
    }

    /// Types keys, and answers what the page asks for.
    fn typed(mut self, text: &str) -> Self {
        for key in text.chars().map(ch) {
            self.press(key);
        }
        self
    }

    fn press(&mut self, key: Key) {
        let mut messages = vec![Message::Key(key)];
        while let Some(message) = messages.pop() {
            for effect in update(&mut self.0, Event { at: 0, message }) {
                if let Effect::Kernels(wanted) = effect {
                    let found = match wanted.config.cut.title().as_str() {
                        "V1 + norm_gate" => Err("there is no GPU kernel for norm2+gate".to_owned()),
                        _ => Ok(Arc::new(book(&wanted))),
                    };
                    messages.push(Message::Kernels(wanted, found));
                } else if let Effect::StartRun(ticket, request) = effect {
                    let report = counted(&request);
                    messages.push(Message::RunDone(ticket, Box::new(Ok(report))));
                }
            }
        }
    }

    fn text(&mut self) -> String {
        self.1.fit(&mut self.0);
        cells::rows(&self.1, &self.0).join("\n")
    }
}

/// The lab's cursor on silu and mul of V2, then the page.
const SILU_MUL_OF_V2: &str = "3v]]]]]]]]K";

#[test]
fn source_ideas_and_occupancy() {
    let mut screen = Screen::new(80, 24).typed(SILU_MUL_OF_V2).typed("n");
    assert_eq!(screen.0.page, Page::Kernel);
    insta::assert_snapshot!("kernel-80", screen.text());
    let mut screen = Screen::new(120, 40).typed(SILU_MUL_OF_V2).typed("n");
    insta::assert_snapshot!("kernel-120", screen.text());
}

#[test]
fn a_key_that_comes_before_the_source_is_asked_for_again() {
    let said = "The source was not there yet: the same key again does it.";
    for pressed in [ch('n'), ch('T'), ch('t'), key(Code::Tab), key(Code::Down)] {
        let mut screen = Screen::new(80, 24).typed("3");
        // Nobody has answered yet what the page asks for.
        let mut asked = Vec::new();
        for key in [ch('K'), pressed] {
            let message = Message::Key(key);
            asked.extend(update(&mut screen.0, Event { at: 0, message }));
        }
        assert!(screen.text().contains(said));
        let wanted = asked.into_iter().find_map(|effect| match effect {
            Effect::Kernels(wanted) => Some(wanted),
            _ => None,
        });
        let wanted = wanted.unwrap();
        let found = Ok(Arc::new(book(&wanted)));
        let message = Message::Kernels(wanted, found);
        update(&mut screen.0, Event { at: 0, message });
        screen.press(pressed);
        assert!(!screen.text().contains(said));
    }
}

#[test]
fn a_line_that_is_clicked_takes_the_cursor() {
    // The source, what changed in it, and the compiler's text.
    for view in ["", "d", "t"] {
        let mut screen = Screen::new(80, 24).typed(SILU_MUL_OF_V2).typed(view);
        let rows = screen.text();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 24));
        let spots = screen.1.draw(&screen.0, &mut buffer);
        let lines = (0..24).filter_map(|y| match spots.at(9, y) {
            Some(Target::Row(at)) => Some((at, y)),
            _ => None,
        });
        let lines: Vec<_> = lines.collect();
        let (at, y) = lines[2];
        assert!(
            at > screen.0.kernel.line && lines[0].1 < y,
            "{view}: {rows}"
        );
        let message = Message::Click(Target::Row(at));
        update(&mut screen.0, Event { at: 0, message });
        assert_eq!(screen.0.kernel.line, at, "{view}");
    }
}

#[test]
fn counts_beside_the_lines_that_caused_them() {
    // m asks for the counts where nobody has, and shows them when they come.
    let mut screen = Screen::new(80, 24).typed(SILU_MUL_OF_V2).typed("nm");
    insta::assert_snapshot!("kernel-counts-80", screen.text());
    let mut screen = Screen::new(120, 40).typed(SILU_MUL_OF_V2).typed("nmmm");
    insta::assert_snapshot!("kernel-counts-120", screen.text());
    // Every kind in turn, then the page as it was.
    let heads: Vec<bool> = (1..=6)
        .map(|n| {
            let keys = "m".repeat(n);
            let text = Screen::new(80, 24)
                .typed(SILU_MUL_OF_V2)
                .typed(&keys)
                .text();
            text.contains("counted, one launch")
        })
        .collect();
    assert_eq!(heads, [true, true, true, true, true, false]);
    let plain = Screen::new(80, 24).typed(SILU_MUL_OF_V2).text();
    let again = Screen::new(80, 24)
        .typed(SILU_MUL_OF_V2)
        .typed("mmmmmm")
        .text();
    // The message row tells of the run.
    let above = |text: &str| text.lines().take(22).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(above(&plain), above(&again));
    // A line without a branch has no number there; the one that has one, has.
    let text = Screen::new(80, 24)
        .typed(SILU_MUL_OF_V2)
        .typed("mmmmm")
        .text();
    let line = |number: &str| {
        let gutter = |l: &str| l.chars().take(6).collect::<String>();
        let line = text
            .lines()
            .find(|l| gutter(l).replace('►', "").trim() == number);
        line.unwrap().split('│').next().unwrap().to_owned()
    };
    assert!(line("4").contains(" 16 "), "{text}");
    assert!(!line("8").contains(" 0 "), "{text}");
}

#[test]
fn a_plan_that_is_too_large_is_counted_on_demand_only() {
    let mut screen = Screen::new(80, 24);
    screen
        .0
        .shared
        .bench
        .set_up(Setup::preset("tinyllama-1.1b").unwrap())
        .unwrap();
    let mut screen = screen.typed("3Km");
    assert!(screen.0.shared.runs.running().is_none());
    let said = &screen.0.shared.notes.shown().unwrap().text;
    assert!(
        said.contains("TFLOP on this CPU") && said.contains("r counts"),
        "{said}"
    );
    assert!(screen.text().contains("warp instructions #"));
}

#[test]
fn two_versions_beside() {
    let mut screen = Screen::new(80, 24).typed(SILU_MUL_OF_V2).typed("d");
    insta::assert_snapshot!("kernel-diff", screen.text());
    // V1 has none before it: d says so, and v goes on.
    let screen = Screen::new(80, 24).typed("3Kd");
    let said = screen.0.shared.notes.shown().unwrap().text.clone();
    assert!(said.starts_with("V1 is the first version"), "{said}");
}

#[test]
fn more_registers_fit_fewer_blocks() {
    let occupancy = |keys: &str| {
        let text = Screen::new(80, 24).typed(SILU_MUL_OF_V2).typed(keys).text();
        let row = |label: &str| {
            let line = text.lines().find(|l| l.contains(label)).unwrap();
            let fact = line.split('│').next_back().unwrap();
            fact.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        (row("registers  "), row("occupancy  "))
    };
    // cuda_occupancy.h: 65,536 registers; 40 per thread and 256 threads fit 6
    // times, 128 twice: 8 warps each of 64.
    assert_eq!(
        occupancy(""),
        ("registers - 40 +".into(), "occupancy 75.00 %".into())
    );
    let more = "+".repeat(11);
    assert_eq!(
        occupancy(&more),
        ("registers - 128 +".into(), "occupancy 25.00 %".into())
    );
    // Not below eight, not above what a thread may have.
    let (least, _) = occupancy(&"-".repeat(40));
    assert!(least.ends_with("- 8 +"), "{least}");
    let (most, _) = occupancy(&"+".repeat(60));
    assert!(most.ends_with("- 255 +"), "{most}");
}

#[test]
fn kernels_files_versions_and_ptx() {
    let mut screen = Screen::new(80, 24).typed(SILU_MUL_OF_V2).typed("t");
    let text = screen.text();
    assert!(
        text.contains("PTX of silu_mul for sm_90a, 3 lines"),
        "{text}"
    );
    // Another kernel starts at its source; it has no PTX here.
    let mut screen = screen.typed("]t");
    assert!(screen.text().contains("other · down"));
    let said = &screen.0.shared.notes.shown().unwrap().text;
    assert!(said.contains("PTX of this kernel is not known"), "{said}");
    // V1: two kernels stand where one was.
    let mut screen = Screen::new(80, 24).typed(SILU_MUL_OF_V2).typed("V");
    assert!(screen.text().contains("silu · silu"));
    let mut screen = screen.typed("]");
    assert!(screen.text().contains("mul · mul"));
    assert!(screen.text().contains("mul.cu"));
}

#[test]
fn arrows_go_from_kernel_to_kernel_and_the_plan_stays() {
    let mut screen = Screen::new(80, 24).typed(SILU_MUL_OF_V2);
    let plan = screen.0.shared.bench.cut();
    let text = screen.text();
    assert!(
        text.contains("silu_mul · silu mul") && text.contains("←→ kernel"),
        "{text}"
    );
    screen.press(key(Code::Right));
    assert!(screen.text().contains("other · down"), "{}", screen.text());
    screen.press(key(Code::Left));
    screen.press(key(Code::Left));
    assert!(!screen.text().contains("silu_mul · silu mul"));
    assert_eq!(screen.0.shared.bench.cut(), plan);
}

#[test]
fn the_footer_names_no_key_that_does_nothing_in_a_view() {
    let mut source = Screen::new(80, 24).typed("3]]]]K");
    let files = files(&source.0.kernel, &source.0.shared).len();
    let text = source.text();
    assert_eq!(text.contains("Tab file"), files > 1, "{text}");
    let mut torch = Screen::new(80, 24).typed(SILU_MUL_OF_V2).typed("T");
    let text = torch.text();
    assert!(!text.contains("n N idea"), "{text}");
    let mut ptx = Screen::new(80, 24).typed(SILU_MUL_OF_V2).typed("t");
    let text = ptx.text();
    assert!(
        text.contains("PTX of") && !text.contains("n N idea"),
        "{text}"
    );
}

#[test]
fn a_search_takes_the_keys_of_ideas_and_says_so() {
    let mut s = Screen::new(80, 24).typed(SILU_MUL_OF_V2).typed("/row");
    s.press(key(Code::Enter));
    let text = s.text();
    assert!(text.contains("n N hit"), "{text}");
    let keys = "marked here: / and Esc, then n and N.";
    assert!(text.contains(keys), "{text}");
    s.press(ch('/'));
    s.press(key(Code::Esc));
    let text = s.typed("n").text();
    assert!(text.contains("► idea 1 of"), "{text}");
    assert!(text.contains("n N idea"), "{text}");
}

#[test]
fn the_bound_stands_below_the_name_of_another_roof() {
    let mut screen = Screen::new(80, 24).typed(SILU_MUL_OF_V2);
    assert!(screen.text().contains("FLOP/B"));
    screen.0.shared.machine.ceilings = Some(Ceilings::measured("this CPU", 2e10, 1e11));
    let text = screen.text();
    assert!(
        text.contains("on this CPU") && text.contains("FLOP/B"),
        "{text}"
    );
}

#[test]
fn the_same_in_pytorch_stands_in_place_of_the_source() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut screen = Screen::new(columns, rows).typed(SILU_MUL_OF_V2).typed("T");
        insta::assert_snapshot!(format!("kernel-torch-{columns}"), screen.text());
    }
    let mut screen = Screen::new(80, 24).typed(SILU_MUL_OF_V2).typed("T");
    let page = |screen: &Screen| (screen.0.kernel.file, screen.0.kernel.line);
    // It begins where the function does; Tab goes to what that calls, and back.
    assert_eq!(page(&screen), (0, 3));
    screen.press(key(Code::Tab));
    assert!(screen.text().contains("torch/silu.py"));
    screen.press(key(Code::Tab));
    assert_eq!(page(&screen), (0, 3));
    let mut screen = screen.typed("y");
    let text = screen.text();
    assert!(
        text.contains("tinyllama-tutor kernel silu_mul --torch"),
        "{text}"
    );
    // Counts belong to the kernel's own lines, as does the next press.
    for keys in ["T", "m", "d"] {
        let mut screen = Screen::new(80, 24).typed(SILU_MUL_OF_V2).typed("T");
        screen.press(key(Code::Tab));
        let mut screen = screen.typed(keys);
        let text = screen.text();
        assert!(!text.contains("torch/silu"), "{keys}\n{text}");
    }
    // Where nothing is known of it, the page says so and stays.
    let mut screen = screen.typed("]");
    assert!(screen.text().contains("other · down"));
    let mut screen = screen.typed("T");
    assert!(
        screen.text().contains("prefix/base.cu"),
        "{}",
        screen.text()
    );
    let said = &screen.0.shared.notes.shown().unwrap().text;
    assert!(said.contains("not known here"), "{said}");
}

#[test]
fn the_cursor_stays_on_the_screen_in_a_long_file() {
    let mut screen = Screen::new(80, 24).typed("3K");
    for line in 1..60 {
        let text = screen.text();
        assert!(text.contains(&format!("line {line};")), "{line}\n{text}");
        screen.press(ch('j'));
    }
    screen.press(ch('g'));
    assert!(screen.text().contains("line 1;"));
}

#[test]
fn a_plan_without_a_kernel_says_so() {
    let downs = Fusion::ALL.iter().position(|f| *f == Fusion::NormGate);
    let downs = "j".repeat(downs.unwrap());
    let mut screen = Screen::new(80, 24).typed("3").typed(&downs);
    screen = screen.typed(" K");
    assert!(
        screen
            .text()
            .contains("there is no GPU kernel for norm2+gate")
    );
}

#[test]
fn ascii_is_ascii() {
    for keys in ["n", "d", "t", "m", "mmm"] {
        for size in [(80, 24), (120, 40)] {
            let mut screen = Screen::new(size.0, size.1)
                .typed(SILU_MUL_OF_V2)
                .typed(keys);
            screen.0.shared.look.ascii = true;
            let text = screen.text();
            assert!(text.is_ascii(), "{text}");
        }
    }
}
