//! The elements that pictures are made of.

use std::fmt::Write;
use text::clean;

/// Text that may stand between tags and between quotes, without control characters.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean::clean(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A length with at most one decimal.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0" } else { text }.to_owned()
}

/// Which point of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture of so many units across and down.
#[derive(Debug, Default)]
pub(super) struct Svg {
    body: String,
}

impl Svg {
    pub(super) fn rect(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), class: &str) {
        let [x, y, w, h] = [x, y, w, h].map(number);
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>"
        );
    }

    /// A line through points.
    pub(super) fn line(&mut self, points: &[(f64, f64)], class: &str) {
        let points: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{},{}", number(*x), number(*y)))
            .collect();
        let points = points.join(" ");
        let _ = writeln!(
            self.body,
            "<polyline class=\"{class}\" points=\"{points}\"/>"
        );
    }

    /// A triangle that points to the right, its tip at a place.
    pub(super) fn tip(&mut self, (x, y): (f64, f64), class: &str) {
        let _ = writeln!(
            self.body,
            "<path class=\"{class}\" d=\"M{} {}l-7 -4v8z\"/>",
            number(x),
            number(y)
        );
    }

    /// The sign of the n-th of several lines: circle, square, triangle, diamond, and
    /// the first two again, hollow. `says` is told where one points at it.
    pub(super) fn sign(&mut self, n: usize, (x, y): (f64, f64), says: &str) {
        let d = match n % 4 {
            0 => "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",
            1 => "m-3 -3h6v6h-6z",
            2 => "m0 -4l4 7h-8z",
            _ => "m0 -4.5l4.5 4.5l-4.5 4.5l-4.5 -4.5z",
        };
        let hollow = if n >= 4 { " hollow" } else { "" };
        let (x, y) = (number(x), number(y));
        let _ = write!(self.body, "<path class=\"sign{hollow}\" d=\"M{x} {y}{d}\"");
        let _ = match says {
            "" => writeln!(self.body, "/>"),
            says => writeln!(self.body, "><title>{}</title></path>", escape(says)),
        };
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let class = match class {
            "" => String::new(),
            class => format!(" class=\"{class}\""),
        };
        let _ = writeln!(
            self.body,
            "<text{class} x=\"{}\" y=\"{}\"{anchor}>{}</text>",
            number(x),
            number(y),
            escape(text)
        );
    }

    /// The whole: what it is, and what is to be seen in it.
    pub(super) fn finish(self, (width, height): (f64, f64), title: &str, about: &str) -> String {
        format!(
            "<svg class=\"picture\" role=\"img\" viewBox=\"0 0 {} {}\" xmlns=\"http://www.w3.org/2000/svg\">\n\
             <title>{}</title>\n<desc>{}</desc>\n{}</svg>\n",
            number(width),
            number(height),
            escape(title),
            escape(about),
            self.body
        )
    }
}
