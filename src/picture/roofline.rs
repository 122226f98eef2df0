//! Kernels under the roofs of GPUs, both axes logarithmic.

use super::svg::{Anchor, Svg};
use super::{Axis, STROKES, apart, letter};
use course::present::{Point, Roofline};
use plan::cost::{Bound, Roof};
use plan::units::significant;

const WIDTH: f64 = 700.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 610.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 300.0;
/// Height of the strip above the axis in which letters stand.
const LETTERS: f64 = 30.0;
/// A line of the legend.
const LINE: f64 = 17.0;
/// FLOP/s of one unit of the upright axis.
const TERA: f64 = 1e12;

/// Kernels of one intensity: one letter.
struct Spot<'r> {
    intensity: f64,
    points: Vec<&'r Point>,
}

/// A roofline; None where no GPU has a roof, or no kernel a place.
pub(super) fn roofline(found: &Roofline) -> Option<String> {
    let roofs: Vec<(&str, Roof, usize)> = found
        .roofs
        .iter()
        .enumerate()
        .filter_map(|(n, (name, roof))| Some((name.as_str(), (*roof)?, n)))
        .collect();
    let spots = spots(&found.points);
    let ridges = || roofs.iter().map(|(_, roof, _)| roof.ridge());
    let intensities = || spots.iter().map(|spot| spot.intensity).chain(ridges());
    let most = |of: &mut dyn Iterator<Item = f64>| of.fold(f64::NEG_INFINITY, f64::max);
    let least = |of: &mut dyn Iterator<Item = f64>| of.fold(f64::INFINITY, f64::min);
    let across = Axis {
        low: least(&mut intensities()) / 2.0,
        high: most(&mut intensities()) * 4.0,
        log: true,
        ends: (LEFT, RIGHT),
    };
    let foot = roofs.iter().map(|(_, roof, _)| roof.attainable(across.low));
    let peak = roofs.iter().map(|(_, roof, _)| roof.flops_per_second);
    let up = Axis {
        low: least(&mut foot.into_iter()),
        high: most(&mut peak.into_iter()) * 1.6,
        log: true,
        ends: (BOTTOM - LETTERS, TOP),
    };
    let drawn = [across.low, across.high, up.low, up.high];
    if spots.is_empty() || !drawn.iter().all(|v| v.is_finite() && *v > 0.0) {
        return None;
    }
    let mut svg = Svg::default();
    axes(&mut svg, across, up);
    draw_roofs(&mut svg, &roofs, across, up);
    draw_spots(&mut svg, &spots, &roofs, across, up);
    let bottom = legend(&mut svg, &spots, BOTTOM + 46.0);
    let names: Vec<&str> = found.roofs.iter().map(|(name, _)| name.as_str()).collect();
    let title = format!("Kernels under the roofs of {}", names.join(", "));
    Some(svg.finish((WIDTH, bottom), &title, &about(&roofs, &spots)))
}

/// Kernels of one intensity together, by intensity; those without one have no place.
fn spots(points: &[Point]) -> Vec<Spot<'_>> {
    let mut out: Vec<Spot<'_>> = Vec::new();
    for point in points {
        let intensity = point.flops as f64 / point.bytes as f64;
        if !(intensity.is_finite() && intensity > 0.0) {
            continue;
        }
        match out.last_mut() {
            Some(spot) if (spot.intensity / intensity - 1.0).abs() < 1e-9 => {
                spot.points.push(point);
            }
            _ => out.push(Spot {
                intensity,
                points: vec![point],
            }),
        }
    }
    out
}

fn axes(svg: &mut Svg, across: Axis, up: Axis) {
    for value in up.ticks() {
        let y = up.at(value);
        svg.line(&[(LEFT, y), (RIGHT, y)], "help");
        let text = plain(value / TERA);
        svg.text((LEFT - 8.0, y + 4.0), Anchor::End, "dim", &text);
    }
    svg.line(&[(LEFT, TOP), (LEFT, BOTTOM), (RIGHT, BOTTOM)], "axis");
    for value in across.ticks() {
        let x = across.at(value);
        svg.line(&[(x, BOTTOM), (x, BOTTOM + 4.0)], "axis");
        svg.text((x, BOTTOM + 17.0), Anchor::Middle, "dim", &plain(value));
    }
    svg.text(
        (LEFT, TOP - 12.0),
        Anchor::Start,
        "dim",
        "TFLOP/s, logarithmic",
    );
    let below = (RIGHT + 80.0, BOTTOM + 17.0);
    svg.text(below, Anchor::End, "dim", "FLOP/B =");
}

/// A power of ten as an axis prints it.
fn plain(value: f64) -> String {
    match value >= 1.0 {
        true => significant(value.round(), 1),
        false => significant(value, 1),
    }
}

/// Each roof: its slope and its flat part, the name at its end; below the ridge a
/// thin line.
fn draw_roofs(svg: &mut Svg, roofs: &[(&str, Roof, usize)], across: Axis, up: Axis) {
    let flats: Vec<f64> = roofs
        .iter()
        .map(|(_, roof, _)| up.at(roof.flops_per_second))
        .collect();
    let labels = apart(&flats, 14.0, TOP, BOTTOM - LETTERS);
    for ((name, roof, n), label) in roofs.iter().zip(labels) {
        let at = |intensity: f64| (across.at(intensity), up.at(roof.attainable(intensity)));
        let ridge = at(roof.ridge());
        svg.line(&[ridge, (ridge.0, BOTTOM)], "help");
        let points = [at(across.low), ridge, at(across.high)];
        svg.line(&points, &format!("roof s{}", n % STROKES));
        svg.text((RIGHT + 6.0, label + 4.0), Anchor::Start, "", name);
    }
}

/// A sign on each roof, and the letter above the axis.
fn draw_spots(
    svg: &mut Svg,
    spots: &[Spot<'_>],
    roofs: &[(&str, Roof, usize)],
    across: Axis,
    up: Axis,
) {
    let places: Vec<f64> = spots.iter().map(|s| across.at(s.intensity)).collect();
    let letters = apart(&places, 11.0, LEFT + 8.0, RIGHT - 4.0);
    for (i, (spot, letter_at)) in spots.iter().zip(letters).enumerate() {
        let x = across.at(spot.intensity);
        let reached: Vec<(f64, usize, f64)> = roofs
            .iter()
            .map(|(_, roof, n)| {
                let rate = roof.attainable(spot.intensity);
                (up.at(rate), *n, rate)
            })
            .collect();
        let top = reached
            .iter()
            .map(|(y, ..)| *y)
            .fold(f64::INFINITY, f64::min);
        let foot = BOTTOM - LETTERS;
        svg.line(&[(x, top), (x, foot), (letter_at, BOTTOM - 16.0)], "drop");
        for (y, n, rate) in reached {
            let bound = spot.points.first().and_then(|p| *p.bounds.get(n)?);
            let side = bound.map_or("", Bound::name);
            let rate = significant(rate / TERA, 3);
            let name = roofs.iter().find(|(_, _, m)| *m == n).map_or("", |r| r.0);
            let says = format!("{}: at most {rate} TFLOP/s on {name}, {side}", ops(spot));
            svg.sign(usize::from(side == Bound::Compute.name()), (x, y), &says);
        }
        let text = letter(i).to_string();
        svg.text((letter_at, BOTTOM - 5.0), Anchor::Middle, "strong", &text);
    }
}

fn ops(spot: &Spot<'_>) -> String {
    let names: Vec<&str> = spot.points.iter().map(|p| p.ops.as_str()).collect();
    names.join(", ")
}

/// What the signs and the letters mean, in two columns; the place below it.
fn legend(svg: &mut Svg, spots: &[Spot<'_>], top: f64) -> f64 {
    svg.sign(0, (LEFT + 4.0, top - 4.0), "");
    svg.text((LEFT + 14.0, top), Anchor::Start, "dim", "memory-bound");
    svg.sign(1, (LEFT + 124.0, top - 4.0), "");
    svg.text((LEFT + 134.0, top), Anchor::Start, "dim", "compute-bound");
    let long = spots.iter().any(|spot| ops(spot).chars().count() > 34);
    let columns = if long || spots.len() < 5 { 1 } else { 2 };
    let rows = spots.len().div_ceil(columns);
    for (i, spot) in spots.iter().enumerate() {
        let x = LEFT + (i / rows) as f64 * 310.0;
        let y = top + 6.0 + (i % rows + 1) as f64 * LINE;
        let text = letter(i).to_string();
        svg.text((x, y), Anchor::Start, "strong", &text);
        svg.text((x + 16.0, y), Anchor::Start, "", &ops(spot));
        let edge = x + if columns == 1 { 600.0 } else { 280.0 };
        let number = format!("{:.2} FLOP/B", spot.intensity);
        svg.text((edge, y), Anchor::End, "dim", &number);
    }
    top + rows as f64 * LINE + 14.0
}

fn about(roofs: &[(&str, Roof, usize)], spots: &[Spot<'_>]) -> String {
    let ridge = |(name, roof, _): &(&str, Roof, usize)| {
        format!("the ridge of {name} is at {:.2} FLOP/B", roof.ridge())
    };
    let ridges: Vec<String> = roofs.iter().map(ridge).collect();
    let spots = spots
        .iter()
        .map(|spot| format!("{} {:.2}", ops(spot), spot.intensity));
    let spots: Vec<String> = spots.collect();
    let (ridges, spots) = (ridges.join(", "), spots.join("; "));
    format!("FLOP/B of the kernels: {spots}. Roofs from data sheets: {ridges}.")
}
