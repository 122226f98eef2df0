//! The page of plans and the shell say the same of the same runs.

use super::shown::Shown;
use super::*;
use crate::tui::Painter;
use app::key::ch;
use app::machine::{BackendFacts, Ceilings, Condition};
use app::{Event, Look, Message, State, update};
use plan::cost::{Cost, KernelCost};
use plan::fusion::Version;
use plan::run::{Axis, SpanReport, Timing, TraceReport};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

fn roof() -> Ceilings {
    Ceilings::measured("this CPU", 20e9, 200e9)
}

/// A run on the CPU in which each kernel takes as long as its name has letters, in steps
/// of 17 µs, and nothing is round.
fn report(cost: &Cost) -> Report {
    let us = |kernel: &KernelCost| 17.3 * kernel.name.len() as f64;
    let kernels = cost.forward.kernels.iter().enumerate();
    let spans = kernels.map(|(kernel, cost)| SpanReport {
        name: cost.name.clone(),
        kernel,
        from: 0.0,
        to: us(cost),
        took: vec![us(cost), 1.1 * us(cost), 1.3 * us(cost)],
    });
    let spans: Vec<SpanReport> = spans.collect();
    let whole: f64 = spans.iter().map(|span| span.to).sum();
    Report {
        time_us: Timing::of(&[whole, 1.01 * whole, 1.03 * whole], "a clock"),
        held_bytes: Some(13_000_000 + cost.peak.bytes),
        trace: Some(TraceReport {
            axis: Axis::Microseconds,
            how: "a clock around each kernel".into(),
            forwards: 3,
            spans,
            phases: vec![],
        }),
        ..Report::bare("cpu", "a CPU, 2 threads", cost.forward.launches())
    }
}

fn tell(state: &mut State, message: Message) {
    update(state, Event { at: 1, message });
}

fn typed(state: &mut State, keys: &str) {
    let keys = keys.chars().map(|c| Message::Key(ch(c)));
    keys.for_each(|key| tell(state, key));
}

/// The page of plans, all four run.
fn page(size: (u16, u16)) -> State {
    let mut state = State::new(size, Look::default()).unwrap();
    state.shared.machine.backends = vec![BackendFacts {
        name: "cpu".into(),
        condition: Condition::Ready,
        ceilings: Some(roof()),
        ..BackendFacts::default()
    }];
    state.shared.machine.ceilings = Some(roof());
    typed(&mut state, "4R");
    while let Some(running) = state.shared.runs.running() {
        let (ticket, cut) = (running.ticket, running.cut);
        let report = report(&state.shared.bench.price_of(cut).unwrap());
        tell(&mut state, Message::RunDone(ticket, Box::new(Ok(report))));
    }
    state
}

/// The lines of a screen.
fn drawn(state: &State) -> Vec<String> {
    let (columns, rows) = state.shared.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    Painter::default().draw(state, &mut buffer);
    let row = |y| {
        let cells = (0..columns).map(|x| buffer[(x, y)].symbol());
        cells.collect::<String>()
    };
    (0..rows).map(row).collect()
}

/// What the shell says of the runs that a state has.
fn shell(state: &State) -> Vec<String> {
    let database = GpuDatabase::embedded().unwrap();
    let gpu = database.get("h200").unwrap();
    let cuts = Version::WORKSHOP.map(Version::cut);
    let config = state.shared.bench.setup().config(Cut::v1());
    let mut comparison = Comparison::new(&config, &cuts, gpu, Scope::Forward).unwrap();
    for column in &mut comparison.columns {
        let cut = column.cost.config.cut;
        let report = state.shared.runs.of(state.shared.bench.setup(), cut);
        column.report = report.cloned();
    }
    let merits = merit::of(Some(&roof()), &database, &comparison.columns);
    let shown = Shown {
        comparison,
        merits,
        gpu,
        idle: Vec::new(),
    };
    let mut out = Out::default();
    side_by_side(&shown, &mut out);
    out.so_far().lines().map(str::to_owned).collect()
}

/// Words of the line that begins with one, however far apart they stand.
fn words<'l>(lines: &'l [String], first: &str) -> Vec<&'l str> {
    let line = lines.iter().find(|line| line.trim().starts_with(first));
    let line = line.unwrap_or_else(|| panic!("no “{first}” in\n{}", lines.join("\n")));
    line.split_whitespace().collect()
}

#[test]
fn page_and_shell_have_the_same_figures_of_the_same_runs() {
    // As many rows as all kernels need.
    let mut state = page((80, 30));
    let shell = shell(&state);
    typed(&mut state, "f");
    let figures = drawn(&state);
    for label in [
        "tokens/s @",
        "± median dev.",
        "MFU, all FLOPs @",
        "MFU, 2 × weights @",
        "held MB #",
        "modelled =",
        "kernels",
        "attention",
        "feed-forward",
        "norms",
        "residuals",
        "embedding and head",
        "not told apart",
    ] {
        let here = words(&figures, label);
        assert!(here.len() > label.split_whitespace().count(), "{here:?}");
        // The time has a median deviation of its own in the shell, above that of tokens.
        let below = match label {
            "± median dev." => {
                let at = shell
                    .iter()
                    .position(|l| l.trim_start().starts_with("tokens/s @"));
                &shell[at.unwrap()..]
            }
            _ => &shell[..],
        };
        assert_eq!(here, words(below, label), "{label}");
    }
    typed(&mut state, "f");
    let hot = drawn(&state);
    let from = shell
        .iter()
        .position(|l| l.starts_with("V1, forward, kernels by time"));
    let rows = &shell[from.unwrap()..];
    // By hand: 4 launches of 7 letters, of 3 forwards the middle one: 532.84 µs.
    let softmax = words(rows, "softmax");
    assert_eq!(softmax[1..3], ["4", "532.84"]);
    for name in ["softmax", "lm_head", "q", "silu", "embed"] {
        assert_eq!(words(&hot, name), words(rows, name), "{name}");
    }
}

#[test]
fn the_lab_shows_the_plan_beside_v1_and_what_a_run_would_give_before_it() {
    let mut state = page((80, 24));
    let shell = shell(&state);
    typed(&mut state, "3vf");
    let lab = drawn(&state).join("\n");
    // V2 and V1, in this order.
    let rates = words(&shell, "tokens/s @");
    let [v1, v2] = [rates[2], rates[3]];
    let rows: Vec<String> = lab.lines().map(str::to_owned).collect();
    assert_eq!(words(&rows, "tokens/s @")[2..], [v2, v1]);
    let mut fresh = State::new((80, 24), Look::default()).unwrap();
    typed(&mut fresh, "3f");
    let lab = drawn(&fresh).join("\n");
    for needle in [
        "nothing was run yet",
        "r runs",
        "MFU, all FLOPs and 2 × weights",
        "hotspots",
    ] {
        assert!(lab.contains(needle), "{lab}");
    }
}

#[test]
fn a_large_terminal_has_costs_and_figures_at_once() {
    let state = page((120, 40));
    let shell = shell(&state);
    let rows = drawn(&state);
    let rate = words(&shell, "tokens/s @")[2];
    let line = rows.iter().find(|row| row.contains("tokens/s @")).unwrap();
    assert!(line.contains(rate), "{line}");
    assert!(rows.iter().any(|row| row.contains("peak act.")));
}
