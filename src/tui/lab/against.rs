//! This plan against V1, as the lab and the pane beside a lesson show it.

use crate::tui::pen::{Pen, width};
use crate::tui::theme::Role;
use app::State;
use app::figure::Origin;
use app::lab::{Part, Row, table};
use app::machine::{Ceilings, Source};
use app::mouse::Target;

/// The head of the table in so many columns. It says whose roof the floors are under: a long
/// name of a device takes the room of words.
pub fn table_title(state: &State, room: u16) -> String {
    let from = |c: &Ceilings| match c.source {
        Source::DataSheet => Some("data sheet"),
        Source::Measured => Some("measured @"),
        Source::Recorded => None,
    };
    let ceilings = state.shared.machine.ceilings.as_ref();
    let named = ceilings.and_then(|c| Some((&c.of, from(c)?)));
    named
        .into_iter()
        .flat_map(|(of, from)| {
            ["roof ", ""].map(|word| format!(" against V1 ─ {word}{of} {from} "))
        })
        .find(|title| width(title) <= usize::from(room))
        .unwrap_or_else(|| " this plan against V1 ".to_owned())
}

/// This plan against V1.
pub fn against(state: &State, pen: &mut Pen<'_>) {
    // Two columns less where the table stands beside a lesson.
    let less = 41_u16.saturating_sub(pen.width());
    let edges = [26 - less.min(26) / 2, 34 - less.min(34), 41 - less.min(41)];
    for (edge, head) in edges.into_iter().zip(["plan", "V1", "saved"]) {
        pen.right(edge, 0, head, Role::Dim);
    }
    let rows: Vec<Row> = table(
        &state.shared.bench,
        &state.shared.machine,
        &state.shared.runs,
    );
    for (i, row) in rows.iter().enumerate() {
        let y = i as u16 + 1;
        pen.spot(0, y, pen.width(), Target::Figure(i));
        let (role, label_role) = match row.origin {
            Origin::Modelled => (Role::Modelled, Role::Dim),
            Origin::Issued => (Role::Issued, Role::Text),
            Origin::Measured => (Role::Measured, Role::Text),
        };
        pen.put(1, y, &row.label, label_role);
        // Where the second is long, as a time with its spread is, the first stands further left.
        let gap = 1 + u16::from(less == 0 && row.v1.contains('±'));
        let ends = |v1: &str| edges[0].min(edges[1].saturating_sub(width(v1) as u16 + gap));
        let room = usize::from(ends(&row.v1)).saturating_sub(width(&row.label) + 2);
        // Without its spread where the label would be written over.
        let [plan, v1] = [&row.plan, &row.v1].map(|cell| match width(&row.plan) <= room {
            true => cell.as_str(),
            false => cell.split(" ±").next().unwrap_or(cell),
        });
        pen.right(ends(v1), y, plan, role);
        pen.right(edges[1], y, v1, role);
        pen.right(edges[2], y, &row.saved, Role::Text);
        if state.lab.part == Part::Table && state.lab.row == i {
            pen.reverse(0, y, edges[2]);
        }
    }
}
