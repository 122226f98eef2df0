//! What a step speaks of: boards of squares, beside each other where there is room, and
//! figures below them.

use crate::tui::pen::{width, wrap};
use crate::tui::rows::Row;
use crate::tui::theme::Role;
use course::present::{Board, Mark, Scene};

/// Columns between two boards.
const GAP: usize = 4;

/// A scene as lines.
pub fn rows(scene: &Scene, columns: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut beside: Vec<Row> = Vec::new();
    for board in &scene.boards {
        let new = self::board(board, columns);
        let at = beside.iter().map(Row::width).max().unwrap_or(0);
        let needs = new.iter().map(Row::width).max().unwrap_or(0);
        if at > 0 && at + GAP + needs > columns {
            rows.append(&mut beside);
        }
        let at = beside.iter().map(Row::width).max().unwrap_or(0);
        let from = if at == 0 { 0 } else { at + GAP };
        beside.resize_with(beside.len().max(new.len()), Row::default);
        for (row, new) in beside.iter_mut().zip(new) {
            let mut whole = std::mem::take(row).padded(from);
            whole.spans.extend(new.spans);
            *row = whole;
        }
    }
    rows.append(&mut beside);
    let figures = scene.figures.iter();
    let figures = figures.map(|(name, value)| format!("{name} {value}").replace(' ', "\u{a0}"));
    let figures: Vec<String> = figures.collect();
    let figures = wrap(&figures.join(" · "), columns);
    let figures = figures.into_iter().map(|line| line.replace('\u{a0}', " "));
    rows.extend(figures.map(|line| Row::of(line, Role::Text)));
    rows
}

/// A board in so many columns: where they are few, its squares stand without a gap.
fn board(board: &Board, room: usize) -> Vec<Row> {
    let label = board.rows.iter().map(|(label, _)| width(label)).max();
    let label = label
        .filter(|label| *label > 0)
        .map_or(0, |label| label + 1);
    let columns = board.columns();
    let squares = board.rows.iter().map(|(_, squares)| squares.len()).max();
    let gap = match label + squares.unwrap_or(0) * (columns + 1) > room {
        true => "",
        false => " ",
    };
    let mut rows = Vec::new();
    if !board.name.is_empty() {
        let name = wrap(&board.name, room).into_iter();
        rows.extend(name.map(|line| Row::of(line, Role::Dim)));
    }
    for (name, squares) in &board.rows {
        let mut row = Row::of(format!("{name:<label$}"), Role::Dim);
        for square in squares {
            let role = match square.mark {
                Mark::Plain => Role::Dim,
                Mark::Past => Role::Text,
                Mark::Now => Role::Accent,
                Mark::Waits => Role::Warn,
            };
            row = row
                .and(format!("{:^columns$}", square.shown()), role)
                .and(gap, Role::Text);
        }
        rows.push(row);
    }
    rows
}
