//! What stands beside the plot: the kernels by letter, ridges, what is where.

use super::{bound, kernel, rate, role};
use crate::tui::lab::{bound_word, short_name};
use crate::tui::pen::{Pen, clip, width};
use crate::tui::theme::Role;
use app::State;
use app::figure;
use app::machine::{Ceilings, Source};
use app::roofline::{Roofs, Spot};
use plan::run::BackendKind;
use plan::units::figure::Clock;

/// Columns of letter and intensity.
const NAMES: u16 = 9;

/// In 24 columns: a line per letter.
pub fn narrow(state: &State, pen: &mut Pen<'_>) {
    let view = state.roofline.view();
    let title = format!("{}, FLOP/B =", state.shared.bench.cut().title());
    let room = usize::from(pen.width());
    pen.put(0, 0, &clip(&title, room), Role::Strong);
    let below = below(state);
    // Names go on in a second line as long as the rest has its room.
    let mut spare = usize::from(pen.height())
        .saturating_sub(1 + below.len())
        .saturating_sub(letters(&view.spots));
    let mut y = 1;
    let mut x = 0;
    let mut before = None;
    for (at, spot) in view.spots.iter().enumerate() {
        let Some(kernel) = kernel(state, spot) else {
            continue;
        };
        let label = short_name(kernel, room - usize::from(NAMES), pen.ascii());
        if before != Some(spot.letter) {
            y += u16::from(before.is_some());
            let letter = if view.here == at {
                Role::Accent
            } else {
                role(state, spot)
            };
            pen.put(0, y, &spot.letter.to_string(), letter);
            pen.right(NAMES - 1, y, &spot.printed(), Role::Modelled);
            (x, before) = (NAMES, Some(spot.letter));
        } else if usize::from(x) + width(&label) > room && spare > 0 {
            (x, y, spare) = (NAMES, y + 1, spare - 1);
        }
        let end = pen.put(x, y, &label, Role::Text);
        if view.here == at {
            pen.put(x, y, &label, Role::Accent);
            pen.reverse(x, y, end - x);
        }
        x = end + 1;
    }
    lines(&below, y + 1, pen);
}

/// Letters that are used.
fn letters(spots: &[Spot]) -> usize {
    let mut letters: Vec<char> = spots.iter().map(|s| s.letter).collect();
    letters.dedup();
    letters.len()
}

/// In 38 columns: a line per kernel, with its floor and what sets it.
pub fn wide(state: &State, pen: &mut Pen<'_>) {
    let view = state.roofline.view();
    let dtype = state.shared.bench.setup().dtype;
    let side = |spot: &Spot| view.roofs.roof.as_ref().and_then(|c| spot.under(c, dtype));
    let floors = view.spots.iter().filter_map(|spot| Some(side(spot)?.floor));
    let clock = Clock::of(floors.fold(0.0, f64::max));
    let title = format!(
        "{}, per block; floors in {}",
        state.shared.bench.cut().title(),
        clock.unit
    );
    let room = usize::from(pen.width()).saturating_sub(2);
    pen.put(1, 0, &clip(&title, room), Role::Strong);
    for (edge, head) in [(22, "FLOP/B ="), (30, "floor =")] {
        pen.right(edge, 1, head, Role::Dim);
    }
    pen.put(31, 1, "bound", Role::Dim);
    let mut y = 2;
    for (at, spot) in view.spots.iter().enumerate() {
        let Some(kernel) = kernel(state, spot) else {
            continue;
        };
        let here = view.here == at;
        if here {
            pen.put(0, y, "►", Role::Accent);
        }
        pen.put(1, y, &spot.letter.to_string(), role(state, spot));
        let label = short_name(kernel, 10, pen.ascii());
        let text = if here { Role::Accent } else { Role::Text };
        pen.put(3, y, &clip(&label, 11), text);
        pen.right(22, y, &spot.printed(), Role::Modelled);
        let floor = side(spot).map_or("–".to_owned(), |s| clock.fine(s.floor));
        pen.right(30, y, &floor, Role::Modelled);
        let word = bound_word(bound(state, spot));
        pen.put(31, y, word.trim_end_matches("-bound"), role(state, spot));
        y += 1;
    }
    let below = below(state);
    let mut part = pen.part(1, 0, pen.width().saturating_sub(1), pen.height());
    let y = lines(&below, y + 1, &mut part);
    terms(state, y + 1, &mut part);
}

/// The two times of the kernel under the cursor, and which of them is the floor.
fn terms(state: &State, y: u16, pen: &mut Pen<'_>) {
    let view = state.roofline.view();
    let dtype = state.shared.bench.setup().dtype;
    let Some((spot, roof)) = view.spot().zip(view.roofs.roof.as_ref()) else {
        return;
    };
    let Some((kernel, side)) = kernel(state, spot).zip(spot.under(roof, dtype)) else {
        return;
    };
    if y + 4 > pen.height() {
        return;
    }
    let took = spot.ran.map_or(0.0, |ran| ran.seconds);
    let clock = Clock::of(side.floor.max(took));
    let name = short_name(kernel, 20, pen.ascii());
    let title = format!("{name}, {} =", clock.unit);
    pen.put(0, y, &title, Role::Strong);
    let rows = [
        ("its FLOPs at the peak", side.flop_seconds),
        ("its bytes at the bandwidth", side.byte_seconds),
    ];
    for (y, (label, seconds)) in (y + 1..).zip(rows) {
        pen.put(1, y, label, Role::Text);
        pen.right(36, y, &clock.fine(seconds), Role::Modelled);
        if seconds >= side.floor {
            pen.put(0, y, "►", Role::Accent);
        }
    }
    let text = format!("at most {} under this roof", rate(side.rate));
    pen.put(1, y + 3, &text, Role::Dim);
    if let Some(ran) = spot.ran {
        let text = format!("ran at {} @", rate(ran.rate));
        pen.put(1, y + 4, &text, Role::Text);
        pen.right(36, y + 4, &clock.fine(ran.seconds), Role::Measured);
        if ran.rate > side.rate {
            let text = match side.byte_seconds >= side.floor {
                true => "more than DRAM allows: it was cached",
                false => "more than the peak that is set here",
            };
            pen.put(1, y + 5, text, Role::Dim);
        }
    }
}

/// Draws lines from a row on; the row behind them.
fn lines(lines: &[(String, Role)], from: u16, pen: &mut Pen<'_>) -> u16 {
    let room = usize::from(pen.width());
    let mut y = from;
    for (text, role) in lines {
        pen.put(0, y, &clip(text, room), *role);
        y += 1;
    }
    y
}

/// Ridges, how many kernels lie below them, what the digits are, what ran.
fn below(state: &State) -> Vec<(String, Role)> {
    let view = state.roofline.view();
    let dtype = state.shared.bench.setup().dtype;
    let count = |c: &Ceilings| {
        let (memory, all) = (view.memory_bound(c, dtype), view.spots.len());
        (format!("{memory} of {all} memory-bound ="), Role::Text)
    };
    let mut lines = Vec::new();
    if let Some(c) = &view.roofs.roof {
        let from = match c.source {
            Source::Measured => "@",
            _ => "sheet",
        };
        ridges(c, state, &format!("{} {from}", c.of), &mut lines);
        lines.push(count(c));
        if !view.roofs.own {
            lines.push(("roof of another device".to_owned(), Role::Warn));
            let here = match state.shared.machine.kind() {
                BackendKind::Cpu => Some("CPU"),
                kind => kind.is_gpu().then_some("GPU"),
            };
            let measures = here.map(|here| (format!("R measures this {here}"), Role::Text));
            lines.extend(measures);
        }
    }
    if let Some(c) = &view.roofs.what_if {
        lines.push((format!("dotted: {} sheet", c.of), Role::Strong));
        ridges(c, state, "what-if", &mut lines);
        lines.push(count(c));
    }
    if !view.blocks.is_empty() {
        lines.push(("1 2 3 4 on the axis: the".to_owned(), Role::Dim));
        lines.push(("whole block, V1 to V4 =".to_owned(), Role::Dim));
    }
    // Other plans that ran stay in the plot.
    let others = view.achieved.iter().filter(|run| !run.present);
    let signs: Vec<String> = others.map(|run| run.sign.to_string()).collect();
    if !signs.is_empty() {
        let text = format!("{} off the axis: forwards @", signs.join(" "));
        lines.push((text, Role::Measured));
    }
    match view.achieved.iter().find(|a| a.present) {
        Some(run) => {
            let title = state.shared.bench.cut().title();
            let text = format!("{}: a forward of {title} @", run.sign);
            lines.push((text, Role::Measured));
            let part = match run.of_roof {
                // Above the line: faster than memory allows, the data sat in a cache.
                Some(part) if part > 1.0 => ", >100 %".to_owned(),
                Some(part) => format!(", {}", figure::percent(part)),
                None => String::new(),
            };
            lines.push((format!("{}{part}", rate(run.rate)), Role::Measured));
        }
        None if view.roofs.own => lines.push(("r adds a forward @".to_owned(), Role::Dim)),
        None => {}
    }
    if view.spots.iter().any(|spot| spot.ran.is_some()) {
        lines.push(("A: kernel a as it ran @".to_owned(), Role::Measured));
    }
    // Letters never hide each other.
    lines.push(("stacked: the same spot".to_owned(), Role::Dim));
    lines
}

/// A line per ridge.
fn ridges(c: &Ceilings, state: &State, of: &str, lines: &mut Vec<(String, Role)>) {
    let parts = Roofs::parts(c, state.shared.bench.setup().dtype);
    let alone = parts.len() < 2;
    for (product, roof) in parts {
        let what = match (alone, product) {
            (true, _) => of,
            (false, true) => "products",
            (false, false) => "others",
        };
        lines.push((format!("ridge {:>6.2} {what}", roof.ridge()), Role::Text));
    }
}
