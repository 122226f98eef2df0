//! What travels between memory and chip: memory above, a box for each kernel on the chip,
//! and an arrow for each tensor between.

use super::svg::{Anchor, Svg};
use course::present::{Stop, Trip, Trips};
use plan::cost::Direction;

/// Columns of one journey, and of a letter.
const TRIP: f64 = 50.0;
const LETTER: f64 = 8.0;
/// Between two kernels.
const GAP: f64 = 14.0;
/// Units across, where a kernel has not more.
const WIDEST: f64 = 720.0;
/// From a band to the next.
const BAND: f64 = 156.0;
/// Heights within a band: the line of memory, the ends of the arrows, the box.
const MEMORY: f64 = 36.0;
const ARROW: (f64, f64) = (42.0, 84.0);
const BOX: (f64, f64) = (88.0, 28.0);

/// The stretch in as many bands as it needs.
pub(super) fn trips(trips: &Trips) -> String {
    let mut svg = Svg::default();
    let mut bands: Vec<Vec<(f64, &Stop)>> = vec![Vec::new()];
    let mut at = 0.0;
    for stop in &trips.kernels {
        let width = width(stop);
        if at > 0.0 && at + width > WIDEST {
            bands.push(Vec::new());
            at = 0.0;
        }
        bands
            .last_mut()
            .into_iter()
            .for_each(|band| band.push((at, stop)));
        at += width + GAP;
    }
    let ends = bands.iter().flatten().map(|(x, stop)| x + width(stop));
    let wide = ends.fold(0.0, f64::max) + 2.0;
    for (number, band) in bands.iter().enumerate() {
        let top = number as f64 * BAND + 14.0;
        let line = [(0.0, top + MEMORY), (wide, top + MEMORY)];
        svg.line(&line, "wall");
        if number == 0 {
            svg.text((wide, top - 2.0), Anchor::End, "dim", "memory");
            let below = top + BOX.0 + BOX.1 + 16.0;
            svg.text((wide, below), Anchor::End, "dim", "chip");
        }
        for (x, stop) in band {
            kernel(&mut svg, stop, (x + 1.0, top));
        }
    }
    let size = (wide, bands.len() as f64 * BAND + 4.0);
    let about = format!(
        "Memory above, the chip below, one box per kernel in the order of the launches: {}. \
         Arrows down are read, double ones are weights, arrows up are written.",
        trips
            .kernels
            .iter()
            .map(said)
            .collect::<Vec<_>>()
            .join("; ")
    );
    svg.finish(size, "What travels between memory and chip", &about)
}

/// A kernel in words: `qk moves 0.721`.
fn said(stop: &Stop) -> String {
    format!("{} moves {}", stop.ops.join(" "), stop.text)
}

fn name(stop: &Stop) -> String {
    match stop.ops.as_slice() {
        [first, .., last] if stop.ops.len() > 6 => format!("{first} … {last}"),
        ops => ops.join(" "),
    }
}

fn width(stop: &Stop) -> f64 {
    let words = name(stop).chars().count() + stop.text.len() + 4;
    (stop.trips.len() as f64 * TRIP).max(words as f64 * LETTER)
}

fn kernel(svg: &mut Svg, stop: &Stop, (x, top): (f64, f64)) {
    let width = width(stop);
    let step = width / stop.trips.len().max(1) as f64;
    for (number, trip) in stop.trips.iter().enumerate() {
        journey(svg, trip, (x + (number as f64 + 0.5) * step, top));
    }
    let class = if stop.fused { "wall fused" } else { "wall" };
    let insets: &[f64] = if stop.fused { &[0.0, 3.0] } else { &[0.0] };
    for inset in insets {
        let (left, right) = (x + inset, x + width - inset);
        let (upper, lower) = (top + BOX.0 + inset, top + BOX.0 + BOX.1 - inset);
        let points = [
            (left, upper),
            (right, upper),
            (right, lower),
            (left, lower),
            (left, upper),
        ];
        svg.line(&points, class);
    }
    let y = top + BOX.0 + 19.0;
    svg.text((x + 9.0, y), Anchor::Start, "", &name(stop));
    svg.text((x + width - 9.0, y), Anchor::End, "number", &stop.text);
    let kept: Vec<&str> = stop.kept.iter().map(|kept| kept.name).collect();
    if !kept.is_empty() {
        let below = (x + 9.0, top + BOX.0 + BOX.1 + 16.0);
        svg.text(below, Anchor::Start, "fused", &kept.join(" "));
    }
}

/// A tensor: its name and bytes in memory, and an arrow to the kernel or from it.
fn journey(svg: &mut Svg, trip: &Trip, (x, top): (f64, f64)) {
    svg.text((x, top + 12.0), Anchor::Middle, "", trip.name);
    svg.text((x, top + 28.0), Anchor::Middle, "number", &trip.text);
    let (upper, lower) = (top + ARROW.0, top + ARROW.1);
    let shafts: &[f64] = match trip.way {
        Direction::Weight => &[-2.0, 2.0],
        _ => &[0.0],
    };
    for aside in shafts {
        svg.line(&[(x + aside, upper), (x + aside, lower)], "wall");
    }
    let (tip, back) = match trip.way {
        Direction::Write => (upper, upper + 7.0),
        _ => (lower, lower - 7.0),
    };
    svg.line(&[(x - 5.0, back), (x, tip), (x + 5.0, back)], "wall");
}
