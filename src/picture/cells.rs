//! A screen as SVG, from its cells: text as text, lines and bars as shapes, so that
//! they meet whatever font there is.

use super::glyph::{Shape, shape};
use super::svg::{escape, number};
use crate::tui::theme::{Role, hex};
use app::look::Theme;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Width and height of a cell, and the size of the letters in it: letters of most
/// fonts of one width are 0.6 of their size wide.
pub(super) const CELL: (f64, f64) = (9.0, 18.0);
const FONT: f64 = 15.0;
/// From the top of a cell to the line that letters stand on.
const BASE: f64 = 13.5;
/// Around the cells.
pub(super) const EDGE: f64 = 12.0;

/// How cells are written: colour, and what stands besides colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ink {
    rgb: Option<(u8, u8, u8)>,
    bold: bool,
    underlined: bool,
    reversed: bool,
}

impl Ink {
    fn of(cell: &Cell) -> Self {
        let has = |modifier| cell.modifier.contains(modifier);
        Self {
            rgb: match cell.fg {
                Color::Rgb(r, g, b) => Some((r, g, b)),
                _ => None,
            },
            bold: has(Modifier::BOLD),
            underlined: has(Modifier::UNDERLINED),
            reversed: has(Modifier::REVERSED),
        }
    }
}

/// Classes of the inks that were met, in the order in which they were.
#[derive(Default)]
pub(super) struct Inks(BTreeMap<Ink, usize>);

impl Inks {
    fn class(&mut self, ink: Ink) -> String {
        let next = self.0.len();
        format!("i{}", self.0.entry(ink).or_insert(next))
    }

    /// The rules for a page of this theme; the ground is painted.
    pub(super) fn style(&self, theme: Theme) -> String {
        let (ground, text) = grounds(theme);
        let mut out = format!(
            "text{{font:{FONT}px ui-monospace,Menlo,\"DejaVu Sans Mono\",\"Liberation Mono\",monospace;white-space:pre}}\
             path{{fill:none;stroke-width:1.3}}.b{{stroke:none}}.g{{fill:{ground}}}"
        );
        let mut inks: Vec<_> = self.0.iter().collect();
        inks.sort_by_key(|(_, n)| **n);
        for (ink, n) in inks {
            let colour = match ink.rgb {
                Some((r, g, b)) => format!("#{r:02x}{g:02x}{b:02x}"),
                None => text.clone(),
            };
            let bold = if ink.bold { ";font-weight:700" } else { "" };
            let line = match ink.underlined {
                true => ";text-decoration:underline",
                false => "",
            };
            let letters = if ink.reversed { ground } else { &colour };
            let _ = write!(out, "text.i{n}{{fill:{letters}{bold}{line}}}");
            let _ = write!(
                out,
                "path.i{n}{{stroke:{letters}}}.b.i{n}{{fill:{letters}}}"
            );
            if ink.reversed {
                let _ = write!(out, "rect.i{n}{{fill:{colour}}}");
            }
        }
        out
    }
}

/// What is painted behind the cells, and the letters without a colour. The grounds are
/// those on which the theme's colours were tried.
fn grounds(theme: Theme) -> (&'static str, String) {
    let text = hex(Role::Measured, theme).unwrap_or_default();
    match theme {
        Theme::Dark => ("#1e1e1e", "#e4e4e6".to_owned()),
        Theme::Light => ("#ffffff", "#1c1c1e".to_owned()),
        Theme::Contrast => ("#000000", text),
    }
}

/// The size of a picture of so many cells.
pub(super) fn size(columns: u16, rows: u16) -> (f64, f64) {
    (
        f64::from(columns) * CELL.0 + 2.0 * EDGE,
        f64::from(rows) * CELL.1 + 2.0 * EDGE,
    )
}

/// The marks of one row, its top at 0.
pub(super) fn row(buffer: &Buffer, y: u16, inks: &mut Inks) -> String {
    let mut out = String::new();
    let mut marks = Marks::default();
    let mut run: Option<(u16, Ink, String)> = None;
    let mut flush = |run: &mut Option<(u16, Ink, String)>, inks: &mut Inks, end: u16| {
        if let Some((x, ink, text)) = run.take() {
            let kept = text.trim_end();
            if !kept.is_empty() {
                let class = inks.class(ink);
                let columns = end - x - (text.chars().count() - kept.chars().count()) as u16;
                let _ = write!(
                    out,
                    "<text class=\"{class}\" x=\"{}\" y=\"{BASE}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
                    number(f64::from(x) * CELL.0),
                    number(f64::from(columns) * CELL.0),
                    escape(kept)
                );
            }
        }
    };
    let mut blanks = 0;
    for x in 0..buffer.area.width {
        let Some(cell) = buffer.cell((x, y)) else {
            continue;
        };
        let ink = Ink::of(cell);
        let symbol = cell.symbol();
        // Behind a wide letter there is nothing.
        if symbol.is_empty() {
            continue;
        }
        if ink.reversed {
            marks.behind(inks.class(ink), x);
        }
        let drawn = symbol.chars().next().and_then(shape);
        let blank = symbol == " ";
        blanks = if blank { blanks + 1 } else { 0 };
        let same = run
            .as_ref()
            .is_some_and(|(_, other, _)| *other == ink || blank);
        if drawn.is_some() || !same || blanks > 1 {
            flush(&mut run, inks, x);
        }
        if let Some(shape) = drawn {
            marks.add(inks.class(ink), x, shape);
        } else if let Some((.., text)) = &mut run {
            text.push_str(symbol);
        } else if !blank {
            run = Some((x, ink, symbol.to_owned()));
        }
    }
    flush(&mut run, inks, buffer.area.width);
    marks.finish() + &out
}

/// Lines, bars and grounds of a row by class.
#[derive(Default)]
struct Marks {
    behind: BTreeMap<String, Vec<(u16, u16)>>,
    /// Horizontal strokes by class and height, merged where they meet.
    across: BTreeMap<(String, u64), Vec<(f64, f64)>>,
    others: BTreeMap<(String, bool), String>,
}

impl Marks {
    fn behind(&mut self, class: String, x: u16) {
        let spans = self.behind.entry(class).or_default();
        match spans.last_mut() {
            Some((_, end)) if *end == x => *end = x + 1,
            _ => spans.push((x, x + 1)),
        }
    }

    fn add(&mut self, class: String, column: u16, shape: Shape) {
        let left = f64::from(column) * CELL.0;
        for (y, from, to) in shape.across {
            let key = (class.clone(), (y * 10.0) as u64);
            let spans = self.across.entry(key).or_default();
            match spans.last_mut() {
                Some((_, end)) if (*end - (left + from)).abs() < 0.01 => *end = left + to,
                _ => spans.push((left + from, left + to)),
            }
        }
        for (x, from, to) in shape.down {
            let path = self.others.entry((class.clone(), false)).or_default();
            let (x, from, to) = (number(left + x), number(from), number(to));
            let _ = write!(path, "M{x} {from}V{to}");
        }
        for (x, y, w, h) in shape.filled {
            let path = self.others.entry((class.clone(), true)).or_default();
            let [x, y, w, h] = [left + x, y, w, h].map(number);
            let _ = write!(path, "M{x} {y}h{w}v{h}h-{w}z");
        }
    }

    fn finish(mut self) -> String {
        let mut out = String::new();
        for (class, spans) in self.behind {
            for (from, to) in spans {
                let x = number(f64::from(from) * CELL.0);
                let width = number(f64::from(to - from) * CELL.0);
                let _ = write!(
                    out,
                    "<rect class=\"{class}\" x=\"{x}\" width=\"{width}\" height=\"{}\"/>",
                    CELL.1
                );
            }
        }
        for ((class, y), spans) in self.across {
            let path = self.others.entry((class, false)).or_default();
            let y = number(y as f64 / 10.0);
            for (from, to) in spans {
                let _ = write!(path, "M{} {y}H{}", number(from), number(to));
            }
        }
        for ((class, filled), path) in self.others {
            let class = if filled { format!("b {class}") } else { class };
            let _ = write!(out, "<path class=\"{class}\" d=\"{path}\"/>");
        }
        out
    }
}

/// The whole screen; `title` says what it shows.
pub(super) fn screen(buffer: &Buffer, theme: Theme, title: &str) -> String {
    let (columns, rows) = (buffer.area.width, buffer.area.height);
    let mut inks = Inks::default();
    let mut body = String::new();
    for y in 0..rows {
        let marks = row(buffer, y, &mut inks);
        if !marks.is_empty() {
            let top = number(EDGE + f64::from(y) * CELL.1);
            let _ = writeln!(body, "<g transform=\"translate({EDGE} {top})\">{marks}</g>");
        }
    }
    document(size(columns, rows), title, &inks.style(theme), &body)
}

/// A file of its own around `body`.
pub(super) fn document(
    (width, height): (f64, f64),
    title: &str,
    style: &str,
    body: &str,
) -> String {
    let [width, height] = [width, height].map(number);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" role=\"img\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{}</title>\n<style>{style}</style>\n\
         <rect class=\"g\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n{body}</svg>\n",
        escape(title)
    )
}
