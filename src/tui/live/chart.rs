//! The `chart` block: Braille lines with a letter at every computed point, and
//! plain letters in ASCII.

use crate::tui::braille::braille;
use crate::tui::pen::width;
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;
use app::mouse::Target;
use course::present::Chart;
use plan::units::significant;

/// Lines of the plot.
const HEIGHT: usize = 9;
/// Columns left of the axis, for the values.
const MARGIN: usize = 9;
/// Columns of the plot at most: a wider one says no more.
const WIDEST: usize = 56;

/// The picture: the plot, its axes, and which letter is which line.
pub fn rows(chart: &Chart, block: usize, ascii: bool, columns: usize) -> Vec<Row> {
    let width = columns.saturating_sub(MARGIN + 3).clamp(8, WIDEST);
    let scale = Scale::of(chart, width);
    let mut rows = vec![head(chart, columns)];
    let (canvas, points) = plot(chart, &scale, ascii);
    for (y, line) in canvas.into_iter().enumerate() {
        let value = match y {
            0 => scale.value(scale.top),
            y if y == HEIGHT / 2 => scale.value((scale.top + scale.bottom) / 2.0),
            y if y == HEIGHT - 1 => scale.value(scale.bottom),
            _ => String::new(),
        };
        let tick = if value.is_empty() { "│" } else { "┤" };
        let mut row = Row::default()
            .right(MARGIN, &value, Role::Dim)
            .at(MARGIN, format!(" {tick}"), Role::Dim)
            .and(line, Role::Modelled);
        let here = points.iter().filter(|point| point.y == y);
        row.spots.extend(here.map(|point| {
            let target = Target::Point(block, point.line, point.at);
            ((MARGIN + 2 + point.x) as u16, 1, target)
        }));
        rows.push(row);
    }
    rows.push(
        Row::default()
            .at(MARGIN, " └", Role::Dim)
            .and("─".repeat(width), Role::Dim),
    );
    rows.push(ticks(chart, &scale, columns.saturating_sub(MARGIN + 2)));
    let names: Vec<String> = chart
        .lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.name.is_empty())
        .map(|(i, line)| format!("{}\u{a0}{}", letter(i), line.name.replace(' ', "\u{a0}")))
        .collect();
    if !names.is_empty() {
        let room = columns.saturating_sub(MARGIN + 2);
        rows.extend(
            words(&names.join(" · "), room, Role::Text)
                .into_iter()
                .map(|r| r.indented(MARGIN + 2)),
        );
    }
    rows
}

/// What the axes are, in so many columns.
fn head(chart: &Chart, columns: usize) -> Row {
    let unit = if chart.unit.is_empty() {
        String::new()
    } else {
        format!("{} ", chart.unit)
    };
    let [long, short] = match (chart.log_x, chart.log_y) {
        (true, true) => [", both axes logarithmic", ", log-log"],
        (true, false) => [", logarithmic", ", log"],
        _ => [""; 2],
    };
    let axes = format!(
        "{}= (up), {} (across)",
        " ".repeat(MARGIN - 1) + &unit,
        chart.x
    );
    let scale = match width(&axes) + width(long) > columns {
        true => short,
        false => long,
    };
    Row::default().and(axes + scale, Role::Dim)
}

const fn letter(i: usize) -> char {
    (b'a' + (i % 26) as u8) as char
}

/// From values to places, both in the axes' own measure.
struct Scale {
    left: f64,
    right: f64,
    bottom: f64,
    top: f64,
    log_x: bool,
    log_y: bool,
    width: usize,
}

impl Scale {
    fn of(chart: &Chart, width: usize) -> Self {
        let measure = |v: f64, log: bool| if log { v.log10() } else { v };
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values
                .filter(|v| v.is_finite())
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| {
                    (a.min(v), b.max(v))
                })
        };
        let (left, right) = range(&mut chart.at.iter().map(|v| measure(*v, chart.log_x)));
        let values = chart.lines.iter().flat_map(|l| &l.values);
        let (low, top) = range(&mut values.map(|v| measure(*v, chart.log_y)));
        // A straight axis begins at nothing, so that lengths can be compared.
        let bottom = if chart.log_y { low } else { low.min(0.0) };
        let top = if top > bottom { top } else { bottom + 1.0 };
        Scale {
            left,
            right: if right > left { right } else { left + 1.0 },
            bottom,
            top,
            log_x: chart.log_x,
            log_y: chart.log_y,
            width,
        }
    }

    /// Place in dots, from the left and from the top.
    fn dot(&self, x: f64, y: f64) -> (f64, f64) {
        let x = if self.log_x { x.log10() } else { x };
        let y = if self.log_y { y.log10() } else { y };
        let across = (x - self.left) / (self.right - self.left);
        let up = (y - self.bottom) / (self.top - self.bottom);
        (
            across * (self.width * 2 - 1) as f64,
            (1.0 - up) * (HEIGHT * 4 - 1) as f64,
        )
    }

    fn value(&self, at: f64) -> String {
        significant(if self.log_y { 10f64.powf(at) } else { at }, 3)
    }
}

/// A letter of the plot: its cell, its line, and the value of the parameter.
struct Point {
    x: usize,
    y: usize,
    line: usize,
    at: usize,
}

/// The lines of the plot, and where its letters stand.
fn plot(chart: &Chart, scale: &Scale, ascii: bool) -> (Vec<String>, Vec<Point>) {
    let (wide, high) = (scale.width * 2, HEIGHT * 4);
    let mut dots = vec![false; wide * high];
    let mut signs = vec![None; scale.width * HEIGHT];
    let mut placed = Vec::new();
    for (i, line) in chart.lines.iter().enumerate() {
        let points: Vec<(usize, (f64, f64))> = chart
            .at
            .iter()
            .zip(&line.values)
            .enumerate()
            .filter(|(_, (x, y))| x.is_finite() && y.is_finite())
            .map(|(at, (x, y))| (at, scale.dot(*x, *y)))
            .collect();
        for pair in points.windows(2) {
            let [(_, a), (_, b)] = pair else { continue };
            let steps = (b.0 - a.0).abs().max((b.1 - a.1).abs()).ceil().max(1.0);
            for step in 0..=steps as usize {
                let part = step as f64 / steps;
                let x = (a.0 + (b.0 - a.0) * part).round() as usize;
                let y = (a.1 + (b.1 - a.1) * part).round() as usize;
                if let Some(dot) = dots.get_mut(y.min(high - 1) * wide + x.min(wide - 1)) {
                    *dot = true;
                }
            }
        }
        for (at, (x, y)) in points {
            let y = (y.round() as usize / 4).min(HEIGHT - 1);
            let x = (x.round() as usize / 2).min(scale.width - 1);
            // Letters never hide each other: the first one stays.
            if let Some(sign @ None) = signs.get_mut(y * scale.width + x) {
                *sign = Some(letter(i));
                placed.push(Point { x, y, line: i, at });
            }
        }
    }
    let lit = |x: usize, y: usize| dots.get(y * wide + x).copied().unwrap_or(false);
    let lines = (0..HEIGHT).map(|y| {
        (0..scale.width)
            .map(|x| match signs.get(y * scale.width + x) {
                Some(Some(sign)) => *sign,
                _ => cell(&lit, x * 2, y * 4, ascii),
            })
            .collect()
    });
    (lines.collect(), placed)
}

/// Two by four dots as one character.
fn cell(lit: &dyn Fn(usize, usize) -> bool, x: usize, y: usize, ascii: bool) -> char {
    match braille(&|dx, dy| lit(x + dx, y + dy)) {
        None => ' ',
        Some(_) if ascii => '.',
        Some(sign) => sign,
    }
}

/// Values of the parameter below the axis, as many as stand clear: the outermost before
/// those between, none beyond the `room` there is from the axis on.
fn ticks(chart: &Chart, scale: &Scale, room: usize) -> Row {
    let label = |x: f64| match x.fract() == 0.0 {
        true => plan::units::group_thousands(x as i128),
        false => significant(x, 2),
    };
    let labels = chart.at.iter().filter(|x| x.is_finite()).map(|x| {
        let (label, column) = (label(*x), scale.dot(*x, scale.bottom).0 / 2.0);
        // The last one ends where the row does, and still stands below its point.
        let column = (column.round() as usize).min(room.saturating_sub(label.len()));
        (column, label)
    });
    let mut labels: Vec<(usize, String)> = labels.collect();
    let last = labels.pop();
    let end = last.as_ref().map_or(room, |(column, _)| *column);
    let mut text = String::new();
    for (column, label) in labels {
        let free = text.len() + usize::from(!text.is_empty());
        if column >= free && column + label.len() < end {
            text = format!("{text:column$}{label}");
        }
    }
    if let Some((column, label)) = last {
        text = format!("{text:column$}{label}");
    }
    Row::default().at(MARGIN, format!("  {text}"), Role::Dim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use course::present::Line;

    fn line(values: &[f64]) -> Chart {
        Chart {
            x: "batch".into(),
            at: vec![0.0, 1.0],
            unit: "MB".into(),
            lines: vec![Line {
                name: String::new(),
                values: values.to_vec(),
                said: Vec::new(),
            }],
            log_x: false,
            log_y: false,
        }
    }

    #[test]
    fn a_straight_line_goes_from_corner_to_corner() {
        let chart = line(&[0.0, 1.0]);
        let scale = Scale::of(&chart, 10);
        let (plot, _) = plot(&chart, &scale, false);
        assert_eq!(plot.first().and_then(|l| l.chars().last()), Some('a'));
        assert_eq!(plot.last().and_then(|l| l.chars().next()), Some('a'));
        // Braille carries the line between the two points.
        assert!(plot.iter().flat_map(|l| l.chars()).any(|c| c > '\u{2800}'));
    }

    #[test]
    fn ascii_draws_points_only_in_ascii() {
        let chart = line(&[0.0, 1.0]);
        let scale = Scale::of(&chart, 10);
        assert!(plot(&chart, &scale, true).0.concat().is_ascii());
    }

    #[test]
    fn a_flat_line_and_a_single_value_do_not_divide_by_zero() {
        let chart = line(&[0.0, 0.0]);
        let scale = Scale::of(&chart, 10);
        assert_eq!(plot(&chart, &scale, false).0.len(), HEIGHT);
        assert!(scale.value(scale.top).parse::<f64>().is_ok());
    }

    /// Columns of text on a screen of 60, 80 and 120 columns, and what a block has less.
    const COLUMNS: [usize; 3] = [52, 72, 112];

    #[test]
    fn no_chart_of_the_course_cuts_a_label() {
        let course = course::Course::built_in();
        let blocks = course.lessons().flat_map(|lesson| lesson.live());
        let mut charts = 0;
        for (range, log) in blocks.filter_map(|live| match &live.content {
            Ok(course::Block::Chart { range, log, .. }) => Some((range, *log)),
            _ => None,
        }) {
            charts += 1;
            let mut chart = line(&vec![1.0; range.len()]);
            (chart.at, chart.log_x) = (range.clone(), log);
            let labels: Vec<String> = range
                .iter()
                .map(|x| plan::units::group_thousands(*x as i128))
                .collect();
            for columns in COLUMNS {
                let rows = rows(&chart, 0, false, columns);
                let ticks = rows.last().map(Row::text).unwrap_or_default();
                assert!(ticks.chars().count() <= columns, "{columns}: {ticks}");
                let drawn: Vec<&str> = ticks.split_whitespace().collect();
                let whole = |label: &&str| labels.iter().any(|whole| whole == label);
                assert!(drawn.iter().all(whole), "{columns}: {ticks}");
                assert_eq!(drawn.last(), labels.last().map(String::as_str).as_ref());
                assert!(drawn.len() > 1, "{columns}: {ticks}");
            }
        }
        assert!(charts > 5, "{charts}");
    }
}
