//! The right pane of the contents page: where one was, the versions, and this machine.

use crate::tui::pen::{Pen, clip, wrap};
use crate::tui::ribbon::bar;
use crate::tui::theme::Role;
use app::machine::{Condition, Source, flop_rate};
use app::{State, figure};
use plan::fusion::Version;
use plan::run::BackendKind;

/// The right pane at 120 columns.
pub(super) fn draw(state: &State, pen: &mut Pen<'_>) {
    let edge = pen.width() - 1;
    beside_path(state, &mut pen.part(0, 0, edge, 4));
    let mut whole = pen.part(0, 5, edge + 1, u16::MAX);
    let pen = &mut whole;
    pen.put(1, 0, "Here you were", Role::Strong);
    match &state.shared.contents.stopped {
        Some(s) => {
            let lesson = state.shared.contents.lessons.get(s.lesson);
            let title = lesson.map_or(String::new(), |l| format!("{} {}", l.number, l.title));
            pen.put(3, 2, &clip(&title, usize::from(edge) - 3), Role::Text);
            let section = format!("section {} of {}: {}", s.section, s.of, s.heading);
            pen.put(3, 3, &clip(&section, usize::from(edge) - 3), Role::Text);
        }
        None => {
            pen.put(
                3,
                2,
                "nowhere yet; Enter opens the lesson under ►",
                Role::Text,
            );
        }
    }
    let plan = format!(
        "plan in the lab: {}, {}",
        state.shared.bench.cut().title(),
        state.shared.bench.cost().launches_of_block()
    );
    pen.put(3, 4, &clip(&plan, usize::from(edge) - 3), Role::Text);
    versions(state, pen, 6);
    this_machine(state, pen, 13);
}

/// The path that is followed, in the right pane.
fn beside_path(state: &State, pen: &mut Pen<'_>) {
    let Some(followed) = &state.shared.contents.route else {
        return;
    };
    let room = usize::from(pen.width()) - 3;
    pen.put(1, 0, "Your path, + in the contents", Role::Strong);
    pen.put(3, 2, &clip(&followed.line(), room), Role::Text);
    let next = match followed.next.as_str() {
        "" => "through; P chooses another".to_owned(),
        next => format!("Space goes on: {next}"),
    };
    pen.put(3, 3, &clip(&next, room), Role::Accent);
}

/// Launches and bytes of a block in the four versions.
fn versions(state: &State, pen: &mut Pen<'_>, y: u16) {
    let v1 = state.shared.bench.v1().block.bytes();
    let column = figure::byte_column(v1);
    let head = format!(
        "One block, modelled =   (launches, {})",
        column.unit().symbol()
    );
    pen.put(1, y, &head, Role::Strong);
    for (i, version) in Version::WORKSHOP.into_iter().enumerate() {
        let y = y + 2 + i as u16;
        let Ok(cost) = state.shared.bench.price_of(version.cut()) else {
            continue;
        };
        let bytes = cost.block.bytes();
        pen.put(3, y, version.title(), Role::Text);
        pen.right(11, y, &cost.block.launches().to_string(), Role::Modelled);
        pen.right(20, y, &figure::bytes(column, bytes), Role::Modelled);
        // Fourteen cells for V1.
        let eighths =
            (u128::from(bytes) * 14 * 8 * 2 + u128::from(v1)) / (2 * u128::from(v1.max(1)));
        let drawn = bar(eighths as u64, 14, pen.ascii());
        pen.put(22, y, &drawn, Role::Memory);
    }
}

/// Rows of the ceilings below the backends, with what is said of them.
const CEILINGS: usize = 11;

fn this_machine(state: &State, pen: &mut Pen<'_>, y: u16) {
    let edge = pen.width() - 1;
    pen.put(1, y, "This machine", Role::Strong);
    pen.right(edge, y, "found at start", Role::Dim);
    let mut y = y + 2;
    let backends = &state.shared.machine.backends;
    let room = usize::from(edge) - 18;
    // Rows that are left below one for each backend and the ceilings, for long reasons.
    let taken = usize::from(y) + backends.len() + CEILINGS;
    let mut spare = usize::from(pen.height()).saturating_sub(taken);
    for b in backends {
        pen.put(3, y, &b.name, Role::Text);
        let role = match b.condition {
            Condition::Ready => Role::Good,
            _ => Role::Dim,
        };
        pen.right(edge, y, b.condition.word(), role);
        let mut reason = wrap(&b.line, room);
        let more = reason.len().saturating_sub(1);
        if more > spare || reason.is_empty() {
            reason = vec![clip(&b.line, room)];
        } else {
            spare -= more;
        }
        for line in &reason {
            pen.put(10, y, line, Role::Text);
            y += 1;
        }
    }
    y += 1;
    let Some(c) = &state.shared.machine.ceilings else {
        return;
    };
    let (head, role) = match c.source {
        Source::Measured => (format!("Ceilings of {}, measured @", c.of), Role::Measured),
        _ => (format!("Ceilings of {}, data sheet", c.of), Role::Text),
    };
    pen.put(1, y, &head, Role::Strong);
    let (fp32, unit) = flop_rate(c.fp32);
    let mut rows = vec![
        (
            "memory bandwidth",
            format!("{:.0}", c.bandwidth / 1e9),
            "GB/s",
        ),
        ("fp32", format!("{fp32:.1}"), unit),
    ];
    if let Some(matrix) = c.matrix16.filter(|m| *m > c.fp32) {
        let (value, unit) = flop_rate(matrix);
        rows.push(("bf16 matrix product", format!("{value:.0}"), unit));
    }
    for (i, (name, value, unit)) in rows.into_iter().enumerate() {
        let y = y + 2 + i as u16;
        pen.put(3, y, name, Role::Text);
        pen.right(41, y, &value, role);
        pen.put(44, y, unit, Role::Dim);
    }
    let own = match state.shared.machine.kind() {
        BackendKind::Simt => "The SIMT machine counts and has no roof of its own.",
        kind if kind.is_gpu() => "R in Doctor measures this GPU's own.",
        _ => "R in Doctor measures this CPU's own, in a second or two.",
    };
    let note = &format!("Floors are priced under these. {own}");
    if c.source != Source::Measured {
        for (i, text) in wrap(note, usize::from(edge) - 3).iter().enumerate() {
            pen.put(3, y + 6 + i as u16, text, Role::Dim);
        }
    }
}
