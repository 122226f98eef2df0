//! What a step speaks of: squares in rows, the marked ones told apart by their frames.

use super::svg::{Anchor, Svg};
use course::present::{Board, Mark, Scene};

/// Height of a square and of the room between rows.
const HIGH: f64 = 22.0;
const GAP: f64 = 3.0;
/// Width of a character in a square, and of one of a label.
const GLYPH: f64 = 7.0;
/// Least width of a square.
const LEAST: f64 = 18.0;
/// Above each board, for its name.
const HEAD: f64 = 24.0;

/// The boards below each other.
pub(super) fn scene(scene: &Scene) -> String {
    let mut svg = Svg::default();
    let (mut y, mut widest) = (0.0, 0.0_f64);
    for board in &scene.boards {
        let (width, height) = board_at(&mut svg, board, y);
        y += height + GAP;
        widest = widest.max(width);
    }
    let names: Vec<&str> = scene
        .boards
        .iter()
        .map(|board| board.name.as_str())
        .collect();
    let figures = scene
        .figures
        .iter()
        .map(|(name, value)| format!("{name} {value}"));
    let figures: Vec<String> = figures.collect();
    let about = format!(
        "{}. Thick frame: dealt with in this step; double: waits; thin: dealt with before; \
         none: not reached. {}.",
        names.join("; "),
        figures.join("; ")
    );
    svg.finish((widest, y), "What the step speaks of", &about)
}

/// One board with its upper edge at `top`; its size.
fn board_at(svg: &mut Svg, board: &Board, top: f64) -> (f64, f64) {
    let columns = board.rows.iter().flat_map(|(_, row)| row);
    let longest = columns.map(|square| square.shown().chars().count()).max();
    let wide = (longest.unwrap_or(0) as f64 * GLYPH + 8.0).max(LEAST);
    let labels = board.rows.iter().map(|(label, _)| label.chars().count());
    let left = match labels.max().unwrap_or(0) {
        0 => 2.0,
        longest => longest as f64 * GLYPH + 10.0,
    };
    svg.text((2.0, top + 15.0), Anchor::Start, "dim", &board.name);
    let mut right = board.name.chars().count() as f64 * GLYPH + 4.0;
    for (r, (label, row)) in board.rows.iter().enumerate() {
        let y = top + HEAD + r as f64 * (HIGH + GAP);
        let middle = y + HIGH / 2.0 + 4.0;
        if !label.is_empty() {
            svg.text((left - 8.0, middle), Anchor::End, "", label);
        }
        for (c, square) in row.iter().enumerate() {
            let x = left + c as f64 * (wide + GAP);
            let frame = match square.mark {
                Mark::Plain => None,
                Mark::Past => Some("square"),
                Mark::Now => Some("square now"),
                Mark::Waits => Some("square waits"),
            };
            if let Some(class) = frame {
                svg.rect((x, y), (wide, HIGH), class);
            }
            if square.mark == Mark::Waits {
                svg.rect((x + 3.0, y + 3.0), (wide - 6.0, HIGH - 6.0), "square waits");
            }
            let class = match square.mark {
                Mark::Plain => "dim",
                Mark::Now => "number",
                _ => "",
            };
            svg.text(
                (x + wide / 2.0, middle),
                Anchor::Middle,
                class,
                &square.shown(),
            );
            right = right.max(x + wide + 2.0);
        }
    }
    let height = HEAD + board.rows.len() as f64 * (HIGH + GAP);
    (right, height)
}
