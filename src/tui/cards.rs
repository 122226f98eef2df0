//! Run cards: a run that lasts, and one that gave no result. They take the
//! rows above the message row, never the ribbon; Esc folds them.

use super::pen::{Pen, clip, wrap};
use super::ribbon::bar;
use super::theme::Role;
use app::runs::{CARD_AFTER, Card, Running};
use app::{Page, State};
use plan::run::Phase;

/// Draws the card that stands, if one does.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    if let Some(running) = state.shared.runs.running() {
        // Elsewhere the header says how far it is; nothing is covered.
        if state.page == Page::Lab && state.shared.now >= running.since + CARD_AFTER {
            in_progress(state, running, pen);
        }
    } else if let Some(card) = &state.shared.runs.card {
        ended(card, pen);
    }
}

/// An empty strip of `rows` rows above the message row, with a rule on top.
fn strip<'p>(pen: &'p mut Pen<'_>, rows: u16) -> Pen<'p> {
    let top = pen.height().saturating_sub(rows + 3);
    // The whole width: what goes on beside the card would be read as a part of it.
    let whole = pen.width();
    let mut under = pen.part(0, top, whole, rows + 1);
    under.clear();
    under.rule(0, whole, 0);
    pen.part(0, top, whole.min(super::frame::LEFT), rows + 1)
}

fn in_progress(state: &State, running: &Running, pen: &mut Pen<'_>) {
    let about = running
        .progress
        .as_ref()
        .filter(|p| !p.subject.is_empty())
        .map(ToString::to_string);
    let mut card = strip(pen, if about.is_some() { 3 } else { 2 });
    card.put(1, 1, "running", Role::Accent);
    card.put(
        11,
        1,
        &format!("{} on {}", running.title, running.backend.name()),
        Role::Text,
    );
    let phase = running.progress.as_ref().map(|p| p.phase);
    let mut steps = String::new();
    for step in [Phase::WarmUp, Phase::Check, Phase::Timing] {
        let sign = match phase {
            Some(now) if order(now) > order(step) => "■",
            Some(now) if now == step => "▒",
            _ => "□",
        };
        steps.push_str(&format!("{} {sign}  ", step.name()));
    }
    let runs = match &running.progress {
        Some(p) if p.phase == Phase::Timing => format!("{} runs", p.total),
        _ => String::new(),
    };
    let edge = card.width() - 1;
    card.right(edge, 1, format!("{steps}{runs}").trim_end(), Role::Dim);
    if let Some(p) = &running.progress {
        let cells = 28u64;
        let done = u64::from(p.done) * cells * 8 / u64::from(p.total.max(1));
        let drawn = bar(done, cells, card.ascii());
        let end = card.put(11, 2, &drawn, Role::Accent);
        card.put(end, 2, &"·".repeat((39 - end.min(39)) as usize), Role::Dim);
        card.put(41, 2, &format!("{} of {}", p.done, p.total), Role::Text);
    }
    let seconds = (state.shared.now - running.since) as f64 / 1000.0;
    card.put(54, 2, &format!("{seconds:.1} s"), Role::Dim);
    card.right(edge, 2, "Ctrl-C cancels", Role::Text);
    if let Some(about) = about {
        card.put(11, 3, &clip(&about, 68), Role::Dim);
    }
}

fn order(phase: Phase) -> u8 {
    match phase {
        Phase::Open | Phase::Prepare | Phase::Compile | Phase::Prefill => 0,
        Phase::WarmUp => 1,
        Phase::Check => 2,
        Phase::Timing => 3,
        Phase::Count => 4,
    }
}

fn ended(card: &Card, pen: &mut Pen<'_>) {
    let lines: Vec<String> = card.lines.iter().flat_map(|l| wrap(l, 68)).collect();
    let mut strip = strip(pen, lines.len() as u16 + 1);
    let role = match card.word {
        "failed" | "refused" => Role::Bad,
        _ => Role::Warn,
    };
    strip.put(1, 1, card.word, role);
    for (y, line) in lines.iter().enumerate() {
        strip.put(11, y as u16 + 1, line, Role::Text);
    }
    let last = lines.len() as u16 + 1;
    strip.put(
        11,
        last,
        "p setup   r again   Esc folds this away",
        Role::Dim,
    );
}
