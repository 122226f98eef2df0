//! Lines over a parameter, a sign at every computed point.

use super::svg::{Anchor, Svg};
use super::{Axis, STROKES, apart};
use course::present::Chart;
use plan::units::{group_thousands, significant};

/// The picture, and its plot within it.
const SIZE: (f64, f64) = (700.0, 300.0);
const LEFT: f64 = 66.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 262.0;
/// Where lines without names end; those with names leave room for a sign and the longest.
const BARE: f64 = 676.0;
const SIGN: f64 = 23.0;
const LETTER: f64 = 7.2;

/// A chart; None where no point can be drawn.
pub(super) fn chart(chart: &Chart) -> Option<String> {
    let finite = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values
            .filter(|v| v.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                (low.min(v), high.max(v))
            });
        (low <= high).then_some((low, high))
    };
    let (left, right) = finite(&mut chart.at.iter().copied())?;
    let (low, high) = finite(&mut chart.lines.iter().flat_map(|l| l.values.iter().copied()))?;
    // A straight axis begins at nothing, so that lengths can be compared.
    let low = if chart.log_y { low } else { low.min(0.0) };
    let wider = |low: f64, high: f64, log: bool| match (high > low, log) {
        (true, _) => (low, high),
        (false, true) => (low / 2.0, low * 2.0),
        (false, false) => (low, low + 1.0),
    };
    let (low, high) = wider(low, high, chart.log_y);
    let (left, right) = wider(left, right, chart.log_x);
    let names = chart.lines.iter().map(|line| line.name.chars().count());
    let end = match names.max().unwrap_or(0) {
        0 => BARE,
        longest => (SIZE.0 - SIGN - longest as f64 * LETTER).max(SIZE.0 / 2.0),
    };
    let across = Axis {
        low: left,
        high: right,
        log: chart.log_x,
        ends: (LEFT, end),
    };
    let up = Axis {
        low,
        high,
        log: chart.log_y,
        ends: (BOTTOM, TOP + 8.0),
    };
    let mut svg = Svg::default();
    axes(&mut svg, chart, across, up, end);
    let last =
        |line: &course::present::Line| line.values.iter().rev().find(|v| v.is_finite()).copied();
    let ends: Vec<f64> = chart
        .lines
        .iter()
        .map(|line| up.at(last(line).unwrap_or(low)))
        .collect();
    let labels = apart(&ends, 14.0, TOP + 4.0, BOTTOM);
    for (n, (line, label)) in chart.lines.iter().zip(labels).enumerate() {
        let points: Vec<(usize, (f64, f64))> = chart
            .at
            .iter()
            .zip(&line.values)
            .enumerate()
            .filter(|(_, (x, y))| x.is_finite() && y.is_finite())
            .map(|(i, (x, y))| (i, (across.at(*x), up.at(*y))))
            .collect();
        let path: Vec<(f64, f64)> = points.iter().map(|(_, at)| *at).collect();
        svg.line(&path, &format!("line s{}", n % STROKES));
        for (i, at) in &points {
            let said = line.said.get(*i).map_or("", String::as_str);
            let x = chart.at.get(*i).copied().unwrap_or_default();
            let says = format!("{} {} {}: {said}", line.name, chart.x, whole(x));
            svg.sign(n % STROKES, *at, says.trim_start());
        }
        if !line.name.is_empty() {
            svg.sign(n % STROKES, (end + 14.0, label), "");
            svg.text((end + SIGN, label + 4.0), Anchor::Start, "", &line.name);
        }
    }
    Some(svg.finish(SIZE, &title(chart), &about(chart)))
}

/// The axes with their ticks; horizontal lines help the eye.
fn axes(svg: &mut Svg, chart: &Chart, across: Axis, up: Axis, end: f64) {
    for value in up.ticks() {
        let y = up.at(value);
        svg.line(&[(LEFT, y), (end, y)], "help");
        let text = significant(value, 3);
        svg.text((LEFT - 8.0, y + 4.0), Anchor::End, "dim", shorter(&text));
    }
    svg.line(&[(LEFT, TOP), (LEFT, BOTTOM), (end, BOTTOM)], "axis");
    let mut free = f64::NEG_INFINITY;
    for value in &chart.at {
        let x = across.at(*value);
        svg.line(&[(x, BOTTOM), (x, BOTTOM + 4.0)], "axis");
        let label = whole(*value);
        let half = label.chars().count() as f64 * 3.5;
        if x - half > free {
            svg.text((x, BOTTOM + 17.0), Anchor::Middle, "dim", &label);
            free = x + half + 4.0;
        }
    }
    svg.text((LEFT, TOP - 10.0), Anchor::Start, "dim", &unit(chart));
    let log = if across.log { ", logarithmic" } else { "" };
    let below = format!("{}{log}", chart.x);
    svg.text((end, BOTTOM + 33.0), Anchor::End, "dim", &below);
}

/// `5`, never `5.00`.
fn shorter(text: &str) -> &str {
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

/// A value of the parameter.
fn whole(value: f64) -> String {
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => group_thousands(value as i128),
        false => value.to_string(),
    }
}

fn unit(chart: &Chart) -> String {
    let log = if chart.log_y { ", logarithmic" } else { "" };
    format!("{} ={log}", chart.unit).trim_start().to_owned()
}

fn title(chart: &Chart) -> String {
    let names: Vec<&str> = chart
        .lines
        .iter()
        .map(|line| line.name.as_str())
        .filter(|name| !name.is_empty())
        .collect();
    let what = match (names.as_slice(), chart.unit.as_str()) {
        ([], "") => "Values".to_owned(),
        ([], unit) => unit.to_owned(),
        (names, "") => names.join(", "),
        (names, unit) => format!("{} in {unit}", names.join(", ")),
    };
    format!("{what}, over {}", chart.x)
}

/// From where to where each line goes.
fn about(chart: &Chart) -> String {
    let one = |line: &course::present::Line| {
        let (first, last) = (line.said.first()?, line.said.last()?);
        let (from, to) = (chart.at.first()?, chart.at.last()?);
        let name = match line.name.as_str() {
            "" => String::new(),
            name => format!("{name}: "),
        };
        Some(format!(
            "{name}{first} at {x} {}, {last} at {x} {}.",
            whole(*from),
            whole(*to),
            x = chart.x
        ))
    };
    let lines: Vec<String> = chart.lines.iter().filter_map(one).collect();
    lines.join(" ")
}
