//! Pictures as SVG: pieces of live blocks for a page, and screens from their cells.
//!
//! What a picture says stands beside it in words or numbers too; text in it is text, and
//! no meaning is carried by colour alone. Colours are classes: `page.css` names the
//! plain ones, `colours` those that the terminal's theme has.

mod boards;
mod cells;
mod chart;
mod glyph;
mod ribbon;
mod roofline;
mod svg;
mod tour;
mod trips;

pub(crate) use svg::escape;
pub use tour::{Frame, tour};

use crate::tui::theme::{Role, hex};
use app::look::Theme;
use course::present::{Piece, Scene};
use ratatui::buffer::Buffer;

/// Lines with different strokes and signs: whatever has more is told apart by name.
const STROKES: usize = 6;

/// A piece as a picture, where it is one.
pub(crate) fn piece(piece: &Piece) -> Option<String> {
    match piece {
        Piece::Ribbon(found) => Some(ribbon::ribbon(found)),
        Piece::Lab(lab) => lab.strip.as_ref().map(ribbon::strip),
        Piece::Roofline(found) => roofline::roofline(found),
        Piece::Chart(found) => chart::chart(found),
        Piece::Trips(found) => Some(trips::trips(found)),
        _ => None,
    }
}

/// What a step of a list speaks of, as a picture.
pub(crate) fn scene(scene: &Scene) -> String {
    boards::scene(scene)
}

/// A screen from its cells, on the ground of a theme; `title` says what it shows.
pub fn screen(buffer: &Buffer, theme: Theme, title: &str) -> String {
    cells::screen(buffer, theme, title)
}

/// The colour of what is meant just now.
fn accent(theme: Theme) -> String {
    hex(Role::Accent, theme).unwrap_or_default()
}

/// The theme's colours for a page, as custom properties: light, and dark where that is
/// preferred on a screen.
pub(crate) fn colours() -> String {
    let of = |theme: Theme| -> String {
        let roles = [
            ("memory", Role::Memory),
            ("compute", Role::Compute),
            ("fused", Role::Fused),
        ];
        let named = roles.iter().filter_map(|(name, role)| {
            let colour = hex(*role, theme)?;
            Some(format!(" --{name}: {colour};"))
        });
        format!(":root {{{} }}", named.collect::<String>())
    };
    format!(
        "{}\n@media screen and (prefers-color-scheme: dark) {{\n  {}\n}}\n",
        of(Theme::Light),
        of(Theme::Dark)
    )
}

/// Moves values apart so that neighbours are at least `gap` from each other and within
/// `from` and `to` where there is room; their order stays.
fn apart(values: &[f64], gap: f64, from: f64, to: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let value = |i: usize| values.get(i).copied().unwrap_or(0.0);
    order.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
    let mut placed: Vec<f64> = order.iter().map(|i| value(*i)).collect();
    let mut least = from;
    for at in &mut placed {
        *at = at.max(least);
        least = *at + gap;
    }
    let mut most = to;
    for at in placed.iter_mut().rev() {
        *at = at.min(most);
        most = *at - gap;
    }
    let mut out = vec![0.0; values.len()];
    for (i, at) in order.into_iter().zip(placed) {
        if let Some(out) = out.get_mut(i) {
            *out = at;
        }
    }
    out
}

/// The letter of the n-th of several.
const fn letter(n: usize) -> char {
    (b'a' + (n % 26) as u8) as char
}

/// From values to places along one axis, straight or logarithmic.
#[derive(Clone, Copy, Debug)]
struct Axis {
    low: f64,
    high: f64,
    log: bool,
    /// Places of `low` and `high`.
    ends: (f64, f64),
}

impl Axis {
    fn measure(&self, value: f64) -> f64 {
        if self.log { value.log10() } else { value }
    }

    fn at(&self, value: f64) -> f64 {
        let (low, high) = (self.measure(self.low), self.measure(self.high));
        let part = (self.measure(value) - low) / (high - low);
        self.ends.0 + part * (self.ends.1 - self.ends.0)
    }

    /// Values for ticks: powers of ten, or steps of 1, 2 or 5.
    fn ticks(&self) -> Vec<f64> {
        if self.log {
            let (from, to) = (self.low.log10().ceil(), self.high.log10().floor());
            let powers: Vec<f64> = (from as i32..=to as i32).map(|e| 10f64.powi(e)).collect();
            if powers.len() > 1 {
                return powers;
            }
            return vec![self.low, (self.low * self.high).sqrt(), self.high];
        }
        let rough = (self.high - self.low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power);
        let step = step.into_iter().find(|s| *s >= rough).unwrap_or(rough);
        let (from, to) = ((self.low / step).ceil(), (self.high / step).floor());
        (from as i64..=to as i64).map(|n| n as f64 * step).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests;
