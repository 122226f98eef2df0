//! What travels between memory and chip, over the whole page: the plan and its bytes,
//! the picture, the fusions.

use crate::tui::live::journeys;
use crate::tui::pen::{Pen, width};
use crate::tui::theme::Role;
use app::State;
use app::lab::trips;
use app::live::lender;
use app::mouse::Target;
use course::present::less;
use plan::fusion::Fusion;

/// Columns between two fusions.
const GAP: u16 = 2;

/// Draws the picture and what stands around it.
pub fn draw(state: &State, reached: usize, pen: &mut Pen<'_>) {
    let bench = &state.shared.bench;
    let found = trips(bench);
    let reached = reached.min(found.kernels.len());
    let cost = bench.cost();
    let launches = match cost.shares_launch() {
        true => "a block alone".to_owned(),
        false => cost.launches_of_block(),
    };
    let edge = pen.width();
    let text = match reached.checked_sub(1) {
        Some(at) => format!("so far {}", found.walked(at)),
        None => {
            let v1 = bench.v1().block.bytes();
            match less(v1, found.bytes, 1) {
                None => found.total(),
                Some(less) => format!("{} {less} than V1", found.total()),
            }
        }
    };
    let room = usize::from(edge).saturating_sub(width(&text) + 4);
    let title = format!("{} · {launches}", bench.cut().full_title());
    let lent = lender(&state.reader, &state.shared).map(|of| format!("{of}: {title}"));
    let title = lent.filter(|lent| width(lent) <= room).unwrap_or(title);
    pen.put(1, 0, &super::clip(&title, room), Role::Text);
    pen.right(edge - 1, 0, &text, Role::Modelled);

    let lists = lines(usize::from(edge) - 1);
    let height = pen.height();
    let below = lists.len() as u16 + 1;
    let picture = usize::from(height.saturating_sub(1 + below));
    let at = (reached > 0).then_some(reached);
    let rows = journeys(&found, at, usize::from(edge) - 2, picture);
    let end = 1 + rows.len() as u16;
    for (y, row) in (1..end).zip(&rows) {
        row.draw(pen, 1, y);
    }
    // The fusions stay where they are, whatever the picture takes.
    let from = height.saturating_sub(below);
    pen.rule(0, edge, from);
    pen.put(1, from, " fusions ", Role::Dim);
    for (y, line) in (from + 1..height).zip(lists) {
        for (x, fusion) in line {
            toggle(state, fusion, x, y, pen);
        }
    }
}

/// The fusions in as many lines as they need: column and number.
fn lines(columns: usize) -> Vec<Vec<(u16, usize)>> {
    let mut lines: Vec<Vec<(u16, usize)>> = vec![Vec::new()];
    let mut x = 0;
    for (at, fusion) in Fusion::ALL.iter().enumerate() {
        let needs = width(fusion.name()) as u16 + 5;
        if usize::from(x + needs) > columns {
            lines.push(Vec::new());
            x = 0;
        }
        lines
            .last_mut()
            .into_iter()
            .for_each(|line| line.push((x, at)));
        x += needs + GAP;
    }
    lines
}

fn toggle(state: &State, at: usize, x: u16, y: u16, pen: &mut Pen<'_>) {
    let Some(fusion) = Fusion::ALL.get(at) else {
        return;
    };
    let switch = state.shared.bench.switch(*fusion);
    let here = state.lab.toggle == at;
    if here {
        pen.put(x, y, "►", Role::Accent);
    }
    let text = format!("{} {}", switch.sign(), fusion.name());
    let end = pen.put(x + 1, y, &text, super::switched(switch));
    pen.spot(x, y, end - x, Target::Toggle(at));
    if here {
        pen.add(x + 1, y, end - x - 1, ratatui::style::Modifier::BOLD);
    }
}
