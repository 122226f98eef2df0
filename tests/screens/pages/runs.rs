//! What runs counted and timed, beside the model and under the roof.

use super::{Screen, along, clocked, snapshot};
use std::sync::Arc;
use tinyllama_tutor::app::Message;
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::machine::Machine;
use tinyllama_tutor::cost::{Cost, GpuDatabase, KernelCost};
use tinyllama_tutor::model::Dtype;
use tinyllama_tutor::run::{
    BufferReport, BytesReport, KernelReport, Phase, Progress, Report, RunError, Timing,
};

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

/// Where a letter stands in the plot: beside a dot of a roof.
fn plotted(screen: &Screen, letter: char) -> (f64, f64) {
    let dot = |c: Option<&char>| c.is_some_and(|c| ('\u{2801}'..='\u{28ff}').contains(c));
    let found = screen.rows().into_iter().enumerate().find_map(|(y, row)| {
        let row: Vec<char> = row.chars().collect();
        let beside = |x: &usize| dot(row.get(x - 1)) || dot(row.get(x + 1));
        let at = (1..row.len()).filter(|x| row[*x] == letter).find(beside);
        at.map(|x| (x as f64, y as f64))
    });
    found.unwrap_or_else(|| panic!("{letter}: {:#?}", screen.rows()))
}

/// Both axes are logarithmic and the roof is straight on either side of the ridge at 11.9:
/// between softmax, d, at 0.75 FLOP/B and qk, e, at 11.636 the point stands in proportion.
#[test]
fn a_point_of_ones_own_stands_at_its_place_on_the_roof() {
    for size in [(80, 24), (120, 40)] {
        let before = roofline(size.0, size.1);
        let (d, e) = (plotted(&before, 'd'), plotted(&before, 'e'));
        let own = |typed: &str| {
            let s = roofline(size.0, size.1).typed("i").typed(typed);
            plotted(&s.keys([key(Code::Enter)]), '?')
        };
        let share = (3.0_f64 / 0.75).log10() / (11.636_f64 / 0.75).log10();
        let (x, y) = own("3");
        assert!(
            (x - (d.0 + share * (e.0 - d.0))).abs() <= 1.0,
            "{x} {d:?} {e:?}"
        );
        assert!(
            (y - (d.1 + share * (e.1 - d.1))).abs() <= 1.0,
            "{y} {d:?} {e:?}"
        );
        // On the flat part it is as high as every other, and right of gate at 36.6.
        let (x, y) = own("50");
        assert_eq!(y, plotted(&before, 'h').1);
        assert!(x > plotted(&before, 'h').0);
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
fn long_times_stand_in_the_unit_of_their_size() {
    // 16.777 MFLOP of q take 16.777 ms at 1 GFLOP/s, its 0.524 MB 13.107 ms at 40 MB/s.
    let slow = |columns, rows| {
        let mut screen = roofline(columns, rows);
        let ceilings = screen.state.shared.machine.ceilings.as_mut().unwrap();
        (ceilings.fp32, ceilings.bandwidth) = (1e9, 40e6);
        screen.state.shared.machine.backends[0].lacks.clear();
        screen
    };
    let long = |cost: &Cost| {
        let mut report = clocked(cost);
        report.time_us = Timing::of(&[154_663.2], "a clock");
        for span in &mut report.trace.as_mut().unwrap().spans {
            (span.to, span.took) = (40_000.0 * span.to, vec![40_000.0 * span.to]);
        }
        report
    };
    for (columns, rows) in [(80, 24), (120, 40)] {
        for (keys, unit, number) in [
            ("3r", "ms, fwd @", "154.7"),
            ("4R", "time ms @", "154.7"),
            ("4tR", " ms @", "154.7"),
            ("5rt", "ran ms @", "80.000"),
            ("5rt", "floor ms", "16.777"),
            ("5r", "floor 16.777 ms =", "its 80.000 ms @"),
        ] {
            let mut screen = slow(columns, rows).typed(keys).answered(long);
            if keys.starts_with('5') {
                screen = screen.times(8, key(Code::Right));
            }
            let text = screen.rows().join("\n").to_lowercase();
            for says in [unit, number] {
                assert!(text.contains(says), "{keys}: {text}");
            }
            assert!(!text.contains("154663"), "{keys}: {text}");
        }
    }
    let text = slow(120, 40).times(8, key(Code::Right)).rows().join("\n");
    for says in ["floors in ms", "q, ms =", "16.777 compute", " 13.107 "] {
        assert!(text.contains(says), "{says}: {text}");
    }
}

/// A run that counted: every kernel asks for its bytes twice, a kernel of
/// several phases hands `h` from one to the next.
pub(super) fn counted(cost: &Cost) -> Report {
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
    pub(super) fn counted(self) -> Self {
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
    // Of plans in turns the table says first what `saved` is, and on the row of floors this.
    let lab = lab.keys([key(Code::Tab)]);
    assert!(
        lab.rows()
            .join("\n")
            .contains("saved compares round by round")
    );
    let lab = lab.keys([key(Code::Down); 6]);
    let text = lab.rows().join("\n");
    assert!(text.contains("the data sat in cache"), "{text}");
    let compare = Screen::new(80, 24).typed("4R").counted();
    let text = compare.rows().join("\n");
    assert!(text.contains(">100 %"), "{text}");
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

#[test]
fn the_list_of_kernels_ends_above_the_card_of_a_run() {
    let mut screen = Screen::new(120, 40).typed("3r");
    let listed = |screen: &Screen| {
        let rows = screen.rows();
        let head = rows
            .iter()
            .position(|row| row.contains("kernels of a block"));
        let card = rows.iter().position(|row| row.contains(" running   "));
        let ends = card.map_or(rows.len() - 2, |card| card - 1);
        ends - head.unwrap() - 2
    };
    let room = listed(&screen);
    let ticket = screen.state.shared.runs.running().unwrap().ticket;
    let progress = Progress::new(Phase::Timing, 0, 2);
    screen.tell(1200, Message::RunProgress(ticket, progress));
    // The last kernel, under the cursor, is in view, and the head counts what is.
    let screen = screen.times(16, ch(']'));
    let left = listed(&screen);
    assert!(left < room, "{left} of {room}");
    let said = screen.rows().join("\n");
    let (first, all) = (17 - left + 1, 17);
    assert!(
        said.contains(&format!(" {first} to {all} of {all} ")),
        "{said}"
    );
    assert!(said.contains("►res2"), "{said}");
}
