//! Run cards: a run that lasts, and one that gave no result. They take the
//! rows above the message row, never the ribbon; Esc folds them.

use super::pen::{Pen, clip, wrap};
use super::ribbon::bar;
use super::theme::Role;
use app::keymap::Action;
use app::runs::{CARD_AFTER, Card, Running};
use app::{Page, State};
use plan::run::Phase;

/// Draws the card that stands, if one does.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    if let Some(running) = running(state) {
        in_progress(state, running, pen);
    } else if let Some(card) = ended_with(state) {
        ended(state, card, pen);
    }
}

/// The run of which a card says how far it is. Elsewhere the header does; nothing is covered.
fn running(state: &State) -> Option<&Running> {
    let running = state.shared.runs.running();
    running.filter(|r| state.page == Page::Lab && state.shared.now >= r.since + CARD_AFTER)
}

/// The card of a run that gave no result.
fn ended_with(state: &State) -> Option<&Card> {
    let card = state.shared.runs.card.as_ref();
    card.filter(|_| state.shared.runs.running().is_none())
}

/// Rows above the message row that a card covers.
pub fn covered(state: &State) -> u16 {
    let rows = match (running(state), ended_with(state)) {
        (Some(running), _) => rows(running),
        (None, Some(card)) => lines(card).len() as u16 + 1,
        (None, None) => return 0,
    };
    // The rule on top.
    rows + 1
}

/// Rows of a run that lasts: what is being done may have one.
fn rows(running: &Running) -> u16 {
    match about(running) {
        Some(_) => 3,
        None => 2,
    }
}

/// What is being done.
fn about(running: &Running) -> Option<String> {
    let progress = running.progress.as_ref();
    let progress = progress.filter(|p| !p.subject.is_empty());
    progress.map(ToString::to_string)
}

fn lines(card: &Card) -> Vec<String> {
    card.lines.iter().flat_map(|l| wrap(l, 68)).collect()
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
    let mut card = strip(pen, rows(running));
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
    if let Some(about) = about(running) {
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

fn ended(state: &State, card: &Card, pen: &mut Pen<'_>) {
    let lines = lines(card);
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
    let setup = state.shared.keys.key_of(state.page, Action::Setup);
    let setup = setup.map_or(String::new(), |key| format!("{key} setup   "));
    let keys = format!("{setup}r again   Esc folds this away");
    strip.put(11, last, &keys, Role::Dim);
}
