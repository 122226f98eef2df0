//! What travels between memory and chip, drawn: memory above, a box for each kernel
//! below it, and an arrow for each tensor between.

use crate::tui::pen::{clip, width};
use crate::tui::rows::Row;
use crate::tui::theme::Role;
use course::present::{Stop, Trip, Trips};
use plan::cost::Direction;
use std::ops::Range;

/// What stands over memory: with the signs of its arrows, as far as there is room.
const TITLES: [&str; 3] = [
    "─ memory ── │▼ read  ║▼ weights  ▲│ written ──",
    "─ │▼ read  ║▼ weights  ▲│ written ─",
    "─ memory ──",
];

/// Rows of one band of kernels.
const BAND: usize = 8;

/// The picture, in as many bands of kernels as `height` rows hold; those around the
/// kernel that was reached. `reached`: kernels whose journeys are drawn, all but the
/// last of them past; None: every kernel, as one picture.
pub fn picture(trips: &Trips, reached: Option<usize>, columns: usize, height: usize) -> Vec<Row> {
    let bands = bands(trips, columns);
    let room = (height / BAND).max(1);
    let here = reached.map_or(0, |reached| reached.saturating_sub(1));
    let at = bands.iter().position(|band| band.contains(&here));
    let first = at.unwrap_or(0).saturating_sub(room / 2);
    let first = first.min(bands.len().saturating_sub(room));
    let shown = bands.get(first..bands.len().min(first + room));
    let shown = shown.unwrap_or_default();
    let mut rows = Vec::new();
    for (number, band) in shown.iter().enumerate() {
        let from = shown.first().map_or(0, |band| band.start);
        let to = shown.last().map_or(0, |band| band.end);
        let part = match number == 0 && shown.len() < bands.len() {
            true => format!(" {}–{to} of {} ─", from + 1, trips.kernels.len()),
            false => String::new(),
        };
        let unit = match number {
            0 => format!(" {} = ─", trips.unit.symbol()),
            _ => "─".to_owned(),
        };
        let titles: &[&str] = match number {
            0 => &TITLES,
            _ => &TITLES[TITLES.len() - 1..],
        };
        // How many kernels there are, and the unit, are never cut.
        let room = columns.saturating_sub(width(&part) + width(&unit));
        let title = titles.iter().find(|title| width(title) <= room);
        let title = title.copied().unwrap_or_default();
        let line = room.saturating_sub(width(title));
        let title = format!("{title}{}{part}", "─".repeat(line));
        rows.push(Row::of(title, Role::Dim).and(unit, Role::Modelled));
        rows.extend(self::band(trips, band.clone(), reached, columns));
    }
    rows
}

/// Kernels side by side, as many as there is room for, in each band.
fn bands(trips: &Trips, columns: usize) -> Vec<Range<usize>> {
    let mut bands: Vec<Range<usize>> = Vec::new();
    let mut left = 0;
    for (at, stop) in trips.kernels.iter().enumerate() {
        let needs = Drawn::of(stop, columns).inner + 2;
        match bands.last_mut() {
            Some(band) if needs <= left => band.end = at + 1,
            _ => {
                bands.push(at..at + 1);
                left = columns;
            }
        }
        left = left.saturating_sub(needs + 1);
    }
    bands
}

/// A journey as it is drawn; several weights are one where there is no room for each.
struct Arrow {
    way: Direction,
    name: String,
    text: String,
    columns: usize,
}

impl Arrow {
    fn new(way: Direction, name: &str, text: &str) -> Self {
        Self {
            way,
            columns: width(name).max(width(text)),
            name: name.to_owned(),
            text: text.to_owned(),
        }
    }

    fn of(trip: &Trip) -> Self {
        Self::new(trip.way, trip.name, &trip.text)
    }
}

/// A kernel with the measures of its box.
struct Drawn {
    arrows: Vec<Arrow>,
    name: String,
    /// Columns between the walls.
    inner: usize,
}

impl Drawn {
    fn of(stop: &Stop, columns: usize) -> Self {
        let room = columns.saturating_sub(2);
        let needs = |arrows: &[Arrow]| arrows.iter().map(|arrow| arrow.columns + 1).sum::<usize>();
        let mut arrows: Vec<Arrow> = stop.trips.iter().map(Arrow::of).collect();
        if needs(&arrows) > room {
            arrows = together(stop);
        }
        let all = stop.ops.join(" ");
        let name = match (stop.ops.first(), stop.ops.last()) {
            (Some(first), Some(last)) if width(&all) + width(&stop.text) + 3 > room => {
                format!("{first} … {last}")
            }
            _ => all,
        };
        let inner = needs(&arrows).max(width(&name) + width(&stop.text) + 3);
        Self {
            arrows,
            name,
            inner: inner.min(room),
        }
    }
}

/// The arrows of a kernel with all of its weights on one.
fn together(stop: &Stop) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    for trip in &stop.trips {
        if trip.way != Direction::Weight {
            arrows.push(Arrow::of(trip));
        } else if !arrows.iter().any(|arrow| arrow.way == Direction::Weight) {
            let (number, text) = &stop.weights;
            arrows.push(Arrow::new(trip.way, &format!("{number} weights"), text));
        }
    }
    arrows
}

/// Kernels beside each other: names, bytes and arrows of what travels, and their boxes.
fn band(trips: &Trips, band: Range<usize>, reached: Option<usize>, columns: usize) -> Vec<Row> {
    let mut lines: Vec<Row> = vec![Row::default(); BAND - 1];
    let first = band.start;
    for at in band {
        let Some(stop) = trips.kernels.get(at) else {
            continue;
        };
        let seen = reached.is_none_or(|reached| at < reached);
        let here = reached == Some(at + 1);
        let boxed = kernel(stop, seen, here, first == at, columns);
        for (line, spans) in lines.iter_mut().zip(boxed) {
            if !line.spans.is_empty() {
                *line = std::mem::take(line).and(" ", Role::Text);
            }
            line.spans.extend(spans.spans);
        }
    }
    lines
}

/// One kernel, its journeys above it; the first of a band says what lies below.
fn kernel(stop: &Stop, seen: bool, here: bool, first: bool, columns: usize) -> [Row; BAND - 1] {
    let Drawn {
        arrows,
        name,
        inner,
    } = Drawn::of(stop, columns);
    let mut above: [Row; 4] = std::array::from_fn(|_| Row::of(" ", Role::Text));
    for arrow in &arrows {
        let shaft = match arrow.way {
            Direction::Weight => "║",
            _ => "│",
        };
        let (upper, lower, role) = match arrow.way {
            Direction::Write => ("▲", shaft, Role::Accent),
            Direction::Read => (shaft, "▼", Role::Text),
            Direction::Weight => (shaft, "▼", Role::Dim),
        };
        let cells = [
            (arrow.name.as_str(), Role::Text),
            (arrow.text.as_str(), Role::Modelled),
            (upper, role),
            (lower, role),
        ];
        for (row, (text, role)) in above.iter_mut().zip(cells) {
            let text = if seen { text } else { "" };
            let columns = arrow.columns;
            *row = std::mem::take(row)
                .and(" ", Role::Text)
                .and(format!("{text:^columns$}"), role);
        }
    }
    let walls = match (stop.fused, seen) {
        (true, true) => Role::Fused,
        _ => Role::Dim,
    };
    let [sign, top, bottom] = match stop.fused {
        true => ["═║", "╔╗", "╚╝"],
        false => ["─│", "┌┐", "└┘"],
    };
    let mut sign = sign.chars().map(String::from);
    let (line, side) = (
        sign.next().unwrap_or_default(),
        sign.next().unwrap_or_default(),
    );
    let corner =
        |corners: &str, at: usize| corners.chars().nth(at).map_or(String::new(), String::from);
    let mark = if here { "►" } else { " " };
    let number = if seen { stop.text.as_str() } else { "" };
    let gap = inner.saturating_sub(width(&name) + width(number) + 2);
    let named = match (here, seen) {
        (true, _) => Role::Strong,
        (false, true) => Role::Text,
        (false, false) => Role::Dim,
    };
    let kept = match (seen, first) {
        (true, _) if !stop.kept.is_empty() => Some((kept(stop, inner), Role::Fused)),
        (_, true) => Some((" chip ".to_owned(), Role::Dim)),
        _ => None,
    };
    let (kept, role) = kept.unwrap_or_default();
    let [a, b, c, d] = above.map(|row| row.padded(inner + 2));
    [
        a,
        b,
        c,
        d,
        Row::of(
            corner(top, 0) + &line.repeat(inner) + &corner(top, 1),
            walls,
        ),
        Row::of(side.clone(), walls)
            .and(mark, Role::Accent)
            .and(name, named)
            .and(" ".repeat(gap), Role::Text)
            .and(number, Role::Modelled)
            .and(" ", Role::Text)
            .and(side, walls),
        Row::of(corner(bottom, 0), walls)
            .and(kept.as_str(), role)
            .and(line.repeat(inner.saturating_sub(width(&kept))), walls)
            .and(corner(bottom, 1), walls),
    ]
}

/// What stays on the chip: the tensors where there is room for their names.
fn kept(stop: &Stop, inner: usize) -> String {
    let names: Vec<&str> = stop.kept.iter().map(|kept| kept.name).collect();
    match names.join(" ") {
        all if width(&all) + 11 <= inner => format!(" on chip: {all} "),
        _ => clip(&format!(" {} on chip ", names.len()), inner),
    }
}
