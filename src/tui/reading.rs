//! Pages that are only read: help, the terms of a number, messages, doctor,
//! and the setup.

use super::frame;
use super::pen::{Pen, clip, width, wrap};
use super::theme::Role;
use app::help::Line;
use app::machine::Condition;
use app::mouse::Target;
use app::setup_page::{ITEMS, Item};
use app::{SMALL, State, Tone};
use plan::cost::{Figure, Made, Why, WhyUnit};
use plan::run::BackendKind;
use plan::units::figure::Clock;
use plan::units::{Quantity, format, group_thousands};

/// The keys that work where the learner came from.
pub fn help(state: &State, pen: &mut Pen<'_>) {
    let bottom = pen.height() - 1;
    let typed = state.find.as_ref().is_some_and(|find| find.typing);
    let said = u16::from(typed || state.shared.notes.shown().is_some());
    let rows = usize::from(bottom - 2 - said);
    let columns = state.help.columns(&state.shared);
    for (at, (lines, x)) in columns.iter().zip([2, 37]).enumerate() {
        let shown = lines.iter().enumerate().skip(state.help.scroll).take(rows);
        for (
            y,
            (
                line,
                Line {
                    heading,
                    keys,
                    says,
                },
            ),
        ) in (2..).zip(shown)
        {
            if state.help.found == Some((at, line)) {
                pen.put(x - 2, y, "►", Role::Accent);
            }
            let role = if *heading { Role::Strong } else { Role::Accent };
            pen.put(x, y, keys, role);
            pen.put(x + 11, y, says, Role::Text);
        }
    }
    if said > 0 {
        frame::message(state, "", "", pen, bottom - 1);
    }
}

/// The terms that made a number, a line each.
pub fn why(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height() - 1;
    let width = pen.width().min(frame::LEFT);
    pen.put(1, 2, "Why this number", Role::Strong);
    pen.right(width - 1, 2, "modelled =", Role::Modelled);
    let Some(why) = &state.terms.why else {
        return;
    };
    let room = app::reading::room(&state.shared);
    let lines = why.flatten();
    for (i, (depth, term)) in lines.iter().skip(state.terms.scroll).take(room).enumerate() {
        let y = 4 + i as u16;
        let indent = 1 + 2 * (*depth).min(6) as u16;
        let role = if *depth == 0 {
            Role::Strong
        } else {
            Role::Text
        };
        let end = pen.put(indent, y, &clip(&term.label, 30), role);
        let value = value(term);
        let value_at = width - 1 - value.chars().count() as u16;
        let formula = match (term.formula.is_empty(), term.numbers.is_empty()) {
            (true, _) => term.note.clone(),
            (false, true) => term.formula.clone(),
            (false, false) => format!("{} = {}", term.formula, term.numbers),
        };
        let x = end.max(22) + 2;
        let space = usize::from(value_at.saturating_sub(x + 1));
        pen.put(x, y, &clip(&formula, space), Role::Dim);
        pen.put(value_at, y, &value, Role::Modelled);
    }
    let shown = lines.len().min(state.terms.scroll + room);
    let more = if shown < lines.len() {
        format!("{} further terms below.", lines.len() - shown)
    } else {
        made(&lines, usize::from(pen.width()) - 1)
    };
    frame::message(state, &more, "", pen, last - 1);
}

/// How figures come of the terms below them: the most words that there is room for.
fn made(lines: &[(usize, &Why)], room: usize) -> String {
    let mut found = lines.iter().filter(|(_, w)| !w.terms.is_empty());
    if found.clone().all(|(_, w)| w.made == Made::Sum) {
        return found.next().map_or(String::new(), |_| {
            "Each figure is the sum of the terms below it.".to_owned()
        });
    }
    let has = |wanted: fn(Made) -> bool| found.clone().any(|(_, w)| wanted(w.made));
    let parts = [
        (
            has(|m| matches!(m, Made::Times(_))),
            "“× n”: n times the one below it",
            "“× n”: n times one",
        ),
        (
            has(|m| m == Made::Quotient),
            "“/”: their quotient",
            "“/”: a quotient",
        ),
        (
            has(|m| m == Made::Larger),
            "“the larger”: of the two below it",
            "“the larger”: of two",
        ),
    ];
    let said = |begins: &str, long: bool| {
        let parts = parts.iter().filter(|(has, ..)| *has);
        let parts: Vec<&str> = parts.map(|(_, l, s)| if long { *l } else { *s }).collect();
        format!("{begins}; {}.", parts.join("; "))
    };
    let whole = "A figure is the sum of the terms below it";
    let texts = [said(whole, true), said(whole, false)];
    let fits = texts.into_iter().find(|text| width(text) <= room);
    fits.unwrap_or_else(|| said("Sums of the terms below", false))
}

/// A figure in full: the exact integer, and the rounded value that the other
/// pages show.
fn value(why: &Why) -> String {
    match why.value {
        Figure::Real(v) => {
            let whole = format!("{v:.4} {}", why.unit.name());
            // As the row that was asked about has it.
            match Clock::of(1e-6 * v) {
                clock if why.unit == WhyUnit::Micros && clock.unit != why.unit.name() => {
                    format!("{whole} ({} {})", clock.number(1e-6 * v), clock.unit)
                }
                _ => whole,
            }
        }
        Figure::Exact(n) => {
            let exact = group_thousands(i128::from(n));
            let rounded = match why.unit {
                WhyUnit::Bytes if n >= 10_000 => format(&Quantity::bytes(n)),
                WhyUnit::Flop if n >= 10_000 => format(&Quantity::flop(n)),
                _ => return format!("{exact} {}", why.unit.name()).trim_end().to_owned(),
            };
            format!("{exact} {} ({rounded})", why.unit.name())
        }
    }
}

/// The last messages, newest last.
pub fn messages(state: &State, pen: &mut Pen<'_>) {
    pen.put(1, 2, "The last messages", Role::Strong);
    let room = app::reading::room(&state.shared);
    if state.shared.notes.log().len() == 0 {
        pen.put(1, 4, "None yet.", Role::Dim);
    }
    let width = usize::from(pen.width()) - 2;
    for (i, note) in state
        .shared
        .notes
        .log()
        .skip(state.messages.scroll)
        .take(room)
        .enumerate()
    {
        let role = match note.tone {
            Tone::Plain => Role::Text,
            Tone::Good => Role::Good,
            Tone::Warn => Role::Warn,
            Tone::Bad => Role::Bad,
        };
        pen.put(1, 4 + i as u16, &clip(&note.text, width), role);
    }
}

/// Columns of what this machine has, at most.
const WIDEST: u16 = 140;

/// A row of what this machine has: what it is about, what is said, a word at the edge.
type Fact = (String, String, String, Role);

/// Columns of the page.
fn edge(columns: u16) -> usize {
    usize::from(columns.min(WIDEST)).saturating_sub(1)
}

/// First row of the page, and how many it has.
fn rows(state: &State) -> (u16, usize) {
    let top = if state.shared.two_panes() { 3 } else { 2 };
    let (_, rows) = state.shared.size;
    (top, usize::from(rows.saturating_sub(3 + top)))
}

/// Tells the page how far it scrolls.
pub fn fit(state: &mut State) {
    let lines = facts(state, edge(state.shared.size.0)).len();
    let (_, room) = rows(state);
    state.doctor.fit(lines, room);
}

/// What this machine has: backends, facts about it and about the terminal.
pub fn doctor(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height() - 1;
    let edge = edge(pen.width());
    let (top, room) = rows(state);
    let lines = facts(state, edge);
    let shown = lines.iter().skip(state.doctor.scroll).take(room);
    if state.doctor.scroll > 0 {
        pen.put(0, top, "▲", Role::Dim);
    }
    if state.doctor.scroll + room < lines.len() {
        pen.put(0, last.saturating_sub(3), "▼", Role::Dim);
    }
    for (y, (name, text, word, role)) in (top..).zip(shown) {
        if text.is_empty() {
            pen.put(1, y, name, *role);
        } else {
            pen.put(3, y, name, Role::Text);
            pen.put(13, y, text, Role::Text);
            pen.right(edge as u16, y, word, *role);
        }
    }
    frame::message(state, "", "", pen, last - 1);
}

/// Every row, as wide as the page is.
fn facts(state: &State, edge: usize) -> Vec<Fact> {
    let machine = &state.shared.machine;
    let mut lines: Vec<Fact> = Vec::new();
    let head = |text: &str, lines: &mut Vec<Fact>| {
        if !lines.is_empty() {
            lines.push((String::new(), String::new(), String::new(), Role::Text));
        }
        lines.push((text.to_owned(), String::new(), String::new(), Role::Strong));
    };
    // Up to the word at the edge, the widest of which is `ready, chosen`.
    let put = |name: &str, text: &str, word: &str, role: Role, lines: &mut Vec<Fact>| {
        let room = edge.saturating_sub(if word.is_empty() { 13 } else { 29 });
        for (at, line) in wrap(text, room).into_iter().enumerate() {
            let of = |text: &str| match at {
                0 => text.to_owned(),
                _ => String::new(),
            };
            lines.push((of(name), line, of(word), role));
        }
    };
    head(
        "Found on this machine, nothing was installed or changed",
        &mut lines,
    );
    for (i, b) in machine.backends.iter().enumerate() {
        let (word, role) = match b.condition {
            Condition::Ready if i == machine.chosen => ("ready, chosen", Role::Good),
            Condition::Ready => ("ready", Role::Good),
            _ => (b.condition.word(), Role::Dim),
        };
        let line = match b.gives.as_str() {
            gives if b.line.ends_with(gives) => b.line.clone(),
            gives => format!("{}; {gives}", b.line),
        };
        put(&b.name, &line, word, role, &mut lines);
    }
    head("Facts", &mut lines);
    for b in &machine.backends {
        let mut word = b.name.as_str();
        for note in &b.notes {
            put(word, note, "", Role::Text, &mut lines);
            word = "";
        }
    }
    for (name, fact) in &machine.facts {
        put(name, fact, "", Role::Text, &mut lines);
    }
    put("terminal", &terminal(state), "", Role::Text, &mut lines);
    let Some(c) = &machine.ceilings else {
        return lines;
    };
    let from = match c.source {
        app::machine::Source::Measured => "measured here @",
        _ if machine.kind() == BackendKind::Simt => {
            "data sheet; the SIMT machine counts and has no roof to measure"
        }
        _ => "data sheet; R measures here",
    };
    let roof = format!("{}: {}, {from}", c.of, c.spoken());
    put("roof", &roof, "", Role::Text, &mut lines);
    if let Some(l) = c.launch {
        let from = match l.source {
            app::machine::Source::Measured => "measured here @",
            _ => "rec. H200, not measured here",
        };
        let text = format!("{:.2} µs back to back, {from}", l.seconds * 1e6);
        put("launch", &text, "", Role::Text, &mut lines);
    }
    lines
}

/// The terminal as it was judged.
fn terminal(state: &State) -> String {
    use app::look::Depth;
    let colours = match state.shared.look.depth {
        Depth::None => "no colour",
        Depth::Sixteen => "16 colours",
        Depth::Indexed => "256 colours",
        Depth::True => "24-bit colour",
    };
    let signs = if state.shared.look.ascii {
        "ASCII"
    } else {
        "Unicode"
    };
    let (columns, rows) = state.shared.size;
    format!(
        "{columns} × {rows}, {colours}, {signs}, theme {}",
        state.shared.look.theme.name()
    )
}

/// Model, shape, dtype, backend, seed, counting options.
pub fn setup(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height() - 1;
    // A small terminal has the lines alone, and says of the one under the cursor what it
    // decides.
    let small = state.shared.lacks(SMALL);
    let first = match (small, state.shared.two_panes()) {
        (true, _) => 1,
        (false, true) => 5,
        (false, false) => 4,
    };
    let gap = if small { 0 } else { 2 };
    if !small {
        let title = "Setup, shared by lab, compare and live blocks";
        pen.put(1, first - 2, title, Role::Strong);
    }
    let counting = ITEMS.iter().position(|item| *item == Item::Causal);
    let counting = counting.unwrap_or(ITEMS.len());
    for (i, item) in ITEMS.into_iter().enumerate() {
        // The counting options stand apart.
        let y = first + i as u16 + u16::from(i >= counting) * gap;
        if i == counting && !small {
            pen.put(1, y - 1, "Counting", Role::Strong);
        }
        let here = state.setup.row == i;
        pen.spot(0, y, pen.width(), Target::Row(i));
        if here {
            pen.put(2, y, "►", Role::Accent);
        }
        let role = if here { Role::Accent } else { Role::Text };
        pen.put(4, y, item.label(), role);
        match state.setup.field.as_ref().filter(|_| here) {
            Some(field) => {
                let (before, behind) = field.halves();
                let x = pen.put(18, y, "[ ", Role::Dim);
                let x = pen.put(x, y, &before, Role::Text);
                let x = pen.cursor(x, y);
                let x = pen.put(x, y, &behind, Role::Text);
                pen.put(x.max(34), y, " ]", Role::Dim);
            }
            None => {
                let value = item.value(&state.shared);
                let end = pen.put(19, y, &value, role);
                if here && !item.is_typed() {
                    pen.put(17, y, "◄", Role::Dim);
                    pen.put(end + 1, y, "►", Role::Dim);
                }
            }
        }
        if !small {
            let room = usize::from(pen.width()) - 39;
            pen.put(38, y, &clip(item.says(), room), Role::Dim);
        }
    }
    let below = first + ITEMS.len() as u16;
    if small {
        pen.put(2, below, state.setup.item().says(), Role::Dim);
    }
    sizes(state, pen, below + if small { 1 } else { 3 });
    let hint = match state.setup.item() {
        Item::Seed => "Enter types a number. ← and → count down and up.",
        item if item.is_typed() => "Enter types it: 512, 2^9. ← and → halve and double it.",
        _ => "← and → choose.",
    };
    frame::message(state, hint, "", pen, last - 1);
}

/// What the setup amounts to.
fn sizes(state: &State, pen: &mut Pen<'_>, y: u16) {
    let m = &state.shared.bench.setup().model;
    let cost = state.shared.bench.cost();
    let parameters = if m.tied {
        cost.parameters.0
    } else {
        cost.parameters.1
    };
    let parameters = format!("{} parameters =", group_thousands(i128::from(parameters)));
    let whole = format!(
        "D{} L{} H{} K{} I{} V{}: {parameters}",
        m.hidden, m.layers, m.heads, m.kv_heads, m.ffn, m.vocab,
    );
    let lines = [
        // The number goes before its end is cut.
        match width(&whole) + 2 < usize::from(pen.width()) {
            true => whole,
            false => parameters,
        },
        format!(
            "KV cache {} =, a forward {} =",
            format(&Quantity::bytes(cost.kv_cache_bytes)),
            format(&Quantity::flop(cost.forward.flops))
        ),
    ];
    for (i, line) in lines.iter().enumerate() {
        pen.put(2, y + i as u16, line, Role::Modelled);
    }
}
