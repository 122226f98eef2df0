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
/// Rows below a claim that say what was judged, and how it came out.
const VERDICT: usize = 5;

/// A part of the screen: column, first row, columns, rows.
type Area = (u16, u16, u16, u16);

/// Whether the list stands above the claim: beside it there is no room.
fn stacked(state: &State) -> bool {
    state.shared.size.0 < frame::LEFT
}

/// Where the list stands, and where the claim does.
fn areas(state: &State) -> (Area, Area) {
    let (columns, rows) = state.shared.size;
    if stacked(state) {
        let room = rows - 3;
        // Who judges has the whole of it before the eyes.
        let list = if state.claims.choosing { 0 } else { room / 3 };
        ((0, 1, columns, list), (0, 1 + list, columns, room - list))
    } else if state.shared.two_panes() {
        let (left, rows) = (LEFT.1, rows - 6);
        ((0, 3, left, rows), (left + 1, 3, columns - left - 1, rows))
    } else {
        let (left, rows) = (LEFT.0, rows - 3);
        let room = frame::LEFT - left - 1;
        ((0, 1, left, rows), (left + 1, 1, room, rows))
    }
}

/// Tells the page how long the claim is, and brings what was just opened into view.
pub fn fit(state: &mut State, lines: usize) {
    let (_, (_, _, columns, rows)) = areas(state);
    let rows = usize::from(rows);
    if std::mem::take(&mut state.claims.reveal)
        && let Some(claim) = current(&state.claims, &state.shared)
    {
        let before = evidence::stated(state, claim, usize::from(columns) - 2).len();
        if before + VERDICT > rows {
            state.claims.scroll = before;
        }
    }
    state.claims.fit(lines, rows);
}

/// Draws the page.
pub fn draw(state: &State, laid: &[Row], pen: &mut Pen<'_>) {
    let last = pen.height().saturating_sub(1);
    let ((at, from, left, height), (x, top, columns, rows)) = areas(state);
    if state.shared.two_panes() {
        frame::panes(pen, left, last - 2);
    } else if !stacked(state) {
        pen.upright(left, 1, last - 1);
    }
    if height > 0 {
        list(state, &mut pen.part(at, from, left, height));
    }
    let mut claim = pen.part(x, top, columns, rows);
    let most = laid.len().saturating_sub(usize::from(rows));
    let scroll = state.claims.scroll.min(most);
    for (y, row) in (0..rows).zip(laid.iter().skip(scroll)) {
        row.draw(&mut claim, 1, y);
    }
    let mut announce = |y: u16, text: &str| {
        let mut row = pen.part(x, top + y, columns, 1);
        row.clear();
        row.put(1, 0, text, Role::Dim);
    };
    if scroll > 0 {
        let text = format!("▲ {} more lines: PgUp", scroll + 1);
        announce(0, &text);
    }
    // What does not fit is announced on the last row, where reading stops.
    let below = most - scroll;
    if below > 0 {
        let text = format!("▼ {} more lines: Space", below + 1);
        announce(rows.saturating_sub(1), &text);
    }
    frame::message(state, "", "", pen, last - 1);
    cards::draw(state, pen);
}

/// Lays the claim under the cursor out.
pub fn lay(state: &State) -> Vec<Row> {
    let (_, (_, _, columns, _)) = areas(state);
    let columns = usize::from(columns);
    match current(&state.claims, &state.shared) {
        Some(claim) => evidence::page(state, claim, columns.saturating_sub(2)),
        None => vec![
            Row::default(),
            Row::of("No claim matches this filter.", Role::Dim),
        ],
    }
}

/// How a reader stands to a claim, as signs.
const SIGNS: &str = "● judged ○ shown · open";

/// The claims that the filter leaves, the one under the cursor in view.
fn list(state: &State, pen: &mut Pen<'_>) {
    let claims = listed(&state.claims, &state.shared);
    let edge = pen.width();
    let end = pen.put(1, 0, "Claims", Role::Strong);
    let (judged, right) = tally(&state.shared.study);
    let all = course::Ledger::built_in().claims().len();
    let sum = match judged {
        0 => format!("{all}, none judged"),
        _ if wide(state) => {
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
    // Filter and signs stand below: in one row where the claim is below them.
    let under = if stacked(state) { 1 } else { 2 };
    let gap = under - 1;
    let room = usize::from(pen.height().saturating_sub(1 + gap + under));
    let cursor = state.claims.cursor.min(claims.len().saturating_sub(1));
    let from = cursor
        .saturating_sub(room / 2)
        .min(claims.len().saturating_sub(room));
    let shown = claims.iter().enumerate().skip(from).take(room);
    for (y, (i, claim)) in (1..).zip(shown) {
        line(state, claim, i == cursor, pen, y);
        pen.spot(0, y, pen.width(), Target::Row(i));
    }
    let below = pen.height().saturating_sub(under);
    let filter = format!("f: {}", state.claims.filter.title());
    if stacked(state) {
        pen.rule(0, edge, below);
        let signs = format!(" {SIGNS} ");
        let room = usize::from(edge) - width(&signs) - 4;
        pen.put(1, below, &format!(" {} ", clip(&filter, room)), Role::Dim);
        pen.right(edge - 1, below, &signs, Role::Dim);
    } else {
        pen.put(1, below, &clip(&filter, usize::from(edge) - 1), Role::Dim);
        pen.put(1, below + 1, SIGNS, Role::Dim);
    }
}

/// Whether the list has more columns than titles need.
fn wide(state: &State) -> bool {
    state.shared.two_panes() || stacked(state)
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
    if wide(state) && usize::from(end) + 1 + claim.id.text.len() <= usize::from(edge) {
        pen.right(edge, y, &claim.id.text, Role::Dim);
    }
}
