//! The plot, both axes logarithmic: Braille lines for roofs, letters for
//! kernels on them, digits for versions on the axis and below the roof.

use super::role;
use crate::tui::braille::{DOTS, braille};
use crate::tui::pen::{Pen, width};
use crate::tui::theme::Role;
use app::State;
use app::machine::{Source, flop_rate};
use app::mouse::Target;
use app::roofline::{Roofs, View};
use plan::cost::Roof;
use plan::model::Dtype;

/// Columns for the values of the upright axis, and the axis.
const AXIS: u16 = 5;
/// Rows below the plot: the axis, its values, the two sides of the ridge.
const BELOW: u16 = 3;

/// Draws the plot with its axes.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let view = state.roofline.view();
    let dtype = state.shared.bench.setup().dtype;
    let (wide, high) = (
        pen.width().saturating_sub(AXIS + 1),
        pen.height().saturating_sub(BELOW),
    );
    let Some(scale) = Scale::of(view, dtype, wide, high) else {
        return;
    };
    let mut grid = Grid::new(wide, high, pen.ascii());
    if let Some(c) = &view.roofs.what_if {
        for (_, roof) in Roofs::parts(c, dtype) {
            grid.roof(&scale, roof, Stroke::Dotted, Role::Dim);
        }
    }
    let Some(c) = &view.roofs.roof else { return };
    let drawn = match c.source {
        Source::Measured => Role::Measured,
        _ => Role::Text,
    };
    let parts = Roofs::parts(c, dtype);
    for (_, roof) in &parts {
        grid.ridge(&scale, *roof);
        grid.roof(&scale, *roof, Stroke::Solid, drawn);
    }
    for run in &view.achieved {
        grid.sign(&scale, run.intensity, run.rate, run.sign, Role::Measured);
    }
    for spot in &view.spots {
        if let Some(ran) = spot.ran {
            let sign = spot.letter.to_ascii_uppercase();
            grid.sign(&scale, spot.intensity, ran.rate, sign, Role::Measured);
        }
    }
    let mut placed = Vec::new();
    for (at, spot) in view.spots.iter().enumerate() {
        // Kernels of one letter have one place.
        let first = at.checked_sub(1).and_then(|i| view.spots.get(i));
        if first.is_some_and(|f| f.letter == spot.letter) {
            continue;
        }
        if let Some(side) = spot.under(c, dtype) {
            let here = view.spot().is_some_and(|s| s.letter == spot.letter);
            let role = role(state, spot);
            if let Some((x, y)) = grid.sign(&scale, spot.intensity, side.rate, spot.letter, role) {
                placed.push((x, y, at));
                if here {
                    grid.here = Some((x, y));
                }
            }
        }
    }
    if let Some((own, (_, roof))) = view.own.zip(parts.first()) {
        grid.sign(&scale, own, roof.attainable(own), '?', Role::Accent);
    }
    if parts.len() > 1 {
        for (product, roof) in &parts {
            let what = if *product { "products" } else { "others" };
            grid.label(&scale, *roof, what, drawn);
        }
    }
    if let Some(c) = &view.roofs.what_if
        && let Some((_, roof)) = Roofs::parts(c, dtype).first()
    {
        grid.label(&scale, *roof, &c.of, Role::Dim);
    }
    let mut drawn_in = pen.part(AXIS + 1, 0, wide, high);
    grid.draw(&mut drawn_in);
    for (x, y, at) in placed {
        drawn_in.spot(x, y, 1, Target::Point(0, 0, at));
    }
    upright(&scale, high, pen);
    across(view, &scale, wide, high, pen);
    let single = match parts.as_slice() {
        [(_, roof)] => Some(roof.ridge()),
        _ => None,
    };
    if let Some(ridge) = single {
        sides(ridge, &scale, high, pen);
    }
}

/// From intensities and rates to places in cells, both by their logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    left: f64,
    right: f64,
    bottom: f64,
    top: f64,
    wide: u16,
    high: u16,
    /// FLOP/s of one unit of the upright axis.
    unit: f64,
}

impl Scale {
    /// Every kernel, block and ridge has a place; none where there is no roof.
    fn of(view: &View, dtype: Dtype, wide: u16, high: u16) -> Option<Self> {
        let main = view.roofs.roof.as_ref()?;
        let usable = |r: &Roof| {
            let positive = |v: f64| v.is_finite() && v > 0.0;
            positive(r.flops_per_second) && positive(r.bytes_per_second)
        };
        let of = |c| Roofs::parts(c, dtype).into_iter().map(|(_, r)| r);
        let own: Vec<Roof> = of(main).filter(usable).collect();
        let slope = own.first()?.bytes_per_second;
        let other = view.roofs.what_if.as_ref().map(of);
        let roofs: Vec<Roof> = own.into_iter().chain(other.into_iter().flatten()).collect();
        let roofs = || roofs.iter().filter(|r| usable(r));
        let spots = view.spots.iter().map(|s| s.intensity);
        let runs = || view.achieved.iter();
        let points: Vec<f64> = spots
            .chain(view.blocks.iter().copied())
            .chain(runs().map(|r| r.intensity))
            .chain(view.own)
            .filter(|i| i.is_finite() && *i > 0.0)
            .map(f64::log10)
            .collect();
        let most = |of: &mut dyn Iterator<Item = f64>| of.fold(f64::NEG_INFINITY, f64::max);
        let least = |of: &mut dyn Iterator<Item = f64>| of.fold(f64::INFINITY, f64::min);
        let ridges = || roofs().map(|r| r.ridge().log10());
        let steps = ridges().map(|r| r - 0.9);
        let left = least(&mut points.iter().map(|p| p - 0.3).chain(steps));
        // On both sides of a ridge there is room for a word.
        let right = most(
            &mut points
                .iter()
                .map(|p| p + 0.3)
                .chain(ridges().map(|r| r + 0.9)),
        );
        let top = most(&mut roofs().map(|r| r.flops_per_second.log10())) + 0.3;
        let foot = slope.log10() + left;
        let ran = view.spots.iter().filter_map(|s| s.ran);
        let rates = runs().map(|r| r.rate).chain(ran.map(|r| r.rate));
        let bottom = least(&mut rates.map(|rate| rate.log10() - 0.2).chain([foot]));
        let unit = match flop_rate(main.fp32).1 {
            "GFLOP/s" => 1e9,
            _ => 1e12,
        };
        let scale = Scale {
            left,
            right,
            bottom,
            top,
            wide,
            high,
            unit,
        };
        let drawn = wide > 0 && high > 0 && left < right && bottom < top;
        drawn.then_some(scale)
    }

    /// Columns from the left.
    fn x(&self, intensity: f64) -> f64 {
        (intensity.log10() - self.left) / (self.right - self.left) * f64::from(self.wide)
    }

    /// Rows from the top.
    fn y(&self, rate: f64) -> f64 {
        (self.top - rate.log10()) / (self.top - self.bottom) * f64::from(self.high)
    }

    /// The intensity at a column.
    fn intensity(&self, x: f64) -> f64 {
        10f64.powf(self.left + x / f64::from(self.wide) * (self.right - self.left))
    }

    /// The cell of a point, kept inside the plot; none for what has no place.
    fn cell(&self, intensity: f64, rate: f64) -> Option<(u16, u16)> {
        let (x, y) = (self.x(intensity), self.y(rate));
        let inside = |v: f64, size: u16| (v.max(0.0) as u16).min(size.saturating_sub(1));
        (x.is_finite() && y.is_finite()).then(|| (inside(x, self.wide), inside(y, self.high)))
    }
}

/// How a roof is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stroke {
    Solid,
    Dotted,
}

/// The cells of the plot: dots, and signs that stand over them.
struct Grid {
    wide: u16,
    high: u16,
    ascii: bool,
    dots: Vec<bool>,
    /// Lines of the plot in ASCII.
    lines: Vec<char>,
    roles: Vec<Role>,
    signs: Vec<Option<(char, Role)>>,
    /// The letter of the kernel under the cursor.
    here: Option<(u16, u16)>,
}

impl Grid {
    fn new(wide: u16, high: u16, ascii: bool) -> Self {
        let cells = usize::from(wide) * usize::from(high);
        Grid {
            wide,
            high,
            ascii,
            dots: vec![false; cells * DOTS.0 * DOTS.1],
            lines: vec![' '; cells],
            roles: vec![Role::Dim; cells],
            signs: vec![None; cells],
            here: None,
        }
    }

    fn at(&self, x: u16, y: u16) -> usize {
        usize::from(y) * usize::from(self.wide) + usize::from(x)
    }

    /// Lights a dot; nothing outside the plot.
    fn dot(&mut self, x: i64, y: i64, role: Role) {
        let across = i64::from(self.wide) * DOTS.0 as i64;
        let down = i64::from(self.high) * DOTS.1 as i64;
        if !(0..across).contains(&x) || !(0..down).contains(&y) {
            return;
        }
        if let Some(dot) = self.dots.get_mut((y * across + x) as usize) {
            *dot = true;
        }
        let cell = self.at(x as u16 / DOTS.0 as u16, y as u16 / DOTS.1 as u16);
        if let Some(here) = self.roles.get_mut(cell) {
            *here = role;
        }
    }

    /// A character of a line in ASCII; nothing outside the plot.
    fn line(&mut self, x: u16, y: f64, sign: char, role: Role) {
        if !(0.0..f64::from(self.high)).contains(&y) {
            return;
        }
        let cell = self.at(x, y as u16);
        if let (Some(line), Some(here)) = (self.lines.get_mut(cell), self.roles.get_mut(cell)) {
            (*line, *here) = (sign, role);
        }
    }

    /// A roof: its slope and its flat part.
    fn roof(&mut self, scale: &Scale, roof: Roof, stroke: Stroke, role: Role) {
        let dotted = stroke == Stroke::Dotted;
        if self.ascii {
            for x in 0..self.wide {
                let intensity = scale.intensity(f64::from(x) + 0.5);
                let sign = match intensity < roof.ridge() {
                    _ if dotted => '.',
                    true => '/',
                    false => '-',
                };
                self.line(x, scale.y(roof.attainable(intensity)), sign, role);
            }
            return;
        }
        let mut before = None;
        for x in 0..i64::from(self.wide) * DOTS.0 as i64 {
            if dotted && x % 3 != 0 {
                continue;
            }
            let intensity = scale.intensity((x as f64 + 0.5) / DOTS.0 as f64);
            let y = (scale.y(roof.attainable(intensity)) * DOTS.1 as f64).floor() as i64;
            // A steep slope has no gaps.
            let from = match before {
                Some(before) if !dotted && before > y + 1 => before - 1,
                _ => y,
            };
            for y in y..=from {
                self.dot(x, y, role);
            }
            before = Some(y);
        }
    }

    /// The upright line between memory-bound and compute-bound.
    fn ridge(&mut self, scale: &Scale, roof: Roof) {
        let (x, top) = (scale.x(roof.ridge()), scale.y(roof.flops_per_second));
        if self.ascii {
            for y in top.max(0.0) as u16 + 1..self.high {
                self.line(x as u16, f64::from(y), ':', Role::Dim);
            }
            return;
        }
        let from = (top * DOTS.1 as f64) as i64;
        for y in (from..i64::from(self.high) * DOTS.1 as i64).step_by(3) {
            self.dot((x * DOTS.0 as f64) as i64, y, Role::Dim);
        }
    }

    fn is_free(&self, x: u16, y: u16) -> bool {
        matches!(self.signs.get(self.at(x, y)), Some(None))
    }

    /// A letter or digit at its place; where one stands already, in the next
    /// row that is free, so that none hides another. Where it was put.
    fn sign(
        &mut self,
        scale: &Scale,
        intensity: f64,
        rate: f64,
        sign: char,
        role: Role,
    ) -> Option<(u16, u16)> {
        let (x, at) = scale.cell(intensity, rate)?;
        let y = (at..self.high)
            .chain((0..at).rev())
            .find(|y| self.is_free(x, *y))?;
        let cell = self.at(x, y);
        if let Some(here) = self.signs.get_mut(cell) {
            *here = Some((sign, role));
        }
        Some((x, y))
    }

    /// A word at the right end of a roof, above it or below, where nothing
    /// stands.
    fn label(&mut self, scale: &Scale, roof: Roof, text: &str, role: Role) {
        let Some((_, y)) = scale.cell(scale.intensity(f64::from(self.wide)), roof.flops_per_second)
        else {
            return;
        };
        let length = text.chars().count() as u16;
        // A blank parts it from what stands beside the plot.
        let Some(x) = self.wide.checked_sub(length + 1) else {
            return;
        };
        let empty = |y: &u16| (x..self.wide).all(|x| self.mark(x, *y).is_none());
        let rows = [y.checked_sub(1), Some(y + 1)];
        let Some(y) = rows
            .into_iter()
            .flatten()
            .find(|y| *y < self.high && empty(y))
        else {
            return;
        };
        for (x, c) in (x..).zip(text.chars()) {
            let cell = self.at(x, y);
            if let Some(here) = self.signs.get_mut(cell) {
                *here = Some((c, role));
            }
        }
    }

    /// What stands in a cell.
    fn mark(&self, x: u16, y: u16) -> Option<(char, Role)> {
        let cell = self.at(x, y);
        if let Some(Some(sign)) = self.signs.get(cell) {
            return Some(*sign);
        }
        let role = self.roles.get(cell).copied().unwrap_or_default();
        let line = match self.ascii {
            true => self.lines.get(cell).copied().filter(|c| *c != ' '),
            false => {
                let across = usize::from(self.wide) * DOTS.0;
                let corner = usize::from(y) * DOTS.1 * across + usize::from(x) * DOTS.0;
                braille(&|dx, dy| self.dots.get(corner + dy * across + dx) == Some(&true))
            }
        };
        line.map(|line| (line, role))
    }

    fn draw(&self, pen: &mut Pen<'_>) {
        for y in 0..self.high {
            for x in 0..self.wide {
                if let Some((sign, role)) = self.mark(x, y) {
                    pen.put(x, y, sign.encode_utf8(&mut [0; 4]), role);
                }
            }
        }
        if let Some((x, y)) = self.here {
            pen.reverse(x, y, 1);
        }
    }
}

/// Powers of ten between two logarithms.
fn decades(from: f64, to: f64) -> impl Iterator<Item = i32> {
    from.ceil() as i32..=to.floor() as i32
}

/// A power of ten as an axis prints it.
fn power(exponent: i32) -> String {
    match exponent {
        0.. if exponent < 5 => 10u32.pow(exponent.unsigned_abs()).to_string(),
        -3..0 => format!(
            "{:.*}",
            exponent.unsigned_abs() as usize,
            10f64.powi(exponent)
        ),
        _ => format!("1e{exponent}"),
    }
}

/// The upright axis with its values.
fn upright(scale: &Scale, high: u16, pen: &mut Pen<'_>) {
    pen.upright(AXIS, 0, high);
    let unit = scale.unit.log10();
    for exponent in decades(scale.bottom - unit, scale.top - unit) {
        let Some((_, y)) = scale.cell(1.0, 10f64.powi(exponent) * scale.unit) else {
            continue;
        };
        pen.put(AXIS, y, "┤", Role::Dim);
        let text = power(exponent);
        // A long one goes up to the axis.
        let edge = AXIS - u16::from(text.len() < usize::from(AXIS));
        pen.right(edge, y, &text, Role::Dim);
    }
}

/// The lower axis: its values, and the blocks of the versions on it.
fn across(view: &View, scale: &Scale, wide: u16, high: u16, pen: &mut Pen<'_>) {
    pen.put(AXIS, high, "└", Role::Dim);
    pen.rule(AXIS + 1, AXIS + 1 + wide, high);
    let unit = "FLOP/B";
    let room = (AXIS + 1 + wide).saturating_sub(unit.len() as u16);
    for exponent in decades(scale.left, scale.right) {
        let Some((x, _)) = scale.cell(10f64.powi(exponent), scale.unit) else {
            continue;
        };
        let x = AXIS + 1 + x;
        pen.put(x, high, "┴", Role::Dim);
        let text = power(exponent);
        let half = text.len() as u16 / 2;
        if usize::from(x) + text.chars().count() < usize::from(room) {
            pen.put(x.saturating_sub(half), high + 1, &text, Role::Dim);
        }
    }
    pen.put(room, high + 1, unit, Role::Dim);
    // Digits of one place stand above each other, as letters do.
    let mut taken: Vec<u16> = Vec::new();
    for (sign, block) in ('1'..).zip(&view.blocks) {
        let Some((x, _)) = scale.cell(*block, scale.unit) else {
            continue;
        };
        let below = taken.iter().filter(|other| **other == x).count() as u16;
        let y = high.saturating_sub(below);
        pen.put(AXIS + 1 + x, y, &sign.to_string(), Role::Modelled);
        taken.push(x);
    }
}

/// The words left and right of the ridge.
fn sides(ridge: f64, scale: &Scale, high: u16, pen: &mut Pen<'_>) {
    let Some((x, _)) = scale.cell(ridge, scale.unit) else {
        return;
    };
    let (x, y) = (AXIS + 1 + x, high + 2);
    let memory = "memory-bound ◄";
    if usize::from(x) >= width(memory) {
        pen.right(x, y, memory, Role::Memory);
    }
    pen.put(x + 1, y, "► compute", Role::Compute);
}

#[cfg(test)]
mod tests;
