//! Screens one after another as one SVG that moves: a row that stays is written once.
//! Who asks for less motion sees the first screen.

use super::cells::{self, CELL, EDGE, Inks};
use super::svg::{escape, number};
use app::look::Theme;
use ratatui::buffer::Buffer;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A screen and how long it is shown.
pub struct Frame {
    /// Its cells.
    pub cells: Buffer,
    /// What is done, below it.
    pub says: String,
    /// How long.
    pub seconds: f64,
}

/// Room for the line below the screens.
const BELOW: f64 = 30.0;

/// The frames, over and over; as large as the first.
pub fn tour(frames: &[Frame], theme: Theme, title: &str) -> String {
    let Some(first) = frames.first() else {
        return String::new();
    };
    let mut inks = Inks::default();
    // Marks of a row, or the line below, with the frames that show them.
    let mut shown: BTreeMap<(u16, String), Vec<usize>> = BTreeMap::new();
    let rows = first.cells.area.height;
    for (n, frame) in frames.iter().enumerate() {
        for y in 0..rows {
            let marks = cells::row(&frame.cells, y, &mut inks);
            if !marks.is_empty() {
                shown.entry((y, marks)).or_default().push(n);
            }
        }
        let says = format!(
            "<text class=\"s\" x=\"0\" y=\"20\">{}</text>",
            escape(&frame.says)
        );
        shown.entry((rows, says)).or_default().push(n);
    }
    let mut times = Times::new(frames);
    let mut body = String::new();
    for ((y, marks), on) in shown {
        let class = times.class(&on);
        let top = number(EDGE + f64::from(y) * CELL.1);
        let _ = writeln!(
            body,
            "<g{class} transform=\"translate({EDGE} {top})\">{marks}</g>"
        );
    }
    let (width, height) = cells::size(first.cells.area.width, rows);
    let style = inks.style(theme) + &times.style(theme);
    cells::document((width, height + BELOW), title, &style, &body)
}

/// When what is shown: each set of frames is one animation.
struct Times {
    /// When each frame begins, as a part of the whole, and the end.
    begins: Vec<f64>,
    seconds: f64,
    sets: BTreeMap<Vec<usize>, usize>,
}

impl Times {
    fn new(frames: &[Frame]) -> Self {
        let seconds: f64 = frames.iter().map(|frame| frame.seconds).sum();
        let mut at = 0.0;
        let mut begins = vec![0.0];
        for frame in frames {
            at += frame.seconds;
            begins.push(at / seconds);
        }
        Self {
            begins,
            seconds,
            sets: BTreeMap::new(),
        }
    }

    fn class(&mut self, on: &[usize]) -> String {
        if on.len() + 1 == self.begins.len() {
            return String::new();
        }
        let next = self.sets.len();
        let n = self.sets.entry(on.to_vec()).or_insert(next);
        format!(" class=\"t{n}\"")
    }

    fn style(&self, theme: Theme) -> String {
        let mut out = format!(".s{{fill:{}}}", super::accent(theme));
        let mut sets: Vec<_> = self.sets.iter().collect();
        sets.sort_by_key(|(_, n)| **n);
        for (on, n) in sets {
            let seen = |frame: usize| on.contains(&frame);
            let word = |seen: bool| if seen { "visible" } else { "hidden" };
            let _ = write!(
                out,
                ".t{n}{{visibility:{};animation:t{n} {}s step-end infinite}}@keyframes t{n}{{",
                word(seen(0)),
                number(self.seconds)
            );
            let mut before = None;
            for (frame, begins) in self.begins.iter().enumerate().take(self.begins.len() - 1) {
                if before != Some(seen(frame)) {
                    let _ = write!(
                        out,
                        "{:.2}%{{visibility:{}}}",
                        begins * 100.0,
                        word(seen(frame))
                    );
                    before = Some(seen(frame));
                }
            }
            out.push('}');
        }
        out + "@media (prefers-reduced-motion:reduce){g{animation:none!important}}"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(lines: [&str; 2], seconds: f64) -> Frame {
        Frame {
            cells: Buffer::with_lines(lines),
            says: String::new(),
            seconds,
        }
    }

    #[test]
    fn a_row_that_stays_is_written_once_and_the_first_screen_is_seen_at_rest() {
        let frames = [
            frame(["stays", "one"], 1.0),
            frame(["stays", "two"], 2.0),
            frame(["stays", "one"], 1.0),
        ];
        let svg = tour(&frames, Theme::Dark, "A tour");
        assert_eq!(svg.matches(">stays<").count(), 1);
        assert_eq!(svg.matches(">one<").count(), 1);
        // Shown for 1 s, away for 2 of 4, and back.
        assert!(
            svg.contains("t0{visibility:visible;animation:t0 4s step-end infinite}"),
            "{svg}"
        );
        assert!(
            svg.contains(
                "0.00%{visibility:visible}25.00%{visibility:hidden}75.00%{visibility:visible}"
            ),
            "{svg}"
        );
        assert!(svg.contains("prefers-reduced-motion"));
    }
}
