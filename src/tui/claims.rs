//! The claims court: the list, and one claim with its evidence.

pub mod evidence;

use super::pen::{Pen, clip, width};
use super::rows::Row;
use super::theme::Role;
use super::{cards, frame};
use app::State;
use app::claims::{self, Standing, current, listed, standing, tally};
use app::mouse::Target;
use course::Claim;

/// Columns of the list: where a terminal is 80 wide, and where it is 120.
const LEFT: (u16, u16) = (33, 48);

fn left(state: &State) -> u16 {
    if state.shared.two_panes() {
        LEFT.1
    } else {
        LEFT.0
    }
}

/// Where the claim stands: column, first row, columns, rows.
fn area(state: &State) -> (u16, u16, u16, u16) {
    let (columns, rows) = state.shared.size;
    let left = left(state) + 1;
    if state.shared.two_panes() {
        (left, 3, columns - left, rows - 6)
    } else {
        (left, 1, columns.min(frame::LEFT) - left, rows - 3)
    }
}

/// Tells the page how long the claim is.
pub fn fit(state: &mut State, lines: usize) {
    let (_, _, _, rows) = area(state);
    state.claims.fit(lines, usize::from(rows));
}

/// Draws the page.
pub fn draw(state: &State, laid: &[Row], pen: &mut Pen<'_>) {
    let last = pen.height().saturating_sub(1);
    let (x, top, columns, rows) = area(state);
    let left = left(state);
    if state.shared.two_panes() {
        frame::panes(pen, left, last - 2);
    } else {
        pen.upright(left, 1, last - 1);
    }
    list(state, &mut pen.part(0, top, left, rows));
    let mut claim = pen.part(x, top, columns, rows);
    for (y, row) in (0..rows).zip(laid.iter().skip(state.claims.scroll)) {
        row.draw(&mut claim, 1, y);
    }
    // What does not fit is announced on the last row, where reading stops.
    let below = laid
        .len()
        .saturating_sub(state.claims.scroll + usize::from(rows));
    if below > 0 {
        let y = rows.saturating_sub(1);
        pen.part(x, y + top, columns, 1).clear();
        let text = format!("▼ {} more lines: Space", below + 1);
        pen.part(x, y + top, columns, 1).put(1, 0, &text, Role::Dim);
    }
    frame::message(state, "", "", pen, last - 1);
    cards::draw(state, pen);
}

/// Lays the claim under the cursor out.
pub fn lay(state: &State) -> Vec<Row> {
    let (_, _, columns, _) = area(state);
    let columns = usize::from(columns);
    match current(&state.claims, &state.shared) {
        Some(claim) => evidence::page(state, claim, columns.saturating_sub(2)),
        None => vec![
            Row::default(),
            Row::of("No claim matches this filter.", Role::Dim),
        ],
    }
}

/// The claims that the filter leaves, the one under the cursor in view.
fn list(state: &State, pen: &mut Pen<'_>) {
    let claims = listed(&state.claims, &state.shared);
    let edge = pen.width();
    let end = pen.put(1, 0, "Claims", Role::Strong);
    let (judged, right) = tally(&state.shared.study);
    let all = course::Ledger::built_in().claims().len();
    let sum = match judged {
        0 => format!("{all}, none judged"),
        _ if state.shared.two_panes() => {
            format!("{judged} of {all} judged, {right} as the evidence")
        }
        _ => format!("{judged} of {all} judged"),
    };
    let gpu = frame::course_gpu(state, edge).map(|gpu| format!(" · {gpu}"));
    let free = edge.saturating_sub(end);
    let fits = |gpu: &String, sum: &str| width(gpu) + width(sum) < usize::from(free);
    // The device goes before the sum is cut short.
    if let Some(gpu) = gpu.filter(|gpu| fits(gpu, &sum)) {
        pen.put(end, 0, &gpu, Role::Dim);
    }
    pen.right(edge, 0, &sum, Role::Dim);
    let room = usize::from(pen.height().saturating_sub(4));
    let cursor = state.claims.cursor.min(claims.len().saturating_sub(1));
    let from = cursor
        .saturating_sub(room / 2)
        .min(claims.len().saturating_sub(room));
    let shown = claims.iter().enumerate().skip(from).take(room);
    for (y, (i, claim)) in (1..).zip(shown) {
        line(state, claim, i == cursor, pen, y);
        pen.spot(0, y, pen.width(), Target::Row(i));
    }
    let below = pen.height().saturating_sub(2);
    let filter = format!("f: {}", state.claims.filter.title());
    pen.put(1, below, &clip(&filter, usize::from(edge) - 1), Role::Dim);
    pen.put(1, below + 1, "● judged ○ shown · open", Role::Dim);
}

fn line(state: &State, claim: &Claim, here: bool, pen: &mut Pen<'_>, y: u16) {
    let (sign, sign_role) = match standing(&state.shared.study, &claim.id.text) {
        Standing::Judged(judgement) if claims::hit(claim.ruling, judgement) => ("●", Role::Good),
        Standing::Judged(_) => ("●", Role::Warn),
        Standing::Shown => ("○", Role::Dim),
        Standing::Open => ("·", Role::Dim),
    };
    if here {
        pen.put(0, y, "►", Role::Accent);
    }
    pen.put(1, y, sign, sign_role);
    let role = if here { Role::Accent } else { Role::Text };
    // What it is about in words; the id stands behind it where there is room.
    let edge = pen.width();
    let end = pen.put(3, y, &clip(&claim.title, usize::from(edge) - 3), role);
    if state.shared.two_panes() && usize::from(end) + 1 + claim.id.text.len() <= usize::from(edge) {
        pen.right(edge, y, &claim.id.text, Role::Dim);
    }
}
