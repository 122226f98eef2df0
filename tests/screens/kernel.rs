//! The kernel page as text. Sources and tables are a fixture, so that the
//! snapshots do not follow every change of a kernel.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests stop at the first surprise and show it"
)]

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tinyllama_tutor::app::book::{Book, Compiled, Kernel, Torch, Wanted};
use tinyllama_tutor::app::kernel::files;
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::machine::Ceilings;
use tinyllama_tutor::app::source::Source;
use tinyllama_tutor::app::{Effect, Event, Look, Message, Page, Setup, State, update};
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::fusion::{Fusion, Plan};
use tinyllama_tutor::model::{Graph, OpKind};
use tinyllama_tutor::run::{
    BackendKind, BytesReport, KernelReport, LineReport, Report, Request, WorkReport,
};
use tinyllama_tutor::tui::Painter;

const SILU: &str = "\
// silu: sg = g / (1 + exp(-g)), an element per thread.
KERNEL void silu(const elem *__restrict__ g, elem *__restrict__ sg, long n) {
    long i = thread_index();
    if (i < n) sg[i] = to_elem(silu_of(to_float(g[i])));
}
";

const MUL: &str = "\
// mul: m = sg * u.
KERNEL void mul(const elem *__restrict__ sg, const elem *__restrict__ u, elem *__restrict__ m, long n) {
    long i = thread_index();
    if (i < n) m[i] = to_elem(to_float(sg[i]) * to_float(u[i]));
}
";

const SILU_MUL: &str = "\
// silu_mul: m = silu(g) * u in one kernel.
KERNEL void silu_mul(const elem *__restrict__ g, const elem *__restrict__ u, elem *__restrict__ m, long n) {
    long i = thread_index();
    if (i >= n) return;
    // idea kept-inside: silu(g) lives in a register for one multiplication;
    // its tensor is neither written nor read.
    float s = silu_of(to_float(g[i]));
    m[i] = to_elem(s * to_float(u[i]));
    // end kept-inside
}
";

const SILU_MUL_TORCH: &str = "\
from torch.nn import functional


def silu_mul(g, u):
    \"\"\"silu mul: g u -> m

    What silu wrote, mul reads.
    \"\"\"
    sg = functional.silu(g)
    return sg * u
";

fn sources() -> Vec<Source> {
    let other = (1..60).map(|n| format!("line {n};\n")).collect::<String>();
    vec![
        Source::parse("silu.cu", SILU),
        Source::parse("mul.cu", MUL),
        Source::parse("silu_mul.cu", SILU_MUL),
        Source::parse("prefix/base.cu", &other),
    ]
}

/// What is looked up outside, without a catalogue.
fn book(wanted: &Wanted) -> Book {
    let graph = Graph::of(&wanted.config.model, &wanted.config.shape).unwrap();
    let plan = Plan::new(&graph, wanted.config.effective_cut(), false);
    let kernel = |ops: Vec<OpKind>| {
        let (own, entry) = match ops.as_slice() {
            [OpKind::Silu] => (0, "silu"),
            [OpKind::Mul] => (1, "mul"),
            [OpKind::Silu, OpKind::Mul] => (2, "silu_mul"),
            _ => (3, "other"),
        };
        Kernel {
            ops,
            entry: entry.to_owned(),
            defines: "BF16=0".to_owned(),
            files: vec![own, 3],
            blocks: "256".to_owned(),
            threads: 256,
            shared: 20_480,
            cooperative: false,
            compiled: (own == 2).then(|| Compiled {
                compiler: "NVRTC 12.9".to_owned(),
                registers: 40,
                shared: 0,
                spilled: 0,
            }),
            ptx: (own == 2).then(|| Arc::from(".version 8.7\n// a comment\nret;\n")),
            torch: (own == 2).then(|| Torch {
                function: "silu_mul".to_owned(),
                line: 3,
                ops: 2,
                sources: vec![
                    Source::parse("torch/silu_mul.py", SILU_MUL_TORCH),
                    Source::parse("torch/silu.py", "def silu(g):\n    return g\n"),
                ],
            }),
        }
    };
    Book {
        gpu: GpuDatabase::embedded()
            .unwrap()
            .get(&wanted.gpu)
            .unwrap()
            .clone(),
        arch: "sm_90a".to_owned(),
        sources: sources(),
        kernels: plan
            .kernels
            .iter()
            .map(|k| kernel(k.op_kinds(&graph).collect()))
            .collect(),
    }
}

/// What the SIMT machine would answer: the figures of one kernel, made up so
/// that each column shows something.
fn counted(request: &Request) -> Report {
    assert_eq!(request.backend, BackendKind::Simt);
    assert!(request.count_lines && request.count_bytes);
    let work = WorkReport {
        instructions: 24_576,
        lanes: 24_576 * 32,
        flops: 655_360,
        bytes: 786_432,
        requests: 6_144,
        sectors: 24_576,
        ideal_sectors: 24_576,
        branches: 2_048,
        divergent: 16,
        ..WorkReport::default()
    };
    let line = |line, work| LineReport {
        file: "silu_mul.cu".to_owned(),
        line,
        work,
    };
    let bytes = BytesReport {
        modelled: Some(786_432),
        issued: Some(786_432),
        compulsory: Some(786_432),
        estimated_dram: Some(786_432),
        behind: None,
        measured_dram: None,
        l2: None,
    };
    Report {
        bytes,
        kernels: vec![KernelReport {
            name: "block 0: silu+mul".to_owned(),
            ops: vec!["silu".to_owned(), "mul".to_owned()],
            bytes,
            buffers: vec![],
            work: Some(work),
            lines: vec![
                line(
                    4,
                    WorkReport {
                        instructions: 4_096,
                        branches: 2_048,
                        divergent: 16,
                        ..WorkReport::default()
                    },
                ),
                line(
                    7,
                    WorkReport {
                        instructions: 14_336,
                        bytes: 262_144,
                        requests: 2_048,
                        sectors: 8_192,
                        ideal_sectors: 8_192,
                        ..WorkReport::default()
                    },
                ),
                line(
                    8,
                    WorkReport {
                        instructions: 6_144,
                        bytes: 524_288,
                        requests: 4_096,
                        sectors: 16_384,
                        ideal_sectors: 16_384,
                        ..WorkReport::default()
                    },
                ),
            ],
        }],
        ..Report::bare("simt", "SIMT machine", 47)
    }
}

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
        let (columns, rows) = self.0.shared.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        self.1.draw(&self.0, &mut buffer);
        let mut text = String::new();
        for y in 0..rows {
            let row: String = (0..columns).map(|x| buffer[(x, y)].symbol()).collect();
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text
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
