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

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tinyllama_tutor::app::contents::{LessonLine, Read, Stopped};
use tinyllama_tutor::app::followed::Followed;
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::machine::{
    BackendFacts, Ceilings, Condition, LaunchCost, Machine, Source,
};
use tinyllama_tutor::app::{Event, Look, Message, Page, State, update};
use tinyllama_tutor::cost::{Cost, GpuDatabase, KernelCost};
use tinyllama_tutor::course::{Next, Tally, Walk};
use tinyllama_tutor::fusion::{Cut, Fusion};
use tinyllama_tutor::model::Dtype;
use tinyllama_tutor::run::{
    Axis, BufferReport, BytesReport, KernelReport, Phase, Progress, Report, RunError, SpanReport,
    Timing, TraceReport,
};
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

    pub(crate) fn typed(self, text: &str) -> Self {
        self.keys(text.chars().map(ch))
    }

    fn times(self, n: usize, k: Key) -> Self {
        self.keys(std::iter::repeat_n(k, n))
    }

    fn tell(&mut self, at: u64, message: Message) {
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

/// Rows 2 to 12 of the lab, and the message row below them.
#[track_caller]
fn ribbon(name: &str, screen: &Screen) {
    let rows = screen.rows();
    let mut drawn = rows[1..12].to_vec();
    drawn.push(rows[22].clone());
    same(name, &drawn, &expected(name));
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
fn home_in_both_sizes() {
    snapshot("home-80", &contents(Screen::new(80, 24)));
    snapshot("home-120", &contents(Screen::new(120, 40)));
    snapshot("home-60", &contents(Screen::new(60, 18)));
    snapshot("home-100", &contents(Screen::new(100, 30)));
}

#[test]
fn home_shows_a_long_reason_whole_where_rows_are_free() {
    let why = "no NVIDIA driver is here (libcuda.so.1 is not found); --backend simt executes the same kernels everywhere";
    let whole = |columns, rows| {
        let mut screen = contents(Screen::new(columns, rows));
        screen.state.shared.machine.backends[0].line = why.into();
        screen.rows().join(" ").contains("everywhere")
    };
    assert!(whole(200, 60));
    assert!(whole(120, 40));
}

#[test]
fn doctor_says_the_roof_whole_and_that_the_simt_machine_has_none() {
    let mut screen = Screen::new(80, 24).typed("9");
    let machine = &mut screen.state.shared.machine;
    machine.backends[0].name = "simt".into();
    machine.backends[0].line = "executes kernels; counts, no times".into();
    machine.backends[0].gives = "counts, no times".into();
    if let Some(ceilings) = &mut machine.ceilings {
        ceilings.source = Source::DataSheet;
    }
    let text = screen.rows().join(" ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    assert!(
        text.contains("the SIMT machine counts and has no roof to measure"),
        "{text}"
    );
    assert!(!text.contains('…'), "{text}");
    assert_eq!(text.matches("counts, no times").count(), 1, "{text}");
    // R then looks again, and asks for no roof.
    let screen = screen.typed("R");
    let said = &screen.state.shared.notes.shown().unwrap().text;
    assert!(said.contains("has no roof"), "{said}");
}

#[test]
fn first_run_says_what_was_found() {
    let mut screen = contents(Screen::new(80, 24));
    screen.state.page = Page::FirstRun;
    snapshot("first-run", &screen);
}

/// The longest lines of a machine without a GPU: nothing is cut, nothing stands twice.
#[test]
fn first_run_cuts_no_reason() {
    let lines = [
        (
            "hip",
            "no AMD GPU and no ROCm are here (neither /dev/kfd nor libamdhip64.so is found); --backend cpu needs none",
            Condition::None,
            "",
        ),
        (
            "simt",
            "executes the kernels' sm_80 PTX on this CPU; counts, no times",
            Condition::Ready,
            "counts, no times",
        ),
        (
            "cpu",
            "AMD EPYC, 2 threads, AVX-512",
            Condition::Ready,
            "times of the CPU",
        ),
    ];
    for (columns, rows) in [(60, 18), (80, 24), (120, 40)] {
        let mut screen = contents(Screen::new(columns, rows));
        screen.state.page = Page::FirstRun;
        screen.state.shared.machine = Machine {
            backends: lines
                .iter()
                .map(|(name, line, condition, gives)| BackendFacts {
                    name: (*name).into(),
                    line: (*line).into(),
                    condition: condition.clone(),
                    gives: (*gives).into(),
                    ..BackendFacts::default()
                })
                .collect(),
            chosen: 2,
            ..Machine::default()
        };
        let page = screen.rows().join("\n");
        assert!(page.contains("no AMD GPU and no ROCm are here"), "{page}");
        assert!(!page.contains('…'), "{page}");
        assert!(page.contains("@  measured here"), "{page}");
        assert!(page.contains("if not: ASCII"), "{page}");
        assert_eq!(page.matches("counts, no times").count(), 1, "{page}");
    }
}

#[test]
fn space_begins_as_enter_does() {
    for start in [ch(' '), key(Code::Enter)] {
        let mut screen = contents(Screen::new(80, 24));
        screen.state.page = Page::FirstRun;
        let screen = screen.keys([start]);
        assert_ne!(screen.state.page, Page::FirstRun, "{start:?}");
    }
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

/// The roofline with the GPU database at hand.
fn roofline(columns: u16, rows: u16) -> Screen {
    let mut screen = Screen::new(columns, rows);
    screen.state.shared.study.gpus = Some(Arc::new(GpuDatabase::embedded().unwrap()));
    screen.typed("5")
}

#[test]
fn kernels_under_the_roof() {
    snapshot("roofline-80", &roofline(80, 24));
    snapshot("roofline-120", &roofline(120, 40).keys(along(3)));
    // Seven GPUs on stands the MI300X.
    snapshot("roofline-what-if", &roofline(80, 24).times(7, ch('w')));
    snapshot("roofline-table-80", &roofline(80, 24).typed("twwwwwww"));
    snapshot("roofline-table-120", &roofline(120, 40).typed("vt"));
    // Only ASCII: the table first, the plot when it is asked for.
    let ascii = roofline(80, 24).ascii();
    assert!(ascii.rows().join("\n").contains("floor us"));
    snapshot("roofline-ascii", &ascii.typed("twww"));
}

#[test]
fn the_roofline_of_sixteen_bits_and_of_a_device_that_has_none() {
    let mut bf16 = roofline(80, 24);
    let mut setup = bf16.state.shared.bench.setup().clone();
    setup.dtype = Dtype::Bf16;
    bf16.state.shared.bench.set_up(setup).unwrap();
    snapshot("roofline-bf16", &bf16.typed("v"));
    let mut none = roofline(80, 24);
    none.state.shared.machine = Machine::default();
    snapshot("roofline-no-device", &none.typed("V"));
    let ran = roofline(80, 24).typed("rvvr").counted();
    snapshot("roofline-ran", &ran.keys([key(Code::Left)]));
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
fn kernels_as_they_ran_under_the_roof() {
    let ran = |columns, rows| roofline(columns, rows).typed("r").answered(clocked);
    let small = ran(80, 24);
    // 16.777 MFLOP of q in 2 µs are 8.39 TFLOP/s; its floor, 16.777/51 µs, is 16.4 % of it.
    let at_q = small.times(8, key(Code::Right));
    let said = at_q.rows().join("\n");
    let of_q = "q: compute-bound. Floor 0.329 µs =: 16.4 % of its 2.000 µs @.";
    assert!(said.contains(of_q), "{said}");
    snapshot("roofline-kernels-80", &at_q);
    snapshot("roofline-kernels-table-80", &at_q.typed("t"));
    snapshot("roofline-kernels-120", &ran(120, 40).keys(along(8)));
}

#[test]
fn figures_of_a_plan_beside_v1_have_its_whole_title() {
    let mut screen = Screen::new(120, 40).typed("3");
    let cut = Cut::parse("v2-qkv").unwrap();
    screen.state.shared.bench.put(cut).unwrap();
    let screen = screen.typed("R").answered(clocked).typed("f");
    let title = cut.title();
    assert_eq!(title, "flash + gate_up + silu_mul");
    assert!(screen.rows().iter().any(|row| row.contains(&title)));
    snapshot("lab-figures-120", &screen);
    let mut small = screen;
    small.tell(
        0,
        Message::Resize {
            columns: 80,
            rows: 24,
        },
    );
    snapshot("lab-figures-80", &small);
}

#[test]
fn the_title_of_the_lab_names_the_plan_beside_every_kind_of_number() {
    let plans = [
        ("v1+norm_qkv", "V1 + norm_qkv"),
        ("v1+qkv+flash", "qkv + flash"),
        ("v1+qkv+rope+gate_up", "rope + gate_up"),
        ("v2+o_residual+rope", "V2 + rope + o_residual"),
    ];
    for (plan, title) in plans {
        let mut screen = Screen::new(80, 24).typed("3");
        screen
            .state
            .shared
            .bench
            .put(Cut::parse(plan).unwrap())
            .unwrap();
        for kind in ["MB", "FLOP/B", "floor µs"] {
            let rows = screen.rows();
            let found = rows
                .iter()
                .any(|row| row.contains(title) && row.contains(kind));
            assert!(found, "{plan}, {kind}: {rows:#?}");
            screen = screen.typed("m");
        }
    }
}

/// A run that counted: every kernel asks for its bytes twice, a kernel of
/// several phases hands `h` from one to the next.
fn counted(cost: &Cost) -> Report {
    let kernel = |k: &KernelCost| {
        let handed = if k.phases > 1 { 262_144 } else { 0 };
        let buffer = |name: &str, bytes, inside| BufferReport {
            name: name.to_owned(),
            issued: 2 * bytes,
            compulsory: bytes,
            inside,
        };
        KernelReport {
            name: k.name.clone(),
            ops: k.ops.iter().map(|op| (*op).to_owned()).collect(),
            bytes: BytesReport {
                modelled: Some(k.bytes()),
                issued: Some(2 * (k.bytes() + handed)),
                compulsory: Some(k.bytes() + handed),
                estimated_dram: Some(k.bytes()),
                behind: None,
                measured_dram: None,
                l2: None,
            },
            buffers: match handed {
                0 => vec![buffer("x", k.bytes(), false)],
                _ => vec![
                    buffer("x", k.bytes(), false),
                    buffer("h between phases", handed, true),
                ],
            },
            work: None,
            lines: vec![],
        }
    };
    let kernels: Vec<KernelReport> = cost.forward.kernels.iter().map(kernel).collect();
    let sum = |of: fn(&BytesReport) -> Option<u64>| kernels.iter().map(|k| of(&k.bytes)).sum();
    Report {
        // Half a microsecond per launch: below the floor of V4, above V1's.
        time_us: Timing::of(&[10.0 + 0.5 * cost.forward.launches() as f64], "events"),
        bytes: BytesReport {
            modelled: sum(|b| b.modelled),
            issued: sum(|b| b.issued),
            compulsory: sum(|b| b.compulsory),
            estimated_dram: sum(|b| b.estimated_dram),
            behind: None,
            measured_dram: None,
            l2: None,
        },
        kernels,
        ..Report::bare("cuda", "a GPU", cost.forward.launches())
    }
}

impl Screen {
    /// Answers the runs that were asked for, one after another.
    fn counted(self) -> Self {
        self.answered(counted)
    }

    pub(crate) fn answered(mut self, report: fn(&Cost) -> Report) -> Self {
        while let Some(running) = self.state.shared.runs.running() {
            let (ticket, cut) = (running.ticket, running.cut);
            let report = report(&self.state.shared.bench.price_of(cut).unwrap());
            self.tell(0, Message::RunDone(ticket, Box::new(Ok(report))));
        }
        self.tell(60_000, Message::Tick);
        self
    }
}

#[test]
fn kinds_of_bytes_beside_each_other() {
    let v4 = |columns, rows| {
        Screen::new(columns, rows)
            .typed("3vvvr")
            .counted()
            .typed("m")
    };
    snapshot("lab-counted-80", &v4(80, 24));
    snapshot("lab-counted-120", &v4(120, 40));
    let v2 = Screen::new(120, 40).typed("3vr").counted();
    snapshot("lab-counted-v2-120", &v2);
    let all = |columns, rows| Screen::new(columns, rows).typed("4R").counted();
    snapshot("compare-counted-80", &all(80, 24));
    snapshot("compare-counted-120", &all(120, 40).keys(along(3)));
    // A block's counts are the sums of its kernels'.
    snapshot("compare-counted-block", &all(80, 24).typed("b"));
}

#[test]
fn counted_bytes_on_the_ribbon_only_where_they_were_counted() {
    let title = |screen: &Screen| screen.rows()[1].clone();
    let before = Screen::new(80, 24).typed("3m");
    assert!(
        title(&before).contains("FLOP/B per kernel"),
        "{}",
        title(&before)
    );
    let after = Screen::new(80, 24).typed("3r").counted().typed("m");
    assert!(
        title(&after).contains("MB per kernel, issued #"),
        "{}",
        title(&after)
    );
    // Another plan was not counted: its boxes wait.
    let other = after.typed("v");
    assert!(other.rows()[3].contains("·"), "{}", other.rows()[3]);
}

#[test]
fn a_time_below_the_floor_says_that_the_data_sat_in_cache() {
    let lab = Screen::new(80, 24).typed("3vvvr").counted();
    let lab = lab.keys([key(Code::Tab)]);
    let text = lab.rows().join("\n");
    assert!(text.contains("the data sat in cache"), "{text}");
    let compare = Screen::new(80, 24).typed("4R").counted();
    let text = compare.rows().join("\n");
    assert!(text.contains(">100 %"), "{text}");
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

#[test]
fn lab_on_a_large_terminal() {
    snapshot("lab-120", &Screen::new(120, 40).typed("3v").keys(right(2)));
    snapshot("lab-100x30", &Screen::new(110, 30).typed("3"));
}

#[test]
fn walls_taken_down_by_hand() {
    // norm1 · q down, and the cursor on a wall inside the kernel.
    let screen = Screen::new(80, 24).typed("3w").keys([key(Code::BackTab)]);
    snapshot("lab-own-cut", &screen);
}

#[test]
fn rope_in_two_launches_stays_one_box() {
    let mut screen = Screen::new(80, 24);
    let mut setup = screen.state.shared.bench.setup().clone();
    setup.conventions.rope_split = true;
    screen.state.shared.bench.set_up(setup).unwrap();
    snapshot("lab-rope-twice", &screen.typed("3"));
}

#[test]
fn forward_opens_both_ends() {
    let screen = Screen::new(80, 24).typed("3G ");
    snapshot("lab-forward", &screen);
}

#[test]
fn cards_of_runs() {
    let run = |error| {
        let mut screen = Screen::new(80, 24).typed("3r");
        let ticket = screen.state.shared.runs.running().unwrap().ticket;
        screen.tell(1000, Message::RunDone(ticket, Box::new(Err(error))));
        screen
    };
    snapshot(
        "card-failed",
        &run(RunError::failed("out of memory in flash, launch 7 of 35")),
    );
    let mut running = Screen::new(80, 24).typed("3vr");
    // 17 of the 30 times that V2 and V1 run in turns.
    for _ in 0..17 {
        let now = running.state.shared.runs.running().unwrap();
        let (ticket, cut) = (now.ticket, now.cut);
        let report = counted(&running.state.shared.bench.price_of(cut).unwrap());
        running.tell(0, Message::RunDone(ticket, Box::new(Ok(report))));
    }
    let ticket = running.state.shared.runs.running().unwrap().ticket;
    let progress = Progress::new(Phase::Timing, 0, 2);
    running.tell(1200, Message::RunProgress(ticket, progress));
    snapshot("card-running", &running);
}

/// The count of number cells that hold a number equals the plan's launches.
#[test]
fn boxes_with_a_number_are_launches() {
    for (keys, launches) in [
        ("3", 17),
        ("3v", 11),
        ("3vv", 8),
        ("3vvv", 1),
        ("3 ", 15),
        ("3 jj ", 13),
    ] {
        let rows = Screen::new(80, 24).typed(keys).rows();
        let count: usize = [&rows[4], &rows[9]]
            .iter()
            .map(|row| {
                row.chars()
                    .take(64)
                    .collect::<String>()
                    .split(|c: char| !(c.is_ascii_digit() || c == '.'))
                    .filter(|t| t.contains('.') && t.len() > 1)
                    .count()
            })
            .sum();
        assert_eq!(count, launches, "{keys}");
    }
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
